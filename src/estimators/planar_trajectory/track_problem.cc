// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_problem.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimators/planar/row_noise.h"
#include "estimators/planar_trajectory/track_friction.h"
#include "math/dense.h"

namespace ricochet {

namespace {

constexpr double kTwoSigma = 4;         // rise of chi^2 at 2 standard deviations
constexpr double kProfileGrowth = 1.6;  // of the distance at which it is looked at, from 2 standard deviations on
constexpr int kProfileSteps = 20;
constexpr double kRank = 1e-9;      // relative, below which a direction of local unknowns has no effect
constexpr double kWider = 1.01;     // factor from which a rise that is too small widens the interval
constexpr double kParabola = 0.25;  // standard deviations by which a parabola may miss the rise at 2

/// Of a value that frames of a track show, in the order of TrackProblem::channels.
int ChannelOf(const PlanarTrack& track, int value) {
  if (track.pose_recorded && value < 3) return value;
  const int rest = value - (track.pose_recorded ? 3 : 0);
  return 3 + 2 * track.points[static_cast<std::size_t>(rest / 2)].point + rest % 2;
}

}  // namespace

TrackFit SearchTrack(const PlanarFamily& family, const PlanarTrack& track, const TrackFitOptions& options) {
  TrackFit fit = FitTrack(family, track, options);
  for (int k = 0; k < family.size() && fit.usable; ++k)
    if (family.role(k) == PlanarRole::kFriction) PreferSticking(family, k, fit);
  return fit;
}

TrackProblem::TrackProblem(std::shared_ptr<const PlanarFamily> family, const std::vector<PlanarTrack>& tracks,
                           const TrackFitOptions& options)
    : family_(std::move(family)), options_(options) {
  for (std::size_t k = 0; k < tracks.size(); ++k) {
    TrackBlock& block = blocks_.emplace_back(TrackBlock{tracks[k], static_cast<int>(k), {}, false});
    block.fit.track = tracks[k];
    if (!tracks[k].noise_given) EstimateNoise(FreeAcceleration(*family_), block.fit.track);
    block.fit.rejected.assign(static_cast<std::size_t>(tracks[k].size()), 0);
  }
}

TrackProblem::TrackProblem(std::shared_ptr<const PlanarFamily> family, std::vector<TrackBlock> blocks,
                           const TrackFitOptions& options)
    : family_(std::move(family)), options_(options), blocks_(std::move(blocks)) {}

Eigen::VectorXd TrackProblem::Unknowns(int block, const FitPoint& at) const {
  const Eigen::VectorXd& local = at.local[static_cast<std::size_t>(block)];
  Eigen::VectorXd z(local.size() + at.values.size());
  z << local.head(kTrackState), at.values, local.tail(local.size() - kTrackState);
  return z;
}

Eigen::VectorXd TrackProblem::LocalPart(const Eigen::VectorXd& z) const {
  Eigen::VectorXd local(z.size() - family_->size());
  local << z.head(kTrackState), z.tail(local.size() - kTrackState);
  return local;
}

TrackResiduals TrackProblem::ResidualsOf(int block) const {
  TrackResiduals residuals(*family_, At(block).fit.track);
  residuals.rejected() = At(block).fit.rejected;
  residuals.SetImpactRestitutions(options_.impact_restitutions, kCountedImpact);
  return residuals;
}

std::vector<std::string> TrackProblem::channels() const {
  std::vector<std::string> names = {"x", "y", "theta"};
  for (const ObservedPoint& point : family_->scene().observe.points)
    for (const char* axis : {".x", ".y"}) names.push_back(point.name + axis);
  return names;
}

bool TrackProblem::Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const {
  const TrackResiduals residuals = ResidualsOf(block);
  Eigen::VectorXd r;
  Eigen::MatrixXd jacobian;
  if (!residuals.Evaluate(Unknowns(block, at), r, derivatives ? &jacobian : nullptr)) return false;
  std::vector<Eigen::Index> rows;
  out.labels.clear();
  const PlanarTrack& track = residuals.track();
  for (int i = 0; i < track.size(); ++i) {
    if (residuals.rejected()[static_cast<std::size_t>(i)]) continue;
    for (int value = 0; value < track.width(); ++value) {
      if (std::isnan(track.Shown(i, value))) continue;
      rows.push_back(track.width() * i + value);
      out.labels.push_back({track.time[static_cast<std::size_t>(i)], ChannelOf(track, value)});
    }
  }
  out.residuals = r(rows);
  out.by_local.resize(0, 0);
  out.by_values.resize(0, 0);
  if (!derivatives) return true;
  const int p = family_->size(), extra = options_.impact_restitutions;
  for (int i = 0; i < kTrackState; ++i)
    if (At(block).fit.held[static_cast<std::size_t>(i)]) jacobian.col(i).setZero();
  const Eigen::MatrixXd used = jacobian(rows, Eigen::all);
  out.by_values = used.middleCols(kTrackState, p);
  out.by_local.resize(used.rows(), kTrackState + extra);
  out.by_local << used.leftCols(kTrackState), used.rightCols(extra);
  return true;
}

std::vector<ChannelNoise> TrackProblem::NoiseOf(int block) const {
  const PlanarTrack& recorded = At(block).recorded;
  const std::vector<ChannelNoise> values = NoiseOfValues(At(block).fit.track, recorded, FreeAcceleration(*family_));
  std::vector<ChannelNoise> noise(channels().size());
  for (int value = 0; value < recorded.width(); ++value)
    noise[static_cast<std::size_t>(ChannelOf(recorded, value))] = values[static_cast<std::size_t>(value)];
  return noise;
}

bool TrackProblem::Settle(const FitPoint* from) {
  for (int k = 0; k < blocks(); ++k) {
    TrackBlock& block = blocks_[static_cast<std::size_t>(k)];
    if (block.settled) continue;
    TrackFitOptions options = options_;
    options.held = block.fit.held;
    block.fit = from ? RefitTrack(*family_, block.recorded, Unknowns(k, *from), options)
                     : SearchTrack(*family_, block.recorded, options);
    if (!block.fit.usable) return false;
    block.settled = true;
  }
  return true;
}

Fit TrackProblem::Search(const HeldParameters& held, const FitPoint* from) {
  if (!from)
    for (TrackBlock& block : blocks_) block.settled = block.settled && !std::exchange(block.of_fewer, false);
  const bool settled =
      std::all_of(blocks_.begin(), blocks_.end(), [](const TrackBlock& block) { return block.settled; });
  const bool free = std::find(held.begin(), held.end(), 1) == held.end();
  const bool local = from && !from->local.empty();
  if (!Settle(local ? from : nullptr)) {
    Fit none;
    none.point.values = from ? from->values : family_->start();
    none.costs.assign(blocks_.size(), INFINITY);
    return none;
  }
  if (!from || (!settled && free)) return SearchTogether(!from);
  FitPoint start = *from;
  for (int k = 0; k < blocks() && !local; ++k) start.local.push_back(LocalPart(At(k).fit.z));
  return SearchFrom(held, start);
}

Fit TrackProblem::SearchTogether(bool covariance) {
  fits_.clear();
  for (const TrackBlock& block : blocks_) fits_.push_back(block.fit);
  together_ = FitTogether(*family_, fits_);
  Fit fit;
  fit.found = together_.found;
  fit.converged = together_.converged;
  fit.point.values = together_.params;
  fit.costs = together_.costs;
  for (const TrackFit& each : fits_) fit.point.local.push_back(LocalPart(each.z));
  if (covariance) SetUncertainty(fit);
  return fit;
}

void TrackProblem::SetUncertainty(Fit& fit) {
  const int p = family_->size();
  uncertainty_ = AnalyzeTogether(*family_, fits_, together_);
  fit.covariance = uncertainty_.parameters.covariance;
  fit.enlargement = uncertainty_.student;
  for (const TrackRival& rival : together_.rivals) fit.rivals.push_back({rival.z, rival.loss, rival.covariance});
  WidenByProfile(fit);
  if (blocks() > 1) return;
  for (const TrackRival& rival : fits_[0].rivals)
    fit.rivals.push_back(
        {rival.z.segment(kTrackState, p), rival.loss, rival.covariance.block(kTrackState, kTrackState, p, p)});
}

void TrackProblem::WidenByProfile(Fit& fit) {
  const int p = family_->size();
  Eigen::VectorXd least = Eigen::VectorXd::Zero(p);
  for (int i = 0; i < p; ++i) {
    const double std = std::sqrt(fit.covariance(i, i));
    if (!(std > 0) || !std::isfinite(std)) continue;
    HeldParameters held(static_cast<std::size_t>(p), 0);
    held[static_cast<std::size_t>(i)] = 1;
    const auto rise_of = [&](double cost) { return (cost - fit.cost()) / std::pow(fit.enlargement[i], 2); };
    for (const double side : {-1.0, 1.0}) {
      double last = 0, last_root = 0;  // standard deviations, root of the rise
      double away = 2;
      FitPoint at = Following(fit, i, side * away * std);
      const double ahead = std::sqrt(std::max(rise_of(CostAt(at)), 0.0));
      if (std::abs(ahead - away) < kParabola) {
        if (away > kWider * ahead) least[i] = std::max(least[i], std * away / ahead);
        continue;
      }
      for (int step = 0; step < kProfileSteps; ++step, away *= kProfileGrowth) {
        at.values[i] = fit.point.values[i] + side * away * std;
        if (at.values[i] <= family_->lower()[i] || at.values[i] >= family_->upper()[i]) break;
        const Fit there = SearchFrom(held, at);
        const double rise = there.found ? rise_of(there.cost()) : INFINITY;
        if (rise > kTwoSigma) {
          const double root = std::sqrt(rise), part = (std::sqrt(kTwoSigma) - last_root) / (root - last_root);
          least[i] = std::max(least[i], 0.5 * std * (last + part * (away - last)));
          break;
        }
        // Values that the data allow to within 2 standard deviations are no farther away than that.
        least = least.cwiseMax(0.5 * (there.point.values - fit.point.values).cwiseAbs());
        at = there.point;
        last = away;
        last_root = std::sqrt(std::max(rise, 0.0));
      }
    }
  }
  EnlargeTo(least, fit.covariance);
}

FitPoint TrackProblem::Following(const Fit& fit, int index, double change) const {
  // Values move with the parameter as their covariance says, local unknowns with the values.
  const Eigen::VectorXd student = fit.enlargement.cwiseInverse();
  Eigen::VectorXd step =
      student.cwiseProduct(fit.covariance.col(index)) / (student[index] * fit.covariance(index, index));
  step = step.unaryExpr([&](double x) { return std::isfinite(x) ? x * change : 0.0; });
  FitPoint out{fit.point.values + step, {}};
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const BlockJacobian& jacobian = together_.jacobians[k];
    out.local.push_back(fit.point.local[k] +
                        SolveLeastNormVector(jacobian.by_local, -jacobian.by_common * step, kRank));
  }
  return out;
}

