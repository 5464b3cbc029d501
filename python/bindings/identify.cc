// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/identify.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string_view.h>

#include <map>

#include "call.h"
#include "parts.h"
#include "record.h"
#include "ricochet/identifiability.h"

namespace ricochet::python {

void BindIdentify(nb::module_& module) {
  nb::class_<IdentifyOptions>(module, "IdentifyOptions", "How to identify.")
      .def(
          "__init__",
          [](IdentifyOptions* self, const std::string& method, int bootstrap, const std::vector<std::string>& profiles,
             int folds, bool information, bool explain, const std::map<std::string, std::string>& method_options,
             std::optional<double> time_limit, const std::string& store) {
            new (self) IdentifyOptions{.method = method,
                                       .bootstrap = bootstrap,
                                       .profiles = profiles,
                                       .folds = folds,
                                       .information = information,
                                       .explain = explain,
                                       .time_limit = time_limit,
                                       .store = store};
            self->method_options.insert(method_options.begin(), method_options.end());
          },
          nb::arg("method"), nb::arg("bootstrap"), nb::arg("profiles"), nb::arg("folds"), nb::arg("information"),
          nb::arg("explain"), nb::arg("method_options"), nb::arg("time_limit").none(), nb::arg("store"));
  nb::class_<Identification>(module, "Identification", "An estimate and the scene with its values.")
      .def(
          "__init__",
          [](Identification* self, const Estimate& estimate, const Scene& calibrated) {
            new (self) Identification{estimate, calibrated};
          },
          nb::arg("estimate"), nb::arg("calibrated"))
      .def_ro("estimate", &Identification::estimate)
      .def_ro("calibrated", &Identification::calibrated);
  module.def(
      "identify",
      [](const Scene& scene, const std::vector<Recording>& recordings, const std::string& paths,
         const IdentifyOptions& options, const CallSettings& call) {
        return RunCall(call,
                       [&](const Context& context) { return Identify(scene, recordings, paths, options, context); });
      },
      nb::arg("scene"), nb::arg("recordings"), nb::arg("paths"), nb::arg("options"), nb::arg("call"));

  using E = IdentifiabilityEntry;
  Record<E>(module, "IdentifiabilityEntry", "Whether a parameter is identifiable, and how well.")
      .Field("path", &E::path, "Of the parameter.")
      .Field("unit", &E::unit, "\"-\" for none.")
      .Field("identifiable", &E::identifiable, "False: `reason` says why.")
      .Field("value", &E::value, "At which the problem was analyzed.")
      .Field("std", &E::std, "Attainable standard deviation; None where it is not identifiable.")
      .Field("lower", &E::lower, "One-sided limit.")
      .Field("reason", &E::reason, "Why it is not identifiable, and what to do.");
  using C = ConsistencyEntry;
  Record<C>(module, "ConsistencyEntry", "Inertia over mass from one impact by itself.")
      .Field("recording", &C::recording, "Number of the recording, from 0.")
      .Field("time", &C::time, "Of the impact [s].")
      .Field("ratio", &C::ratio, "[m^2]; None when the impact does not turn the body.")
      .Field("std", &C::std, "Standard deviation of the ratio.")
      .Field("deviation", &C::deviation, "From the common value.")
      .Field("consistent", &C::consistent, "False: this impact contradicts the others.");
  using I = Identifiability;
  Record<I>(module, "Identifiability", "Which parameters recordings or a planned motion can identify.")
      .Field("parameters", &I::parameters, "In the order of the paths.")
      .Field("rank", &I::rank, "Of the derivative of the residuals.")
      .Field("size", &I::size, "Number of parameters and initial states.")
      .Field("null_space", &I::null_space, "Combinations without effect, in words.")
      .Field("dynamics_rank", &I::dynamics_rank, "Of the matrix of planar impacts.")
      .Field("dynamics_columns", &I::dynamics_columns, "Of that matrix.")
      .Field("consistency", &I::consistency, "Impact by impact.")
      .Field("consistent", &I::consistent, "All impacts agree.")
      .Field("measured", &I::measured, "Velocities are those of recorded flights.")
      .Field("notes", &I::notes, "Motions that say little, and what to do.")
      .definition()
      .def("describe", &DescribeIdentifiability)
      .def("format_json", &FormatIdentifiability);
  module.def(
      "identifiability",
      [](const Scene& scene, const std::vector<Recording>& recordings, const std::string& paths, double rate,
         const std::string& method, const CallSettings& call) {
        const IdentifiabilityOptions options{rate, method};
        return RunCall(call, [&](const Context& context) {
          return AnalyzeIdentifiability(scene, recordings, paths, options, context);
        });
      },
      nb::arg("scene"), nb::arg("recordings"), nb::arg("paths"), nb::arg("rate"), nb::arg("method"), nb::arg("call"));
}

}  // namespace ricochet::python
