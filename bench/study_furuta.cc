// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `inverse-dynamics` on a Furuta pendulum (Spook sec. 4): how close to the bound, how honest, from where, how fast.
//
//   study_furuta release N          N noise seeds of the release of tests/data/truth/furuta (10 s at 100 Hz, 1 mrad)
//   study_furuta full FOLDER N      FOLDER/{release,pulse,chirp}_{1mrad,encoder}.csv, each alone and together, then N
//                                   times each with noise of our own on the motion at the truth
//   study_furuta starts FOLDER N    the chirp of FOLDER from N starts, each number a factor up to 10 either way
//   study_furuta time FOLDER        processor time over the length of the recording and the rows, one thread
//   study_furuta device N           N devices of our own, numbers drawn at random: release, pulse and swing-up alone
//   and
//                                   together, from the paper's start values
//   study_furuta long ROWS...       a chirp of so many rows at 1 kHz: processor time and peak memory, one thread
//
// Run from the root of the repository. Columns are named in the first line of each table.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <numbers>

#include "core/context.h"
#include "core/random.h"
#include "dynamics/tree/tree_flow.h"
#include "estimators/jointed/jointed_family.h"
#include "reproduce/mechanism_recordings.h"
#include "ricochet/identify.h"
#include "ricochet/parameter.h"
#include "tests/support/furuta_truth.h"

namespace {

using namespace ricochet;

using testing::FurutaTruth;
using testing::kFurutaTwelve;

constexpr double kEncoder = 2 * std::numbers::pi / 4096;  // [rad]
constexpr std::array<const char*, 3> kMotions = {"release", "pulse", "chirp"};
constexpr std::array<const char*, 2> kNoises = {"1mrad", "encoder"};

struct Timed {
  Estimate estimate;
  double cpu = 0;  // [s]
};

Timed Fit(const Scene& scene, const std::vector<Recording>& recordings, const char* paths) {
  Timed out;
  const std::clock_t began = std::clock();
  out.estimate = Identify(scene, recordings, paths, {.method = "inverse-dynamics"}).estimate;
  out.cpu = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  return out;
}

const EstimatedParameter& Named(const Estimate& estimate, const std::string& path) {
  for (const EstimatedParameter& parameter : estimate.parameters)
    if (parameter.path == path) return parameter;
  throw InputError({}, path, "the estimate lacks it.", "");
}

void Release(int seeds) {
  Scene scene = ReadScene("tests/data/truth/furuta/furuta_release.yaml");
  const Recording truth = ReadRecording("tests/data/truth/furuta/furuta_release.csv");
  scene.Set("bodies.A.inertia", {0.0001, 0.01, 0.01});
  scene.Set("bodies.B.inertia[1]", {0.0041});
  scene.Set("joints.*.viscous", {0.0005});
  const std::array<const char*, 4> paths = {"bodies.A.inertia[2]", "bodies.B.inertia[1]", "joints.hinge1.viscous",
                                            "joints.hinge2.viscous"};
  const std::array<double, 4> values = {0.003, 0.004, 0.001, 0.0001}, bounds = {0.089, 0.0155, 1.55, 2.4};
  std::array<double, 4> squares{}, pulls{}, pull_squares{};
  int failed = 0, most = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed), 8);
    Recording noisy;
    noisy.columns = {"hinge1.angle", "hinge2.angle", "u"};
    noisy.values.resize(3);
    for (std::size_t i = 0; i < truth.time.size(); i += 10) {
      noisy.time.push_back(truth.time[i]);
      for (std::size_t c = 0; c < 2; ++c)
        noisy.values[c].push_back(truth.values[static_cast<std::size_t>(truth.Find(noisy.columns[c]))][i] +
                                  random.Normal(0, 1e-3));
      noisy.values[2].push_back(0);
    }
    const Estimate estimate =
        Fit(scene, {noisy}, "bodies.A.inertia[2], bodies.B.inertia[1], joints.*.viscous").estimate;
    most = std::max(most, estimate.iterations);
    failed += !estimate.converged;
    for (std::size_t i = 0; i < 4; ++i) {
      const EstimatedParameter& found = Named(estimate, paths[i]);
      if (!found.value) {
        ++failed;
        continue;
      }
      const double error = *found.value - values[i];
      squares[i] += std::pow(100 * error / values[i] / bounds[i], 2) / seeds;
      pulls[i] += error / *found.std / seeds;
      pull_squares[i] += std::pow(error / *found.std, 2) / seeds;
    }
  }
  fmt::print("path,seeds,failed,most_iterations,rms_over_bound,bias_over_std,spread_over_std\n");
  for (std::size_t i = 0; i < 4; ++i)
    fmt::print("{},{},{},{},{:.3f},{:.3f},{:.3f}\n", paths[i], seeds, failed, most, std::sqrt(squares[i]), pulls[i],
               std::sqrt(pull_squares[i] - pulls[i] * pulls[i]));
}

