// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "app/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "ricochet/parameter.h"

namespace ricochet::app {

void ApplySettings(Scene& scene, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) SetFromText(scene, setting);
  if (!settings.empty()) CheckScene(scene);
}

void ParseNoise(const std::string& text, double& position, double& angle) {
  const std::string_view whole = text;
  for (size_t begin = 0; begin < whole.size();) {
    const size_t end = std::min(whole.find(',', begin), whole.size());
    const std::string_view part = whole.substr(begin, end - begin);
    const size_t equals = part.find('=');
    const std::string_view name = part.substr(0, std::min(equals, part.size()));
    double* const target = name == "position" ? &position : name == "angle" ? &angle : nullptr;
    double value = -1;
    if (equals != std::string_view::npos) {
      const std::string_view number = part.substr(equals + 1);
      const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value);
      if (error != std::errc() || stop != number.data() + number.size()) value = -1;
    }
    if (!target || !(value >= 0) || !std::isfinite(value))
      throw InputError({}, "--noise", fmt::format("`{}` is not understood.", Printable(part)),
                       "Write position=S,angle=S with standard deviations in meters and radians.");
    *target = value;
    begin = end + 1;
  }
}

namespace {

/// A validator on the number that a text is; the message says what it should be.
CLI::Validator NumberThat(const std::string& name, const std::function<bool(double)>& accepts) {
  return {[name, accepts](std::string& text) -> std::string {
            double value = NAN;
            const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool number = error == std::errc() && stop == text.data() + text.size();
            if (number && std::isfinite(value) && accepts(value)) return {};
            return fmt::format("`{}` is not {}", Printable(text), name);
          },
          name};
}

}  // namespace

CLI::Validator Positive() {
  return NumberThat("a positive number", [](double x) { return x > 0; });
}

CLI::Validator NonNegative() {
  return NumberThat("a number of at least 0", [](double x) { return x >= 0; });
}

CLI::Validator Count() {
  constexpr double kMost = std::numeric_limits<int>::max();
  return NumberThat("a whole number of at least 0",
                    [](double x) { return x >= 0 && x <= kMost && x == std::floor(x); });
}

CLI::Validator CountBetween(int low, int high) {
  return NumberThat(fmt::format("a whole number from {} to {}", low, high),
                    [low, high](double x) { return x >= low && x <= high && x == std::floor(x); });
}

CLI::Validator Between(double low, double high) {
  const std::string name = fmt::format("a number from {:g} to {:g}", low, high);
  return NumberThat(name, [low, high](double x) { return x >= low && x <= high; });
}

void AddThreads(CLI::App& command, ContextFlags& flags) {
  constexpr int kMost = 1024;
  command.add_option("--threads", flags.threads, "Threads; 0: one per core")
      ->check(CountBetween(0, kMost));
}

void AddSeed(CLI::App& command, ContextFlags& flags, const std::string& help) {
  command.add_option("--seed", flags.seed, help)->capture_default_str()->check(WholeNumber());
}

CLI::Validator WholeNumber() {
  return {[](std::string& text) -> std::string {
            std::uint64_t value = 0;
            const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error == std::errc() && stop == text.data() + text.size()) return {};
            return fmt::format("`{}` is not a whole number from 0 to 2^64 - 1", Printable(text));
          },
          "a whole number"};
}

CLI::Option* EstimationArguments::AddTo(CLI::App& command, const std::string& recording_help) {
  command.add_option("SCENE", scene, "Scene file (YAML)")->required();
  CLI::Option* const files = command.add_option("RECORDING", recordings, recording_help);
  command.add_option("--estimate", paths, "Paths of the parameters to estimate, separated by commas; repeatable")
      ->required();
  command.add_option("--set", set, "PATH=VALUE: set a parameter of the scene first; repeatable");
  return files;
}

EstimationInputs ReadInputs(const EstimationArguments& arguments) {
  EstimationInputs inputs;
  inputs.scene = ReadScene(arguments.scene);
  ApplySettings(inputs.scene, arguments.set);
  for (const std::string& part : arguments.paths) inputs.paths += (inputs.paths.empty() ? "" : ",") + part;
  inputs.recordings = ReadRecordings(arguments.recordings);
  return inputs;
}

std::vector<Recording> ReadRecordings(const std::vector<std::string>& files) {
  std::vector<Recording> recordings;
  for (const std::string& file : files) recordings.push_back(ReadRecording(file));
  return recordings;
}

namespace {

std::vector<std::string>& StoredCommandLine() {
  static std::vector<std::string> words;
  return words;
}

}  // namespace

void SetCommandLine(std::vector<std::string> words) { StoredCommandLine() = std::move(words); }
const std::vector<std::string>& CommandLine() { return StoredCommandLine(); }

void WritePage(ReportData& report, const std::vector<std::string>& inputs,
               std::vector<std::pair<std::string, std::string>> options, const std::string& file) {
  if (!inputs.empty()) report.provenance.inputs = HashFiles(inputs);
  report.provenance.command_line = CommandLine();
  report.provenance.options = std::move(options);
  WriteReport(report, file);
}

void RefuseOverwriting(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  namespace fs = std::filesystem;
  const auto same = [](const std::string& a, const std::string& b) {
    std::error_code error;
    if (fs::equivalent(a, b, error)) return fs::is_regular_file(a, error);
    return !fs::exists(a, error) &&
           fs::weakly_canonical(fs::absolute(a), error) == fs::weakly_canonical(fs::absolute(b), error);
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].empty()) continue;
    std::error_code error;
    const fs::path folder = fs::path(outputs[i]).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, error))
      throw InputError({outputs[i], 0, 0}, "", "the folder does not exist.", "Create the folder first.");
    for (const std::string& input : inputs) {
      if (!input.empty() && same(outputs[i], input))
        throw InputError({outputs[i], 0, 0}, "", "is an input; writing the output would overwrite it.",
                         "Choose another name.");
    }
    for (size_t j = 0; j < i; ++j) {
      if (!outputs[j].empty() && same(outputs[i], outputs[j]))
        throw InputError({outputs[i], 0, 0}, "", "is the name of two outputs.", "Choose different names.");
    }
  }
}

void MakeFolder(const std::string& folder, const std::string& flag) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder, error))
    throw InputError({folder, 0, 0}, "", "is not a folder and cannot be created.",
                     fmt::format("Name a folder with {}.", flag));
}

}  // namespace ricochet::app
