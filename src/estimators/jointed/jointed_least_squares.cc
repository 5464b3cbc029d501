// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/jointed/jointed_least_squares.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "core/threads.h"
#include "dataset/noise.h"
#include "optimize/marquardt.h"

namespace ricochet {
namespace {

constexpr double kStatePrior = 1e3;  // [rad], [rad/s]
constexpr double kMostLambda = 1e8;
constexpr double kFirstLambda = 1e-3, kFirstLambdaOfOne = 1e-6;  // after an undamped step; of one motion
constexpr int kAttempts = 14;
constexpr double kNoLambda = 1e-8, kLightLambda = 0.1;  // damping that ends; that ends after a good step,
constexpr double kAsHoped = 0.7;                        // which gives this share of what it promised
constexpr double kRounding = 1e-12;                     // of the cost
constexpr int kQuietSteps = 2;
constexpr int kRises = 2;              // steps in a row that may raise the cost of tied states,
constexpr double kRise = 3;            // to this many times the least found
constexpr double kNearly = 0.25;       // of the tolerance: a step that promises less is not worth taking
constexpr double kFollowed = 10;       // mean square of residuals from which one motion can be fitted
constexpr double kStretch = 0.5;       // [s], of a motion that may not follow
constexpr double kFinestNoise = 1e-8;  // [rad], [m]; [1/s] of them: finer than the integration is no noise

}  // namespace

JointedLeastSquares::JointedLeastSquares(const JointedFamily& family, std::vector<JointTrack> given,
                                         JointedFitOptions options)
    : tracks(std::move(given)), family_(family), options_(std::move(options)), motion_(family, options_.step) {
  const bool from_scene = options_.start.size() == 0;
  params = from_scene ? family.parameters().Clamp(family.start()) : options_.start;
  options_.held.resize(static_cast<std::size_t>(family.size()), 0);
  fixed_ = options_.held;
  if (!options_.frictionless) return;
  for (const int i : family.DryFriction())
    if (!fixed_[static_cast<std::size_t>(i)])
      params[i] = std::max(0.0, family.lower()[i]), fixed_[static_cast<std::size_t>(i)] = 1;
}

bool JointedLeastSquares::HoldsAll() const {
  return std::all_of(options_.held.begin(), options_.held.end(), [](char held) { return held != 0; });
}

void JointedLeastSquares::ReleaseDryFriction() {
  for (const int i : family_.DryFriction())
    fixed_[static_cast<std::size_t>(i)] = options_.held[static_cast<std::size_t>(i)];
}

void JointedLeastSquares::MakeSegments(const JointedLevel& level) {
  level_ = level;
  current_ = false;
  segments_.clear();
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const double length = tracks[t].end - tracks[t].start;
    const int count =
        std::isfinite(level.node_spacing) ? std::max(1, static_cast<int>(std::lround(length / level.node_spacing))) : 1;
    std::vector<JointedSegment> of_track = SegmentsOf(tracks[t], static_cast<int>(t), count);
    std::move(of_track.begin(), of_track.end(), std::back_inserter(segments_));
  }
}

void JointedLeastSquares::NodesFromTracks() {
  current_ = false;
  const int n = family_.dof();
  nodes_.assign(tracks.size(), {});
  for (const JointedSegment& segment : segments_) {
    const JointTrack& track = tracks[static_cast<std::size_t>(segment.track)];
    const std::size_t at =
        static_cast<std::size_t>(std::clamp(static_cast<int>(std::lround((segment.start - track.start) / track.grid)),
                                            0, static_cast<int>(track.x.size()) - 1));
    Eigen::VectorXd state(2 * n);
    for (int k = 0; k < n; ++k) {
      state[k] = track.x[at][static_cast<std::size_t>(k)];
      state[n + k] = track.r[at][static_cast<std::size_t>(k)];
    }
    nodes_[static_cast<std::size_t>(segment.track)].push_back(std::move(state));
  }
}

