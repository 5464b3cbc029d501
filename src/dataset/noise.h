// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Noise of recorded rows from the rows alone, before any model is fitted. A difference of neighboring rows removes the
// smooth motion and leaves a known multiple of the noise. Every difference below is divided by that multiple, so that
// for independent noise of standard deviation sigma it has the standard deviation sigma itself:
//
//   flight   z_1 - w z_0 - (1 - w) z_2 + a dt_1 dt_2 / 2,  w = dt_2 / (dt_1 + dt_2)       sqrt(1 + w^2 + (1 - w)^2)
//            any spacing; exact for the parabola of a known acceleration a
//   third    z_3 - 3 z_2 + 3 z_1 - z_0                                                    sqrt(20)
//            equal spacing; removes every parabola
//   sixth    z_6 - 6 z_5 + 15 z_4 - 20 z_3 + 15 z_2 - 6 z_1 + z_0                         sqrt(924)
//            equal spacing; removes polynomials of degree 5, for joints driven through many frequencies
//
// Third differences of a rotation are those of its increments, turn_k = log(R_(k+1) R_k^T): turn_2 - 2 turn_1 + turn_0.
//
// Sigma then follows from many differences robustly: from the lower quartile of their sizes where impacts spoil some
// (QuartileDeviation of math/statistics.h; right as long as a third of the rows move smoothly), from the median where
// few rows are spoiled. These are start values: fits replace them by what their own residuals show (ResidualSquares).
// The differences see only the part of the noise that is independent from row to row.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "math/manifold.h"

namespace ricochet {

/// Kinds of values that a row shows: the place and the rotation of a pose, the place of a point, each with a noise of
/// its own.
enum class ShownKind { kPosition, kAngle, kPoint };
inline constexpr std::array kShownKinds = {ShownKind::kPosition, ShownKind::kAngle, ShownKind::kPoint};

/// The noise of a kind in a track, planar or spatial.
template <class Track>
auto& NoiseOfKind(Track& track, ShownKind kind) {
  return kind == ShownKind::kPosition ? track.noise_position
         : kind == ShownKind::kAngle  ? track.noise_angle
                                      : track.noise_point;
}

/// Row 1 of three less the parabola of acceleration `a` through its neighbors, `before` and `after` it in time.
template <class Vector>
Vector FlightDifference(const Vector& z0, const Vector& z1, const Vector& z2, double before, double after,
                        const Vector& a) {
  const double w = after / (before + after);
  const Vector d = z1 - w * z0 - (1 - w) * z2 + a * (0.5 * before * after);
  return d * (1.0 / std::sqrt(1 + w * w + (1 - w) * (1 - w)));
}

template <class Value>
Value ThirdDifference(const Value& z0, const Value& z1, const Value& z2, const Value& z3) {
  return (z3 - 3 * z2 + 3 * z1 - z0) / std::sqrt(20.0);
}

/// The same of four rotations, world axes.
inline Eigen::Vector3d ThirdDifferenceOfRotations(const Quaternion<double>& q0, const Quaternion<double>& q1,
                                                  const Quaternion<double>& q2, const Quaternion<double>& q3) {
  const Eigen::Vector3d turn0 = BoxMinusRotation<double>(q1, q0), turn1 = BoxMinusRotation<double>(q2, q1),
                        turn2 = BoxMinusRotation<double>(q3, q2);
  return (turn2 - 2 * turn1 + turn0) / std::sqrt(20.0);
}

/// Standard deviation of the noise of evenly spaced values from the median of their sixth differences, of every
/// `stride`-th row; 0 where there are too few values.
double NoiseFromSixthDifferences(const std::vector<double>& values, std::size_t stride = 1);

/// Noise from sixth differences of neighboring rows over that from sixth differences of every third row: 1 for
/// independent noise. Below kFiltered, the rows were filtered, or interpolated between fewer ones: neighbors then show
/// less noise than there is. None for fewer than 120 values, and where values are exact to 1e-6 of their range.
std::optional<double> NoiseColor(const std::vector<double>& values);
inline constexpr double kFiltered = 0.5;

/// The noise of positions and of angles per axis, from the lower quartile of the sizes of their differences. Recordings
/// without noise have that of their last digits, so that weights stay finite: 1e-7 of the extent of the motion [m], at
/// least of 1 mm, and 1e-7 rad.
struct PoseNoise {
  double position = 0;  // [m]
  double angle = 0;     // [rad]
};
PoseNoise NoiseFromDifferences(std::vector<double> positions, std::vector<double> angles, double extent);

/// Degrees of freedom behind the noise from the lower quartile of `count` flight differences: the quartile uses a sixth
/// of what all would say (var log sigma^2 = 12.8 / count), and differences that share rows half of that.
inline double QuartileFreedom(int count) { return count / 12.5; }

/// Degrees of freedom behind the noise from sixth differences of `count` rows: the median uses 37 % of what all would
/// say, and differences that share rows a third of that.
inline double SixthDifferenceFreedom(int count) { return count / 9.0; }

/// What a fit leaves of rows that share a noise: squares of residuals over the noise that the fit used. Where that is
/// right they add up to the degrees of freedom, 1 for each row less its share in its own prediction.
struct ResidualSquares {
  double sum = 0, freedom = 0;

  /// A residual beyond `most` counts as that much: of an outlier, or of a fit that is not there yet.
  void Add(double residual, double leverage, double most = std::numeric_limits<double>::infinity()) {
    const double size = std::min(std::abs(residual), most);
    sum += size * size;
    freedom += 1 - leverage;
  }
  /// The noise that the residuals show, not below `least`; `used` is that of the fit. Fewer degrees of freedom than
  /// `fewest` count as that many.
  double Noise(double used, double least, double fewest) const {
    return std::max(used * std::sqrt(sum / std::max(freedom, fewest)), least);
  }
};

/// The noise of a coordinate of points of one rigid body, from the scatter of the distances between them over sqrt(2):
/// `points` has the positions of each, row by row, NaN where it was not seen. None for a single point. At least that of
/// last digits, as above.
std::optional<double> NoiseOfPoints(const std::vector<std::vector<Eigen::Vector3d>>& points, double extent);

}  // namespace ricochet
