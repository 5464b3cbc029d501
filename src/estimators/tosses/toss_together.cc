// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_together.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/random.h"
#include "core/threads.h"
#include "estimators/optimizer_trace.h"
#include "estimators/tosses/toss_secants.h"
#include "math/dense.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

constexpr double kPrior = 1e-2;       // weight of the flight's fit: its rows are compared too
constexpr double kOpen = 4;           // unexplained squares over the noise up to which a row takes part in the search,
constexpr double kPredictable = 0.3;  // and in the answer
constexpr double kUnknown = 1.5;      // of the change by other lengths: a standard deviation of an error
constexpr double kLookAhead = 0.08;   // behind a window [s]
constexpr int kFewestAhead = 8;       // rows behind a window
constexpr int kMostRounds = 40;
constexpr int kStalledRounds = 3;     // without a wider window or a better fit, after which the search ends
constexpr double kSettled = 0.1;      // step that ends it, in standard deviations
constexpr double kLongest = 3;        // step in secants
constexpr double kNarrowest = 0.3;    // by which a round narrows what is open, at most
constexpr double kStillMoving = 0.7;  // of the step taken: what is open stays at least as wide
constexpr double kWidens = 2.1;       // by which a round widens it then, at most
constexpr double kBetter = 1;         // squares per toss
constexpr double kStays = 1;          // steps along the axes up to which a linearization may hold
constexpr double kMuchNarrower = 0.5;
constexpr double kExplained = 0.05;    // squares over the noise
constexpr double kWidest = 3;          // factor on what is open where residuals exceed the noise, at most
constexpr double kPoor = 1.5;          // chi^2 / dof of a window from which other starts are tried
constexpr int kStepsAhead = 3;         // rows that a window goes beyond those that are followed
constexpr double kAllowance = 12;      // squares of a row that is followed in the search: twice its expectation;
constexpr double kTightAllowance = 9;  // in the answer
constexpr double kBegun = 0.1;         // of the rows after the first contact, from which on a toss is followed at all
constexpr int kDraws = 80;
constexpr double kClearlyBetter = 6;             // squares
constexpr double kDrawSizes[] = {0.5, 1, 2, 4};  // standard deviations
constexpr double kKnown = 1e-4;     // of its size, to which a parameter can be known where lengths are known to that
constexpr double kScatters = 0.02;  // probability of a scatter between tosses that enlarges standard deviations
constexpr double kWithoutEffect = 100;  // sizes of a parameter, as a standard deviation of one that changes nothing
constexpr double kRidge = 1e-6;         // against parameters without effect

/// One toss at work.
struct OpenToss {
  int index = 0;  // of set.tosses()
  const PreparedToss* toss = nullptr;
  int all = 0, flight = 0;         // rows, rows in flight
  int window = 0, look = 0;        // rows that are compared, that are rolled out
  int most = 0;                    // rows that may be compared
  int predictable = 0;             // rows
  int ahead = 0;                   // rows behind the window that are rolled out
  Matrix12 prior;                  // information of the flight's fit
  Vector12 at;                     // start, moved from that of the flight
  Matrix12 axes;                   // columns: one standard deviation of what is open, at known parameters
  Eigen::MatrixXd follow;          // of the start, along the axes of the parameters
  Vector12 taken;                  // last step, along the axes
  Eigen::VectorXd predicted;       // residuals behind that step
  bool linear = false;             // the linearization may hold there
  double score = 0;                // of the rows that are followed
  double drift = 0, narrowed = 1;  // since then: steps along the axes, and by how much these have become narrower
  // Of the linearization.
  Eigen::VectorXd residuals, unexplained;
  Eigen::MatrixXd by_start, by_common;
  Eigen::MatrixXd unknown;  // columns: errors of the motion, one standard deviation each
  Eigen::MatrixXd hidden;   // inverse of the information on their sizes
  Matrix12 information;
  Vector12 slope;
  Eigen::MatrixXd cross, reduced;
  Eigen::VectorXd reduced_slope;
  double cost = 0, weight = 1, ratio = 1;
  int freedom = 1;
};

