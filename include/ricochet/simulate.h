// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Simulation of a scene from start to end: motion, contact impulses and energy. To step a simulation yourself, or to
// differentiate it, see simulator.h.
//
//     const ricochet::SimulationResult run =
//         ricochet::Simulate(scene, {.rate = 240, .noise_position = 0.001, .noise_angle = 0.001}, {.seed = 1});
//     ricochet::WriteRecording(run.recording, "camera.csv");
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// How to simulate. What is not given is taken from the scene's `simulation`.
struct SimulateOptions {
  std::string method{};               // a stepper by name (ListSteppers in methods.h); empty: the scene's
  std::optional<double> step{};       // [s]
  std::optional<double> duration{};   // [s]
  std::optional<double> rate{};       // rows per second of the recording [Hz]; none: one row per step
  double noise_position = 0;          // standard deviation of noise added to positions, per axis [m]
  double noise_angle = 0;             // and to angles, per axis in space [rad]; with noise there are no velocities
  const Recording* inputs = nullptr;  // motor inputs over time, by column name; not owned
};

/// How a simulation went. Numerics that fail do not throw: look at `failed_steps`.
struct SimulationSummary {
  std::string method;                                                                 // the stepper
  double step = 0;                                                                    // [s]
  long steps = 0;                                                                     // that were taken
  double duration = 0;                                                                // simulated [s]
  double kinetic_start = 0, kinetic_end = 0, potential_start = 0, potential_end = 0;  // energies [J]
  double dissipated = 0;                                                              // by contacts and joints [J]
  // Energy that contacts on resting surfaces added, which Newton's restitution with friction can do, and in how many
  // steps.
  double gained = 0;  // [J]
  long gaining_steps = 0;
  long contact_steps = 0;          // steps with a closed contact
  double largest_residual = 0;     // of the complementarity problems, relative
  double deepest_penetration = 0;  // [m]
  long retried_steps = 0;          // steps solved by a fall-back of the solver or in halves
  bool patches = false;            // the stepper distinguishes point, line and surface contact: the next two are filled
  std::array<long, 4> fallbacks{};  // of the retried steps: other features, continuation in friction, general solver,
                                    // halves
  std::array<long, 3> kinds{};      // contacts of kind point, line, surface over all steps
  long failed_steps = 0;            // steps whose contact problem was not solved to tolerance
  double first_failure = 0;         // time of the first of them [s]
  double seconds = 0;               // computing time
};

/// One closed contact of one step, as contacts.csv holds it. Impulses act on the first body of the pair.
struct ContactRow {
  double time = 0;                             // end of the step [s]
  std::string pair;                            // "body/surface"
  int contact = 0;                             // number of the vertex, or 0
  double gap = 0;                              // negative in penetration [m]
  double normal_impulse = 0;                   // [N s]
  std::array<double, 2> tangential_impulse{};  // planar: along the tangent in entry 0 [N s]
  std::array<double, 3> point{};               // in the world [m]
  bool slides = false;
  // Steppers that distinguish kinds of contact (SimulationSummary::patches):
  double torsional_impulse = 0;                       // about the normal [N m s]
  std::string kind;                                   // "point", "line", "surface"; empty for other steppers
  int active_facets = 0;                              // of the first body
  std::array<double, 3> body_point{}, other_point{};  // the point in the frames of the body and of the other body or
                                                      // surface [m]
};

/// What Simulate gives.
struct SimulationResult {
  Recording recording;               // what the sensors of the scene's `observe` record, and velocities
  std::vector<ContactRow> contacts;  // ascending in time; empty where nothing touches
  SimulationSummary summary;
};

/// Files that a simulation is streamed to; an empty name: not requested.
struct SimulationFiles {
  std::string recording{};  // CSV
  std::string contacts{};   // CSV, a row per closed contact and step
};

/// Simulates in memory. Throws InputError for scenes that the stepper cannot simulate, and Cancelled.
SimulationResult Simulate(const Scene& scene, const SimulateOptions& options = {}, const Context& context = {});

/// Simulates and streams to files, in memory that does not grow with the duration. A file appears whole or not at all.
/// Throws InputError, also for files that cannot be written, and Cancelled.
SimulationSummary SimulateToFiles(const Scene& scene, const SimulateOptions& options, const SimulationFiles& files,
                                  const Context& context = {});

/// JSON text, as `ricochet simulate --json` prints it.
std::string FormatSimulation(const SimulationSummary& summary);

/// The same for the terminal: energies, contacts, and what went wrong.
std::string DescribeSimulation(const SimulationSummary& summary);

}  // namespace ricochet
