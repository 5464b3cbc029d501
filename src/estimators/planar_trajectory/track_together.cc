// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_together.h"

#include <algorithm>
#include <cmath>

#include "optimize/block_least_squares.h"

namespace ricochet {
namespace {

/// Residuals of all recordings: one block each, with its state and restitutions of impacts as local parameters.
class CommonResiduals final : public BlockResiduals {
 public:
  CommonResiduals(const PlanarFamily& family, const std::vector<TrackFit>& fits) : family_(family), fits_(fits) {
    for (const TrackFit& fit : fits_) {
      residuals_.emplace_back(family_, fit.track);
      residuals_.back().rejected() = fit.rejected;
      residuals_.back().SetImpactRestitutions(Extra(fit), kCountedImpact);
    }
  }
  int blocks() const override { return static_cast<int>(fits_.size()); }
  int local_size(int block) const override { return kTrackState + Extra(Of(block)); }
  int common_size() const override { return family_.size(); }
  Eigen::VectorXd MoveCommon(const Eigen::VectorXd& common, const Eigen::VectorXd& step) const override {
    return family_.parameters().Move(common, step);
  }
  bool SetCommon(const Eigen::VectorXd& common) override {
    common_ = common;
    return true;
  }
  bool Evaluate(int block, const Eigen::VectorXd& local, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) override {
    Eigen::MatrixXd by_z;
    if (!residuals_[static_cast<std::size_t>(block)].Evaluate(Unknowns(local), r, jacobian ? &by_z : nullptr))
      return false;
    if (!jacobian) return true;
    for (int i = 0; i < kTrackState; ++i)
      if (Of(block).held[static_cast<std::size_t>(i)]) by_z.col(i).setZero();
    jacobian->resize(by_z.rows(), by_z.cols());
    *jacobian << by_z.leftCols(kTrackState), by_z.rightCols(Extra(Of(block))),
        by_z.middleCols(kTrackState, family_.size());
    return true;
  }

  /// Parameters of one recording at the common values that were set, in the order of TrackResiduals.
  Eigen::VectorXd Unknowns(const Eigen::VectorXd& local) const {
    Eigen::VectorXd z(local.size() + common_.size());
    z << local.head(kTrackState), common_, local.tail(local.size() - kTrackState);
    return z;
  }

  BlockPoint Start() const {
    BlockPoint point{Eigen::VectorXd(family_.size()), {}};
    for (const TrackFit& fit : fits_) {
      Eigen::VectorXd& local = point.local.emplace_back(kTrackState + Extra(fit));
      local << fit.z.head(kTrackState), fit.z.tail(Extra(fit));
    }
    // The median of the separate estimates; for friction of those that slide, if there are any.
    const bool some_slide =
        std::any_of(fits_.begin(), fits_.end(), [](const TrackFit& fit) { return fit.motion.slid; });
    for (int i = 0; i < family_.size(); ++i) {
      std::vector<double> values;
      for (const TrackFit& fit : fits_)
        if (fit.motion.slid || !some_slide || family_.role(i) != PlanarRole::kFriction)
          values.push_back(fit.z[kTrackState + i]);
      std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
      point.common[i] = values[values.size() / 2];
    }
    return point;
  }

  void Minimize(const std::vector<char>& held, BlockPoint& point, TogetherFit& out) {
    const LeastSquaresOptions single;
    BlockLeastSquaresOptions solver{.max_iterations = single.max_iterations,
                                    .cost_tolerance = single.cost_tolerance,
                                    .initial_lambda = single.initial_lambda,
                                    .step_tolerance = single.step_tolerance,
                                    .scale = family_.scale(),
                                    .lower = family_.lower(),
                                    .upper = family_.upper(),
                                    .held = held};
    for (const TrackFit& fit : fits_) {
      Eigen::VectorXd& lower = solver.local_lower.emplace_back(kTrackState + Extra(fit));
      Eigen::VectorXd& upper = solver.local_upper.emplace_back(kTrackState + Extra(fit));
      lower << Eigen::VectorXd::Constant(kTrackState, -INFINITY), Eigen::VectorXd::Zero(Extra(fit));
      upper << Eigen::VectorXd::Constant(kTrackState, INFINITY), Eigen::VectorXd::Ones(Extra(fit));
    }
    const LeastSquaresSummary summary = MinimizeBlocks(*this, solver, point);
    out.iterations = summary.iterations;
    out.trace = summary.trace;
    out.converged = summary.end == LeastSquaresEnd::kConverged || summary.end == LeastSquaresEnd::kStalled;
  }

  /// What the point means for each recording.
  void Finish(const BlockPoint& point, bool derivatives, TogetherFit& out) {
    out.params = point.common;
    out.found = true;
    SetCommon(point.common);
    for (int k = 0; k < blocks(); ++k) {
      Eigen::VectorXd r;
      Eigen::MatrixXd jacobian;
      const bool computed = Evaluate(k, point.local[static_cast<std::size_t>(k)], r, derivatives ? &jacobian : nullptr);
      out.found = out.found && computed;
      out.costs.push_back(computed ? r.squaredNorm() : INFINITY);
      out.chi2 += out.costs.back();
      if (!derivatives) continue;
      if (!computed) jacobian.setZero(Of(k).track.width() * Of(k).track.size(), local_size(k) + family_.size());
      out.jacobians.push_back({jacobian.leftCols(local_size(k)), jacobian.rightCols(family_.size())});
    }
    out.converged = out.found && out.converged;
  }

