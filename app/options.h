// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Options that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "ricochet/estimate.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet::app {

/// `--set PATH=VALUE`, in order. Throws InputError.
void ApplySettings(Scene& scene, const std::vector<std::string>& settings);

/// `--noise position=S,angle=S`; empty text leaves both at 0. Throws InputError.
void ParseNoise(const std::string& text, double& position, double& angle);

/// Checks for numbers on the command line: finite, and positive or at least 0.
CLI::Validator Positive();
CLI::Validator NonNegative();

/// A whole number of at least 0, for --seed.
CLI::Validator WholeNumber();

/// Adds --threads to a command that uses several.
void AddThreads(CLI::App& command);

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

/// `--impact-restitutions` for the library's option `impact_restitutions`; any other path of a message as it is.
std::string FlagOfOption(const std::string& name);

/// Calls the library; errors name the flag of an option in place of the option.
template <class Call>
auto NamingFlags(const Call& call) {
  try {
    return call();
  } catch (const InputError& error) {
    throw InputError(error.where(), FlagOfOption(error.path()), error.problem(), error.remedy());
  }
}

/// The command line as it was typed, for reports; set once, at the start of the program.
void SetCommandLine(std::vector<std::string> words);
const std::vector<std::string>& CommandLine();

/// Throws InputError when an output is one of the inputs or two outputs are the same file. Empty names are left out.
void RefuseOverwriting(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

}  // namespace ricochet::app
