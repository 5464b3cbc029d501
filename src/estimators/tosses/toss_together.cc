// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_together.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "core/random.h"
#include "core/threads.h"
#include "estimators/optimizer_trace.h"
#include "math/dense.h"
#include "math/statistics.h"
#include "optimize/marquardt.h"

namespace ricochet {
namespace {

using Vector12 = TossStart;

constexpr double kPredictable = 0.3;  // unexplained squares over the noise of a row that counts in the answer
constexpr int kMostRounds = 40;
constexpr int kStalledRounds = 3;      // without a better score, after which the search ends
constexpr double kBetter = 1;          // of a score, per toss
constexpr double kSettled = 0.1;       // step that ends it, in standard deviations,
constexpr int kFirstRounds = 3;        // after these rounds of a first search
constexpr double kLongest = 3;         // step in secants
constexpr double kPoor = 1.5;          // chi^2 / dof of a window from which other starts are tried
constexpr double kAllowance = 12;      // squares of a row that is followed in the search: twice its expectation;
constexpr double kTightAllowance = 9;  // in the answer
constexpr double kBegun = 0.1;         // of the rows after the first contact, from which on a toss is followed at all
constexpr int kOtherStarts = 80;
constexpr double kClearlyBetter = 6;             // squares
constexpr double kDrawSizes[] = {0.5, 1, 2, 4};  // standard deviations
constexpr int kTries = 2;                        // of other starts
constexpr double kPart = 0.3;                    // of a step that is too long
constexpr double kRounding = 1e-9;               // relative change of a cost that is none
constexpr double kKnown = 1e-4;     // of its size, to which a parameter can be known where lengths are known to that
constexpr double kScatters = 0.02;  // probability of a scatter between tosses that enlarges standard deviations
constexpr double kWithoutEffect = 100;  // sizes of a parameter, as a standard deviation of one that changes nothing
constexpr double kOpen = 0.3;           // part of that, from which on a parameter is open
constexpr double kProbe = 3;            // standard deviations at which the deviance is looked at,
constexpr double kFlat = 0.5;           // part of the rise that they promise, below which the side is flat
constexpr double kAtBound = 0.1;        // standard deviations from a bound that count as none
constexpr double kOneSided = 1.645;     // standard deviations of a limit at 95 %
constexpr int kHalvings = 6;            // that locate a rise of the deviance
constexpr double kAsGood = 1;           // rise of the deviance up to which open parameters stay where they started
constexpr int kRoundsOfRise = 3;        // in which starts follow the parameters
constexpr double kRidge = 1e-6;         // against parameters without effect

/// The whole step, a part of it, the starts alone.
class PartialSteps final : public Damping {
 public:
  PartialSteps() : Damping(0) {}
  void Succeed(double /*gain*/) override { lambda_ = 0; }
  bool Fail() override {
    if (std::isinf(lambda_)) return false;
    lambda_ = lambda_ == 0 ? 1 / kPart - 1 : std::numeric_limits<double>::infinity();
    return true;
  }
};

class GrowingFit final : public MarquardtProblem {
 public:
  GrowingFit(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
             const GrowingFitOptions& options)
      : family_(family), set_(set), options_(options) {
    point_.values = start;
    std::vector<int> free;
    for (int j = 0; j < family.size(); ++j)
      if (options.spread[j] > 0) free.push_back(j);
    point_.axes = Eigen::MatrixXd::Zero(family.size(), static_cast<Eigen::Index>(free.size()));
    for (std::size_t c = 0; c < free.size(); ++c)
      point_.axes(free[c], static_cast<Eigen::Index>(c)) = options.spread[free[c]];
    for (const int i : set.used()) point_.tosses.emplace_back(set, i, point_.axes.cols());
  }

