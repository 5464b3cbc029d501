// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_secants.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "math/dense.h"

namespace ricochet {
namespace {

using Matrix12 = Eigen::Matrix<double, 12, 12>;
using Vector12 = TossStart;

constexpr double kPrior = 1e-2;        // weight of the flight's fit: its rows are compared too
constexpr double kOpen = 4;            // unexplained squares over the noise up to which a row takes part in a search
constexpr double kUnknown = 1.5;       // of the change by another motion: a standard deviation of an error
constexpr double kLookAhead = 0.08;    // behind a window, at least [s]
constexpr int kFewestAhead = 8;        // rows behind a window
constexpr int kStepsAhead = 3;         // rows that a window goes beyond those that are followed
constexpr double kAllowance = 12;      // squares of a row that is followed in the search: twice its expectation
constexpr double kLongest = 3;         // step in secants
constexpr double kNarrowest = 0.3;     // by which a round narrows what is open, at most
constexpr double kWidest = 3;          // factor on what is open where residuals exceed the noise, at most
constexpr double kStillMoving = 0.7;   // of the last step: what is open stays at least as wide
constexpr double kWidens = 2.1;        // by which a round widens it then, at most
constexpr double kStays = 1;           // steps along the axes up to which secants may hold
constexpr double kMuchNarrower = 0.5;  // axes from which on they do where they left something unexplained
constexpr double kHolds = 0.05;        // squares over the noise up to which they do
constexpr double kFirstWidth = 0.02;   // of a parameter's size, of secants where nothing is known about it
constexpr double kLeastWidth = 1e-4;   // and of secants at least
constexpr int kUnknownRounds = 3;      // of narrowing from what the flight leaves open

int FewestAhead(const OpenToss& open) {
  return std::max(kFewestAhead, static_cast<int>(kLookAhead / open.toss->toss.track.interval));
}

/// Takes the secants of one toss at its point.
class SecantTaker {
 public:
  SecantTaker(const TossSet& set, const TossModels& models, int rows, OpenToss& open)
      : set_(set),
        model_(models.here->model),
        open_(open),
        toss_(RefittedToss(set, *models.here, open.index, own_)),
        roller_(set.RollerOf(model_)) {
    RollRows(roller_, toss_, open.at, rows, open.residuals);
    size_ = open.residuals.size();
    squares_ = Eigen::VectorXd::Zero(size_);
    open.by_start.setZero(size_, 12);
    open.by_common.setZero(size_, static_cast<Eigen::Index>(models.axes.size()));
    open.unknown.setZero(size_, set.other_motions());
  }

  void ByStart() {
    for (int j = 0; j < 12; ++j) {
      RollRows(roller_, toss_, open_.at + open_.axes.col(j), Rows(), up_);
      RollRows(roller_, toss_, open_.at - open_.axes.col(j), Rows(), down_);
      Shorten();
      open_.by_start.col(j).head(size_) = 0.5 * (up_.head(size_) - down_.head(size_));
      squares_.head(size_) += (0.5 * (up_.head(size_) + down_.head(size_)) - open_.residuals.head(size_)).cwiseAbs2();
    }
  }

  /// By the parameters along axis c.
  void ByAxis(const TossModels::Axis& axis, Eigen::Index c) {
    const double rise = axis.rise, fall = axis.fall;
    if (!(rise + fall > 0)) return;
    Roll(axis, axis.up, rise, c, up_);
    Roll(axis, axis.down, -fall, c, down_);
    Shorten();
    open_.by_common.col(c).head(size_) = (up_.head(size_) - down_.head(size_)) / (rise + fall);
    if (rise > 0 && fall > 0)
      squares_.head(size_) += (0.5 * ((up_.head(size_) - open_.residuals.head(size_)) / rise +
                                      (down_.head(size_) - open_.residuals.head(size_)) / fall))
                                  .cwiseAbs2();
  }

