// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Simulation of a scene: motion, contact impulses and energy.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

struct SimulateOptions {
  std::string method;                 // empty: the scene's simulation.method
  std::optional<double> step;         // [s]; otherwise the scene's
  std::optional<double> duration;     // [s]; otherwise the scene's
  std::optional<double> rate;         // rows per second of the output [Hz]; otherwise one row per step
  double noise_position = 0;          // standard deviation added to positions [m]
  double noise_angle = 0;             // and to angles, per axis in space [rad]
  std::uint64_t seed = 0;             // of the noise
  const Recording* inputs = nullptr;  // motor inputs
};

struct SimulationSummary {
  std::string method;
  double step = 0;  // [s]
  long steps = 0;
  double duration = 0;                                                                // [s]
  double kinetic_start = 0, kinetic_end = 0, potential_start = 0, potential_end = 0;  // [J]
  double dissipated = 0;                                                              // by contacts and joints [J]
  double gained = 0;                // energy that contacts on standing surfaces gave, which Newton's restitution with
  long gaining_steps = 0;           // friction can do [J]; in how many steps
  long contact_steps = 0;           // steps with a closed contact
  double largest_residual = 0;      // of the complementarity problems, relative
  double deepest_penetration = 0;   // [m]
  long retried_steps = 0;           // steps solved by a fall-back of the solver or in halves
  std::array<long, 4> fallbacks{};  // of these, ecp: other features, continuation in friction, general solver, halves
  std::array<long, 3> kinds{};      // contacts of kind point, line, surface over all steps, ecp
  long failed_steps = 0;            // steps whose contact problem was not solved to tolerance
  double first_failure = 0;         // [s]
  double seconds = 0;               // of computing
};

/// One closed contact of one step, as contacts.csv holds it.
struct ContactRow {
  double time = 0;                             // end of the step [s]
  std::string pair;                            // "body/surface"
  int contact = 0;                             // number of the vertex, or 0
  double gap = 0;                              // [m]
  double normal_impulse = 0;                   // [N s]
  std::array<double, 2> tangential_impulse{};  // planar: along the tangent in entry 0 [N s]
  std::array<double, 3> point{};               // world [m]
  bool slides = false;
  // Method ecp:
  double torsional_impulse = 0;                       // about the normal [N m s]
  std::string kind;                                   // "point", "line", "surface"; empty for other methods
  int active_facets = 0;                              // of the first body
  std::array<double, 3> body_point{}, other_point{};  // the point in the frames of the body and of the other (or the
                                                      // surface) [m]
};

struct SimulationResult {
  Recording recording;
  std::vector<ContactRow> contacts;
  SimulationSummary summary;
};

/// Runs the scene in memory. Throws InputError for scenes the method cannot run; numerics that fail are in the summary.
SimulationResult Simulate(const Scene& scene, const SimulateOptions& options = {});

/// Runs the scene and streams to files (an empty name: not wanted), in memory that does not grow with the run.
SimulationSummary SimulateToFiles(const Scene& scene, const SimulateOptions& options, const std::string& recording_file,
                                  const std::string& contacts_file);

}  // namespace ricochet
