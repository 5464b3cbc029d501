// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/mechanism/friction_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dataset/joint_reading.h"
#include "estimators/mechanism/motion_problem.h"
#include "inference/cross_validation.h"

namespace ricochet {
namespace {

constexpr double kErrors = 2;  // standard errors
constexpr double kNoWorse = 1.05;
constexpr double kMatters = 2e-3;     // of the cost
constexpr std::size_t kBlocks = 20;   // of a recording
constexpr double kWithinNoise = 1.3;  // mean square over that of the noise
constexpr double kCertain = 25;       // of chi^2

Recording Part(const Recording& whole, int first, int last) {
  Recording out = whole;
  const auto cut = [&](auto& of) {
    if (!of.empty()) of = {of.begin() + first, of.begin() + last};
  };
  cut(out.time);
  cut(out.lines);
  for (auto& column : out.values) cut(column);
  return out;
}

/// Mean squared residuals of blocks of time of the one recording of a fit, in units of the noise of the rows; `track`
/// has the noise of the fit. Empty where they cannot be computed.
std::vector<double> BlocksOf(const FitProblem& problem, const Fit& fit, const JointTrack& track) {
  ResidualBlock rows;
  std::vector<double> sums(kBlocks, 0.0), counts(kBlocks, 0.0);
  if (!fit.found || !problem.Evaluate(0, fit.point, false, rows)) return {};
  for (std::size_t i = 0; i < track.observations.size(); ++i) {
    const JointChannel& channel = track.channels[static_cast<std::size_t>(track.channel_of[i])];
    const double unit = channel.rounded || !(channel.rows_noise > 0) ? 1 : channel.noise / channel.rows_noise;
    const double place = (track.observations[i].time - track.start) / (track.end - track.start);
    const std::size_t block =
        static_cast<std::size_t>(std::clamp(place * static_cast<double>(kBlocks), 0.0, kBlocks - 1.0));
    sums[block] += std::pow(rows.residuals[static_cast<Eigen::Index>(i)] * unit, 2);
    ++counts[block];
  }
  std::vector<double> out;
  for (std::size_t b = 0; b < kBlocks; ++b)
    if (counts[b] > 0) out.push_back(sums[b] / counts[b]);
  return out;
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value / static_cast<double>(values.size());
  return values.empty() ? INFINITY : sum;
}

FrictionScore MakeModel(const std::string& name, const Scene& scene, const std::vector<SelectedParameter>& others) {
  FrictionScore out;
  out.model = name;
  out.scene = scene;
  out.parameters = others;
  const auto add = [&](NumberId id) {
    const bool there = std::any_of(out.parameters.begin(), out.parameters.end(),
                                   [&](const SelectedParameter& p) { return p.numerator == id; });
    if (!there) out.parameters.push_back({scene.number(id).path, id, {}});
  };
  for (Joint& joint : out.scene.joints) {
    if (joint.type != JointType::kHinge && joint.type != JointType::kSlider) continue;
    add(joint.viscous);
    if (name == "viscous") joint.dry.reset();
    if (name != "stribeck" || !joint.dry) joint.stribeck.reset();
    if (joint.dry) add(joint.dry->friction);
    if (joint.stribeck) {
      add(joint.stribeck->static_friction);
      add(joint.stribeck->rate);
    }
  }
  return out;
}

void Score(const std::vector<Recording>& recordings, FrictionScore& out) {
  const std::size_t count = recordings.size();
  out.values.resize(count);
  out.stds.resize(count);
  out.held_out.assign(count, std::vector<double>(count, NAN));
  const auto family = std::make_shared<const JointedFamily>(out.scene, out.parameters);
  std::vector<RecordedTrack> recorded;
  for (std::size_t i = 0; i < count; ++i)
    recorded.push_back({static_cast<int>(i), recordings[i],
                        MakeJointTrack(family->scene(), family->model(), family->mechanism(), recordings[i])});
  for (const RecordedTrack& each : recorded)
    out.rows_per_block += static_cast<double>(each.track.observations.size()) / static_cast<double>(kBlocks * count);
  const MotionProblem all_recordings(family, recorded);
  double cost = 0;
  int fitted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    MotionProblem alone(family, {recorded[i]});
    const Fit fit = alone.Search();
    out.costs.push_back(INFINITY);
    if (!fit.found) continue;
    out.costs.back() = MeanOf(BlocksOf(alone, fit, alone.fit().tracks.front()));
    cost += out.costs.back();
    ++fitted;
    for (Eigen::Index k = 0; k < family->size(); ++k) {
      out.values[i].push_back(fit.point.values[k]);
      out.stds[i].push_back(std::sqrt(fit.covariance(k, k)));
    }
    for (std::size_t j = 0; j < count; ++j) {
      if (j == i) continue;
      MotionProblem other(family, {recorded[j]});
      const Fit held = FitHeld(other, fit.point.values);
      out.held_out[i][j] = MeanOf(BlocksOf(other, held, recorded[j].track));
    }
  }
  out.cost = fitted > 0 ? cost / fitted : INFINITY;
  std::vector<double> all;
  for (const Fold& fold : SplitIntoFolds(static_cast<int>(count), static_cast<int>(count))) {
    const FoldFit found = FitFold(all_recordings, fold);
    const std::size_t i = static_cast<std::size_t>(fold.left_out.front());
    out.left_out.push_back(BlocksOf(*found.left_out, found.rest, recorded[i].track));
    all.insert(all.end(), out.left_out.back().begin(), out.left_out.back().end());
  }
  out.held_out_cost = MeanOf(all);
}

/// Whether b is better than a on what was held out.
bool IsBetter(const FrictionScore& a, const FrictionScore& b) {
  if (!std::isfinite(b.held_out_cost)) return false;
  if (!std::isfinite(a.held_out_cost)) return true;
  if (!(b.cost < kNoWorse * a.cost)) return false;  // it contains the other: a fit of it failed
  double mean = 0, squares = 0, cost = 0;
  int n = 0;
  for (std::size_t i = 0; i < a.left_out.size(); ++i) {
    if (a.left_out[i].size() != b.left_out[i].size()) continue;  // one of them failed there
    for (std::size_t k = 0; k < a.left_out[i].size(); ++k) {
      const double gain = a.left_out[i][k] - b.left_out[i][k];
      mean += gain;
      squares += gain * gain;
      cost += a.left_out[i][k];
      ++n;
    }
  }
  if (n < 2) return false;
  // Where the richer one predicts to within the noise, what the simpler one adds to chi^2 is no chance, even if it all
  // comes from a few blocks.
  if (b.held_out_cost < kWithinNoise && mean * b.rows_per_block > kCertain) return true;
  mean /= n;
  const double error = std::sqrt(std::max(0.0, squares / n - mean * mean) / (n - 1));
  return mean > kErrors * error && mean > kMatters * cost / n;
}

}  // namespace