  /// What other motions change, which nobody knows.
  void ByOtherMotions() {
    const Eigen::Index others = open_.unknown.cols();
    for (Eigen::Index c = 0; c < others; ++c) {
      TossRoller other = set_.OtherRollerOf(model_, static_cast<int>(c));
      RollRows(other, toss_, open_.at, Rows(), up_);
      down_ = up_;
      Shorten();
      open_.unknown.col(c).head(size_) = kUnknown * (up_.head(size_) - open_.residuals.head(size_));
      squares_.head(size_) += open_.unknown.col(c).head(size_).cwiseAbs2() / static_cast<double>(others);
    }
  }

  /// What was unexplained so far counts no more.
  void Forget() { squares_.setZero(); }

  /// Rows that some rollout does not reach cannot be predicted. Whether there are none.
  bool Finish() {
    const bool reached = size_ == open_.residuals.size();
    open_.look = Rows();
    open_.residuals.conservativeResize(size_);
    open_.by_start.conservativeResize(size_, Eigen::NoChange);
    open_.by_common.conservativeResize(size_, Eigen::NoChange);
    open_.unknown.conservativeResize(size_, Eigen::NoChange);
    open_.predicted = open_.residuals;
    open_.unexplained.resize(size_);
    double position = 0, angle = 0;
    for (Eigen::Index i = 0; i < size_; i += 6) {
      open_.unexplained.segment<3>(i).setConstant(position = std::max(position, squares_.segment<3>(i).mean()));
      open_.unexplained.segment<3>(i + 3).setConstant(angle = std::max(angle, squares_.segment<3>(i + 3).mean()));
    }
    return reached;
  }

 private:
  int Rows() const { return static_cast<int>(size_ / 6); }
  void Shorten() { size_ = std::min({size_, up_.size(), down_.size()}); }

  void Roll(const TossModels::Axis& axis, const std::optional<SpatialInstance>& there, double by, Eigen::Index c,
            Eigen::VectorXd& out) {
    if (!(by != 0)) {
      out = open_.residuals;
      return;
    }
    PreparedToss own;
    const PreparedToss& toss = axis.moves_start ? RefittedToss(set_, *there, open_.index, own) : toss_;
    TossRoller roller = set_.RollerOf(there->model);
    RollRows(roller, toss, open_.at + by * open_.follow.col(c), Rows(), out);
  }