bool JointedLeastSquares::EvaluateAll(const Eigen::VectorXd& at, const JointedNodes& nodes, bool derivatives,
                                      std::vector<JointedSegment>& segments, double& total) const {
  const JointedInstance instance = family_.Compile(at);
  // A trial must not touch what the linearization holds.
  if (&segments != &segments_) {
    segments.resize(segments_.size());
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      segments[i].track = segments_[i].track;
      segments[i].node = segments_[i].node;
      segments[i].start = segments_[i].start;
      segments[i].end = segments_[i].end;
      segments[i].first = segments_[i].first;
      segments[i].last = segments_[i].last;
    }
  }
  ParallelFor(static_cast<int>(segments.size()), [&](int i) {
    JointedSegment& segment = segments[static_cast<std::size_t>(i)];
    const auto track = static_cast<std::size_t>(segment.track);
    segment.path = KnownPath(segment.track, at, nodes[track]);
    motion_.Evaluate(instance, tracks[track], nodes[track][static_cast<std::size_t>(segment.node)], level_, derivatives,
                     segment);
  });
  total = 0;
  for (const JointedSegment& segment : segments) {
    if (!segment.ok) return false;
    total += segment.cost();
    const auto& chain = nodes[static_cast<std::size_t>(segment.track)];
    if (static_cast<std::size_t>(segment.node) + 1 >= chain.size()) continue;
    const JointTrack& track = tracks[static_cast<std::size_t>(segment.track)];
    const Eigen::VectorXd gap = segment.end_state - chain[static_cast<std::size_t>(segment.node) + 1];
    for (int j = 0; j < gap.size(); ++j)
      total += 0.5 * std::pow(gap[j] / motion_.StateSigma(track, j, level_.weight), 2);
  }
  total += PriorCost(at);
  return std::isfinite(total);
}

double JointedLeastSquares::PriorCost(const Eigen::VectorXd& at) const {
  double sum = 0;
  for (int i = 0; i < family_.size(); ++i)
    sum += 0.5 * std::pow((at[i] - family_.start()[i]) / family_.PriorDeviation(i), 2);
  return sum;
}

bool JointedLeastSquares::Linearize() {
  if (!current_) current_ = EvaluateAll(params, nodes_, true, segments_, cost);
  return current_;
}

void JointedLeastSquares::Assemble(double lambda, std::vector<std::vector<ChainBlock>>& chains,
                                   ChainBorder& border) const {
  const int n = 2 * family_.dof(), p = family_.size();
  chains.assign(tracks.size(), {});
  border.C.setZero(p, p);
  border.h.setZero(p);
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    chains[t].resize(nodes_[t].size());
    for (ChainBlock& block : chains[t]) {
      block.D = Eigen::MatrixXd::Identity(n, n) / (kStatePrior * kStatePrior);
      block.B.setZero(n, p);
      block.L.setZero(n, n);
      block.g.setZero(n);
    }
  }
  for (const JointedSegment& segment : segments_) {
    std::vector<ChainBlock>& chain = chains[static_cast<std::size_t>(segment.track)];
    ChainBlock& block = chain[static_cast<std::size_t>(segment.node)];
    for (const JointedPart& part : segment.parts) {
      block.D += part.H.topLeftCorner(n, n);
      block.D.diagonal() += lambda * part.H.diagonal().head(n);
      block.B += part.H.topRightCorner(n, p);
      block.g += part.g.head(n);
      border.C += part.H.bottomRightCorner(p, p);
      border.h += part.g.tail(p);
    }
    if (static_cast<std::size_t>(segment.node) + 1 >= chain.size()) continue;
    ChainBlock& next = chain[static_cast<std::size_t>(segment.node) + 1];
    const JointTrack& track = tracks[static_cast<std::size_t>(segment.track)];
    Eigen::VectorXd w(n);
    for (int j = 0; j < n; ++j) w[j] = 1 / std::pow(motion_.StateSigma(track, j, level_.weight), 2);
    const Eigen::VectorXd gap =
        segment.end_state - nodes_[static_cast<std::size_t>(segment.track)][static_cast<std::size_t>(segment.node) + 1];
    const auto by_state = segment.end_jacobian.leftCols(n);
    const auto by_params = segment.end_jacobian.rightCols(p);
    const Eigen::MatrixXd weighted_state = w.asDiagonal() * by_state, weighted_params = w.asDiagonal() * by_params;
    block.D.noalias() += by_state.transpose() * weighted_state;
    block.B.noalias() += by_state.transpose() * weighted_params;
    block.g.noalias() += weighted_state.transpose() * gap;
    block.L -= weighted_state;
    next.D += w.asDiagonal();
    next.B -= weighted_params;
    next.g -= w.asDiagonal() * gap;
    border.C.noalias() += by_params.transpose() * weighted_params;
    border.h.noalias() += weighted_params.transpose() * gap;
  }
}