Vector12 SolveAxes(const Matrix12& axes, const Vector12& by) { return axes.fullPivLu().solve(by); }

/// Motions that differ in what is below the knowledge of lengths.
constexpr LocatedMotion kOthers[] = {{0.6 * kLocatedStep, 0.1}, {kLocatedStep, 4}, {1.5 * kLocatedStep, 0.4}};
constexpr Eigen::Index kOthersCount = std::size(kOthers);

struct RoundTrace {
  double cost = 0, step = 0;
};

/// Models at the parameters and along their axes.
struct Models {
  std::optional<SpatialInstance> here;
  std::vector<std::optional<SpatialInstance>> up, down;
  Eigen::VectorXd rise, fall;  // parts of the axes, less than 1 at bounds
};

class GrowingFit {
 public:
  struct Followed {
    int rows = 0;
    double score = 0;
  };

  GrowingFit(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start, double spread,
             const std::vector<char>& held, std::uint64_t seed)
      : family_(&family), set_(&set), values_(start), seed_(seed) {
    std::vector<int> free;
    for (int j = 0; j < family.size(); ++j)
      if (held.empty() || !held[static_cast<std::size_t>(j)]) free.push_back(j);
    axes_ = Eigen::MatrixXd::Zero(family.size(), static_cast<Eigen::Index>(free.size()));
    for (std::size_t c = 0; c < free.size(); ++c)
      axes_(free[c], static_cast<Eigen::Index>(c)) = spread * family.scale()[free[c]];
    for (const int i : set.used()) {
      OpenToss& open = tosses_.emplace_back();
      open.index = i;
      open.toss = &set.tosses()[static_cast<std::size_t>(i)];
      open.all = open.toss->end - open.toss->start + 1;
      open.flight = std::min(open.all, open.toss->arc_last - open.toss->start);
      open.window = open.flight;
      open.most = open.all;
      open.ahead = std::max(kFewestAhead, static_cast<int>(kLookAhead / open.toss->toss.track.interval));
      open.at.setZero();
      open.taken.setZero();
      open.axes = EigenOfSymmetric(open.toss->covariance).Root();
      open.prior = PseudoInverse(open.toss->covariance);
      open.follow = Eigen::MatrixXd::Zero(12, axes_.cols());
    }
  }

  void Run(std::vector<RoundTrace>& trace, int fewest) {
    int stalled = 0;
    double step = 0, best_score = -std::numeric_limits<double>::infinity();
    long most_rows = 0;
    GrowingFit best = *this;
    for (int round = 0; round < kMostRounds; ++round) {
      if (!Linearize(*set_)) return;
      double half = 0, score = 0;
      long rows = 0;
      for (const OpenToss& toss : tosses_) {
        half += 0.5 * toss.ratio * toss.freedom;
        score += toss.score;
        rows += toss.window;
      }
      trace.push_back({half, step});
      const bool grows = rows > most_rows;
      most_rows = std::max(rows, most_rows);
      stalled = score > best_score + kBetter * static_cast<double>(tosses_.size()) ? 0 : stalled + 1;
      if (score > best_score) best_score = score, best = *this;
      if (stalled >= kStalledRounds || (round >= fewest && !grows && step < kSettled)) break;
      step = Step();
      Narrow();
    }
    *this = best;
  }

  /// Leaves out the rows that are not predictable or not followed, for good.
  void Settle() {
    if (!Linearize(*set_, true)) return;
    for (OpenToss& open : tosses_) {
      open.predictable = Predictable(open, kPredictable);
      open.most = std::min(open.predictable, FollowedRows(open, open.predictable, kTightAllowance).rows);
      open.most = std::max(open.most, std::min(open.flight, open.look));
    }
  }

