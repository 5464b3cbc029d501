// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The same bits on any number of threads, from any compiler, today and after the next change: end states of every
// stepper and estimates of every method against the committed hashes of bits.csv.
//
// A change of numerics changes hashes. The failure then prints the new row: check that the numbers are better or
// equally good, and commit the row with the change. Sines and cosines are those of the C library, which has other last
// bits on other processors, so that the table holds for 64-bit x86 with fused multiply-add and glibc.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/hash.h"
#include "ricochet/identify.h"
#include "ricochet/simulate.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::DataPath;
using testing::SourcePath;

/// Hash of doubles by their bits.
class Bits {
 public:
  void Add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);  // either sign of zero
    for (int byte = 0; byte < 8; ++byte) text_ += static_cast<char>(bits >> (8 * byte) & 0xff);
  }
  std::string Hex() const { return Sha256Hex(text_).substr(0, 16); }

 private:
  std::string text_;
};

Scene Example(const std::string& name) { return ReadScene(SourcePath("examples/" + name + ".yaml")); }

std::string EndOf(const std::string& scene, const std::string& method, double duration, const Context& context) {
  const SimulationResult run = Simulate(Example(scene), {.method = method, .duration = duration}, context);
  EXPECT_EQ(run.summary.failed_steps, 0) << method;
  Bits bits;
  for (const std::vector<double>& column : run.recording.values) bits.Add(column.back());
  return bits.Hex();
}

std::string EstimateOf(const Scene& scene, const std::vector<Recording>& recordings, const std::string& paths,
                       const IdentifyOptions& options, const Context& context) {
  const Estimate estimate = Identify(scene, recordings, paths, options, context).estimate;
  Bits bits;
  for (const EstimatedParameter& parameter : estimate.parameters) {
    bits.Add(parameter.value.value_or(0));
    bits.Add(parameter.std.value_or(0));
  }
  bits.Add(estimate.cost);
  return bits.Hex();
}

using Work = std::function<std::string(const Context&)>;

std::map<std::string, Work> Works() {
  std::map<std::string, Work> works;
  for (const std::string method : {"irc", "igc", "lcp", "event"})
    works[method] = [method](const Context& c) { return EndOf("ellipse_throw", method, 1.5, c); };
  works["moreau"] = [](const Context& c) { return EndOf("box006_toss", "moreau", 1, c); };
  works["ecp"] = [](const Context& c) { return EndOf("cube_topple", "ecp", 0.3, c); };
  works["spook"] = [](const Context& c) { return EndOf("furuta", "spook", 0.5, c); };

  const std::string planar = "bodies.ellipse.inertia / bodies.ellipse.mass";
  for (const std::string method : {"regression", "joint", "trajectory"})
    works["identify " + method] = [=](const Context& c) {
      return EstimateOf(Example("plywood_blind"), {ReadRecording(SourcePath("examples/recordings/plywood_240fps.csv"))},
                        method == "regression" ? planar : planar + ", contact.friction, contact.restitution",
                        {.method = method}, c);
    };
  for (const std::string method : {"trajectory", "velocity"})
    works["identify tosses " + method] = [=](const Context& c) {
      std::vector<Recording> tosses;
      for (const char* toss : {"0", "1", "2"})
        tosses.push_back(ReadRecording(SourcePath("examples/recordings/box006/toss_0" + std::string(toss) + ".csv")));
      return EstimateOf(Example("box006_toss"), tosses, "contact.friction, contact.restitution", {.method = method}, c);
    };
  works["identify inverse-dynamics"] = [](const Context& c) {
    const Scene scene = Example("pendulum");
    const SimulationResult run =
        Simulate(scene, {.duration = 4, .rate = 100, .noise_angle = 1e-3}, {.threads = c.threads, .seed = 3});
    Recording angles = run.recording;
    const auto angle = static_cast<std::size_t>(angles.Find("hinge.angle"));
    angles = Recording::FromColumns(angles.time, {{"hinge.angle", angles.values[angle]}});
    return EstimateOf(scene, {angles}, "bodies.rod.inertia[1], joints.hinge.viscous", {}, c);
  };
  works["bootstrap"] = [=](const Context& c) {
    return EstimateOf(Example("plywood_blind"), {ReadRecording(SourcePath("examples/recordings/plywood_240fps.csv"))},
                      planar, {.method = "regression", .bootstrap = 20}, {.threads = c.threads, .seed = 11});
  };
  return works;
}

/// What the C library makes of sines on the platform of the table.
bool IsPlatformOfTheTable() {
#if defined(__x86_64__) && defined(__GLIBC__)
  return __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}

class SameBits : public ::testing::TestWithParam<std::string> {};

TEST_P(SameBits, AreThoseOfTheTableOnAnyNumberOfThreads) {
  const Work work = Works().at(GetParam());
  const std::string one = work({.threads = 1});
  for (const int threads : {2, 7}) EXPECT_EQ(work({.threads = threads}), one) << threads << " threads";
  if (!IsPlatformOfTheTable()) GTEST_SKIP() << "skipped: the table is of 64-bit x86 with fused multiply-add and glibc";
  std::ifstream table(SourcePath("tests/golden/bits.csv"));
  std::string line, expected;
  while (std::getline(table, line))
    if (line.starts_with(GetParam() + ",")) expected = line;
  EXPECT_EQ(GetParam() + "," + one, expected);
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, work] : Works()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, SameBits, ::testing::ValuesIn(Names()), [](const auto& method) {
  std::string name = method.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace ricochet
