// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/takes/flight_arm.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/random.h"
#include "math/manifold.h"

namespace ricochet {
namespace {

constexpr double kGravity = 9.81, kRate = 240, kNoise = 5e-4;

template <int N>
using Vector = Eigen::Matrix<double, N, 1>;

Eigen::Matrix3d MatrixOf(const Eigen::Vector3d& turn) {
  Eigen::Matrix3d R;
  for (int k = 0; k < 3; ++k) R.col(k) = Rotate<double>(ExpSO3(turn), Eigen::Vector3d(Eigen::Vector3d::Unit(k)));
  return R;
}
Eigen::Matrix2d MatrixOf(double turn) { return Eigen::Rotation2Dd(turn).matrix(); }

/// A stretch of a toss: a start velocity, a rate of rotation about a fixed axis of the world, in flight or on the
/// floor, which carries the body.
template <int N>
struct Stretch {
  using Turn = std::conditional_t<N == 2, double, Eigen::Vector3d>;
  double duration;  // [s]
  Vector<N> velocity;
  Turn rate;
  bool flies = true;
};
template <int N>
using Toss = std::vector<Stretch<N>>;

template <int N>
Vector<N> KnownGravity() {
  Vector<N> gravity = Vector<N>::Zero();
  gravity[N - 1] = -kGravity;
  return gravity;
}

template <int N>
TurningFrames<N> Record(const Toss<N>& toss, const Vector<N>& arm, double noise, std::uint64_t seed) {
  Random random(seed);
  TurningFrames<N> frames;
  Vector<N> center = Vector<N>::Zero();
  Eigen::Matrix<double, N, N> R = Eigen::Matrix<double, N, N>::Identity();
  double begin = 0;
  int i = 0;
  for (const Stretch<N>& stretch : toss) {
    const auto at = [&](double t) {
      return Vector<N>(center + stretch.velocity * t + (stretch.flies ? 0.5 * t * t : 0) * KnownGravity<N>());
    };
    for (; i / kRate <= begin + stretch.duration; ++i) {
      const double t = i / kRate - begin;
      frames.time.push_back(i / kRate);
      frames.rotation.push_back(MatrixOf(typename Stretch<N>::Turn(stretch.rate * t)) * R);
      frames.position.emplace_back(at(t) + frames.rotation.back() * arm);
      for (double& x : frames.position.back()) x += noise * random.Normal();
    }
    center = at(stretch.duration);
    R = MatrixOf(typename Stretch<N>::Turn(stretch.rate * stretch.duration)) * R;
    begin += stretch.duration;
  }
  return frames;
}

/// Root mean square error of the arm that an unbiased estimate attains at least: position and velocity of the center of
/// mass at the start of each flight are unknown too.
template <int N>
double AttainableError(const std::vector<Toss<N>>& tosses, double noise) {
  using Square = Eigen::Matrix<double, N, N>;
  Square information = Square::Zero();
  for (const Toss<N>& toss : tosses) {
    const TurningFrames<N> frames = Record<N>(toss, Vector<N>::Zero(), 0, 0);
    double begin = 0;
    std::size_t i = 0;
    for (const Stretch<N>& stretch : toss) {
      Square own = Square::Zero();
      Eigen::Matrix<double, 2 * N, N> cross = Eigen::Matrix<double, 2 * N, N>::Zero();
      Eigen::Matrix<double, 2 * N, 2 * N> motion = Eigen::Matrix<double, 2 * N, 2 * N>::Zero();
      for (; i < frames.time.size() && frames.time[i] <= begin + stretch.duration; ++i) {
        const Square R = frames.rotation[i];
        Eigen::Matrix<double, N, 2 * N> by_motion;
        by_motion << Square::Identity(), (frames.time[i] - begin) * Square::Identity();
        own += R.transpose() * R;
        cross += by_motion.transpose() * R;
        motion += by_motion.transpose() * by_motion;
      }
      if (stretch.flies) information += own - cross.transpose() * motion.inverse() * cross;
      begin += stretch.duration;
    }
  }
  return noise * std::sqrt(information.inverse().trace());
}

/// Exact without noise; with noise, not far from the attainable error over many seeds.
template <int N>
void ExpectFound(const std::vector<Toss<N>>& tosses, const Vector<N>& arm) {
  const auto record = [&](double noise, std::uint64_t seed) {
    std::vector<TurningFrames<N>> frames;
    for (const Toss<N>& toss : tosses)
      frames.push_back(Record<N>(toss, arm, noise, tosses.size() * seed + frames.size()));
    return frames;
  };
  const auto exact = ArmFromFlight<N>(record(0, 0), KnownGravity<N>());
  ASSERT_TRUE(exact);
  EXPECT_LT((*exact - arm).norm(), 1e-9);
  constexpr int kSeeds = 50;
  double squares = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto noisy = ArmFromFlight<N>(record(kNoise, seed), KnownGravity<N>());
    ASSERT_TRUE(noisy) << seed;
    squares += (*noisy - arm).squaredNorm();
  }
  EXPECT_LT(std::sqrt(squares / kSeeds), 1.3 * AttainableError<N>(tosses, kNoise));
}

/// A flight of 0.4 s, then a slide of 0.2 s on the floor, which does not turn.
Toss<3> Slide(const Eigen::Vector3d& rate) {
  return {{0.4, {0.5, 0.1, 0.3}, rate}, {0.2, {0.5, 0.1, 0}, {0, 0, 0}, false}};
}

TEST(FlightArm, FoundWhereverTheFrameIs) {
  for (const Eigen::Vector3d& arm :
       {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(0.03, 0, 0), Eigen::Vector3d(-0.1, 0.2, 0.15)})
    ExpectFound<3>({Slide({3, 1, 0}), Slide({0, -2, 4})}, arm);
}

TEST(FlightArm, FoundBetweenImpacts) {
  // An impact that changes the spin, a bounce, then a roll about a corner.
  ExpectFound<3>({{{0.303, {0.5, 0.1, 0.3}, {3, 1, 0}},
                   {0.251, {0.3, 0.2, 1.2}, {-2, 4, 1}},
                   {0.3, {0.2, 0.1, 0}, {0, 2, 0}, false}},
                  {{0.352, {0.1, 0.1, 0.3}, {0, -2, 4}}, {0.2, {0.1, 0.1, 0}, {0, 0, 2}, false}}},
                 {-0.04, 0.06, 0.05});
  ExpectFound<2>({{{0.253, {0.8, 0.3}, 5}, {0.207, {0.5, 1.0}, -3}, {0.1, {0.4, 0}, 2, false}}}, {0.03, -0.02});
}

TEST(FlightArm, FoundAmongMuchContact) {
  // More than half of the frames touch the floor.
  ExpectFound<2>({{{0.302, {0.8, 0.3}, 6}, {0.4, {0.4, 0}, 3, false}}}, {0.03, -0.02});
}

TEST(FlightArm, NoneWhereTheBodyDoesNotTurn) {
  const Eigen::Vector3d arm(0.03, 0.01, 0);
  const auto find = [&](const std::vector<Eigen::Vector3d>& rates) {
    std::vector<TurningFrames<3>> frames;
    for (const Eigen::Vector3d& rate : rates) frames.push_back(Record<3>(Slide(rate), arm, kNoise, frames.size()));
    return ArmFromFlight<3>(frames, KnownGravity<3>());
  };
  EXPECT_FALSE(find({{0, 0, 0}}));
  // One axis of rotation leaves the arm along it open.
  EXPECT_FALSE(find({{0, 0, 4}, {0, 0, 3}}));
}

}  // namespace
}  // namespace ricochet