Eigen::MatrixXd JointedLeastSquares::Information(Eigen::MatrixXd* direct) const {
  std::vector<std::vector<ChainBlock>> chains;
  ChainBorder border;
  Assemble(0, chains, border);
  if (direct) *direct = border.C;
  for (auto& chain : chains) EliminateChain(chain, border);
  return border.C;
}

JointedLeastSquares::Promise JointedLeastSquares::Step(double lambda, Eigen::VectorXd& step,
                                                       JointedNodes& trial) const {
  const int p = family_.size();
  std::vector<std::vector<ChainBlock>> chains;
  ChainBorder border;
  Assemble(lambda, chains, border);
  for (auto& chain : chains)
    if (!EliminateChain(chain, border)) return {};
  for (int i = 0; i < p; ++i) {
    const double prior = 1 / std::pow(family_.PriorDeviation(i), 2);
    border.C(i, i) += prior + lambda * std::max(border.C(i, i), 0.0);
    border.h[i] += prior * (params[i] - family_.start()[i]);
  }
  step = family_.BoundedStep(border, params, fixed_);
  if (!step.allFinite()) return {};
  trial = nodes_;
  Promise promise;
  promise.numbers = 0.5 * step.dot(border.C * step);
  promise.all = -border.h.dot(step) - promise.numbers;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    std::vector<Eigen::VectorXd> steps;
    SubstituteChain(chains[t], step, steps);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      trial[t][k] += steps[k];
      // The eliminated gradient is lower^-1 g: its square is twice the decrease of that block.
      promise.all += 0.5 * chains[t][k].g.squaredNorm();
    }
  }
  return promise;
}

bool JointedLeastSquares::IsSmall(const Promise& promise, double tolerance) const {
  if (promise.all < tolerance) return true;
  // Of one motion the start states are of no interest: each may be uncertain within its standard deviation, which
  // friction can make the edge of another motion.
  const bool one_motion = level_.one_motion() && !HoldsAll() && !deviance_counts_;
  return one_motion && promise.numbers < tolerance &&
         promise.all < 0.5 * 2 * family_.dof() * static_cast<double>(tracks.size());
}

/// Undamped while steps give what they promise; kinks of friction call for damping now and then.
class JointedLeastSquares::Steps final : public MarquardtProblem, public Damping, public StoppingRule {
 public:
  Steps(JointedLeastSquares& fit, double least, double share, bool until_followed)
      : Damping(0), fit_(fit), least_(least), share_(share), until_followed_(until_followed) {}

