// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial_trajectory/spatial_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "core/threads.h"
#include "dataset/noise.h"
#include "estimators/optimizer_trace.h"
#include "estimators/spatial_trajectory/spatial_residuals.h"
#include "estimators/spatial_trajectory/spatial_start.h"
#include "inference/information.h"
#include "math/dense.h"

namespace ricochet {
namespace {

constexpr int kLeastWindow = 6;        // rows of the first window
constexpr double kMostCounted = 50;    // sigma of a residual that counts in the noise
constexpr double kLeastNoise = 1e-13;  // [m], [rad]
constexpr int kLastLook = 100000;      // seeds of the last look, apart from those of the search

/// At a minimum, or on a kink of the likelihood. Steps along a kink (the instant at which a body stops) are short, and
/// the last of them gain less than the data can show: a cost of 0.5 is one standard deviation.
bool EndedWell(const LeastSquaresSummary& summary) {
  constexpr std::size_t kLast = 10;      // steps
  constexpr double kNegligible = 0.005;  // cost that they gain together
  if (summary.end == LeastSquaresEnd::kConverged || summary.end == LeastSquaresEnd::kStalled) return true;
  return summary.end == LeastSquaresEnd::kIterations && summary.trace.size() > kLast &&
         summary.trace[summary.trace.size() - 1 - kLast].cost - summary.cost < kNegligible;
}

}  // namespace

ShownKind SpatialRecordingFit::place_kind() const {
  return std::any_of(track.pose_recorded.begin(), track.pose_recorded.end(), [](char p) { return p; })
             ? ShownKind::kPosition
             : ShownKind::kPoint;
}

double SpatialRecordingFit::NoiseOverScatter() const {
  double most = 0;
  for (const PoseTracks::Value& value : track.Values())
    most = std::max(most, track.NoiseOf(value.kind) / scatter[static_cast<std::size_t>(value.kind)]);
  return most;
}

SpatialFit::SpatialFit(const SpatialFamily& family, std::vector<PoseTracks> tracks, const SpatialFitOptions& options)
    : family_(family), options_(options) {
  for (PoseTracks& track : tracks) {
    auto recording = std::make_unique<SpatialRecordingFit>();
    recording->track = std::move(track);
    EstimateNoise(recording->track);
    for (const ShownKind kind : kShownKinds)
      recording->scatter[static_cast<std::size_t>(kind)] = recording->track.NoiseOf(kind);
    log.insert(log.end(), recording->track.log.begin(), recording->track.log.end());
    recordings.push_back(std::move(recording));
  }
  held.assign(static_cast<std::size_t>(family.size()), 0);
}

std::vector<std::string> SpatialFit::channels() const {
  std::vector<std::string> names;
  for (const int body : family_.moving()) {
    const std::string prefix =
        family_.moving().size() > 1 ? family_.scene().bodies[static_cast<std::size_t>(body)].name + "." : "";
    for (const char* channel : {"x", "y", "z", "rx", "ry", "rz"}) names.push_back(prefix + channel);
  }
  for (const ObservedPoint& point : family_.scene().observe.points)
    for (const char* axis : {".x", ".y", ".z"}) names.push_back(point.name + axis);
  return names;
}

int SpatialFit::ChannelOf(const PoseTracks& track, const PoseTracks::Value& value) const {
  if (value.point < 0) return 6 * value.body + (value.kind == ShownKind::kAngle ? 3 : 0) + value.axis;
  return 6 * static_cast<int>(family_.moving().size()) + 3 * track.points[static_cast<std::size_t>(value.point)].point +
         value.axis;
}

std::vector<ChannelNoise> SpatialFit::NoiseOf(int block) const {
  const SpatialRecordingFit& recording = Of(block);
  const PoseTracks& track = recording.track;
  std::vector<ChannelNoise> noise(channels().size());
  for (const PoseTracks::Value& value : track.Values())
    noise[static_cast<std::size_t>(ChannelOf(track, value))] = {
        track.NoiseOf(value.kind), recording.scatter[static_cast<std::size_t>(value.kind)],
        track.noise_given ? std::numeric_limits<double>::infinity() : QuartileFreedom(3 * track.rows())};
  return noise;
}

bool SpatialFit::Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const {
  const std::optional<SpatialInstance> instance = family_.Compile(at.values);
  if (!instance) return false;
  const SpatialRecordingFit& recording = Of(block);
  const SpatialRollout& rollout = *recording.rollout;
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;
  if (!rollout.Evaluate(*instance, at.local[static_cast<std::size_t>(block)], residuals,
                        derivatives ? &jacobian : nullptr))
    return false;
  std::vector<int> compared;
  out.labels.clear();
  const int width = static_cast<int>(rollout.values().size());
  for (int row = 0; row < rollout.window; ++row)
    for (int i = 0; i < width; ++i) {
      const PoseTracks::Value& value = rollout.values()[static_cast<std::size_t>(i)];
      if (rollout.rejected[static_cast<std::size_t>(row)] || !recording.track.Shows(row, value)) continue;
      compared.push_back(width * row + i);
      out.labels.push_back({recording.track.time[static_cast<std::size_t>(row)], ChannelOf(recording.track, value)});
    }
  out.residuals = residuals(compared);
  if (derivatives) {
    out.by_local = jacobian(compared, Eigen::seqN(0, rollout.local_size()));
    out.by_values = jacobian(compared, Eigen::lastN(family_.size()));
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
    SpatialResiduals residuals(family_, {&rollout});
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
    recording.problem = "no motion of the model matches the start of the recording";
    return;
  }
  recording.rollout = std::make_unique<SpatialRollout>(family_, recording.track);
  recording.rollout->reference = std::move(best);
}

LeastSquaresSummary SpatialFit::Minimize(BlockPoint& at, const std::vector<char>& hold, int most, double tolerance,
                                         double huber, const std::optional<Eigen::VectorXd>& prior) const {
  BlockLeastSquaresOptions solver;
  solver.max_iterations = most;
  solver.cost_tolerance = tolerance;
  solver.huber = huber;
  solver.lower = family_.lower();
  solver.upper = family_.upper();
  solver.held = hold;
  std::vector<const SpatialRollout*> rollouts;
  for (int k = 0; k < blocks(); ++k) rollouts.push_back(Of(k).rollout.get());
  SpatialResiduals residuals(family_, std::move(rollouts), prior);
  at.local.resize(static_cast<std::size_t>(residuals.blocks()));
  const LeastSquaresSummary summary = MinimizeBlocks(residuals, solver, at);
  at.local.resize(used.size());
  return summary;
}

LeastSquaresSummary SpatialFit::Solve(BlockPoint& at, int most, double tolerance, double huber,
                                      const std::optional<Eigen::VectorXd>& prior) {
  const LeastSquaresSummary summary = Minimize(at, held, most, tolerance, huber, prior);
  iterations += summary.iterations;
  int rows = 0, all = 0;
  for (int k = 0; k < blocks(); ++k) {
    rows += Of(k).rollout->window;
    all += Of(k).track.rows();
  }
  AddStage(rows < all ? fmt::format("first {} of {} rows", rows, all) : "all rows", summary.trace, trace);
  return summary;
}

void SpatialFit::UpdateNoise() {
  const std::optional<SpatialInstance> instance = family_.Compile(point.common);
  if (!instance) return;
  ParallelFor(static_cast<int>(used.size()), [&](int k) {
    SpatialRecordingFit& recording = Of(k);
    if (recording.track.noise_given) return;
    Eigen::VectorXd r;
    Eigen::MatrixXd j;
    if (!recording.rollout->Evaluate(*instance, point.local[static_cast<std::size_t>(k)], r, &j)) return;
    const Eigen::VectorXd leverage = Leverages(j);
    std::array<ResidualSquares, kShownKinds.size()> squares;
    std::array<bool, kShownKinds.size()> shown = {};
    const std::vector<PoseTracks::Value>& values = recording.rollout->values();
    const auto width = static_cast<Eigen::Index>(values.size());
    for (Eigen::Index i = 0; i < r.size(); ++i) {
      const int row = static_cast<int>(i / width);
      const PoseTracks::Value& value = values[static_cast<std::size_t>(i % width)];
      if (recording.rollout->rejected[static_cast<std::size_t>(row)] || !recording.track.Shows(row, value)) continue;
      const auto c = static_cast<std::size_t>(value.kind);
      squares[c].Add(r[i], leverage[i], kMostCounted);
      shown[c] = true;
    }
    for (const ShownKind kind : kShownKinds) {
      const auto c = static_cast<std::size_t>(kind);
      double& noise = recording.track.NoiseOf(kind);
      if (shown[c]) noise = squares[c].Noise(noise, kLeastNoise, 3);
    }
  });
}

int SpatialFit::RejectOutliers() {
  if (!(options_.outlier > 0)) return 0;
  const std::optional<SpatialInstance> instance = family_.Compile(point.common);
  if (!instance) return 0;
  int count = 0;
  for (std::size_t k = 0; k < used.size(); ++k) {
    SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(used[k])];
    Eigen::VectorXd r;
    if (!recording.rollout->Evaluate(*instance, point.local[k], r, nullptr)) continue;
    const int rows = recording.track.rows();
    const Eigen::Index width = r.size() / rows;
    std::vector<int> beyond;
    for (int row = 0; row < rows; ++row)
      if (r.segment(width * row, width).lpNorm<Eigen::Infinity>() > options_.outlier) beyond.push_back(row);
    // Many at once are no outliers but a motion that does not fit.
    if (beyond.empty() || static_cast<int>(beyond.size()) > rows / 8) continue;
    for (const int row : beyond) recording.rollout->rejected[static_cast<std::size_t>(row)] = 1;
    log.push_back(fmt::format("{}: {} rows beyond {:g} sigma are excluded, the first at {:.4g} s", recording.track.name,
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
      if (Hop(point, rows, kLastLook + quarter, false)) Solve(point, 12, 1e-4, options_.search_huber);
    }
    settled_ = true;
  }
  LeastSquaresSummary end;
  for (int round = 0; round < 5; ++round) {
    UpdateNoise();
    end = Solve(point, 25, 1e-8, options_.huber);
    const int rejected = round < 3 ? RejectOutliers() : 0;
    if (round >= 1 && rejected == 0) break;
  }
  converged = EndedWell(end);
}

void SpatialFit::Judge() {
  const std::optional<SpatialInstance> instance = family_.Compile(point.common);
  if (!instance) return;
  cost = 0;
  degrees_of_freedom = -family_.size() + static_cast<int>(std::count(held.begin(), held.end(), 1));
  for (std::size_t k = 0; k < used.size(); ++k) {
    SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(used[k])];
    Eigen::VectorXd r;
    recording.rollout->Evaluate(*instance, point.local[k], r, nullptr);
    recording.chi2 = r.squaredNorm();
    const std::vector<PoseTracks::Value>& values = recording.rollout->values();
    recording.degrees_of_freedom = -recording.rollout->local_size();
    for (int row = 0; row < recording.track.rows(); ++row)
      for (const PoseTracks::Value& value : values)
        recording.degrees_of_freedom +=
            recording.track.Shows(row, value) && !recording.rollout->rejected[static_cast<std::size_t>(row)];
    degrees_of_freedom += recording.degrees_of_freedom;
    cost += 0.5 * recording.chi2;
    recording.correlation = 0;
    const auto width = static_cast<Eigen::Index>(values.size());
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
                              : recording.NoiseOverScatter();
    const bool exact = recording.place_noise() <= 1e-6 * size;
    recording.problem.clear();
    if (!exact && excess > options_.wrong_noise)
      recording.problem =
          fmt::format("no motion of the model explains it: residuals are {:.3g} times the noise", excess);
    else if (!exact && recording.track.rows() >= 12 && recording.correlation > options_.correlated)
      recording.problem =
          fmt::format("no motion of the model explains it: residuals of neighboring rows correlate by {:.2g}",
                      recording.correlation);
  }
}

