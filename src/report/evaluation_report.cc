// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/evaluation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/input_file.h"
#include "core/threads.h"
#include "report/summary.h"
#include "report/toss_motion.h"
#include "ricochet/error.h"
#include "ricochet/parameter.h"
#include "ricochet/report.h"

namespace ricochet {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kLeastForRegion = 6;  // other recordings behind a region
constexpr int kFanRecordings = 3;   // as in the paper's figure

struct MetricView {
  const char *name, *unit;
  double factor;  // from SI
};
constexpr double kMillimetres = 1e3, kDegrees = 180 / M_PI;
constexpr MetricView kMetrics[] = {{"trajectory_position_error", "mm", kMillimetres},
                                   {"trajectory_rotation_error", "deg", kDegrees},
                                   {"trajectory_loss", "-", 1},
                                   {"velocity_loss", "m/s", 1},
                                   {"rest_position_error", "mm", kMillimetres},
                                   {"rest_rotation_error", "deg", kDegrees},
                                   {"rest_yaw_error", "deg", kDegrees}};

double NumberOr(const Json& object, const char* key, double otherwise) {
  const auto at = object.find(key);
  return at != object.end() && at->is_number() ? at->get<double>() : otherwise;
}

PredictionErrors::Model ModelErrors(const Json& validation, const std::vector<std::string>& recordings) {
  PredictionErrors::Model model;
  model.name = validation.value("name", "");
  for (const MetricView& metric : kMetrics) {
    std::vector<double>& values = model.values.emplace_back(recordings.size(), NAN);
    for (const Json& r : validation.at("recordings")) {
      const auto at = std::find(recordings.begin(), recordings.end(), r.value("file", ""));
      if (at != recordings.end() && r.value("used", false))
        values[static_cast<std::size_t>(at - recordings.begin())] = metric.factor * NumberOr(r, metric.name, NAN);
    }
  }
  return model;
}

/// Mean errors over one number that was varied: a curve per error.
void AddSensitivity(const std::string& path, const Json& rows, Evaluation& evaluation) {
  for (const MetricView& metric : kMetrics) {
    CostMap map;
    map.title = fmt::format("mean {}", metric.name);
    map.unit = metric.unit;
    CostAxis axis{path, "", {}, {}, {}, {}};
    for (const Json& row : rows) {
      const auto at = row.find(metric.name);
      if (at == row.end() || !at->is_object()) continue;
      axis.values.push_back(row.at("value").get<double>());
      map.cost.push_back(metric.factor * NumberOr(*at, "mean", NAN));
    }
    if (axis.values.size() < 2) continue;
    map.axes.push_back(std::move(axis));
    evaluation.cost_maps.push_back(std::move(map));
  }
}

ReportTable FoldTable(const Json& folds) {
  ReportTable table{"Values found without each fold", {{"fold", ""}}, {}};
  for (const Json& fold : folds) {
    std::vector<std::string> row = {fmt::format("{}", table.rows.size() + 1)};
    for (const auto& [path, value] : fold.at("values").items()) {
      if (table.rows.empty()) table.columns.emplace_back(path, "");
      row.push_back(fmt::format("{:.6g}", value.get<double>()));
    }
    row.push_back(fold.value("converged", true) ? "yes" : "no");
    table.rows.push_back(std::move(row));
  }
  table.columns.emplace_back("converged", "");
  return table;
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
std::string_view CostName(SweepCost cost) {
  return cost == SweepCost::kRest ? "rest" : cost == SweepCost::kVelocity ? "velocity" : "trajectory";
}

}  // namespace

Evaluation EvaluationOfValidation(const std::string& text, const std::string& name, std::vector<ReportTable>& tables) {
  Evaluation out;
  out.command = "validate";
  try {
    const Json json = Json::parse(text);
    for (const Json& r : json.at("recordings")) out.errors.recordings.push_back(r.at("file").get<std::string>());
    for (const MetricView& metric : kMetrics) out.errors.metrics.push_back({metric.name, metric.unit});
    const Json models = json.contains("models") ? json.at("models") : Json::array({json});
    for (const Json& model : models) {
      out.errors.models.push_back(ModelErrors(model, out.errors.recordings));
      if (const auto folds = model.find("folds"); folds != model.end() && !folds->empty())
        tables.push_back(FoldTable(*folds));
    }
    if (const auto sensitivity = json.find("sensitivity"); sensitivity != json.end())
      for (const auto& [path, rows] : sensitivity->items()) AddSensitivity(path, rows, out);
  } catch (const nlohmann::json::exception& error) {
    throw InputError({name, 0, 0}, "", fmt::format("this is not a validation: {}", error.what()),
                     "Give a file that `ricochet validate -o` wrote, unchanged.");
  }
  return out;
}

ReportData MakeValidationReport(const Scene& scene, const std::vector<Recording>& recordings,
                                const std::string& validation, const ValidateOptions& options) {
  std::vector<ReportTable> tables;
  Evaluation evaluation = EvaluationOfValidation(validation, "validation", tables);
  const Json json = Json::parse(validation);
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
    for (const Json& r : json.at("recordings"))
      if (r.value("file", "") == rest.recording)
        if (const auto face = r.find("rest_face_correct"); face != r.end() && face->is_boolean())
          rest.face_correct = face->get<bool>();
    if (rest.measured && rest.predicted) evaluation.rest.push_back(std::move(rest));
  }
  AddRegions(evaluation.rest);
  if (const auto sensitivity = json.find("sensitivity"); sensitivity != json.end()) {
    for (const auto& [path, rows] : sensitivity->items()) {
      std::vector<double> values;
      for (const Json& row : rows) values.push_back(row.at("value").get<double>());
      int shown = 0;
      for (std::size_t i = 0; i < recordings.size() && shown < kFanRecordings; ++i) {
        if (!motions[i].predicted) continue;
        if (const std::optional<RestFan> fan = MakeRestFan(scene, recordings[i], path, values, options)) {
          evaluation.fans.push_back(*fan);
          ++shown;
        }
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
            {Tone::kCaution, fmt::format("{} was set aside: {}.", motion.motion.name, motion.motion.note)});
    }
    AddTossMotion(std::move(motion), data);
  }
  if (aside > 5) data.summary.push_back({Tone::kCaution, fmt::format("{} recordings were set aside in all.", aside)});
  data.tables.insert(data.tables.end(), tables.begin(), tables.end());
  return data;
}

