// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The command line: one file per command, no numerics. Each Add function declares a subcommand with its options, help
// and example, and sets what it runs. Commands report wrong input by InputError (exit 2) and failed numerics by
// NumericsError (exit 3) after writing what was reached.
#pragma once

#include <CLI/CLI.hpp>

namespace ricochet::app {

void AddSimulate(CLI::App& root);
void AddParameters(CLI::App& root);
void AddMethods(CLI::App& root);
void AddReproduce(CLI::App& root);
void AddImport(CLI::App& root);
void AddIdentify(CLI::App& root);
void AddIdentifiability(CLI::App& root);
void AddValidate(CLI::App& root);
void AddSweep(CLI::App& root);
void AddPredict(CLI::App& root);
void AddDoctor(CLI::App& root);
void AddCalibrateFrame(CLI::App& root);
void AddReport(CLI::App& root);

}  // namespace ricochet::app
