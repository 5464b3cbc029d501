// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimators/tosses/toss_alone.h"
#include "estimators/tosses/toss_fit.h"
#include "estimators/tosses/toss_secants.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

using Vector12 = Eigen::Matrix<double, 12, 1>;

constexpr double kSpread = 0.1;  // of a parameter's scale: starts of fits from given values

bool AreAllHeld(const HeldParameters& held, int size) {
  return static_cast<int>(held.size()) == size && std::all_of(held.begin(), held.end(), [](char h) { return h != 0; });
}
bool IsAnyHeld(const HeldParameters& held) {
  return std::any_of(held.begin(), held.end(), [](char h) { return h != 0; });
}

std::vector<Eigen::VectorXd> NoLocals(int blocks) {
  return std::vector<Eigen::VectorXd>(static_cast<std::size_t>(blocks));
}

std::vector<double> Twice(std::vector<double> costs) {
  for (double& cost : costs) cost *= 2;
  return costs;
}

void Append(const Vector6<double>& residual, double time, ResidualBlock& out) {
  const Eigen::Index size = out.residuals.size();
  out.residuals.conservativeResize(size + 6);
  out.residuals.tail<6>() = residual;
  for (int channel = 0; channel < 6; ++channel) out.labels.push_back({time, channel});
}

}  // namespace

std::pair<double, double> TossProblem::Range(int parameter) const {
  const SearchBox box = MakeSearchBox(family_);
  return {box.lower[parameter], box.upper[parameter]};
}

std::vector<ChannelNoise> TossProblem::NoiseOf(int block) const {
  const PreparedToss& toss = set_.tosses()[static_cast<std::size_t>(recording(block))];
  const SpatialTrack& track = toss.toss.track;
  std::vector<ChannelNoise> noise(3, {track.noise_position, track.noise_position, toss.position_freedom});
  noise.resize(6, {track.noise_angle, track.noise_angle, toss.angle_freedom});
  return noise;
}

PreparedToss TossProblem::TossOf(int block, const Model& model) const {
  PreparedToss toss = set_.tosses()[static_cast<std::size_t>(recording(block))];
  if (set_.moves_start()) RefitStart(model, toss);
  return toss;
}

std::uint64_t TossProblem::SeedOf(const std::vector<int>& blocks) const {
  std::uint64_t seed = seed_ + 1;
  for (const int block : blocks) seed = 31 * seed + static_cast<std::uint64_t>(block);
  return seed;
}

bool TossProblem::PoseResiduals(int block, const Eigen::VectorXd& values, const Vector12& moved, int frames,
                                ResidualBlock& out) const {
  const std::optional<SpatialInstance> instance = family_.Compile(values);
  if (!instance) return false;
  const PreparedToss toss = TossOf(block, instance->model);
  TossRoller roller = set_.RollerOf(instance->model);
  std::vector<SpatialPose<double>> poses;
  const bool rolled = roller.RollFrom(toss, moved, poses);
  frames = std::min(frames, toss.end - toss.start + 1);
  if (!rolled && static_cast<int>(poses.size()) < frames) return false;
  out = {};
  for (int i = 0; i < frames; ++i) {
    const std::size_t frame = static_cast<std::size_t>(toss.start + i);
    if (toss.toss.track.outlier[frame]) continue;
    Append(PoseResidual(toss, i, poses[static_cast<std::size_t>(i)]), toss.toss.track.time[frame], out);
  }
  return true;
}

bool TossCostProblem::Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const {
  return !derivatives && PoseResiduals(block, at.values, Vector12::Zero(), std::numeric_limits<int>::max(), out);
}

Fit TossCostProblem::FitOf(const TossMinimum& found) const {
  Fit fit;
  fit.point = {found.params, NoLocals(blocks())};
  fit.costs = found.costs;
  fit.covariance = found.covariance;
  fit.enlargement = Eigen::VectorXd::Constant(found.params.size(), StudentFactor(blocks() - family_.size()));
  fit.found = fit.converged = std::isfinite(found.cost);
  return fit;
}

Fit TossCostProblem::Search(const HeldParameters& held, const FitPoint* from) {
  if (!from) return FitOf(FindLeastCost(family_, set_, seed_));
  const TossCosts costs = set_.CostsOfTrajectories();
  if (!IsAnyHeld(held))
    return FitOf(MinimizeTossCost(family_, costs, blocks(), {.seed = seed_, .global = false, .start = from->values}));
  Fit fit;
  fit.point = {from->values, NoLocals(blocks())};
  fit.costs = MinimizeOtherNumbers(family_, costs, blocks(), held, seed_, fit.point.values);
  fit.found = fit.converged =
      std::any_of(fit.costs.begin(), fit.costs.end(), [](double cost) { return std::isfinite(cost); });
  return fit;
}

