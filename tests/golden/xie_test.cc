// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Xie sec. VI as `reproduce xie` runs it: what the paper's text and pictures say of each scenario.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reproduce/reproduce.h"
#include "ricochet/recording.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

ExperimentResult RunXie(const std::string& name) {
  for (const Experiment& experiment : XieExperiments()) {
    if (experiment.name == name) return experiment.run();
  }
  ADD_FAILURE() << name;
  return {};
}

class Rows {
 public:
  explicit Rows(const DataTable& table) : table_(table) {}
  double operator()(std::size_t row, const std::string& column) const {
    const auto found = std::find(table_.columns.begin(), table_.columns.end(), column);
    return table_.rows.at(row).at(static_cast<std::size_t>(found - table_.columns.begin()));
  }
  std::size_t size() const { return table_.rows.size(); }

 private:
  const DataTable& table_;
};

TEST(Xie, Scenario1IsOnTheAnalyticCurveAndTheEnginesAreNot) {
  const ExperimentResult result = RunXie("xie-scenario1");
  const Rows rows(result.tables[0]);
  const std::size_t last = rows.size() - 1;
  EXPECT_NEAR(rows(last, "x"), 8.454784, 1e-9);  // backward Euler, h = 0.01 s
  EXPECT_NEAR(rows(last, "y"), 6.341088, 1e-9);
  // ODE's friction pyramid turns the path; the numbers are those of the committed run of the engines.
  const Recording engines = ReadRecording(testing::DataPath("crosscheck/xie_engines.csv"));
  const DataTable& table = result.tables[1];
  for (const auto& row : table.rows) {
    const int at = static_cast<int>(std::lround(row[0] / 0.1));
    EXPECT_EQ(row[3], engines.values[engines.Find("bullet.x")][at]);
    EXPECT_EQ(row[6], engines.values[engines.Find("ode.y")][at]);
  }
  EXPECT_GT(std::abs(std::atan2(table.rows.back()[6], table.rows.back()[5]) - std::atan2(3.0, 4.0)), 0.1);
}

TEST(Xie, Scenario2KeepsTheContactPointOnTheLine) {
  const ExperimentResult result = RunXie("xie-scenario2");
  const std::vector<Plot>& panels = result.figures[0].panels;
  for (std::size_t run = 0; run < panels[0].series.size(); ++run) {
    const std::vector<double>&L = panels[0].series[run].y, &spin = panels[2].series[run].y;
    for (std::size_t k = 1; k < L.size(); ++k) {
      EXPECT_GE(L[k], -0.0409 - 1e-3);
      // In continuous time L is at most 0; a kick, which acts in the step after the spin has died, is an impact in
      // between.
      EXPECT_LE(L[k], spin[k - 1] == 0 ? 0.01 : 1e-9) << k;
    }
  }
  for (const PlotSeries& series : result.figures[0].panels[1].series) {
    for (const double D : series.y) EXPECT_NEAR(D, 0, 1e-9);
  }
}

TEST(Xie, Scenario3GoesFromThreeFacetsToOne) {
  const ExperimentResult result = RunXie("xie-scenario3");
  const Rows rows(result.tables[0]);
  EXPECT_EQ(rows(0, "N"), 3);
  EXPECT_EQ(rows(80, "N"), 2);
  EXPECT_EQ(rows(rows.size() - 1, "N"), 1);
}

TEST(Xie, Scenario4ReachesAllPhases) {
  const ExperimentResult result = RunXie("xie-scenario4");
  const Rows rows(result.tables[0]);
  const auto at = [](double t) { return static_cast<std::size_t>(std::lround(t / 0.01)) - 1; };
  EXPECT_NEAR(rows(at(0.65), "z"), 0.1, 1e-9);  // T1: lies on its side
  EXPECT_NEAR(rows(at(1.5), "y"), 0.35, 1e-6);  // T2: has rolled to the green obstacle, whose face is at 0.45 m
  double highest = 0;
  for (std::size_t k = at(1.51); k <= at(2.15); ++k) highest = std::max(highest, rows(k, "z"));
  EXPECT_GT(highest, 0.12);                                   // T3: on its rim
  EXPECT_NEAR(rows(at(2.15), "z"), 0.1, 1e-9);                // and down again, turned by a quarter
  EXPECT_GT(rows(at(3.25), "x"), rows(at(2.16), "x") + 0.3);  // T4: rolls forward
  EXPECT_NEAR(rows(at(3.2), "z"), 0.1, 1e-9);
  EXPECT_NEAR(rows(at(4.71), "z"), 0.15, 1e-9);         // T5: upright
  EXPECT_NEAR(rows(rows.size() - 1, "z"), 0.15, 1e-9);  // T6: stands still
  for (const char* column : {"vx", "vy", "vz", "wx", "wy", "wz"}) EXPECT_EQ(rows(rows.size() - 1, column), 0) << column;
}

}  // namespace
}  // namespace ricochet
