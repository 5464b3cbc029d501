// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_together.h"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

/// Residuals of all recordings over x = (z of recording 0 without numbers, ..., numbers).
class CommonResiduals {
 public:
  CommonResiduals(const PlanarFamily& family, const std::vector<TrackFit>& fits) : family_(family), fits_(fits) {
    for (const TrackFit& fit : fits_) {
      residuals_.emplace_back(family_, fit.track);
      residuals_.back().rejected() = fit.rejected;
      residuals_.back().SetImpactRestitutions(Extra(fit), kCountedImpact);
      first_.push_back(states_);
      states_ += kTrackState + Extra(fit);
    }
  }
  int states() const { return states_; }
  int size() const { return states_ + family_.size(); }
  int Extra(const TrackFit& fit) const { return static_cast<int>(fit.z.size()) - kTrackState - family_.size(); }

  /// Numbers of one recording, in the order of TrackResiduals.
  Eigen::VectorXd Part(const Eigen::VectorXd& x, std::size_t k) const {
    const int p = family_.size(), extra = Extra(fits_[k]);
    Eigen::VectorXd z(kTrackState + p + extra);
    z << x.segment(first_[k], kTrackState), x.tail(p), x.segment(first_[k] + kTrackState, extra);
    return z;
  }

  bool Evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) const {
    Eigen::Index rows = 0, at = 0;
    for (const TrackFit& fit : fits_) rows += fit.track.width() * fit.track.size();
    r.resize(rows);
    if (j) j->setZero(rows, size());
    const int p = family_.size();
    Eigen::VectorXd part;
    Eigen::MatrixXd block;
    for (std::size_t k = 0; k < fits_.size(); ++k) {
      const int extra = Extra(fits_[k]);
      if (!residuals_[k].Evaluate(Part(x, k), part, j ? &block : nullptr)) return false;
      r.segment(at, part.size()) = part;
      if (j) {
        for (int i = 0; i < kTrackState; ++i)
          if (!fits_[k].held[static_cast<std::size_t>(i)]) j->block(at, first_[k] + i, part.size(), 1) = block.col(i);
        j->block(at, first_[k] + kTrackState, part.size(), extra) = block.rightCols(extra);
        j->block(at, states_, part.size(), p) = block.middleCols(kTrackState, p);
      }
      at += part.size();
    }
    return true;
  }

  Eigen::VectorXd Start() const {
    Eigen::VectorXd x(size());
    for (std::size_t k = 0; k < fits_.size(); ++k) {
      x.segment(first_[k], kTrackState) = fits_[k].z.head(kTrackState);
      x.segment(first_[k] + kTrackState, Extra(fits_[k])) = fits_[k].z.tail(Extra(fits_[k]));
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
      x[states_ + i] = values[values.size() / 2];
    }
    return x;
  }

  void Minimize(const LeastSquaresOptions& solver, Eigen::VectorXd& x, TogetherFit& out) const {
    const LeastSquaresSummary summary = MinimizeLeastSquares(
        [this](const Eigen::VectorXd& z, Eigen::VectorXd& r, Eigen::MatrixXd* j) { return Evaluate(z, r, j); }, solver,
        x);
    out.iterations = summary.iterations;
    out.trace = summary.trace;
    out.converged = summary.end == LeastSquaresEnd::kConverged || summary.end == LeastSquaresEnd::kStalled;
  }

  /// What x means for each recording.
  void Finish(const Eigen::VectorXd& x, Eigen::MatrixXd* jacobian, TogetherFit& out) const {
    out.params = x.tail(family_.size());
    Eigen::VectorXd residuals;
    out.found = Evaluate(x, residuals, jacobian);
    out.converged = out.found && out.converged;
    out.chi2 = out.found ? residuals.squaredNorm() : INFINITY;
    Eigen::Index at = 0;
    for (const TrackFit& fit : fits_) {
      const Eigen::Index rows = fit.track.width() * fit.track.size();
      out.costs.push_back(out.found ? residuals.segment(at, rows).squaredNorm() : INFINITY);
      at += rows;
    }
  }

  void Bounds(LeastSquaresOptions& solver) const {
    solver.scale = Eigen::VectorXd::Ones(size());
    solver.lower = Eigen::VectorXd::Constant(size(), -INFINITY);
    solver.upper = Eigen::VectorXd::Constant(size(), INFINITY);
    for (std::size_t k = 0; k < fits_.size(); ++k) {
      for (int i = 0; i < kTrackState; ++i)
        if (fits_[k].held[static_cast<std::size_t>(i)])
          solver.lower[first_[k] + i] = solver.upper[first_[k] + i] = fits_[k].z[i];
      solver.lower.segment(first_[k] + kTrackState, Extra(fits_[k])).setZero();
      solver.upper.segment(first_[k] + kTrackState, Extra(fits_[k])).setOnes();
    }
    solver.scale.tail(family_.size()) = family_.scale();
    solver.lower.tail(family_.size()) = family_.lower();
    solver.upper.tail(family_.size()) = family_.upper();
    solver.move = [this](const Eigen::VectorXd& x, const Eigen::VectorXd& step) {
      return family_.parameters().MoveWithin(states_, x, step);
    };
  }

 private:
  const PlanarFamily& family_;
  const std::vector<TrackFit>& fits_;
  std::vector<TrackResiduals> residuals_;
  std::vector<int> first_;
  int states_ = 0;
};

}  // namespace