/// The motion of the device at the truth, read at the rows of a recording, with noise of our own.
Recording Fresh(const Scene& scene, const Recording& like, double start, bool encoder, std::uint64_t seed) {
  const JointedFamily family(scene, ParsePathList(scene, "joints.*.viscous"));
  const JointedInstance instance = family.Compile(family.start());
  const InputSignal inputs(like, family.model(), InputSignal::MissingColumn::kRefuse);
  FlowOptions options;
  options.tolerance = 1e-11;
  options.step = 5e-3;
  options.slides = {1, 1};
  Recording out = like;
  Random random(seed, 9);
  std::size_t next = 0;
  TreeFlow::End end;
  const TreeFlow flow(family.mechanism(), instance.constants, {}, options);
  flow.Run(
      {random.Uniform(-0.5, 0.5) * kEncoder, start + random.Uniform(-0.5, 0.5) * kEncoder}, {}, like.time.front(),
      like.time.back(), inputs, false,
      [&](const FlowPiece& piece) {
        for (; next < out.time.size() && out.time[next] <= piece.end + 1e-12; ++next)
          for (int k = 0; k < 2; ++k) {
            const double value = piece.Read(k, out.time[next]).value;
            out.values[static_cast<std::size_t>(out.Find(k == 0 ? "hinge1.angle" : "hinge2.angle"))][next] =
                encoder ? kEncoder * std::round(value / kEncoder) : value + random.Normal(0, 1e-3);
          }
      },
      end);
  return out;
}

void Row(const Scene& scene, const std::vector<Recording>& recordings, const char* motion, const char* noise,
         const std::string& seed) {
  const Timed fit = Fit(scene, recordings, kFurutaTwelve);
  int reported = 0, beyond3 = 0, beyond5 = 0;
  double largest = 0;
  for (const auto& [path, value] : FurutaTruth()) {
    const EstimatedParameter& found = Named(fit.estimate, path);
    if (!found.value) continue;
    const double pull = std::abs(*found.value - value) / *found.std;
    ++reported;
    beyond3 += pull > 3;
    beyond5 += pull > 5;
    largest = std::max(largest, pull);
  }
  fmt::print("{},{},{},{},{},{},{},{},{:.2f},{:.2f}\n", motion, noise, seed, fit.estimate.converged ? 1 : 0,
             fit.estimate.iterations, reported, beyond3, beyond5, largest, fit.cpu);
  std::fflush(stdout);
}

void Full(const std::string& folder, int seeds) {
  const Scene scene = ReadScene(folder + "/furuta_start.yaml");
  Scene truth = scene;
  for (const auto& [path, value] : FurutaTruth()) truth.Set(path, {value});
  truth.Set("bodies.A.inertia[1]", {0.0044});
  const std::array<double, 3> starts = {2.6, 0.0, 0.4};  // [rad], hinge2
  fmt::print("motion,noise,seed,converged,iterations,reported,beyond_3,beyond_5,largest_over_std,cpu_s\n");
  for (int seed = -1; seed < seeds; ++seed)
    for (const char* noise : kNoises) {
      std::vector<Recording> all;
      const std::string name = seed < 0 ? "file" : fmt::format("{}", seed);
      for (std::size_t m = 0; m < kMotions.size(); ++m) {
        Recording recording = ReadRecording(fmt::format("{}/{}_{}.csv", folder, kMotions[m], noise));
        if (seed >= 0)
          recording = Fresh(truth, recording, starts[m], std::string(noise) == "encoder",
                            static_cast<std::uint64_t>(3 * seed) + m);
        Row(scene, {recording}, kMotions[m], noise, name);
        all.push_back(std::move(recording));
      }
      Row(scene, all, "together", noise, name);
    }
}