  /// Rounds until windows and parameters stay, at the best of them. Returns the rounds that improved, with half of the
  /// squares of all rows, those that are not followed counted as the allowance.
  std::vector<LeastSquaresStep> Run() {
    best_ = {};
    best_score_ = -std::numeric_limits<double>::infinity();
    most_rows_ = 0;
    rounds_ = stalled_ = 0;
    length_ = 0;
    ends_ = false;
    PartialSteps parts;
    EndOfRounds rule(*this);
    trace_.clear();
    RunMarquardt(*this, parts, rule, {.max_iterations = kMostRounds, .max_attempts = 3, .rounding = kRounding});
    if (!best_.tosses.empty()) point_ = std::move(best_);
    ++runs_;
    return std::move(trace_);
  }

  /// Leaves out the rows that are not predictable or not followed, for good.
  void Settle() {
    if (!LinearizeAll(true)) return;
    for (OpenToss& open : point_.tosses) {
      open.predictable = PredictableRows(open, kPredictable);
      open.most = FollowedOf(open, open.predictable, kTightAllowance).rows;
      open.most = std::max(open.most, std::min(open.flight, open.look));
    }
  }

  /// Other starts for tosses whose window does not fit or stops early; whether any is better.
  bool TryOtherStarts() {
    std::vector<OpenToss>& tosses = point_.tosses;
    // Where most of many tosses are lost at their first impacts, the motion is another one.
    const auto begun = std::count_if(tosses.begin(), tosses.end(), [](const OpenToss& open) {
      return open.window > open.flight + kBegun * (open.all - open.flight);
    });
    if (tosses.size() > 3 && 2 * static_cast<std::size_t>(begun) < tosses.size()) return false;
    const std::optional<SpatialInstance> here = family_.Compile(point_.values);
    if (!here) return false;
    std::vector<char> moved(tosses.size(), 0);
    ParallelFor(static_cast<int>(tosses.size()), [&](int k) {
      OpenToss& open = tosses[static_cast<std::size_t>(k)];
      if (open.ratio < kPoor && open.window >= open.all) return;
      PreparedToss own;
      const PreparedToss& toss = RefittedToss(set_, *here, open.index, own);
      TossRoller roller = set_.RollerOf(here->model);
      Random random = Random(options_.seed, 0x7055).Split(static_cast<std::uint64_t>(1000 * tries_ + k));
      double best = ScoreFrom(roller, toss, open.at, open.all, 0);
      Vector12 taken = open.at;
      for (int draw = 0; draw < kOtherStarts; ++draw) {
        const Vector12 start = open.at + kDrawSizes[draw % std::size(kDrawSizes)] * (open.axes * NormalOf(random));
        const double score = ScoreFrom(roller, toss, start, open.all, best + kClearlyBetter);
        if (!(score > best + kClearlyBetter)) continue;
        best = score;
        taken = start;
        moved[static_cast<std::size_t>(k)] = 1;
      }
      if (!moved[static_cast<std::size_t>(k)]) return;
      open.linear = false;
      open.at = taken;
    });
    ++tries_;
    return std::find(moved.begin(), moved.end(), 1) != moved.end();
  }

  /// With new secants; `whole`: to the ends of the recordings.
  bool LinearizeAll(bool whole) {
    const TossModels models = ModelsAlong(family_, point_.values, point_.axes);
    if (!models.here) return false;
    ParallelFor(static_cast<int>(point_.tosses.size()),
                [&](int k) { LinearizeToss(set_, models, whole, point_.tosses[static_cast<std::size_t>(k)]); });
    return true;
  }

  bool Linearize() override {
    if (!LinearizeAll(false)) return false;
    double score = 0, lost = 0;
    long rows = 0;
    cost = 0;
    for (const OpenToss& toss : point_.tosses) {
      cost += 0.5 * toss.weight * toss.cost;
      score += toss.score;
      lost += kAllowance * toss.all - toss.score;
      rows += toss.window;
    }
    const bool grows = rows > most_rows_;
    most_rows_ = std::max(rows, most_rows_);
    stalled_ = score > best_score_ + kBetter * static_cast<double>(point_.tosses.size()) ? 0 : stalled_ + 1;
    if (score > best_score_) {
      best_score_ = score;
      best_ = point_;
      trace_.push_back({0.5 * lost, length_});
    }
    const int fewest = runs_ == 0 ? kFirstRounds : 1;
    ends_ = stalled_ >= kStalledRounds || (rounds_ >= fewest && !grows && length_ < kSettled);
    ++rounds_;
    return true;
  }