  /// Other starts for tosses whose window does not fit or stops early; whether any is better.
  bool TryOtherStarts() {
    // Where most of many tosses are lost at their first impacts, the motion is another one.
    const auto begun = std::count_if(tosses_.begin(), tosses_.end(), [](const OpenToss& open) {
      return open.window > open.flight + kBegun * (open.all - open.flight);
    });
    if (tosses_.size() > 3 && 2 * static_cast<std::size_t>(begun) < tosses_.size()) return false;
    const std::optional<SpatialInstance> here = family_->Compile(values_);
    if (!here) return false;
    std::vector<char> moved(tosses_.size(), 0);
    ParallelFor(static_cast<int>(tosses_.size()), [&](int k) {
      OpenToss& open = tosses_[static_cast<std::size_t>(k)];
      if (open.ratio < kPoor && open.window >= open.all) return;
      PreparedToss own;
      const PreparedToss& toss = RefittedToss(*set_, *here, open.index, own);
      TossRoller roller = set_->RollerOf(here->model);
      Random random = Random(seed_, 0x7055).Split(static_cast<std::uint64_t>(1000 * tries_ + k));
      double best = ScoreFrom(roller, toss, open.at, open.all, 0);
      Vector12 taken = open.at;
      for (int draw = 0; draw < kDraws; ++draw) {
        Vector12 z;
        for (int j = 0; j < 12; ++j) z[j] = random.Normal();
        const Vector12 start = open.at + kDrawSizes[draw % std::size(kDrawSizes)] * (open.axes * z);
        const double score = ScoreFrom(roller, toss, start, open.all, best + kClearlyBetter);
        if (!(score > best + kClearlyBetter)) continue;
        best = score;
        taken = start;
        moved[static_cast<std::size_t>(k)] = 1;
      }
      open.linear = open.linear && !moved[static_cast<std::size_t>(k)];
      open.predicted = open.residuals;
      open.at = taken;
    });
    ++tries_;
    return std::find(moved.begin(), moved.end(), 1) != moved.end();
  }

  /// `whole`: to the ends of the recordings.
  bool Linearize(const TossSet& set, bool whole = false) {
    const Models models = ModelsHere();
    if (!models.here) return false;
    ParallelFor(static_cast<int>(tosses_.size()),
                [&](int k) { LinearizeOne(set, models, whole, tosses_[static_cast<std::size_t>(k)]); });
    return true;
  }

  const Eigen::VectorXd& values() const { return values_; }
  const Eigen::MatrixXd& axes() const { return axes_; }
  std::vector<OpenToss>& tosses() { return tosses_; }

 private:
  Models ModelsHere() const {
    const Eigen::Index n = axes_.cols();
    Models out{family_->Compile(values_), {}, {}, Eigen::VectorXd::Ones(n), Eigen::VectorXd::Ones(n)};
    for (Eigen::Index c = 0; c < n; ++c) {
      for (Eigen::Index j = 0; j < values_.size(); ++j) {
        const double by = axes_(j, c), above = family_->upper()[j] - values_[j],
                     below = values_[j] - family_->lower()[j];
        if (by == 0) continue;
        out.rise[c] = std::clamp((by > 0 ? above : below) / std::abs(by), 0.0, out.rise[c]);
        out.fall[c] = std::clamp((by > 0 ? below : above) / std::abs(by), 0.0, out.fall[c]);
      }
      out.up.push_back(family_->Compile(values_ + out.rise[c] * axes_.col(c)));
      out.down.push_back(family_->Compile(values_ - out.fall[c] * axes_.col(c)));
      if (!out.up.back()) out.rise[c] = 0;
      if (!out.down.back()) out.fall[c] = 0;
    }
    return out;
  }

