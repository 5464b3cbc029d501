// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/atomic_file.h"
#include "core/text.h"
#include "math/statistics.h"
#include "result/json_number.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const EstimatedCrossValidation& validation) {
  Json out = {{"folds", validation.folds},
              {"residual_over_noise", JsonNumber(validation.residual_over_noise)},
              {"paths", validation.paths},
              {"values", Json::array()},
              {"recordings", Json::array()}};
  for (const std::vector<double>& values : validation.values) out["values"].push_back(JsonNumbers(values));
  for (const HeldOutRecording& r : validation.recordings)
    out["recordings"].push_back(
        {{"recording", r.recording}, {"fold", r.fold}, {"residual_over_noise", JsonNumber(r.residual_over_noise)}});
  return out;
}

EstimatedCrossValidation ReadCrossValidation(const Json& in) {
  EstimatedCrossValidation out;
  out.folds = in.value("folds", 0);
  out.residual_over_noise = ReadOptional(in, "residual_over_noise");
  out.paths = in.value("paths", std::vector<std::string>{});
  for (const Json& values : in.value("values", Json::array())) out.values.push_back(ReadNumbers(values));
  for (const Json& r : in.value("recordings", Json::array()))
    out.recordings.push_back({r.value("recording", 0), r.value("fold", 0), ReadOptional(r, "residual_over_noise")});
  return out;
}

Json ToJson(const EstimatedBootstrap& bootstrap) {
  Json out = {{"kind", bootstrap.kind}, {"paths", bootstrap.paths}, {"values", Json::array()}};
  for (const std::vector<double>& values : bootstrap.values) out["values"].push_back(JsonNumbers(values));
  return out;
}

EstimatedBootstrap ReadBootstrap(const Json& in) {
  EstimatedBootstrap out{in.value("kind", ""), in.value("paths", std::vector<std::string>{}), {}};
  for (const Json& values : in.value("values", Json::array())) out.values.push_back(ReadNumbers(values));
  return out;
}

constexpr std::pair<VerdictLevel, std::string_view> kLevels[] = {
    {VerdictLevel::kGood, "good"}, {VerdictLevel::kLimited, "limited"}, {VerdictLevel::kRejected, "rejected"}};

Json ToJson(const Verdict& verdict) {
  Json out = {{"level", NameOf(verdict.level)},
              {"reasons", verdict.reasons},
              {"residual_over_noise", JsonNumber(verdict.residual_over_noise)},
              {"p_value", JsonNumber(verdict.p_value)},
              {"explanations", Json::array()}};
  for (const Explanation& e : verdict.explanations)
    out["explanations"].push_back({{"path", e.path},
                                   {"value", JsonNumbers(e.value)},
                                   {"std", JsonNumbers(e.std)},
                                   {"unit", e.unit},
                                   {"residual_over_noise", JsonNumber(e.residual_over_noise)},
                                   {"p_value", JsonNumber(e.p_value)},
                                   {"shift", JsonNumber(e.shift)},
                                   {"command", e.command}});
  return out;
}

Verdict ReadVerdict(const Json& in) {
  Verdict out;
  const std::string level = in.value("level", "");
  for (const auto& [value, name] : kLevels)
    if (name == level) out.level = value;
  out.reasons = in.value("reasons", std::vector<std::string>{});
  out.residual_over_noise = ReadOptional(in, "residual_over_noise");
  out.p_value = ReadOptional(in, "p_value");
  for (const Json& e : in.value("explanations", Json::array()))
    out.explanations.push_back({e.value("path", ""), ReadNumbers(e.at("value")), ReadNumbers(e.at("std")),
                                e.value("unit", ""), ReadOptional(e, "residual_over_noise"),
                                ReadOptional(e, "p_value").value_or(1), ReadOptional(e, "shift").value_or(0),
                                e.value("command", "")});
  return out;
}

std::string WithoutBlanks(std::string_view path) {
  std::string out;
  std::copy_if(path.begin(), path.end(), std::back_inserter(out), [](char c) { return !IsBlank(c); });
  return out;
}

}  // namespace

Estimate::Estimate() = default;
Estimate::Estimate(const Estimate&) = default;
Estimate::Estimate(Estimate&&) noexcept = default;
Estimate& Estimate::operator=(const Estimate&) = default;
Estimate& Estimate::operator=(Estimate&&) noexcept = default;
Estimate::~Estimate() = default;

