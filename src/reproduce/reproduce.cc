// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "reproduce/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "core/atomic_file.h"
#include "core/context.h"
#include "core/text.h"
#include "ricochet/error.h"

namespace ricochet {

std::vector<Experiment> AllExperiments() {
  std::vector<Experiment> all;
  for (auto part : {GabicciniSimulationExperiments, GabicciniIdentificationExperiments, FazeliSimulationExperiments,
                    FazeliIdentificationExperiments, SpookSimulationExperiments, SpookIdentificationExperiments,
                    XieExperiments, JongeneelExperiments}) {
    std::vector<Experiment> some = part();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

std::string FormatComparisons(const std::vector<Comparison>& comparisons) {
  std::string text = "| quantity | paper | ours | remark |\n|---|---|---|---|\n";
  for (const Comparison& c : comparisons)
    text += fmt::format("| {} | {} | {} | {} |\n", c.quantity, c.paper, c.ours, c.remark);
  return text;
}

void WriteExperiment(const Experiment& experiment, const ExperimentResult& result, const std::string& directory) {
  const std::filesystem::path folder = std::filesystem::path(directory) / experiment.name;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError({folder.string(), 0, 0}, "", fmt::format("the folder cannot be made: {}.", error.message()),
                     "Choose another folder.");

  for (const DataTable& table : result.tables) {
    std::string text;
    for (size_t i = 0; i < table.columns.size(); ++i) text += (i ? "," : "") + table.columns[i];
    text += '\n';
    for (const auto& row : table.rows) {
      for (size_t i = 0; i < row.size(); ++i) text += (i ? "," : "") + FormatDouble(row[i]);
      text += '\n';
    }
    WriteFileAtomically((folder / (table.name + ".csv")).string(), text);
  }
  for (const Figure& figure : result.figures)
    WriteFileAtomically((folder / (figure.name + ".svg")).string(), RenderSvg(figure.panels));
  WriteFileAtomically((folder / "comparison.md").string(),
                      fmt::format("# {}\n\n{}", experiment.title, FormatComparisons(result.comparisons)));
}

std::vector<ExperimentInfo> ListExperiments() {
  std::vector<ExperimentInfo> out;
  for (const Experiment& experiment : AllExperiments()) out.push_back({experiment.name, experiment.title});
  return out;
}

std::vector<ExperimentInfo> FindExperiments(const std::vector<std::string>& names) {
  const std::vector<ExperimentInfo> all = ListExperiments();
  if (std::find(names.begin(), names.end(), "all") != names.end()) return all;
  std::vector<ExperimentInfo> found;
  for (const std::string& name : names) {
    const std::size_t before = found.size();
    for (const ExperimentInfo& experiment : all)
      if (experiment.name == name || experiment.name.starts_with(name + "-")) found.push_back(experiment);
    if (found.size() > before) continue;
    std::vector<std::string> known;
    for (const ExperimentInfo& experiment : all) known.push_back(experiment.name);
    throw InputError({}, "reproduce", fmt::format("there is no experiment `{}`.", Printable(name)),
                     SuggestName(name, known));
  }
  return found;
}

std::vector<Comparison> Reproduce(std::string_view name, const std::string& directory, const Context& context) {
  Context own = context;
  own.seed = 0;  // that of the tables in docs/
  const ContextScope scope(own, "reproduce");
  const std::string found = FindExperiments({std::string(name)}).front().name;
  const std::vector<Experiment> all = AllExperiments();
  const auto experiment = std::find_if(all.begin(), all.end(), [&](const Experiment& e) { return e.name == found; });
  const ExperimentResult result = experiment->run();
  if (!directory.empty()) WriteExperiment(*experiment, result, directory);
  return result.comparisons;
}

}  // namespace ricochet