  /// Residuals at the point with the secants of the last linearization, where these still hold.
  bool Follow(const TossSet& set, const Models& models, OpenToss& open) const {
    const bool grows = open.window == open.look && open.look < open.most;
    if (!open.linear || open.window == 0 || grows || open.drift > kStays ||
        (open.narrowed < kMuchNarrower && open.unexplained[6 * open.window - 6] > kExplained))
      return false;
    PreparedToss own;
    const PreparedToss& toss = RefittedToss(set, *models.here, open.index, own);
    TossRoller roller = set.RollerOf(models.here->model);
    Eigen::VectorXd residuals;
    RollRows(roller, toss, open.at, open.look, residuals);
    if (residuals.size() != open.residuals.size()) return false;
    const Eigen::Index size = 6 * open.window;
    const Eigen::VectorXd missed = residuals.head(size) - open.predicted.head(size);
    for (Eigen::Index i = 0; i < size; i += 3)
      if (missed.segment<3>(i).squaredNorm() > 3 * kExplained * (1 + open.unexplained[i])) return false;
    open.residuals = open.predicted = residuals;
    FindWindow(open);
    Solve(open);
    return true;
  }

  static void FindWindow(OpenToss& open) {
    const int predictable = Predictable(open, kOpen);
    const Followed followed = FollowedRows(open, predictable, kAllowance);
    open.score = followed.score;
    open.window = std::min(predictable, std::max(open.flight, followed.rows + kStepsAhead));
  }

  void LinearizeOne(const TossSet& set, const Models& models, bool whole, OpenToss& open) const {
    const Eigen::Index n = axes_.cols();
    if (!whole && Follow(set, models, open)) return;
    open.linear = !whole;
    open.drift = 0;
    open.narrowed = 1;
    open.look = whole ? open.all : std::min(open.most, open.window + open.ahead);
    PreparedToss own;
    const PreparedToss& toss = RefittedToss(set, *models.here, open.index, own);
    TossRoller roller = set.RollerOf(models.here->model);
    RollRows(roller, toss, open.at, open.look, open.residuals);
    Eigen::Index size = open.residuals.size();
    open.by_start.setZero(size, 12);
    open.by_common.setZero(size, n);
    Eigen::VectorXd squares = Eigen::VectorXd::Zero(size), up, down;
    for (int j = 0; j < 12; ++j) {
      RollRows(roller, toss, open.at + open.axes.col(j), open.look, up);
      RollRows(roller, toss, open.at - open.axes.col(j), open.look, down);
      size = std::min({size, up.size(), down.size()});
      open.by_start.col(j).head(size) = 0.5 * (up.head(size) - down.head(size));
      squares.head(size) += (0.5 * (up.head(size) + down.head(size)) - open.residuals.head(size)).cwiseAbs2();
    }
    for (Eigen::Index c = 0; c < n; ++c) {
      const double rise = models.rise[c], fall = models.fall[c];
      if (!(rise + fall > 0)) continue;
      const auto roll = [&](const std::optional<SpatialInstance>& model, double by, Eigen::VectorXd& out) {
        if (!(by != 0)) {
          out = open.residuals;
          return;
        }
        PreparedToss own_there;
        const PreparedToss& there = RefittedToss(set, *model, open.index, own_there);
        TossRoller roller_there = set.RollerOf(model->model);
        RollRows(roller_there, there, open.at + by * open.follow.col(c), open.look, out);
      };
      roll(models.up[static_cast<std::size_t>(c)], rise, up);
      roll(models.down[static_cast<std::size_t>(c)], -fall, down);
      size = std::min({size, up.size(), down.size()});
      open.by_common.col(c).head(size) = (up.head(size) - down.head(size)) / (rise + fall);
      if (rise > 0 && fall > 0)
        squares.head(size) += (0.5 * ((up.head(size) - open.residuals.head(size)) / rise +
                                      (down.head(size) - open.residuals.head(size)) / fall))
                                  .cwiseAbs2();
    }
    // What lengths change that nobody knows.
    open.unknown.setZero(size, kOthersCount);
    for (Eigen::Index c = 0; c < kOthersCount; ++c) {
      TossRoller roller_there(models.here->model, family_->stepper(), kOthers[c]);
      RollRows(roller_there, toss, open.at, open.look, up);
      size = std::min(size, up.size());
      open.unknown.col(c).head(size) = kUnknown * (up.head(size) - open.residuals.head(size));
      squares.head(size) += open.unknown.col(c).head(size).cwiseAbs2() / kOthersCount;
    }
    // Rows that some rollout does not reach cannot be predicted.
    const bool reached = 6 * open.look == size;
    open.look = static_cast<int>(size / 6);
    open.residuals.conservativeResize(size);
    open.by_start.conservativeResize(size, 12);
    open.by_common.conservativeResize(size, n);
    open.unknown.conservativeResize(size, kOthersCount);
    open.unexplained.resize(size);
    double position = 0, angle = 0;
    for (Eigen::Index i = 0; i < size; i += 6) {
      open.unexplained.segment<3>(i).setConstant(position = std::max(position, squares.segment<3>(i).mean()));
      open.unexplained.segment<3>(i + 3).setConstant(angle = std::max(angle, squares.segment<3>(i + 3).mean()));
    }
    open.predicted = open.residuals;
    FindWindow(open);
    const int fewest = std::max(kFewestAhead, static_cast<int>(kLookAhead / open.toss->toss.track.interval));
    open.ahead =
        reached && open.window == open.look ? std::min(open.all, 2 * open.ahead) : std::max(fewest, open.ahead / 2);
    Solve(open);
  }

