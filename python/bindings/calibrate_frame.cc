// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/calibrate_frame.h"

#include "call.h"
#include "parts.h"
#include "record.h"

namespace ricochet::python {

void BindCalibrateFrame(nb::module_& module) {
  Record<FramePose>(module, "FramePose", "A pose of the tracked frame in the body.")
      .Field("position", &FramePose::position, "Of the pivot in the body frame [m].")
      .Field("rotation", &FramePose::rotation, "Rotation vector: axis times angle [rad].");
  using F = FrameCalibration;
  Record<F>(module, "FrameCalibration", "Where the tracked frame of a body is, and the surface.")
      .Field("body", &F::body, "Name of the body.")
      .Field("surface", &F::surface, "Name of the surface.")
      .Field("frame", &F::frame, "The best pose, nearest to the scene's of those that are alike.")
      .Field("position_std", &F::position_std, "[m]")
      .Field("rotation_std", &F::rotation_std, "Turns about x, y, z of the body frame [rad].")
      .Field("surface_point", &F::surface_point, "The scene's, moved along the normal [m].")
      .Field("surface_normal", &F::surface_normal, "Unit vector.")
      .Field("surface_moved", &F::surface_moved, "Along the scene's normal [m].")
      .Field("surface_moved_std", &F::surface_moved_std, "[m]")
      .Field("surface_lean", &F::surface_lean, "Angle to the scene's normal [rad].")
      .Field("surface_lean_std", &F::surface_lean_std, "[rad]")
      .Field("tosses", &F::tosses, "Number that was used.")
      .Field("flights", &F::flights, "Number that was used.")
      .Field("rests", &F::rests, "Number that was used.")
      .Field("impacts", &F::impacts, "Number that was used.")
      .Field("residual", &F::residual, "Root mean square over the noise; near 1 when all agrees.")
      .Field("symmetric", &F::symmetric, "Poses that predict the same motion, by a symmetry of the body.")
      .Field("rivals", &F::rivals, "Poses that explain the tosses as well but predict other motions.")
      .Field("not_identifiable", &F::not_identifiable, "One sentence each.")
      .Field("notes", &F::notes, "What was found and left out, one sentence each.")
      .definition()
      .def_ro("scene", &F::scene, "With the frame and the surface as found.")
      .def_prop_ro("identifiable", &F::identifiable, "Everything is known to 5 mm and 2 degrees, without rivals.")
      .def("describe", &DescribeFrameCalibration)
      .def("format_json", &FormatFrameCalibration);
  module.def(
      "calibrate_frame",
      [](const Scene& scene, const std::vector<Recording>& recordings, const std::string& body,
         const CallSettings& call) {
        return RunCall(
            call, [&](const Context& context) { return CalibrateFrame(scene, recordings, {.body = body}, context); });
      },
      nb::arg("scene"), nb::arg("recordings"), nb::arg("body"), nb::arg("call"));
}

}  // namespace ricochet::python
