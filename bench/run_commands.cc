// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Whole runs of the program as a user starts them: identify with each method, with and without its page, validate,
// predict, doctor and simulate, on the recordings of the repository.
//
//   build-bench/bench/run_commands build-bench/ricochet [repeats]     from the root of the repository
//
// Prints CSV: what was run, wall and processor time of the fastest repeat [s], largest resident size [MB], exit status.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bench/program_run.h"

namespace {

using namespace ricochet::bench;

const std::string kTruth = "tests/data/truth/";

Words Campaign(int count) {
  Words files;
  for (int i = 0; i < count; ++i) files.push_back(fmt::format("{}box/campaign/toss_{:02}.csv", kTruth, i));
  return files;
}

Words Joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Name and arguments, without the program.
std::vector<std::pair<std::string, Words>> Commands(const std::string& folder) {
  const std::string ellipse = "examples/plywood_blind.yaml", camera = "examples/recordings/plywood_240fps.csv";
  const Words planar = {"identify", ellipse, camera, "--estimate",
                        "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction, contact.restitution"};
  const Words ratio = {"identify", ellipse, camera, "--estimate", "bodies.ellipse.inertia / bodies.ellipse.mass"};
  const Words box = Joined({"identify", "examples/box006_toss.yaml"}, Campaign(10));
  const Words contact = {"--estimate", "contact.friction,contact.restitution"};
  const std::string furuta = kTruth + "furuta/full/";
  const Words mechanism = {"identify",
                           furuta + "furuta_start.yaml",
                           furuta + "pulse_1mrad.csv",
                           "--method",
                           "inverse-dynamics",
                           "--estimate",
                           "bodies.A.inertia, bodies.B.inertia[1:3], joints.*.viscous, joints.*.dry.friction, "
                           "joints.hinge1.motor.gain, gravity.tilt"};
  return {
      {"identify trajectory, planar, 240 fps", Joined(planar, {"--method", "trajectory"})},
      {"the same with its page", Joined(planar, {"--method", "trajectory", "--report", folder + "/planar.html"})},
      {"identify joint, planar, 240 fps", Joined(planar, {"--method", "joint"})},
      {"identify regression, planar, 240 fps", Joined(ratio, {"--method", "regression"})},
      {"identify trajectory, 10 tosses", Joined(box, contact)},
      {"the same with its page", Joined(Joined(box, contact), {"--report", folder + "/box.html"})},
      {"identify velocity, 10 tosses", Joined(Joined(box, contact), {"--method", "velocity"})},
      {"identify inverse-dynamics, 12 numbers, 20 s of angles", mechanism},
      {"validate, 30 tosses", Joined({"validate", "examples/box006_toss.yaml"}, Campaign(30))},
      {"predict, 10 tosses", Joined({"predict", "examples/box006_toss.yaml"}, Campaign(10))},
      {"doctor, 30 tosses", Joined({"doctor"}, Campaign(30))},
      {"simulate, 432 steps with its page",
       {"simulate", "examples/box006_toss.yaml", "-o", folder + "/toss.csv", "--report", folder + "/toss.html"}},
  };
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "run_commands PROGRAM [repeats]\n");
    return 2;
  }
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 3;
  std::string folder = (std::filesystem::temp_directory_path() / "ricochet_commands_XXXXXX").string();
  if (!mkdtemp(folder.data())) return 2;
  fmt::print("command,wall_s,cpu_s,megabytes,status\n");
  bool failed = false;
  for (const auto& [name, arguments] : Commands(folder)) {
    Outcome least;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const Outcome outcome = Run(Joined({argv[1]}, arguments));
      if (repeat == 0 || outcome.cpu < least.cpu) least = outcome;
    }
    failed = failed || least.status != 0;
    fmt::print("\"{}\",{:.3f},{:.3f},{:.0f},{}\n", name, least.seconds, least.cpu, least.megabytes, least.status);
    std::fflush(stdout);
  }
  std::filesystem::remove_all(folder);
  return failed ? 3 : 0;
}
