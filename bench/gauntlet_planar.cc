// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Random planar recordings with and without a hidden mistake in the scene, and what `identify` says about them; see
// tests/support/gauntlet_planar.h. Cases that FILE has are not computed again, so a run can be stopped and continued.
//
//   gauntlet_planar FILE clean FIRST COUNT [SECONDS]      seeds FIRST to FIRST + COUNT - 1
//   gauntlet_planar FILE nuisance FIRST COUNT [SECONDS]   every nuisance, COUNT cases of each over the levels
//   gauntlet_planar FILE summary                          rates
//   gauntlet_planar FILE event FIRST COUNT                distance of the motions from those of method `event`
//   gauntlet_planar FILE case KIND LEVEL SEED             one case: FILE.yaml, FILE_0.csv, ..., and its outcome
//
// SECONDS: stops before a case that would start later.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>

#include "ricochet/scene.h"
#include "tests/support/gauntlet_planar.h"

namespace {

using namespace ricochet::testing;

constexpr double kLevels[] = {0.1, 0.3, 1, 3, 10};

std::vector<std::string> ReadRows(const std::string& file) {
  std::vector<std::string> rows;
  std::ifstream in(file);
  for (std::string row; std::getline(in, row);)
    if (!row.starts_with("seed,")) rows.push_back(row);
  return rows;
}

const PlanarNuisance* Find(const std::string& kind) {
  for (const PlanarNuisance& each : PlanarNuisances())
    if (each.name == kind) return &each;
  return nullptr;
}

class Table {
 public:
  Table(const std::string& file, double seconds) : end_(Clock::now() + std::chrono::duration<double>(seconds)) {
    for (const std::string& row : ReadRows(file)) {
      const std::size_t third = row.find(',', row.find(',', row.find(',') + 1) + 1);
      known_.insert(row.substr(0, third));
    }
    out_.open(file, std::ios::app);
    if (known_.empty()) out_ << kPlanarColumns << "\n";
  }

  /// False when time is over.
  bool Run(std::uint64_t seed, const PlanarNuisance* nuisance, double level) {
    const std::string kind = nuisance ? nuisance->name : "clean";
    if (known_.count(fmt::format("{},{},{}", seed, kind, level)) > 0) return true;
    if (Clock::now() > end_) return false;
    const PlanarCase one = MakePlanarCase(seed, nuisance, level);
    out_ << PlanarRow(seed, kind, level, one, RunPlanarCase(one, nuisance)) << std::endl;
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::chrono::time_point<Clock, std::chrono::duration<double>> end_;
  std::set<std::string> known_;
  std::ofstream out_;
};

int Usage() {
  std::cerr
      << "gauntlet_planar FILE (clean | nuisance) FIRST COUNT [SECONDS], FILE summary, FILE case KIND LEVEL SEED\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (argc < 3) return Usage();
  if (words[2] == "summary") {
    std::cout << SummarizePlanarRows(ReadRows(words[1]));
    return 0;
  }
  if (words[2] == "event" && argc == 5) {
    for (int k = 0; k < std::atoi(argv[4]); ++k)
      std::cout << fmt::format("{} {:.2e}\n", std::atoi(argv[3]) + k,
                               DistanceFromEvent(static_cast<std::uint64_t>(std::atoi(argv[3]) + k)));
    return 0;
  }
  if (words[2] == "case" && argc == 6) {
    const PlanarNuisance* nuisance = Find(words[3]);
    const PlanarCase one = MakePlanarCase(std::strtoull(argv[5], nullptr, 10), nuisance, std::atof(argv[4]));
    ricochet::WriteScene(one.scene, words[1] + ".yaml");
    std::string files;
    for (std::size_t k = 0; k < one.recordings.size(); ++k) {
      files += fmt::format(" {}_{}.csv", words[1], k);
      ricochet::WriteRecording(one.recordings[k], fmt::format("{}_{}.csv", words[1], k));
    }
    std::cout << "truth";
    for (const auto& [name, value] : one.truth) std::cout << fmt::format(" {} {:.6g}", name, value);
    std::cout << fmt::format("\nricochet identify {}.yaml{} --estimate \"{}\"\n", words[1], files, one.paths)
              << kPlanarColumns << "\n"
              << PlanarRow(std::strtoull(argv[5], nullptr, 10), words[3], std::atof(argv[4]), one,
                           RunPlanarCase(one, nuisance))
              << "\n";
    return 0;
  }
  if (argc < 5 || (words[2] != "clean" && words[2] != "nuisance")) return Usage();
  const std::uint64_t first = std::strtoull(argv[3], nullptr, 10);
  const int count = std::atoi(argv[4]);
  Table table(words[1], argc > 5 ? std::atof(argv[5]) : 1e9);
  for (int k = 0; k < count; ++k) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(k);
    if (words[2] == "clean") {
      if (!table.Run(seed, nullptr, 0)) return 0;
      continue;
    }
    for (const PlanarNuisance& nuisance : PlanarNuisances())
      if (!table.Run(seed, &nuisance, nuisance.discrete ? 1 : kLevels[k % 5])) return 0;
  }
}
