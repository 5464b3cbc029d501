// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimators/optimizer_trace.h"
#include "estimators/tosses/toss_secants.h"
#include "inference/bootstrap.h"
#include "math/dense.h"
#include "math/statistics.h"
#include "optimize/block_least_squares.h"

namespace ricochet {
namespace {

constexpr int kFew = kFewestRecordings;  // tosses, below which their scatter says nothing
constexpr int kTrialTosses = 16;         // that show whether the model explains tosses
constexpr double kExplains = 2.5;        // chi^2 / dof of a toss up to which it does
constexpr double kFollowed = 0.4;        // of the frames after the first contact, from which on that counts
constexpr double kToTheNoise = 1.3;      // chi^2 / dof of a toss that no other motion explains better
constexpr double kLostFrame = 18;        // squares of a frame that is not followed
constexpr double kFollowedSquares = 12;  // of a frame that a fit at the common values follows
constexpr double kAbove = 4;             // standard deviations of chi^2 from which it is asked which frames it follows
constexpr double kStartStep = 0.02;      // of differences of starts, in standard deviations of the flight's fit
constexpr double kValueStep = 1e-5;      // of differences of parameters, of their size
constexpr int kMostSteps = 20;           // of Gauss-Newton on all tosses
constexpr int kHorizons = 5;             // rounds of that, each with the frames that the last one follows
constexpr double kHuber = 4;             // residual from which it counts less
constexpr int kStartRounds = 4;          // of the likelihood at the common values before that
constexpr int kAgain = 3;                // times that the likelihood begins again
constexpr int kSomeExplained = 5;        // 1 / part of the tosses that must be explained for that
constexpr double kWider = 0.05;          // of a number's size, by which starts are wider each time
constexpr double kNarrower = 0.2;        // factor by which they are nearer each time, for few tosses
constexpr double kLeastSpread = 0.01, kMostSpread = 0.1;  // of a number's size, of the starts of the likelihood

/// Tosses that the model explains down to their noise, far enough after the first contact.
int CountExplained(const TossLikelihoodResult& fit) {
  int count = 0;
  for (std::size_t k = 0; k < fit.ratio.size(); ++k)
    count += fit.ratio[k] < kExplains && fit.followed[k] >= kFollowed ? 1 : 0;
  return count;
}

/// The likelihood from the minimum of (18). That is off where few tosses have long chaotic ends (noise in the start
/// pulls restitution down), and the tosses then end on wrong pieces. Where some of them are explained and too few, it
/// begins again from what those say, each time with wider starts.
TossLikelihoodResult FitFromSeveralStarts(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                                          const Eigen::VectorXd& spread, const TossLikelihoodOptions& options,
                                          std::vector<std::string>& log) {
  TossLikelihoodResult best = MaximizeTossLikelihood(family, set, start, spread, options);
  const int count = static_cast<int>(set.used().size());
  for (int again = 1; again <= kAgain && !Explains(best); ++again) {
    if (count >= kFew && CountExplained(best) * kSomeExplained < count) break;
    Eigen::VectorXd from = best.params, wide = spread;
    for (int i = 0; i < family.size(); ++i) {
      std::vector<double> statements;
      for (std::size_t k = 0; k < best.alone.size(); ++k)
        if (best.ratio[k] < kExplains && best.followed[k] >= kFollowed) statements.push_back(best.alone[k][i]);
      if (!statements.empty()) from[i] = Median(statements);
      // Few tosses began with starts all over; their own scatter does not say how near they are.
      wide[i] = count < kFew ? spread[i] * std::pow(kNarrower, again)
                             : std::max(spread[i], kWider * again * family.scale()[i]);
    }
    TossLikelihoodOptions other = options;
    other.seed = options.seed + static_cast<std::uint64_t>(1000003 * again);
    TossLikelihoodResult next = MaximizeTossLikelihood(family, set, from, wide, other);
    log.push_back(fmt::format("{} of {} tosses explained; from {} starts {}", CountExplained(best), count,
                              count < kFew ? "nearer" : "wider", CountExplained(next)));
    if (CountExplained(next) > CountExplained(best)) best = std::move(next);
  }
  return best;
}

/// The values with tracked frames where they started: flight and rest show them (estimators/spatial/frame_start.h)
/// better than (18), in which an arm trades against the release.
Eigen::VectorXd WithFramesOfStart(const SpatialFamily& family, Eigen::VectorXd values) {
  for (int i = 0; i < family.size(); ++i)
    if (family.parameters().selected(i).path.starts_with("observe.frame")) values[i] = family.start()[i];
  return values;
}

/// Frames up to the one behind which the model does not follow: those that make sum_i (allowance - squares) largest.
int FollowedFrames(const Eigen::VectorXd& residuals) {
  double sum = 0, best = 0;
  int frames = 0;
  for (int i = 0; 6 * i < residuals.size(); ++i) {
    sum += kFollowedSquares - residuals.segment<6>(6 * i).squaredNorm();
    if (sum > best) best = sum, frames = i + 1;
  }
  return frames;
}

/// Residuals of all tosses over the parameters and over each start, in standard deviations of its flight's fit from
/// where it was found. Derivatives are slopes: motion with located impacts alone has them.
class CommonResiduals final : public BlockResiduals {
 public:
  CommonResiduals(const SpatialFamily& family, const TossSet& set, const FollowedTosses& from)
      : family_(family), set_(set), from_(from) {
    for (const int i : set.used())
      roots_.push_back(EigenOfSymmetric(set.tosses()[static_cast<std::size_t>(i)].covariance).Root());
  }

