// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <nanobind/eigen/dense.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <utility>
#include <vector>

#include "call.h"
#include "parts.h"
#include "ricochet/rollout_batch.h"

namespace ricochet::python {
namespace {

/// An array that shares the batch's memory and keeps it alive.
template <class Number>
nb::ndarray<nb::numpy, Number> ArrayOf(const std::shared_ptr<RolloutBatch>& batch, std::vector<Number>& numbers,
                                       const std::vector<std::size_t>& shape) {
  const nb::capsule owner(new std::shared_ptr<RolloutBatch>(batch),
                          [](void* kept) noexcept { delete static_cast<std::shared_ptr<RolloutBatch>*>(kept); });
  return nb::ndarray<nb::numpy, Number>(numbers.data(), shape.size(), shape.data(), owner);
}

}  // namespace

void BindRollout(nb::module_& module) {
  module.def(
      "roll_out",
      [](const Scene& scene, const std::string& paths, const Eigen::Ref<const Eigen::MatrixXd>& parameters,
         const Eigen::Ref<const Eigen::MatrixXd>& starts, const std::string& method, std::optional<double> step,
         std::optional<double> duration, int every, const Recording* inputs, bool derivatives,
         const CallSettings& call) {
        const RolloutBatchOptions options{method, step, duration, every, inputs, derivatives};
        const auto batch = std::make_shared<RolloutBatch>(RunCall(
            call, [&](const Context& context) { return RollOut(scene, paths, parameters, starts, options, context); }));
        const std::size_t count = batch->count, rows = batch->time.size();
        const auto states = static_cast<std::size_t>(batch->state_size),
                   n = static_cast<std::size_t>(batch->tangent_size);
        nb::dict out;
        out["time"] = ArrayOf(batch, batch->time, {rows});
        out["states"] = ArrayOf(batch, batch->states, {count, rows, states});
        out["solved"] = ArrayOf(batch, batch->solved, {count});
        if (derivatives) {
          out["by_start"] = ArrayOf(batch, batch->by_start, {count, rows, n, n});
          out["by_parameters"] =
              ArrayOf(batch, batch->by_parameters, {count, rows, n, static_cast<std::size_t>(batch->parameters)});
        }
        return out;
      },
      nb::arg("scene"), nb::arg("paths"), nb::arg("parameters"), nb::arg("starts"), nb::arg("method"),
      nb::arg("step").none(), nb::arg("duration").none(), nb::arg("every"), nb::arg("inputs").none(),
      nb::arg("derivatives"), nb::arg("call"));
}

}  // namespace ricochet::python
