// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/noise.h"

#include <algorithm>

#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kRounding = 1e-7;     // of recordings without noise, relative to the extent, and in rad
constexpr double kLeastExtent = 1e-3;  // [m]

}  // namespace

double NoiseFromSixthDifferences(const std::vector<double>& values) {
  const double unit = std::sqrt(924.0);  // 1 + 36 + 225 + 400 + 225 + 36 + 1
  std::vector<double> sizes;
  for (std::size_t i = 6; i < values.size(); ++i)
    sizes.push_back(std::abs(values[i] - 6 * values[i - 1] + 15 * values[i - 2] - 20 * values[i - 3] +
                             15 * values[i - 4] - 6 * values[i - 5] + values[i - 6]));
  return MedianDeviation(std::move(sizes)) / unit;
}

PoseNoise NoiseFromDifferences(std::vector<double> positions, std::vector<double> angles, double extent) {
  return {std::max(QuartileDeviation(std::move(positions)), kRounding * std::max(extent, kLeastExtent)),
          std::max(QuartileDeviation(std::move(angles)), kRounding)};
}

std::optional<double> NoiseOfPoints(const std::vector<std::vector<Eigen::Vector3d>>& points, double extent) {
  if (points.size() < 2) return std::nullopt;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      std::vector<double> distances;
      for (std::size_t row = 0; row < points[i].size(); ++row)
        if (const double distance = (points[i][row] - points[j][row]).norm(); std::isfinite(distance))
          distances.push_back(distance);
      const double usual = Median(distances);
      for (const double distance : distances) sizes.push_back(std::abs(distance - usual) / std::sqrt(2.0));
    }
  return std::max(MedianDeviation(std::move(sizes)), kRounding * std::max(extent, kLeastExtent));
}

}  // namespace ricochet