bool SpatialFit::SearchAll() {
  used.clear();
  iterations = 0;
  settled_ = false;
  for (const auto& recording : recordings) {
    recording->usable = true;
    for (const ShownKind kind : kShownKinds)
      recording->track.NoiseOf(kind) = recording->scatter[static_cast<std::size_t>(kind)];
  }
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
  if (used.empty() || !FollowPaths()) return false;
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
                  std::pow(recording.place_noise() / recording.place_scatter(), 2);
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
  HoldUnidentified();
  return true;
}

void SpatialFit::HoldUnidentified() {
  const auto analyze = [&](const std::vector<char>& out) {
    const std::optional<ParameterInformation> found = InformationOf(*this, Found(), out);
    const Eigen::MatrixXd nothing = Eigen::MatrixXd::Zero(1, family_.size());
    return found ? *found : AnalyzeInformation(nothing, family_.scale(), kNullDirection);
  };
  information = analyze({});
  // One parameter per direction without effect, then what is vague.
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
    if (information.determined[static_cast<std::size_t>(i)] && !IsIdentified(i)) held[static_cast<std::size_t>(i)] = 1;
  if (std::count(held.begin(), held.end(), 1) == 0) return;
  for (int i = 0; i < family_.size(); ++i)
    if (held[static_cast<std::size_t>(i)]) point.common[i] = family_.start()[i];
  converged = EndedWell(Solve(point, 25, 1e-8, options_.huber));
  Judge();
  // Standard deviations as they are when what is held is unknown, where that leaves the rank as it was.
  const ParameterInformation again = analyze({});
  if (again.rank == information.rank) information = again;
}