 private:
  const TrackFit& Of(int block) const { return fits_[static_cast<std::size_t>(block)]; }
  int Extra(const TrackFit& fit) const { return static_cast<int>(fit.z.size()) - kTrackState - family_.size(); }

  const PlanarFamily& family_;
  const std::vector<TrackFit>& fits_;
  std::vector<TrackResiduals> residuals_;
  Eigen::VectorXd common_;
};

/// Moves the fits to the common solution.
void MoveFits(CommonResiduals& common, const BlockPoint& point, std::vector<TrackFit>& fits) {
  common.SetCommon(point.common);
  for (std::size_t k = 0; k < fits.size(); ++k) fits[k].z = common.Unknowns(point.local[k]);
}

/// Factor by which estimated noise enlarges a standard deviation. `gains`: how much each residual of each recording
/// moves the parameter.
double StudentFactor(const std::vector<TrackFit>& fits, const std::vector<Eigen::VectorXd>& gains) {
  double total = 0, weighted = 0;
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const TrackFit& fit = fits[k];
    const int width = fit.track.width();
    NoiseFreedom share = {};
    for (int row = 0; row < width * fit.track.size(); ++row)
      share[static_cast<std::size_t>(fit.track.KindOf(row % width))] += gains[k][row] * gains[k][row];
    for (std::size_t c = 0; c < share.size(); ++c) {
      total += share[c];
      if (fit.noise_estimated) weighted += share[c] * share[c] / std::max(fit.noise_freedom[c], 1.0);
    }
  }
  if (weighted <= 0) return 1;
  const double freedom = std::max(total * total / weighted, 3.0);
  return std::sqrt(freedom / (freedom - 2));
}

}  // namespace

TogetherFit FitTogether(const PlanarFamily& family, std::vector<TrackFit>& fits) {
  TogetherFit out;
  CommonResiduals common(family, fits);
  BlockPoint point = common.Start();
  out.converged = true;
  if (fits.size() > 1) {
    common.Minimize({}, point, out);
    MoveFits(common, point, fits);
  }
  common.Finish(point, true, out);
  out.degrees_of_freedom = fits[0].degrees_of_freedom;
  for (std::size_t k = 1; k < fits.size(); ++k) out.degrees_of_freedom += fits[k].degrees_of_freedom + family.size();
  return out;
}

TogetherFit FitTogetherHeld(const PlanarFamily& family, const std::vector<char>& held, const Eigen::VectorXd& values,
                            std::vector<TrackFit>& fits) {
  TogetherFit out;
  CommonResiduals common(family, fits);
  BlockPoint point = common.Start();
  point.common = values;
  common.Minimize(held, point, out);
  MoveFits(common, point, fits);
  common.Finish(point, false, out);
  return out;
}

TogetherUncertainty AnalyzeTogether(const PlanarFamily& family, const std::vector<TrackFit>& fits,
                                    const TogetherFit& together) {
  const ArrowInformation arrow = AnalyzeArrow(together.jacobians, family.scale(), 1e-7);
  TogetherUncertainty out{arrow.common, Eigen::VectorXd::Ones(family.size()), {}};
  const Eigen::MatrixXd known = arrow.common.covariance.unaryExpr([](double c) { return std::isfinite(c) ? c : 0.0; });
  // Gains of a change of the common parameters by `change`.
  const auto gains = [&](const Eigen::VectorXd& change) {
    std::vector<Eigen::VectorXd> of;
    for (const Eigen::MatrixXd& rest : arrow.rest) of.emplace_back(rest * change);
    return of;
  };
  for (int i = 0; i < family.size(); ++i)
    if (arrow.common.determined[static_cast<std::size_t>(i)]) out.student[i] = StudentFactor(fits, gains(known.col(i)));
  out.parameters.covariance = out.student.asDiagonal() * out.parameters.covariance * out.student.asDiagonal();
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const BlockJacobian& jacobian = together.jacobians[k];
    const Eigen::Index extra = jacobian.by_local.cols() - kTrackState;
    Eigen::VectorXd& deviations = out.restitutions.emplace_back(extra);
    for (Eigen::Index i = 0; i < extra; ++i) {
      const Eigen::Index at = kTrackState + i;
      const Eigen::VectorXd follow = arrow.follow[k].row(at).transpose();
      bool determined = arrow.local[k].determined[static_cast<std::size_t>(at)];
      for (Eigen::Index c = 0; c < follow.size(); ++c)
        determined = determined && (arrow.common.determined[static_cast<std::size_t>(c)] || follow[c] == 0);
      deviations[i] = NAN;
      if (!determined) continue;
      const Eigen::VectorXd alone =
          arrow.local[k].covariance.col(at).unaryExpr([](double c) { return std::isfinite(c) ? c : 0.0; });
      std::vector<Eigen::VectorXd> moves = gains(known * follow);
      moves[k] += jacobian.by_local * alone;
      deviations[i] = StudentFactor(fits, moves) * std::sqrt(alone[at] + follow.dot(known * follow));
    }
  }
  return out;
}

}  // namespace ricochet
