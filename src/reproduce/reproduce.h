// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The papers' experiments, run again: for each a table of data, a picture, and the paper's numbers next to ours. Used
// by the command `reproduce` and by the golden tests.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "report/plot.h"
#include "ricochet/reproduce.h"

namespace ricochet {

/// A table of numbers, written as CSV.
struct DataTable {
  std::string name;  // file name without ".csv"
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
};

/// A picture, written as SVG.
struct Figure {
  std::string name;  // file name without ".svg"
  std::vector<Plot> panels;
};

struct ExperimentResult {
  std::vector<Comparison> comparisons;
  std::vector<DataTable> tables;
  std::vector<Figure> figures;
};

struct Experiment {
  std::string name;   // "gabiccini-drop"
  std::string title;  // what it shows and where it is in the paper
  std::function<ExperimentResult()> run;
};

/// All experiments, in the papers' order.
std::vector<Experiment> AllExperiments();

/// The parts, one function per paper and theme.
std::vector<Experiment> GabicciniSimulationExperiments();
std::vector<Experiment> GabicciniIdentificationExperiments();
std::vector<Experiment> FazeliSimulationExperiments();
std::vector<Experiment> FazeliIdentificationExperiments();
std::vector<Experiment> SpookSimulationExperiments();
std::vector<Experiment> SpookIdentificationExperiments();
std::vector<Experiment> XieExperiments();
std::vector<Experiment> JongeneelExperiments();

/// Writes tables (CSV), figures (SVG) and the comparison (Markdown) into DIR/NAME.
void WriteExperiment(const Experiment& experiment, const ExperimentResult& result, const std::string& directory);

}  // namespace ricochet
