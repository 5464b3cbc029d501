// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_likelihood.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "core/threads.h"
#include "estimators/optimizer_trace.h"
#include "math/dense.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

constexpr double kPriorWeight = 1e-2;      // of the flight's fit: its frames are compared too
constexpr double kNarrowest = 0.3;         // by which a round narrows what is open, at most
constexpr double kLostVariance = 1e4;      // variance of frames that a rollout did not reach
constexpr double kLongest = 2.5;           // step in secants
constexpr double kLeastStep = 0.005;       // of a number's size: secants stay wider than the jumps
constexpr double kPoor = 2;                // chi^2 / dof from which more starts are drawn
constexpr int kMoreDraws = 5;              // times as many
constexpr double kSurelyWorse = 1 + 1e-9;  // beyond rounding
constexpr double kFollowedSquares = 3;     // squares of a frame over its noise up to which it is followed

/// One toss at work.
struct OpenToss {
  const PreparedToss* toss = nullptr;
  Matrix12 root;  // of the covariance of the flight's fit
  Vector12 at;    // start, in that root
  Matrix12 open;  // columns: axes of what is open, in that root
  // Of the linearization.
  Eigen::VectorXd residual, variance;
  Eigen::MatrixXd by_start, by_params;
  Matrix12 information;  // of steps along `open`
  Vector12 slope;
  Eigen::MatrixXd cross;    // 12 x p
  Eigen::MatrixXd reduced;  // information on the numbers, start unknown
  Eigen::VectorXd reduced_slope;
  double chi2 = 0, raw = 0;  // with and without the allowance
  double weight = 1;
  int freedom = 1;
  int window = std::numeric_limits<int>::max();  // frames that are compared
};

/// Where a round began, in half of chi^2, and the step of the numbers to there in widths of their secants.
struct RoundTrace {
  double cost = 0, step = 0;
};

bool IsHeld(const TossLikelihoodOptions& options, int number) {
  return !options.held.empty() && options.held[static_cast<std::size_t>(number)];
}

/// What one toss says by itself.
struct RunResult : TossStatement {
  Vector12 moved;
  double ratio = 0;  // chi^2 / dof, without the allowance, of the frames followed
  int freedom = 0;
  int frames = 0;       // that are followed
  double followed = 1;  // part of the frames after the first contact
  std::vector<RoundTrace> trace;
};

/// The rounds, on some tosses.
class Ensemble {
 public:
  Ensemble(const SpatialFamily& family, const TossSet& set, const std::vector<int>& tosses,
           const TossLikelihoodOptions& options)
      : family_(family), set_(set), options_(options) {
    for (const int i : tosses) {
      OpenToss& open = tosses_.emplace_back();
      open.toss = &set.tosses()[static_cast<std::size_t>(i)];
      open.root = EigenOfSymmetric(open.toss->covariance).Root();
      open.at.setZero();
      open.open.setIdentity();
    }
  }