Fit SpatialFit::Search(const HeldParameters& hold, const FitPoint* from) {
  Fit fit;
  if (!from) {
    held = hold.empty() ? HeldParameters(static_cast<std::size_t>(family_.size()), 0) : hold;
    fit.found = SearchAll();
    if (!fit.found) return fit;
    fit.point = Found();
    fit.held = held;
    fit.converged = converged;
    fit.covariance = information.covariance;
    for (int k = 0; k < blocks(); ++k) fit.costs.push_back(Of(k).chi2);
    return fit;
  }
  fit.held = held;
  for (std::size_t i = 0; i < hold.size(); ++i) fit.held[i] = fit.held[i] || hold[i];
  BlockPoint at{from->values, from->local.empty() ? point.local : from->local};
  if (drawn_) {
    held = fit.held;
    point = std::move(at);
    Settle();
    at = point;
    fit.converged = converged;
  } else {
    const LeastSquaresSummary end = Minimize(at, fit.held, 30, 1e-8, options_.huber);
    fit.converged = EndedWell(end);
  }
  fit.point = {std::move(at.common), std::move(at.local)};
  fit.costs.assign(used.size(), INFINITY);
  fit.found = true;
  for (int k = 0; k < blocks(); ++k) {
    ResidualBlock block;
    if (Evaluate(k, fit.point, false, block))
      fit.costs[static_cast<std::size_t>(k)] = block.residuals.squaredNorm();
    else
      fit.found = false;
  }
  return fit;
}

