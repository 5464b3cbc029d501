// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/located_likelihood.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/random.h"
#include "core/threads.h"
#include "estimators/optimizer_trace.h"
#include "math/dense.h"
#include "optimize/block_least_squares.h"

namespace ricochet {
namespace {

using Matrix12 = Eigen::Matrix<double, 12, 12>;

constexpr double kStartStep = 0.02;    // of differences, in standard deviations of the flight's fit
constexpr double kValueStep = 1e-4;    // of differences, of a parameter's size
constexpr double kPriorWeight = 1e-2;  // of the flight's fit, in standard deviations: its frames are compared too
constexpr double kFar = 64;            // square of a frame's residuals over the noise that ends a prediction
constexpr double kPoor = 6;            // chi^2 / dof up to which a toss is followed
constexpr double kEarly = 0.03;        // [s] after the first contact that the first horizon and early misfits include
constexpr double kAhead = 0.01;        // [s] beyond the frames that are predicted
constexpr int kLeastAhead = 2;         // frames
constexpr int kMostStages = 40, kStepsPerStage = 5, kMostSteps = 60;
constexpr int kTries = 2;  // stages until a toss whose residuals stay large draws other starts
constexpr int kRescues = 2, kDraws = 32;
constexpr int kMostChecks = 4;  // of points beside the one where Gauss-Newton ends
constexpr double kAbove = 3;    // standard deviations of chi^2 from which a toss draws other starts there
constexpr double kGain = 0.5;   // of chi^2 that counts
constexpr double kBeside[] = {-3, -1.5, -0.7, 0.7, 1.5, 3};  // standard deviations at which the check looks

/// Frames of a duration, at least some.
int FramesIn(const PreparedToss& toss, double duration) {
  return std::max(kLeastAhead, static_cast<int>(std::ceil(duration / toss.toss.track.interval)));
}

int FramesOf(const PreparedToss& toss) { return toss.end - toss.start + 1; }
int FlightFramesOf(const PreparedToss& toss) { return std::max(0, toss.arc_last - toss.start); }

int FirstHorizon(const PreparedToss& toss) {
  return std::min(FramesOf(toss), FlightFramesOf(toss) + FramesIn(toss, kEarly));
}

Eigen::VectorXd FrameResiduals(const PreparedToss& toss, const std::vector<SpatialPose<double>>& poses, int frames) {
  Eigen::VectorXd out(6 * frames);
  for (int i = 0; i < frames; ++i) {
    if (toss.toss.track.outlier[static_cast<std::size_t>(toss.start + i)]) {
      out.segment<6>(6 * i).setZero();
    } else {
      out.segment<6>(6 * i) = PoseResidual(toss, i, poses[static_cast<std::size_t>(i)]);
    }
  }
  return out;
}

bool Roll(TossRoller& roller, const PreparedToss& toss, const TossStart& moved, int frames,
          Eigen::VectorXd& residuals) {
  std::vector<SpatialPose<double>> poses;
  poses.reserve(static_cast<std::size_t>(frames));
  roller.RollFrom(toss, moved, poses, [&](int i, const SpatialPose<double>&) { return i + 1 < frames; });
  if (static_cast<int>(poses.size()) < frames) return false;
  residuals = FrameResiduals(toss, poses, frames);
  return residuals.allFinite();
}

/// Degrees of freedom of a toss by itself.
int FreedomOf(const Eigen::VectorXd& residuals) {
  return std::max(1, static_cast<int>((residuals.array() != 0).count()) - 12);
}

/// Starts in standard deviations of the flight's fit, frames up to the horizons.
class HorizonResiduals final : public BlockResiduals {
 public:
  HorizonResiduals(const SpatialFamily& family, const TossSet& set, std::vector<char> held)
      : family_(family), set_(set), models_(family, set, std::move(held)) {
    for (const int i : set.used()) {
      const PreparedToss& toss = set.tosses()[static_cast<std::size_t>(i)];
      roots_.push_back(EigenOfSymmetric(toss.covariance).Root());
      horizon.push_back(FirstHorizon(toss));
    }
  }