  bool Prepare() override {
    border_ = Together();
    step_ = SolveBorder(border_, {}, {}, {}, kRidge);
    const double longest = step_.size() > 0 ? step_.cwiseAbs().maxCoeff() : 0;
    if (longest > kLongest) step_ *= kLongest / longest;
    return true;
  }

  MarquardtStep Propose(double lambda) override {
    change_ = 1 / (1 + lambda) * step_;
    return {.predicted = -(border_.h.dot(change_) + 0.5 * change_.dot(border_.C * change_))};
  }

  double TrialCost() override {
    trial_ = family_.parameters().Clamp(point_.values + point_.axes * change_);
    starts_.assign(point_.tosses.size(), Vector12::Zero());
    const std::optional<SpatialInstance> here = family_.Compile(trial_);
    if (!here) return std::numeric_limits<double>::infinity();
    std::vector<double> costs(point_.tosses.size(), 0);
    ParallelFor(static_cast<int>(point_.tosses.size()), [&](int k) {
      const auto at = static_cast<std::size_t>(k);
      costs[at] = 0.5 * point_.tosses[at].weight * PickStart(*here, k, starts_[at]);
    });
    double sum = 0;
    for (const double each : costs) sum += each;
    return sum;
  }

  double Take() override {
    length_ = std::sqrt(std::max(0.0, change_.dot(border_.C * change_)));
    point_.values = trial_;
    double chi2 = 0, freedom = 0;
    for (std::size_t k = 0; k < point_.tosses.size(); ++k) {
      OpenToss& open = point_.tosses[k];
      MoveTo(starts_[k], change_, open);
      chi2 += open.weight * open.cost, freedom += open.weight * open.freedom;
    }
    // What is open becomes what the windows leave open.
    const Eigen::Index n = point_.axes.cols();
    Eigen::MatrixXd turn = Eigen::MatrixXd::Zero(n, n);
    if (n > 0) {
      const SymmetricEigen eigen = EigenOfSymmetric(border_.C);
      for (Eigen::Index c = 0; c < n; ++c) {
        const Eigen::VectorXd along = eigen.vectors.col(c);
        const double size = NarrowedSize(eigen.values[c], chi2 / freedom, along.dot(change_));
        const double width = (point_.axes * along).cwiseQuotient(family_.scale()).norm();
        turn.col(c) = std::max(size, options_.least_width / std::max(width, 1e-300)) * along;
      }
      point_.axes = point_.axes * turn;
    }
    for (OpenToss& open : point_.tosses) NarrowStart(turn, open);
    return length_;
  }

  /// By how much the deviance of the windows rises where the parameters change, the starts following them: along the
  /// secants first, then by what these make of the residuals there. Infinite where the motion ends before a window.
  double RiseAt(const Eigen::VectorXd& change, const Eigen::VectorXd& along_axes) const {
    const std::optional<SpatialInstance> there = family_.Compile(point_.values + change);
    if (!there) return std::numeric_limits<double>::infinity();
    std::vector<double> rises(point_.tosses.size(), 0);
    ParallelFor(static_cast<int>(rises.size()), [&](int k) {
      const OpenToss& open = point_.tosses[static_cast<std::size_t>(k)];
      PreparedToss own;
      const PreparedToss& toss = RefittedToss(set_, *there, open.index, own);
      TossRoller roller = set_.RollerOf(there->model);
      Vector12 start = open.at + open.follow * along_axes;
      const Eigen::Index size = 6 * static_cast<Eigen::Index>(open.window);
      const Eigen::MatrixXd by_start = OverDeviations(open.unexplained, open.unknown, open.by_start.topRows(size));
      double least = std::numeric_limits<double>::infinity();
      for (int round = 0; round < kRoundsOfRise; ++round) {
        Eigen::VectorXd residuals;
        RollRows(roller, toss, start, open.window, residuals);
        if (residuals.size() != size) break;
        least = std::min(least, CostOf(open, residuals, start));
        start -= open.axes * open.information.ldlt().solve(SlopeOfStart(open, by_start, residuals, start));
      }
      rises[static_cast<std::size_t>(k)] = (least - open.cost) / std::max(1.0, open.ratio);
    });
    double sum = 0;
    for (const double each : rises) sum += each;
    return sum;
  }