void Verdict::Lower(VerdictLevel to, std::string reason) {
  if (to > level) {
    level = to;
    reasons.insert(reasons.begin(), std::move(reason));
  } else {
    reasons.push_back(std::move(reason));
  }
}

std::string_view NameOf(VerdictLevel level) {
  for (const auto& [value, name] : kLevels)
    if (value == level) return name;
  return "";
}

const EstimatedParameter& Estimate::at(std::string_view path) const {
  const std::string requested = WithoutBlanks(path);
  std::vector<std::string> known;
  for (const EstimatedParameter& parameter : parameters) {
    if (WithoutBlanks(parameter.path) == requested) return parameter;
    known.push_back(parameter.path);
  }
  throw InputError({}, std::string(path), "is not an estimated parameter.", SuggestName(path, known));
}

Interval Estimate::interval(std::string_view path, double level) const {
  constexpr double kUsual = 0.95;  // of profiles and one-sided limits
  const EstimatedParameter& parameter = at(path);
  if (!(level > 0 && level < 1))
    throw InputError({}, "level", fmt::format("{} is not a probability between 0 and 1.", level),
                     "Give 0.95, for example.");
  if (level == kUsual) {
    for (const EstimatedProfile& profile : profiles)
      if (profile.path == parameter.path && (profile.lower || profile.upper)) return {profile.lower, profile.upper};
    if (parameter.lower || parameter.upper) return {parameter.lower, parameter.upper};
  }
  if (!parameter.value || !parameter.std) return {};
  const double half = TwoSidedNormalQuantile(level) * *parameter.std;
  return {*parameter.value - half, *parameter.value + half};
}