  int blocks() const override { return static_cast<int>(roots_.size()); }
  int local_size(int /*block*/) const override { return 12; }
  int common_size() const override { return family_.size(); }
  Eigen::VectorXd MoveCommon(const Eigen::VectorXd& common, const Eigen::VectorXd& step) const override {
    return family_.parameters().Move(common, step);
  }
  bool SetCommon(const Eigen::VectorXd& common) override { return models_.Set(common); }

  bool Evaluate(int block, const Eigen::VectorXd& local, Eigen::VectorXd& residuals,
                Eigen::MatrixXd* jacobian) override {
    const auto k = static_cast<std::size_t>(block);
    Eigen::VectorXd rows;
    Eigen::MatrixXd slope;
    if (!models_.Evaluate(set_.used()[k], roots_[k] * local, horizon[k], rows, &roots_[k], jacobian ? &slope : nullptr,
                          central))
      return false;
    residuals.resize(rows.size() + 12);
    residuals << rows, kPriorWeight * local;
    if (!jacobian) return true;
    jacobian->setZero(residuals.size(), slope.cols());
    jacobian->topRows(rows.size()) = slope;
    jacobian->bottomLeftCorner(12, 12).diagonal().setConstant(kPriorWeight);
    return true;
  }

  const PreparedToss& toss(int block) const {
    return set_.tosses()[static_cast<std::size_t>(set_.used()[static_cast<std::size_t>(block)])];
  }
  const Matrix12& root(int block) const { return roots_[static_cast<std::size_t>(block)]; }
  const TossModels& models() const { return models_; }

  std::vector<int> horizon;
  bool central = false;

 private:
  const SpatialFamily& family_;
  const TossSet& set_;
  TossModels models_;
  std::vector<Matrix12> roots_;
};

/// Horizons of all tosses and how they move on.
class HorizonFit {
 public:
  HorizonFit(const SpatialFamily& family, const TossSet& set, const LocatedOptions& options)
      : family_(family), set_(set), options_(options), residuals_(family, set, options.held) {
    states_.resize(static_cast<std::size_t>(residuals_.blocks()));
    point_.local.assign(states_.size(), Eigen::VectorXd::Zero(12));
  }

  LocatedResult Run(const Eigen::VectorXd& start) {
    point_.common = family_.parameters().Clamp(start);
    for (std::size_t k = 0; k < states_.size(); ++k)
      states_[k] = {residuals_.horizon[k], point_.local[k], 0, 0, 0, false};
    LocatedResult out;
    int checks = 0;
    for (int stage = 0; stage < kMostStages + kMostChecks; ++stage) {
      const bool last = AreAllAtTheirEnds();
      residuals_.central = last;
      const LeastSquaresSummary summary = Minimize(last ? kMostSteps : kStepsPerStage);
      AddStage(fmt::format("likelihood, horizons {}", stage + 1), summary.trace, out.trace);
      out.iterations += summary.iterations;
      out.converged = last && summary.end != LeastSquaresEnd::kFailed && summary.end != LeastSquaresEnd::kIterations;
      if (summary.end == LeastSquaresEnd::kFailed) break;
      if (MoveOn() || !last) continue;
      if (checks++ == kMostChecks) {
        out.converged = false;
        break;
      }
      if (!LeaveKink()) break;
    }
    Report(out);
    return out;
  }

  LocatedResult Polish(const Eigen::VectorXd& values, const std::vector<TossStart>& moved,
                       const std::vector<int>& frames) {
    point_.common = values;
    residuals_.horizon = frames;
    residuals_.central = true;
    for (std::size_t k = 0; k < states_.size(); ++k)
      point_.local[k] = SolveLeastNormVector(residuals_.root(static_cast<int>(k)), moved[k]);
    LocatedResult out;
    const LeastSquaresSummary summary = Minimize(kMostSteps);
    AddStage("likelihood", summary.trace, out.trace);
    out.iterations = summary.iterations;
    out.converged = summary.end != LeastSquaresEnd::kFailed && summary.end != LeastSquaresEnd::kIterations;
    Report(out);
    return out;
  }

 private:
  struct TossState {
    int followed = 0;       // frames that were fitted well
    Eigen::VectorXd start;  // with which they were
    int tries = 0, rescues = 0, draws = 0;
    bool stuck = false;
  };