  // The problem.
  bool Linearize() override {
    if (!fit_.Linearize()) return false;
    cost = fit_.cost;
    return true;
  }
  bool Prepare() override {
    first_ = true;
    undamped_ = fit_.Step(0, step_, trial_);
    return true;
  }
  MarquardtStep Propose(double lambda) override {
    predicted_ = first_ && lambda == 0 ? undamped_ : fit_.Step(lambda, step_, trial_);
    return {.predicted = predicted_.all, .solved = std::isfinite(predicted_.all)};
  }
  double TrialCost() override {
    // With derivatives at once: most steps are taken. After a step that was not, values come first.
    ++fit_.evaluations_;
    linearized_ = std::exchange(first_, false);
    double found = INFINITY;
    const bool computed =
        fit_.EvaluateAll(fit_.family_.Moved(fit_.params, step_), trial_, linearized_, fit_.trial_, found);
    return computed ? found : INFINITY;
  }
  double Take() override {
    fit_.params = fit_.family_.Moved(fit_.params, step_);
    fit_.nodes_ = trial_;
    fit_.cost = cost;
    fit_.current_ = linearized_;
    if (linearized_) std::swap(fit_.segments_, fit_.trial_);
    ++fit_.iterations;
    const double length = std::sqrt(2 * std::max(predicted_.all, 0.0));
    fit_.trace.back().cost.push_back(cost);
    fit_.trace.back().step.push_back(length);
    return length;
  }
  void Keep() override { kept_params_ = fit_.params, kept_nodes_ = fit_.nodes_; }
  void Return() override {
    fit_.params = kept_params_, fit_.nodes_ = kept_nodes_;
    fit_.current_ = false;
  }

  // The damping.
  void Succeed(double gain) override {
    lambda_ = lambda_ < kNoLambda || (gain > kAsHoped && lambda_ < kLightLambda) ? 0 : 0.1 * lambda_;
  }
  bool Fail() override {
    lambda_ = std::max(fit_.level_.weight > 0 ? kFirstLambda : kFirstLambdaOfOne, 10 * lambda_);
    return lambda_ <= kMostLambda;
  }
  void Restart() override { lambda_ = kFirstLambda; }

  // The end.
  std::optional<LeastSquaresEnd> BeforeTrial(const MarquardtStep&, const MarquardtProgress& progress) override {
    if (progress.attempt == 0 && fit_.IsSmall(undamped_, kNearly * Tolerance(progress)))
      return LeastSquaresEnd::kConverged;
    return std::nullopt;
  }
  bool GivesUp(const MarquardtStep& step, const MarquardtProgress& progress) override {
    return step.predicted < 0.1 * Tolerance(progress);
  }
  LeastSquaresEnd WithoutStep(const MarquardtStep&, const MarquardtProgress& progress) override {
    return fit_.IsSmall(undamped_, 10 * Tolerance(progress)) ? LeastSquaresEnd::kConverged : LeastSquaresEnd::kStalled;
  }
  bool AfterStep(const MarquardtStep& step, const MarquardtProgress& progress) override {
    if (until_followed_ && fit_.Follows()) return true;
    if (progress.decrease < 0) {
      quiet_ = 0;
      return false;
    }
    // Both must be small: what was hoped for and what was found.
    const double tolerance = Tolerance(progress);
    if (progress.decrease < std::max(tolerance, undamped_.all) && fit_.IsSmall(undamped_, tolerance)) return true;
    // Where friction makes the cost uneven, undamped steps may never be taken: damped ones that gain nothing end it.
    quiet_ = std::max(step.predicted, progress.decrease) < tolerance ? quiet_ + 1 : 0;
    return quiet_ >= kQuietSteps;
  }

 private:
  double Tolerance(const MarquardtProgress& progress) const { return std::max(least_, share_ * progress.cost); }

  JointedLeastSquares& fit_;
  double least_, share_;
  bool until_followed_;
  bool first_ = true, linearized_ = false;  // no step was tried from here; the trial has derivatives
  Promise undamped_, predicted_;
  Eigen::VectorXd step_, kept_params_;
  JointedNodes trial_, kept_nodes_;
  int quiet_ = 0;
};

