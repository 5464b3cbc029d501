// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

// Colors that stay apart for the color-blind (Okabe and Ito).
constexpr std::array<const char*, 7> kPalette = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                 "#56B4E9", "#E69F00", "#000000"};
constexpr double kLeft = 78, kRight = 16, kTop = 34, kBottom = 48, kPanelHeight = 270, kScaleWidth = 84;

std::string Escape(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// One axis: data to pixels, and its ticks.
struct Axis {
  double lo = 0, hi = 1;    // in data, or in log10 of it
  double from = 0, to = 1;  // pixels
  bool log = false;

  double Value(double x) const { return log ? std::log10(x) : x; }
  bool Shows(double x) const { return std::isfinite(x) && (!log || x > 0); }
  double Pixel(double x) const { return from + (Value(x) - lo) / (hi - lo) * (to - from); }

  std::vector<double> Ticks() const {
    std::vector<double> ticks;
    if (log) {
      for (double decade = std::ceil(lo - 1e-9); decade <= hi + 1e-9; ++decade) ticks.push_back(std::pow(10, decade));
      if (ticks.size() >= 2) return ticks;
      ticks.clear();
      for (double decade = std::floor(lo); decade <= hi; ++decade)
        for (double m : {1, 2, 5})
          if (const double x = m * std::pow(10, decade); Value(x) >= lo - 1e-9 && Value(x) <= hi + 1e-9)
            ticks.push_back(x);
      return ticks;
    }
    const double raw = (hi - lo) / 6, power = std::pow(10, std::floor(std::log10(raw)));
    const double step = power * (raw / power < 1.5 ? 1 : raw / power < 3.5 ? 2 : raw / power < 7.5 ? 5 : 10);
    for (double k = std::ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; ++k)
      ticks.push_back(k * step + 0.0);  // + 0: no "-0"
    return ticks;
  }
};

/// Half a cell of an even grid.
double HalfCell(const std::vector<double>& points) {
  return points.size() > 1 ? 0.5 * (points.back() - points.front()) / static_cast<double>(points.size() - 1) : 0.5;
}

Axis FitAxis(const Plot& plot, bool is_x) {
  Axis axis;
  axis.log = is_x ? plot.log_x : plot.log_y;
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  for (const PlotSeries& series : plot.series) {
    for (double value : is_x ? series.x : series.y) {
      if (!axis.Shows(value)) continue;
      lo = std::min(lo, axis.Value(value));
      hi = std::max(hi, axis.Value(value));
    }
    if (!is_x && !axis.log && series.style == SeriesStyle::kStems) lo = std::min(lo, 0.0), hi = std::max(hi, 0.0);
  }
  if (plot.map) {
    const std::vector<double>& points = is_x ? plot.map->x : plot.map->y;
    axis.lo = points.front() - HalfCell(points);
    axis.hi = points.back() + HalfCell(points);
    return axis;
  }
  if (!(lo <= hi)) lo = 0, hi = 1;
  const double margin = hi > lo ? 0.04 * (hi - lo) : 0.5 * std::max(1e-12, std::abs(hi));
  const bool only_lines = std::all_of(plot.series.begin(), plot.series.end(), [](const PlotSeries& series) {
    return series.style == SeriesStyle::kLine || series.style == SeriesStyle::kDashed;
  });
  const bool tight = is_x && hi > lo && only_lines && !plot.equal_axes;
  axis.lo = tight ? lo : lo - margin;
  axis.hi = tight ? hi : hi + margin;
  if (!is_x && plot.y_min) axis.lo = axis.Value(*plot.y_min);
  if (!is_x && plot.y_max) axis.hi = axis.Value(*plot.y_max);
  return axis;
}

void DrawAxes(const Plot& plot, const Axis& x, const Axis& y, std::string& svg) {
  svg += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#888\"/>\n", x.from,
      y.to, x.to - x.from, y.from - y.to);
  for (double tick : x.Ticks()) {
    const double p = x.Pixel(tick);
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#ddd\"/><text x=\"{0:.1f}\" y=\"{3:.1f}\" "
        "text-anchor=\"middle\">{4:.6g}</text>\n",
        p, y.to, y.from, y.from + 16, tick);
  }
  for (double tick : y.Ticks()) {
    const double p = y.Pixel(tick);
    svg += fmt::format(
        "<path d=\"M{0:.1f} {2:.1f}H{1:.1f}\" stroke=\"#ddd\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:.6g}</text>\n",
        x.from, x.to, p, x.from - 6, p + 4, tick);
  }
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-weight=\"bold\">{}</text>\n", x.from, y.to - 10,
                     Escape(plot.title));
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", 0.5 * (x.from + x.to),
                     y.from + 36, Escape(plot.x_label));
  svg += fmt::format("<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     0.5 * (y.from + y.to), Escape(plot.y_label));
}

