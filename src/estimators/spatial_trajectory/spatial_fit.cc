// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial_trajectory/spatial_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "core/threads.h"
#include "estimators/optimizer_trace.h"
#include "estimators/spatial_trajectory/one_recording.h"
#include "estimators/spatial_trajectory/spatial_start.h"
#include "math/dense.h"

namespace ricochet {
namespace {

constexpr int kLeastWindow = 6;    // rows of the first window
constexpr int kLastLook = 100000;  // seeds of the last look, apart from those of the search
constexpr double kNull = 1e-7;     // relative singular value below which a direction has no effect

/// Share of each row in its own prediction.
Eigen::VectorXd Leverages(const Eigen::MatrixXd& jacobian) {
  Eigen::MatrixXd scaled = jacobian;
  for (Eigen::Index i = 0; i < scaled.cols(); ++i)
    if (const double norm = scaled.col(i).norm(); norm > 0) scaled.col(i) /= norm;
  return OrthonormalBasis(scaled).rowwise().squaredNorm();
}

double PriorDeviation(const SpatialFamily& family, int index, double centre) {
  const Quantity quantity = family.quantity(index);
  if (quantity == Quantity::kFriction || quantity == Quantity::kRestitution) return 0.4;
  return std::max(std::abs(centre), 0.1 * family.scale()[index]);
}

}  // namespace

SpatialFit::SpatialFit(const SpatialFamily& family, std::vector<PoseTracks> tracks, const SpatialFitOptions& options)
    : family_(family), options_(options) {
  for (PoseTracks& track : tracks) {
    auto recording = std::make_unique<SpatialRecordingFit>();
    recording->track = std::move(track);
    EstimateNoise(recording->track);
    recording->scatter_position = recording->track.noise_position;
    recording->scatter_angle = recording->track.noise_angle;
    log.insert(log.end(), recording->track.log.begin(), recording->track.log.end());
    recordings.push_back(std::move(recording));
  }
  held.assign(static_cast<std::size_t>(family.size()), 0);
}

int SpatialFit::local_size(int block) const {
  if (block >= static_cast<int>(used.size())) return 0;
  return recordings[static_cast<std::size_t>(used[static_cast<std::size_t>(block)])]->rollout->local_size();
}

bool SpatialFit::SetCommon(const Eigen::VectorXd& common) {
  instance_ = family_.Compile(common);
  if (instance_ && priors_) prior_offset_ = common - prior_;
  return instance_.has_value();
}

bool SpatialFit::Evaluate(int block, const Eigen::VectorXd& local, Eigen::VectorXd& residuals,
                          Eigen::MatrixXd* jacobian) {
  if (block < static_cast<int>(used.size()))
    return recordings[static_cast<std::size_t>(used[static_cast<std::size_t>(block)])]->rollout->Evaluate(
        *instance_, local, residuals, jacobian);
  residuals.resize(family_.size());
  if (jacobian) jacobian->setZero(family_.size(), family_.size());
  for (int i = 0; i < family_.size(); ++i) {
    const double deviation = PriorDeviation(family_, i, prior_[i]);
    residuals[i] = prior_offset_[i] / deviation;
    if (jacobian) (*jacobian)(i, i) = 1 / deviation;
  }
  return true;
}

void SpatialFit::FindStart(SpatialRecordingFit& recording, const SpatialInstance& instance) const {
  int rows = 0;
  double least = INFINITY;
  SpatialReference best;
  for (SpatialStartGuess& guess : ListStarts(family_, recording.track, instance, rows)) {
    SpatialRollout rollout(family_, recording.track);
    rollout.reference = guess.reference;
    rollout.window = std::clamp(rows, std::min(kLeastWindow, recording.track.rows()), recording.track.rows());
    BlockPoint at{family_.start(), {Eigen::VectorXd::Zero(rollout.local_size())}};
    OneRecording residuals(family_, rollout);
    BlockLeastSquaresOptions solver;
    solver.max_iterations = 12;
    solver.cost_tolerance = 1e-3;
    solver.huber = options_.search_huber;
    solver.lower = family_.lower();
    solver.upper = family_.upper();
    const LeastSquaresSummary end = MinimizeBlocks(residuals, solver, at);
    if (end.end == LeastSquaresEnd::kFailed) continue;
    const double score = end.cost + rollout.local_size();
    if (score >= least) continue;
    // The start itself stays that of the parabolas, which do not depend on the numbers that are sought.
    least = score;
    best = guess.reference;
    recording.starts_in_contact = guess.in_contact;
    recording.start_rows = rollout.window;
  }
  recording.usable = std::isfinite(least);
  if (!recording.usable) {
    recording.problem = "no motion of the model starts like the recording";
    return;
  }
  recording.rollout = std::make_unique<SpatialRollout>(family_, recording.track);
  recording.rollout->reference = std::move(best);
}

LeastSquaresSummary SpatialFit::Solve(BlockPoint& at, int most, double tolerance, double huber, bool priors) {
  BlockLeastSquaresOptions solver;
  solver.max_iterations = most;
  solver.cost_tolerance = tolerance;
  solver.huber = huber;
  solver.lower = family_.lower();
  solver.upper = family_.upper();
  solver.held = held;
  priors_ = priors;
  if (priors) at.local.resize(used.size() + 1);
  const LeastSquaresSummary summary = MinimizeBlocks(*this, solver, at);
  at.local.resize(used.size());
  priors_ = false;
  iterations += summary.iterations;
  int rows = 0, all = 0;
  for (const int index : used) {
    const SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(index)];
    rows += recording.rollout->window;
    all += recording.track.rows();
  }
  AddStage(rows < all ? fmt::format("first {} of {} rows", rows, all) : "all rows", summary.trace, trace);
  return summary;
}

