// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "reproduce/reproduce.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "core/atomic_file.h"
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
                     "Choose another folder with -o.");

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

}  // namespace ricochet