  const TossSet& set_;
  const Model& model_;
  OpenToss& open_;
  PreparedToss own_;
  const PreparedToss& toss_;
  TossRoller roller_;
  Eigen::Index size_ = 0;
  Eigen::VectorXd squares_, up_, down_;
};

void FindWindow(OpenToss& open) {
  const int predictable = PredictableRows(open, kOpen);
  const FollowedRows followed = FollowedOf(open, predictable, kAllowance);
  open.score = followed.score;
  open.window = std::min(predictable, std::max(open.flight, followed.rows + kStepsAhead));
}

/// Residuals at the point with the secants that the toss has. False where these do not hold.
bool KeepSecants(const TossSet& set, const TossModels& models, OpenToss& open) {
  const bool grows = open.window == open.look && open.look < open.most;
  if (!open.linear || open.window == 0 || grows || open.drift > kStays) return false;
  if (open.narrowed < kMuchNarrower && open.unexplained[6 * open.window - 6] > kHolds) return false;
  PreparedToss own;
  const PreparedToss& toss = RefittedToss(set, *models.here, open.index, own);
  TossRoller roller = set.RollerOf(models.here->model);
  Eigen::VectorXd residuals;
  RollRows(roller, toss, open.at, open.look, residuals);
  if (residuals.size() != open.residuals.size()) return false;
  for (Eigen::Index i = 0; i < 6 * open.window; i += 3)
    if ((residuals - open.predicted).segment<3>(i).squaredNorm() > 3 * kHolds * (1 + open.unexplained[i])) return false;
  open.residuals = open.predicted = residuals;
  return true;
}

/// Whether a fit knows the deviations of that many residuals.
bool Covers(const TossKnowledge* known, Eigen::Index size) { return known && known->unexplained.size() >= size; }

}  // namespace

TossModels ModelsAlong(const SpatialFamily& family, const Eigen::VectorXd& values, const Eigen::MatrixXd& axes) {
  TossModels out{family.Compile(values), std::vector<TossModels::Axis>(static_cast<std::size_t>(axes.cols()))};
  for (Eigen::Index c = 0; c < axes.cols(); ++c) {
    TossModels::Axis& axis = out.axes[static_cast<std::size_t>(c)];
    for (Eigen::Index j = 0; j < values.size(); ++j) {
      const double by = axes(j, c), above = family.upper()[j] - values[j], below = values[j] - family.lower()[j];
      if (by == 0) continue;
      axis.rise = std::clamp((by > 0 ? above : below) / std::abs(by), 0.0, axis.rise);
      axis.fall = std::clamp((by > 0 ? below : above) / std::abs(by), 0.0, axis.fall);
      axis.moves_start = axis.moves_start || MovesStart(family.selected()[static_cast<std::size_t>(j)].path);
    }
    axis.up = family.Compile(values + axis.rise * axes.col(c));
    axis.down = family.Compile(values - axis.fall * axes.col(c));
    if (!axis.up) axis.rise = 0;
    if (!axis.down) axis.fall = 0;
  }
  return out;
}

OpenToss::OpenToss(const TossSet& set, int number, Eigen::Index columns)
    : index(number),
      toss(&set.tosses()[static_cast<std::size_t>(number)]),
      all(toss->end - toss->start + 1),
      flight(std::min(all, toss->arc_last - toss->start)),
      most(all),
      window(flight),
      at(Vector12::Zero()),
      prior(PseudoInverse(toss->covariance)),
      axes(EigenOfSymmetric(toss->covariance).Root()),
      follow(Eigen::MatrixXd::Zero(12, columns)),
      taken(Vector12::Zero()),
      chain(1) {
  ahead = FewestAhead(*this);
}

void LinearizeToss(const TossSet& set, const TossModels& models, bool whole, OpenToss& open) {
  if (whole || !KeepSecants(set, models, open)) {
    SecantTaker taker(set, models, whole ? open.all : std::min(open.most, open.window + open.ahead), open);
    taker.ByStart();
    for (std::size_t c = 0; c < models.axes.size(); ++c) taker.ByAxis(models.axes[c], static_cast<Eigen::Index>(c));
    taker.ByOtherMotions();
    const bool reached = taker.Finish();
    open.linear = !whole;
    open.drift = 0;
    open.narrowed = 1;
    FindWindow(open);
    // Twice as far where nothing stopped the window.
    const bool free = reached && open.window == open.look;
    open.ahead = free ? std::min(open.all, 2 * open.ahead) : std::max(FewestAhead(open), open.ahead / 2);
  } else {
    FindWindow(open);
  }
  EliminateStart(open);
}

int PredictableRows(const OpenToss& open, double most) {
  int rows = 0;
  while (rows < open.look && open.unexplained[6 * rows] <= most && open.unexplained[6 * rows + 3] <= most) ++rows;
  return std::max(rows, std::min(open.flight, open.look));
}

FollowedRows FollowedOf(const OpenToss& open, int rows, double allowance) {
  FollowedRows best;
  double sum = 0;
  for (Eigen::Index i = 0; i < 6 * rows; i += 6) {
    const auto squares = open.residuals.segment<6>(i).array().square() / (1 + open.unexplained.segment<6>(i).array());
    sum += allowance - squares.sum();
    if (sum > best.score) best = {static_cast<int>(i / 6) + 1, sum};
  }
  return best;
}

Eigen::MatrixXd OverDeviations(const Eigen::VectorXd& unexplained, const Eigen::MatrixXd& unknown,
                               const Eigen::MatrixXd& rows) {
  const Eigen::Index size = rows.rows();
  const Eigen::VectorXd plain = (1 + unexplained.head(size).array()).rsqrt();
  Eigen::MatrixXd out = plain.asDiagonal() * rows;
  if (unknown.cols() == 0) return out;
  // (1 + U U')^-1/2 = 1 - U Q diag((1 - (1 + s)^-1/2) / s) Q' U' with U' U = Q diag(s) Q'.
  const Eigen::MatrixXd U = plain.asDiagonal() * unknown.topRows(size);
  const SymmetricEigen eigen = EigenOfSymmetric(U.transpose() * U);
  const Eigen::VectorXd part =
      eigen.values.unaryExpr([](double s) { return s > 1e-8 ? (1 - 1 / std::sqrt(1 + s)) / s : 0.5; });
  const Eigen::MatrixXd UQ = U * eigen.vectors;
  out -= UQ * (part.asDiagonal() * (UQ.transpose() * out));
  return out;
}

double CostOf(const OpenToss& open, const Eigen::VectorXd& residuals, const TossStart& start) {
  return OverDeviations(open.unexplained, open.unknown, residuals).squaredNorm() +
         kPrior * start.dot(open.prior * start);
}

TossStart SlopeOfStart(const OpenToss& open, const Eigen::MatrixXd& by_start, const Eigen::VectorXd& residuals,
                       const TossStart& start) {
  return by_start.transpose() * OverDeviations(open.unexplained, open.unknown, residuals) +
         kPrior * open.axes.transpose() * (open.prior * start);
}

void EliminateStart(OpenToss& open) {
  const Eigen::Index size = 6 * open.window, n = open.by_common.cols();
  Eigen::MatrixXd rows(size, 12 + n + 1);
  rows << open.by_start.topRows(size), open.by_common.topRows(size), open.residuals.head(size);
  rows = OverDeviations(open.unexplained, open.unknown, rows);
  const auto by_start = rows.leftCols<12>();
  const auto by_common = rows.middleCols(12, n);
  const auto residuals = rows.col(12 + n);
  open.information = by_start.transpose() * by_start + kPrior * open.axes.transpose() * open.prior * open.axes;
  ChainBlock& start = open.chain.front();
  start.D = open.information;
  start.B = by_start.transpose() * by_common;
  start.g = by_start.transpose() * residuals + kPrior * open.axes.transpose() * (open.prior * open.at);
  open.border.C = by_common.transpose() * by_common;
  open.border.h = by_common.transpose() * residuals;
  if (!EliminateChain(open.chain, open.border)) {
    // Not finite: the toss says nothing.
    start = {Matrix12::Identity(), {}, Eigen::MatrixXd::Zero(12, n), Vector12::Zero()};
    open.border = {Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n)};
  }
  const auto plain = open.residuals.head(size);
  open.freedom = std::max(1, static_cast<int>((plain.array() != 0).count()) - 12);
  open.cost = residuals.squaredNorm() + kPrior * open.at.dot(open.prior * open.at);
  open.ratio = plain.squaredNorm() / open.freedom;
  open.weight = std::min(1.0, 2 / (1 + open.cost / open.freedom));
}