std::string FormatEstimate(const Estimate& estimate) {
  Json out;
  out["parameters"] = Json::array();
  for (const EstimatedParameter& p : estimate.parameters) {
    Json entry = {{"path", p.path}, {"value", JsonNumber(p.value)},   {"std", JsonNumber(p.std)},
                  {"unit", p.unit}, {"identifiable", p.identifiable}, {"start", JsonNumber(p.start)}};
    if (p.lower) entry["lower"] = JsonNumber(p.lower);
    if (p.upper) entry["upper"] = JsonNumber(p.upper);
    if (!p.combination.empty()) entry["combination"] = p.combination;
    for (const EstimatedTerm& term : p.terms) entry["terms"].push_back({{"path", term.path}, {"factor", term.factor}});
    out["parameters"].push_back(entry);
  }
  out["covariance"] = Json::array();
  for (Eigen::Index i = 0; i < estimate.covariance.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < estimate.covariance.cols(); ++j) row.push_back(JsonNumber(estimate.covariance(i, j)));
    out["covariance"].push_back(row);
  }
  out["method"] = estimate.method;
  out["choice"] = estimate.choice;
  out["verdict"] = ToJson(estimate.verdict);
  out["converged"] = estimate.converged;
  out["cost"] = JsonNumber(estimate.cost);
  out["chi2_per_dof"] = JsonNumber(estimate.chi2_per_dof);
  out["iterations"] = estimate.iterations;
  out["seconds"] = estimate.seconds;
  out["warnings"] = estimate.warnings;
  out["recordings"] = Json::array();
  for (const RecordingUse& r : estimate.recordings)
    out["recordings"].push_back(
        {{"file", r.file},
         {"used", r.used},
         {"reason", r.reason},
         {"rows", r.rows},
         {"rejected_rows", r.rejected_rows},
         {"chi2_per_dof", JsonNumber(r.chi2_per_dof)},
         {"noise", {{"position", JsonNumber(r.noise_position)}, {"angle", JsonNumber(r.noise_angle)}}}});
  out["inputs"] = Json::array();
  for (const EstimateInput& input : estimate.inputs)
    out["inputs"].push_back({{"name", input.name}, {"sha256", input.hash}});
  out["version"] = estimate.version;
  out["log"] = estimate.log;
  out["impulses"] = Json::array();
  for (const EstimatedImpulse& i : estimate.impulses) {
    out["impulses"].push_back({{"recording", i.recording},
                               {"t", i.time},
                               {"duration", i.duration},
                               {"pair", i.pair},
                               {"contact", i.contact},
                               {"normal_impulse", i.normal},
                               {"tangential_impulse", i.tangential},
                               {"mode", i.slides ? "slide" : "stick"}});
    if (i.tangential_xy) out["impulses"].back()["tangential_impulse_xy"] = *i.tangential_xy;
    if (i.point) out["impulses"].back()["point"] = *i.point;
  }
  if (!estimate.impact_restitutions.empty()) {
    out["impact_restitutions"] = Json::array();
    for (const ImpactRestitution& i : estimate.impact_restitutions)
      out["impact_restitutions"].push_back({{"recording", i.recording},
                                            {"t", JsonNumber(i.time)},
                                            {"value", JsonNumber(i.value)},
                                            {"std", JsonNumber(i.std)}});
  }
  for (const EstimatedProfile& p : estimate.profiles)
    out["profiles"].push_back({{"path", p.path},
                               {"unit", p.unit},
                               {"value", JsonNumbers(p.value)},
                               {"deviance", JsonNumbers(p.deviance)},
                               {"lower", JsonNumber(p.lower)},
                               {"upper", JsonNumber(p.upper)},
                               {"words", p.words}});
  if (estimate.bootstrap) out["bootstrap"] = ToJson(*estimate.bootstrap);
  if (estimate.cross_validation) out["cross_validation"] = ToJson(*estimate.cross_validation);
  out["motion"] = Json::array();
  for (const EstimatedMotion& m : estimate.motions) {
    out["motion"].push_back({{"recording", m.recording}, {"t", m.time}, {"pose", m.pose}});
    for (const EstimatedJoint& j : m.joints)
      out["motion"].back()["joints"].push_back({{"name", j.name}, {"angle", j.angle}, {"rate", j.rate}});
  }
  out["trace"] = Json::array();
  for (const OptimizerStage& stage : estimate.trace)
    out["trace"].push_back(
        {{"stage", stage.name}, {"cost", JsonNumbers(stage.cost)}, {"step", JsonNumbers(stage.step)}});
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Estimate ParseEstimate(const std::string& text, const std::string& name) {
  Estimate estimate;
  try {
    const Json in = Json::parse(text);
    for (const Json& p : in.at("parameters")) {
      EstimatedParameter parameter;
      parameter.path = p.at("path").get<std::string>();
      parameter.value = ReadOptional(p, "value");
      parameter.std = ReadOptional(p, "std");
      parameter.unit = p.value("unit", "");
      parameter.identifiable = p.value("identifiable", parameter.value.has_value());
      parameter.lower = ReadOptional(p, "lower");
      parameter.upper = ReadOptional(p, "upper");
      parameter.combination = p.value("combination", "");
      parameter.start = ReadOptional(p, "start").value_or(NAN);
      for (const Json& term : p.value("terms", Json::array()))
        parameter.terms.push_back({term.at("path").get<std::string>(), term.at("factor").get<double>()});
      estimate.parameters.push_back(parameter);
    }
    const Eigen::Index n = static_cast<Eigen::Index>(estimate.parameters.size());
    estimate.covariance = Eigen::MatrixXd::Constant(n, n, NAN);
    if (const auto rows = in.find("covariance"); rows != in.end())
      for (Eigen::Index i = 0; i < std::min<Eigen::Index>(n, static_cast<Eigen::Index>(rows->size())); ++i)
        for (Eigen::Index j = 0; j < std::min<Eigen::Index>(n, static_cast<Eigen::Index>((*rows)[i].size())); ++j)
          if (!(*rows)[i][j].is_null()) estimate.covariance(i, j) = (*rows)[i][j].get<double>();
    estimate.method = in.value("method", "");
    estimate.choice = in.value("choice", "");
    if (const auto verdict = in.find("verdict"); verdict != in.end() && verdict->is_object())
      estimate.verdict = ReadVerdict(*verdict);
    estimate.converged = in.value("converged", false);
    estimate.cost = ReadOptional(in, "cost").value_or(NAN);
    estimate.chi2_per_dof = ReadOptional(in, "chi2_per_dof");
    estimate.iterations = in.value("iterations", 0);
    estimate.seconds = in.value("seconds", 0.0);
    estimate.warnings = in.value("warnings", std::vector<std::string>{});
    estimate.log = in.value("log", std::vector<std::string>{});
    estimate.version = in.value("version", "");
    for (const Json& r : in.value("recordings", Json::array())) {
      RecordingUse use;
      use.file = r.value("file", "");
      use.used = r.value("used", false);
      use.reason = r.value("reason", "");
      use.rows = r.value("rows", 0);
      use.rejected_rows = r.value("rejected_rows", 0);
      use.chi2_per_dof = ReadOptional(r, "chi2_per_dof");
      if (const auto noise = r.find("noise"); noise != r.end() && noise->is_object()) {
        use.noise_position = ReadOptional(*noise, "position");
        use.noise_angle = ReadOptional(*noise, "angle");
      }
      estimate.recordings.push_back(use);
    }
    for (const Json& i : in.value("inputs", Json::array()))
      estimate.inputs.push_back({i.value("name", ""), i.value("sha256", "")});
    for (const Json& i : in.value("impulses", Json::array())) {
      estimate.impulses.push_back({i.value("recording", 0), i.value("t", 0.0), i.value("duration", 0.0),
                                   i.value("pair", ""), i.value("contact", 0), i.value("normal_impulse", 0.0),
                                   i.value("tangential_impulse", 0.0), i.value("mode", "") == "slide"});
      if (const auto xy = i.find("tangential_impulse_xy"); xy != i.end() && !xy->is_null())
        estimate.impulses.back().tangential_xy = xy->get<std::array<double, 2>>();
      if (const auto point = i.find("point"); point != i.end() && !point->is_null())
        estimate.impulses.back().point = point->get<std::array<double, 3>>();
    }
    for (const Json& i : in.value("impact_restitutions", Json::array()))
      estimate.impact_restitutions.push_back(
          {i.value("recording", 0), ReadOptional(i, "t"), ReadOptional(i, "value"), ReadOptional(i, "std")});
    for (const Json& p : in.value("profiles", Json::array())) {
      estimate.profiles.push_back({p.value("path", ""), p.value("unit", ""), ReadNumbers(p.at("value")),
                                   ReadNumbers(p.at("deviance")), ReadOptional(p, "lower"), ReadOptional(p, "upper"),
                                   p.value("words", "")});
      if (estimate.profiles.back().value.size() != estimate.profiles.back().deviance.size())
        throw InputError({name, 0, 0}, "profiles", "a profile has a different number of deviances than values.",
                         "Use a file that `ricochet identify -o` wrote, unchanged.");
    }
    if (const auto bootstrap = in.find("bootstrap"); bootstrap != in.end() && bootstrap->is_object())
      estimate.bootstrap = ReadBootstrap(*bootstrap);
    if (const auto validation = in.find("cross_validation"); validation != in.end() && validation->is_object())
      estimate.cross_validation = ReadCrossValidation(*validation);
    for (const Json& m : in.value("motion", Json::array())) {
      estimate.motions.push_back({m.value("recording", 0), m.value("t", std::vector<double>{}),
                                  m.value("pose", std::vector<std::vector<double>>{})});
      for (const Json& j : m.value("joints", Json::array()))
        estimate.motions.back().joints.push_back(
            {j.value("name", ""), j.value("angle", std::vector<double>{}), j.value("rate", std::vector<double>{})});
    }
    for (const Json& s : in.value("trace", Json::array())) {
      OptimizerStage& stage = estimate.trace.emplace_back();
      stage.name = s.value("stage", "");
      stage.cost = ReadNumbers(s.at("cost"));
      stage.step = ReadNumbers(s.at("step"));
      if (stage.cost.size() != stage.step.size())
        throw InputError({name, 0, 0}, "trace", "a stage has a different number of steps than costs.",
                         "Use a file that `ricochet identify -o` wrote, unchanged.");
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError({name, 0, 0}, "", fmt::format("this is not an estimate: {}.", JsonProblem(error)),
                     "Use a file that `ricochet identify -o` wrote.");
  }
  return estimate;
}

void WriteEstimate(const Estimate& estimate, const std::string& file) {
  WriteFileAtomically(file, FormatEstimate(estimate));
}

Estimate ReadEstimate(const std::string& file) {
  std::ifstream in(file);
  if (!in)
    throw InputError({file, 0, 0}, "", "the file cannot be read.", "Use a file that `ricochet identify -o` wrote.");
  std::ostringstream text;
  text << in.rdbuf();
  return ParseEstimate(text.str(), file);
}

std::string DescribeExplanations(const Verdict& verdict) {
  if (verdict.explanations.empty()) return "no held parameter could be tested with this method\n";
  std::size_t width = 14;
  for (const Explanation& e : verdict.explanations) width = std::max(width, e.path.size());
  std::string out = fmt::format("{:<{}}  {:>9}  {:>14}  {:>11}  {}\n", "held parameter", width, "p-value",
                                "residual/noise", "shift/sigma", "value if estimated");
  for (const Explanation& e : verdict.explanations) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < e.value.size(); ++i)
      values.push_back(fmt::format("{:.4g} +- {:.2g}", e.value[i], i < e.std.size() ? e.std[i] : NAN));
    out += fmt::format("{:<{}}  {:>9.2g}  {:>14}  {:>11.2g}  {}{}\n", e.path, width, e.p_value,
                       e.residual_over_noise ? fmt::format("{:.3g}", *e.residual_over_noise) : "-", e.shift,
                       fmt::join(values, ", "), e.unit == "-" ? "" : " " + e.unit);
  }
  return out;
}