std::unique_ptr<FitProblem> SpatialFit::Draw(const Fit& fit, Random& random) const {
  const std::optional<SpatialInstance> instance = family_.Compile(fit.point.values);
  if (!instance) return nullptr;
  std::vector<PoseTracks> tracks;
  std::vector<int> all;
  for (int k = 0; k < blocks(); ++k) {
    all.push_back(k);
    Random own = random.Split(static_cast<std::uint64_t>(k));
    PoseTracks& track = tracks.emplace_back(Of(k).track);
    RolloutResult motion;
    if (!Of(k).rollout->Predict(*instance, fit.point.local[static_cast<std::size_t>(k)], track.rows(), motion))
      return nullptr;
    for (std::size_t i = 0; i < track.pose.size(); ++i) {
      Vector6<double> noise;
      for (int c = 0; c < 6; ++c) noise[c] = (c < 3 ? track.noise_position : track.noise_angle) * own.Normal();
      track.pose[i] = BoxPlus<double>(motion.poses[i], noise);
    }
    const std::size_t points = track.points.size();
    for (std::size_t i = 0; i < motion.points.size(); ++i) {
      Eigen::Vector3d& shown = track.points[i % points].position[i / points];
      if (!shown.allFinite()) continue;
      for (int c = 0; c < 3; ++c) shown[c] = motion.points[i][c] + track.noise_point * own.Normal();
    }
  }
  auto drawn = std::make_unique<SpatialFit>(family_, std::move(tracks), options_);
  drawn->Adopt(*this, all);
  drawn->drawn_ = true;
  return drawn;
}

