// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial_fit.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "core/threads.h"
#include "estimators/spatial_start.h"

namespace ricochet {
namespace {

constexpr int kLeastWindow = 6;          // rows of the first window
constexpr double kFollows = 8;           // sigma within which a prediction follows the data
constexpr double kNull = 1e-7;           // relative singular value below which a direction has no effect
constexpr std::size_t kMostStarts = 36;  // combinations of start values
constexpr double kGoodNoise = 1.7;       // residuals over scatter up to which a path is taken for right

/// The residuals of one recording alone.
class OneRecording final : public BlockResiduals {
 public:
  OneRecording(const SpatialFamily& family, const SpatialRollout& rollout) : family_(family), rollout_(rollout) {}
  int blocks() const override { return 1; }
  int local_size(int) const override { return rollout_.local_size(); }
  int common_size() const override { return family_.size(); }
  bool SetCommon(const Eigen::VectorXd& common) override {
    instance_ = family_.Compile(common);
    return instance_.has_value();
  }
  bool Evaluate(int, const Eigen::VectorXd& local, Eigen::VectorXd& residuals, Eigen::MatrixXd* jacobian) override {
    return rollout_.Evaluate(*instance_, local, residuals, jacobian);
  }

 private:
  const SpatialFamily& family_;
  const SpatialRollout& rollout_;
  std::optional<SpatialInstance> instance_;
};

/// Share of each row in its own prediction.
Eigen::VectorXd Leverages(const Eigen::MatrixXd& jacobian) {
  Eigen::MatrixXd scaled = jacobian;
  for (Eigen::Index i = 0; i < scaled.cols(); ++i)
    if (const double norm = scaled.col(i).norm(); norm > 0) scaled.col(i) /= norm;
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(scaled);
  const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(jacobian.rows(), qr.rank());
  return q.rowwise().squaredNorm();
}

double PriorDeviation(const SpatialFamily& family, int index, double centre) {
  const Quantity quantity = family.quantity(index);
  if (quantity == Quantity::kFriction || quantity == Quantity::kRestitution) return 0.4;
  return std::max(std::abs(centre), 0.1 * family.scale()[index]);
}

}  // namespace

SpatialFit::SpatialFit(const SpatialFamily& family, std::vector<SpatialTrack> tracks, const SpatialFitOptions& options)
    : family_(family), options_(options) {
  for (SpatialTrack& track : tracks) {
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

std::vector<Eigen::VectorXd> SpatialFit::StartValues() const {
  std::vector<Eigen::VectorXd> values = {family_.start()};
  for (int i = 0; i < family_.size(); ++i) {
    const double own = family_.start()[i];
    std::vector<double> others;
    const SelectedParameter& selected = family_.wanted()[static_cast<std::size_t>(i)];
    if (selected.denominator) continue;
    const std::string& path = selected.path;
    if (family_.quantity(i) == Quantity::kFriction) others = {0.1, 0.3, 0.6};
    if (family_.quantity(i) == Quantity::kRestitution) others = {0.1, 0.5};
    if (family_.quantity(i) == Quantity::kLength && path.find("patch") != std::string::npos) others = {0.3 * own, 3 * own};
    const std::size_t before = values.size();
    for (const double other : others) {
      if (before * 2 > kMostStarts) break;
      for (std::size_t k = 0; k < before && values.size() < kMostStarts; ++k) {
        values.push_back(values[k]);
        values.back()[i] = other;
      }
    }
  }
  return values;
}

double SpatialFit::Plausibility(const Eigen::VectorXd& common) {
  const std::optional<SpatialInstance> instance = family_.Compile(common);
  if (!instance) return INFINITY;
  const int count = std::min<int>(options_.search_recordings, static_cast<int>(used.size()));
  std::vector<double> sums(static_cast<std::size_t>(count), INFINITY);
  ParallelFor(count, [&](int k) {
    SpatialRollout& rollout = *recordings[static_cast<std::size_t>(used[static_cast<std::size_t>(k)])]->rollout;
    SpatialRollout whole = rollout;
    whole.window = rollout.track().rows();
    Eigen::VectorXd residuals;
    if (!whole.Evaluate(*instance, Eigen::VectorXd::Zero(whole.local_size()), residuals, nullptr)) return;
    double sum = 0;
    for (const double r : residuals) sum += std::log1p(r * r / 100);
    sums[static_cast<std::size_t>(k)] = sum;
  });
  double sum = 0;
  for (const double each : sums) sum += each;
  return sum;
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
  return summary;
}

double SpatialFit::Grow(BlockPoint& at) {
  prior_ = at.common;
  for (const int index : used) {
    SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(index)];
    recording.rollout->window = recording.start_rows;
  }
  for (;;) {
    // Add rows where the prediction follows the data, or a quarter more.
    const std::optional<SpatialInstance> instance = family_.Compile(at.common);
    if (!instance) return INFINITY;
    ParallelFor(static_cast<int>(used.size()), [&](int k) {
      SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(used[static_cast<std::size_t>(k)])];
      SpatialRollout& rollout = *recording.rollout;
      const int rows = recording.track.rows();
      if (rollout.window == rows) return;
      int next = std::min(rows, rollout.window + std::max(3, rollout.window / 4));
      SpatialRollout whole = rollout;
      whole.window = rows;
      Eigen::VectorXd residuals;
      if (whole.Evaluate(*instance, at.local[static_cast<std::size_t>(k)], residuals, nullptr)) {
        const int width = static_cast<int>(residuals.size()) / rows;
        while (next < rows && residuals.segment(width * next, width).lpNorm<Eigen::Infinity>() < kFollows) ++next;
      }
      rollout.window = next;
    });
    bool whole = true;
    for (const int index : used) {
      const SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(index)];
      whole = whole && recording.rollout->window == recording.track.rows();
    }
    const LeastSquaresSummary end = Solve(at, 12, whole ? 1e-4 : 1e-2, options_.search_huber, !whole);
    if (end.end == LeastSquaresEnd::kFailed) return INFINITY;
    if (whole) return end.cost;
  }
}

