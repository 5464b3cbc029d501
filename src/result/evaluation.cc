// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/evaluation.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "result/json_number.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

using Json = nlohmann::ordered_json;

Json Pose(const RestPose& pose) {
  Json out = {{"x", JsonNumber(pose.x)}, {"y", JsonNumber(pose.y)}, {"yaw", JsonNumber(pose.yaw)}};
  if (!pose.outline.empty()) out["outline"] = pose.outline;
  return out;
}
Json Pose(const std::optional<RestPose>& pose) { return pose ? Pose(*pose) : Json(nullptr); }

RestPose ReadPose(const Json& pose) {
  return {pose.at("x").get<double>(), pose.at("y").get<double>(), pose.at("yaw").get<double>(),
          pose.value("outline", std::vector<std::array<double, 2>>{})};
}
std::optional<RestPose> ReadOptionalPose(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || at->is_null()) return std::nullopt;
  return ReadPose(*at);
}

[[noreturn]] void Fail(const std::string& name, const std::string& path, const std::string& problem) {
  throw InputError({name, 0, 0}, path, problem, "Use a file that ricochet wrote, unchanged.");
}

CostMap ReadCostMap(const Json& in, const std::string& name) {
  CostMap map;
  map.title = in.value("title", "");
  map.unit = in.value("unit", "-");
  size_t size = 1;
  for (const Json& a : in.at("axes")) {
    CostAxis& axis = map.axes.emplace_back();
    axis.path = a.at("path").get<std::string>();
    axis.unit = a.value("unit", "-");
    axis.values = ReadNumbers(a.at("values"));
    axis.minimum = ReadOptional(a, "minimum");
    axis.lower = ReadOptional(a, "lower");
    axis.upper = ReadOptional(a, "upper");
    size *= axis.values.size();
    for (size_t i = 0; i < axis.values.size(); ++i) {
      if (!std::isfinite(axis.values[i]) || (i > 0 && !(axis.values[i] > axis.values[i - 1])))
        Fail(name, "cost_maps.axes", "the values of an axis are not ascending numbers.");
    }
  }
  if (map.axes.empty() || map.axes.size() > 2)
    Fail(name, "cost_maps.axes", fmt::format("{} axes cannot be shown; 1 or 2 can.", map.axes.size()));
  map.cost = ReadNumbers(in.at("cost"));
  if (map.cost.size() != size)
    Fail(name, "cost_maps.cost", fmt::format("{} costs for a grid of {}.", map.cost.size(), size));
  map.threshold = ReadOptional(in, "threshold");
  return map;
}

PredictionErrors ReadErrors(const Json& in, const std::string& name) {
  PredictionErrors errors;
  for (const Json& metric : in.at("metrics"))
    errors.metrics.push_back({metric.at("name").get<std::string>(), metric.value("unit", "-")});
  errors.recordings = in.at("recordings").get<std::vector<std::string>>();
  for (const Json& m : in.at("models")) {
    PredictionErrors::Model& model = errors.models.emplace_back();
    model.name = m.value("name", "");
    for (const Json& row : m.at("values")) model.values.push_back(ReadNumbers(row));
    bool fits = model.values.size() == errors.metrics.size();
    for (const auto& row : model.values) fits = fits && row.size() == errors.recordings.size();
    if (!fits) Fail(name, "errors.models.values", "there must be a number per metric and recording.");
  }
  return errors;
}

}  // namespace

void WriteEvaluation(const Evaluation& evaluation, const std::string& file) {
  WriteFileAtomically(file, FormatEvaluation(evaluation));
}