 public:
  /// Rows up to the first whose prediction has more unexplained squares than that.
  static int Predictable(const OpenToss& open, double most) {
    int rows = 0;
    while (rows < open.look && open.unexplained[6 * rows] <= most && open.unexplained[6 * rows + 3] <= most) ++rows;
    return std::max(rows, std::min(open.flight, open.look));
  }

  /// W a of rows of the window, with what the errors of the motion imitate taken out: W = (V + U U')^-1 for variances
  /// V and unknown errors U.
  static Eigen::MatrixXd Weighted(const OpenToss& open, const Eigen::MatrixXd& rows) {
    const Eigen::Index size = rows.rows();
    const Eigen::MatrixXd U = open.unknown.topRows(size);
    const Eigen::MatrixXd plain = (1 + open.unexplained.head(size).array()).inverse().matrix().asDiagonal() * rows;
    const Eigen::MatrixXd of_unknown = (1 + open.unexplained.head(size).array()).inverse().matrix().asDiagonal() * U;
    return plain - of_unknown * (open.hidden * (U.transpose() * plain));
  }

  /// The cost of residuals of the window.
  static double CostOf(const OpenToss& open, const Eigen::VectorXd& residuals, const Vector12& start) {
    return residuals.dot(Weighted(open, residuals).col(0)) + kPrior * start.dot(open.prior * start);
  }

  /// The linear problem of the window.
  static void Solve(OpenToss& open) {
    const Eigen::Index size = 6 * open.window;
    const Eigen::VectorXd residuals = open.residuals.head(size);
    const Eigen::MatrixXd by_start = open.by_start.topRows(size), by_common = open.by_common.topRows(size),
                          U = open.unknown.topRows(size);
    const Eigen::VectorXd plain = (1 + open.unexplained.head(size).array()).inverse();
    Eigen::MatrixXd sizes = U.transpose() * plain.asDiagonal() * U;
    sizes.diagonal().array() += 1;
    open.hidden = PseudoInverse(sizes);
    const Eigen::MatrixXd weighted = Weighted(open, by_start), weighted_common = Weighted(open, by_common);
    open.information = by_start.transpose() * weighted + kPrior * open.axes.transpose() * open.prior * open.axes;
    open.slope = weighted.transpose() * residuals + kPrior * open.axes.transpose() * (open.prior * open.at);
    open.cross = weighted.transpose() * by_common;
    // Without free parameters there is nothing to eliminate the start from.
    const Eigen::MatrixXd solved =
        open.cross.cols() > 0 ? SolveSymmetric(open.information, open.cross) : Eigen::MatrixXd(open.cross);
    open.reduced = by_common.transpose() * weighted_common - open.cross.transpose() * solved;
    open.reduced_slope = weighted_common.transpose() * residuals - solved.transpose() * open.slope;
    open.freedom = std::max(1, static_cast<int>((residuals.array() != 0).count()) - 12);
    open.cost = CostOf(open, residuals, open.at);
    open.ratio = residuals.squaredNorm() / open.freedom;
    open.weight = std::min(1.0, 2 / (1 + open.cost / open.freedom));
  }