  bool AreAllAtTheirEnds() const {
    for (int k = 0; k < residuals_.blocks(); ++k)
      if (!IsAtItsEnd(k)) return false;
    return true;
  }
  bool IsAtItsEnd(int k) const {
    return states_[static_cast<std::size_t>(k)].stuck ||
           (residuals_.horizon[static_cast<std::size_t>(k)] >= FramesOf(residuals_.toss(k)) &&
            states_[static_cast<std::size_t>(k)].tries == 0);
  }

  LeastSquaresSummary Minimize(int steps) {
    BlockLeastSquaresOptions solver;
    solver.max_iterations = steps;
    solver.cost_tolerance = 1e-6;
    solver.lower = family_.lower();
    solver.upper = family_.upper();
    solver.held = options_.held;
    return MinimizeBlocks(residuals_, solver, point_);
  }

  TossStart MovedOf(int k, const Eigen::VectorXd& local) const { return residuals_.root(k) * local; }

  /// Frames up to the first that is missed.
  int Reach(int k, const Eigen::VectorXd& local) const {
    Eigen::VectorXd residuals;
    residuals_.models().EvaluateAll(set_.used()[static_cast<std::size_t>(k)], MovedOf(k, local), residuals);
    int i = 0;
    while (6 * i < residuals.size() && residuals.segment<6>(6 * i).squaredNorm() < kFar) ++i;
    return i;
  }

  /// Moves horizons on where tosses are followed. False when none changed.
  bool MoveOn() {
    if (!residuals_.SetCommon(point_.common)) return false;
    std::vector<char> changed(states_.size(), 0);
    ParallelFor(residuals_.blocks(), [&](int k) { changed[static_cast<std::size_t>(k)] = MoveOne(k) ? 1 : 0; });
    return std::any_of(changed.begin(), changed.end(), [](char c) { return c != 0; });
  }

  bool MoveOne(int k) {
    const auto at = static_cast<std::size_t>(k);
    TossState& state = states_[at];
    int& horizon = residuals_.horizon[at];
    if (state.stuck) return false;
    const PreparedToss& toss = residuals_.toss(k);
    Eigen::VectorXd rows;
    const bool computed = residuals_.models().Evaluate(set_.used()[at], MovedOf(k, point_.local[at]), horizon, rows);
    if (!computed || rows.squaredNorm() > kPoor * FreedomOf(rows)) {
      if (++state.tries < kTries) return true;
      if (state.rescues++ < kRescues && Rescue(k)) return true;
      horizon = state.followed;
      point_.local[at] = state.start;
      state.stuck = true;
      return true;
    }
    state.followed = horizon;
    state.start = point_.local[at];
    const bool tried = std::exchange(state.tries, 0) > 0;
    if (horizon >= FramesOf(toss)) return tried;
    horizon = std::min(FramesOf(toss), std::max(Reach(k, point_.local[at]), horizon) + FramesIn(toss, kAhead));
    return true;
  }

  /// Starts drawn from what the frames that were followed leave open: the one that is followed farthest, if farther.
  bool Rescue(int k) {
    const auto at = static_cast<std::size_t>(k);
    TossState& state = states_[at];
    Eigen::VectorXd rows;
    Eigen::MatrixXd slope;
    if (!residuals_.models().Evaluate(set_.used()[at], MovedOf(k, state.start), state.followed, rows,
                                      &residuals_.root(k), &slope))
      return false;
    Matrix12 information = slope.leftCols<12>().transpose() * slope.leftCols<12>();
    information.diagonal().array() += 0.1;
    const Eigen::LLT<Matrix12> root(information);
    if (root.info() != Eigen::Success) return false;
    Random random = Random(options_.seed, 0x7055).Split(static_cast<std::uint64_t>(10 * k + state.rescues));
    int farthest = std::max(Reach(k, state.start), Reach(k, point_.local[at]));
    bool found = false;
    for (int draw = 0; draw < kDraws; ++draw) {
      TossStart z;
      for (int j = 0; j < 12; ++j) z[j] = random.Normal();
      const Eigen::VectorXd candidate = state.start + (draw % 2 ? 1.5 : 0.7) * TossStart(root.matrixU().solve(z));
      const int reach = Reach(k, candidate);
      if (reach <= farthest + kLeastAhead) continue;
      farthest = reach;
      point_.local[at] = candidate;
      found = true;
    }
    if (!found) return false;
    residuals_.horizon[at] = std::min(FramesOf(residuals_.toss(k)), farthest);
    state.tries = 0;
    return true;
  }