  const Eigen::VectorXd& values() const { return point_.values; }
  const Eigen::MatrixXd& axes() const { return point_.axes; }
  std::vector<OpenToss>& tosses() { return point_.tosses; }

 private:
  class EndOfRounds final : public StoppingRule {
   public:
    explicit EndOfRounds(const GrowingFit& fit) : fit_(fit) {}
    std::optional<LeastSquaresEnd> BeforeTrial(const MarquardtStep& /*step*/, const MarquardtProgress& at) override {
      if (at.attempt > 0 || !fit_.ends_) return std::nullopt;
      return LeastSquaresEnd::kConverged;
    }

   private:
    const GrowingFit& fit_;
  };

  struct Point {
    Eigen::VectorXd values;
    Eigen::MatrixXd axes;  // columns: one standard deviation of what is open of the parameters
    std::vector<OpenToss> tosses;
  };

  static Vector12 NormalOf(Random& random) {
    Vector12 z;
    for (int j = 0; j < 12; ++j) z[j] = random.Normal();
    return z;
  }

  /// The score of a start (FollowedOf, nothing unexplained); given up where it cannot exceed `least` any more.
  static double ScoreFrom(TossRoller& roller, const PreparedToss& toss, const Vector12& start, int rows, double least) {
    std::vector<SpatialPose<double>> poses;
    double sum = 0, best = 0;
    const auto follow = [&](int i, const SpatialPose<double>& pose) {
      if (!toss.toss.track.outlier[static_cast<std::size_t>(toss.start + i)])
        sum -= PoseResidual(toss, i, pose).squaredNorm();
      best = std::max(best, sum += kAllowance);
      return std::max(best, sum + kAllowance * (rows - 1 - i)) > least;
    };
    roller.RollFrom(toss, start, poses, follow);
    return best;
  }

  /// What all tosses say about the parameters, starts unknown.
  ChainBorder Together() const {
    const Eigen::Index n = point_.axes.cols();
    ChainBorder out{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n)};
    for (const OpenToss& toss : point_.tosses) {
      out.C += toss.weight * toss.border.C;
      out.h += toss.weight * toss.border.h;
    }
    return out;
  }

  /// Best of a few starts of a toss at the trial; its cost.
  double PickStart(const SpatialInstance& here, int k, Vector12& taken) const {
    const OpenToss& open = point_.tosses[static_cast<std::size_t>(k)];
    PreparedToss own;
    const PreparedToss& toss = RefittedToss(set_, here, open.index, own);
    TossRoller roller = set_.RollerOf(here.model);
    const Vector12 move = StepOfStart(open, change_), from = open.at + open.follow * change_;
    Eigen::VectorXd residuals;
    double best = std::numeric_limits<double>::infinity();
    const auto offer = [&](const Vector12& by) {
      const Vector12 start = from + open.axes * by;
      RollRows(roller, toss, start, open.window, residuals);
      if (residuals.size() != 6 * open.window) return;
      const double found = CostOf(open, residuals, start);
      if (found < best) best = found, taken = start;
    };
    for (const double part : {1.0, kPart, 0.0}) {
      offer(part * move);
      if (best < open.cost) break;
    }
    if (options_.draws == 0) return best;
    // Motion that jumps: other pieces of the likelihood within what is open.
    Random random = Random(options_.seed, 0x5eed).Split(static_cast<std::uint64_t>(1000 * rounds_ + k));
    for (int draw = 0; draw < options_.draws; ++draw)
      offer((draw % 2 == 0 ? 1.0 : 0.5) * move + DrawState(open.chain.front(), NormalOf(random)));
    return best;
  }