  int blocks() const override { return static_cast<int>(roots_.size()); }
  int local_size(int /*block*/) const override { return 12; }
  int common_size() const override { return family_.size(); }
  Eigen::VectorXd MoveCommon(const Eigen::VectorXd& common, const Eigen::VectorXd& step) const override {
    return family_.parameters().Move(common, step);
  }
  bool SetCommon(const Eigen::VectorXd& common) override {
    values_ = common;
    return family_.Compile(common).has_value();
  }

  bool Evaluate(int block, const Eigen::VectorXd& local, Eigen::VectorXd& residuals,
                Eigen::MatrixXd* jacobian) override {
    const auto at = [&](const Eigen::VectorXd& values, const Eigen::VectorXd& start, Eigen::VectorXd& out) {
      const auto k = static_cast<std::size_t>(block);
      return ResidualsOf(family_, set_, {set_.used()[k], values, MovedOf(block, start), from_.frames[k]}, out);
    };
    if (!at(values_, local, residuals)) return false;
    if (!jacobian) return true;
    jacobian->setZero(residuals.size(), 12 + family_.size());
    Eigen::VectorXd beside;
    for (int j = 0; j < 12; ++j) {
      if (!at(values_, local + kStartStep * Eigen::VectorXd::Unit(12, j), beside)) return false;
      jacobian->col(j) = (beside - residuals) / kStartStep;
    }
    for (int j = 0; j < family_.size(); ++j) {
      Eigen::VectorXd values = values_;
      const double step = kValueStep * family_.scale()[j];
      values[j] += values[j] + step < family_.upper()[j] ? step : -step;
      if (!at(values, local, beside)) return false;
      jacobian->col(12 + j) = (beside - residuals) / (values[j] - values_[j]);
    }
    return true;
  }

  TossStart MovedOf(int block, const Eigen::VectorXd& local) const {
    return from_.moved[static_cast<std::size_t>(block)] + roots_[static_cast<std::size_t>(block)] * local;
  }