  RunResult Run(const Eigen::VectorXd& start, const Eigen::VectorXd& spread) {
    RunResult out;
    Eigen::VectorXd params = start, step = spread;
    const int p = family_.size();
    Eigen::MatrixXd information;
    double last_change = 0;
    for (int round = 0; round < options_.rounds; ++round) {
      if (!Linearize(params, step)) break;
      out.trace.push_back({HalfChiSquare(), last_change});
      Eigen::VectorXd slope = Eigen::VectorXd::Zero(p);
      information = Eigen::MatrixXd::Zero(p, p);
      for (const OpenToss& toss : tosses_) {
        information += toss.weight * toss.reduced;
        slope += toss.weight * toss.reduced_slope;
      }
      // A number without effect is not moved.
      Eigen::MatrixXd safe = information;
      safe.diagonal().array() += 1e-6 * std::max(1.0, information.diagonal().maxCoeff());
      Eigen::VectorXd change = -SolveSymmetric(safe, slope);
      const double longest = change.cwiseAbs().maxCoeff();
      if (longest > kLongest) change *= kLongest / longest;
      // The whole step, a part of it, none: whichever the starts that go with it make best.
      const double factors[] = {1, 0.4, 0};
      std::vector<std::vector<Vector12>> starts(3);
      double best = std::numeric_limits<double>::infinity();
      int taken = 2;
      for (int f = 0; f < 3; ++f) {
        const Eigen::VectorXd moved = Moved(params, factors[f] * change.cwiseProduct(step));
        const double cost = PickStarts(moved, factors[f] * change, round, starts[static_cast<std::size_t>(f)]);
        if (cost < best) best = cost, taken = f;
        if (f == 0 && best < Total()) break;
      }
      const Eigen::VectorXd next = Moved(params, factors[taken] * change.cwiseProduct(step));
      for (std::size_t k = 0; k < tosses_.size(); ++k)
        if (!starts[static_cast<std::size_t>(taken)].empty())
          tosses_[k].at = starts[static_cast<std::size_t>(taken)][k];
      last_change = (next - params).cwiseQuotient(step).cwiseAbs().maxCoeff();
      params = next;
      Narrow(information, step);
    }
    if (Linearize(params, step)) out.trace.push_back({HalfChiSquare(), last_change});
    Report(params, step, out);
    return out;
  }

  /// Leaves out the frames that the first toss is not followed to: those behind the n that makes
  /// sum_{i < n} (6 tolerance - squares of frame i) largest. False when that is all of them, or less than the flight.
  bool CutWindow() {
    OpenToss& open = tosses_.front();
    const int frames = static_cast<int>(open.residual.size() / 6), flight = open.toss->arc_last - open.toss->start;
    double sum = 0, best = 0;
    int window = 0;
    for (int i = 0; i < frames; ++i) {
      sum += 6 * kFollowedSquares - open.residual.segment<6>(6 * i).squaredNorm();
      if (sum > best) best = sum, window = i + 1;
    }
    if (window >= frames || window <= flight) return false;
    open.window = window;
    open.open.setIdentity();
    return true;
  }

 private:
  Eigen::VectorXd Moved(const Eigen::VectorXd& params, const Eigen::VectorXd& step) const {
    return family_.parameters().Clamp(family_.parameters().Move(params, step));
  }

  double HalfChiSquare() const {
    double sum = 0;
    for (const OpenToss& toss : tosses_) sum += 0.5 * toss.raw;
    return sum;
  }

  double Total() const {
    double sum = 0;
    for (const OpenToss& toss : tosses_) sum += toss.weight * toss.chi2;
    return sum;
  }

  /// Residual of a frame over the noise; 0 for outliers.
  static Vector6<double> FrameResidual(const PreparedToss& toss, int i, const SpatialPose<double>& pose) {
    if (toss.toss.track.outlier[static_cast<std::size_t>(toss.start + i)]) return Vector6<double>::Zero();
    return TossPoseResidual(toss, i, pose);
  }

  /// Residuals over the noise, 6 per frame; those of frames that were not reached, and behind the window, stay 0.
  /// Returns the number of frames up to the first that should have been reached and was not.
  static int Residuals(const PreparedToss& toss, int window, const std::vector<SpatialPose<double>>& poses,
                       Eigen::VectorXd& out) {
    const int frames = toss.end - toss.start + 1, rolled = static_cast<int>(poses.size());
    out.setZero(6 * frames);
    for (int i = 0; i < std::min(rolled, window); ++i)
      out.segment<6>(6 * i) = FrameResidual(toss, i, poses[static_cast<std::size_t>(i)]);
    return rolled >= std::min(frames, window) ? frames : rolled;
  }

  double Cost(const OpenToss& open, const Eigen::VectorXd& residual, const Vector12& at, int reached) const {
    const Eigen::Index lost = open.residual.size() - 6 * reached;
    return residual.cwiseAbs2().cwiseQuotient(open.variance).sum() + kPriorWeight * at.squaredNorm() +
           1e3 * static_cast<double>(lost);
  }