void Starts(const std::string& folder, int count) {
  const Recording recording = ReadRecording(folder + "/chirp_1mrad.csv");
  fmt::print("start,success,converged,iterations,largest_over_std,cpu_s\n");
  for (int s = 0; s < count; ++s) {
    Scene scene = ReadScene(folder + "/furuta_start.yaml");
    Random random(static_cast<std::uint64_t>(s), 10);
    for (const auto& [path, value] : FurutaTruth()) {
      const double factor = std::pow(10.0, random.Uniform(-1, 1));
      // Tilts may be 0: their start is drawn around it.
      const bool tilt = std::string_view(path).starts_with("gravity");
      scene.Set(path, {tilt ? random.Uniform(-0.1, 0.1) : value * factor});
    }
    Timed fit;
    double largest = INFINITY;
    try {
      fit = Fit(scene, {recording}, kFurutaTwelve);
      largest = 0;
      for (const auto& [path, value] : FurutaTruth()) {
        const EstimatedParameter& found = Named(fit.estimate, path);
        largest = std::max(largest, found.value ? std::abs(*found.value - value) / *found.std : INFINITY);
      }
    } catch (const InputError& error) {
      fmt::print(stderr, "{}: {}\n", s, error.what());
    }
    fmt::print("{},{},{},{},{:.2f},{:.2f}\n", s, fit.estimate.converged && largest < 4 ? 1 : 0,
               fit.estimate.converged ? 1 : 0, fit.estimate.iterations, largest, fit.cpu);
    std::fflush(stdout);
  }
}

void Time(const std::string& folder) {
  const ContextScope scope({.threads = 1});
  const Scene scene = ReadScene(folder + "/furuta_start.yaml");
  const Recording all = ReadRecording(folder + "/chirp_1mrad.csv");
  fmt::print("seconds,rows,iterations,cpu_s\n");
  for (const double seconds : {5.0, 10.0, 20.0})
    for (const std::size_t stride : {2U, 1U}) {
      Recording part = all;
      part.time.clear();
      part.lines.clear();
      for (auto& column : part.values) column.clear();
      for (std::size_t i = 0; i < all.time.size() && all.time[i] <= seconds; i += stride) {
        part.time.push_back(all.time[i]);
        for (std::size_t c = 0; c < all.values.size(); ++c) part.values[c].push_back(all.values[c][i]);
      }
      const Timed fit = Fit(scene, {part}, kFurutaTwelve);
      fmt::print("{},{},{},{:.3f}\n", seconds, part.rows(), fit.estimate.iterations, fit.cpu);
    }
}

double Draw(Random& random, double value) { return value * std::exp(random.Uniform(-0.4, 0.4)); }