double TrackProblem::CostAt(const FitPoint& at) const {
  double sum = 0;
  Eigen::VectorXd r;
  for (int k = 0; k < blocks(); ++k) {
    if (!ResidualsOf(k).Evaluate(Unknowns(k, at), r, nullptr)) return INFINITY;
    sum += r.squaredNorm();
  }
  return sum;
}

Fit TrackProblem::SearchFrom(const HeldParameters& held, const FitPoint& from) {
  std::vector<TrackFit> fits;
  for (int k = 0; k < blocks(); ++k) {
    fits.push_back(At(k).fit);
    fits.back().z = Unknowns(k, from);
  }
  const TogetherFit together = FitTogetherHeld(*family_, held, from.values, fits);
  Fit fit;
  fit.found = together.found;
  fit.converged = together.converged;
  fit.costs = together.costs;
  fit.point.values = together.params;
  for (const TrackFit& each : fits) fit.point.local.push_back(LocalPart(each.z));
  return fit;
}

std::unique_ptr<FitProblem> TrackProblem::Draw(const Fit& fit, Random& random) const {
  std::vector<TrackBlock> drawn;
  for (int k = 0; k < blocks(); ++k) {
    const TrackResiduals residuals = ResidualsOf(k);
    Eigen::VectorXd values;
    std::vector<Eigen::Vector3d> poses;
    if (!residuals.Show(Unknowns(k, fit.point), values) || !residuals.Predict(Unknowns(k, fit.point), poses))
      return nullptr;
    Random own = random.Split(static_cast<std::uint64_t>(k));
    TrackBlock& block = drawn.emplace_back(TrackBlock{At(k).fit.track, At(k).recording, {}, false});
    PlanarTrack& track = block.recorded;
    track.pose = std::move(poses);
    for (int i = 0; i < track.size(); ++i)
      for (int value = 0; value < track.width(); ++value) {
        double& shown = track.Shown(i, value);
        if (!std::isnan(shown))
          shown = values[track.width() * i + value] + track.NoiseOf(track.KindOf(value)) * own.Normal();
      }
    block.fit.track = block.recorded;
    block.fit.held = At(k).fit.held;
    block.fit.rejected.assign(static_cast<std::size_t>(block.recorded.size()), 0);
  }
  return std::make_unique<TrackProblem>(family_, std::move(drawn), options_);
}

std::unique_ptr<FitProblem> TrackProblem::Subset(const std::vector<int>& blocks) const {
  std::vector<TrackBlock> some;
  for (const int block : blocks) some.push_back(At(block));
  return std::make_unique<TrackProblem>(family_, std::move(some), options_);
}

std::unique_ptr<FitProblem> TrackProblem::With(const std::vector<SelectedParameter>& more) const {
  std::vector<SelectedParameter> all = parameters().selected();
  all.insert(all.end(), more.begin(), more.end());
  std::vector<TrackBlock> same = blocks_;
  for (TrackBlock& block : same) block.of_fewer = true;
  return std::make_unique<TrackProblem>(
      std::make_shared<const PlanarFamily>(family_->scene(), std::move(all), family_->body()), std::move(same),
      options_);
}

}  // namespace ricochet
