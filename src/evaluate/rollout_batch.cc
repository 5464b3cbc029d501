// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/rollout_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "core/context.h"
#include "core/progress/progress.h"
#include "core/threads.h"
#include "ricochet/parameter.h"
#include "ricochet/simulator.h"
#include "rollout/run.h"

namespace ricochet {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kMostSteps = 1e9;

std::vector<NumberId> NumbersOf(const Scene& scene, std::string_view paths) {
  std::vector<NumberId> numbers;
  if (paths.empty()) return numbers;
  for (const SelectedParameter& parameter : ParsePathList(scene, paths)) {
    if (parameter.denominator || parameter.factor)
      throw InputError({}, parameter.path, "is a ratio or product, and a rollout sets parameters.",
                       "Name the parameters themselves.");
    numbers.push_back(parameter.numerator);
  }
  return numbers;
}

/// Number of simulations, after a check that the sizes fit together.
std::size_t CountOf(const Eigen::Ref<const Eigen::MatrixXd>& parameters,
                    const Eigen::Ref<const Eigen::MatrixXd>& starts, std::size_t numbers, int state_size) {
  if (static_cast<std::size_t>(parameters.cols()) != numbers)
    throw InputError({}, "parameters", fmt::format("{} columns do not fit {} paths.", parameters.cols(), numbers),
                     "Give one column per parameter.");
  if (starts.rows() > 0 && starts.cols() != state_size)
    throw InputError({}, "starts", fmt::format("a state has {} numbers, not {}.", state_size, starts.cols()),
                     "Give one state per row, as Simulator has it.");
  if (numbers > 0 && starts.rows() > 0 && starts.rows() != parameters.rows())
    throw InputError({}, "starts",
                     fmt::format("{} states do not fit {} rows of parameters.", starts.rows(), parameters.rows()),
                     "Give one state per row of parameters, or none.");
  return static_cast<std::size_t>(numbers > 0 ? parameters.rows() : starts.rows());
}

/// Rolls out one simulation into its part of the batch.
class Roller {
 public:
  Roller(const RolloutBatchOptions& options, std::string_view paths, long steps, RolloutBatch& batch)
      : options_(options), paths_(paths), steps_(steps), batch_(batch) {}

  void Roll(Simulator& simulator, std::size_t index) const {
    if (options_.derivatives) simulator.TrackDerivatives(paths_);
    bool solved = true;
    std::size_t row = 0;
    if (options_.every > 0) Store(simulator, index, row++);
    for (long step = 1; step <= steps_; ++step) {
      solved = simulator.Step() && solved;
      if (options_.every > 0 && step % options_.every == 0) Store(simulator, index, row++);
      if ((step & 1023) == 0) StopIfCancelled();
    }
    if (options_.every == 0) Store(simulator, index, row);
    batch_.solved[index] = solved && simulator.state().allFinite();
  }

 private:
  void Store(const Simulator& simulator, std::size_t index, std::size_t row) const {
    const std::size_t slot = index * batch_.time.size() + row;
    const auto n = static_cast<Eigen::Index>(batch_.tangent_size);
    Eigen::Map<Eigen::VectorXd>(batch_.states.data() + slot * static_cast<std::size_t>(batch_.state_size),
                                batch_.state_size) = simulator.state();
    if (!options_.derivatives) return;
    const MotionDerivatives d = simulator.tracked_derivatives();
    Eigen::Map<RowMajor>(batch_.by_start.data() + slot * static_cast<std::size_t>(n * n), n, n) = d.by_start;
    Eigen::Map<RowMajor>(batch_.by_parameters.data() + slot * static_cast<std::size_t>(n * batch_.parameters), n,
                         batch_.parameters) = d.by_parameters;
  }

  const RolloutBatchOptions& options_;
  const std::string_view paths_;
  const long steps_;
  RolloutBatch& batch_;
};

/// Memory for all numbers of the batch.
void Reserve(RolloutBatch& batch, bool derivatives) {
  const std::size_t slots = batch.count * batch.time.size(), n = static_cast<std::size_t>(batch.tangent_size);
  try {
    batch.states.resize(slots * static_cast<std::size_t>(batch.state_size));
    batch.solved.resize(batch.count);
    if (!derivatives) return;
    batch.by_start.resize(slots * n * n);
    batch.by_parameters.resize(slots * n * static_cast<std::size_t>(batch.parameters));
  } catch (const std::exception&) {
    throw InputError({}, "parameters",
                     fmt::format("{} simulations of {} rows do not fit in memory.", batch.count, batch.time.size()),
                     "Roll out fewer at a time, or store fewer rows (`every`).");
  }
}

}  // namespace

RolloutBatch RollOut(const Scene& scene, std::string_view paths, const Eigen::Ref<const Eigen::MatrixXd>& parameters,
                     const Eigen::Ref<const Eigen::MatrixXd>& starts, const RolloutBatchOptions& options,
                     const Context& context) {
  const ContextScope scope(context, "rollout");
  const std::vector<NumberId> numbers = NumbersOf(scene, paths);
  const SimulatorOptions simulator_options{options.method, options.step, options.inputs};
  const Simulator first(scene, simulator_options);
  const double duration = options.duration.value_or(scene[scene.simulation.duration]);
  if (!(duration >= 0) || duration / first.step_size() > kMostSteps)
    throw InputError({}, "duration", fmt::format("{} s in steps of {} s is not possible.", duration, first.step_size()),
                     "Give a duration of at least 0 s and at most 1e9 steps.");
  if (options.every < 0)
    throw InputError({}, "every", fmt::format("{} is negative.", options.every), "Give 0 or a number of steps.");
  const long steps = StepCount(duration, first.step_size());

  RolloutBatch batch;
  batch.state_size = first.state_size();
  batch.tangent_size = first.tangent_size();
  batch.parameters = static_cast<int>(numbers.size());
  batch.count = CountOf(parameters, starts, numbers.size(), batch.state_size);
  if (options.every == 0) batch.time.push_back(static_cast<double>(steps) * first.step_size());
  for (long step = 0; options.every > 0 && step <= steps; step += options.every)
    batch.time.push_back(static_cast<double>(step) * first.step_size());
  Reserve(batch, options.derivatives);

  const Roller roller(options, paths, steps, batch);
  ProgressMeter progress("rollout", static_cast<std::int64_t>(batch.count));
  ParallelFor(static_cast<int>(batch.count), [&](int i) {
    Simulator simulator = first;
    if (!numbers.empty()) {
      Scene own = scene;
      try {
        for (std::size_t k = 0; k < numbers.size(); ++k)
          own.Set(numbers[k], parameters(i, static_cast<Eigen::Index>(k)));
        CheckScene(own);
      } catch (const InputError& error) {
        throw InputError({}, fmt::format("parameters[{}]", i), fmt::format("{}: {}", error.path(), error.problem()),
                         error.remedy());
      }
      simulator = Simulator(own, simulator_options);
    }
    if (starts.rows() > 0) simulator.SetState(starts.row(i).transpose(), 0.0);
    roller.Roll(simulator, static_cast<std::size_t>(i));
    progress.Advance();
  });
  return batch;
}

}  // namespace ricochet