  const SpatialFamily& family_;
  const TossSet& set_;
  GrowingFitOptions options_;
  Point point_, best_;
  double best_score_ = 0, length_ = 0;  // the latter: of the last step, in standard deviations
  std::vector<LeastSquaresStep> trace_;
  long most_rows_ = 0;
  int rounds_ = 0, stalled_ = 0, runs_ = 0, tries_ = 0;
  bool ends_ = false;
  // A step.
  ChainBorder border_;
  Eigen::VectorXd step_, change_, trial_;
  std::vector<Vector12> starts_;
};

/// By how much the statements of tosses scatter about the common values beyond what each claims, where that is more
/// than chance; at least 1.
Eigen::VectorXd ScatterOf(const std::vector<TossStatement>& statements, const Eigen::VectorXd& params) {
  Eigen::VectorXd out = Eigen::VectorXd::Ones(params.size());
  for (Eigen::Index j = 0; j < params.size(); ++j) {
    double sum = 0;
    int count = 0;
    for (const TossStatement& one : statements) {
      const double deviation = one.deviation[static_cast<std::size_t>(j)];
      if (!(deviation > 0) || !std::isfinite(deviation)) continue;
      sum += std::pow((one.params[j] - params[j]) / deviation, 2);
      ++count;
    }
    const double ratio = sum / std::max(1, count - 1);
    if (count > 1 && TailOfF(ratio, count - 1, std::numeric_limits<double>::infinity()) < kScatters)
      out[j] = std::sqrt(ratio);
  }
  return out;
}

/// Covariance of parameters of which nothing is known before but that they are within kWithoutEffect sizes: what the
/// data leave open has a standard deviation near that.
Eigen::MatrixXd CovarianceOf(const Eigen::MatrixXd& information, const Eigen::VectorXd& size) {
  Eigen::MatrixXd scaled = size.asDiagonal() * information * size.asDiagonal();
  scaled.diagonal().array() += 1 / (kWithoutEffect * kWithoutEffect);
  return size.asDiagonal() * PseudoInverse(scaled) * size.asDiagonal();
}

/// Takes a parameter out of what is known.
void Open(Eigen::Index j, TossLikelihoodResult& of) {
  of.covariance.row(j).setZero();
  of.covariance.col(j).setZero();
  of.covariance(j, j) = std::numeric_limits<double>::infinity();
}

/// The deviance on one side of a parameter, the others following it.
struct SideOfParameter {
  const GrowingFit& fit;
  const Eigen::MatrixXd& to_axes;
  Eigen::VectorXd direction;  // change of the values for a unit of the parameter, either sign
  double room = 0;            // to the bound of the parameter, at most kWithoutEffect sizes

  double RiseAt(double distance) const {
    const Eigen::VectorXd change = distance * direction;
    return fit.RiseAt(change, to_axes * change);
  }

  /// Standard deviation that the side shows: that of the secants where the deviance rises as it promises; infinite
  /// where it never does.
  double DeviationOf(double deviation) const {
    const double distance = std::min(kProbe * deviation, room);
    if (!(distance > kAtBound * deviation)) return deviation;  // at a bound there is no other side
    const double promised = distance * distance / (deviation * deviation);
    return RiseAt(distance) >= kFlat * promised ? deviation : DistanceOf(kProbe * kProbe, distance) / kProbe;
  }

  /// Distance at which the deviance has risen by that much, from `first` outwards; infinite: not before the bound.
  double DistanceOf(double rise, double first) const {
    double inside = 0, outside = std::min(first, room);
    while (RiseAt(outside) < rise) {
      if (outside >= room) return std::numeric_limits<double>::infinity();
      inside = outside;
      outside = std::min(2 * outside, room);
    }
    for (int halving = 0; halving < kHalvings; ++halving) {
      const double middle = 0.5 * (inside + outside);
      (RiseAt(middle) < rise ? inside : outside) = middle;
    }
    return outside;
  }