TogetherFit FitTogether(const PlanarFamily& family, std::vector<TrackFit>& fits) {
  TogetherFit out;
  const CommonResiduals common(family, fits);
  Eigen::VectorXd x = common.Start();
  out.states = common.states();
  out.converged = true;
  if (fits.size() > 1) {
    LeastSquaresOptions solver;
    common.Bounds(solver);
    common.Minimize(solver, x, out);
    for (std::size_t k = 0; k < fits.size(); ++k) fits[k].z = common.Part(x, k);
  }
  common.Finish(x, &out.jacobian, out);
  out.degrees_of_freedom = fits[0].degrees_of_freedom;
  for (std::size_t k = 1; k < fits.size(); ++k) out.degrees_of_freedom += fits[k].degrees_of_freedom + family.size();
  return out;
}

TogetherFit FitTogetherHeld(const PlanarFamily& family, const std::vector<char>& held, const Eigen::VectorXd& values,
                            std::vector<TrackFit>& fits) {
  TogetherFit out;
  const CommonResiduals common(family, fits);
  Eigen::VectorXd x = common.Start();
  x.tail(family.size()) = values;
  LeastSquaresOptions solver;
  common.Bounds(solver);
  for (std::size_t i = 0; i < held.size(); ++i) {
    const Eigen::Index at = common.states() + static_cast<Eigen::Index>(i);
    if (held[i]) solver.lower[at] = solver.upper[at] = values[static_cast<Eigen::Index>(i)];
  }
  common.Minimize(solver, x, out);
  for (std::size_t k = 0; k < fits.size(); ++k) fits[k].z = common.Part(x, k);
  common.Finish(x, nullptr, out);
  return out;
}

Eigen::VectorXd StudentFactors(const std::vector<TrackFit>& fits, const Eigen::MatrixXd& jacobian,
                               const Eigen::MatrixXd& covariance) {
  Eigen::VectorXd factors = Eigen::VectorXd::Ones(jacobian.cols());
  for (Eigen::Index i = 0; i < jacobian.cols(); ++i) {
    if (!covariance.col(i).array().isFinite().any()) continue;
    // How much each residual moves the number.
    Eigen::VectorXd column = covariance.col(i);
    for (double& value : column)
      if (!std::isfinite(value)) value = 0;
    const Eigen::VectorXd gain = jacobian * column;
    double total = 0, weighted = 0;
    Eigen::Index at = 0;
    for (const TrackFit& fit : fits) {
      const int width = fit.track.width();
      NoiseFreedom share = {};
      for (int row = 0; row < width * fit.track.size(); ++row)
        share[static_cast<std::size_t>(fit.track.KindOf(row % width))] += gain[at + row] * gain[at + row];
      at += width * fit.track.size();
      for (std::size_t c = 0; c < share.size(); ++c) {
        total += share[c];
        if (fit.noise_estimated) weighted += share[c] * share[c] / std::max(fit.noise_freedom[c], 1.0);
      }
    }
    if (weighted <= 0) continue;
    const double freedom = std::max(total * total / weighted, 3.0);
    factors[i] = std::sqrt(freedom / (freedom - 2));
  }
  return factors;
}

}  // namespace ricochet