 private:
  const SpatialFamily& family_;
  const TossSet& set_;
  const FollowedTosses& from_;
  std::vector<Eigen::MatrixXd> roots_;
  Eigen::VectorXd values_;
};

/// Least squares over the parameters and all starts at once, from where the fit is. Tosses that it does not explain
/// have less weight (Huber).
void FitAtOnce(const SpatialFamily& family, const TossSet& set, const std::vector<char>& held,
               TossLikelihoodResult& fit) {
  const FollowedTosses from = fit;
  CommonResiduals residuals(family, set, from);
  BlockLeastSquaresOptions options;
  options.max_iterations = kMostSteps;
  options.cost_tolerance = 1e-6;
  options.huber = kHuber;
  options.lower = family.lower();
  options.upper = family.upper();
  options.held = held;
  BlockPoint point{fit.params, std::vector<Eigen::VectorXd>(from.moved.size(), Eigen::VectorXd::Zero(12))};
  const LeastSquaresSummary summary = MinimizeBlocks(residuals, options, point);
  AddStage("likelihood, all tosses at once", summary.trace, fit.trace);
  fit.params = point.common;
  for (std::size_t k = 0; k < from.moved.size(); ++k)
    fit.moved[k] = residuals.MovedOf(static_cast<int>(k), point.local[k]);
}

/// Compares every toss with the fit up to the frame that it follows, and says whether that has changed for any of them.
bool MoveHorizons(const SpatialFamily& family, const TossSet& set, TossLikelihoodResult& fit) {
  bool changed = false;
  fit.chi2 = 0;
  for (std::size_t k = 0; k < fit.moved.size(); ++k) {
    const PreparedToss& toss = set.tosses()[static_cast<std::size_t>(set.used()[k])];
    const int all = toss.end - toss.start + 1, flight = toss.arc_last - toss.start;
    Eigen::VectorXd residuals;
    int frames = all;
    if (!ResidualsOf(family, set, {set.used()[k], fit.params, fit.moved[k], frames}, residuals)) {
      frames = fit.frames[k];
      if (!ResidualsOf(family, set, {set.used()[k], fit.params, fit.moved[k], frames}, residuals)) continue;
    }
    const auto judge = [&] {
      fit.freedom[k] = std::max(1, static_cast<int>((residuals.array() != 0).count()) - 12);
      fit.ratio[k] = residuals.squaredNorm() / fit.freedom[k];
    };
    judge();
    if (fit.ratio[k] > 1 + kAbove * std::sqrt(2.0 / fit.freedom[k])) {
      frames = std::max(FollowedFrames(residuals), std::min(fit.frames[k], flight + 1));
      residuals.conservativeResize(6 * frames);
      judge();
    }
    changed = changed || frames != fit.frames[k];
    fit.frames[k] = frames;
    fit.followed[k] = static_cast<double>(frames - flight) / std::max(1, all - flight);
    fit.chi2 += fit.ratio[k] * fit.freedom[k];
  }
  return changed;
}

/// Every toss was fitted with values of its own. Now all at once: starts at the common values first, then both, with
/// steps in contact so short that they are no part of the answer.
void FitTogether(const SpatialFamily& family, const TossSet& set, std::uint64_t seed, const std::vector<char>& held,
                 TossLikelihoodResult& fit) {
  TossLikelihoodOptions options;
  options.passes = 1;
  options.rounds = kStartRounds;
  options.seed = seed;
  options.held.assign(static_cast<std::size_t>(family.size()), 1);
  options.starts = fit.moved;
  const FollowedTosses starts = MaximizeTossLikelihood(family, set, fit.params, kLeastSpread * family.scale(), options);
  static_cast<FollowedTosses&>(fit) = starts;
  for (std::size_t k = 0; k < fit.frames.size(); ++k) {
    const PreparedToss& toss = set.tosses()[static_cast<std::size_t>(set.used()[k])];
    fit.frames[k] = std::min(fit.frames[k], toss.end - toss.start + 1);
  }
  const TossSet fine = set.Located(kFineStep);
  for (int round = 0; round < kHorizons; ++round) {
    FitAtOnce(family, fine, held, fit);
    if (!MoveHorizons(family, fine, fit)) break;
  }
}

/// `count` of the tosses, evenly spread.
TossSet PartOf(const TossSet& set, int count) {
  std::vector<int> part;
  const int used = static_cast<int>(set.used().size());
  for (int i = 0; i < count; ++i) part.push_back(i * used / count);
  return set.Subset(part);
}

}  // namespace

TossMinimum FindLeastCost(const SpatialFamily& family, const TossSet& set, std::uint64_t seed) {
  const TossCosts costs = set.CostsOfTrajectories();
  TossMinimum found = MinimizeTossCost(family, costs, static_cast<int>(set.used().size()), {.seed = seed});
  MarkThoseWithoutEffect(family, costs, found);
  return found;
}

double MisfitOf(const TossSet& set, const FollowedTosses& fit) {
  double sum = 0;
  for (std::size_t k = 0; k < fit.ratio.size(); ++k) {
    const PreparedToss& toss = set.tosses()[static_cast<std::size_t>(set.used()[k])];
    sum += fit.ratio[k] * fit.freedom[k] + kLostFrame * (toss.end - toss.start + 1 - fit.frames[k]);
  }
  return sum;
}

bool ExplainsToTheEnd(const FollowedTosses& fit) {
  for (std::size_t k = 0; k < fit.ratio.size(); ++k)
    if (!(fit.ratio[k] < kToTheNoise && fit.followed[k] >= 1)) return false;
  return !fit.ratio.empty();
}

bool Explains(const TossLikelihoodResult& fit) {
  return !fit.ratio.empty() && 2 * CountExplained(fit) > static_cast<int>(fit.ratio.size());
}

TossLikelihoodResult FitFromLeastCost(const SpatialFamily& family, const TossSet& set, std::uint64_t seed,
                                      TossMinimum& least, std::vector<std::string>& log) {
  const int count = static_cast<int>(set.used().size()), p = family.size();
  Eigen::VectorXd spread(p);
  for (int i = 0; i < p; ++i) {
    const double deviation = std::sqrt(least.covariance(i, i)), size = family.scale()[i];
    spread[i] = count >= kFew && std::isfinite(deviation)
                    ? std::clamp(deviation, kLeastSpread * size, kMostSpread * size)
                    : kMostSpread * size;
  }
  TossLikelihoodOptions options;
  options.seed = seed;
  TossLikelihoodResult fit;
  bool explains = true;
  if (count > 2 * kTrialTosses) {
    fit = FitFromSeveralStarts(family, PartOf(set, kTrialTosses), least.params, spread, options, log);
    explains = Explains(fit);
    if (explains) least.params = fit.params;
  }
  if (explains) fit = FitFromSeveralStarts(family, set, least.params, spread, options, log);
  if (const Eigen::VectorXd framed = WithFramesOfStart(family, least.params);
      !Explains(fit) && framed != least.params) {
    TossLikelihoodResult other = FitFromSeveralStarts(family, set, framed, spread, options, log);
    log.push_back(fmt::format("with the tracked frame of flight and rest {} of {} tosses explained, before {}",
                              CountExplained(other), count, CountExplained(fit)));
    if (CountExplained(other) > CountExplained(fit)) fit = std::move(other);
  }
  std::vector<char> held(static_cast<std::size_t>(p), 0);
  for (int i = 0; i < p; ++i) {
    if (std::isfinite(least.covariance(i, i)) || std::isnan(least.covariance(i, i))) continue;
    least.params[i] = fit.params[i] = family.start()[i];
    held[static_cast<std::size_t>(i)] = 1;
  }
  if (set.located() && Explains(fit) && fit.moved.size() == set.used().size())
    FitTogether(family, set, seed, held, fit);
  return fit;
}

}  // namespace ricochet