  /// Distance of the limit at 95 %.
  double LimitFrom(double deviation) const { return DistanceOf(kOneSided * kOneSided, kProbe * deviation); }
};

/// Beyond a kink of the motion (an impact that sticks from some friction on) the deviance may stay flat, and a secant
/// across the kink knows nothing of it. Standard deviations cover both sides; a parameter with a side that never ends is
/// open, but for the limit on the other side.
void LookAtSides(const SpatialFamily& family, const GrowingFit& fit, const Eigen::MatrixXd& to_axes,
                 TossLikelihoodResult& of) {
  const Eigen::Index p = of.params.size();
  of.lower = Eigen::VectorXd::Constant(p, -std::numeric_limits<double>::infinity());
  of.upper = -of.lower;
  for (Eigen::Index j = 0; j < p; ++j) {
    const double deviation = std::sqrt(of.covariance(j, j));
    if (!(deviation > 0) || !std::isfinite(deviation)) continue;
    const Eigen::VectorXd direction = of.covariance.col(j) / of.covariance(j, j);
    const double most = kWithoutEffect * family.scale()[j];
    const SideOfParameter above{fit, to_axes, direction, std::min(most, family.upper()[j] - of.params[j])};
    const SideOfParameter below{fit, to_axes, -direction, std::min(most, of.params[j] - family.lower()[j])};
    const double up = above.DeviationOf(deviation), down = below.DeviationOf(deviation);
    if (const double widest = std::max(up, down); std::isfinite(widest)) {
      of.covariance.row(j) *= widest / deviation;
      of.covariance.col(j) *= widest / deviation;
      continue;
    }
    if (std::isfinite(down)) of.lower[j] = of.params[j] - below.LimitFrom(deviation);
    if (std::isfinite(up)) of.upper[j] = of.params[j] + above.LimitFrom(deviation);
    Open(j, of);
  }
}

/// What the toss says by itself.
TossStatement StatementOf(const Eigen::MatrixXd& information, const Eigen::VectorXd& slope, double ratio,
                          double followed, const Eigen::VectorXd& params) {
  TossStatement out;
  out.params = params;
  out.deviation.assign(static_cast<std::size_t>(params.size()), std::numeric_limits<double>::infinity());
  out.quality = followed * std::min(1.0, 4 / (1 + ratio * ratio));
  const Eigen::MatrixXd inverse = PseudoInverse(information);
  const Eigen::VectorXd step = -inverse * slope;
  for (Eigen::Index j = 0; j < params.size(); ++j) {
    if (!(information(j, j) > 0)) continue;
    out.deviation[static_cast<std::size_t>(j)] = std::sqrt(inverse(j, j) * std::max(1.0, ratio));
    out.params[j] += step[j];
  }
  return out;
}

}  // namespace

Eigen::VectorXd SpreadOf(const SpatialFamily& family, double part, const std::vector<char>& held) {
  Eigen::VectorXd out = part * family.scale();
  for (std::size_t j = 0; j < held.size(); ++j)
    if (held[j]) out[static_cast<Eigen::Index>(j)] = 0;
  return out;
}

