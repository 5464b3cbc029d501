// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/predict.h"

#include "call.h"
#include "parts.h"
#include "record.h"

namespace ricochet::python {

void BindPredict(nb::module_& module) {
  using C = ContactScatter;
  Record<C>(module, "ContactScatter", "Scatter of contacts between tosses, found on recordings that show their rest.")
      .Field("scale", &C::scale, "Of the scatter of friction and restitution.")
      .Field("stretch", &C::stretch, "Factor on the semi-axes of the region.")
      .Field("extra", &C::extra, "Standard deviation added to the rest position, per axis [m].")
      .Field("recordings", &C::recordings, "That it was found on; 0: not calibrated.");
  using F = FaceProbability;
  Record<F>(module, "FaceProbability", "How likely a face is to be up at rest.")
      .Field("face", &F::face, "Axis of the body frame that points up: \"+x\".")
      .Field("probability", &F::probability, "In [0, 1].");
  using T = TossPrediction;
  Record<T>(module, "TossPrediction", "The prediction of one toss.")
      .Field("file", &T::file, "The recording.")
      .Field("used", &T::used, "False: excluded.")
      .Field("reason", &T::reason, "Why it is excluded.")
      .Field("position", &T::position, "At rest, in the surface's frame [m].")
      .Field("covariance", &T::covariance, "Of the simulated rest positions [m^2].")
      .Field("region", &T::region, "Squared distance at the border, in units of the covariance.")
      .Field("semi_axes", &T::semi_axes, "Of the region, larger first [m].")
      .Field("direction", &T::direction, "Of the first semi-axis [rad].")
      .Field("faces", &T::faces, "All six, likeliest first.")
      .Field("recorded", &T::recorded, "Recorded rest position [m].")
      .Field("covered", &T::covered, "It lies within the region.")
      .Field("recorded_face", &T::recorded_face, "That is up.")
      .Field("face_probability", &T::face_probability, "Given to the recorded face.");
  using P = Prediction;
  Record<P>(module, "Prediction", "Where tosses come to rest, with regions.")
      .Field("tosses", &P::tosses, "One per recording.")
      .Field("scatter", &P::scatter, "That was used.")
      .Field("checked", &P::checked, "Recordings of the check.")
      .Field("coverage", &P::coverage, "Fraction of the rest positions within the region.")
      .Field("face_correct", &P::face_correct, "Fraction where the likeliest face is the recorded one.")
      .Field("mean_face_probability", &P::mean_face_probability, "Given to the recorded face.")
      .definition()
      .def("write", &WritePrediction, nb::arg("file"))
      .def("format_json", &FormatPrediction)
      .def("describe", &DescribePrediction);
  nb::class_<PredictOptions>(module, "PredictOptions", "How to predict.")
      .def(
          "__init__",
          [](PredictOptions* self, const std::string& start, int samples, double level, double duration, int folds,
             std::optional<ContactScatter> scatter) {
            new (self) PredictOptions{ParseRollStart(start), samples, level, duration, folds, scatter};
          },
          nb::arg("start"), nb::arg("samples"), nb::arg("level"), nb::arg("duration"), nb::arg("folds"),
          nb::arg("scatter").none());
  module.def(
      "predict",
      [](const Scene& scene, std::optional<Estimate> estimate, const std::vector<Recording>& recordings,
         const PredictOptions& options, const CallSettings& call) {
        return RunCall(call,
                       [&](const Context& context) { return Predict(scene, estimate, recordings, options, context); });
      },
      nb::arg("scene"), nb::arg("estimate").none(), nb::arg("recordings"), nb::arg("options"), nb::arg("call"));
  module.def(
      "find_contact_scatter",
      [](const Scene& scene, std::optional<Estimate> estimate, const std::vector<Recording>& recordings,
         const PredictOptions& options, const CallSettings& call) {
        return RunCall(call, [&](const Context& context) {
          return FindContactScatter(scene, estimate, recordings, options, context);
        });
      },
      nb::arg("scene"), nb::arg("estimate").none(), nb::arg("recordings"), nb::arg("options"), nb::arg("call"));
}

}  // namespace ricochet::python
