// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Is `inverse-dynamics` ever confidently wrong? Random chains of 1 to 4 hinges, recorded by a simulator that shares no
// code with the library (tests/support/random_mechanism.h), clean and with one nuisance each.
//
//   gauntlet_mechanisms clean FIRST COUNT TABLE       seeds FIRST ... FIRST + COUNT - 1
//   gauntlet_mechanisms nuisance FIRST COUNT TABLE    the same seeds with every nuisance
//   gauntlet_mechanisms NAME FIRST COUNT TABLE        with one, as the table names it
//   gauntlet_mechanisms summary TABLE...
//
// Rows are appended to the table, and those that it has are skipped, so that a run can be interrupted.
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

#include "tests/support/random_mechanism.h"

namespace {

using namespace ricochet;
using namespace ricochet::testing;

constexpr const char* kHeader =
    "seed,nuisance,size,joints,level,seconds,estimates,covered,worst,over_noise,named_first,as_good,freed_worst,first";

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

int RunCases(const std::vector<Nuisance>& kinds, int first, int count, const std::string& file) {
  std::set<std::string> done;
  {
    std::ifstream table(file);
    for (std::string line; std::getline(table, line);) {
      const std::vector<std::string> cells = Cells(line);
      if (cells.size() > 2) done.insert(cells[0] + "," + cells[1]);
    }
  }
  std::ofstream table(file, std::ios::app);
  if (done.empty()) table << kHeader << "\n";
  for (int seed = first; seed < first + count; ++seed)
    for (const Nuisance nuisance : kinds) {
      if (done.contains(fmt::format("{},{}", seed, NameOf(nuisance)))) continue;
      const MechanismCase given = MakeMechanismCase(static_cast<std::uint64_t>(seed), nuisance);
      const MechanismOutcome out = JudgeMechanismCase(given, nuisance != Nuisance::kNone);
      std::string words = out.first;
      std::replace(words.begin(), words.end(), ',', ';');
      table << fmt::format("{},{},{:.4g},{},{},{:.3f},{},{},{:.3f},{:.4g},{},{},{:.3f},{}\n", seed, NameOf(nuisance),
                           given.size, given.joints, out.level, out.seconds, out.estimates, out.covered, out.worst,
                           out.over_noise, !given.explanation.empty() && out.first == given.explanation ? 1 : 0,
                           out.as_good ? 1 : 0, out.freed_worst, words)
            << std::flush;
    }
  return 0;
}

struct Sum {
  int cases = 0, good = 0, limited = 0, rejected = 0, refused = 0, good_and_wrong = 0, believed_and_wrong = 0;
  int estimates = 0, covered = 0, good_estimates = 0, good_covered = 0;
  int gross = 0, gross_named = 0, as_good = 0, freed = 0, freed_right = 0;
  std::vector<double> seconds;
};

int Summarize(const std::vector<std::string>& files) {
  std::map<std::string, Sum> sums;
  for (const std::string& file : files) {
    std::ifstream table(file);
    for (std::string line; std::getline(table, line);) {
      const std::vector<std::string> cells = Cells(line);
      if (cells.size() < 13 || cells[0] == "seed") continue;
      Sum& sum = sums[cells[1]];
      const std::string& level = cells[4];
      const int estimates = std::atoi(cells[6].c_str()), covered = std::atoi(cells[7].c_str());
      const double worst = std::atof(cells[8].c_str()), over = std::atof(cells[9].c_str());
      ++sum.cases;
      sum.seconds.push_back(std::atof(cells[5].c_str()));
      sum.good += level == "good";
      sum.limited += level == "limited";
      sum.rejected += level == "rejected";
      sum.refused += level == "refused";
      sum.good_and_wrong += level == "good" && worst > 4;
      sum.believed_and_wrong += (level == "good" || level == "limited") && worst > 4;
      sum.estimates += estimates;
      sum.covered += covered;
      if (level == "good") sum.good_estimates += estimates, sum.good_covered += covered;
      if (over > 3) ++sum.gross, sum.gross_named += cells[10] == "1", sum.as_good += cells[11] == "1";
      if (const double freed = std::atof(cells[12].c_str()); freed >= 0) ++sum.freed, sum.freed_right += freed < 3;
    }
  }
  const auto percent = [](int part, int of) { return of > 0 ? fmt::format("{:.1f}", 100.0 * part / of) : "-"; };
  fmt::print(
      "| nuisance | cases | good | limited | rejected | refused | good, > 4 sigma | limited, > 4 sigma | 95 % cover, "
      "good [%] "
      "| residuals > 3 x noise: named first | first, or as good | freed: within 3 sigma | seconds median, worst |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (auto& [name, sum] : sums) {
    std::sort(sum.seconds.begin(), sum.seconds.end());
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} of {} | {} of {} | {} of {} | {:.2f}, {:.1f} |\n",
               name, sum.cases, sum.good, sum.limited, sum.rejected, sum.refused, sum.good_and_wrong,
               sum.believed_and_wrong - sum.good_and_wrong, percent(sum.good_covered, sum.good_estimates),
               sum.gross_named, sum.gross, sum.as_good, sum.gross, sum.freed_right, sum.freed,
               sum.seconds[sum.seconds.size() / 2], sum.seconds.back());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() >= 2 && arguments[0] == "summary") return Summarize({arguments.begin() + 1, arguments.end()});
  std::vector<Nuisance> kinds;
  for (int k = 0; k < kNuisances && !arguments.empty(); ++k) {
    const auto kind = static_cast<Nuisance>(k);
    const bool clean = kind == Nuisance::kNone;
    if (arguments[0] == (clean ? "clean" : "nuisance") || (!clean && arguments[0] == NameOf(kind)))
      kinds.push_back(kind);
  }
  if (arguments.size() == 4 && !kinds.empty())
    return RunCases(kinds, std::atoi(arguments[1].c_str()), std::atoi(arguments[2].c_str()), arguments[3]);
  fmt::print(stderr,
             "gauntlet_mechanisms clean|nuisance|NAME FIRST COUNT TABLE, or gauntlet_mechanisms summary TABLE...\n");
  return 2;
}