void DrawSeries(const PlotSeries& series, const char* color, const Axis& x, const Axis& y, std::string& svg) {
  std::string path;
  bool pen_down = false;
  double last_x = 0, last_y = 0;
  const size_t n = std::min(series.x.size(), series.y.size());
  for (size_t i = 0; i < n; ++i) {
    if (!x.Shows(series.x[i]) || !y.Shows(series.y[i])) {
      pen_down = false;
      continue;
    }
    const double px = x.Pixel(series.x[i]), py = y.Pixel(series.y[i]);
    const bool line = series.style == SeriesStyle::kLine || series.style == SeriesStyle::kDashed;
    if (line && pen_down && i + 1 < n && std::hypot(px - last_x, py - last_y) < 0.5) continue;  // not to be seen
    last_x = px;
    last_y = py;
    switch (series.style) {
      case SeriesStyle::kLine:
      case SeriesStyle::kDashed:
        path += fmt::format("{}{:.2f} {:.2f}", pen_down ? "L" : "M", px, py);
        break;
      case SeriesStyle::kMarkers:
        path += fmt::format("M{:.2f} {:.2f}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0", px - 3, py);
        break;
      case SeriesStyle::kStems:
        path += fmt::format("M{0:.2f} {1:.2f}V{2:.2f}", px, y.Pixel(0), py);
        break;
    }
    pen_down = true;
  }
  const bool filled = series.style == SeriesStyle::kMarkers;
  svg += fmt::format(
      "<path clip-path=\"url(#panel{:.0f})\" d=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.5\"{}/>\n", y.to, path,
      filled ? color : "none", color, series.style == SeriesStyle::kDashed ? " stroke-dasharray=\"6 4\"" : "");
}

/// Color of a value between 0 (dark) and 1 (light), of even steps in brightness also without color.
std::string Shade(double part) {
  constexpr double kStops[5][3] = {{29, 17, 71}, {81, 18, 124}, {183, 55, 121}, {252, 137, 97}, {252, 253, 191}};
  const double at = std::clamp(part, 0.0, 1.0) * 4;
  const int k = std::min(3, static_cast<int>(at));
  int rgb[3];
  for (int c = 0; c < 3; ++c)
    rgb[c] = static_cast<int>(std::lround(kStops[k][c] + (at - k) * (kStops[k + 1][c] - kStops[k][c])));
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

void DrawMap(const PlotMap& map, const Axis& x, const Axis& y, std::string& svg) {
  double lo = std::numeric_limits<double>::infinity(), hi = 0;
  for (const double value : map.values)
    if (value > 0) lo = std::min(lo, value), hi = std::max(hi, value);
  if (!(lo <= hi)) return;
  const double range = std::max(std::log(hi / lo), 1e-12), half_x = HalfCell(map.x), half_y = HalfCell(map.y);
  for (std::size_t i = 0; i < map.x.size(); ++i) {
    for (std::size_t j = 0; j < map.y.size(); ++j) {
      const double value = map.values[i * map.y.size() + j];
      if (!(value > 0)) continue;
      const double left = x.Pixel(map.x[i] - half_x), right = x.Pixel(map.x[i] + half_x);
      const double bottom = y.Pixel(map.y[j] - half_y), top = y.Pixel(map.y[j] + half_y);
      svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", left,
                         top, right - left + 0.3, bottom - top + 0.3, Shade(std::log(value / lo) / range));
    }
  }
  // The scale, right of the panel.
  constexpr int kSteps = 40;
  const double left = x.to + 14, height = y.from - y.to;
  for (int k = 0; k < kSteps; ++k)
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"{:.1f}\" fill=\"{}\"/>\n", left,
                       y.from - (k + 1) * height / kSteps, height / kSteps + 0.3, Shade((k + 0.5) / kSteps));
  for (int k = 0; k <= 2; ++k)
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{:.3g}</text>\n", left + 18, y.from - 0.5 * k * height + 4,
                       lo * std::exp(0.5 * k * range));
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left, y.to - 10, Escape(map.label));
}