void SpatialFit::UpdateNoise() {
  SetCommon(point.common);
  ParallelFor(static_cast<int>(used.size()), [&](int k) {
    SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(used[static_cast<std::size_t>(k)])];
    if (recording.track.noise_given) return;
    Eigen::VectorXd r;
    Eigen::MatrixXd j;
    if (!recording.rollout->Evaluate(*instance_, point.local[static_cast<std::size_t>(k)], r, &j)) return;
    const Eigen::VectorXd leverage = Leverages(j);
    double sum[2] = {0, 0}, freedom[2] = {0, 0};
    const Eigen::Index bodies = static_cast<Eigen::Index>(family_.moving().size());
    for (Eigen::Index i = 0; i < r.size(); ++i) {
      const int row = static_cast<int>(i / (6 * bodies)), body = static_cast<int>(i / 6 % bodies);
      if (recording.rollout->rejected[static_cast<std::size_t>(row)]) continue;
      if (!recording.track.present[recording.track.At(row, body)]) continue;
      const int c = i % 6 >= 3;
      const double size = std::min(std::abs(r[i]), 50.0);
      sum[c] += size * size;
      freedom[c] += 1 - leverage[i];
    }
    recording.track.noise_position *= std::sqrt(sum[0] / std::max(freedom[0], 3.0));
    recording.track.noise_angle *= std::sqrt(sum[1] / std::max(freedom[1], 3.0));
    recording.track.noise_position = std::max(recording.track.noise_position, 1e-13);
    recording.track.noise_angle = std::max(recording.track.noise_angle, 1e-13);
  });
}

int SpatialFit::RejectOutliers() {
  if (!(options_.outlier > 0)) return 0;
  int count = 0;
  SetCommon(point.common);
  for (std::size_t k = 0; k < used.size(); ++k) {
    SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(used[k])];
    Eigen::VectorXd r;
    if (!recording.rollout->Evaluate(*instance_, point.local[k], r, nullptr)) continue;
    const int rows = recording.track.rows();
    const Eigen::Index width = r.size() / rows;
    std::vector<int> beyond;
    for (int row = 0; row < rows; ++row)
      if (r.segment(width * row, width).lpNorm<Eigen::Infinity>() > options_.outlier) beyond.push_back(row);
    // Many at once are no outliers but a motion that does not fit.
    if (beyond.empty() || static_cast<int>(beyond.size()) > rows / 8) continue;
    for (const int row : beyond) recording.rollout->rejected[static_cast<std::size_t>(row)] = 1;
    log.push_back(fmt::format("{}: {} rows beyond {:g} sigma are left out, the first at {:.4g} s", recording.track.name,
                              beyond.size(), options_.outlier,
                              recording.track.time[static_cast<std::size_t>(beyond.front())]));
    count += static_cast<int>(beyond.size());
  }
  return count;
}