  /// Of the first rows, those that are followed to within what is open.
  static Followed FollowedRows(const OpenToss& open, int rows, double allowance) {
    return FollowedRows((open.residuals.array() * (1 + open.unexplained.array()).rsqrt()).matrix().head(6 * rows),
                        allowance);
  }

  /// By how much each error of the motion would change the slope along the parameters if it were not among those that
  /// are taken out.
  static Eigen::MatrixXd SlopesOfErrors(OpenToss& open) {
    Eigen::MatrixXd out(open.by_common.cols(), kOthersCount);
    const Eigen::MatrixXd unknown = open.unknown;
    const Eigen::VectorXd residuals = open.residuals;
    for (Eigen::Index c = 0; c < kOthersCount; ++c) {
      open.unknown.col(c).setZero();
      Solve(open);
      const Eigen::VectorXd here = open.reduced_slope;
      open.residuals += unknown.col(c);
      Solve(open);
      out.col(c) = open.reduced_slope - here;
      open.residuals = residuals;
      open.unknown = unknown;
    }
    return out;
  }

  /// The score of a start; given up where it cannot exceed `least` any more.
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

  /// Rows that make sum_i (allowance - squares) largest, and that sum.
  static Followed FollowedRows(const Eigen::VectorXd& residuals, double allowance) {
    Followed best;
    double sum = 0;
    for (int i = 0; 6 * i < residuals.size(); ++i) {
      sum += allowance - residuals.segment<6>(6 * i).squaredNorm();
      if (sum > best.score) best = {i + 1, sum};
    }
    return best;
  }

 private:
  /// Takes a step; its length in standard deviations.
  double Step() {
    const Eigen::Index n = axes_.cols();
    Eigen::MatrixXd information = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd slope = Eigen::VectorXd::Zero(n);
    for (const OpenToss& toss : tosses_) {
      information += toss.weight * toss.reduced;
      slope += toss.weight * toss.reduced_slope;
    }
    Eigen::MatrixXd safe = information;
    if (n > 0) safe.diagonal().array() += kRidge * std::max(1.0, information.diagonal().maxCoeff());
    Eigen::VectorXd change = n > 0 ? Eigen::VectorXd(-SolveSymmetric(safe, slope)) : Eigen::VectorXd(0);
    const double longest = n > 0 ? change.cwiseAbs().maxCoeff() : 0;
    if (longest > kLongest) change *= kLongest / longest;
    double before = 0;
    for (const OpenToss& toss : tosses_) before += toss.weight * toss.cost;
    std::vector<Vector12> starts, best_starts;
    double best = before, factor = -1;
    for (const double part : {1.0, 0.3, 0.0}) {
      if (part == 0 && factor >= 0) break;
      const Eigen::VectorXd to = Clamped(values_ + part * (axes_ * change));
      const double cost = PickStarts(to, part * change, starts);
      if (cost < best) best = cost, factor = part, best_starts = starts;
      if (best < before && part == 1) break;
    }
    taken_ = Eigen::VectorXd::Zero(n);
    for (OpenToss& open : tosses_) {
      open.taken.setZero();
      open.predicted = open.residuals;
    }
    if (factor < 0) return 0;
    double length = 0;
    taken_ = factor * change;
    for (std::size_t k = 0; k < tosses_.size(); ++k) {
      OpenToss& open = tosses_[k];
      open.taken = SolveAxes(open.axes, best_starts[k] - open.at - open.follow * taken_);
      open.at = best_starts[k];
      open.predicted += open.by_start * open.taken + open.by_common * taken_;
      open.drift += std::max(open.taken.cwiseAbs().maxCoeff(), n > 0 ? taken_.cwiseAbs().maxCoeff() : 0);
    }
    if (n > 0 && factor > 0) {
      values_ = Clamped(values_ + factor * (axes_ * change));
      // In standard deviations.
      length = factor * std::sqrt(std::max(0.0, change.dot(information * change)));
    } else {
      length = (before - best) > 1 ? 1 : 0;
    }
    return length;
  }

