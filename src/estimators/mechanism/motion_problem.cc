// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/mechanism/motion_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dataset/joint_reading.h"
#include "dataset/noise.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

constexpr const char* kTies = "ties";
constexpr int kMostLocal = 150;        // unknowns of a recording that can be eliminated in a moment
constexpr int kBriefEvaluations = 12;  // of a fit that only shows what freeing a parameter would change

/// What a sensor shows of a value.
double Shown(const JointChannel& channel, double origin, double value, Random& random) {
  if (channel.rounded) return origin + channel.quantum * std::round((value - origin) / channel.quantum);
  return value + random.Normal(0, channel.noise);
}

/// The recording with the columns of its channels as these joints would show; rows that are missing stay so.
Recording Redrawn(const RecordedTrack& recorded, const std::vector<EstimatedJoint>& joints, Random& random) {
  Recording out = recorded.recording;
  for (const JointChannel& channel : recorded.track.channels) {
    const EstimatedJoint& joint = joints[static_cast<std::size_t>(channel.dof)];
    const std::vector<double>& motion = channel.rate ? joint.rate : joint.angle;
    std::vector<double>& column = out.values[static_cast<std::size_t>(out.Find(channel.name))];
    const double origin = *std::find_if(column.begin(), column.end(), [](double v) { return std::isfinite(v); });
    for (std::size_t i = 0; i < column.size(); ++i)
      if (std::isfinite(column[i])) column[i] = Shown(channel, origin, motion[i], random);
  }
  return out;
}

}  // namespace

MotionProblem::MotionProblem(std::shared_ptr<const JointedFamily> family, std::vector<RecordedTrack> recorded)
    : family_(std::move(family)), recorded_(std::move(recorded)), kept_(std::make_shared<KeptRows>()) {
  kept_->blocks.resize(recorded_.size());
  std::vector<JointTrack> tracks;
  for (const RecordedTrack& each : recorded_) tracks.push_back(each.track);
  fit_ = std::make_unique<JointedFit>(*family_, std::move(tracks));
}

std::vector<std::string> MotionProblem::channels() const {
  std::vector<std::string> out;
  for (const RecordedTrack& recorded : recorded_)
    for (const JointChannel& channel : recorded.track.channels)
      if (std::find(out.begin(), out.end(), channel.name) == out.end()) out.push_back(channel.name);
  out.emplace_back(kTies);
  return out;
}

JointedNodes MotionProblem::NodesOf(const std::vector<Eigen::VectorXd>& local) const {
  const Eigen::Index size = 2 * family_->dof();
  JointedNodes out;
  for (const Eigen::VectorXd& states : local) {
    out.emplace_back();
    for (Eigen::Index at = 0; at + size <= states.size(); at += size) out.back().push_back(states.segment(at, size));
  }
  return out;
}

bool MotionProblem::KeptRows::Entry::Has(const JointedFamily& of, const Eigen::VectorXd& at_values,
                                         const Eigen::VectorXd& at_local) const {
  const Eigen::Index p = at_values.size(), more = values.size() - p;
  if (!family || more < 0 || local.size() != at_local.size() || local != at_local || values.head(p) != at_values ||
      values.tail(more) != family->start().tail(more))
    return false;
  for (int i = 0; i < p; ++i)
    if (family->parameters().selected(i).path != of.parameters().selected(i).path) return false;
  return true;
}

bool MotionProblem::EvaluateRows(int block, const FitPoint& at, bool derivatives, JointedRows& out) const {
  const std::size_t k = static_cast<std::size_t>(block);
  const std::vector<Eigen::VectorXd> nodes = NodesOf({at.local[k]}).front();
  if (!derivatives) return fit_->Evaluate(block, at.values, nodes, false, out);
  const Eigen::Index p = at.values.size();
  {
    const std::lock_guard lock(kept_->mutex);
    const KeptRows::Entry& kept = kept_->blocks[k];
    if (kept.Has(*family_, at.values, at.local[k])) {
      out = {kept.rows.residuals, kept.rows.by_nodes, kept.rows.by_values.leftCols(p), kept.rows.marks};
      return true;
    }
  }
  if (!fit_->Evaluate(block, at.values, nodes, true, out)) return false;
  const std::lock_guard lock(kept_->mutex);
  kept_->blocks[k] = {family_, at.values, at.local[k], out};
  return true;
}