std::string FormatEvaluation(const Evaluation& evaluation) {
  Json out = {{"evaluation", evaluation.command}};
  out["cost_maps"] = Json::array();
  for (const CostMap& map : evaluation.cost_maps) {
    Json axes = Json::array();
    for (const CostAxis& axis : map.axes)
      axes.push_back({{"path", axis.path},
                      {"unit", axis.unit},
                      {"values", JsonNumbers(axis.values)},
                      {"minimum", JsonNumber(axis.minimum)},
                      {"lower", JsonNumber(axis.lower)},
                      {"upper", JsonNumber(axis.upper)}});
    out["cost_maps"].push_back({{"title", map.title},
                                {"unit", map.unit},
                                {"axes", axes},
                                {"cost", JsonNumbers(map.cost)},
                                {"threshold", JsonNumber(map.threshold)}});
  }
  Json metrics = Json::array(), models = Json::array();
  for (const PredictionErrors::Metric& metric : evaluation.errors.metrics)
    metrics.push_back({{"name", metric.name}, {"unit", metric.unit}});
  for (const PredictionErrors::Model& model : evaluation.errors.models) {
    Json values = Json::array();
    for (const auto& row : model.values) values.push_back(JsonNumbers(row));
    models.push_back({{"name", model.name}, {"values", values}});
  }
  out["errors"] = {{"metrics", metrics}, {"recordings", evaluation.errors.recordings}, {"models", models}};
  out["footprint"] = evaluation.footprint;
  out["rest"] = Json::array();
  for (const RestComparison& rest : evaluation.rest)
    out["rest"].push_back({{"recording", rest.recording},
                           {"measured", Pose(rest.measured)},
                           {"predicted", Pose(rest.predicted)},
                           {"covariance", rest.covariance ? Json(*rest.covariance) : Json(nullptr)},
                           {"face_correct", rest.face_correct},
                           {"region", JsonNumber(rest.region)}});
  out["level"] = JsonNumber(evaluation.level);
  out["fans"] = Json::array();
  for (const RestFan& fan : evaluation.fans) {
    Json poses = Json::array();
    for (const RestPose& pose : fan.poses) poses.push_back(Pose(pose));
    out["fans"].push_back({{"recording", fan.recording},
                           {"path", fan.path},
                           {"unit", fan.unit},
                           {"values", JsonNumbers(fan.values)},
                           {"poses", poses},
                           {"measured", Pose(fan.measured)}});
  }
  out["faces"] = Json::array();
  for (const FaceForecast& forecast : evaluation.faces)
    out["faces"].push_back({{"recording", forecast.recording},
                            {"faces", forecast.faces},
                            {"probabilities", JsonNumbers(forecast.probabilities)},
                            {"measured", forecast.measured}});
  out["checks"] = Json::array();
  for (const CalibrationCheck& check : evaluation.checks)
    out["checks"].push_back({{"what", check.what},
                             {"stated", JsonNumber(check.stated)},
                             {"found", JsonNumber(check.found)},
                             {"count", check.count}});
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Evaluation ParseEvaluation(const std::string& text, const std::string& name) {
  Evaluation evaluation;
  try {
    const Json in = Json::parse(text);
    evaluation.command = in.at("evaluation").get<std::string>();
    for (const Json& map : in.value("cost_maps", Json::array())) evaluation.cost_maps.push_back(ReadCostMap(map, name));
    if (const auto errors = in.find("errors"); errors != in.end()) evaluation.errors = ReadErrors(*errors, name);
    evaluation.footprint = in.value("footprint", std::vector<std::array<double, 2>>{});
    for (const Json& r : in.value("rest", Json::array())) {
      RestComparison& rest = evaluation.rest.emplace_back();
      rest.recording = r.value("recording", "");
      rest.measured = ReadOptionalPose(r, "measured");
      rest.predicted = ReadOptionalPose(r, "predicted");
      if (const auto c = r.find("covariance"); c != r.end() && !c->is_null())
        rest.covariance = c->get<std::array<double, 3>>();
      rest.face_correct = r.value("face_correct", true);
      rest.region = r.value("region", 5.991);
    }
    for (const Json& f : in.value("fans", Json::array())) {
      RestFan& fan = evaluation.fans.emplace_back();
      fan.recording = f.value("recording", "");
      fan.path = f.at("path").get<std::string>();
      fan.unit = f.value("unit", "-");
      fan.values = ReadNumbers(f.at("values"));
      for (const Json& pose : f.at("poses")) fan.poses.push_back(ReadPose(pose));
      fan.measured = ReadOptionalPose(f, "measured");
      if (fan.values.size() != fan.poses.size())
        Fail(name, "fans.poses", fmt::format("{} poses for {} values.", fan.poses.size(), fan.values.size()));
    }
    evaluation.level = in.value("level", 0.95);
    for (const Json& f : in.value("faces", Json::array())) {
      FaceForecast& forecast = evaluation.faces.emplace_back();
      forecast.recording = f.value("recording", "");
      forecast.faces = f.at("faces").get<std::vector<std::string>>();
      forecast.probabilities = ReadNumbers(f.at("probabilities"));
      forecast.measured = f.value("measured", "");
      if (forecast.faces.size() != forecast.probabilities.size())
        Fail(name, "faces.probabilities", "there must be one per face.");
    }
    for (const Json& c : in.value("checks", Json::array()))
      evaluation.checks.push_back(
          {c.value("what", ""), ReadNumber(c.at("stated")), ReadNumber(c.at("found")), c.value("count", 0)});
  } catch (const nlohmann::json::exception& error) {
    Fail(name, "", fmt::format("this is not an evaluation: {}.", JsonProblem(error)));
  }
  return evaluation;
}

}  // namespace ricochet