void Device(int devices) {
  fmt::print("device,motion,noise,converged,iterations,reported,beyond_3,beyond_5,largest_over_std,cpu_s\n");
  for (int d = 0; d < devices; ++d) {
    Random random(static_cast<std::uint64_t>(d), 12);
    Scene truth = FrictionFuruta();
    const std::vector<SelectedParameter> all =
        ParsePathList(truth,
                      "bodies.A.inertia[2], bodies.B.inertia[1:3], joints.*.viscous, joints.*.dry.friction, "
                      "joints.hinge1.motor.gain");
    for (const SelectedParameter& p : all) truth.Set(p.numerator, Draw(random, truth[p.numerator]));
    truth.Set("gravity.tilt", {random.Uniform(-0.03, 0.03), random.Uniform(-0.03, 0.03)});
    Scene start = truth;
    start.Set("bodies.A.inertia", {1e-4, 0.01, 0.01});
    start.Set("bodies.B.inertia[1:3]", {0.01, 0.01});
    start.Set("joints.*.viscous", {1e-4});
    start.Set("joints.*.dry.friction", {1e-4});
    start.Set("joints.hinge1.motor.gain", {0.1});
    start.Set("gravity.tilt", {0, 0});
    const bool encoder = d % 2 == 1;
    const auto pulse = [](double t, const std::vector<double>&, const std::vector<double>&) {
      return std::fmod(t, 2.0) < 0.3 ? (std::fmod(t, 4.0) < 2 ? 1.0 : -1.0) : 0.0;
    };
    const auto pump = SwingUp(truth);
    const auto slow_pump = [&, last = -1.0, u = 0.0](double t, const std::vector<double>& x,
                                                     const std::vector<double>& r) mutable {
      if (t - last > 0.0099) last = t, u = pump(t, x, r);
      return u;
    };
    MechanismRun run;
    run.duration = 15;
    run.tick = encoder ? 2e-3 : 5e-3;
    run.noise = encoder ? -kEncoder : 1e-3;
    std::vector<Recording> recordings;
    for (int m = 0; m < 3; ++m) {
      run.seed = static_cast<std::uint64_t>(3 * d + m);
      run.angle = {random.Uniform(-0.01, 0.01), m == 0 ? random.Uniform(2.4, 3.0) : random.Uniform(-0.01, 0.01)};
      run.control = nullptr;
      if (m == 1) run.control = pulse;
      if (m == 2) run.control = slow_pump;
      recordings.push_back(RecordMechanism(truth, run, fmt::format("motion_{}", m)));
    }
    const std::array<const char*, 4> names = {"release", "pulse", "swing-up", "together"};
    for (std::size_t m = 0; m < 4; ++m) {
      const Timed fit = Fit(start, m < 3 ? std::vector<Recording>{recordings[m]} : recordings, kFurutaTwelve);
      int reported = 0, beyond3 = 0, beyond5 = 0;
      double largest = 0;
      for (const EstimatedParameter& found : fit.estimate.parameters) {
        if (!found.value || found.path.find(' ') != std::string::npos) continue;
        const double pull = std::abs(*found.value - truth[ParsePathList(truth, found.path)[0].numerator]) / *found.std;
        ++reported;
        beyond3 += pull > 3;
        beyond5 += pull > 5;
        largest = std::max(largest, pull);
        if (pull > 3) fmt::print(stderr, "{} {} {}: {:.2f}\n", d, names[m], found.path, pull);
      }
      fmt::print("{},{},{},{},{},{},{},{},{:.2f},{:.2f}\n", d, names[m], encoder ? "encoder" : "1mrad",
                 fit.estimate.converged ? 1 : 0, fit.estimate.iterations, reported, beyond3, beyond5, largest, fit.cpu);
      std::fflush(stdout);
    }
  }
}

void Long(const std::vector<std::string>& rows) {
  const ContextScope scope({.threads = 1});
  const Scene scene = FrictionFuruta();
  fmt::print("rows,seconds,iterations,converged,cpu_s,cpu_us_per_row,peak_MB\n");
  for (const std::string& count : rows) {
    MechanismRun run;
    run.tick = 1e-3;
    run.duration = (std::atof(count.c_str()) - 1) * run.tick;
    run.angle = {0, 0.4};
    // A staircase of 50 ms whose frequency goes from 0.3 to 2 Hz and back every 20 s.
    run.control = [](double t, const std::vector<double>&, const std::vector<double>&) {
      const double s = 0.05 * std::floor(t / 0.05 + 1e-9), phase = std::abs(std::fmod(s, 20.0) - 10);
      return 0.25 * std::sin(2 * std::numbers::pi * (0.3 + 0.085 * phase) * phase);
    };
    const Recording recording = RecordMechanism(scene, run, "chirp");
    const Timed fit = Fit(scene, {recording}, kFurutaTwelve);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("{},{:.0f},{},{},{:.2f},{:.2f},{}\n", recording.rows(), run.duration, fit.estimate.iterations,
               fit.estimate.converged ? 1 : 0, fit.cpu, 1e6 * fit.cpu / recording.rows(), usage.ru_maxrss / 1024);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "release") {
    Release(std::atoi(words[1].c_str()));
  } else if (words.size() == 3 && words[0] == "full") {
    Full(words[1], std::atoi(words[2].c_str()));
  } else if (words.size() == 3 && words[0] == "starts") {
    Starts(words[1], std::atoi(words[2].c_str()));
  } else if (words.size() == 2 && words[0] == "time") {
    Time(words[1]);
  } else if (words.size() == 2 && words[0] == "device") {
    Device(std::atoi(words[1].c_str()));
  } else if (words.size() >= 2 && words[0] == "long") {
    Long({words.begin() + 1, words.end()});
  } else {
    fmt::print(stderr,
               "study_furuta release N | full FOLDER N | starts FOLDER N | time FOLDER | device N | long ROWS...\n");
    return 2;
  }
}