std::unique_ptr<FitProblem> SpatialFit::Subset(const std::vector<int>& blocks) const {
  std::vector<PoseTracks> tracks;
  for (const int block : blocks) tracks.push_back(Of(block).track);
  auto subset = std::make_unique<SpatialFit>(family_, std::move(tracks), options_);
  subset->Adopt(*this, blocks);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const SpatialRecordingFit& own = Of(blocks[k]);
    SpatialRecordingFit& recording = *subset->recordings[k];
    for (const ShownKind kind : kShownKinds) recording.track.NoiseOf(kind) = own.track.NoiseOf(kind);
    recording.scatter = own.scatter;
  }
  return subset;
}

void SpatialFit::Adopt(const SpatialFit& other, const std::vector<int>& blocks) {
  point = {other.point.common, {}};
  held = other.held;
  settled_ = true;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const SpatialRollout& own = *other.Of(blocks[k]).rollout;
    SpatialRecordingFit& recording = *recordings[k];
    recording.rollout = std::make_unique<SpatialRollout>(family_, recording.track);
    recording.rollout->reference = own.reference;
    recording.rollout->window = own.window;
    recording.rollout->rejected = own.rejected;
    used.push_back(static_cast<int>(k));
    point.local.push_back(other.point.local[static_cast<std::size_t>(blocks[k])]);
  }
}

void SpatialFit::TakeMotion(const State& start) {
  used.clear();
  point = {family_.start(), {}};
  for (std::size_t k = 0; k < recordings.size(); ++k) {
    SpatialRecordingFit& recording = *recordings[k];
    recording.rollout = std::make_unique<SpatialRollout>(family_, recording.track);
    recording.rollout->reference = {start, recording.rollout->FullBasis()};
    used.push_back(static_cast<int>(k));
    point.local.push_back(Eigen::VectorXd::Zero(recording.rollout->local_size()));
  }
}

bool SpatialFit::IsIdentified(int index) const {
  if (!information.determined[static_cast<std::size_t>(index)]) return false;
  const double size = std::max(family_.scale()[index], std::abs(point.common[index]));
  return std::sqrt(information.covariance(index, index)) < options_.vague * size;
}

double SpatialFit::Rise(int index, double value) const {
  BlockPoint at = point;
  at.common[index] = value;
  std::vector<char> hold = held;
  hold[static_cast<std::size_t>(index)] = 1;
  const LeastSquaresSummary end = Minimize(at, hold, 15, 1e-4, options_.huber);
  return end.end == LeastSquaresEnd::kFailed ? INFINITY : 2 * (end.cost - cost);
}

bool SpatialFit::Predict(int block, RolloutResult& out) const {
  const std::optional<SpatialInstance> instance = family_.Compile(point.common);
  return instance && Of(block).rollout->Predict(*instance, point.local[static_cast<std::size_t>(block)],
                                                Of(block).track.rows(), out);
}

}  // namespace ricochet
