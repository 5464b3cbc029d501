// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Line and marker plots and maps as SVG, for the figures of `reproduce` and of the docs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ricochet {

enum class SeriesStyle { kLine, kDashed, kMarkers, kStems };

struct PlotSeries {
  std::string label;         // empty: not in the legend
  std::vector<double> x, y;  // NaN breaks the line
  SeriesStyle style = SeriesStyle::kLine;
  int color = -1;  // index into the palette; -1: by position
};

/// Values over a grid, drawn as colored cells about its points: dark where they are small, by their logarithm.
struct PlotMap {
  std::vector<double> x, y;    // evenly spaced
  std::vector<double> values;  // positive; that of (x_i, y_j) at i * y.size() + j; not a number: left white
  std::string label;           // of the scale beside it
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotSeries> series;
  bool log_x = false, log_y = false;
  bool equal_axes = false;  // same scale on both axes (motions in the plane)
  std::optional<double> y_min = {}, y_max = {};
  std::optional<PlotMap> map = {};  // under the series
};

/// Panels under each other in one picture of the given width; the height follows. Text is escaped.
std::string RenderSvg(const std::vector<Plot>& panels, int width = 760);

}  // namespace ricochet
