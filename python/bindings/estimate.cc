// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/estimate.h"

#include <nanobind/stl/string_view.h>

#include "parts.h"
#include "record.h"
#include "ricochet/scene.h"

namespace ricochet::python {
namespace {

void BindParts(nb::module_& module) {
  using T = EstimatedTerm;
  Record<T>(module, "EstimatedTerm", "A summand of a sum that the data identify.")
      .Field("path", &T::path, "Path of the scene, a ratio or a product.")
      .Field("factor", &T::factor, "That it is multiplied by, as the data determine it.");
  using P = EstimatedParameter;
  Record<P>(module, "EstimatedParameter", "An estimated parameter.")
      .Field("path", &P::path, "\"contact.friction\", \"bodies.e.inertia/bodies.e.mass\"")
      .Field("terms", &P::terms, "Of a sum, whose path is only its name; a scene takes it by its first term.")
      .Field("value", &P::value, "In `unit`; None where the data do not identify it.")
      .Field("std", &P::std, "Standard deviation; None where there is none.")
      .Field("unit", &P::unit, "\"-\" for none.")
      .Field("identifiable", &P::identifiable, "Whether the data identify it.")
      .Field("lower", &P::lower, "One-sided limit at 95 %.")
      .Field("upper", &P::upper, "One-sided limit at 95 %.")
      .Field("combination", &P::combination, "What is identifiable instead, or why this is not.")
      .Field("start", &P::start, "Value in the scene that was given.");
  using U = RecordingUse;
  Record<U>(module, "RecordingUse", "What became of one recording.")
      .Field("file", &U::file, "Its name.")
      .Field("used", &U::used, "False: excluded.")
      .Field("reason", &U::reason, "Why it is excluded, or what was found in it.")
      .Field("rows", &U::rows, "Number of rows.")
      .Field("rejected_rows", &U::rejected_rows, "Rows rejected as outliers.")
      .Field("chi2_per_dof", &U::chi2_per_dof, "1 where the model explains the recording up to noise.")
      .Field("noise_position", &U::noise_position, "[m], as used.")
      .Field("noise_angle", &U::noise_angle, "[rad], as used.");
  using I = EstimatedImpulse;
  Record<I>(module, "EstimatedImpulse", "An impact or interval of contact of the fitted motion.")
      .Field("recording", &I::recording, "Number of the recording, from 0.")
      .Field("time", &I::time, "[s]")
      .Field("duration", &I::duration, "[s]; 0: an impact.")
      .Field("pair", &I::pair, "\"body/surface\"")
      .Field("contact", &I::contact, "Number of the vertex, or 0.")
      .Field("normal", &I::normal, "[N s]; for the scene's mass where only ratios are identifiable.")
      .Field("tangential", &I::tangential, "[N s]")
      .Field("slides", &I::slides, "Otherwise it sticks.")
      .Field("tangential_xy", &I::tangential_xy, "Spatial: in the axes of the surface [N s].")
      .Field("point", &I::point, "Spatial: of the contact, in the scene [m].");
  using R = ImpactRestitution;
  Record<R>(module, "ImpactRestitution", "Restitution of one impact.")
      .Field("recording", &R::recording, "Number of the recording, from 0.")
      .Field("time", &R::time, "[s]")
      .Field("value", &R::value, "None where it is not identifiable.")
      .Field("std", &R::std, "Standard deviation.");
  using J = EstimatedJoint;
  Record<J>(module, "EstimatedJoint", "A joint of the fitted motion, as a sensor shows it.")
      .Field("name", &J::name, "Name of the joint.")
      .Field("angle", &J::angle, "[rad]; of a slider [m].")
      .Field("rate", &J::rate, "[rad/s]; of a slider [m/s].");
  using M = EstimatedMotion;
  Record<M>(module, "EstimatedMotion", "Fitted motion at the rows of a recording.")
      .Field("recording", &M::recording, "Number of the recording, from 0.")
      .Field("time", &M::time, "[s]")
      .Field("pose", &M::pose, "Per row: planar x, y, theta; spatial x, y, z, qw, qx, qy, qz per moving body.")
      .Field("joints", &M::joints, "Of a mechanism.");
  using F = EstimatedProfile;
  Record<F>(module, "EstimatedProfile", "Profile likelihood of one parameter.")
      .Field("path", &F::path, "Of the parameter.")
      .Field("unit", &F::unit, "\"-\" for none.")
      .Field("value", &F::value, "Values at which the parameter was held, ascending.")
      .Field("deviance", &F::deviance, "Excess of twice the negative log-likelihood over its least.")
      .Field("lower", &F::lower, "Of the 95 % interval.")
      .Field("upper", &F::upper, "Of the 95 % interval.")
      .Field("words", &F::words, "One sentence.");
}

void BindEvidence(nb::module_& module) {
  using N = EstimatedInformation;
  Record<N>(module, "EstimatedInformation", "What the residuals say about the parameters with all else free.")
      .Field("rank", &N::rank, "Of the effect of the parameters on the residuals.")
      .Field("size", &N::size, "Number of parameters.")
      .Field("null_space", &N::null_space, "Directions without effect, in words.");
  using B = EstimatedBootstrap;
  Record<B>(module, "EstimatedBootstrap", "Repetitions of the bootstrap that gave a fit.")
      .Field("kind", &B::kind, "What was drawn: data of the model, or recordings.")
      .Field("paths", &B::paths, "Parameters that each repetition estimates.")
      .Field("values", &B::values, "Theirs, per repetition.");
  using H = HeldOutRecording;
  Record<H>(module, "HeldOutRecording", "A recording that a fold of the cross-validation left out.")
      .Field("recording", &H::recording, "Number of the recording, from 0.")
      .Field("fold", &H::fold, "Number of the fold, from 0.")
      .Field("residual_over_noise", &H::residual_over_noise, "Root mean square; None where no motion was found.");
  using C = EstimatedCrossValidation;
  Record<C>(module, "EstimatedCrossValidation", "k-fold cross-validation.")
      .Field("folds", &C::folds, "Number of folds.")
      .Field("residual_over_noise", &C::residual_over_noise, "Root mean square over all recordings left out.")
      .Field("paths", &C::paths, "Parameters that each fold estimates.")
      .Field("values", &C::values, "Theirs, per fold; empty where the search failed.")
      .Field("recordings", &C::recordings, "One entry per recording left out.");
  using X = Explanation;
  Record<X>(module, "Explanation", "A held parameter that would explain what the fit leaves.")
      .Field("path", &X::path, "Of the parameter.")
      .Field("value", &X::value, "That it would have, one entry per coordinate.")
      .Field("std", &X::std, "Standard deviations of these.")
      .Field("unit", &X::unit, "\"-\" for none.")
      .Field("residual_over_noise", &X::residual_over_noise, "That would be left.")
      .Field("p_value", &X::p_value, "Of an improvement that large by chance.")
      .Field("shift", &X::shift, "Largest change of an estimated parameter, in its standard deviations.")
      .Field("command", &X::command, "What to request to estimate it.");
  nb::enum_<VerdictLevel>(module, "VerdictLevel", "How far an estimate can be trusted.")
      .value("GOOD", VerdictLevel::kGood)
      .value("LIMITED", VerdictLevel::kLimited)
      .value("REJECTED", VerdictLevel::kRejected);
  Record<Verdict>(module, "Verdict", "Whether to believe an estimate, and why.")
      .Field("level", &Verdict::level, "GOOD, LIMITED or REJECTED.")
      .Field("reasons", &Verdict::reasons, "The first is the headline.")
      .Field("residual_over_noise", &Verdict::residual_over_noise, "1 where the model explains the data.")
      .Field("p_value", &Verdict::p_value, "Of residuals that large by chance.")
      .Field("explanations", &Verdict::explanations, "Held parameters that would explain what is left, best first.")
      .definition()
      .def("__str__", [](const Verdict& self) { return std::string(NameOf(self.level)); });
  using O = OptimizerStage;
  Record<O>(module, "OptimizerStage", "Optimization trace of one stage of the fit.")
      .Field("name", &O::name, "What was fitted.")
      .Field("cost", &O::cost, "At the start, then after every step.")
      .Field("step", &O::step, "Length of each step, 0 first.");
  using E = EstimateInput;
  Record<E>(module, "EstimateInput", "A file or recording that a result was computed from.")
      .Field("name", &E::name, "Of the file; \"recording 2\" for one in memory.")
      .Field("hash", &E::hash, "SHA-256 of its content.");
  Record<Interval>(module, "Interval", "An interval of a parameter.")
      .Field("lower", &Interval::lower, "None: no limit.")
      .Field("upper", &Interval::upper, "None: no limit.");
}

}  // namespace

void BindEstimate(nb::module_& module) {
  BindParts(module);
  BindEvidence(module);
  Record<Estimate>(module, "Estimate", "Parameters with their covariance, and the evidence.")
      .Field("parameters", &Estimate::parameters, "In the order in which they were requested.")
      .Field("covariance", &Estimate::covariance, "In that order; NaN where there is no value.")
      .Field("method", &Estimate::method, "The estimator.")
      .Field("choice", &Estimate::choice, "Why this one.")
      .Field("verdict", &Estimate::verdict, "Whether to believe the values.")
      .Field("converged", &Estimate::converged, "The optimizer reached a minimum.")
      .Field("cost", &Estimate::cost, "At the end of the search.")
      .Field("chi2_per_dof", &Estimate::chi2_per_dof, "1 where the model explains the data up to noise.")
      .Field("iterations", &Estimate::iterations, "Of the search.")
      .Field("seconds", &Estimate::seconds, "Computing time.")
      .Field("warnings", &Estimate::warnings, "What to know before using the values.")
      .Field("log", &Estimate::log, "Every choice made on the way.")
      .Field("recordings", &Estimate::recordings, "What became of each recording.")
      .Field("inputs", &Estimate::inputs, "The scene, then the recordings, with hashes.")
      .Field("version", &Estimate::version, "Of the library.")
      .Field("impulses", &Estimate::impulses, "Impacts and contacts of the fitted motion.")
      .Field("impact_restitutions", &Estimate::impact_restitutions, "Where each impact has its own.")
      .Field("bootstrap", &Estimate::bootstrap, "Where `bootstrap` requests it.")
      .Field("profiles", &Estimate::profiles, "Where `profiles` requests them.")
      .Field("information", &Estimate::information, "Where `information` requests it.")
      .Field("cross_validation", &Estimate::cross_validation, "Where `folds` requests it.")
      .Field("motions", &Estimate::motions, "Fitted motion per recording.")
      .Field("trace", &Estimate::trace, "Optimization trace of the fit that won.")
      .definition()
      .def_static("read", &ReadEstimate, nb::arg("file"))
      .def_static("parse", &ParseEstimate, nb::arg("text"), nb::arg("name") = "")
      .def("write", &WriteEstimate, nb::arg("file"))
      .def("format_json", &FormatEstimate)
      .def("describe", &DescribeEstimate)
      .def("describe_explanations", [](const Estimate& self) { return DescribeExplanations(self.verdict); })
      .def("at", [](const Estimate& self, std::string_view path) { return self.at(path); })
      .def("interval", &Estimate::interval, nb::arg("path"), nb::arg("level") = 0.95);
  module.def("apply", &Apply, nb::arg("scene"), nb::arg("estimate"));
}

}  // namespace ricochet::python