bool JointedLeastSquares::Minimize(double least, double share, bool until_followed) {
  if (!Linearize()) return false;
  BeginStage();
  Steps steps(*this, least, share, until_followed);
  const MarquardtOptions options{.max_iterations = options_.iterations,
                                 .max_attempts = kAttempts,
                                 .max_trials = options_.evaluations - evaluations_,
                                 .rounding = kRounding,
                                 .rises = level_.weight > 0 ? kRises : 0,
                                 .most_rise = kRise};
  const LeastSquaresSummary summary = RunMarquardt(steps, steps, steps, options);
  return Linearize() && summary.end == LeastSquaresEnd::kConverged;
}

void JointedLeastSquares::BeginStage() {
  const char* name = level_.weight == 0  ? "one motion per recording"
                     : level_.weight < 1 ? "states tied between nodes"
                                         : "states free between nodes";
  trace.push_back({name, {cost}, {0.0}});
}

bool JointedLeastSquares::Follows() {
  const JointedInstance instance = family_.Compile(params);
  std::vector<KnownMotion> motions;
  double sum = 0;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    KnownMotion motion{params, nodes_[t].front(), {}};
    Eigen::VectorXd state = motion.start;
    // Stretch by stretch, because most motions that part from the recording do so early.
    const int stretches = std::max(1, static_cast<int>((tracks[t].end - tracks[t].start) / kStretch));
    for (JointedSegment& part : SegmentsOf(tracks[t], static_cast<int>(t), stretches)) {
      motion_.Evaluate(instance, tracks[t], state, {}, false, part);
      if (!part.ok) return false;
      sum += 2 * part.cost();
      if (!(sum < kFollowed * observations)) return false;
      state = part.end_state;
      motion.path.steps.insert(motion.path.steps.end(), part.path.steps.begin(), part.path.steps.end());
    }
    motions.push_back(std::move(motion));
  }
  known_ = std::move(motions);
  return true;
}

void JointedLeastSquares::KeepMotions(const Eigen::VectorXd& before) {
  for (KnownMotion& motion : known_)
    if (motion.values == before) motion.values = params;
}

void JointedLeastSquares::UpdateNoise() {
  const int unknowns = 2 * family_.dof();
  std::vector<std::vector<double>> squares(tracks.size()), factor(tracks.size());
  for (std::size_t t = 0; t < tracks.size(); ++t) squares[t].assign(tracks[t].channels.size(), 0.0);
  for (const JointedSegment& segment : segments_)
    for (std::size_t c = 0; c < segment.channel_squares.size(); ++c)
      squares[static_cast<std::size_t>(segment.track)][c] += segment.channel_squares[c];
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    JointTrack& track = tracks[t];
    factor[t].assign(track.channels.size(), 1.0);
    for (std::size_t c = 0; c < track.channels.size(); ++c) {
      JointChannel& channel = track.channels[c];
      if (channel.given || channel.rounded) continue;
      // Each channel pays its share of the unknowns.
      const double share = (unknowns + static_cast<double>(family_.size()) / static_cast<double>(tracks.size())) /
                           static_cast<double>(track.channels.size());
      const ResidualSquares left{squares[t][c], channel.observations - share};
      const double noise = left.Noise(channel.noise, kFinestNoise, 1);
      factor[t][c] = channel.noise / noise;
      channel.noise = noise;
    }
  }
  // With one part per channel the linearization stays good.
  if (!level_.one_motion()) {
    current_ = false;
    return;
  }
  cost = PriorCost(params);
  for (JointedSegment& segment : segments_) {
    const std::vector<double>& by = factor[static_cast<std::size_t>(segment.track)];
    for (std::size_t c = 0; c < by.size(); ++c) {
      segment.channel_squares[c] *= by[c] * by[c];
      segment.parts[c].H *= by[c] * by[c];
      segment.parts[c].g *= by[c] * by[c];
    }
    const JointTrack& track = tracks[static_cast<std::size_t>(segment.track)];
    for (std::size_t i = segment.first; i < segment.last; ++i)
      segment.residuals[i - segment.first] *= by[static_cast<std::size_t>(track.channel_of[i])];
    cost += segment.cost();
  }
}