ReportData MakePredictionReport(const Scene& scene, const std::vector<Recording>& recordings,
                                const Prediction& prediction, const PredictOptions& options) {
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
    data.summary.push_back(
        {Tone::kNeutral,
         fmt::format("The likeliest face was up in {:.1f} % of {} held-out recordings; the face that was "
                     "up had been given {:.1f} % in the mean.",
                     100 * *prediction.face_correct, prediction.checked, 100 * *prediction.mean_face_probability)});
  for (const TossPrediction& toss : prediction.tosses)
    if (!toss.used)
      data.summary.push_back({Tone::kCaution, fmt::format("{} was set aside: {}.", toss.file, toss.reason)});
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
                     "Give a file that `ricochet sweep -o` wrote, unchanged.");
  };
  // Columns: the numbers that were varied, then the cost.
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
      if (!cells[c].empty() && *rest != '\0') fail(line, fmt::format("`{}` is no number.", cells[c]));
      columns[c].push_back(value);
    }
  }
  const std::vector<double>& cost = columns.back();
  std::vector<std::vector<double>> grids(names.size() - 1);
  std::size_t cells = 1, best = 0;
  for (std::size_t a = 0; a < grids.size(); ++a) {
    grids[a] = columns[a];
    std::sort(grids[a].begin(), grids[a].end());
    grids[a].erase(std::unique(grids[a].begin(), grids[a].end()), grids[a].end());
    cells *= grids[a].size();
  }
  if (cells != cost.size()) fail(0, fmt::format("{} rows for a grid of {}.", cost.size(), cells));
  for (std::size_t i = 0; i < cost.size(); ++i)
    if (std::isfinite(cost[i]) && !(cost[i] >= cost[best])) best = i;

  // One map of one or two numbers; of more, the planes through the best cell.
  std::vector<std::size_t> stride(grids.size(), 1), at_best(grids.size());
  for (std::size_t a = grids.size() - 1; a-- > 0;) stride[a] = stride[a + 1] * grids[a + 1].size();
  for (std::size_t a = 0; a < grids.size(); ++a) at_best[a] = best / stride[a] % grids[a].size();
  std::vector<CostMap> maps;
  const auto add = [&](std::vector<std::size_t> shown) {
    CostMap& map = maps.emplace_back();
    for (const std::size_t a : shown) map.axes.push_back({names[a], "", grids[a], grids[a][at_best[a]], {}, {}});
    std::size_t corner = best;
    for (const std::size_t a : shown) corner -= at_best[a] * stride[a];
    for (std::size_t i = 0; i < grids[shown[0]].size(); ++i) {
      if (shown.size() == 1) {
        map.cost.push_back(cost[corner + i * stride[shown[0]]]);
        continue;
      }
      for (std::size_t j = 0; j < grids[shown[1]].size(); ++j)
        map.cost.push_back(cost[corner + i * stride[shown[0]] + j * stride[shown[1]]]);
    }
  };
  if (grids.size() == 1) add({0});
  for (std::size_t a = 0; a < grids.size(); ++a)
    for (std::size_t b = a + 1; b < grids.size(); ++b) add({a, b});
  return maps;
}

ReportData MakeSweepReport(const Scene& scene, const std::vector<SweepAxis>& axes, const SweepOptions& options,
                           const SweepSummary& summary) {
  Evaluation evaluation;
  evaluation.command = "sweep";
  evaluation.cost_maps = CostMapsOfSweep(ReadInputFile(options.output), options.output);
  for (CostMap& map : evaluation.cost_maps) {
    map.title = CostName(options.cost);
    map.unit = CostUnit(options.cost);
    for (CostAxis& shown : map.axes) {
      for (std::size_t a = 0; a < axes.size(); ++a) {
        if (axes[a].path != shown.path) continue;
        shown.unit = InfoOf(scene.number(axes[a].numbers.front()).quantity).unit;
        shown.minimum = summary.intervals[a].best;
        shown.lower = summary.intervals[a].lower;
        shown.upper = summary.intervals[a].upper;
      }
    }
  }
  ReportData data = MakeEvaluationReport(scene, evaluation);
  data.title = fmt::format("{} over {} cells and {} recording{}", data.title, summary.cells, summary.used,
                           summary.used == 1 ? "" : "s");
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const SweepInterval& interval = summary.intervals[a];
    data.summary.push_back(
        {interval.at_edge ? Tone::kCaution : Tone::kNeutral,
         fmt::format(
             "{}: values from {:.4g} to {:.4g} are not told apart from the best, {:.4g}, by these recordings{}.",
             axes[a].path, interval.lower, interval.upper, interval.best,
             interval.at_edge ? "; they reach the end of the grid, so widen it" : "")});
  }
  if (summary.unsolved > 0)
    data.summary.push_back(
        {Tone::kBad, fmt::format("{} roll-outs of the best cell failed before their end.", summary.unsolved)});
  for (const std::string& reason : summary.set_aside)
    data.summary.push_back({Tone::kCaution, fmt::format("Set aside: {}.", reason)});
  return data;
}

}  // namespace ricochet
