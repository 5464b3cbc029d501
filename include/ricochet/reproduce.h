// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The experiments of the papers behind the methods, run again: the papers' numbers next to ours.
//
//     for (const ricochet::ExperimentInfo& experiment : ricochet::FindExperiments({"gabiccini"}))
//       std::cout << ricochet::FormatComparisons(ricochet::Reproduce(experiment.name, "out"));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/context.h"

namespace ricochet {

/// An experiment of a paper.
struct ExperimentInfo {
  std::string name;   // "gabiccini-drop"
  std::string title;  // what it shows and where it is in the paper
};

/// One number of a paper beside ours.
struct Comparison {
  std::string quantity;  // what is compared, with its unit
  std::string paper;     // the paper's number, as it prints it
  std::string ours;      // Ricochet's
  std::string remark;    // why they differ; empty where there is nothing to say
};

/// All experiments, in the papers' order.
std::vector<ExperimentInfo> ListExperiments();

/// Experiments by their name, by the part of it before a dash ("gabiccini": all of that paper), or all of them ("all").
/// Throws InputError that suggests the nearest name.
std::vector<ExperimentInfo> FindExperiments(const std::vector<std::string>& names);

/// Runs an experiment and writes its tables (CSV), figures (SVG) and comparison (Markdown) into DIRECTORY/NAME; an
/// empty directory: nothing is written. Takes seconds to minutes. Throws InputError for an unknown name or a directory
/// that cannot be written, and Cancelled. Context::seed has no effect.
std::vector<Comparison> Reproduce(std::string_view name, const std::string& directory, const Context& context = {});

/// The comparison as a Markdown table.
std::string FormatComparisons(const std::vector<Comparison>& comparisons);

}  // namespace ricochet