std::string DescribeCrossValidation(const EstimatedCrossValidation& validation) {
  std::string out = fmt::format("cross-validation in {} folds: ", validation.folds);
  out += validation.residual_over_noise ? fmt::format("residuals of held-out recordings are {:.3g} times the noise",
                                                      *validation.residual_over_noise)
                                        : "no held-out recording could be predicted";
  for (std::size_t i = 0; i < validation.paths.size(); ++i) {
    double least = INFINITY, most = -INFINITY;
    for (const std::vector<double>& values : validation.values) {
      if (i >= values.size()) continue;
      least = std::min(least, values[i]);
      most = std::max(most, values[i]);
    }
    if (least <= most) out += fmt::format("; {} {:.4g} to {:.4g}", validation.paths[i], least, most);
  }
  const auto failed = std::count_if(validation.values.begin(), validation.values.end(),
                                    [](const std::vector<double>& values) { return values.empty(); });
  if (failed > 0) out += fmt::format("; {} of the folds gave no fit", failed);
  return out;
}

std::string DescribeEstimate(const Estimate& estimate) {
  const Verdict& verdict = estimate.verdict;
  std::string out = fmt::format("{}{}{}\n", NameOf(verdict.level), verdict.reasons.empty() ? "" : ": ",
                                verdict.reasons.empty() ? "" : verdict.reasons.front());
  out += fmt::format("{}: {} in {} iterations, cost {:.6g}", estimate.method,
                     estimate.converged ? "converged" : "NOT converged", estimate.iterations, estimate.cost);
  if (estimate.chi2_per_dof) out += fmt::format(", chi2/dof {:.3g}", *estimate.chi2_per_dof);
  out += fmt::format(", {:.3g} s\n", estimate.seconds);
  std::size_t width = 4;
  for (const EstimatedParameter& p : estimate.parameters) width = std::max(width, p.path.size());
  out += fmt::format("{:<{}}  {:>12}  {:>12}  {:>10}  {}\n", "path", width, "start", "estimate", "std dev", "unit");
  for (const EstimatedParameter& p : estimate.parameters) {
    out += fmt::format("{:<{}}  {:>12.6g}  ", p.path, width, p.start);
    if (p.value)
      out += fmt::format("{:>12.6g}  {:>10}  {}", *p.value, p.std ? fmt::format("{:.2g}", *p.std) : "-", p.unit);
    else
      out += fmt::format("{:>12}  {:>10}  {}", "-", "-", p.unit);
    if (p.lower) out += fmt::format("  at least {:.3g}", *p.lower);
    if (p.upper) out += fmt::format("  at most {:.3g}", *p.upper);
    if (!p.identifiable) {
      std::string why = p.combination;
      if (!why.starts_with("not identifiable")) why = why.empty() ? "not identifiable" : "not identifiable: " + why;
      out += "  (" + why + ")";
    }
    out += "\n";
  }
  for (const ImpactRestitution& i : estimate.impact_restitutions)
    if (i.time && i.value)
      out += fmt::format("restitution of the impact at {:.4f} s: {:.4g} +- {:.2g}\n", *i.time, *i.value,
                         i.std.value_or(NAN));
  for (const EstimatedProfile& p : estimate.profiles) out += fmt::format("profile of {}: {}\n", p.path, p.words);
  if (estimate.cross_validation) out += DescribeCrossValidation(*estimate.cross_validation) + "\n";
  int used = 0;
  std::string aside;
  for (const RecordingUse& r : estimate.recordings) {
    used += r.used;
    if (!r.used) aside += fmt::format("{}{}: {}", aside.empty() ? "" : "; ", r.file, r.reason);
  }
  out += fmt::format("recordings: {} given, {} used{}\n", estimate.recordings.size(), used,
                     aside.empty() ? "" : " (" + aside + ")");
  if (!estimate.choice.empty()) out += estimate.choice + "\n";
  for (std::size_t i = 1; i < verdict.reasons.size(); ++i) out += fmt::format("reason: {}\n", verdict.reasons[i]);
  for (const std::string& warning : estimate.warnings) out += "warning: " + warning + "\n";
  return out;
}

}  // namespace ricochet