bool JointedLeastSquares::Evaluate(int track, const Eigen::VectorXd& values, const std::vector<Eigen::VectorXd>& nodes,
                                   bool derivatives, JointedRows& out) const {
  const auto t = static_cast<std::size_t>(track);
  if (!derivatives && nodes.size() == 1 && current_ && values == params && nodes == nodes_[t])
    for (const JointedSegment& segment : segments_)
      if (segment.track == track) {
        out.residuals = Eigen::Map<const Eigen::VectorXd>(segment.residuals.data(),
                                                          static_cast<Eigen::Index>(segment.residuals.size()));
        return out.residuals.allFinite();
      }
  return motion_.Rows(tracks[t], values, nodes, level_, tie, KnownPath(track, values, nodes), derivatives, out);
}

bool JointedLeastSquares::Predict(int track, std::vector<double>& residuals, std::vector<double>* values) const {
  const JointedInstance instance = family_.Compile(params);
  const std::size_t t = static_cast<std::size_t>(track);
  residuals.assign(tracks[t].observations.size(), 0.0);
  if (values) values->assign(residuals.size(), 0.0);
  for (const JointedSegment& of : segments_) {
    if (of.track != track) continue;
    JointedSegment segment;
    segment.track = of.track, segment.start = of.start, segment.end = of.end;
    segment.first = of.first, segment.last = of.last;
    motion_.Evaluate(instance, tracks[t], nodes_[t][static_cast<std::size_t>(of.node)], level_, false, segment, values);
    if (!segment.ok) return false;
    std::copy(segment.residuals.begin(), segment.residuals.end(),
              residuals.begin() + static_cast<std::ptrdiff_t>(segment.first));
  }
  return true;
}

FlowPath JointedLeastSquares::KnownPath(int track, const Eigen::VectorXd& values,
                                        const std::vector<Eigen::VectorXd>& nodes) const {
  const std::size_t t = static_cast<std::size_t>(track);
  if (nodes.size() != 1 || level_.coarse) return {};
  if (current_ && values == params && nodes == nodes_[t])
    for (const JointedSegment& segment : segments_)
      if (segment.track == track) return segment.path;
  if (t >= known_.size() || nodes.front() != known_[t].start) return {};
  const Eigen::Index own = known_[t].values.size(), more = values.size() - own;
  const bool same =
      more >= 0 && values.head(own) == known_[t].values && values.tail(more) == family_.start().tail(more);
  return same ? known_[t].path : FlowPath{};
}

void JointedLeastSquares::TakeMotions(const JointedLeastSquares& other) {
  known_.clear();
  for (std::size_t t = 0; t < other.nodes_.size(); ++t)
    known_.push_back(
        {other.params, other.nodes_[t].front(), other.KnownPath(static_cast<int>(t), other.params, other.nodes_[t])});
}

void JointedLeastSquares::TakeNoise(const std::vector<JointTrack>& of) {
  tracks = of;
  current_ = false;
}

double JointedLeastSquares::Deviance(int track) const {
  JointedRows rows;
  return Evaluate(track, params, nodes_[static_cast<std::size_t>(track)], false, rows) ? rows.residuals.squaredNorm()
                                                                                       : INFINITY;
}

bool JointedLeastSquares::Motion(int track, const std::vector<double>& times, std::vector<EstimatedJoint>& out) const {
  return MotionAt(params, nodes_[static_cast<std::size_t>(track)], track, times, out);
}

bool JointedLeastSquares::MotionAt(const Eigen::VectorXd& values, const std::vector<Eigen::VectorXd>& nodes, int track,
                                   const std::vector<double>& times, std::vector<EstimatedJoint>& out) const {
  return motion_.Read(tracks[static_cast<std::size_t>(track)], values, nodes, KnownPath(track, values, nodes), times,
                      out);
}

}  // namespace ricochet
