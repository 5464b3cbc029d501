// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Many simulations of one scene at once, each with its own parameters and start, on all threads:
//
//     Eigen::MatrixXd values(1000, 1);                              // one row per simulation, one column per parameter
//     values.col(0).setLinSpaced(0.1, 0.9);
//     const ricochet::RolloutBatch batch =
//         ricochet::RollOut(scene, "contact.friction", values, {}, {.duration = 0.5});
//     batch.State(7, batch.time.size() - 1);                        // of simulation 7 at its end
//
// States, tangent coordinates and derivatives are those of simulator.h. A simulation is a function of its row alone:
// results do not depend on the number of threads, nor on the other rows.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// How to roll out. What is not given is taken from the scene's `simulation`.
struct RolloutBatchOptions {
  std::string method{};               // a stepper by name; empty: the scene's
  std::optional<double> step{};       // [s], > 0
  std::optional<double> duration{};   // [s], >= 0
  int every = 0;                      // a row at the start and after every so many steps; 0: a row at the end only
  const Recording* inputs = nullptr;  // motor inputs over time, by column name; not owned
  bool derivatives = false;           // by the start state and by the parameters, at every row
};

/// States of all simulations. Numbers of a simulation lie together, row after row; matrices are stored row by row.
struct RolloutBatch {
  std::size_t count = 0;                 // simulations
  std::vector<double> time{};            // of the rows [s]
  int state_size = 0, tangent_size = 0;  // numbers of a state, and of its tangent coordinates
  int parameters = 0;                    // of each simulation
  std::vector<double> states{};          // count x rows x state_size
  std::vector<std::uint8_t> solved{};    // per simulation: 1 if every step was solved and the end is finite
  std::vector<double> by_start{};        // count x rows x tangent_size x tangent_size; empty: not requested
  std::vector<double> by_parameters{};   // count x rows x tangent_size x parameters; likewise

  /// A state, as Simulator::state() has it.
  Eigen::Map<const Eigen::VectorXd> State(std::size_t simulation, std::size_t row) const {
    return {states.data() + (simulation * time.size() + row) * static_cast<std::size_t>(state_size), state_size};
  }
};

/// Rolls out. `paths` is a list of parameter paths without ratios and products (parameter.h), empty for none.
/// `parameters` has one row per simulation and one column per parameter; `starts` one row per simulation with the state
/// at t = 0, or no rows: all start as the scene says. Without parameters the rows of `starts` count the simulations.
///
/// Simulations whose steps fail are not errors: see `solved`. Throws InputError for paths, sizes and values that cannot
/// be used, for what Simulator does not accept, and for a batch that does not fit in memory. If one row is wrong, the
/// path() of the error is `parameters[ROW]`. Throws Cancelled.
RolloutBatch RollOut(const Scene& scene, std::string_view paths, const Eigen::Ref<const Eigen::MatrixXd>& parameters,
                     const Eigen::Ref<const Eigen::MatrixXd>& starts, const RolloutBatchOptions& options = {},
                     const Context& context = {});

}  // namespace ricochet
