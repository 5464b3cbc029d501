// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/takes/point_flights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "dataset/takes/point_tracks.h"
#include "math/so3.h"

namespace ricochet {
namespace {

struct Throw {
  double rate = 100, drag = 0, wobble = 0, noise = 1e-4;  // [Hz], [1/s], [m], [m]
  double flight = 0.6;                                    // [s]
  bool lands = true;
};

/// A marker in a hand that accelerates it, in flight, and on the floor, where it lies. The hand moves for 0.3 s. Steps
/// of 10 us, drag exactly quadratic in the speed where `quadratic`.
SpatialTrack MakeThrow(const Throw& of, Random& draws, bool quadratic = false) {
  Eigen::Vector3d p(0, 0, 1.2), v(0, 0, 0);
  const Eigen::Vector3d release(draws.Uniform(2, 3.5), draws.Uniform(-0.5, 0.5), draws.Uniform(1, 2.5));
  const double spin = draws.Uniform(10, 25);
  Recording recording;
  recording.columns = {"ball.x", "ball.y", "ball.z"};
  recording.values.resize(3);
  constexpr double kHand = 0.3, kStep = 1e-5;
  double next = 0;
  const double end = kHand + of.flight + (of.lands ? 0.4 : 0);
  for (double t = 0; t < end; t += kStep) {
    if (t >= next) {
      recording.time.push_back(next);
      const Eigen::Vector3d off(std::cos(spin * t), std::sin(spin * t) * 0.6, -std::sin(spin * t) * 0.8);
      for (int i = 0; i < 3; ++i)
        recording.values[static_cast<std::size_t>(i)].push_back(p[i] + of.wobble * off[i] + of.noise * draws.Normal());
      next += 1 / of.rate;
    }
    if (t < kHand) {
      v = release * std::sin(M_PI / 2 * t / kHand);
    } else if (t < kHand + of.flight) {
      v += kStep * (Eigen::Vector3d(0, 0, -9.81) - of.drag * (quadratic ? v.norm() / 3.5 : 1) * v);
    } else {
      v.setZero();
    }
    p += kStep * v;
  }
  return MakePointTrack(recording, "ball");
}

TEST(PointFlights, ThrowsWithDragFallWithGravity) {
  for (std::uint64_t seed = 40; seed < 60; ++seed) {
    Random draws(seed);
    const Throw of{.rate = seed % 2 ? 100.0 : 240.0, .drag = 0.3, .wobble = 3e-4};
    const SpatialTrack track = MakeThrow(of, draws, seed % 4 < 2);
    const std::vector<PointFlight> flights = FindPointFlights(track, {0, 0, -9.81});
    ASSERT_EQ(flights.size(), 1u) << seed;
    const PointFlight& flight = flights[0];
    EXPECT_NEAR(flight.gravity.norm(), 9.81, 0.2) << seed;
    EXPECT_NEAR(track.time[flight.range.first], 0.3, 0.05) << seed;
    EXPECT_NEAR(track.time[flight.range.last - 1], 0.9, 0.03) << seed;
    EXPECT_TRUE(flight.lands) << seed;
    EXPECT_TRUE(IsCertain(track, flight)) << seed;
    EXPECT_GT(flight.drag, 0.1) << seed;
  }
}

TEST(PointFlights, DragAndGravityAgreeWithTheirStandardDeviations) {
  double squares = 0;
  int count = 0;
  for (std::uint64_t seed = 400; seed < 440; ++seed) {
    Random draws(seed);
    const double drag = draws.Uniform(0.15, 0.6);
    const SpatialTrack track = MakeThrow({.rate = 240, .drag = drag, .noise = 2e-4, .lands = false}, draws);
    const std::vector<PointFlight> flights = FindPointFlights(track, {0, 0, -9.81});
    ASSERT_EQ(flights.size(), 1u) << seed;
    ASSERT_GT(flights[0].drag, 0) << seed;
    const double off = (flights[0].drag - drag) / flights[0].drag_deviation;
    const double heavy = (-flights[0].gravity[2] - 9.81) / flights[0].gravity_deviation;
    EXPECT_LT(std::abs(off), 4.5) << seed;
    EXPECT_LT(std::abs(heavy), 4.5) << seed;
    squares += off * off + heavy * heavy;
    count += 2;
  }
  EXPECT_LT(squares / count, 1.8);
}

TEST(PointFlights, ABallWithoutDragShowsNone) {
  int shown = 0;
  for (std::uint64_t seed = 70; seed < 110; ++seed) {
    Random draws(seed);
    const std::vector<PointFlight> flights = FindPointFlights(MakeThrow({}, draws), {0, 0, -9.81});
    ASSERT_EQ(flights.size(), 1u) << seed;
    shown += flights[0].drag > 0 ? 1 : 0;
    EXPECT_NEAR(flights[0].gravity.norm(), 9.81, std::max(0.1, 4 * flights[0].gravity_deviation)) << seed;
  }
  EXPECT_LE(shown, 1);
}

TEST(PointFlights, AWalkingPersonDoesNotFly) {
  // Markers of a hip and a hand: they rise and fall by centimeters, and swing.
  for (const double frequency : {0.9, 1.8, 2.5}) {
    Recording recording;
    recording.columns = {"m.x", "m.y", "m.z"};
    recording.values.resize(3);
    Random draws(7);
    for (int k = 0; k < 800; ++k) {
      const double t = k / 100.0, a = 2 * M_PI * frequency * t;
      recording.time.push_back(t);
      const double place[] = {1.3 * t + 0.05 * std::sin(a), 0.04 * std::sin(a / 2), 1 + 0.04 * std::cos(2 * a)};
      for (std::size_t i = 0; i < 3; ++i) recording.values[i].push_back(place[i] + 2e-4 * draws.Normal());
    }
    const SpatialTrack track = MakePointTrack(recording, "m");
    for (const PointFlight& flight : FindPointFlights(track, {0, 0, -9.81}))
      EXPECT_FALSE(IsCertain(track, flight)) << frequency;
  }
}

}  // namespace
}  // namespace ricochet
