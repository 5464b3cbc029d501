// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The experiments on identification that `reproduce` runs: what must come out of them. (Table 1 of both papers is held
// to its limits in plywood_test.cc and fazeli_study_test.cc.)
#include <gtest/gtest.h>

#include <cmath>

#include "reproduce/plywood.h"
#include "reproduce/reproduce.h"

namespace ricochet {
namespace {

ExperimentResult RunExperiment(const std::string& name) {
  for (const Experiment& experiment : AllExperiments())
    if (experiment.name == name) return experiment.run();
  ADD_FAILURE() << "no experiment " << name;
  return {};
}

int Column(const DataTable& table, const std::string& name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i] == name) return static_cast<int>(i);
  ADD_FAILURE() << "no column " << name;
  return 0;
}

TEST(ReproduceIdentification, ImpulsesOfFig18AreTheTrueOnes) {
  const ExperimentResult result = RunExperiment("gabiccini-fig18");
  ASSERT_FALSE(result.tables.empty());
  const DataTable& table = result.tables[0];
  const auto truth = static_cast<std::size_t>(Column(table, "cn_true")),
             found = static_cast<std::size_t>(Column(table, "cn_trajectory"));
  double sum = 0, sum_true = 0, largest = 0;
  for (const auto& row : table.rows) {
    sum += row[found];
    sum_true += row[truth];
    largest = std::max(largest, row[truth]);
  }
  EXPECT_NEAR(sum / sum_true, 1, 0.01);
  for (const auto& row : table.rows)
    if (row[truth] > 0.2 * largest) {
      EXPECT_NEAR(row[found] / row[truth], 1, 0.02) << row[0];
    }
}

TEST(ReproduceIdentification, TwinOfTheRealFallBeatsThePapersErrors) {
  const ExperimentResult result = RunExperiment("gabiccini-bar");
  const DataTable& table = result.tables.back();
  const auto method = static_cast<std::size_t>(Column(table, "method")),
             value = static_cast<std::size_t>(Column(table, "inertia_over_mass")),
             std = static_cast<std::size_t>(Column(table, "std"));
  double squares = 0;
  int count = 0;
  for (const auto& row : table.rows) {
    if (row[method] != 0) continue;  // trajectory
    EXPECT_LT(std::abs(row[value] - kPlywoodRatio), 4.5 * row[std]);
    squares += std::pow(row[value] / kPlywoodRatio - 1, 2);
    ++count;
  }
  EXPECT_GE(count, 9);
  EXPECT_LT(std::sqrt(squares / count), 0.19);  // sec. 6.2: 19 % over all tests
}

}  // namespace
}  // namespace ricochet
