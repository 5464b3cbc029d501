// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_together.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/dense.h"
#include "optimize/block_least_squares.h"

namespace ricochet {
namespace {

constexpr int kMostIterations = 100;  // of one common fit

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
    BlockLeastSquaresOptions solver{.max_iterations = kMostIterations,
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

/// A common fit.
struct CommonFit {
  std::vector<Eigen::VectorXd> z;  // of each recording
  std::vector<double> costs;       // chi^2 of each
  double chi2 = INFINITY;
  bool converged = false;
  std::vector<LeastSquaresStep> trace = {};
};

class TogetherSearch {
 public:
  TogetherSearch(const PlanarFamily& family, const std::vector<TrackFit>& fits) : family_(family), fits_(fits) {
    for (const TrackFit& fit : fits_) {
      std::vector<Eigen::VectorXd>& own = alternatives_.emplace_back();
      own.push_back(fit.z);
      for (const TrackRival& rival : fit.rivals) own.push_back(rival.z);
    }
  }

  const CommonFit& best() const { return best_; }
  int iterations() const { return iterations_; }

  void Run() {
    std::vector<Eigen::VectorXd> own;
    for (const TrackFit& fit : fits_) own.push_back(fit.z);
    Consider(Fit(MovedTo(WeightedMean(), own)));
    if (Surprised().empty()) return;
    Consider(Fit(MovedTo(Median(), own)));
    // Parameters of one recording for all, each with the contacts that suit them best.
    for (std::size_t k = 0; k < fits_.size() && k < kMostSources && !Surprised().empty(); ++k)
      for (const Eigen::VectorXd& source : alternatives_[k])
        Consider(Fit(BestAlternatives(source.segment(kTrackState, family_.size()))));
    // Contacts found again with common parameters.
    for (int round = 0; round < 2; ++round) {
      const std::vector<std::size_t> surprised = Surprised();
      if (surprised.empty() || surprised.size() == fits_.size()) return;
      std::vector<Eigen::VectorXd> z = best_.z;
      const PlanarFamily held(family_.Calibrated(z[0].segment(kTrackState, family_.size())), {}, family_.body());
      for (const std::size_t k : surprised) {
        const TrackFit again = FitTrack(held, fits_[k].track, {.impact_restitutions = Extra(k)});
        if (!again.usable) continue;
        z[k].head<kTrackState>() = again.z.head<kTrackState>();
        z[k].tail(Extra(k)) = again.z.tail(Extra(k));
      }
      const double before = best_.chi2;
      Consider(Fit(z));
      if (!(best_.chi2 < before)) return;
    }
  }

  /// Other contacts in one of the recordings that the common fit does not exclude. A likelier one becomes the fit.
  std::vector<TrackRival> Rivals() {
    std::vector<TrackRival> rivals;
    struct Offer {
      double loss;
      std::size_t recording, alternative;
    };
    std::vector<Offer> offers;
    for (std::size_t k = 0; k < fits_.size(); ++k)
      for (std::size_t i = 0; i < alternatives_[k].size(); ++i)
        offers.push_back({i == 0 ? 0 : fits_[k].rivals[i - 1].loss, k, i});
    std::stable_sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) { return a.loss < b.loss; });
    int fitted = 0;
    for (const Offer& offer : offers) {
      const std::size_t k = offer.recording;
      const ContactSequence own = Sequence(k, best_.z[k]);
      std::vector<Eigen::VectorXd> z = best_.z;
      z[k] = Moved(k, alternatives_[k][offer.alternative], best_.z[0].segment(kTrackState, family_.size()));
      if (Sequence(k, z[k]) == own) continue;
      if (++fitted > kMostRivals) break;
      CommonFit other = Fit(z);
      if (other.chi2 < best_.chi2 - kGain) {
        // What was the fit is the rival.
        std::swap(other, best_);
        for (TrackRival& rival : rivals) rival.loss += other.chi2 - best_.chi2;
      }
      const double loss = other.chi2 - best_.chi2;
      if (!(loss < kRivalLoss) || Sequence(k, other.z[k]) == Sequence(k, best_.z[k])) continue;
      rivals.push_back({other.z[0].segment(kTrackState, family_.size()), loss, CovarianceAt(other)});
    }
    std::erase_if(rivals, [](const TrackRival& rival) { return rival.loss > kRivalLoss; });
    std::sort(rivals.begin(), rivals.end(), [](const TrackRival& a, const TrackRival& b) { return a.loss < b.loss; });
    return rivals;
  }

