// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "core/context.h"
#include "core/progress/progress.h"
#include "core/random.h"
#include "core/text.h"
#include "core/threads.h"
#include "estimators/tosses/toss_rollout.h"
#include "evaluate/toss_model.h"
#include "math/dense.h"
#include "result/json_number.h"
#include "ricochet/error.h"
#include "ricochet/parameter.h"
#include "scene/text/number_text.h"

namespace ricochet {
namespace {

using Json = nlohmann::ordered_json;

/// The errors by name, in the order in which they are reported.
struct NamedError {
  const char* name;
  std::function<std::optional<double>(const TossErrors&)> value;
  const char* unit;  // in which the terminal shows it
  double factor;
};

const std::vector<NamedError>& NamedErrors() {
  constexpr double kMillimeters = 1e3, kDegrees = 180 / 3.14159265358979323846;
  static const std::vector<NamedError> kErrors = {
      {"trajectory_position_error", [](const TossErrors& e) { return std::optional(e.trajectory_position_error); },
       "mm", kMillimeters},
      {"trajectory_rotation_error", [](const TossErrors& e) { return std::optional(e.trajectory_rotation_error); },
       "deg", kDegrees},
      {"trajectory_loss", [](const TossErrors& e) { return std::optional(e.trajectory_loss); }, "-", 1},
      {"velocity_loss", [](const TossErrors& e) { return e.velocity_loss; }, "m/s", 1},
      {"rest_position_error", [](const TossErrors& e) { return e.rest_position_error; }, "mm", kMillimeters},
      {"rest_rotation_error", [](const TossErrors& e) { return e.rest_rotation_error; }, "deg", kDegrees},
      {"rest_yaw_error", [](const TossErrors& e) { return e.rest_yaw_error; }, "deg", kDegrees},
      {"rest_face_correct",
       [](const TossErrors& e) {
         return e.rest_face_correct ? std::optional(*e.rest_face_correct ? 1.0 : 0.0) : std::nullopt;
       },
       "%", 100},
  };
  return kErrors;
}

ErrorSummary Summarize(const NamedError& error, const std::vector<ValidatedRecording>& recordings) {
  std::vector<double> values;
  for (const ValidatedRecording& r : recordings) {
    if (!r.used) continue;
    if (const std::optional<double> value = error.value(r.errors)) values.push_back(*value);
  }
  ErrorSummary out;
  out.name = error.name;
  out.count = static_cast<int>(values.size());
  if (values.empty()) return out;
  for (const double v : values) out.mean += v;
  out.mean /= out.count;
  for (const double v : values) out.std += (v - out.mean) * (v - out.mean);
  out.std = out.count > 1 ? std::sqrt(out.std / (out.count - 1)) : 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  out.median = values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
  return out;
}

/// Replaces the poses by the mean, frame by frame, of rollouts from drawn starts.
void AverageRolls(const PreparedToss& toss, int count, Random& random, TossRoller& roller,
                  std::vector<SpatialPose<double>>& poses) {
  const Eigen::MatrixXd root = EigenOfSymmetric(toss.covariance).Root();
  std::vector<std::vector<SpatialPose<double>>> rolls;
  for (int k = 0; k < count; ++k) {
    Eigen::Matrix<double, 12, 1> z;
    for (double& each : z) each = random.Normal();
    std::vector<SpatialPose<double>> drawn;
    if (roller.RollFrom(toss, root * z, drawn) && drawn.size() == poses.size()) rolls.push_back(std::move(drawn));
  }
  if (rolls.empty()) return;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    // Gauss and Newton on the manifold, from the rollout of the fitted start.
    constexpr int kIterations = 4;
    for (int round = 0; round < kIterations; ++round) {
      Vector6<double> mean = Vector6<double>::Zero();
      for (const auto& roll : rolls) mean += BoxMinus<double>(roll[i], poses[i]) / static_cast<double>(rolls.size());
      poses[i] = BoxPlus<double>(poses[i], mean);
    }
  }
}

}  // namespace