FrictionComparison CompareFriction(const Scene& scene, const std::vector<Recording>& recordings,
                                   const std::vector<SelectedParameter>& others) {
  bool dry = false, stribeck = false;
  for (const Joint& joint : scene.joints) {
    dry = dry || joint.dry;
    stribeck = stribeck || (joint.dry && joint.stribeck);
  }
  if (!dry)
    throw InputError({scene.file, 0, 0}, "joints", "no joint has a `dry` part, so there is only one friction model.",
                     "Give joints `dry: {radius, friction}` and, to compare it too, `stribeck: {static, rate}`.");
  std::vector<Recording> parts = recordings;
  if (parts.size() == 1) {
    const int rows = parts[0].rows();
    parts = {Part(recordings[0], 0, rows / 2), Part(recordings[0], rows / 2, rows)};
  }
  FrictionComparison out;
  for (const char* name : {"viscous", "dry", "stribeck"}) {
    if (std::string(name) == "stribeck" && !stribeck) continue;
    out.models.push_back(MakeModel(name, scene, others));
    Score(parts, out.models.back());
    const int last = static_cast<int>(out.models.size()) - 1;
    if (last > 0 && IsBetter(out.models[static_cast<std::size_t>(out.recommended)], out.models.back()))
      out.recommended = last;
  }
  std::string costs;
  for (const FrictionScore& model : out.models)
    costs += fmt::format("{}{} {:.4g} ({:.4g} where fitted)", costs.empty() ? "" : ", ", model.model,
                         model.held_out_cost, model.cost);
  const std::string& best = out.models[static_cast<std::size_t>(out.recommended)].model;
  const bool last = out.recommended + 1 == static_cast<int>(out.models.size());
  out.words = fmt::format(
      "friction, mean squared residual over noise on recordings that were not fitted: {}. {} friction is recommended: "
      "{}",
      costs, best,
      out.recommended == 0 ? std::string("dry friction does not predict better")
      : last               ? fmt::format("the simpler models do not predict the held-out recordings")
                           : fmt::format("{} friction does not predict better",
                                         out.models[static_cast<std::size_t>(out.recommended) + 1].model));
  return out;
}

}  // namespace ricochet