TossStart StepOfStart(const OpenToss& open, const Eigen::VectorXd& change) {
  std::vector<Eigen::VectorXd> steps;
  SubstituteChain(open.chain, change, steps);
  const double longest = steps.front().cwiseAbs().maxCoeff();
  return longest > kLongest ? kLongest / longest * steps.front() : steps.front();
}

void MoveTo(const TossStart& start, const Eigen::VectorXd& change, OpenToss& open) {
  const Vector12 moved = start - open.at - open.follow * change;
  open.taken = open.axes.fullPivLu().solve(moved);
  open.at = start;
  open.predicted = open.residuals + open.by_start * open.taken + open.by_common * change;
  open.drift += open.taken.cwiseAbs().maxCoeff();
  if (change.size() > 0) open.drift += change.cwiseAbs().maxCoeff();
}

double NarrowedSize(double information, double ratio, double taken) {
  const double misfit = std::clamp(std::sqrt(ratio), 1.0, kWidest);
  const double open = std::clamp(misfit / std::sqrt(std::max(information, 1e-12)), kNarrowest, 1.0);
  return std::max(open, std::min(kStillMoving * std::abs(taken), kWidens));
}

void NarrowStart(const Eigen::MatrixXd& turn, OpenToss& open) {
  if (turn.cols() > 0) {
    const Eigen::MatrixXd response = FollowsBorder(open.chain.front());
    open.follow = (open.follow - open.axes * response) * turn;
    open.by_common = (open.by_common - open.by_start * response) * turn;
    open.narrowed *= turn.colwise().norm().minCoeff();
  }
  const SymmetricEigen eigen = EigenOfSymmetric(open.information);
  Vector12 size;
  for (int j = 0; j < 12; ++j)
    size[j] = NarrowedSize(eigen.values[j], open.cost / open.freedom, eigen.vectors.col(j).dot(open.taken));
  const Matrix12 own = eigen.vectors * size.asDiagonal();
  open.axes = open.axes * own;
  open.by_start = open.by_start * own;
  open.narrowed *= size.minCoeff();
}

