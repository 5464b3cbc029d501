// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/examine.h"

#include "call.h"
#include "parts.h"
#include "record.h"

namespace ricochet::python {
namespace {

void BindRecordings(nb::module_& module) {
  Record<Measured>(module, "Measured", "A value with its standard deviation.")
      .Field("value", &Measured::value, "The value.")
      .Field("std", &Measured::std, "Its standard deviation, in the same unit.");
  using I = ExaminedImpact;
  Record<I>(module, "ExaminedImpact", "An impact in a recording.")
      .Field("time", &I::time, "[s]")
      .Field("approach_speed", &I::approach_speed, "Of the center of mass, downward [m/s].")
      .Field("velocity_jump", &I::velocity_jump, "Of the center of mass [m/s].");
  using R = ExaminedRecording;
  Record<R>(module, "ExaminedRecording", "What was found in one body (or all joints) of one recording.")
      .Field("file", &R::file, "Its name.")
      .Field("body", &R::body, "Empty: columns without prefix.")
      .Field("kind", &R::kind, "\"spatial\", \"planar\", \"joint\"")
      .Field("rows", &R::rows, "Number of rows.")
      .Field("duration", &R::duration, "[s]")
      .Field("rate", &R::rate, "[Hz]")
      .Field("jitter", &R::jitter, "Of the clock, relative.")
      .Field("dropped_frames", &R::dropped_frames, "Frames that are missing.")
      .Field("incomplete_rows", &R::incomplete_rows, "Rows with a missing value.")
      .Field("sign_flips", &R::sign_flips, "Of quaternions between rows.")
      .Field("norm_error", &R::norm_error, "Largest of quaternions.")
      .Field("frozen_rows", &R::frozen_rows, "Numbers of rows, from 1.")
      .Field("outlier_rows", &R::outlier_rows, "Numbers of rows, from 1.")
      .Field("filtered", &R::filtered, "Neighboring rows share their noise.")
      .Field("acceleration", &R::acceleration, "Of free flight [m/s^2].")
      .Field("acceleration_std", &R::acceleration_std, "Its standard deviation, per axis [m/s^2].")
      .Field("flight_frames", &R::flight_frames, "Frames of free flight.")
      .Field("drag", &R::drag, "By which the air slows a point: k of the acceleration -k v [1/s].")
      .Field("noise_position", &R::noise_position, "In flight, per axis [m].")
      .Field("noise_angle", &R::noise_angle, "In flight, per axis [rad].")
      .Field("rest_noise_position", &R::rest_noise_position, "At rest, per axis [m].")
      .Field("rest_noise_angle", &R::rest_noise_angle, "At rest, per axis [rad].")
      .Field("release_time", &R::release_time, "[s]")
      .Field("peak_time", &R::peak_time, "[s]")
      .Field("contact_time", &R::contact_time, "[s]")
      .Field("rest_time", &R::rest_time, "[s]")
      .Field("impacts", &R::impacts, "In order.")
      .Field("rest_height", &R::rest_height, "Of the body frame over the surface [m].")
      .Field("rest_height_expected", &R::rest_height_expected, "By the geometry of the scene [m].")
      .Field("lean", &R::lean, "Horizontal part of the upper face's normal.")
      .Field("heading", &R::heading, "Horizontal direction of the flight.")
      .Field("standstill", &R::standstill, "At the end [s].")
      .Field("usable", &R::usable, "Whether it can be used.")
      .Field("reasons", &R::reasons, "Why not, or what to watch.")
      .Field("log", &R::log, "Choices made on the way.");
}

void BindFindings(nb::module_& module) {
  nb::enum_<CheckLevel>(module, "CheckLevel", "What a check concludes.")
      .value("OK", CheckLevel::kOk)
      .value("WATCH", CheckLevel::kWatch)
      .value("BAD", CheckLevel::kBad)
      .value("UNKNOWN", CheckLevel::kUnknown);
  Record<Finding>(module, "Finding", "One check.")
      .Field("check", &Finding::check, "\"gravity\"")
      .Field("found", &Finding::found, "\"9.652 +- 0.006 m/s^2\"")
      .Field("expected", &Finding::expected, "Empty when there is nothing to compare with.")
      .Field("verdict", &Finding::verdict, "What the check concludes.")
      .Field("remedy", &Finding::remedy, "Empty when there is nothing to do.");
  using C = RecordingChange;
  Record<C>(module, "RecordingChange", "What turns a recording into one of the documented form.")
      .Field("time", &C::time, "Factor of times.")
      .Field("length", &C::length, "Factor of lengths.")
      .Field("angle", &C::angle, "Factor of angles; negative: mirrored.")
      .Field("real_last", &C::real_last, "Quaternions are x, y, z, w.")
      .Field("turn_signs", &C::turn_signs, "Of x, y, z of the quaternions.")
      .Field("axes", &C::axes, "A recorded vector v becomes axes @ v.");
  using M = Mistake;
  Record<M>(module, "Mistake", "Why a recording cannot be right as it is.")
      .Field("file", &M::file, "The recording.")
      .Field("check", &M::check, "\"times\", \"unit\", \"axes\", ...")
      .Field("field", &M::field, "Column or path that is wrong.")
      .Field("problem", &M::problem, "With the number that shows it.")
      .Field("remedy", &M::remedy, "What to do.")
      .Field("change", &M::change, "That repairs it; None where there is none.");
}

/// `Examination::up` as a word.
struct UpAxis {
  static std::string Get(const Examination& self) { return self.up == 0 ? "" : std::string(1, self.up); }
};

}  // namespace

void BindExamine(nb::module_& module) {
  BindRecordings(module);
  BindFindings(module);
  using E = Examination;
  Record<E>(module, "Examination", "What doctor found.")
      .Field("recordings", &E::recordings, "One entry per body of a recording.")
      .Field("usable", &E::usable, "How many of them can be used.")
      .Field("findings", &E::findings, "Over all recordings.")
      .Field("mistakes", &E::mistakes, "That identify refuses.")
      .Field("unit", &E::unit, "Length unit by gravity; empty: not determined.")
      .Field("up_code", &E::up, "Axis that points up by gravity; upper case: it points down.")
      .Field("gravity", &E::gravity, "Magnitude [m/s^2].")
      .Field("gravity_vector", &E::gravity_vector, "Mean over the recordings [m/s^2].")
      .Field("gravity_along", &E::gravity_along, "Along the toss [m/s^2].")
      .Field("gravity_side", &E::gravity_side, "To the left of the toss [m/s^2].")
      .Field("gravity_expected", &E::gravity_expected, "The scene's [m/s^2].")
      .Field("scale_by_gravity", &E::scale_by_gravity, "Lengths recorded over lengths expected, by gravity.")
      .Field("scale_by_rest", &E::scale_by_rest, "The same by the height at rest.")
      .Field("rest_height", &E::rest_height, "Over the surface [m].")
      .Field("rest_height_expected", &E::rest_height_expected, "[m]")
      .Field("corner_reach", &E::corner_reach, "Of corners, relative.")
      .Field("corner_shortfall", &E::corner_shortfall, "[m]")
      .Field("lean", &E::lean, "Mean angle [rad].")
      .Field("lean_along", &E::lean_along, "In the axes of the toss [rad].")
      .Field("lean_side", &E::lean_side, "In the axes of the toss [rad].")
      .Field("lean_fixed", &E::lean_fixed, "Angle of the mean in the recording's axes [rad].")
      .definition()
      .def_prop_ro("up", &UpAxis::Get, "Axis that points up by gravity; upper case: it points down; empty: not known.")
      .def("describe", &DescribeExamination, nb::arg("most_rows") = 12)
      .def("format_json", &FormatExamination);
  module.def(
      "examine",
      [](const std::vector<Recording>& recordings, const Scene* scene, const CallSettings& call) {
        return RunCall(call, [&](const Context& context) {
          return scene == nullptr ? Examine(recordings, context) : Examine(recordings, *scene, context);
        });
      },
      nb::arg("recordings"), nb::arg("scene").none(), nb::arg("call"));
  module.def("repair", &Repair, nb::arg("recording"), nb::arg("change"));
}

}  // namespace ricochet::python