  /// Where the order of impacts changes chi^2 has kinks, and Gauss-Newton may end on one with a lower valley behind.
  /// Looks at other values of the parameters, starts following them as the linear problem says, and at other starts of
  /// tosses whose chi^2 is high; moves to what is better. False when nothing is.
  bool LeaveKink() {
    const int p = family_.size(), blocks = residuals_.blocks();
    if (!residuals_.SetCommon(point_.common)) return false;
    std::vector<TossSystem> systems(static_cast<std::size_t>(blocks));
    std::vector<char> moved(systems.size(), 0);
    ParallelFor(blocks, [&](int k) {
      const auto at = static_cast<std::size_t>(k);
      if (!Linearize(k, systems[at])) return;
      moved[at] = DrawBetter(k, systems[at]) ? 1 : 0;
    });
    if (std::any_of(moved.begin(), moved.end(), [](char m) { return m != 0; })) return true;
    Eigen::MatrixXd information = Eigen::MatrixXd::Zero(p, p);
    double chi2 = 0;
    for (const TossSystem& system : systems) {
      if (system.by_values.rows() != 12) return false;
      information += system.reduced;
      chi2 += system.chi2;
    }
    for (int j = 0; j < p; ++j)
      if (!options_.held.empty() && options_.held[static_cast<std::size_t>(j)])
        information.row(j).setZero(), information.col(j).setZero();
    const Eigen::MatrixXd covariance = PseudoInverse(information);
    BlockPoint best = point_;
    double least = chi2 - kGain;
    for (int j = 0; j < p; ++j) {
      if (!(covariance(j, j) > 0)) continue;
      for (const double by : kBeside) {
        BlockPoint beside = point_;
        const Eigen::VectorXd change = by / std::sqrt(covariance(j, j)) * covariance.col(j);
        beside.common = family_.parameters().Clamp(family_.parameters().Move(point_.common, change));
        if (!residuals_.SetCommon(beside.common)) continue;
        std::vector<double> costs(systems.size(), INFINITY);
        ParallelFor(blocks, [&](int k) {
          const auto at = static_cast<std::size_t>(k);
          beside.local[at] -= systems[at].by_values * (beside.common - point_.common);
          costs[at] = SquaresOf(k, beside.local[at]);
        });
        const double sum = std::accumulate(costs.begin(), costs.end(), 0.0);
        if (!(sum < least)) continue;
        least = sum;
        best = beside;
      }
    }
    if (!(least < chi2 - kGain)) return false;
    point_ = best;
    return true;
  }

  /// Of one toss at the current point.
  struct TossSystem {
    Matrix12 information;       // on its start
    Eigen::MatrixXd by_values;  // 12 x p: the start moves by minus this times a change of the parameters
    Eigen::MatrixXd reduced;    // information on the parameters, start unknown
    double chi2 = 0;
    int freedom = 1;
  };

  bool Linearize(int k, TossSystem& out) const {
    const auto at = static_cast<std::size_t>(k);
    Eigen::VectorXd rows;
    Eigen::MatrixXd slope;
    if (!residuals_.models().Evaluate(set_.used()[at], MovedOf(k, point_.local[at]), residuals_.horizon[at], rows,
                                      &residuals_.root(k), &slope, true))
      return false;
    const auto by_start = slope.leftCols<12>();
    const auto by_values = slope.rightCols(family_.size());
    out.information = by_start.transpose() * by_start;
    out.information.diagonal().array() += kPriorWeight * kPriorWeight;
    const Eigen::MatrixXd cross = by_start.transpose() * by_values;
    out.by_values = SolveSymmetric(out.information, cross);
    out.reduced = by_values.transpose() * by_values - cross.transpose() * out.by_values;
    out.chi2 = rows.squaredNorm();
    out.freedom = FreedomOf(rows);
    return true;
  }