  Eigen::VectorXd Clamped(const Eigen::VectorXd& values) const { return family_->parameters().Clamp(values); }

  /// Best of a few starts of each toss at these values; sum of costs.
  double PickStarts(const Eigen::VectorXd& values, const Eigen::VectorXd& change, std::vector<Vector12>& starts) const {
    starts.assign(tosses_.size(), Vector12::Zero());
    const std::optional<SpatialInstance> here = family_->Compile(values);
    if (!here) return std::numeric_limits<double>::infinity();
    std::vector<double> costs(tosses_.size(), 0);
    ParallelFor(static_cast<int>(tosses_.size()), [&](int k) {
      const OpenToss& open = tosses_[static_cast<std::size_t>(k)];
      PreparedToss own;
      const PreparedToss& toss = RefittedToss(*set_, *here, open.index, own);
      TossRoller roller = set_->RollerOf(here->model);
      Vector12 move = -SolveSymmetric(open.information, open.slope + open.cross * change);
      const double longest = move.cwiseAbs().maxCoeff();
      if (longest > kLongest) move *= kLongest / longest;
      const Vector12 from = open.at + open.follow * change;
      Eigen::VectorXd residuals;
      double best = std::numeric_limits<double>::infinity();
      for (const double part : {1.0, 0.3, 0.0}) {
        const Vector12 start = from + part * (open.axes * move);
        RollRows(roller, toss, start, open.window, residuals);
        double cost = std::numeric_limits<double>::infinity();
        if (residuals.size() == 6 * open.window) cost = CostOf(open, residuals, start);
        if (cost < best) best = cost, starts[static_cast<std::size_t>(k)] = start;
        if (best < open.cost) break;
      }
      costs[static_cast<std::size_t>(k)] = open.weight * best;
    });
    double sum = 0;
    for (const double cost : costs) sum += cost;
    return sum;
  }

  /// What is open becomes what the window leaves open.
  void Narrow() {
    const Eigen::Index n = axes_.cols();
    const auto size_of = [](double information, double ratio, double taken) {
      const double misfit = std::clamp(std::sqrt(ratio), 1.0, kWidest);
      const double open = std::clamp(misfit / std::sqrt(std::max(information, 1e-12)), kNarrowest, 1.0);
      return std::max(open, std::min(kStillMoving * std::abs(taken), kWidens));
    };
    Eigen::MatrixXd turn = Eigen::MatrixXd::Zero(n, n);
    if (n > 0) {
      Eigen::MatrixXd information = Eigen::MatrixXd::Zero(n, n);
      double chi2 = 0, freedom = 0;
      for (const OpenToss& toss : tosses_) {
        information += toss.weight * toss.reduced;
        chi2 += toss.weight * toss.cost, freedom += toss.weight * toss.freedom;
      }
      const SymmetricEigen eigen = EigenOfSymmetric(information);
      for (Eigen::Index c = 0; c < n; ++c)
        turn.col(c) = size_of(eigen.values[c], chi2 / freedom, eigen.vectors.col(c).dot(taken_)) * eigen.vectors.col(c);
    }
    for (OpenToss& open : tosses_) {
      if (n > 0) {
        const Eigen::MatrixXd response = SolveSymmetric(open.information, open.cross);
        open.follow = (open.follow - open.axes * response) * turn;
        open.by_common = (open.by_common - open.by_start * response) * turn;
      }
      const SymmetricEigen eigen = EigenOfSymmetric(open.information);
      Vector12 size;
      for (int j = 0; j < 12; ++j)
        size[j] = size_of(eigen.values[j], open.cost / open.freedom, eigen.vectors.col(j).dot(open.taken));
      open.axes = open.axes * eigen.vectors * size.asDiagonal();
      open.by_start = open.by_start * eigen.vectors * size.asDiagonal();
      open.narrowed *= std::min(size.minCoeff(), n > 0 ? turn.colwise().norm().minCoeff() : 1);
    }
    if (n > 0) axes_ = axes_ * turn;
  }