bool MotionProblem::Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const {
  return EvaluateMarked(block, at, derivatives, out, nullptr);
}

bool MotionProblem::EvaluateMarked(int block, const FitPoint& at, bool derivatives, ResidualBlock& out,
                                   std::vector<MotionMark>* marks) const {
  const std::size_t k = static_cast<std::size_t>(block);
  const std::size_t nodes = static_cast<std::size_t>(at.local[k].size() / (2 * family_->dof()));
  JointedRows rows;
  if (!EvaluateRows(block, at, derivatives, rows)) return false;
  const std::vector<std::string> names = channels();
  const JointTrack& track = recorded_[k].track;
  out.labels.clear();
  for (std::size_t i = 0; i < track.observations.size(); ++i) {
    const std::string& name = track.channels[static_cast<std::size_t>(track.channel_of[i])].name;
    out.labels.push_back(
        {track.observations[i].time, static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin())});
  }
  const Eigen::Index size = 2 * family_->dof();
  for (Eigen::Index row = static_cast<Eigen::Index>(out.labels.size()); row < rows.residuals.size(); ++row) {
    const double place = static_cast<double>((row - static_cast<Eigen::Index>(track.observations.size())) / size + 1);
    out.labels.push_back({track.start + (track.end - track.start) * place / static_cast<double>(nodes),
                          static_cast<int>(names.size()) - 1});
  }
  out.residuals = std::move(rows.residuals);
  out.by_local = std::move(rows.by_nodes);
  out.by_values = std::move(rows.by_values);
  if (marks) *marks = std::move(rows.marks);
  return true;
}

bool MotionProblem::HasDerivatives() const {
  if (fit_->tie == 0) return true;
  std::size_t nodes = 0;
  for (const std::vector<Eigen::VectorXd>& chain : fit_->nodes()) nodes = std::max(nodes, chain.size());
  return 2 * family_->dof() * static_cast<int>(nodes) <= kMostLocal;
}

