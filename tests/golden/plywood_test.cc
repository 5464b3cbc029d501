// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The thrown plywood ellipse (Gabiccini sec. 6.1) identified blind: wrong inertia, friction 0.4, restitution 0.5 and no
// initial motion in the scene. Errors of J/m are judged in units of the Cramer-Rao bound of their cell. The table of
// all 270 recordings (bench/study_plywood_truth.csv) is held to the limits, and a part of the recordings is fitted
// again and compared with the table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>
#include <vector>

#include "estimators/planar_trajectory/track_fit.h"
#include "reproduce/plywood.h"
#include "ricochet/identify.h"
#include "ricochet/parameter.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

std::vector<std::vector<double>> ReadPlywoodTable(const std::string& file) {
  std::ifstream in(testing::SourcePath(file));
  std::string line, cell;
  std::getline(in, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    while (std::getline(cells, cell, ',')) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

/// One recording of the table.
struct PlywoodRow {
  double over_bound, over_std, friction, lower;
  bool failed;
};
using PlywoodKey = std::tuple<int, int, int, int>;  // noise [mrad], friction in tenths, fps, seed

std::map<PlywoodKey, PlywoodRow> ReadTruthTable() {
  std::map<PlywoodKey, PlywoodRow> rows;
  for (const auto& r : ReadPlywoodTable("bench/study_plywood_truth.csv"))
    rows[{static_cast<int>(r[0]), static_cast<int>(std::lround(10 * r[1])), static_cast<int>(r[2]),
          static_cast<int>(r[3])}] = {r[4], r[5], r[6], r[7], r[8] != 0};
  return rows;
}

/// Friction 0.4 seen 30 times per second with 20 mrad: what the best motion of a wrong sequence of contacts is away
/// from the truth, in units of the noise. It was found from the fit of a recording that the noise had misled.
double DistanceOfWrongSequence() {
  const Scene blind = PlywoodBlindScene();
  const PlanarFamily family(blind, ParsePathList(blind, kPlywoodPaths), 0);
  PlanarTrack track = MakePlanarTrack(blind, PlywoodRecording(0.4, 20e-3, 30, 0), 0);
  Eigen::VectorXd truth(9), wrong(9);
  truth << 0, 0.1, -0.785, 3, -5, 0, kPlywoodRatio, 0.4, 0.2;
  wrong << -0.0002, 0.0998, -0.787, 3.02, -5.05, 3.96, 706e-6, 0.4004, 0.1902;
  EXPECT_TRUE(TrackResiduals(family, track).Predict(truth, track.pose));
  track.noise_position = 1e-3;
  track.noise_angle = 20e-3;
  track.noise_given = true;
  const TrackFit fit = RefitTrack(family, track, wrong);
  EXPECT_TRUE(fit.usable && fit.converged);
  EXPECT_NEAR(fit.z[kTrackState] / kPlywoodRatio, 0.934, 0.005);  // it is not the truth that it ends at
  return std::sqrt(fit.chi2);
}

/// Recordings that the search was not tuned on. Friction 0.1 at 30 fps is apart, where the sequence of contacts itself
/// is in doubt. So it is with friction 0.4 at 30 fps and 20 mrad (track_rivals.h, docs/measured/trajectory.md): a wrong
/// sequence D = 3.5 away is the likelier one in Phi(-D / 2) of the recordings, and 9 bounds off. No fit reaches the
/// limit there; asked are that fits from the truth do, that no more recordings mislead than the noise makes, and that
/// the stated deviations know of it.
TEST(PlywoodStudy, FreshSeedsReachTheBound) {
  const auto rows = ReadPlywoodTable("bench/study_plywood_seeds.csv");
  ASSERT_EQ(rows.size(), 90u);
  double all = 0, pulls = 0;
  int recordings = 0, missed = 0;
  std::map<int, double> friction;
  for (const auto& r : rows) {
    ASSERT_EQ(r.size(), 13u);
    all += r[4] * r[4] / 90;
    pulls += r[5] * r[5] / 90;
    recordings += static_cast<int>(r[3]);
    missed += static_cast<int>(r[9]);
    const long tenths = std::lround(10 * r[1]);
    if (tenths <= 5) friction[static_cast<int>(r[0])] += r[6] * r[6] / 25;
    if (r[2] == 30 && tenths == 1) continue;
    const bool beside_a_frame = r[0] == 20 && tenths == 4 && r[2] == 30;
    EXPECT_LE(beside_a_frame ? r[8] : r[4], 1.4) << r[0] << " mrad, friction " << r[1] << ", " << r[2] << " fps";
    if (beside_a_frame) {
      const double distance = DistanceOfWrongSequence(), share = 0.5 * std::erfc(distance / 2 / std::sqrt(2));
      EXPECT_NEAR(distance, 3.5, 0.1);
      EXPECT_LE(r[10], r[3] * share + 3 * std::sqrt(r[3] * share));
      EXPECT_LE(r[9], 0.02 * r[3]);
      EXPECT_LE(r[5], 1.4);
    }
  }
  EXPECT_EQ(recordings, 9000);
  EXPECT_LE(std::sqrt(all), 1.2);
  EXPECT_LE(missed, 0.01 * recordings);
  // 3 standard deviations of a spread of 1; 30, 60 and 120 fps repeat the noise of 240.
  EXPECT_NEAR(std::sqrt(pulls), 1, 3 / std::sqrt(2 * 0.4 * recordings));
  for (const auto& [noise, sum] : friction) EXPECT_LE(std::sqrt(sum), 0.02) << noise;
}

TEST(PlywoodStudy, AllRecordingsReachTheBound) {
  const auto rows = ReadTruthTable();
  ASSERT_EQ(rows.size(), 270u);
  double all = 0, pulls = 0;
  int good = 0;
  std::map<std::tuple<int, int, int>, double> cells;
  std::map<int, std::pair<double, int>> frictions;
  for (const auto& [key, row] : rows) {
    const auto [noise, friction, rate, seed] = key;
    all += row.over_bound * row.over_bound;
    cells[{noise, friction, rate}] += row.over_bound * row.over_bound / 3;
    if (!row.failed) pulls += row.over_std * row.over_std, ++good;
    // No catastrophic error without a report.
    if (!row.failed) {
      EXPECT_LT(std::abs(row.over_std), 4.5) << noise << " " << friction << " " << rate << " " << seed;
    }
    if (friction > 5) continue;
    ASSERT_TRUE(std::isfinite(row.friction)) << noise << " " << friction << " " << rate << " " << seed;
    frictions[noise].first += std::pow(row.friction - 0.1 * friction, 2);
    ++frictions[noise].second;
  }
  EXPECT_LE(std::sqrt(all / 270), 1.2);
  for (const auto& [key, square] : cells) {
    const auto [noise, friction, rate] = key;
    if (friction == 1 && rate == 30) continue;  // the sequence of contacts itself is in doubt there
    EXPECT_LE(std::sqrt(square), 2.6) << noise << " " << friction << " " << rate;
  }
  for (const auto& [noise, sum] : frictions) EXPECT_LE(std::sqrt(sum.first / sum.second), 0.02) << noise;
  EXPECT_GE(good, 267);
  // 30, 60 and 120 fps are the noise of 240 fps again: 108 independent recordings, so 3 standard deviations of a spread
  // of 1 are 3 / sqrt(216).
  EXPECT_NEAR(std::sqrt(pulls / good), 1, 0.2);
}

class Plywood : public ::testing::TestWithParam<int> {};

TEST_P(Plywood, RecordingsFittedAgainGiveTheTable) {
  const auto table = ReadTruthTable();
  const Scene blind = PlywoodBlindScene();
  const int noise = GetParam();
  double errors = 0, pulls = 0, friction_errors = 0;
  int count = 0, frictions = 0;
  const std::vector<std::pair<int, int>> cells = {{1, 240}, {2, 240}, {3, 240}, {4, 240}, {5, 240}, {6, 240},
                                                  {8, 240}, {2, 120}, {3, 120}, {5, 120}, {3, 60}};
  for (const auto& [tenths, rate] : cells) {
    const std::string file =
        fmt::format("tests/data/truth/plywood/{}mrad/mu{:.1f}_{}fps_0.csv", noise, 0.1 * tenths, rate);
    const Estimate estimate =
        Identify(blind, {ReadRecording(testing::SourcePath(file))}, kPlywoodPaths, {.method = "trajectory"}).estimate;
    ASSERT_TRUE(estimate.converged) << file;
    ASSERT_TRUE(estimate.parameters[0].value.has_value()) << file;
    const double pull = (*estimate.parameters[0].value - kPlywoodRatio) / *estimate.parameters[0].std;
    const PlywoodRow& row = table.at({noise, tenths, rate, 0});
    EXPECT_NEAR(pull, row.over_std, 0.05) << file;
    errors += std::pow(pull * row.over_bound / row.over_std, 2);
    pulls += pull * pull;
    ++count;
    if (tenths <= 5) {
      ASSERT_TRUE(estimate.parameters[1].value.has_value()) << file;
      friction_errors += std::pow(*estimate.parameters[1].value - 0.1 * tenths, 2);
      ++frictions;
    } else {
      // It sticks throughout: friction has only a lower limit.
      EXPECT_FALSE(estimate.parameters[1].identifiable) << file;
      ASSERT_TRUE(estimate.parameters[1].lower.has_value()) << file;
      EXPECT_NEAR(*estimate.parameters[1].lower, 0.57, 0.08) << file;
    }
  }
  // 11 recordings of 7 throws: an RMS of 1.2 in all 270 allows 1.2 (1 + 3 / sqrt(14)) at most here.
  EXPECT_LT(std::sqrt(errors / count), 2.16);
  EXPECT_LT(std::sqrt(pulls / count), 1.8);
  EXPECT_LT(std::sqrt(friction_errors / frictions), 0.02);
}
INSTANTIATE_TEST_SUITE_P(Noise, Plywood, ::testing::Values(1, 20));

}  // namespace
}  // namespace ricochet