void SpatialFit::Settle() {
  // A last look beside the fit, at what the first quarter, half and three quarters of the rows leave open, where the
  // motion jumps with its start: a stepper that undoes overlap closes contacts when they close.
  if (!settled_ && !family_.stepper().info().undoes_overlap) {
    for (int quarter = 1; quarter < 4; ++quarter) {
      std::vector<int> rows;
      for (const int index : used) {
        const SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(index)];
        rows.push_back(
            std::max(std::min(recording.start_rows, recording.track.rows()), quarter * recording.track.rows() / 4));
      }
      if (Hop(point, rows, kLastLook + quarter, false)) Solve(point, 12, 1e-4, options_.search_huber, false);
    }
    settled_ = true;
  }
  LeastSquaresSummary end;
  for (int round = 0; round < 5; ++round) {
    UpdateNoise();
    end = Solve(point, 25, 1e-8, options_.huber, false);
    const int rejected = round < 3 ? RejectOutliers() : 0;
    if (round >= 1 && rejected == 0) break;
  }
  converged = end.end == LeastSquaresEnd::kConverged || end.end == LeastSquaresEnd::kStalled;
}

void SpatialFit::Judge() {
  SetCommon(point.common);
  cost = 0;
  degrees_of_freedom = -family_.size() + static_cast<int>(std::count(held.begin(), held.end(), 1));
  for (std::size_t k = 0; k < used.size(); ++k) {
    SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(used[k])];
    Eigen::VectorXd r;
    recording.rollout->Evaluate(*instance_, point.local[k], r, nullptr);
    recording.chi2 = r.squaredNorm();
    int present = 0;
    for (int row = 0; row < recording.track.rows(); ++row)
      for (int b = 0; b < static_cast<int>(family_.moving().size()); ++b)
        present += recording.track.present[recording.track.At(row, b)] &&
                   !recording.rollout->rejected[static_cast<std::size_t>(row)];
    recording.degrees_of_freedom = 6 * present - recording.rollout->local_size();
    degrees_of_freedom += recording.degrees_of_freedom;
    cost += 0.5 * recording.chi2;
    recording.correlation = 0;
    const Eigen::Index width = 6 * static_cast<Eigen::Index>(family_.moving().size());
    for (Eigen::Index c = 0; c < width; ++c) {
      double product = 0, square = 0;
      for (Eigen::Index i = c; i < r.size(); i += width) {
        square += r[i] * r[i];
        if (i + width < r.size()) product += r[i] * r[i + width];
      }
      if (square > 0) recording.correlation = std::max(recording.correlation, product / square);
    }
    const double size = family_.size_of(family_.moving().front());
    const double excess = recording.track.noise_given
                              ? std::sqrt(recording.chi2 / std::max(1, recording.degrees_of_freedom))
                              : std::max(recording.track.noise_position / recording.scatter_position,
                                         recording.track.noise_angle / recording.scatter_angle);
    const bool exact = recording.track.noise_position <= 1e-6 * size;
    recording.problem.clear();
    if (!exact && excess > options_.wrong_noise)
      recording.problem =
          fmt::format("no motion of the model explains it: residuals are {:.3g} times the noise", excess);
    else if (!exact && recording.track.rows() >= 12 && recording.correlation > options_.correlated)
      recording.problem =
          fmt::format("no motion of the model explains it: residuals of neighbouring rows correlate by {:.2g}",
                      recording.correlation);
  }
}