/// Points of the series inside a rectangle of the picture.
int PointsWithin(const Plot& plot, const Axis& x, const Axis& y, double left, double top, double width, double height) {
  int count = 0;
  for (const PlotSeries& series : plot.series) {
    for (size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      if (!x.Shows(series.x[i]) || !y.Shows(series.y[i])) continue;
      const double px = x.Pixel(series.x[i]) - left, py = y.Pixel(series.y[i]) - top;
      count += px > -4 && px < width + 4 && py > -4 && py < height + 4;
    }
  }
  return count;
}

/// In the corner that hides the fewest points; top right when several are as empty.
void DrawLegend(const Plot& plot, const Axis& x, const Axis& y, std::string& svg) {
  size_t rows = 0, longest = 0;
  for (const PlotSeries& series : plot.series) {
    rows += !series.label.empty();
    longest = std::max(longest, series.label.size());
  }
  if (rows == 0) return;
  const double width = 46 + 7.0 * static_cast<double>(longest), height = 15.0 * static_cast<double>(rows) + 5;
  double left = 0, top = 0;
  int fewest = -1;
  for (const double corner_top : {y.to + 2, y.from - height - 2}) {
    for (const double corner_left : {x.to - width - 2, x.from + 2}) {
      const int points = PointsWithin(plot, x, y, corner_left, corner_top, width, height);
      if (fewest >= 0 && points >= fewest) continue;
      fewest = points;
      left = corner_left;
      top = corner_top;
    }
  }
  svg += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"white\" fill-opacity=\"0.8\"/>\n",
      left, top, width, height);
  double at = top + 14;
  for (size_t i = 0; i < plot.series.size(); ++i) {
    const PlotSeries& series = plot.series[i];
    if (series.label.empty()) continue;
    const char* color = kPalette[(series.color >= 0 ? series.color : i) % kPalette.size()];
    const char* dash = series.style == SeriesStyle::kDashed ? " stroke-dasharray=\"6 4\"" : "";
    svg +=
        series.style == SeriesStyle::kMarkers
            ? fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>", left + width - 17, at - 4, color)
            : fmt::format("<path d=\"M{:.1f} {:.1f}h22\" stroke=\"{}\" stroke-width=\"2\"{}/>", left + width - 28,
                          at - 4, color, dash);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left + width - 34, at,
                       Escape(series.label));
    at += 15;
  }
}

}  // namespace

std::string RenderSvg(const std::vector<Plot>& panels, int width) {
  std::string body;
  double top = 0;
  for (const Plot& plot : panels) {
    Axis x = FitAxis(plot, true), y = FitAxis(plot, false);
    double height = kPanelHeight;
    x.from = kLeft;
    x.to = width - (plot.map ? kScaleWidth : kRight);
    if (plot.equal_axes) height = std::clamp((y.hi - y.lo) / (x.hi - x.lo) * (x.to - x.from), 60.0, 600.0);
    y.to = top + kTop;
    y.from = y.to + height;
    body += fmt::format(
        "<clipPath id=\"panel{0:.0f}\"><rect x=\"{1:.1f}\" y=\"{0:.1f}\" width=\"{2:.1f}\" "
        "height=\"{3:.1f}\"/></clipPath>\n",
        y.to, x.from, x.to - x.from, height);
    if (plot.map) DrawMap(*plot.map, x, y, body);
    DrawAxes(plot, x, y, body);
    for (size_t i = 0; i < plot.series.size(); ++i) {
      const int color = plot.series[i].color;
      DrawSeries(plot.series[i], kPalette[(color >= 0 ? color : i) % kPalette.size()], x, y, body);
    }
    DrawLegend(plot, x, y, body);
    top = y.from + kBottom;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" viewBox=\"0 0 {0} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n{2}</svg>\n",
      width, top, body);
}

}  // namespace ricochet
