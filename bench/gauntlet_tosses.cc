// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Is `identify` on tosses ever confidently wrong? Campaigns by a simulator that shares no code with Ricochet
// (tests/support/box_world.h), clean and with one nuisance each that the scene does not know of.
//
//   gauntlet_tosses TABLE KIND FIRST COUNT      adds campaigns FIRST ... FIRST + COUNT - 1 of a kind ("nuisances": of
//   all
//                                               but clean) to the table; those that it has are left out
//   gauntlet_tosses TABLE                       summary alone
//
//   gauntlet_tosses bench/gauntlet_tosses.csv clean 1000 100
//   gauntlet_tosses bench/gauntlet_tosses.csv nuisances 1000 5
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/toss_gauntlet.h"

namespace {

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> out;
  std::stringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
  return out;
}

struct Tally {
  int all = 0, good = 0, limited = 0, rejected = 0, refused = 0, wrong_good = 0, wrong_limited = 0, intervals = 0,
      covered = 0, gross = 0, named = 0;
  std::vector<double> seconds;
};

}  // namespace

int main(int argc, char** argv) {
  using namespace ricochet::testing;
  if (argc != 2 && argc != 5) {
    fmt::print(stderr, "gauntlet_tosses TABLE [KIND FIRST COUNT]\n");
    return 2;
  }
  const std::string table = argv[1];
  std::set<std::pair<std::string, std::string>> done;
  {
    std::ifstream in(table);
    for (std::string line; std::getline(in, line);)
      if (const auto cells = Cells(line); cells.size() > 2) done.insert({cells[0], cells[1]});
  }
  if (argc == 5) {
    std::ofstream out(table, std::ios::app);
    if (done.empty()) out << TossHeader() << "\n";
    const std::string kind = argv[2];
    for (int i = 0; i < std::atoi(argv[4]); ++i)
      for (const std::string& each : TossCaseKinds()) {
        if (kind == "nuisances" ? each == "clean" : each != kind) continue;
        const auto seed = static_cast<std::uint64_t>(std::atoi(argv[3]) + i);
        if (done.contains({each, std::to_string(seed)})) continue;
        const TossCase made = MakeTossCase(each, seed);
        const TossOutcome outcome = RunTossCase(made);
        out << TossRow(made, outcome) << std::endl;
        fmt::print(stderr, "{}\n    {}\n", TossRow(made, outcome), outcome.reason);
      }
  }
  std::map<std::string, Tally> tallies;
  std::ifstream in(table);
  for (std::string line; std::getline(in, line);) {
    const auto cells = Cells(line);
    if (cells.size() < 19 || cells[0] == "kind") continue;
    Tally& t = tallies[cells[0]];
    ++t.all;
    const std::string& verdict = cells[9];
    (verdict == "good" ? t.good : verdict == "limited" ? t.limited : verdict == "rejected" ? t.rejected : t.refused)++;
    bool wrong = false;
    for (const std::size_t i : {15u, 16u}) {
      const double pull = std::atof(cells[i].c_str());
      if (cells[i] == "nan" || (verdict != "good" && verdict != "limited")) continue;
      wrong = wrong || std::abs(pull) > 4;
      if (verdict != "good") continue;
      ++t.intervals;
      t.covered += std::abs(pull) < 1.96 ? 1 : 0;
    }
    if (wrong) ++(verdict == "good" ? t.wrong_good : t.wrong_limited);
    if (std::atof(cells[14].c_str()) > 3) {
      ++t.gross;
      const std::string culprit = CulpritOf(cells[0]);
      t.named += !culprit.empty() && cells[17].starts_with(culprit) ? 1 : 0;
    }
    t.seconds.push_back(std::atof(cells[18].c_str()));
  }
  fmt::print("{:15}{:>6}{:>6}{:>8}{:>9}{:>8}{:>12}{:>15}{:>10}{:>14}{:>9}{:>8}\n", "kind", "all", "good", "limited",
             "rejected", "refused", "good wrong", "limited wrong", "covered", "named/gross", "median s", "worst s");
  for (auto& [kind, t] : tallies) {
    std::sort(t.seconds.begin(), t.seconds.end());
    fmt::print("{:15}{:>6}{:>6}{:>8}{:>9}{:>8}{:>12}{:>15}{:>9.1f}%{:>14}{:>9.2f}{:>8.1f}\n", kind, t.all, t.good,
               t.limited, t.rejected, t.refused, t.wrong_good, t.wrong_limited,
               100.0 * t.covered / std::max(1, t.intervals), fmt::format("{}/{}", t.named, t.gross),
               t.seconds[t.seconds.size() / 2], t.seconds.back());
  }
}