Validation Validate(const Scene& scene, const std::vector<Recording>& recordings, const ValidateOptions& options,
                    const Context& context) {
  const ContextScope scope(context, "validate");
  if (scene.space != Space::kSpatial)
    throw InputError({scene.file, 0, 0}, "space", "validate supports only tosses in space.",
                     "`identify` reports how well a planar scene fits its recordings.");
  if (!scene.joints.empty())
    throw InputError(scene.joints.front().where, "joints." + scene.joints.front().name,
                     "validate starts from the pose of one body, and bodies that joints connect would not follow.",
                     "Use `identify` with option `folds` to test a mechanism on recordings that it was not fitted to.");
  const TossModel compiled(scene);
  const Model& model = compiled.model;

  Validation out;
  out.name = scene.file;
  out.recordings.resize(recordings.size());
  ProgressMeter progress("validate", static_cast<std::int64_t>(recordings.size()));
  ParallelFor(static_cast<int>(recordings.size()), [&](int i) {
    ValidatedRecording& r = out.recordings[static_cast<std::size_t>(i)];
    r.file = recordings[static_cast<std::size_t>(i)].file;
    const PreparedToss toss = PrepareToss(model, recordings[static_cast<std::size_t>(i)], options.start);
    progress.Advance();
    if (!toss.problem.empty()) {
      r.reason = toss.problem;
      return;
    }
    TossRoller roller(model, compiled.stepper, options.step.value_or(0));
    std::vector<SpatialPose<double>> poses;
    r.solved = roller.Roll(toss, poses);
    if (options.average > 0) {
      Random random = Random(context.seed, 0xa7e).Split(static_cast<std::uint64_t>(i));
      AverageRolls(toss, options.average, random, roller, poses);
    }
    r.used = true;
    r.frames = toss.end - toss.start + 1;
    r.start = toss.toss.track.time[static_cast<std::size_t>(toss.start)];
    r.end = toss.toss.track.time[static_cast<std::size_t>(toss.end)];
    r.errors = CompareToss(model, toss, poses);
    r.errors.velocity_loss = roller.VelocityLoss(toss);
  });
  Summarize(out);
  return out;
}

void Summarize(Validation& validation) {
  validation.summary.clear();
  for (const NamedError& error : NamedErrors()) validation.summary.push_back(Summarize(error, validation.recordings));
}

Variation ParseVariation(const Scene& scene, std::string_view text) {
  const auto fail = [&](std::string problem) {
    throw InputError({}, "vary", std::move(problem), "Write PATH=+-R, for example contact.friction=+-0.05.");
  };
  const std::size_t equals = text.find("=+-");
  if (equals == std::string_view::npos) fail(fmt::format("`{}` has no `=+-`.", Printable(text)));
  Variation out;
  out.path = std::string(text.substr(0, equals));
  const std::vector<NumberId> numbers = scene.Match(out.path);
  std::string_view rest = text.substr(equals + 3);
  if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    double count = 0;
    if (ParseNumber(rest.substr(colon + 1), Quantity::kPlain, count) != NumberText::kGood ||
        count != std::floor(count) || count < 2 || count > 1e6)
      fail(fmt::format("`{}` is not a number of values.", Printable(rest.substr(colon + 1))));
    out.count = static_cast<int>(count);
    rest = rest.substr(0, colon);
  }
  if (ParseNumber(rest, scene.number(numbers.front()).quantity, out.radius) != NumberText::kGood || !(out.radius > 0))
    fail(fmt::format("`{}` is not a positive number.", Printable(rest)));
  return out;
}

Sensitivity Vary(const Scene& scene, const std::vector<Recording>& recordings, const Variation& variation,
                 const ValidateOptions& options, const Context& context) {
  const ContextScope scope(context, "vary");
  if (!(variation.radius > 0) || variation.count < 2)
    throw InputError({}, "vary", fmt::format("{} values within {}.", variation.count, variation.radius),
                     "Give a positive radius and at least 2 values.");
  Sensitivity out;
  out.path = variation.path;
  const NumberId first = scene.Match(out.path).front();
  const Quantity quantity = scene.number(first).quantity;
  const double center = scene[first];
  const double lower = center == 0 && !IsAllowed(quantity, -variation.radius) ? 0 : center - variation.radius;
  for (int i = 0; i < variation.count; ++i) {
    const double value = lower + 2 * variation.radius * i / (variation.count - 1.0);
    if (!IsAllowed(quantity, value)) continue;
    Scene varied = scene;
    varied.Set(out.path, {value});
    out.rows.push_back({value, Validate(varied, recordings, options, context).summary});
  }
  return out;
}