 private:
  static constexpr double kSurprise = 25;         // rise of chi^2 of a recording that common parameters do not explain
  static constexpr double kGain = 0.05;           // of chi^2
  static constexpr std::size_t kMostSources = 8;  // recordings whose parameters are tried for all
  static constexpr int kMostRivals = 4;
  static constexpr std::size_t kRestSteps = 10;

  int Extra(std::size_t k) const { return static_cast<int>(fits_[k].z.size()) - kTrackState - family_.size(); }

  /// Recordings whose chi^2 rises by more than chance allows.
  std::vector<std::size_t> Surprised() const {
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < fits_.size(); ++k)
      if (!(best_.costs[k] < fits_[k].chi2 + kSurprise)) out.push_back(k);
    return out;
  }

  void Consider(CommonFit other) {
    if (best_.costs.empty() || other.chi2 < best_.chi2) best_ = std::move(other);
  }

  /// Derivatives of a recording's residuals at its own fit by its state and restitutions, and by the parameters.
  std::pair<Eigen::MatrixXd, Eigen::MatrixXd> Split(std::size_t k) const {
    const Eigen::MatrixXd& j = fits_[k].jacobian;
    Eigen::MatrixXd local(j.rows(), kTrackState + Extra(k));
    local << j.leftCols(kTrackState), j.rightCols(Extra(k));
    return {local, j.middleCols(kTrackState, family_.size())};
  }

  Eigen::VectorXd Median() const { return CommonResiduals(family_, fits_).Start().common; }

  Eigen::VectorXd WeightedMean() const {
    const int p = family_.size();
    const Eigen::VectorXd scale = family_.scale(), median = Median();
    // What no recording knows stays at the median.
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(p, p);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(p);
    for (std::size_t k = 0; k < fits_.size(); ++k) {
      const auto [local, values] = Split(k);
      const Eigen::MatrixXd rest = BehindColumns(local, values * scale.asDiagonal(), 1e-9);
      sum += rest.transpose() * rest;
      right += rest.transpose() * (rest * (fits_[k].z.segment(kTrackState, p) - median).cwiseQuotient(scale));
    }
    const Eigen::VectorXd step = SolveLeastNormVector(sum, right, 1e-9);
    return (median + scale.cwiseProduct(step)).cwiseMax(family_.lower()).cwiseMin(family_.upper());
  }

  /// A recording's unknowns with other parameters, its state moved along the valley of its own fit.
  Eigen::VectorXd Moved(std::size_t k, Eigen::VectorXd z, const Eigen::VectorXd& params) const {
    const auto [local, values] = Split(k);
    const Eigen::VectorXd change = params - z.segment(kTrackState, params.size());
    const Eigen::VectorXd step = SolveLeastNormVector(local, -values * change, 1e-9);
    z.head<kTrackState>() += step.head<kTrackState>();
    z.tail(Extra(k)) += step.tail(Extra(k));
    z.segment(kTrackState, params.size()) = params;
    return z;
  }
  std::vector<Eigen::VectorXd> MovedTo(const Eigen::VectorXd& params, std::vector<Eigen::VectorXd> z) const {
    for (std::size_t k = 0; k < z.size(); ++k) z[k] = Moved(k, std::move(z[k]), params);
    return z;
  }

