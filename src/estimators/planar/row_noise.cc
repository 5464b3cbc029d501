// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar/row_noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "math/statistics.h"

namespace ricochet {
namespace {

/// Noise from third differences, which vanish on the parabola of any constant acceleration, so that sliding does not
/// pass for noise; none where rows are not evenly spaced.
std::optional<PoseNoise> NoiseOfEvenRows(const PlanarTrack& track) {
  constexpr double kEven = 0.02;
  std::vector<double> position, angle;
  for (std::size_t i = 3; i < track.pose.size(); ++i) {
    const double step = (track.time[i] - track.time[i - 3]) / 3;
    if (std::abs(track.time[i - 1] - track.time[i - 2] - step) > kEven * step ||
        std::abs(track.time[i] - track.time[i - 1] - step) > kEven * step)
      continue;
    const Eigen::Vector3d d = ThirdDifference(track.pose[i - 3], track.pose[i - 2], track.pose[i - 1], track.pose[i]);
    position.push_back(std::abs(d[0]));
    position.push_back(std::abs(d[1]));
    angle.push_back(std::abs(d[2]));
  }
  constexpr std::size_t kEnough = 12;
  if (angle.size() < kEnough) return std::nullopt;
  return PoseNoise{QuartileDeviation(std::move(position)), QuartileDeviation(std::move(angle))};
}

}  // namespace

std::vector<ChannelNoise> NoiseOfValues(const PlanarTrack& used, PlanarTrack recorded,
                                        const Eigen::Vector3d& acceleration) {
  if (!recorded.noise_given) {
    EstimateNoise(acceleration, recorded);
    if (const std::optional<PoseNoise> even = NoiseOfEvenRows(recorded); even && recorded.pose_recorded) {
      if (even->position > 0) recorded.noise_position = std::min(recorded.noise_position, even->position);
      if (even->angle > 0) recorded.noise_angle = std::min(recorded.noise_angle, even->angle);
    }
  }
  std::vector<ChannelNoise> noise;
  for (int value = 0; value < recorded.width(); ++value) {
    const ShownKind kind = recorded.KindOf(value);
    noise.push_back(
        {used.NoiseOf(kind), recorded.NoiseOf(kind),
         recorded.noise_given ? std::numeric_limits<double>::infinity() : QuartileFreedom(recorded.Count(kind))});
  }
  return noise;
}

std::string RejectedFrame(const PlanarTrack& track, std::size_t frame, double sigmas) {
  return fmt::format("{}: frame at {:.6g} s rejected as an outlier ({:.1f} sigma)", track.name, track.time[frame],
                     sigmas);
}

}  // namespace ricochet