  struct Rolled {
    std::optional<SpatialInstance> instance;
    std::unique_ptr<TossRoller> roller;
  };
  Rolled At(const Eigen::VectorXd& params) const {
    Rolled rolled{family_.Compile(params), nullptr};
    if (rolled.instance) rolled.roller = std::make_unique<TossRoller>(rolled.instance->model, family_.stepper());
    return rolled;
  }

  /// The toss with its start fitted for these numbers.
  const PreparedToss& Refitted(const OpenToss& open, const Rolled& at, PreparedToss& own) const {
    if (!set_.moves_start()) return *open.toss;
    own = *open.toss;
    RefitStart(at.instance->model, own);
    return own;
  }

  bool Linearize(const Eigen::VectorXd& params, const Eigen::VectorXd& step) {
    std::vector<char> good(tosses_.size(), 1);
    ParallelFor(static_cast<int>(tosses_.size()), [&](int k) {
      good[static_cast<std::size_t>(k)] = LinearizeOne(params, step, tosses_[static_cast<std::size_t>(k)]) ? 1 : 0;
    });
    return std::all_of(good.begin(), good.end(), [](char g) { return g != 0; });
  }

  /// Rolls out through the window.
  static void Roll(const OpenToss& open, TossRoller& roller, const PreparedToss& toss, const Vector12& moved,
                   std::vector<SpatialPose<double>>& poses) {
    if (open.window > toss.end - toss.start) {
      roller.RollFrom(toss, moved, poses);
    } else {
      roller.RollFrom(toss, moved, poses, [&](int i, const SpatialPose<double>&) { return i < open.window; });
    }
  }

  bool LinearizeOne(const Eigen::VectorXd& params, const Eigen::VectorXd& step, OpenToss& open) const {
    const int p = family_.size();
    std::vector<SpatialPose<double>> poses;
    Eigen::VectorXd plus, minus;
    const Rolled here = At(params);
    if (!here.instance) return false;
    PreparedToss own;
    const PreparedToss& toss = Refitted(open, here, own);
    Roll(open, *here.roller, toss, open.root * open.at, poses);
    const int reached = Residuals(toss, open.window, poses, open.residual);
    const Eigen::Index size = open.residual.size();
    open.variance.setOnes(size);
    Eigen::VectorXd beyond = Eigen::VectorXd::Zero(size);
    int least = reached;
    const auto secant = [&](Eigen::Ref<Eigen::VectorXd> out) {
      out = 0.5 * (plus - minus);
      beyond += (0.5 * (plus + minus) - open.residual).cwiseAbs2();
    };
    open.by_start.resize(size, 12);
    for (int j = 0; j < 12; ++j) {
      const Vector12 axis = open.open.col(j);
      Roll(open, *here.roller, toss, open.root * (open.at + axis), poses);
      least = std::min(least, Residuals(toss, open.window, poses, plus));
      Roll(open, *here.roller, toss, open.root * (open.at - axis), poses);
      least = std::min(least, Residuals(toss, open.window, poses, minus));
      secant(open.by_start.col(j));
    }
    open.by_params.resize(size, p);
    for (int j = 0; j < p; ++j) {
      if (IsHeld(options_, j)) {
        open.by_params.col(j).setZero();
        continue;
      }
      Eigen::VectorXd up = params, down = params;
      up[j] += step[j];
      down[j] -= step[j];
      up = family_.parameters().Clamp(up);
      down = family_.parameters().Clamp(down);
      const Rolled above = At(up), below = At(down);
      if (!above.instance || !below.instance || !(up[j] > down[j])) return false;
      PreparedToss own_above, own_below;
      Roll(open, *above.roller, Refitted(open, above, own_above), open.root * open.at, poses);
      least = std::min(least, Residuals(*open.toss, open.window, poses, plus));
      Roll(open, *below.roller, Refitted(open, below, own_below), open.root * open.at, poses);
      least = std::min(least, Residuals(*open.toss, open.window, poses, minus));
      secant(open.by_params.col(j));
      open.by_params.col(j) *= 2 * step[j] / (up[j] - down[j]);
    }
    // What the secants do not explain, per frame and kind, never less than in the frames before.
    double position = 0, angle = 0;
    for (Eigen::Index i = 0; i < size; i += 6) {
      position = std::max(position, beyond.segment<3>(i).mean());
      angle = std::max(angle, beyond.segment<3>(i + 3).mean());
      open.variance.segment<3>(i).array() += position;
      open.variance.segment<3>(i + 3).array() += angle;
    }
    for (Eigen::Index i = 6 * least; i < size; ++i) open.variance[i] = kLostVariance;
    open.chi2 = Cost(open, open.residual, open.at, reached);
    open.raw = open.residual.squaredNorm();
    open.freedom = std::max(1, static_cast<int>((open.residual.array() != 0).count()) - 12);
    const double ratio = open.chi2 / open.freedom;
    open.weight = std::min(1.0, 2 / (1 + ratio));

    const Eigen::MatrixXd weighted = open.variance.cwiseInverse().asDiagonal() * open.by_start;
    const Eigen::MatrixXd weighted_params = open.variance.cwiseInverse().asDiagonal() * open.by_params;
    open.information = open.by_start.transpose() * weighted + kPriorWeight * open.open.transpose() * open.open;
    open.information.diagonal().array() += 1e-9 * open.information.trace();
    open.slope = weighted.transpose() * open.residual + kPriorWeight * open.open.transpose() * open.at;
    open.cross = weighted.transpose() * open.by_params;
    const Eigen::MatrixXd solved = SolveSymmetric(open.information, open.cross);
    open.reduced = open.by_params.transpose() * weighted_params - open.cross.transpose() * solved;
    open.reduced_slope = weighted_params.transpose() * open.residual - solved.transpose() * open.slope;
    return true;
  }