bool SpatialFit::Run() {
  const std::optional<SpatialInstance> first = family_.Compile(family_.start());
  if (!first) return false;
  ParallelFor(static_cast<int>(recordings.size()),
              [&](int k) { FindStart(*recordings[static_cast<std::size_t>(k)], *first); });
  for (std::size_t k = 0; k < recordings.size(); ++k) {
    if (!recordings[k]->usable) continue;
    used.push_back(static_cast<int>(k));
    log.push_back(fmt::format("{}: starts {}, first window {} of {} rows", recordings[k]->track.name,
                              recordings[k]->starts_in_contact ? "in contact" : "free", recordings[k]->start_rows,
                              recordings[k]->track.rows()));
  }
  if (used.empty() || !Search()) return false;
  for (;;) {
    Settle();
    Judge();
    // Bad recordings of several go, the worst first: those within a third of it, so that others are judged without
    // them.
    std::vector<double> excess(used.size(), 0);
    for (std::size_t k = 0; k < used.size() && used.size() > 1; ++k) {
      const SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(used[k])];
      if (recording.problem.empty()) continue;
      excess[k] = recording.chi2 / std::max(1, recording.degrees_of_freedom) *
                  std::pow(recording.track.noise_position / recording.scatter_position, 2);
    }
    const double worst = *std::max_element(excess.begin(), excess.end());
    if (!(worst > 0)) break;
    for (std::size_t k = used.size(); k-- > 0;) {
      if (excess[k] < 0.3 * worst || used.size() == 1) continue;
      recordings[static_cast<std::size_t>(used[k])]->usable = false;
      used.erase(used.begin() + static_cast<std::ptrdiff_t>(k));
      point.local.erase(point.local.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }

  // What the data cannot tell is held at the scene's value: one number per direction without effect, then what is
  // vague.
  const auto analyze = [&](const std::vector<char>& out) {
    Eigen::MatrixXd reduced = ReducedCommonJacobian(*this, point);
    for (int i = 0; i < family_.size(); ++i)
      if (out[static_cast<std::size_t>(i)]) reduced.col(i).setZero();
    return AnalyzeInformation(reduced, family_.scale(), kNull);
  };
  information = analyze(std::vector<char>(held.size(), 0));
  for (int round = 0; round < family_.size(); ++round) {
    const ParameterInformation now = analyze(held);
    int next = -1;
    for (Eigen::Index c = 0; c < now.null_space.cols() && next < 0; ++c) {
      double most = 1e-3;
      for (int i = 0; i < family_.size(); ++i)
        if (!held[static_cast<std::size_t>(i)] && std::abs(now.null_space(i, c)) > most) {
          most = std::abs(now.null_space(i, c));
          next = i;
        }
    }
    if (next < 0) break;
    held[static_cast<std::size_t>(next)] = 1;
  }
  for (int i = 0; i < family_.size(); ++i)
    if (information.determined[static_cast<std::size_t>(i)] && !IsTold(i)) held[static_cast<std::size_t>(i)] = 1;
  if (std::count(held.begin(), held.end(), 1) > 0) {
    for (int i = 0; i < family_.size(); ++i)
      if (held[static_cast<std::size_t>(i)]) point.common[i] = family_.start()[i];
    Solve(point, 25, 1e-8, options_.huber, false);
    Judge();
    // Deviations as they are when what is held is unknown, where that leaves the rank as it was.
    const ParameterInformation again = analyze(std::vector<char>(held.size(), 0));
    if (again.rank == information.rank) information = again;
  }
  return true;
}

bool SpatialFit::Plan(const State& start) {
  SpatialRecordingFit& recording = *recordings.front();
  recording.rollout = std::make_unique<SpatialRollout>(family_, recording.track);
  recording.rollout->reference = {start, recording.rollout->FullBasis()};
  used = {0};
  point = {family_.start(), {Eigen::VectorXd::Zero(recording.rollout->local_size())}};
  RolloutResult motion;
  if (!Predict(0, motion)) return false;
  recording.track.pose = motion.poses;
  information = AnalyzeInformation(ReducedCommonJacobian(*this, point), family_.scale(), kNull);
  return true;
}

bool SpatialFit::IsTold(int index) const {
  if (!information.determined[static_cast<std::size_t>(index)]) return false;
  const double size = std::max(family_.scale()[index], std::abs(point.common[index]));
  return std::sqrt(information.covariance(index, index)) < options_.vague * size;
}

double SpatialFit::SolveHeld(int index, int most, double tolerance, BlockPoint& at) {
  const std::vector<char> before = held;
  const std::vector<OptimizerStage> way = trace;
  const int made = iterations;
  held[static_cast<std::size_t>(index)] = 1;
  const LeastSquaresSummary end = Solve(at, most, tolerance, options_.huber, false);
  held = before;
  trace = way;
  iterations = made;
  return end.end == LeastSquaresEnd::kFailed ? INFINITY : end.cost;
}

double SpatialFit::Rise(int index, double value) {
  BlockPoint at = point;
  at.common[index] = value;
  return 2 * (SolveHeld(index, 15, 1e-4, at) - cost);
}

double SpatialFit::HeldChi2(int index, double value, Eigen::VectorXd& solution) {
  BlockPoint at = point;
  Eigen::Index size = at.common.size();
  for (const Eigen::VectorXd& local : at.local) size += local.size();
  const auto walk = [&](auto&& part) {
    Eigen::Index first = 0;
    part(first, at.common);
    for (Eigen::VectorXd& local : at.local) part(first, local);
  };
  if (solution.size() == size)
    walk([&](Eigen::Index& first, Eigen::VectorXd& own) {
      own = solution.segment(first, own.size());
      first += own.size();
    });
  at.common[index] = value;
  const double half = SolveHeld(index, 30, 1e-8, at);
  solution.resize(size);
  walk([&](Eigen::Index& first, const Eigen::VectorXd& own) {
    solution.segment(first, own.size()) = own;
    first += own.size();
  });
  return 2 * half;
}

BootstrapResult SpatialFit::Repeat(const IdentifyOptions& options) {
  std::vector<RolloutResult> motions(used.size());
  for (std::size_t k = 0; k < used.size(); ++k)
    if (!Predict(static_cast<int>(k), motions[k]))
      throw NumericsError(
          "identify: the motion of the estimate, which the bootstrap starts from, cannot be rolled out");
  return Bootstrap(options, family_.size(), [&](int repetition, Eigen::VectorXd& common) {
    std::vector<PoseTracks> tracks;
    for (std::size_t k = 0; k < used.size(); ++k) {
      Random random = Random(options.seed, 1000 + static_cast<std::uint64_t>(repetition)).Split(k);
      PoseTracks& track = tracks.emplace_back(recordings[static_cast<std::size_t>(used[k])]->track);
      if (motions[k].poses.size() != track.pose.size()) return false;
      for (std::size_t i = 0; i < track.pose.size(); ++i) {
        Vector6<double> noise;
        for (int c = 0; c < 6; ++c) noise[c] = (c < 3 ? track.noise_position : track.noise_angle) * random.Normal();
        track.pose[i] = BoxPlus<double>(motions[k].poses[i], noise);
      }
    }
    SpatialFit again(family_, std::move(tracks), options_);
    for (std::size_t k = 0; k < used.size(); ++k) {
      const SpatialRollout& own = *recordings[static_cast<std::size_t>(used[k])]->rollout;
      SpatialRecordingFit& recording = *again.recordings[k];
      recording.rollout = std::make_unique<SpatialRollout>(family_, recording.track);
      recording.rollout->reference = own.reference;
      recording.rollout->window = own.window;
      recording.rollout->rejected = own.rejected;
      again.used.push_back(static_cast<int>(k));
    }
    again.point = point;
    again.held = held;
    again.settled_ = true;
    again.Settle();
    common = again.point.common;
    return again.converged;
  });
}

bool SpatialFit::Predict(int block, RolloutResult& out) {
  if (!SetCommon(point.common)) return false;
  const SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(used[static_cast<std::size_t>(block)])];
  return recording.rollout->Predict(*instance_, point.local[static_cast<std::size_t>(block)], recording.track.rows(),
                                    out);
}

}  // namespace ricochet