bool SpatialFit::Search() {
  std::vector<std::pair<double, Eigen::VectorXd>> ranked;
  for (const Eigen::VectorXd& values : StartValues()) {
    const Eigen::VectorXd inside = values.cwiseMax(family_.lower()).cwiseMin(family_.upper());
    ranked.emplace_back(Plausibility(inside), inside);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  double least = INFINITY;
  for (int k = 0; k < std::min<int>(options_.paths, static_cast<int>(ranked.size())); ++k) {
    if (!std::isfinite(ranked[static_cast<std::size_t>(k)].first)) break;
    BlockPoint at{ranked[static_cast<std::size_t>(k)].second, {}};
    for (const int index : used)
      at.local.push_back(
          Eigen::VectorXd::Zero(recordings[static_cast<std::size_t>(index)]->rollout->local_size()));
    const double end = Grow(at);
    if (end < least) {
      least = end;
      point = at;
    }
    // With this many residuals noise alone leaves a cost of half their number.
    double rows = 0;
    for (const int index : used) rows += recordings[static_cast<std::size_t>(index)]->rollout->residual_size();
    if (2 * least < kGoodNoise * kGoodNoise * rows) break;
  }
  return std::isfinite(least);
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
      recording.problem = fmt::format("no motion of the model explains it: residuals are {:.3g} times the noise", excess);
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
    // One bad recording of several goes, the worst first.
    int worst = -1;
    double excess = 0;
    for (std::size_t k = 0; k < used.size(); ++k) {
      const SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(used[k])];
      if (recording.problem.empty() || used.size() == 1) continue;
      const double size = recording.chi2 / std::max(1, recording.degrees_of_freedom) *
                          std::pow(recording.track.noise_position / recording.scatter_position, 2);
      if (size > excess) excess = size, worst = static_cast<int>(k);
    }
    if (worst < 0) break;
    recordings[static_cast<std::size_t>(used[static_cast<std::size_t>(worst)])]->usable = false;
    used.erase(used.begin() + worst);
    point.local.erase(point.local.begin() + worst);
  }

  // What the data cannot tell is held at the scene's value, one number per direction without effect.
  for (int round = 0; round < family_.size() + 1; ++round) {
    const Eigen::MatrixXd reduced = ReducedCommonJacobian(*this, point);
    if (round == 0) information = AnalyzeInformation(reduced, family_.scale(), kNull);
    Eigen::MatrixXd rest = reduced;
    for (int i = 0; i < family_.size(); ++i)
      if (held[static_cast<std::size_t>(i)]) rest.col(i).setZero();
    const ParameterInformation now = AnalyzeInformation(rest, family_.scale(), kNull);
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
    point.common[next] = family_.start()[next];
  }
  if (std::count(held.begin(), held.end(), 1) > 0) {
    Solve(point, 25, 1e-8, options_.huber, false);
    Judge();
    const ParameterInformation again =
        AnalyzeInformation(ReducedCommonJacobian(*this, point), family_.scale(), kNull);
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

double SpatialFit::Rise(int index, double value) {
  BlockPoint at = point;
  at.common[index] = value;
  const std::vector<char> before = held;
  held[static_cast<std::size_t>(index)] = 1;
  const LeastSquaresSummary end = Solve(at, 15, 1e-4, options_.huber, false);
  held = before;
  return end.end == LeastSquaresEnd::kFailed ? INFINITY : 2 * (end.cost - cost);
}

bool SpatialFit::Predict(int block, RolloutResult& out) {
  if (!SetCommon(point.common)) return false;
  const SpatialRecordingFit& recording =
      *recordings[static_cast<std::size_t>(used[static_cast<std::size_t>(block)])];
  return recording.rollout->Predict(*instance_, point.local[static_cast<std::size_t>(block)], recording.track.rows(),
                                    out);
}

}  // namespace ricochet