std::string DescribeSensitivity(const Sensitivity& sensitivity) {
  std::string text = fmt::format("{:>24}  {:>12}  {:>12}  {:>12}  {:>12}\n", sensitivity.path, "rest pos mm",
                                 "rest yaw deg", "traj pos mm", "traj rot deg");
  for (const SensitivityRow& row : sensitivity.rows) {
    text += fmt::format("{:>24.6g}", row.value);
    for (const std::size_t at : {4, 6, 0, 1}) {
      const ErrorSummary& s = row.summary[at];
      text +=
          s.count > 0 ? fmt::format("  {:>12.4g}", s.mean * NamedErrors()[at].factor) : fmt::format("  {:>12}", "-");
    }
    text += "\n";
  }
  return text;
}

std::string FormatValidations(const ValidationSet& set) {
  const auto one = [](const Validation& v) {
    Json out;
    out["name"] = v.name;
    out["recordings"] = Json::array();
    for (const ValidatedRecording& r : v.recordings) {
      Json entry = {{"file", r.file},   {"used", r.used}, {"reason", r.reason}, {"frames", r.frames},
                    {"start", r.start}, {"end", r.end},   {"solved", r.solved}};
      for (const NamedError& error : NamedErrors()) {
        const std::optional<double> value = r.used ? error.value(r.errors) : std::nullopt;
        if (std::string_view(error.name) == "rest_face_correct") {
          entry[error.name] = value ? Json(*value > 0) : Json(nullptr);
        } else {
          entry[error.name] = JsonNumber(value);
        }
      }
      out["recordings"].push_back(entry);
    }
    for (const ErrorSummary& s : v.summary) {
      const bool any = s.count > 0;
      out["summary"][s.name] = {{"count", s.count},
                                {"mean", any ? Json(s.mean) : Json(nullptr)},
                                {"std", any ? Json(s.std) : Json(nullptr)},
                                {"median", any ? Json(s.median) : Json(nullptr)}};
    }
    if (!v.folds.empty()) {
      out["folds"] = Json::array();
      for (const FoldEstimate& fold : v.folds) {
        Json entry = {{"converged", fold.converged}};
        for (std::size_t i = 0; i < fold.values.size(); ++i) entry["values"][v.fold_paths[i]] = fold.values[i];
        out["folds"].push_back(entry);
      }
    }
    return out;
  };
  Json out = one(set.models.front());
  if (set.models.size() > 1) {
    out["models"] = Json::array();
    for (const Validation& v : set.models) out["models"].push_back(one(v));
  }
  for (const Sensitivity& sensitivity : set.sensitivities) {
    Json rows = Json::array();
    for (const SensitivityRow& row : sensitivity.rows) {
      Json entry = {{"value", row.value}};
      for (const ErrorSummary& s : row.summary)
        if (s.count > 0) entry[s.name] = {{"mean", s.mean}, {"std", s.std}, {"median", s.median}};
      rows.push_back(entry);
    }
    out["sensitivity"][sensitivity.path] = rows;
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

TossErrors ReadErrors(const Json& json) {
  TossErrors out;
  out.trajectory_position_error = ReadOptional(json, "trajectory_position_error").value_or(NAN);
  out.trajectory_rotation_error = ReadOptional(json, "trajectory_rotation_error").value_or(NAN);
  out.trajectory_loss = ReadOptional(json, "trajectory_loss").value_or(NAN);
  out.velocity_loss = ReadOptional(json, "velocity_loss");
  out.rest_position_error = ReadOptional(json, "rest_position_error");
  out.rest_rotation_error = ReadOptional(json, "rest_rotation_error");
  out.rest_yaw_error = ReadOptional(json, "rest_yaw_error");
  if (const auto face = json.find("rest_face_correct"); face != json.end() && face->is_boolean())
    out.rest_face_correct = face->get<bool>();
  return out;
}

ErrorSummary ReadSummary(const std::string& name, const Json& json) {
  return {name, json.value("count", 0), ReadOptional(json, "mean").value_or(0), ReadOptional(json, "std").value_or(0),
          ReadOptional(json, "median").value_or(0)};
}

Validation ReadValidation(const Json& json) {
  Validation out;
  out.name = json.value("name", "");
  for (const Json& r : json.at("recordings")) {
    ValidatedRecording& entry = out.recordings.emplace_back();
    entry.file = r.at("file").get<std::string>();
    entry.used = r.value("used", false);
    entry.reason = r.value("reason", "");
    entry.frames = r.value("frames", 0);
    entry.start = r.value("start", 0.0);
    entry.end = r.value("end", 0.0);
    entry.solved = r.value("solved", true);
    if (entry.used) entry.errors = ReadErrors(r);
  }
  if (const auto summary = json.find("summary"); summary != json.end())
    for (const auto& [name, value] : summary->items()) out.summary.push_back(ReadSummary(name, value));
  if (const auto folds = json.find("folds"); folds != json.end())
    for (const Json& fold : *folds) {
      FoldEstimate& entry = out.folds.emplace_back();
      entry.converged = fold.value("converged", true);
      out.fold_paths.clear();
      for (const auto& [path, value] : fold.at("values").items()) {
        out.fold_paths.push_back(path);
        entry.values.push_back(value.get<double>());
      }
    }
  return out;
}

Sensitivity ReadSensitivity(const std::string& path, const Json& rows) {
  Sensitivity out{path, {}};
  for (const Json& row : rows) {
    SensitivityRow& entry = out.rows.emplace_back();
    entry.value = row.at("value").get<double>();
    for (const NamedError& error : NamedErrors()) {
      ErrorSummary& summary = entry.summary.emplace_back();
      summary.name = error.name;
      const auto at = row.find(error.name);
      if (at == row.end()) continue;
      summary = ReadSummary(error.name, *at);
      summary.count = std::max(summary.count, 1);  // rows do not store it
    }
  }
  return out;
}

}  // namespace

ValidationSet ParseValidations(const std::string& text, const std::string& name) {
  try {
    const Json json = Json::parse(text);
    ValidationSet out;
    const Json models = json.contains("models") ? json.at("models") : Json::array({json});
    for (const Json& model : models) out.models.push_back(ReadValidation(model));
    if (const auto sensitivity = json.find("sensitivity"); sensitivity != json.end())
      for (const auto& [path, rows] : sensitivity->items()) out.sensitivities.push_back(ReadSensitivity(path, rows));
    return out;
  } catch (const nlohmann::json::exception& error) {
    throw InputError({name, 0, 0}, "", fmt::format("this is not a validation: {}.", JsonProblem(error)),
                     "Use a file that `ricochet validate -o` wrote, unchanged.");
  }
}

void WriteValidations(const ValidationSet& set, const std::string& file) {
  WriteFileAtomically(file, FormatValidations(set));
}

std::string DescribeValidations(const std::vector<Validation>& validations) {
  std::string text;
  for (const Validation& v : validations) {
    const auto used = std::count_if(v.recordings.begin(), v.recordings.end(), [](const auto& r) { return r.used; });
    text += fmt::format("{}: {} recording{} given, {} used\n", v.name, v.recordings.size(),
                        v.recordings.size() == 1 ? "" : "s", used);
    for (std::size_t f = 0; f < v.folds.size(); ++f) {
      text += fmt::format("  without fold {}:", f + 1);
      for (std::size_t i = 0; i < v.fold_paths.size(); ++i)
        text += fmt::format(" {} {:.5g}", v.fold_paths[i], v.folds[f].values[i]);
      text += v.folds[f].converged ? "\n" : "  (not converged)\n";
    }
    for (const ValidatedRecording& r : v.recordings) {
      if (!r.used) text += fmt::format("  excluded: {}: {}\n", r.file, r.reason);
      if (!r.solved) text += fmt::format("  not solved to the end: {}\n", r.file);
    }
    text +=
        fmt::format("  {:<28}{:>10}{:>12}{:>10}  {:<4}{:>6}\n", "error", "mean", "std dev", "median", "unit", "count");
    for (std::size_t i = 0; i < v.summary.size(); ++i) {
      const ErrorSummary& s = v.summary[i];
      const NamedError& named = NamedErrors()[i];
      if (s.count == 0) {
        text += fmt::format("  {:<28}{:>10}\n", s.name, "none");
        continue;
      }
      text += fmt::format("  {:<28}{:>10.4g}{:>12.4g}{:>10.4g}  {:<4}{:>6}\n", s.name, s.mean * named.factor,
                          s.std * named.factor, s.median * named.factor, named.unit, s.count);
    }
  }
  return text;
}

}  // namespace ricochet
