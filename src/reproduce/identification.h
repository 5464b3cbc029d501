// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What the experiments on identification share: methods looked up by name, contact impulses per frame, outlines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reproduce/reproduce.h"
#include "ricochet/identify.h"
#include "ricochet/simulate.h"

namespace ricochet {

/// Methods whose results stand side by side in the tables, ours first. One that this build does not have is left out
/// with a remark (AppendMissing).
inline constexpr const char* kComparedMethods[] = {"trajectory", "joint"};
std::vector<std::string> AvailableMethods();
void AppendMissing(ExperimentResult& result);

/// Estimates, or nothing when the method refuses or fails to give a value for the first path.
std::optional<Estimate> TryIdentify(const Scene& scene, const std::vector<Recording>& recordings,
                                    std::string_view paths, const std::string& method);

/// Normal and tangential impulse of all contacts within each frame [N s], and the middle times of the frames [s].
struct FrameImpulses {
  std::vector<double> time, normal, tangential;
};
FrameImpulses TrueImpulses(const SimulationResult& run, double frame, double duration);
FrameImpulses EstimatedImpulses(const Estimate& estimate, double frame, double duration);

/// Closed outline of an ellipse at a pose, for plots.
PlotSeries EllipseOutline(double a, double b, const std::vector<double>& pose, int color);

/// Poses of a recording at a rate, with noise.
Recording ObserveScene(const Scene& scene, double rate, double noise_position, double noise_angle, std::uint64_t seed);

}  // namespace ricochet
