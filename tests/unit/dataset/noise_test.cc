// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/noise.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "core/random.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr int kRows = 4000;
constexpr double kSigma = 2e-3;

TEST(Noise, FlightDifferencesVanishOnParabolasAndHaveTheNoiseOfOneRow) {
  Random random(1);
  const Eigen::Vector3d a(0.5, -9.81, 0), v(1, 2, 3);
  const auto pose = [&](double t) { return Eigen::Vector3d(v * t + a * (0.5 * t * t)); };
  EXPECT_LT(FlightDifference(pose(0.1), pose(0.13), pose(0.2), 0.03, 0.07, a).norm(), 1e-15);
  const auto noisy = [&](double t) {
    return Eigen::Vector3d(pose(t) + kSigma * Eigen::Vector3d(random.Normal(), random.Normal(), random.Normal()));
  };
  double squares = 0;
  for (int i = 0; i < kRows; ++i)
    squares += FlightDifference(noisy(0.1), noisy(0.13), noisy(0.2), 0.03, 0.07, a).squaredNorm();
  EXPECT_NEAR(std::sqrt(squares / (3 * kRows)), kSigma, 0.03 * kSigma);
}

TEST(Noise, ThirdDifferencesVanishOnParabolasAndHaveTheNoiseOfOneRow) {
  const auto cube = [](double t) { return t * t * t; };
  EXPECT_NEAR(ThirdDifference(1.0, 4.0, 9.0, 16.0), 0, 1e-15);
  EXPECT_NEAR(ThirdDifference(cube(0), cube(1), cube(2), cube(3)), 6 / std::sqrt(20.0), 1e-15);
  Random random(2);
  double squares = 0;
  for (int i = 0; i < kRows; ++i) {
    const double z[] = {random.Normal(), random.Normal(), random.Normal(), random.Normal()};
    squares += std::pow(kSigma * ThirdDifference(z[0], z[1], z[2], z[3]), 2);
  }
  EXPECT_NEAR(std::sqrt(squares / kRows), kSigma, 0.05 * kSigma);
}

TEST(Noise, ThirdDifferencesOfRotationsVanishForAConstantSpin) {
  const Eigen::Vector3d w(0.3, -0.2, 0.5);
  const Quaternion<double> q = ExpSO3(Eigen::Vector3d(1, 2, -1));
  const auto at = [&](double t) { return BoxPlusRotation<double>(q, Eigen::Vector3d(w * t)); };
  EXPECT_LT(ThirdDifferenceOfRotations(at(0), at(1), at(2), at(3)).norm(), 1e-14);
  Random random(3);
  const auto noisy = [&](double t) {
    const Eigen::Vector3d error(random.Normal(), random.Normal(), random.Normal());
    return BoxPlusRotation<double>(at(t), Eigen::Vector3d(kSigma * error));
  };
  double squares = 0;
  for (int i = 0; i < kRows; ++i)
    squares += ThirdDifferenceOfRotations(noisy(0), noisy(0.01), noisy(0.02), noisy(0.03)).squaredNorm();
  EXPECT_NEAR(std::sqrt(squares / (3 * kRows)), kSigma, 0.05 * kSigma);
}

TEST(Noise, SixthDifferencesSeeNoiseUnderAFastMotion) {
  Random random(4);
  std::vector<double> values;
  for (int i = 0; i < kRows; ++i) values.push_back(std::sin(0.05 * i) + kSigma * random.Normal());
  for (int i = 0; i < kRows; i += 100) values[static_cast<std::size_t>(i)] += 1;  // outliers
  EXPECT_NEAR(NoiseFromSixthDifferences(values), kSigma, 0.15 * kSigma);
  EXPECT_EQ(NoiseFromSixthDifferences({1, 2, 3, 4, 5, 6}), 0);
}

