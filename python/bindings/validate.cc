// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/validate.h"

#include <nanobind/stl/string_view.h>

#include "call.h"
#include "parts.h"
#include "record.h"
#include "ricochet/cross_validate.h"

namespace ricochet::python {
namespace {

void BindResults(nb::module_& module) {
  using T = TossErrors;
  Record<T>(module, "TossErrors", "Errors of one predicted toss [m], [rad].")
      .Field("trajectory_position_error", &T::trajectory_position_error, "Mean distance over the frames [m].")
      .Field("trajectory_rotation_error", &T::trajectory_rotation_error, "Mean angle over the frames [rad].")
      .Field("trajectory_loss", &T::trajectory_loss, "Mean of distance / length + angle.")
      .Field("velocity_loss", &T::velocity_loss, "Mean over impacts on one corner [m/s].")
      .Field("rest_position_error", &T::rest_position_error, "In the surface [m].")
      .Field("rest_rotation_error", &T::rest_rotation_error, "Whole angle at rest [rad].")
      .Field("rest_yaw_error", &T::rest_yaw_error, "About the surface's normal [rad].")
      .Field("rest_face_correct", &T::rest_face_correct, "The predicted face is up.");
  using V = ValidatedRecording;
  Record<V>(module, "ValidatedRecording", "One recording of a validation.")
      .Field("file", &V::file, "Its name.")
      .Field("used", &V::used, "False: excluded.")
      .Field("reason", &V::reason, "Why it is excluded.")
      .Field("frames", &V::frames, "That were compared.")
      .Field("start", &V::start, "Of the comparison [s].")
      .Field("end", &V::end, "Of the comparison [s].")
      .Field("solved", &V::solved, "Every step of the simulation was solved.")
      .Field("errors", &V::errors, "Errors of the prediction.");
  using S = ErrorSummary;
  Record<S>(module, "ErrorSummary", "Mean, standard deviation and median of one error, in SI units.")
      .Field("name", &S::name, "Of the field of TossErrors.")
      .Field("count", &S::count, "Recordings that have the value.")
      .Field("mean", &S::mean, "Mean.")
      .Field("std", &S::std, "Between recordings.")
      .Field("median", &S::median, "Median.");
  using F = FoldEstimate;
  Record<F>(module, "FoldEstimate", "What identification on the other folds found.")
      .Field("values", &F::values, "In the order of fold_paths.")
      .Field("converged", &F::converged, "Whether that identification converged.");
  using W = Validation;
  Record<W>(module, "ModelValidation", "The validation of one model.")
      .Field("name", &W::name, "Of the scene or estimate.")
      .Field("fold_paths", &W::fold_paths, "Of the parameters that cross-validation estimates.")
      .Field("folds", &W::folds, "Of cross-validation, one per fold.")
      .Field("recordings", &W::recordings, "All that were given, in their order.")
      .Field("summary", &W::summary, "One entry per error.")
      .definition()
      .def("renamed", [](Validation self, std::string name) {
        self.name = std::move(name);
        return self;
      });
  using R = SensitivityRow;
  Record<R>(module, "SensitivityRow", "The errors at one value of a varied parameter.")
      .Field("value", &R::value, "Of the parameter.")
      .Field("summary", &R::summary, "One entry per error.");
  using Y = Sensitivity;
  Record<Y>(module, "Sensitivity", "Errors with one parameter varied about the scene's value.")
      .Field("path", &Y::path, "Of the parameter.")
      .Field("rows", &Y::rows, "Ascending in value.");
  Record<ValidationSet>(module, "ValidationSet", "Models on the same recordings.")
      .Field("models", &ValidationSet::models, "One validation per model.")
      .Field("sensitivities", &ValidationSet::sensitivities, "One per varied parameter.")
      .definition()
      .def(
          "__init__",
          [](ValidationSet* self, std::vector<Validation> models, std::vector<Sensitivity> sensitivities) {
            new (self) ValidationSet{std::move(models), std::move(sensitivities)};
          },
          nb::arg("models"), nb::arg("sensitivities"))
      .def_static("parse", &ParseValidations, nb::arg("text"), nb::arg("name") = "")
      .def("write", &WriteValidations, nb::arg("file"))
      .def("format_json", &FormatValidations)
      .def("describe", [](const ValidationSet& self) {
        std::string text = DescribeValidations(self.models);
        for (const Sensitivity& sensitivity : self.sensitivities) text += DescribeSensitivity(sensitivity);
        return text;
      });
}

}  // namespace

void BindValidate(nb::module_& module) {
  BindResults(module);
  nb::class_<ValidateOptions>(module, "ValidateOptions", "How to validate.")
      .def(
          "__init__",
          [](ValidateOptions* self, const std::string& start, std::optional<double> step, int average) {
            new (self) ValidateOptions{ParseRollStart(start), step, average};
          },
          nb::arg("start"), nb::arg("step").none(), nb::arg("average"));
  module.def(
      "validate",
      [](const Scene& scene, const std::vector<Recording>& recordings, const ValidateOptions& options,
         const CallSettings& call) {
        return RunCall(call, [&](const Context& context) { return Validate(scene, recordings, options, context); });
      },
      nb::arg("scene"), nb::arg("recordings"), nb::arg("options"), nb::arg("call"));
  module.def(
      "vary",
      [](const Scene& scene, const std::vector<Recording>& recordings, const std::string& variation,
         const ValidateOptions& options, const CallSettings& call) {
        return RunCall(call, [&](const Context& context) {
          return Vary(scene, recordings, ParseVariation(scene, variation), options, context);
        });
      },
      nb::arg("scene"), nb::arg("recordings"), nb::arg("variation"), nb::arg("options"), nb::arg("call"));
  module.def(
      "cross_validate",
      [](const Scene& scene, const std::vector<Recording>& recordings, const std::string& paths, int folds,
         const IdentifyOptions& identify, const ValidateOptions& options, const CallSettings& call) {
        const CrossValidateOptions all{folds, identify, options};
        return RunCall(call,
                       [&](const Context& context) { return CrossValidate(scene, recordings, paths, all, context); });
      },
      nb::arg("scene"), nb::arg("recordings"), nb::arg("paths"), nb::arg("folds"), nb::arg("identify"),
      nb::arg("options"), nb::arg("call"));
}

}  // namespace ricochet::python