std::unique_ptr<FitProblem> TossCostProblem::Subset(const std::vector<int>& blocks) const {
  return std::make_unique<TossCostProblem>(family_, set_.Subset(blocks), SeedOf(blocks));
}

bool TossLikelihoodProblem::Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const {
  if (at.local.empty() || (derivatives && !HasDerivatives())) return false;
  const Eigen::VectorXd& local = at.local[static_cast<std::size_t>(block)];
  const TossPoint point{recording(block), at.values, local.head<12>(), static_cast<int>(local[12])};
  const TossKnowledge* known = known_.empty() ? nullptr : &known_[static_cast<std::size_t>(block)];
  Eigen::VectorXd rows;
  Eigen::MatrixXd by_start, by_values;
  if (!(derivatives ? SecantsOf(family_, set_, point, blocks(), known, rows, by_start, by_values)
                    : ResidualsOf(family_, set_, point, known, rows)))
    return false;
  const PreparedToss& toss = set_.tosses()[static_cast<std::size_t>(recording(block))];
  out = {};
  std::vector<int> kept;
  for (int i = 0; 6 * i < rows.size(); ++i) {
    const std::size_t frame = static_cast<std::size_t>(toss.start + i);
    if (toss.toss.track.outlier[frame]) continue;
    for (int channel = 0; channel < 6; ++channel) {
      kept.push_back(6 * i + channel);
      out.labels.push_back({toss.toss.track.time[frame], channel});
    }
  }
  out.residuals = rows(kept);
  if (!derivatives) return true;
  out.by_local = by_start(kept, Eigen::all);
  out.by_values = by_values(kept, Eigen::all);
  return true;
}

std::unique_ptr<FitProblem> TossLikelihoodProblem::With(const std::vector<SelectedParameter>& more) const {
  if (!HasDerivatives()) return nullptr;
  std::vector<SelectedParameter> all = family_.selected();
  all.insert(all.end(), more.begin(), more.end());
  auto larger = std::make_shared<const SpatialFamily>(family_.scene(), std::move(all));
  auto out = std::make_unique<TossLikelihoodProblem>(*larger, set_.Of(*larger), seed_);
  out->known_ = known_;
  out->own_ = std::move(larger);
  return out;
}

Fit TossLikelihoodProblem::Take(const TossLikelihoodResult& found) {
  const std::size_t count = found.moved.size(), runs = found.statements.size() / count;
  statements_.assign(count, {});
  known_ = found.known;
  Fit fit;
  fit.point.values = found.params;
  for (std::size_t k = 0; k < count; ++k) {
    const auto first = found.statements.begin() + static_cast<std::ptrdiff_t>(k * runs);
    statements_[k].assign(first, first + static_cast<std::ptrdiff_t>(runs));
    Eigen::VectorXd& local = fit.point.local.emplace_back(13);
    local << found.moved[k], found.frames[k];
  }
  fit.costs = DeviancesAt(found.params);
  fit.covariance = found.covariance;
  fit.enlargement = Eigen::VectorXd::Ones(family_.size());
  const std::vector<CombinedNumber> combined = CombineNumbers(found.statements);
  for (int i = 0; i < family_.size(); ++i) {
    const double curvature = CurvatureOfNumber(found.statements, i, combined[static_cast<std::size_t>(i)]);
    const double factor = std::sqrt(curvature * found.covariance(i, i));
    if (factor > 0 && std::isfinite(factor)) fit.enlargement[i] = factor;
  }
  fit.found = fit.converged = found.params.allFinite();
  return fit;
}

std::vector<double> TossLikelihoodProblem::DeviancesAt(const Eigen::VectorXd& values) const {
  std::vector<TossStatement> statements;
  for (const std::vector<TossStatement>& of_one : statements_)
    statements.insert(statements.end(), of_one.begin(), of_one.end());
  const std::vector<CombinedNumber> combined = CombineNumbers(statements);
  std::vector<double> out(statements_.size(), 0.0);
  for (int i = 0; i < family_.size(); ++i) {
    const std::vector<double> each =
        DeviancesOfNumber(statements, i, combined[static_cast<std::size_t>(i)], values[static_cast<Eigen::Index>(i)]);
    for (std::size_t s = 0; s < each.size(); ++s) out[s * statements_.size() / each.size()] += each[s];
  }
  return out;
}