  double SquaresOf(int k, const Eigen::VectorXd& local) const {
    const auto at = static_cast<std::size_t>(k);
    Eigen::VectorXd rows;
    if (!residuals_.models().Evaluate(set_.used()[at], MovedOf(k, local), residuals_.horizon[at], rows))
      return INFINITY;
    return rows.squaredNorm();
  }

  /// Another start of a toss whose chi^2 is high, drawn from what its data leave open.
  bool DrawBetter(int k, const TossSystem& system) {
    if (system.chi2 < system.freedom + kAbove * std::sqrt(2.0 * system.freedom)) return false;
    const auto at = static_cast<std::size_t>(k);
    const Eigen::LLT<Matrix12> root(system.information);
    if (root.info() != Eigen::Success) return false;
    Random random = Random(options_.seed, 0x4b1c).Split(static_cast<std::uint64_t>(1000 * k + states_[at].draws++));
    const Eigen::VectorXd center = point_.local[at];
    double least = system.chi2 - kGain;
    for (int draw = 0; draw < kDraws; ++draw) {
      TossStart z;
      for (int j = 0; j < 12; ++j) z[j] = random.Normal();
      const Eigen::VectorXd candidate = center + (draw % 3 == 0 ? 0.5 : draw % 3) * TossStart(root.matrixU().solve(z));
      const double squares = SquaresOf(k, candidate);
      if (!(squares < least)) continue;
      least = squares;
      point_.local[at] = candidate;
    }
    return least < system.chi2 - kGain;
  }

  void Report(LocatedResult& out) {
    out.params = point_.common;
    residuals_.SetCommon(point_.common);
    for (int k = 0; k < residuals_.blocks(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const PreparedToss& toss = residuals_.toss(k);
      const int frames = residuals_.horizon[at], flight = FlightFramesOf(toss);
      out.moved.push_back(MovedOf(k, point_.local[at]));
      out.frames.push_back(frames);
      out.followed.push_back(static_cast<double>(frames - flight) / std::max(1, FramesOf(toss) - flight));
      Eigen::VectorXd rows;
      if (!residuals_.models().Evaluate(set_.used()[at], out.moved.back(), frames, rows)) {
        out.ratio.push_back(INFINITY);
        out.freedom.push_back(1);
        continue;
      }
      out.freedom.push_back(FreedomOf(rows));
      out.ratio.push_back(rows.squaredNorm() / out.freedom.back());
      out.chi2 += rows.squaredNorm();
    }
  }

  const SpatialFamily& family_;
  const TossSet& set_;
  LocatedOptions options_;
  HorizonResiduals residuals_;
  std::vector<TossState> states_;
  BlockPoint point_;
};

}  // namespace

TossModels::TossModels(const SpatialFamily& family, const TossSet& set, std::vector<char> held)
    : family_(family), set_(set), held_(std::move(held)) {
  held_.resize(static_cast<std::size_t>(family.size()), 0);
  for (const SelectedParameter& selected : family.selected()) moves_start_.push_back(MovesStart(selected.path) ? 1 : 0);
}

bool TossModels::Set(const Eigen::VectorXd& values) {
  if (here_ && values_.size() == values.size() && values_ == values) return true;
  values_ = values;
  neighbors_.clear();
  here_ = family_.Compile(values);
  return here_.has_value();
}

const std::vector<TossModels::Beside>& TossModels::Neighbors() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!neighbors_.empty()) return neighbors_;
  std::vector<Beside> found(static_cast<std::size_t>(family_.size()));
  for (int j = 0; j < family_.size(); ++j) {
    if (held_[static_cast<std::size_t>(j)]) continue;
    Beside& beside = found[static_cast<std::size_t>(j)];
    Eigen::VectorXd up = values_, down = values_;
    up[j] = std::min(values_[j] + kValueStep * family_.scale()[j], family_.upper()[j]);
    down[j] = std::max(values_[j] - kValueStep * family_.scale()[j], family_.lower()[j]);
    beside.width = up[j] - down[j];
    beside.up = family_.Compile(up);
    beside.down = family_.Compile(down);
    // On the edge of what a body can have: one side.
    if (!beside.up && beside.down) beside.up = here_, beside.width = values_[j] - down[j];
    if (!beside.down && beside.up) beside.down = here_, beside.width = up[j] - values_[j];
  }
  neighbors_ = std::move(found);
  return neighbors_;
}