  const SpatialFamily* family_;
  const TossSet* set_;
  Eigen::VectorXd values_;
  Eigen::MatrixXd axes_;   // columns: one standard deviation of what is open of the parameters
  Eigen::VectorXd taken_;  // last step, along the axes
  std::vector<OpenToss> tosses_;
  std::uint64_t seed_ = 0;
  int tries_ = 0;
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

TossLikelihoodResult FitTogether(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                                 double spread, const std::vector<char>& held, std::uint64_t seed) {
  const int p = family.size();
  TossLikelihoodResult out;
  GrowingFit fit(family, set, start, spread, held, seed);
  std::vector<RoundTrace> trace;
  fit.Run(trace, 3);
  AddStage("likelihood, growing windows", trace, out.trace);
  for (int again = 0; again < 2 && fit.TryOtherStarts(); ++again) {
    trace.clear();
    fit.Run(trace, 1);
    AddStage("likelihood, other starts", trace, out.trace);
  }
  fit.Settle();
  trace.clear();
  fit.Run(trace, 1);
  AddStage("likelihood, rows that are followed", trace, out.trace);
  fit.Linearize(set);
  out.params = fit.values();
  // From the axes to the parameters.
  const Eigen::MatrixXd to_axes =
      fit.axes().cols() > 0 ? PseudoInverse(fit.axes()) : Eigen::MatrixXd(fit.axes().transpose());
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(p, p);
  Eigen::VectorXd slope = Eigen::VectorXd::Zero(p);
  Eigen::MatrixXd errors = Eigen::MatrixXd::Zero(p, p);
  std::vector<Eigen::MatrixXd> slopes_of_errors(fit.tosses().size());
  ParallelFor(static_cast<int>(fit.tosses().size()), [&](int k) {
    OpenToss& open = fit.tosses()[static_cast<std::size_t>(k)];
    open.window = GrowingFit::Predictable(open, kPredictable);
    slopes_of_errors[static_cast<std::size_t>(k)] = GrowingFit::SlopesOfErrors(open);
    GrowingFit::Solve(open);
  });
  for (std::size_t k = 0; k < fit.tosses().size(); ++k) {
    const OpenToss& open = fit.tosses()[k];
    const double weight = 1 / std::max(1.0, open.ratio);
    const Eigen::MatrixXd own = to_axes.transpose() * open.reduced * to_axes;
    const Eigen::VectorXd own_slope = to_axes.transpose() * open.reduced_slope;
    information += weight * own;
    slope += weight * own_slope;
    const Eigen::MatrixXd of_errors = weight * to_axes.transpose() * slopes_of_errors[k];
    errors += of_errors * of_errors.transpose();
    out.moved.push_back(open.at);
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
  out.covariance = PseudoInverse(information);
  // What errors of the motion would change, and what the search has left.
  const Eigen::MatrixXd moves = out.covariance * errors * out.covariance;
  const Eigen::VectorXd left = out.covariance * slope;
  const Eigen::VectorXd scatter = ScatterOf(out.statements, out.params);
  out.covariance = scatter.asDiagonal() * out.covariance * scatter.asDiagonal();
  out.covariance += moves + left * left.transpose();
  for (int j = 0; j < p; ++j) {
    out.covariance(j, j) += std::pow(kKnown * std::max(family.scale()[j], std::abs(out.params[j])), 2);
    if (std::sqrt(out.covariance(j, j)) < kWithoutEffect * family.scale()[j] && information(j, j) > 0) continue;
    out.covariance.row(j).setZero();
    out.covariance.col(j).setZero();
    out.covariance(j, j) = std::numeric_limits<double>::infinity();
    out.params[j] = start[j];
  }
  out.least_variance = out.covariance.diagonal();
  return out;
}

}  // namespace ricochet
