// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/flight_arm.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "dataset/noise.h"
#include "math/dense.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr int kWidest = 8;       // differences reach over a quarter of the frames at most
constexpr int kReweighted = 15;  // rounds of weights

}  // namespace

template <int N>
std::optional<Eigen::Matrix<double, N, 1>> ArmFromFlight(const std::vector<TurningFrames<N>>& recordings,
                                                         const Eigen::Matrix<double, N, 1>& acceleration) {
  using Vector = Eigen::Matrix<double, N, 1>;
  using Matrix = Eigen::Matrix<double, N, N>;
  struct Equation {
    Matrix D;
    Vector d;
  };
  std::vector<Equation> equations;
  for (const TurningFrames<N>& frames : recordings) {
    const int n = static_cast<int>(frames.time.size());
    // Wider differences see more of the turn under the same noise, narrow ones find more room between impacts.
    for (int k = 1; k * kWidest <= n; k *= 2)
      for (int i = k; i + k < n; ++i) {
        const auto before = static_cast<std::size_t>(i - k), at = static_cast<std::size_t>(i),
                   after = static_cast<std::size_t>(i + k);
        const double since = frames.time[at] - frames.time[before], until = frames.time[after] - frames.time[at];
        equations.push_back({FlightDifference(frames.rotation[before], frames.rotation[at], frames.rotation[after],
                                              since, until, Matrix(Matrix::Zero())),
                             FlightDifference(frames.position[before], frames.position[at], frames.position[after],
                                              since, until, acceleration)});
      }
  }
  Vector b = Vector::Zero();
  std::vector<double> weight(equations.size(), 1.0);
  Matrix information = Matrix::Zero();
  double sigma = 0;
  for (int round = 0; round < kReweighted; ++round) {
    information.setZero();
    Vector right = Vector::Zero();
    for (std::size_t i = 0; i < equations.size(); ++i) {
      information += weight[i] * equations[i].D.transpose() * equations[i].D;
      right += weight[i] * equations[i].D.transpose() * equations[i].d;
    }
    if (!(information.determinant() > 0)) return std::nullopt;
    b = information.inverse() * right;
    std::vector<double> sizes;
    for (const Equation& equation : equations)
      for (const double rest : Vector(equation.d - equation.D * b)) sizes.push_back(std::abs(rest));
    sigma = std::max(QuartileDeviation(std::move(sizes)), 1e-12);
    for (std::size_t i = 0; i < equations.size(); ++i)
      weight[i] = 1 / (1 + (equations[i].d - equations[i].D * b).squaredNorm() / (4 * sigma * sigma));
  }
  // An arm that could as well be 0 is not known.
  const double deviation = sigma / std::sqrt(EigenOfSymmetric(information).values[0]);
  if (!(deviation <= 0.5 * b.norm())) return std::nullopt;
  return b;
}

template std::optional<Eigen::Vector2d> ArmFromFlight<2>(const std::vector<TurningFrames<2>>&, const Eigen::Vector2d&);
template std::optional<Eigen::Vector3d> ArmFromFlight<3>(const std::vector<TurningFrames<3>>&, const Eigen::Vector3d&);

}  // namespace ricochet