  /// For each recording the alternative whose state fits best with these parameters held.
  std::vector<Eigen::VectorXd> BestAlternatives(const Eigen::VectorXd& params) {
    std::vector<Eigen::VectorXd> out;
    for (std::size_t k = 0; k < fits_.size(); ++k) {
      TrackResiduals residuals(family_, fits_[k].track);
      residuals.rejected() = fits_[k].rejected;
      residuals.SetImpactRestitutions(Extra(k), kCountedImpact);
      LeastSquaresOptions solver = TrackSolverOptions(family_, Extra(k));
      solver.max_iterations = 8;
      solver.cost_tolerance = 1e-2;
      solver.lower.segment(kTrackState, params.size()) = solver.upper.segment(kTrackState, params.size()) = params;
      double least = INFINITY;
      Eigen::VectorXd best = fits_[k].z;
      for (const Eigen::VectorXd& alternative : alternatives_[k]) {
        Eigen::VectorXd z = alternative;
        z.segment(kTrackState, params.size()) = params;
        const LeastSquaresSummary summary = MinimizeLeastSquares(
            [&](const Eigen::VectorXd& at, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
              if (!residuals.Evaluate(at, r, j)) return false;
              if (j) j->middleCols(kTrackState, params.size()).setZero();
              return true;
            },
            solver, z);
        iterations_ += summary.iterations;
        if (summary.end == LeastSquaresEnd::kFailed || !(summary.cost < least)) continue;
        least = summary.cost;
        best = z;
      }
      best.segment(kTrackState, params.size()) = params;
      out.push_back(best);
    }
    return out;
  }

  /// The common fit from unknowns that share their parameters.
  CommonFit Fit(const std::vector<Eigen::VectorXd>& z) {
    std::vector<TrackFit> fits = fits_;
    for (std::size_t k = 0; k < fits.size(); ++k) fits[k].z = z[k];
    CommonResiduals common(family_, fits);
    BlockPoint point = common.Start();
    point.common = z[0].segment(kTrackState, family_.size());
    TogetherFit reached;
    common.Minimize({}, point, reached);
    common.Finish(point, false, reached);
    iterations_ += reached.iterations;
    MoveFits(common, point, fits);
    CommonFit out{{}, reached.costs, reached.chi2, reached.converged || Rests(reached), reached.trace};
    for (const TrackFit& fit : fits) out.z.push_back(fit.z);
    return out;
  }

  /// Steps that no longer gain anything that a standard deviation would show, where kinks keep the optimizer going.
  static bool Rests(const TogetherFit& fit) {
    const std::size_t steps = fit.trace.size();
    return fit.found && steps > kRestSteps && fit.trace[steps - 1 - kRestSteps].cost - fit.trace.back().cost < kGain;
  }

  ContactSequence Sequence(std::size_t k, const Eigen::VectorXd& z) const {
    TrackResiduals residuals(family_, fits_[k].track);
    residuals.SetImpactRestitutions(Extra(k), kCountedImpact);
    return SequenceOf(residuals, z);
  }

  /// Of the parameters; 0 where they are not identifiable.
  Eigen::MatrixXd CovarianceAt(const CommonFit& fit) const {
    std::vector<TrackFit> fits = fits_;
    for (std::size_t k = 0; k < fits.size(); ++k) fits[k].z = fit.z[k];
    CommonResiduals common(family_, fits);
    BlockPoint point = common.Start();
    point.common = fit.z[0].segment(kTrackState, family_.size());
    TogetherFit at;
    common.Finish(point, true, at);
    return AnalyzeArrow(at.jacobians, family_.scale(), 1e-7).common.covariance.unaryExpr([](double c) {
      return std::isfinite(c) ? c : 0.0;
    });
  }

  const PlanarFamily& family_;
  const std::vector<TrackFit>& fits_;
  std::vector<std::vector<Eigen::VectorXd>> alternatives_;  // per recording: its fit, then its rivals
  CommonFit best_;
  int iterations_ = 0;
};

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
  out.converged = true;
  if (fits.size() > 1) {
    TogetherSearch search(family, fits);
    search.Run();
    out.rivals = search.Rivals();
    out.iterations = search.iterations();
    out.trace = search.best().trace;
    out.converged = search.best().converged;
    for (std::size_t k = 0; k < fits.size(); ++k) fits[k].z = search.best().z[k];
  }
  CommonResiduals common(family, fits);
  BlockPoint point = common.Start();
  if (fits.size() > 1) point.common = fits[0].z.segment(kTrackState, family.size());
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
