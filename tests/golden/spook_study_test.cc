// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The tables bench/study_spook_*.csv and parts of them computed again: order 1 in the step and in the compliance, order
// 2 with the option (also with friction), energy without drift.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/support/spook_study.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

/// Rows of a table: the text of the first `keys` cells, then numbers.
struct Row {
  std::string key;
  std::vector<double> numbers;
};

std::vector<Row> ReadTable(const std::string& name, int keys) {
  std::ifstream in(testing::SourcePath("bench/" + name));
  std::string line;
  std::getline(in, line);
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    Row row;
    size_t at = 0;
    for (int i = 0; at <= line.size(); ++i) {
      const size_t end = std::min(line.find(',', at), line.size());
      const std::string cell = line.substr(at, end - at);
      if (i < keys) {
        row.key += (i ? "," : "") + cell;
      } else {
        row.numbers.push_back(std::stod(cell));
      }
      at = end + 1;
    }
    rows.push_back(row);
  }
  return rows;
}

/// Order between two rows (argument, error).
double Order(const std::vector<double>& coarse, const std::vector<double>& fine) {
  return std::log(coarse[1] / fine[1]) / std::log(coarse[0] / fine[0]);
}

std::map<std::string, std::vector<Row>> ByKey(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<Row>> out;
  for (const Row& row : rows) out[row.key].push_back(row);
  return out;
}

TEST(SpookStudy, OrderOneInTheStep) {
  const auto table = ByKey(ReadTable("study_spook_h.csv", 2));
  ASSERT_EQ(table.size(), 3u);
  for (const auto& [key, rows] : table) {
    ASSERT_EQ(rows.size(), 6u) << key;
    for (size_t i = 3; i < rows.size(); ++i) EXPECT_NEAR(Order(rows[i - 1].numbers, rows[i].numbers), 1, 0.15) << key;
  }
  for (const char* mechanism : {"furuta", "tilted_2", "tilted_3"}) {
    const Row& row = table.at(std::string(mechanism) + ",1e-9")[3];
    EXPECT_NEAR(SpookStudyError({.mechanism = mechanism}, row.numbers[0]), row.numbers[1], 1e-3 * row.numbers[1]);
  }
}

TEST(SpookStudy, OrderOneInTheCompliance) {
  const auto table = ByKey(ReadTable("study_spook_compliance.csv", 2));
  ASSERT_EQ(table.size(), 3u);
  for (const auto& [key, rows] : table) {
    ASSERT_EQ(rows.size(), 6u) << key;
    // From 1e-4 on the error is that of the compliance plus that of the step, which the last row has alone.
    const double step = rows.back().numbers[1];
    const double a = rows[1].numbers[1], b = rows[2].numbers[1];
    EXPECT_GT(a, 3 * step) << key;
    EXPECT_LT(std::abs(b - step), 0.2 * a) << key << ": falls in proportion";
    EXPECT_LT(rows[4].numbers[1], 1.2 * step) << key;
  }
  const Row& row = table.at("tilted_2,1e-4")[2];
  EXPECT_NEAR(SpookStudyError({.mechanism = "tilted_2", .compliance = row.numbers[0]}, 1e-4), row.numbers[1],
              1e-3 * row.numbers[1]);
}

TEST(SpookStudy, OrderTwoAlsoWithFriction) {
  const auto table = ByKey(ReadTable("study_spook_order_2.csv", 3));
  ASSERT_EQ(table.size(), 18u);
  for (const auto& [key, rows] : table) {
    ASSERT_EQ(rows.size(), 5u) << key;
    // A joint that changes between sliding either way within a step leaves more than h^2 behind.
    const bool dry = key.find("dry") != std::string::npos;
    const double order = Order(rows[0].numbers, rows[3].numbers);
    EXPECT_GT(order, dry ? 1.3 : 1.85) << key;
    EXPECT_LT(order, dry ? 3.0 : 2.15) << key;
  }
  const Row& row = table.at("tilted_3,viscous,0")[1];
  EXPECT_NEAR(SpookStudyError({.mechanism = "tilted_3", .compliance = 0, .order = 2}, row.numbers[0]), row.numbers[1],
              1e-3 * row.numbers[1]);
}

// Order 2: bounded oscillation in proportion to h^2 and no drift. Order 1 loses energy in proportion to h.
TEST(SpookStudy, EnergyOverAHundredSeconds) {
  const std::vector<Row> rows = ReadTable("study_spook_energy.csv", 1);
  ASSERT_EQ(rows.size(), 8u);
  for (const Row& row : rows) {
    const double h = row.numbers[0], largest = row.numbers[1], first = row.numbers[2], last = row.numbers[3];
    if (row.key == "2") {
      EXPECT_LT(largest, 600 * h * h) << h;
      EXPECT_LT(std::abs(last - first), 0.1 * largest) << h;
    } else {
      EXPECT_LT(last, first) << h;
    }
  }
  const EnergyRow again = EnergyOfFuruta(2, 1e-2, 20);
  EXPECT_LT(again.largest, 1.2 * rows[4].numbers[1]);
  EXPECT_LT(std::abs(again.last_half - again.first_half), 0.2 * again.largest);
}

}  // namespace
}  // namespace ricochet