  /// The best start of each toss at these numbers: as it is, as the linear problem says, half of that, drawn beside it.
  double PickStarts(const Eigen::VectorXd& params, const Eigen::VectorXd& change, int round,
                    std::vector<Vector12>& starts) const {
    starts.assign(tosses_.size(), Vector12::Zero());
    std::vector<double> costs(tosses_.size(), 0);
    std::vector<char> failed(tosses_.size(), 0);
    ParallelFor(static_cast<int>(tosses_.size()), [&](int k) {
      const OpenToss& open = tosses_[static_cast<std::size_t>(k)];
      const Rolled at = At(params);
      if (!at.instance) {
        failed[static_cast<std::size_t>(k)] = 1;
        return;
      }
      PreparedToss own;
      const PreparedToss& toss = Refitted(open, at, own);
      Vector12 move = -SolveSymmetric(open.information, open.slope + open.cross * change);
      const double longest = move.cwiseAbs().maxCoeff();
      if (longest > kLongest) move *= kLongest / longest;
      const Eigen::LLT<Matrix12> root(open.information);
      Random random = Random(options_.seed, 0x7055).Split(static_cast<std::uint64_t>(1000 * k + round));
      double best = std::numeric_limits<double>::infinity();
      std::vector<SpatialPose<double>> poses;
      Eigen::VectorXd residual;
      const int draws = (open.raw > kPoor * open.freedom ? kMoreDraws : 1) * options_.draws;
      for (int candidate = 0; candidate < 3 + draws; ++candidate) {
        Vector12 by = move;
        if (candidate == 1) by *= 0.5;
        if (candidate == 2) by.setZero();
        if (candidate > 2) {
          Vector12 z;
          for (int j = 0; j < 12; ++j) z[j] = random.Normal();
          by = (candidate % 2 ? 1.0 : 0.5) * move + root.matrixU().solve(z);
        }
        const Vector12 start = open.at + open.open * by;
        // Given up as soon as it costs more than the best so far.
        double spent = kPriorWeight * start.squaredNorm();
        bool worse = false;
        at.roller->RollFrom(toss, open.root * start, poses, [&](int i, const SpatialPose<double>& pose) {
          if (i >= open.window) return false;
          const Eigen::Index row = 6 * static_cast<Eigen::Index>(i);
          spent += FrameResidual(toss, i, pose).cwiseAbs2().cwiseQuotient(open.variance.segment<6>(row)).sum();
          worse = spent > kSurelyWorse * best;
          return !worse;
        });
        if (worse) continue;
        const int reached = Residuals(toss, open.window, poses, residual);
        const double cost = Cost(open, residual, start, reached);
        if (cost < best) {
          best = cost;
          starts[static_cast<std::size_t>(k)] = start;
        }
      }
      costs[static_cast<std::size_t>(k)] = open.weight * best;
    });
    if (std::any_of(failed.begin(), failed.end(), [](char f) { return f != 0; }))
      return std::numeric_limits<double>::infinity();
    double sum = 0;
    for (const double cost : costs) sum += cost;
    return sum;
  }