TossLikelihoodResult FitTogether(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                                 const GrowingFitOptions& options) {
  const int p = family.size();
  TossLikelihoodResult out;
  GrowingFit fit(family, set, start, options);
  AddStage("likelihood, growing windows", fit.Run(), out.trace);
  for (int again = 0; again < kTries && fit.TryOtherStarts(); ++again)
    AddStage("likelihood, other starts", fit.Run(), out.trace);
  fit.Settle();
  AddStage("likelihood, rows that are followed", fit.Run(), out.trace);
  fit.LinearizeAll(false);
  out.params = fit.values();
  // From the axes to the parameters.
  const Eigen::MatrixXd& axes = fit.axes();
  const Eigen::MatrixXd to_axes = axes.cols() > 0 ? PseudoInverse(axes) : Eigen::MatrixXd(axes.transpose());
  const Eigen::VectorXd deviation = axes.rowwise().norm();
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(p, p);
  Eigen::VectorXd slope = Eigen::VectorXd::Zero(p);
  Eigen::MatrixXd errors = Eigen::MatrixXd::Zero(p, p);
  std::vector<Eigen::MatrixXd> slopes_of_errors(fit.tosses().size());
  ParallelFor(static_cast<int>(fit.tosses().size()), [&](int k) {
    OpenToss& open = fit.tosses()[static_cast<std::size_t>(k)];
    open.window = PredictableRows(open, kPredictable);
    // Rows that cannot be predicted from here are no loss.
    if (open.window < open.look) open.predictable = open.window;
    slopes_of_errors[static_cast<std::size_t>(k)] = SlopesOfErrors(open);
    EliminateStart(open);
  });
  for (std::size_t k = 0; k < fit.tosses().size(); ++k) {
    const OpenToss& open = fit.tosses()[k];
    const double weight = 1 / std::max(1.0, open.ratio);
    const Eigen::MatrixXd own = to_axes.transpose() * open.border.C * to_axes;
    const Eigen::VectorXd own_slope = to_axes.transpose() * open.border.h;
    information += weight * own;
    slope += weight * own_slope;
    const Eigen::MatrixXd of_errors = weight * to_axes.transpose() * slopes_of_errors[k];
    errors += of_errors * of_errors.transpose();
    out.moved.push_back(open.at);
    out.known.push_back({fit.values(), open.at, open.axes, deviation, open.follow * to_axes, open.unexplained,
                         open.unknown, open.by_start, open.by_common * to_axes});
    out.ratio.push_back(open.ratio);
    out.freedom.push_back(open.freedom);
    out.frames.push_back(open.window);
    out.predictable.push_back(std::max(open.predictable, open.window));
    out.followed.push_back(static_cast<double>(std::max(0, open.window - open.flight)) /
                           std::max(1, out.predictable.back() - open.flight));
    if (std::isfinite(open.ratio)) out.chi2 += open.ratio * open.freedom;
    out.statements.push_back(StatementOf(own, own_slope, open.ratio, out.followed.back(), out.params));
    out.alone.push_back(out.statements.back().params);
  }
  out.covariance = CovarianceOf(information, family.scale());
  std::vector<char> open(static_cast<std::size_t>(p), 0);
  for (int j = 0; j < p; ++j)
    open[static_cast<std::size_t>(j)] =
        !(std::sqrt(out.covariance(j, j)) < kOpen * kWithoutEffect * family.scale()[j]) ? 1 : 0;
  // What errors of the motion would change, and what the search has left.
  const Eigen::MatrixXd moves = out.covariance * errors * out.covariance;
  const Eigen::VectorXd left = out.covariance * slope;
  const Eigen::VectorXd scatter = ScatterOf(out.statements, out.params);
  out.covariance = scatter.asDiagonal() * out.covariance * scatter.asDiagonal();
  out.covariance += moves + left * left.transpose();
  for (int j = 0; j < p; ++j) {
    out.covariance(j, j) += std::pow(kKnown * std::max(family.scale()[j], std::abs(out.params[j])), 2);
    if (open[static_cast<std::size_t>(j)]) Open(j, out);
  }
  // Motion that jumps has no sides.
  if (options.draws == 0) LookAtSides(family, fit, to_axes, out);
  // What the data leave open stays where it started, if that is as likely.
  Eigen::VectorXd back = Eigen::VectorXd::Zero(p);
  for (int j = 0; j < p; ++j)
    if (std::isinf(out.covariance(j, j))) back[j] = start[j] - out.params[j];
  if (options.draws > 0 || !(fit.RiseAt(back, to_axes * back) > kAsGood)) out.params += back;
  out.least_variance = out.covariance.diagonal();
  return out;
}

}  // namespace ricochet
