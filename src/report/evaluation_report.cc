// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/evaluation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/context.h"
#include "core/input_file.h"
#include "core/threads.h"
#include "report/summary.h"
#include "report/toss_motion.h"
#include "ricochet/error.h"
#include "ricochet/parameter.h"
#include "ricochet/report.h"

namespace ricochet {
namespace {

constexpr int kLeastForRegion = 6;  // other recordings behind a region
constexpr int kFanRecordings = 3;   // as in the paper's figure

struct MetricView {
  const char *name, *unit;
  double factor;  // from SI
};
constexpr double kMillimeters = 1e3, kDegrees = 180 / M_PI;
constexpr MetricView kMetrics[] = {{"trajectory_position_error", "mm", kMillimeters},
                                   {"trajectory_rotation_error", "deg", kDegrees},
                                   {"trajectory_loss", "-", 1},
                                   {"velocity_loss", "m/s", 1},
                                   {"rest_position_error", "mm", kMillimeters},
                                   {"rest_rotation_error", "deg", kDegrees},
                                   {"rest_yaw_error", "deg", kDegrees}};

std::optional<double> ValueOf(const TossErrors& errors, std::size_t metric) {
  const std::optional<double> values[] = {
      errors.trajectory_position_error, errors.trajectory_rotation_error, errors.trajectory_loss, errors.velocity_loss,
      errors.rest_position_error,       errors.rest_rotation_error,       errors.rest_yaw_error};
  return values[metric];
}

PredictionErrors::Model ModelErrors(const Validation& validation, const std::vector<std::string>& recordings) {
  PredictionErrors::Model model;
  model.name = validation.name;
  for (std::size_t m = 0; m < std::size(kMetrics); ++m) {
    std::vector<double>& values = model.values.emplace_back(recordings.size(), NAN);
    for (const ValidatedRecording& r : validation.recordings) {
      const auto at = std::find(recordings.begin(), recordings.end(), r.file);
      if (at != recordings.end() && r.used)
        values[static_cast<std::size_t>(at - recordings.begin())] =
            kMetrics[m].factor * ValueOf(r.errors, m).value_or(NAN);
    }
  }
  return model;
}

/// Mean errors over one parameter that was varied: a curve per error.
void AddSensitivity(const Sensitivity& sensitivity, Evaluation& evaluation) {
  for (const MetricView& metric : kMetrics) {
    CostMap map;
    map.title = fmt::format("mean {}", metric.name);
    map.unit = metric.unit;
    CostAxis axis{sensitivity.path, "", {}, {}, {}, {}};
    for (const SensitivityRow& row : sensitivity.rows)
      for (const ErrorSummary& error : row.summary) {
        if (error.name != metric.name || error.count == 0) continue;
        axis.values.push_back(row.value);
        map.cost.push_back(metric.factor * error.mean);
      }
    if (axis.values.size() < 2) continue;
    map.axes.push_back(std::move(axis));
    evaluation.cost_maps.push_back(std::move(map));
  }
}

ReportTable FoldTable(const Validation& validation) {
  ReportTable table{"Values fitted without each fold", {{"fold", ""}}, {}};
  for (const std::string& path : validation.fold_paths) table.columns.emplace_back(path, "");
  table.columns.emplace_back("converged", "");
  for (const FoldEstimate& fold : validation.folds) {
    std::vector<std::string> row = {fmt::format("{}", table.rows.size() + 1)};
    for (const double value : fold.values) row.push_back(fmt::format("{:.6g}", value));
    row.push_back(fold.converged ? "yes" : "no");
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Errors per recording and model in mm and deg, and mean errors over parameters that were varied.
Evaluation EvaluationOf(const ValidationSet& validations) {
  Evaluation out;
  out.command = "validate";
  for (const ValidatedRecording& r : validations.models.front().recordings) out.errors.recordings.push_back(r.file);
  for (const MetricView& metric : kMetrics) out.errors.metrics.push_back({metric.name, metric.unit});
  for (const Validation& model : validations.models)
    out.errors.models.push_back(ModelErrors(model, out.errors.recordings));
  for (const Sensitivity& sensitivity : validations.sensitivities) AddSensitivity(sensitivity, out);
  return out;
}

/// The region of each prediction: the second moments of the rest errors of all other recordings about 0, so that a bias
/// widens it. No recording has a say in its own.
void AddRegions(std::vector<RestComparison>& rest) {
  std::array<double, 3> sum{};
  int count = 0;
  const auto moments = [](const RestComparison& r) {
    const double dx = r.measured->x - r.predicted->x, dy = r.measured->y - r.predicted->y;
    return std::array<double, 3>{dx * dx, dx * dy, dy * dy};
  };
  for (const RestComparison& r : rest) {
    if (!r.measured || !r.predicted) continue;
    const std::array<double, 3> m = moments(r);
    for (std::size_t i = 0; i < 3; ++i) sum[i] += m[i];
    ++count;
  }
  if (count <= kLeastForRegion) return;
  for (RestComparison& r : rest) {
    if (!r.measured || !r.predicted) continue;
    const std::array<double, 3> m = moments(r);
    std::array<double, 3> covariance{};
    for (std::size_t i = 0; i < 3; ++i) covariance[i] = (sum[i] - m[i]) / (count - 1);
    r.covariance = covariance;
  }
}

std::string_view CostUnit(SweepCost cost) {
  return cost == SweepCost::kRest ? "m" : cost == SweepCost::kVelocity ? "m/s" : "-";
}

/// Costs over a grid, the last parameter fastest.
struct CostGrid {
  std::vector<std::string> paths;
  std::vector<std::vector<double>> values;  // of each parameter, ascending
  std::vector<double> cost;
};

/// One map of one or two parameters; of more, the planes through the best cell.
std::vector<CostMap> MapsOf(const CostGrid& grid) {
  const std::vector<double>& cost = grid.cost;
  std::size_t best = 0;
  for (std::size_t i = 0; i < cost.size(); ++i)
    if (std::isfinite(cost[i]) && !(cost[i] >= cost[best])) best = i;
  const std::size_t count = grid.values.size();
  std::vector<std::size_t> stride(count, 1), at_best(count);
  for (std::size_t a = count - 1; a-- > 0;) stride[a] = stride[a + 1] * grid.values[a + 1].size();
  for (std::size_t a = 0; a < count; ++a) at_best[a] = best / stride[a] % grid.values[a].size();
  std::vector<CostMap> maps;
  const auto add = [&](const std::vector<std::size_t>& shown) {
    CostMap& map = maps.emplace_back();
    for (const std::size_t a : shown)
      map.axes.push_back({grid.paths[a], "", grid.values[a], grid.values[a][at_best[a]], {}, {}});
    std::size_t corner = best;
    for (const std::size_t a : shown) corner -= at_best[a] * stride[a];
    for (std::size_t i = 0; i < grid.values[shown[0]].size(); ++i) {
      if (shown.size() == 1) {
        map.cost.push_back(cost[corner + i * stride[shown[0]]]);
        continue;
      }
      for (std::size_t j = 0; j < grid.values[shown[1]].size(); ++j)
        map.cost.push_back(cost[corner + i * stride[shown[0]] + j * stride[shown[1]]]);
    }
  };
  if (count == 1) add({0});
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b) add({a, b});
  return maps;
}

}  // namespace

ReportData MakeValidationReport(const Scene& scene, const std::vector<Recording>& recordings,
                                const ValidationSet& validations, const ValidateOptions& options,
                                const Context& context) {
  const ContextScope scope(context, "report");
  Evaluation evaluation = EvaluationOf(validations);
  const Model model = CompileModel(scene);
  std::vector<TossMotion> motions(recordings.size());
  ParallelFor(static_cast<int>(recordings.size()), [&](int i) {
    motions[static_cast<std::size_t>(i)] = MakeTossMotion(model, recordings[static_cast<std::size_t>(i)], options);
  });
  for (std::size_t i = 0; i < motions.size(); ++i) {
    RestComparison rest;
    rest.recording = recordings[i].file;
    rest.measured = motions[i].measured;
    rest.predicted = motions[i].predicted;
    for (const ValidatedRecording& r : validations.models.front().recordings)
      if (r.file == rest.recording) rest.face_correct = r.errors.rest_face_correct.value_or(true);
    if (rest.measured && rest.predicted) evaluation.rest.push_back(std::move(rest));
  }
  AddRegions(evaluation.rest);
  for (const Sensitivity& sensitivity : validations.sensitivities) {
    std::vector<double> values;
    for (const SensitivityRow& row : sensitivity.rows) values.push_back(row.value);
    int shown = 0;
    for (std::size_t i = 0; i < recordings.size() && shown < kFanRecordings; ++i) {
      if (!motions[i].predicted) continue;
      if (const std::optional<RestFan> fan = MakeRestFan(scene, recordings[i], sensitivity.path, values, options)) {
        evaluation.fans.push_back(*fan);
        ++shown;
      }
    }
  }
  ReportData data = MakeEvaluationReport(scene, evaluation);
  data.title = fmt::format("{} on {} recording{}", data.title, recordings.size(), recordings.size() == 1 ? "" : "s");
  std::size_t aside = 0;
  for (TossMotion& motion : motions) {
    if (!motion.motion.used) {
      ++aside;
      if (aside <= 5)
        data.summary.push_back(
            {Tone::kCaution, fmt::format("{} is excluded: {}.", motion.motion.name, motion.motion.note)});
    }
    AddTossMotion(std::move(motion), data);
  }
  if (aside > 5) data.summary.push_back({Tone::kCaution, fmt::format("{} recordings are excluded in all.", aside)});
  for (const Validation& validation : validations.models)
    if (!validation.folds.empty()) data.tables.push_back(FoldTable(validation));
  return data;
}

ReportData MakePredictionReport(const Scene& scene, const std::vector<Recording>& recordings,
                                const Prediction& prediction, const PredictOptions& options, const Context& context) {
  const ContextScope scope(context, "report");
  Evaluation evaluation;
  evaluation.command = "predict";
  evaluation.level = options.level;
  for (const TossPrediction& toss : prediction.tosses) {
    if (!toss.used) continue;
    RestComparison rest;
    rest.recording = toss.file;
    rest.predicted = RestPose{toss.position.x(), toss.position.y(), 0, {}};
    rest.covariance = std::array<double, 3>{toss.covariance(0, 0), toss.covariance(0, 1), toss.covariance(1, 1)};
    rest.region = toss.region;
    if (toss.recorded) rest.measured = RestPose{toss.recorded->x(), toss.recorded->y(), 0, {}};
    FaceForecast forecast{toss.file, {}, {}, toss.recorded_face.value_or("")};
    double most = 0;
    std::string likeliest;
    for (const FaceProbability& face : toss.faces) {
      forecast.faces.push_back(face.face);
      forecast.probabilities.push_back(face.probability);
      if (face.probability > most) most = face.probability, likeliest = face.face;
    }
    rest.face_correct = !toss.recorded_face || *toss.recorded_face == likeliest;
    evaluation.rest.push_back(std::move(rest));
    evaluation.faces.push_back(std::move(forecast));
  }
  if (prediction.coverage)
    evaluation.checks.push_back(
        {"rest position within the region", options.level, *prediction.coverage, prediction.checked});
  ReportData data = MakeEvaluationReport(scene, evaluation);
  data.title = fmt::format("{} for {} recording{}", data.title, recordings.size(), recordings.size() == 1 ? "" : "s");
  if (prediction.face_correct && prediction.mean_face_probability)
    data.summary.push_back({Tone::kNeutral, fmt::format("The likeliest face was up in {:.1f} % of {} held-out "
                                                        "recordings; its mean predicted probability was {:.1f} %.",
                                                        100 * *prediction.face_correct, prediction.checked,
                                                        100 * *prediction.mean_face_probability)});
  for (const TossPrediction& toss : prediction.tosses)
    if (!toss.used)
      data.summary.push_back({Tone::kCaution, fmt::format("{} is excluded: {}.", toss.file, toss.reason)});
  ValidateOptions roll;
  roll.start = options.start;
  const Model model = CompileModel(scene);
  std::vector<TossMotion> motions(recordings.size());
  ParallelFor(static_cast<int>(recordings.size()), [&](int i) {
    motions[static_cast<std::size_t>(i)] = MakeTossMotion(model, recordings[static_cast<std::size_t>(i)], roll);
  });
  for (TossMotion& motion : motions) AddTossMotion(std::move(motion), data);
  return data;
}

std::vector<CostMap> CostMapsOfSweep(const std::string& text, const std::string& name) {
  const auto fail = [&](long line, const std::string& problem) {
    throw InputError({name, static_cast<int>(line), 0}, "", problem,
                     "Use a file that `ricochet sweep -o` wrote, unchanged.");
  };
  // Columns: the parameters that were varied, then the cost.
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  std::size_t at = 0;
  for (long line = 1; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::vector<std::string> cells;
    for (std::size_t from = at; from <= end;) {
      const std::size_t comma = std::min(text.find(',', from), end);
      cells.push_back(text.substr(from, comma - from));
      from = comma + 1;
    }
    at = end + 1;
    if (line == 1) {
      names = cells;
      if (names.size() < 2 || names.back() != "cost") fail(1, "the last column is not `cost`.");
      columns.resize(names.size());
      continue;
    }
    if (cells.size() != names.size()) fail(line, fmt::format("{} cells in place of {}.", cells.size(), names.size()));
    for (std::size_t c = 0; c < cells.size(); ++c) {
      char* rest = nullptr;
      const double value = cells[c].empty() ? NAN : std::strtod(cells[c].c_str(), &rest);
      if (!cells[c].empty() && *rest != '\0') fail(line, fmt::format("`{}` is not a number.", cells[c]));
      columns[c].push_back(value);
    }
  }
  CostGrid grid{{names.begin(), names.end() - 1}, {columns.begin(), columns.end() - 1}, columns.back()};
  std::size_t cells = 1;
  for (std::vector<double>& values : grid.values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    cells *= values.size();
  }
  if (cells != grid.cost.size()) fail(0, fmt::format("{} rows for a grid of {}.", grid.cost.size(), cells));
  return MapsOf(grid);
}

namespace {

std::vector<CostMap> CostMapsOf(const std::vector<SweepAxis>& axes, const SweepResult& result) {
  CostGrid grid;
  for (const SweepAxis& axis : axes) {
    grid.paths.push_back(axis.path);
    std::vector<double>& values = grid.values.emplace_back();
    for (int i = 0; i < axis.count; ++i) values.push_back(axis.Value(i));
  }
  grid.cost = result.cost;
  return MapsOf(grid);
}

}  // namespace

ReportData MakeSweepReport(const Scene& scene, const std::vector<SweepAxis>& axes, const SweepOptions& options,
                           const SweepResult& result) {
  Evaluation evaluation;
  evaluation.command = "sweep";
  evaluation.cost_maps =
      result.cost.empty() ? CostMapsOfSweep(ReadInputFile(options.output), options.output) : CostMapsOf(axes, result);
  for (CostMap& map : evaluation.cost_maps) {
    map.title = FormatSweepCost(options.cost);
    map.unit = CostUnit(options.cost);
    for (CostAxis& shown : map.axes) {
      for (std::size_t a = 0; a < axes.size(); ++a) {
        if (axes[a].path != shown.path) continue;
        shown.unit = InfoOf(scene.number(axes[a].numbers.front()).quantity).unit;
        shown.minimum = result.intervals[a].best;
        shown.lower = result.intervals[a].lower;
        shown.upper = result.intervals[a].upper;
      }
    }
  }
  ReportData data = MakeEvaluationReport(scene, evaluation);
  data.title = fmt::format("{} over {} cells and {} recording{}", data.title, result.cells, result.used,
                           result.used == 1 ? "" : "s");
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const SweepInterval& interval = result.intervals[a];
    data.summary.push_back(
        {interval.at_edge ? Tone::kCaution : Tone::kNeutral,
         fmt::format(
             "{}: values from {:.4g} to {:.4g} are not distinguished from the best, {:.4g}, by these recordings{}.",
             axes[a].path, interval.lower, interval.upper, interval.best,
             interval.at_edge ? "; they reach the end of the grid, so widen it" : "")});
  }
  if (result.unsolved > 0)
    data.summary.push_back(
        {Tone::kBad, fmt::format("{} simulations of the best cell failed before their end.", result.unsolved)});
  for (const std::string& reason : result.excluded)
    data.summary.push_back({Tone::kCaution, fmt::format("Excluded: {}.", reason)});
  return data;
}

}  // namespace ricochet
