// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Options that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/command_context.h"
#include "ricochet/recording.h"
#include "ricochet/report.h"
#include "ricochet/scene.h"

namespace ricochet::app {

/// `--set PATH=VALUE`, in order. Throws InputError.
void ApplySettings(Scene& scene, const std::vector<std::string>& settings);

/// `--noise position=S,angle=S`; empty text leaves both at 0. Throws InputError.
void ParseNoise(const std::string& text, double& position, double& angle);

/// Checks for numbers on the command line: finite, and positive or at least 0.
CLI::Validator Positive();
CLI::Validator NonNegative();

/// Numbers in a range.
CLI::Validator Between(double low, double high);

/// Whole numbers that fit an `int`: at least 0, or in a range.
CLI::Validator Count();
CLI::Validator CountBetween(int low, int high);

/// A whole number of at least 0, for --seed.
CLI::Validator WholeNumber();

/// Add --threads and --seed to a command.
void AddThreads(CLI::App& command, ContextFlags& flags);
void AddSeed(CLI::App& command, ContextFlags& flags, const std::string& help = "Random seed");

/// The recordings in these files. Throws InputError.
std::vector<Recording> ReadRecordings(const std::vector<std::string>& files);

/// SCENE, RECORDING..., --estimate and --set, which `identify` and `identifiability` share.
struct EstimationArguments {
  std::string scene;
  std::vector<std::string> recordings, paths, set;

  /// Adds the options to a command; `recording_help` says what recordings are for.
  CLI::Option* AddTo(CLI::App& command, const std::string& recording_help);
};

/// What they name, read: the scene with its settings, the recordings, the paths as one comma list. Throws InputError.
struct EstimationInputs {
  Scene scene;
  std::vector<Recording> recordings;
  std::string paths;
};
EstimationInputs ReadInputs(const EstimationArguments& arguments);

/// The command line as it was typed, for reports; set once, at the start of the program.
void SetCommandLine(std::vector<std::string> words);
const std::vector<std::string>& CommandLine();

/// Writes the page with its provenance: the command line, these options, and hashes of the inputs unless the report has
/// them already (`inputs` is empty). Files without a name are left out.
void WritePage(ReportData& report, const std::vector<std::string>& inputs,
               std::vector<std::pair<std::string, std::string>> options, const std::string& file);

/// Throws InputError when an output is one of the inputs or two outputs are the same file. Empty names are left out.
void RefuseOverwriting(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

/// Creates a folder for outputs where there is none. Throws InputError that names `flag` when it cannot be one.
void MakeFolder(const std::string& folder, const std::string& flag);

}  // namespace ricochet::app