Eigen::MatrixXd SlopesOfErrors(const OpenToss& open) {
  Eigen::MatrixXd out(open.by_common.cols(), open.unknown.cols());
  for (Eigen::Index c = 0; c < open.unknown.cols(); ++c) {
    OpenToss without = open;
    without.unknown.col(c).setZero();
    EliminateStart(without);
    const Eigen::VectorXd here = without.border.h;
    without.residuals += open.unknown.col(c);
    EliminateStart(without);
    out.col(c) = without.border.h - here;
  }
  return out;
}

const PreparedToss& RefittedToss(const TossSet& set, const SpatialInstance& instance, int toss, PreparedToss& own) {
  const PreparedToss& given = set.tosses()[static_cast<std::size_t>(toss)];
  if (!set.moves_start()) return given;
  own = given;
  RefitStart(instance.model, own);
  return own;
}

void RollRows(TossRoller& roller, const PreparedToss& toss, const TossStart& moved, int rows,
              Eigen::VectorXd& residuals) {
  std::vector<SpatialPose<double>> poses;
  rows = std::min(rows, toss.end - toss.start + 1);
  poses.reserve(static_cast<std::size_t>(rows));
  roller.RollFrom(toss, moved, poses, [&](int i, const SpatialPose<double>&) { return i + 1 < rows; });
  residuals.setZero(6 * static_cast<Eigen::Index>(poses.size()));
  for (int i = 0; i < static_cast<int>(poses.size()); ++i)
    if (!toss.toss.track.outlier[static_cast<std::size_t>(toss.start + i)])
      residuals.segment<6>(6 * i) = PoseResidual(toss, i, poses[static_cast<std::size_t>(i)]);
}

bool ResidualsOf(const SpatialFamily& family, const TossSet& set, const TossPoint& at, const TossKnowledge* known,
                 Eigen::VectorXd& residuals) {
  const std::optional<SpatialInstance> instance = family.Compile(at.values);
  if (!instance) return false;
  PreparedToss own;
  const PreparedToss& toss = RefittedToss(set, *instance, at.toss, own);
  TossRoller roller = set.RollerOf(instance->model);
  RollRows(roller, toss, at.moved, at.rows, residuals);
  if (residuals.size() != 6 * std::min(at.rows, toss.end - toss.start + 1)) return false;
  if (Covers(known, residuals.size())) residuals = OverDeviations(known->unexplained, known->unknown, residuals);
  return residuals.allFinite();
}

