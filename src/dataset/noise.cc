// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/noise.h"

#include <algorithm>

#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kRounding = 1e-7;     // of recordings without noise, relative to the extent, and in rad
constexpr double kLeastExtent = 1e-3;  // [m]

}  // namespace

double NoiseFromSixthDifferences(const std::vector<double>& values, std::size_t stride) {
  const double unit = std::sqrt(924.0);  // 1 + 36 + 225 + 400 + 225 + 36 + 1
  std::vector<double> sizes;
  for (std::size_t i = 6 * stride; i < values.size(); ++i) {
    const auto at = [&](std::size_t back) { return values[i - back * stride]; };
    const double d = at(0) - 6 * at(1) + 15 * at(2) - 20 * at(3) + 15 * at(4) - 6 * at(5) + at(6);
    if (std::isfinite(d)) sizes.push_back(std::abs(d));
  }
  return MedianDeviation(std::move(sizes)) / unit;
}

std::optional<double> NoiseColor(const std::vector<double>& values) {
  constexpr std::size_t kLeast = 120;
  if (values.size() < kLeast) return std::nullopt;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double apart = NoiseFromSixthDifferences(values, 3);
  if (!(apart > 1e-6 * (*high - *low))) return std::nullopt;
  return NoiseFromSixthDifferences(values) / apart;
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
