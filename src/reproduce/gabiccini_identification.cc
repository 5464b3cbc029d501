// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Gabiccini sec. 6: J/m and friction of a thrown plywood ellipse from noisy poses (Table 1, Fig. 17 to 19), and a
// synthetic twin of the real experiment (Fig. 22, 23). Fits start blind.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "core/context.h"
#include "core/random.h"
#include "reproduce/identification.h"
#include "reproduce/plywood.h"

namespace ricochet {
namespace {

constexpr double kDuration = 0.5;  // [s]
constexpr double kShown = 0.2;     // friction of Fig. 17 and 18

/// Table 1, and Fig. 19 from the same fits.
ExperimentResult GabicciniTable1() {
  ExperimentResult result;
  const Scene blind = PlywoodBlindScene();
  Plot friction_plot{"Friction found (mean over frame rates) against true", "true friction", "friction", {}};
  friction_plot.series.push_back({"true", {0.1, 0.9}, {0.1, 0.9}, SeriesStyle::kDashed});
  friction_plot.series.push_back({"sticks from 0.57 on", {0.57, 0.57}, {0.0, 0.9}, SeriesStyle::kDashed});
  Plot error_plot{"RMS error of J/m over friction 0.2 to 0.9", "frames per second", "error [%]", {}};
  error_plot.log_y = true;
  std::array<double, 5> paper{};
  PlotSeries paper_series{"paper", {}, {}};
  for (std::size_t r = 0; r < kPlywoodRates.size(); ++r) {
    int count = 0;
    for (std::size_t m = 1; m < 9; ++m)
      if (std::isfinite(kGabicciniTable1[m][r])) {
        paper[r] += kGabicciniTable1[m][r] * kGabicciniTable1[m][r];
        ++count;
      }
    paper[r] = std::sqrt(paper[r] / count);
    paper_series.x.push_back(kPlywoodRates[r]);
    paper_series.y.push_back(paper[r]);
  }
  error_plot.series.push_back(paper_series);
  for (const std::string& method : AvailableMethods())
    for (const int noise : kPlywoodNoises) {
      const std::string label = fmt::format("{}, {} mrad", method, noise);
      DataTable table{fmt::format("table1_{}_{}mrad", method, noise),
                      {"friction", "30_fps", "60_fps", "120_fps", "200_fps", "240_fps", "friction_mean"},
                      {}};
      PlotSeries found{label, {}, {}, SeriesStyle::kMarkers}, errors{label, {}, {}};
      std::array<double, 5> squares{};
      std::array<int, 5> counts{};
      for (int m = 1; m <= 9; ++m) {
        std::vector<double> row = {0.1 * m};
        double sum = 0;
        int frictions = 0;
        for (std::size_t r = 0; r < kPlywoodRates.size(); ++r) {
          const Recording recording = PlywoodRecording(0.1 * m, 1e-3 * noise, kPlywoodRates[r], 0);
          const std::optional<Estimate> estimate = TryIdentify(blind, {recording}, kPlywoodPaths, method);
          row.push_back(estimate ? 100 * (*estimate->parameters[0].value / kPlywoodRatio - 1) : NAN);
          if (!estimate) continue;
          // Where the motion sticks, the least friction that explains it, as in the paper.
          const EstimatedParameter& mu = estimate->parameters[1];
          const std::optional<double> value = mu.value ? mu.value : mu.lower;
          if (value) sum += *value, ++frictions;
          if (m == 1) continue;
          squares[r] += row.back() * row.back();
          ++counts[r];
        }
        row.push_back(frictions > 0 ? sum / frictions : NAN);
        found.x.push_back(0.1 * m);
        found.y.push_back(row.back());
        table.rows.push_back(row);
      }
      for (std::size_t r = 0; r < kPlywoodRates.size(); ++r) {
        const double rms = std::sqrt(squares[r] / std::max(1, counts[r]));
        errors.x.push_back(kPlywoodRates[r]);
        errors.y.push_back(rms);
        result.comparisons.push_back(
            {fmt::format("RMS error of J/m, friction 0.2 to 0.9, {} fps [%]", kPlywoodRates[r]),
             fmt::format("{:.1f}", paper[r]), fmt::format("{:.2f}", rms),
             fmt::format("{}, {} of 8 fits", label, counts[r])});
      }
      for (const int m : {1, 2, 5, 9})
        result.comparisons.push_back(
            {fmt::format("error of J/m at friction {:.1f}, 30/60/120/200/240 fps [%]", 0.1 * m),
             [&] {
               std::string text;
               for (const double value : kGabicciniTable1[static_cast<std::size_t>(m - 1)])
                 text += (text.empty() ? "" : " ") + (std::isfinite(value) ? fmt::format("{:+.0f}", value) : "//");
               return text;
             }(),
             [&] {
               std::string text;
               const auto& row = table.rows[static_cast<std::size_t>(m - 1)];
               for (std::size_t r = 1; r <= 5; ++r) text += (text.empty() ? "" : " ") + fmt::format("{:+.2f}", row[r]);
               return text;
             }(),
             label});
      friction_plot.series.push_back(found);
      error_plot.series.push_back(errors);
      result.comparisons.push_back({"friction at which the identified one stops to follow (Fig. 19)", "0.6",
                                    fmt::format("{:.3f} found at 0.9", table.rows.back().back()),
                                    label + "; everything sticks from 0.57 on: a bound from below"});
      result.tables.push_back(std::move(table));
    }
  AppendMissing(result);
  result.figures = {{"table1_errors", {error_plot}}, {"fig19_friction", {friction_plot}}};
  return result;
}

/// Fig. 17: identified motion of the center of mass at three frame rates.
ExperimentResult Trajectories() {
  ExperimentResult result;
  const Scene blind = PlywoodBlindScene();
  SimulateOptions fine;
  fine.method = "event";
  fine.step = 1e-3;
  const Recording truth = Simulate(PlywoodScene(kShown), fine, CurrentContext()).recording;
  Figure figure{"fig17_trajectories", {}};
  DataTable table{"fig17", {"fps", "t", "x", "y", "theta"}, {}};
  for (const int rate : {30, 60, 120}) {
    const Recording recording = PlywoodRecording(kShown, 1e-3, rate, 0);
    Plot plot{
        fmt::format("{} fps: recorded and identified center of mass (at the frames)", rate), "x [m]", "y [m]", {}};
    plot.series.push_back({"true", truth.values[0], truth.values[1], SeriesStyle::kDashed, 5});
    plot.series.push_back({"recorded", recording.values[0], recording.values[1], SeriesStyle::kMarkers, 3});
    for (const std::string& method : AvailableMethods()) {
      const std::optional<Estimate> estimate = TryIdentify(blind, {recording}, kPlywoodPaths, method);
      if (!estimate || estimate->motions.empty()) continue;
      // The fitted motion at the frames.
      PlotSeries path{method, {}, {}};
      double worst = 0;
      const EstimatedMotion& motion = estimate->motions[0];
      for (std::size_t i = 0; i < motion.time.size(); ++i) {
        path.x.push_back(motion.pose[i][0]);
        path.y.push_back(motion.pose[i][1]);
        table.rows.push_back({1.0 * rate, motion.time[i], motion.pose[i][0], motion.pose[i][1], motion.pose[i][2]});
        const auto row = static_cast<std::size_t>(
            std::min<long>(std::lround(motion.time[i] / *fine.step), static_cast<long>(truth.time.size()) - 1));
        if (std::abs(truth.time[row] - motion.time[i]) < 1e-6)
          worst = std::max(
              worst, std::hypot(motion.pose[i][0] - truth.values[0][row], motion.pose[i][1] - truth.values[1][row]));
      }
      plot.series.push_back(path);
      result.comparisons.push_back({fmt::format("largest distance from the true motion at {} fps [mm]", rate),
                                    rate < 100 ? "visible in Fig. 17" : "close in Fig. 17",
                                    fmt::format("{:.2f}", 1e3 * worst), method + ", frames on the 1 ms grid"});
    }
    figure.panels.push_back(plot);
  }
  AppendMissing(result);
  result.tables.push_back(std::move(table));
  result.figures.push_back(std::move(figure));
  return result;
}

/// Panels of normal and tangential impulses per frame, identified and, where known, true.
Figure ImpulseFigure(const std::string& name, const std::map<std::string, FrameImpulses>& identified,
                     const FrameImpulses& truth) {
  Plot normal{"Normal impulse per frame", "t [s]", "cn [N s]", {}},
      tangential{"Tangential impulse per frame", "t [s]", "ct [N s]", {}};
  int color = 0;
  for (const auto& [method, impulses] : identified) {
    normal.series.push_back({method, impulses.time, impulses.normal, SeriesStyle::kStems, color});
    tangential.series.push_back({method, impulses.time, impulses.tangential, SeriesStyle::kStems, color});
    ++color;
  }
  normal.series.push_back({"true", truth.time, truth.normal, SeriesStyle::kDashed, 5});
  tangential.series.push_back({"true", truth.time, truth.tangential, SeriesStyle::kDashed, 5});
  return {name, {normal, tangential}};
}

void CompareImpulses(const Scene& scene, const Scene& blind, const Recording& recording, double rate, double duration,
                     const std::string& stem, ExperimentResult& result) {
  SimulateOptions frames;
  frames.method = "event";
  frames.step = 1.0 / rate;
  frames.duration = duration;
  const FrameImpulses truth = TrueImpulses(Simulate(scene, frames, CurrentContext()), 1.0 / rate, duration);
  std::map<std::string, FrameImpulses> identified;
  const double total = [&] {
    double sum = 0;
    for (const double value : truth.normal) sum += value;
    return sum;
  }();
  for (const std::string& method : AvailableMethods()) {
    const std::optional<Estimate> estimate = TryIdentify(blind, {recording}, kPlywoodPaths, method);
    if (!estimate) continue;
    const FrameImpulses found = EstimatedImpulses(*estimate, 1.0 / rate, duration);
    double sum = 0, first = 0, first_true = 0;
    for (std::size_t i = 0; i < found.normal.size(); ++i) {
      sum += found.normal[i];
      if (found.time[i] < 0.06) first += found.normal[i], first_true += truth.normal[i];
    }
    result.comparisons.push_back({"J/m [mm^2]", stem == "fig18" ? "741 (-2 %)" : "778 (+2.9 %)",
                                  fmt::format("{:.2f} +- {:.2f}", 1e6 * *estimate->parameters[0].value,
                                              1e6 * estimate->parameters[0].std.value_or(NAN)),
                                  method + "; true 756"});
    const EstimatedParameter& mu = estimate->parameters[1];
    result.comparisons.push_back({"friction", stem == "fig18" ? "about 0.2 (Fig. 19)" : "0.3",
                                  mu.value ? fmt::format("{:.4f} +- {:.4f}", *mu.value, mu.std.value_or(NAN))
                                           : fmt::format("at least {:.3f}", mu.lower.value_or(NAN)),
                                  fmt::format("{}; true {:.1f}", method, scene[scene.Find("contact.friction")])});
    result.comparisons.push_back({"sum of normal impulses [N s]", "-", fmt::format("{:.5f}", sum),
                                  fmt::format("{}; true {:.5f}", method, total)});
    if (first_true > 0)
      result.comparisons.push_back({"normal impulses of the first 60 ms [N s]", "spread over several steps (penalty)",
                                    fmt::format("{:.5f}", first), fmt::format("{}; true {:.5f}", method, first_true)});
    identified[method] = found;
  }
  DataTable table{stem + "_impulses", {"t", "cn_true", "ct_true"}, {}};
  for (const auto& [method, impulses] : identified) {
    table.columns.push_back("cn_" + method);
    table.columns.push_back("ct_" + method);
  }
  for (std::size_t i = 0; i < truth.time.size(); ++i) {
    std::vector<double> row = {truth.time[i], truth.normal[i], truth.tangential[i]};
    for (const auto& [method, impulses] : identified) {
      row.push_back(impulses.normal[i]);
      row.push_back(impulses.tangential[i]);
    }
    table.rows.push_back(row);
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(ImpulseFigure(stem + "_impulses", identified, truth));
}

/// Fig. 18: identified impulses against true ones, friction 0.2, 240 fps.
ExperimentResult Impulses() {
  ExperimentResult result;
  CompareImpulses(PlywoodScene(kShown), PlywoodBlindScene(), PlywoodRecording(kShown, 1e-3, 240, 0), 240, kDuration,
                  "fig18", result);
  AppendMissing(result);
  return result;
}

/// The bar of sec. 6.2 and an ellipse released above it.
Scene BarScene(const std::string& initial, bool known) {
  return ParseScene(fmt::format("ricochet: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                "bodies:\n  ellipse:\n    shape: {{ellipse: {{semi_axes: [0.050, 0.025]}}}}\n"
                                "    mass: 0.064\n    inertia: {}\n"
                                "surfaces:\n  bar: {{line: {{point: [0, 0], angle: -0.247}}}}\n"
                                "contact: {{friction: {}, restitution: {}}}\n{}"
                                "simulation: {{method: event, step: 0.5, duration: 0.6}}\n",
                                known ? kPlywoodRatio * 0.064 : 1e-4, known ? 0.3 : 0.4, known ? 0.2 : 0.5, initial),
                    "bar.yaml");
}

/// Sec. 6.2 with simulated poses: 240 fps, 1 mm, 20 mrad (circles 60 mm apart seen to 1 mm), true friction 0.3.
ExperimentResult Bar() {
  ExperimentResult result;
  constexpr double kRate = 240, kSeen = 0.6, kNoise = 1e-3, kAngleNoise = 20e-3;
  const Scene blind = BarScene("", false);
  const auto release = [](double height, double angle, double vx, double rate) {
    // Height of the lowest point above the bar, along the vertical.
    const double slope = -0.247, psi = std::numbers::pi / 2 + slope - angle;
    const double support = std::hypot(0.05 * std::cos(psi), 0.025 * std::sin(psi)) / std::cos(slope);
    return fmt::format("initial:\n  ellipse: {{pose: [0, {}, {}], velocity: [{}, 0], angular_velocity: {}}}\n",
                       height + support, angle, vx, rate);
  };
  const Scene first = BarScene(release(0.2, 0.5, 0, 0), true);
  const Recording recording = ObserveScene(first, kRate, kNoise, kAngleNoise, 62);
  CompareImpulses(first, blind, recording, kRate, kSeen, "fig23", result);

  // Fig. 22: outlines and center of mass.
  Plot lapse{"Identified motion", "x [m]", "y [m]", {}}, path{"Center of mass", "x [m]", "y [m]", {}};
  lapse.equal_axes = true;
  lapse.series.push_back({"bar", {-0.1, 0.6}, {0.1 * std::tan(0.247), -0.6 * std::tan(0.247)}, SeriesStyle::kLine, 5});
  path.series.push_back({"recorded", recording.values[0], recording.values[1], SeriesStyle::kMarkers, 0});
  int color = 1;
  for (const std::string& method : AvailableMethods()) {
    const std::optional<Estimate> estimate = TryIdentify(blind, {recording}, kPlywoodPaths, method);
    if (!estimate || estimate->motions.empty()) continue;
    const EstimatedMotion& motion = estimate->motions[0];
    PlotSeries center{method, {}, {}, SeriesStyle::kLine, color};
    for (std::size_t i = 0; i < motion.time.size(); ++i) {
      center.x.push_back(motion.pose[i][0]);
      center.y.push_back(motion.pose[i][1]);
      if (color == 1 && i % 12 == 0) lapse.series.push_back(EllipseOutline(0.05, 0.025, motion.pose[i], 2));
    }
    lapse.series.push_back(center);
    path.series.push_back(center);
    ++color;
  }
  result.figures.push_back({"fig22_motion", {lapse, path}});

  // Other releases.
  DataTable others{"releases", {"method", "height", "angle", "vx", "rate", "inertia_over_mass", "std", "friction"}, {}};
  const std::vector<std::string> methods = AvailableMethods();
  for (std::size_t k = 0; k < methods.size(); ++k) {
    double sum = 0, squares = 0, friction = 0;
    int count = 0, frictions = 0;
    for (int trial = 0; trial < 10; ++trial) {
      Random random(62, static_cast<std::uint64_t>(trial));
      const double height = random.Uniform(0.12, 0.25), angle = random.Uniform(-0.8, 0.8),
                   vx = random.Uniform(-0.3, 0.6), rate = random.Uniform(-3, 3);
      const Scene scene = BarScene(release(height, angle, vx, rate), true);
      const std::optional<Estimate> estimate =
          TryIdentify(blind, {ObserveScene(scene, kRate, kNoise, kAngleNoise, static_cast<std::uint64_t>(100 + trial))},
                      kPlywoodPaths, methods[k]);
      if (!estimate || !estimate->converged) continue;  // it says that it found none
      const double value = *estimate->parameters[0].value;
      sum += value;
      squares += std::pow(100 * (value / kPlywoodRatio - 1), 2);
      ++count;
      if (estimate->parameters[1].value) friction += *estimate->parameters[1].value, ++frictions;
      others.rows.push_back({static_cast<double>(k), height, angle, vx, rate, value,
                             estimate->parameters[0].std.value_or(NAN), estimate->parameters[1].value.value_or(NAN)});
    }
    if (count == 0) continue;
    result.comparisons.push_back({"other releases: mean J/m [mm^2]", "668", fmt::format("{:.1f}", 1e6 * sum / count),
                                  fmt::format("{}, {} of 10 releases converge; true 756", methods[k], count)});
    result.comparisons.push_back(
        {"other releases: RMS error of J/m [%]", "19", fmt::format("{:.2f}", std::sqrt(squares / count)), methods[k]});
    if (frictions > 0)
      result.comparisons.push_back({"other releases: mean friction", "0.34",
                                    fmt::format("{:.3f}", friction / frictions),
                                    fmt::format("{}; true 0.3", methods[k])});
  }
  result.tables.push_back(std::move(others));
  AppendMissing(result);
  return result;
}

}  // namespace

std::vector<Experiment> GabicciniIdentificationExperiments() {
  return {
      {"gabiccini-table1", "Gabiccini Table 1, Fig. 19: error of J/m and friction found over friction and frame rate",
       GabicciniTable1},
      {"gabiccini-fig17", "Gabiccini Fig. 17: identified motion at 30, 60 and 120 fps", Trajectories},
      {"gabiccini-fig18", "Gabiccini Fig. 18: identified impulses against true ones", Impulses},
      {"gabiccini-bar", "Gabiccini sec. 6.2, Fig. 22, 23: twin of the real fall on a sloped bar", Bar},
  };
}

}  // namespace ricochet