Fit TossLikelihoodProblem::Search(const HeldParameters& held, const FitPoint* from) {
  const auto is_held = [&](int i) { return !held.empty() && held[static_cast<std::size_t>(i)]; };
  if (own_) return {};
  if (!from) {
    TossMinimum least = FindLeastCost(family_, set_, seed_);
    std::vector<std::string> log;
    const TossLikelihoodResult found = FitFromLeastCost(family_, set_, seed_, least, log);
    // Of many tosses that the model does not explain, only a part was fitted.
    return static_cast<int>(found.moved.size()) == blocks() ? Take(found) : Fit{};
  }
  if (set_.located() && (from->local.empty() || statements_.empty()))
    return Take(FitTogether(family_, set_, from->values, {.spread = SpreadOf(family_, kSpread, held), .seed = seed_}));
  if (from->local.empty() || statements_.empty()) {
    // With all parameters held there is nothing that a second pass could start nearer to.
    return Take(FitAlone(family_, set_, from->values,
                         {.spread = SpreadOf(family_, kSpread, held),
                          .passes = AreAllHeld(held, family_.size()) ? 1 : 2,
                          .seed = seed_}));
  }
  std::vector<TossStatement> statements;
  for (const std::vector<TossStatement>& of_one : statements_)
    statements.insert(statements.end(), of_one.begin(), of_one.end());
  Fit fit;
  fit.point = *from;
  const Eigen::VectorXd combined = CombineTosses(statements);
  for (int i = 0; i < family_.size(); ++i)
    if (!is_held(i)) fit.point.values[i] = combined[i];
  fit.costs = DeviancesAt(fit.point.values);
  fit.found = fit.converged = fit.point.values.allFinite();
  return fit;
}

std::unique_ptr<FitProblem> TossLikelihoodProblem::Subset(const std::vector<int>& blocks) const {
  auto out = std::make_unique<TossLikelihoodProblem>(family_, set_.Subset(blocks), SeedOf(blocks));
  if (!statements_.empty())
    for (const int block : blocks) out->statements_.push_back(statements_[static_cast<std::size_t>(block)]);
  if (!known_.empty())
    for (const int block : blocks) out->known_.push_back(known_[static_cast<std::size_t>(block)]);
  return out;
}

bool ImpactProblem::Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const {
  if (derivatives) return false;
  const std::optional<SpatialInstance> instance = family_.Compile(at.values);
  if (!instance) return false;
  PreparedToss toss = TossOf(block, instance->model);
  if (set_.moves_start()) RefitJumps(instance->model, toss);
  TossRoller roller = set_.RollerOf(instance->model);
  out = {};
  for (const SelectedImpact& impact : toss.impacts.impacts) {
    const std::optional<TossRoller::JumpResidual> residual = roller.ResidualBehind(toss, impact);
    if (!residual) return false;
    Append(residual->over_noise, impact.jump.time, out);
  }
  return true;
}

Fit ImpactProblem::FitOf(const ImpactMinimum& found) const {
  Fit fit;
  fit.point = {found.params, NoLocals(blocks())};
  fit.costs = Twice(found.costs);
  fit.covariance = found.covariance;
  fit.enlargement = found.enlarged;
  fit.found = std::isfinite(found.cost);
  fit.converged = found.converged;
  return fit;
}

Fit ImpactProblem::Search(const HeldParameters& held, const FitPoint* from) {
  if (!from) return FitOf(MaximizeImpactLikelihood(family_, set_, seed_));
  const ImpactRefit refit = RefitImpacts(family_, set_, from->values, held);
  Fit fit;
  fit.point = {refit.params, NoLocals(blocks())};
  fit.costs = Twice(refit.costs);
  fit.found = std::isfinite(fit.cost());
  fit.converged = refit.converged;
  return fit;
}

std::unique_ptr<FitProblem> ImpactProblem::Subset(const std::vector<int>& blocks) const {
  return std::make_unique<ImpactProblem>(family_, set_.Subset(blocks), SeedOf(blocks));
}

std::vector<ChannelNoise> ImpactProblem::NoiseOf(int block) const {
  return std::vector<ChannelNoise>(6, {1, 1, TossProblem::NoiseOf(block).front().freedom});
}

}  // namespace ricochet