const PreparedToss& TossModels::Refitted(const SpatialInstance& instance, const PreparedToss& toss,
                                         PreparedToss& own) const {
  if (!set_.moves_start()) return toss;
  own = toss;
  RefitStart(instance.model, own);
  return own;
}

bool TossModels::Evaluate(int toss, const TossStart& moved, int frames, Eigen::VectorXd& residuals,
                          const Matrix12* axes, Eigen::MatrixXd* jacobian, bool central) const {
  PreparedToss own;
  const PreparedToss& here = Refitted(*here_, set_.tosses()[static_cast<std::size_t>(toss)], own);
  TossRoller roller = set_.RollerOf(here_->model);
  if (!Roll(roller, here, moved, frames, residuals)) return false;
  if (!jacobian) return true;
  Eigen::VectorXd up, down;
  jacobian->setZero(residuals.size(), 12 + family_.size());
  for (int j = 0; j < 12; ++j) {
    const TossStart step = kStartStep * axes->col(j);
    if (!Roll(roller, here, moved + step, frames, up)) return false;
    if (central && !Roll(roller, here, moved - step, frames, down)) return false;
    jacobian->col(j) = central ? Eigen::VectorXd((up - down) / (2 * kStartStep)) : (up - residuals) / kStartStep;
  }
  const std::vector<Beside>& neighbors = Neighbors();
  for (int j = 0; j < family_.size(); ++j) {
    const Beside& beside = neighbors[static_cast<std::size_t>(j)];
    if (!beside.up || !beside.down || !(beside.width > 0)) continue;
    const auto at = [&](const SpatialInstance& instance, Eigen::VectorXd& out) {
      TossRoller other = set_.RollerOf(instance.model);
      PreparedToss refitted;
      const bool moves = moves_start_[static_cast<std::size_t>(j)] != 0;
      return Roll(other, moves ? Refitted(instance, set_.tosses()[static_cast<std::size_t>(toss)], refitted) : here,
                  moved, frames, out);
    };
    if (!at(*beside.up, up) || !at(*beside.down, down)) return false;
    jacobian->col(12 + j) = (up - down) / beside.width;
  }
  return jacobian->allFinite();
}

void TossModels::EvaluateAll(int toss, const TossStart& moved, Eigen::VectorXd& residuals) const {
  PreparedToss own;
  const PreparedToss& here = Refitted(*here_, set_.tosses()[static_cast<std::size_t>(toss)], own);
  TossRoller roller = set_.RollerOf(here_->model);
  std::vector<SpatialPose<double>> poses;
  roller.RollFrom(here, moved, poses);
  residuals = FrameResiduals(here, poses, static_cast<int>(poses.size()));
}

LocatedResult MaximizeLocatedLikelihood(const SpatialFamily& family, const TossSet& tosses,
                                        const Eigen::VectorXd& start, const LocatedOptions& options) {
  return HorizonFit(family, tosses, options).Run(start);
}

LocatedResult PolishLocatedLikelihood(const SpatialFamily& family, const TossSet& tosses, const Eigen::VectorXd& values,
                                      const std::vector<TossStart>& moved, const std::vector<int>& frames,
                                      const LocatedOptions& options) {
  return HorizonFit(family, tosses, options).Polish(values, moved, frames);
}

double EarlyMisfit(const SpatialFamily& family, const TossSet& set, const std::vector<int>& tosses,
                   const Eigen::VectorXd& values) {
  TossModels models(family, set);
  if (!models.Set(values)) return INFINITY;
  double sum = 0;
  Eigen::VectorXd residuals;
  for (const int k : tosses) {
    const int toss = set.used()[static_cast<std::size_t>(k)];
    const int frames = FirstHorizon(set.tosses()[static_cast<std::size_t>(toss)]);
    if (!models.Evaluate(toss, TossStart::Zero(), frames, residuals)) return INFINITY;
    for (int i = 0; i < frames; ++i) sum += std::log1p(residuals.segment<6>(6 * i).squaredNorm() / 36);
  }
  return sum;
}

}  // namespace ricochet