  /// Axes of what is open become those of the posterior, and steps in the parameters its standard deviations.
  void Narrow(const Eigen::MatrixXd& information, Eigen::VectorXd& step) {
    for (OpenToss& open : tosses_) {
      const SymmetricEigen eigen = EigenOfSymmetric(open.information);
      Vector12 size;
      // Residuals above the noise leave as much more open.
      const double scale = std::sqrt(std::max(1.0, open.chi2 / open.freedom));
      for (int j = 0; j < 12; ++j)
        size[j] = std::clamp(scale / std::sqrt(std::max(eigen.values[j], 1e-12)), kNarrowest, 1.0);
      open.open = open.open * eigen.vectors * size.asDiagonal();
    }
    const Eigen::MatrixXd inverse = PseudoInverse(information);
    for (Eigen::Index j = 0; j < step.size(); ++j) {
      const double deviation = std::sqrt(std::max(inverse(j, j), 0.0));
      step[j] = std::max(step[j] * std::clamp(2 * deviation, kNarrowest, 1.0), kLeastStep * family_.scale()[j]);
    }
  }

  void Report(const Eigen::VectorXd& params, const Eigen::VectorXd& step, RunResult& out) const {
    const int p = family_.size();
    out.params = params;
    if (std::any_of(tosses_.begin(), tosses_.end(), [&](const OpenToss& toss) { return toss.reduced.rows() != p; })) {
      // No body has these numbers, so that nothing was rolled out.
      out.moved.setZero();
      out.ratio = INFINITY;
      out.followed = 0;
      out.deviation.assign(static_cast<std::size_t>(p), INFINITY);
      return;
    }
    Eigen::MatrixXd information = Eigen::MatrixXd::Zero(p, p);
    double chi2 = 0;
    int freedom = 0;
    for (const OpenToss& toss : tosses_) {
      information += toss.reduced;
      chi2 += toss.raw;
      freedom += toss.freedom;
      out.moved = toss.root * toss.at;
    }
    out.ratio = chi2 / std::max(1, freedom);
    out.freedom = freedom;
    const OpenToss& first = tosses_.front();
    const int flight = first.toss->arc_last - first.toss->start;
    const int frames = first.toss->end - first.toss->start + 1;
    out.frames = std::min(frames, first.window);
    out.followed = static_cast<double>(out.frames - flight) / std::max(1, frames - flight);
    const Eigen::MatrixXd inverse = PseudoInverse(information);
    for (int j = 0; j < p; ++j) {
      const double known = information(j, j) > 0 ? std::sqrt(std::max(0.0, inverse(j, j))) : INFINITY;
      out.deviation.push_back(step[j] * known * std::sqrt(std::max(1.0, out.ratio)));
    }
  }

  const SpatialFamily& family_;
  const TossSet& set_;
  TossLikelihoodOptions options_;
  std::vector<OpenToss> tosses_;
};

/// Sum of costs over the tosses, each fitted `runs` times, and the mean step; a fit that ended early stays where it is.
std::vector<RoundTrace> SumOfRounds(const std::vector<RunResult>& results, int runs) {
  std::vector<RoundTrace> out;
  for (const RunResult& result : results) out.resize(std::max(out.size(), result.trace.size()));
  for (const RunResult& result : results)
    for (std::size_t i = 0; i < out.size() && !result.trace.empty(); ++i) {
      const bool over = i >= result.trace.size();
      out[i].cost += (over ? result.trace.back() : result.trace[i]).cost / runs;
      out[i].step += over ? 0 : result.trace[i].step / static_cast<double>(results.size());
    }
  return out;
}

}  // namespace

