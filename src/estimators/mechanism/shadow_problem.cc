// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/mechanism/shadow_problem.h"

#include <cmath>

namespace ricochet {

ShadowProblem::ShadowProblem(std::shared_ptr<const JointedFamily> family, std::vector<ShadowChain> chains,
                             std::vector<int> recordings, std::optional<double> kappa)
    : family_(std::move(family)), chains_(std::move(chains)), recordings_(std::move(recordings)), kappa_(kappa) {}

ShadowChain ShadowProblem::At(std::size_t block, const Eigen::VectorXd& local) const {
  ShadowChain out = chains_[block];
  Eigen::Index at = 0;
  for (State& state : out.states) {
    state.q = local.segment(at, state.q.size());
    for (Eigen::Index body = 0; body < state.q.size(); body += 7) state.q.segment<4>(body + 3).normalize();
    state.v = local.segment(at + state.q.size(), state.v.size());
    at += state.q.size() + state.v.size();
  }
  return out;
}

bool ShadowProblem::Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const {
  if (derivatives || !(variance_ > 0)) return false;
  const std::size_t k = static_cast<std::size_t>(block);
  const ShadowResiduals found = EvaluateShadow(*family_, At(k, at.local[k]), at.values);
  const double angle = 1 / std::sqrt(variance_), impulse = std::sqrt(*kappa_) * angle;
  const Eigen::Index impulses = static_cast<Eigen::Index>(found.impulses.size());
  out.labels.clear();
  out.residuals.resize(impulses + static_cast<Eigen::Index>(found.angles.size()));
  for (std::size_t i = 0; i < found.impulses.size(); ++i) {
    out.residuals[static_cast<Eigen::Index>(i)] = impulse * found.impulses[i];
    out.labels.push_back({found.impulse_times[i], 0});
  }
  for (std::size_t i = 0; i < found.angles.size(); ++i) {
    out.residuals[impulses + static_cast<Eigen::Index>(i)] = angle * found.angles[i];
    out.labels.push_back({found.angle_times[i], 1});
  }
  return out.residuals.allFinite();
}

Fit ShadowProblem::Result(const ShadowFit& fit) const {
  Fit out;
  out.found = std::isfinite(fit.cost);
  out.converged = out.found && fit.converged;
  out.point.values = fit.params;
  out.covariance = fit.covariance;
  out.enlargement = fit.enlargement;
  for (const double cost : fit.costs) out.costs.push_back(out.found ? cost / variance_ : INFINITY);
  for (const ShadowChain& chain : fit.chains) {
    const Eigen::Index q = chain.states.front().q.size(), v = chain.states.front().v.size();
    Eigen::VectorXd& local = out.point.local.emplace_back((q + v) * static_cast<Eigen::Index>(chain.states.size()));
    Eigen::Index at = 0;
    for (const State& state : chain.states) {
      local.segment(at, q) = state.q;
      local.segment(at + q, v) = state.v;
      at += q + v;
    }
  }
  return out;
}

Fit ShadowProblem::Search(const HeldParameters& held, const FitPoint* from) {
  ShadowFitOptions options;
  options.held = held;
  if (kappa_) options.kappa = *kappa_;
  if (from != nullptr) {
    options.start = from->values;
    options.soften = from->local.empty() && !searched_;
    std::vector<ShadowChain> chains = chains_;
    for (std::size_t k = 0; k < from->local.size(); ++k) chains[k] = At(k, from->local[k]);
    return Result(FitShadow(*family_, std::move(chains), options));
  }
  options.soften = true;
  fit_ = kappa_ ? FitShadow(*family_, chains_, options) : FitShadowBySizes(*family_, chains_, options);
  kappa_ = fit_.kappa;
  if (!(variance_ > 0)) variance_ = fit_.observation_error;
  chains_ = fit_.chains;
  searched_ = true;
  return Result(fit_);
}

std::unique_ptr<FitProblem> ShadowProblem::Draw(const Fit& fit, Random& random) const {
  auto out = std::make_unique<ShadowProblem>(*this);
  for (std::size_t k = 0; k < chains_.size(); ++k) {
    out->chains_[k] = At(k, fit.point.local[k]);
    if (!SimulateShadow(*family_, fit.point.values, std::sqrt(variance_), random, out->chains_[k])) return nullptr;
  }
  return out;
}

std::unique_ptr<FitProblem> ShadowProblem::Subset(const std::vector<int>& blocks) const {
  std::vector<ShadowChain> chains;
  std::vector<int> recordings;
  for (const int block : blocks) {
    chains.push_back(chains_[static_cast<std::size_t>(block)]);
    recordings.push_back(recordings_[static_cast<std::size_t>(block)]);
  }
  auto out = std::make_unique<ShadowProblem>(family_, std::move(chains), std::move(recordings), kappa_);
  out->variance_ = variance_;
  out->searched_ = searched_;
  return out;
}

}  // namespace ricochet
