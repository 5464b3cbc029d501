// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How fast recordings are read and written, on one core. `bytes_per_second` counts the CSV text. Two kinds of numbers:
// measured (six decimals, as trackers write) and computed (the shortest text of full doubles, as `simulate` writes).
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "core/random.h"
#include "recording/recording_writer.h"
#include "ricochet/recording.h"

namespace ricochet {
namespace {

constexpr int kRows = 100000;

enum class Kind { kPlanar, kSpatial };
enum class Digits { kMeasured, kComputed };

Recording MakeRecording(Kind kind, Digits digits) {
  Recording recording;
  if (kind == Kind::kPlanar) {
    recording.columns = {"x", "y", "theta", "vx", "vy", "omega"};
  } else {
    recording.columns = {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"};
  }
  recording.values.resize(recording.columns.size());
  Random random(1);
  const auto number = [&](double value) {
    return digits == Digits::kComputed ? value : static_cast<double>(static_cast<long>(value * 1e6)) / 1e6;
  };
  for (int row = 0; row < kRows; ++row) {
    recording.time.push_back(row / 1e3);
    for (std::vector<double>& column : recording.values) column.push_back(number(random.Normal()));
  }
  return recording;
}

std::int64_t CheckSum(const Recording& recording) {
  double sum = 0;
  for (const std::vector<double>& column : recording.values) {
    for (const double value : column) sum += value;
  }
  return static_cast<std::int64_t>(sum * 1e6);
}

void Finish(benchmark::State& state, std::size_t bytes, std::int64_t check) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  state.counters["MB/s"] = benchmark::Counter(
      static_cast<double>(bytes) * static_cast<double>(state.iterations()) / 1e6, benchmark::Counter::kIsRate);
  state.counters["check"] = static_cast<double>(check);
}

void ParseText(benchmark::State& state, Kind kind, Digits digits) {
  const std::string text = FormatRecording(MakeRecording(kind, digits));
  std::int64_t check = 0;
  for (auto _ : state) {
    const Recording recording = ParseRecording(text, "bench.csv");
    benchmark::DoNotOptimize(recording.values.data());
    state.PauseTiming();
    check = CheckSum(recording);
    state.ResumeTiming();
  }
  Finish(state, text.size(), check);
}

void ReadFile(benchmark::State& state, Kind kind, Digits digits) {
  const std::string file = std::filesystem::temp_directory_path() / "ricochet_kernel_csv.csv";
  WriteRecording(MakeRecording(kind, digits), file);
  const std::size_t bytes = std::filesystem::file_size(file);
  std::int64_t check = 0;
  for (auto _ : state) {
    const Recording recording = ReadRecording(file);
    benchmark::DoNotOptimize(recording.values.data());
    state.PauseTiming();
    check = CheckSum(recording);
    state.ResumeTiming();
  }
  std::filesystem::remove(file);
  Finish(state, bytes, check);
}

void FormatText(benchmark::State& state, Kind kind, Digits digits) {
  const Recording recording = MakeRecording(kind, digits);
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string text = FormatRecording(recording);
    bytes = text.size();
    benchmark::DoNotOptimize(text.data());
  }
  Finish(state, bytes, CheckSum(recording));
}

// Rows through the streaming writer to a device that takes everything: formatting and buffering without the disk.
void StreamRows(benchmark::State& state, Kind kind, Digits digits) {
  const Recording recording = MakeRecording(kind, digits);
  for (auto _ : state) WriteRecording(recording, "/dev/null");
  Finish(state, FormatRecording(recording).size(), CheckSum(recording));
}

void Register(const char* name, void (*run)(benchmark::State&, Kind, Digits)) {
  for (const Kind kind : {Kind::kPlanar, Kind::kSpatial}) {
    for (const Digits digits : {Digits::kMeasured, Digits::kComputed}) {
      const std::string full = fmt::format("{}/{}/{}", name, kind == Kind::kPlanar ? "planar" : "spatial",
                                           digits == Digits::kMeasured ? "measured" : "computed");
      benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) {
        run(state, kind, digits);
      })->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace
}  // namespace ricochet

int main(int argc, char** argv) {
  ricochet::Register("parse", ricochet::ParseText);
  ricochet::Register("read", ricochet::ReadFile);
  ricochet::Register("format", ricochet::FormatText);
  ricochet::Register("stream", ricochet::StreamRows);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