bool SecantsOf(const SpatialFamily& family, const TossSet& set, const TossPoint& at, int tosses,
               const TossKnowledge* known, Eigen::VectorXd& residuals, Eigen::MatrixXd& by_start,
               Eigen::MatrixXd& by_values) {
  const int p = family.size();
  OpenToss open(set, at.toss, p);
  open.at = at.moved;
  open.window = std::min(at.rows, open.all);
  const Eigen::Index size = 6 * open.window;
  if (!Covers(known, size)) known = nullptr;
  const bool here = known && known->moved == at.moved && known->values == at.values.head(known->values.size());
  Eigen::VectorXd widths = kFirstWidth * family.scale();
  std::vector<char> fresh(static_cast<std::size_t>(p), 1);
  if (known) {
    open.axes = known->axes;
    for (Eigen::Index j = 0; j < known->deviation.size(); ++j) {
      const double deviation = known->deviation[j];
      if (!(deviation > 0)) continue;
      widths[j] = std::clamp(deviation, kLeastWidth * family.scale()[j], widths[j]);
      open.follow.col(j) = widths[j] * known->follow.col(j);
      fresh[static_cast<std::size_t>(j)] = 0;
    }
  }
  // From what the flight leaves open, axes narrow in rounds. Where a fit knows them, new parameters need one look.
  const bool any_fresh = std::find(fresh.begin(), fresh.end(), 1) != fresh.end();
  const int rounds = !known ? kUnknownRounds : any_fresh ? 2 : 1;
  for (int round = 1; round <= rounds; ++round) {
    const bool last = round == rounds;
    const TossModels models = ModelsAlong(family, at.values, widths.asDiagonal());
    if (!models.here) return false;
    SecantTaker taker(set, models, open.window, open);
    if (open.residuals.size() < size) return false;
    if (here) {
      open.by_start = known->by_start.topRows(size);
    } else {
      taker.ByStart();
    }
    for (Eigen::Index c = 0; c < p; ++c) {
      if (known && fresh[static_cast<std::size_t>(c)]) continue;
      if (here) {
        open.by_common.col(c) = widths[c] * known->by_values.col(c).head(size);
      } else {
        taker.ByAxis(models.axes[static_cast<std::size_t>(c)], c);
      }
    }
    if (known) taker.Forget();
    for (Eigen::Index c = 0; c < p; ++c)
      if (known && fresh[static_cast<std::size_t>(c)]) taker.ByAxis(models.axes[static_cast<std::size_t>(c)], c);
    if (!taker.Finish() || open.look < open.window) return false;
    if (last) break;
    EliminateStart(open);
    Eigen::VectorXd turn = Eigen::VectorXd::Ones(p);
    for (Eigen::Index c = 0; c < p; ++c) {
      if (!fresh[static_cast<std::size_t>(c)]) continue;
      const double left = open.border.C(c, c) * tosses;
      turn[c] = left > 0 ? std::clamp(1 / std::sqrt(left), known ? 0 : kNarrowest, 1.0) : 1;
      turn[c] = std::max(turn[c], kLeastWidth * family.scale()[c] / widths[c]);
    }
    widths = widths.cwiseProduct(turn);
    const Matrix12 axes = open.axes;
    NarrowStart(turn.asDiagonal(), open);
    if (known) open.axes = axes;
  }
  by_start = open.by_start;
  by_values = open.by_common * widths.cwiseInverse().asDiagonal();
  residuals = open.residuals;
  const Eigen::VectorXd weight = (1 + open.unexplained.array()).rsqrt();
  if (known) {
    Eigen::MatrixXd rows(size, 12 + p + 1);
    rows << by_start, by_values, residuals;
    rows = OverDeviations(known->unexplained, known->unknown, rows);
    by_start = rows.leftCols(12);
    by_values = rows.middleCols(12, p);
    residuals = rows.col(12 + p);
  } else {
    by_start = weight.asDiagonal() * by_start;
  }
  for (Eigen::Index c = 0; c < p; ++c)
    if (fresh[static_cast<std::size_t>(c)]) by_values.col(c) = by_values.col(c).cwiseProduct(weight);
  return residuals.allFinite() && by_start.allFinite() && by_values.allFinite();
}

}  // namespace ricochet