TEST(Noise, ExactRecordingsHaveTheNoiseOfTheirDigits) {
  const PoseNoise exact = NoiseFromDifferences({0, 0, 0, 0}, {0, 0}, 2.0);
  EXPECT_DOUBLE_EQ(exact.position, 2e-7);
  EXPECT_DOUBLE_EQ(exact.angle, 1e-7);
  EXPECT_DOUBLE_EQ(NoiseFromDifferences({}, {}, 0).position, 1e-10);
}

/// A swing with noise, and what recorders make of it.
std::vector<double> Swing(std::uint64_t seed, int rows) {
  Random random(seed);
  std::vector<double> values;
  for (int i = 0; i < rows; ++i) values.push_back(std::sin(0.05 * i) + random.Normal(0, 2e-3));
  return values;
}

/// Residuals of a line fitted to noise give back its sigma, whatever sigma the fit used.
TEST(Noise, ResidualsOfAFitShowItsNoise) {
  Random random(3);
  constexpr int kFits = 400, kPoints = 5;
  for (const double used : {0.2 * kSigma, kSigma, 7 * kSigma}) {
    ResidualSquares squares;
    for (int fit = 0; fit < kFits; ++fit) {
      Eigen::MatrixXd line(kPoints, 2);
      Eigen::VectorXd z(kPoints);
      for (int i = 0; i < kPoints; ++i) {
        line.row(i) << 1, i;
        z[i] = 3 - 2 * i + kSigma * random.Normal();
      }
      const Eigen::MatrixXd hat = line * (line.transpose() * line).inverse() * line.transpose();
      const Eigen::VectorXd residuals = z - hat * z;
      for (int i = 0; i < kPoints; ++i) squares.Add(residuals[i] / used, hat(i, i));
    }
    EXPECT_NEAR(squares.freedom, 3 * kFits, 1e-6);
    EXPECT_NEAR(squares.Noise(used, 0, 1), kSigma, 0.05 * kSigma);
    EXPECT_EQ(squares.Noise(used, 1, 1), 1);
  }
  ResidualSquares outlier;
  outlier.Add(1000, 0, 50);
  EXPECT_EQ(outlier.sum, 2500);
  EXPECT_DOUBLE_EQ(outlier.Noise(1, 0, 4), 25);
}

TEST(NoiseColor, IndependentNoiseIsNotCalledFiltered) {
  int called = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    for (const int rows : {120, 200, 400}) called += *NoiseColor(Swing(seed, rows)) < kFiltered ? 1 : 0;
  EXPECT_LE(called, 9);  // of 900
}

TEST(NoiseColor, FilteredAndInterpolatedRowsAre) {
  int filtered = 0, interpolated = 0, averaged = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<double> raw = Swing(seed, 300);
    std::vector<double> mean, between;
    for (std::size_t i = 1; i + 1 < raw.size(); ++i) mean.push_back((raw[i - 1] + raw[i] + raw[i + 1]) / 3);
    for (std::size_t i = 0; i + 1 < raw.size(); ++i) {
      between.push_back(raw[i]);
      between.push_back(0.5 * (raw[i] + raw[i + 1]));
    }
    std::vector<double> low = raw;
    for (std::size_t i = 1; i < low.size(); ++i) low[i] = 0.6 * low[i - 1] + 0.4 * raw[i];
    for (std::size_t i = low.size() - 1; i > 0; --i) low[i - 1] = 0.6 * low[i] + 0.4 * low[i - 1];
    filtered += *NoiseColor(low) < kFiltered ? 1 : 0;
    interpolated += *NoiseColor(between) < kFiltered ? 1 : 0;
    averaged += *NoiseColor(mean) < kFiltered ? 1 : 0;
  }
  EXPECT_GE(filtered, 90);
  EXPECT_GE(averaged, 50);
  EXPECT_EQ(interpolated, 100);
}

TEST(NoiseColor, ExactRowsHaveNone) {
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back(std::sin(0.05 * i));
  EXPECT_FALSE(NoiseColor(values));
  EXPECT_FALSE(NoiseColor(Swing(1, 30)));
}

}  // namespace
}  // namespace ricochet