TossLikelihoodResult MaximizeTossLikelihood(const SpatialFamily& family, const TossSet& tosses,
                                            const Eigen::VectorXd& start, const Eigen::VectorXd& spread,
                                            const TossLikelihoodOptions& options) {
  const int p = family.size(), count = static_cast<int>(tosses.used().size());
  // Few tosses are fitted several times each, from starts of their own.
  const int runs = count >= options.fewest ? 1 : (options.fewest + count - 1) / count;
  TossLikelihoodResult out;
  out.params = start;
  Eigen::VectorXd open = spread;
  std::vector<RunResult> results(static_cast<std::size_t>(count * runs));
  for (int pass = 0; pass < options.passes; ++pass) {
    ParallelFor(count * runs, [&](int i) {
      Random random = Random(options.seed, 0x5eed).Split(static_cast<std::uint64_t>(1000 * pass + i));
      Eigen::VectorXd change = Eigen::VectorXd::Zero(p);
      for (int j = 0; j < p; ++j)
        if (!IsHeld(options, j)) change[j] = open[j] * random.Normal();
      const Eigen::VectorXd from = family.parameters().Clamp(family.parameters().Move(out.params, change));
      TossLikelihoodOptions own = options;
      own.seed = options.seed + static_cast<std::uint64_t>(7919 * (pass + 1) + i);
      Ensemble ensemble(family, tosses, {tosses.used()[static_cast<std::size_t>(i / runs)]}, own);
      RunResult& result = results[static_cast<std::size_t>(i)];
      result = ensemble.Run(from, open);
      // Frames that cannot be followed say nothing about the numbers.
      if (result.ratio > kPoor && ensemble.CutWindow()) result = ensemble.Run(result.params, open);
    });
    AddStage(fmt::format("likelihood, pass {}", pass + 1), SumOfRounds(results, runs), out.trace);
    for (RunResult& r : results) r.quality = r.followed * std::min(1.0, 4 / (1 + r.ratio * r.ratio));
    out.statements.assign(results.begin(), results.end());
    const std::vector<CombinedNumber> combined = CombineNumbers(out.statements);
    for (int j = 0; j < p; ++j) {
      const CombinedNumber& number = combined[static_cast<std::size_t>(j)];
      if (!IsHeld(options, j)) out.params[j] = number.value;
      // The next pass starts farther away than the tosses are apart.
      open[j] = std::clamp(3 * number.between, 0.3 * spread[j], 2 * spread[j]);
    }
    // Runs of one toss share its noise.
    const bool enough = count >= options.fewest;
    const double student = StudentFactor(enough ? count - 1 : count * runs - 1);
    out.least_variance = LeastVariances(out.statements, combined) * (enough ? 1 : runs);
    out.covariance = CovarianceOfScatter(out.statements, combined) * (student * student * (enough ? 1 : runs));
    for (int j = 0; j < p; ++j) out.covariance(j, j) = std::max(out.covariance(j, j), out.least_variance[j]);
  }
  out.ratio.clear();
  for (int k = 0; k < count; ++k) {
    const RunResult* best = &results[static_cast<std::size_t>(k * runs)];
    for (int r = 1; r < runs; ++r) {
      const RunResult& other = results[static_cast<std::size_t>(k * runs + r)];
      if (other.ratio / other.followed < best->ratio / best->followed) best = &other;
    }
    out.ratio.push_back(best->ratio);
    out.freedom.push_back(best->freedom);
    out.frames.push_back(best->frames);
    out.followed.push_back(best->followed);
    out.moved.push_back(best->moved);
    out.alone.push_back(best->params);
    if (std::isfinite(best->ratio)) out.chi2 += best->ratio * best->freedom;
  }
  return out;
}

}  // namespace ricochet