Fit MotionProblem::Result(const JointedFit& fit, bool found) const {
  Fit out;
  out.found = found;
  out.converged = found && fit.converged && !fit.lost;
  out.point.values = fit.params;
  if (!found) return out;
  for (std::size_t k = 0; k < recorded_.size(); ++k) {
    const std::vector<Eigen::VectorXd>& nodes = fit.nodes()[k];
    Eigen::VectorXd& local =
        out.point.local.emplace_back(nodes.front().size() * static_cast<Eigen::Index>(nodes.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i)
      local.segment(static_cast<Eigen::Index>(i) * nodes.front().size(), nodes.front().size()) = nodes[i];
    out.costs.push_back(fit.Deviance(static_cast<int>(k)));
  }
  out.covariance = fit.covariance;
  out.enlargement = fit.enlargement;
  if (!fit.held.empty()) out.held.assign(static_cast<std::size_t>(parameters().size()), 0);
  for (const HeldNumber& held : fit.held) out.held[static_cast<std::size_t>(held.pivot)] = 1;
  return out;
}

Fit MotionProblem::Search(const HeldParameters& held, const FitPoint* from) {
  JointedFitOptions options;
  options.held = held;
  if (!from) {
    std::vector<JointTrack> tracks;
    for (const RecordedTrack& recorded : recorded_) tracks.push_back(recorded.track);
    fit_ = std::make_unique<JointedFit>(*family_, std::move(tracks), options);
    kept_ = std::make_shared<KeptRows>();  // the noise is another
    kept_->blocks.resize(recorded_.size());
    searched_ = fit_->Run();
    return Result(*fit_, searched_);
  }
  options.start = from->values;
  if (brief_) options.brief = true, options.evaluations = kBriefEvaluations;
  JointedFit fit(*family_, fit_->tracks, options);
  if (from->local.empty() && !searched_) {
    const bool found = fit.Run();
    fit_->tie = fit.tie;
    // The level is that of this search, the noise is not.
    fit.TakeNoise(fit_->tracks);
    return Result(fit, found);
  }
  return Result(fit, fit.RunFrom(from->values, from->local.empty() ? fit_->nodes() : NodesOf(from->local), fit_->tie));
}

std::unique_ptr<FitProblem> MotionProblem::Draw(const Fit& fit, Random& random) const {
  if (!fit.found) return nullptr;
  const JointedNodes nodes = NodesOf(fit.point.local);
  std::vector<RecordedTrack> drawn;
  for (std::size_t k = 0; k < recorded_.size(); ++k) {
    std::vector<EstimatedJoint> joints;
    RecordedTrack shown{recorded_[k].index, recorded_[k].recording, fit_->tracks[k]};
    if (!fit_->MotionAt(fit.point.values, nodes[k], static_cast<int>(k), shown.recording.time, joints)) return nullptr;
    shown.recording = Redrawn(shown, joints, random);
    try {
      shown.track = MakeJointTrack(family_->scene(), family_->model(), family_->mechanism(), shown.recording);
    } catch (const InputError&) {
      return nullptr;  // noise took a joint to its stop
    }
    for (std::size_t c = 0; c < shown.track.channels.size(); ++c)
      if (!shown.track.channels[c].rounded) shown.track.channels[c].noise = fit_->tracks[k].channels[c].noise;
    drawn.push_back(std::move(shown));
  }
  auto out = std::make_unique<MotionProblem>(family_, std::move(drawn));
  out->fit_->tie = fit_->tie;
  return out;
}

std::unique_ptr<FitProblem> MotionProblem::With(const std::vector<SelectedParameter>& more) const {
  std::vector<SelectedParameter> selected = parameters().selected();
  selected.insert(selected.end(), more.begin(), more.end());
  auto larger = std::make_shared<const JointedFamily>(family_->scene(), std::move(selected));
  std::vector<RecordedTrack> same;
  for (std::size_t k = 0; k < recorded_.size(); ++k)
    same.push_back({recorded_[k].index, recorded_[k].recording, fit_->tracks[k]});
  auto out = std::make_unique<MotionProblem>(std::move(larger), std::move(same));
  out->fit_->tie = fit_->tie;
  out->fit_->TakeMotions(*fit_);
  out->brief_ = true;
  out->kept_ = kept_;
  return out;
}

std::vector<ChannelNoise> MotionProblem::NoiseOf(int block) const {
  const std::vector<std::string> names = channels();
  constexpr double kKnown = std::numeric_limits<double>::infinity();
  std::vector<ChannelNoise> out(names.size());
  out.back() = {1, 1, kKnown};  // ties
  for (const JointChannel& channel : fit_->tracks[static_cast<std::size_t>(block)].channels) {
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), channel.name) - names.begin());
    const bool known = channel.given || channel.rounded;
    out[at] = {channel.noise, known ? channel.noise : channel.rows_noise,
               known ? kKnown : SixthDifferenceFreedom(channel.observations)};
  }
  return out;
}

std::unique_ptr<FitProblem> MotionProblem::Subset(const std::vector<int>& blocks) const {
  std::vector<RecordedTrack> some;
  for (const int block : blocks) {
    const std::size_t k = static_cast<std::size_t>(block);
    some.push_back({recorded_[k].index, recorded_[k].recording, fit_->tracks[k]});
  }
  auto out = std::make_unique<MotionProblem>(family_, std::move(some));
  out->fit_->tie = fit_->tie;
  return out;
}

}  // namespace ricochet
