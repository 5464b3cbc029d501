// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/mechanism/inverse_dynamics_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "core/threads.h"
#include "optimize/marquardt.h"

namespace ricochet {
namespace {

constexpr double kRatePerPlace = 10;  // [1/s], standard deviation of rates over that of positions between nodes
constexpr double kPrior = 20;         // sizes of a number: so far the start value holds what no data determine
constexpr double kStatePrior = 1e3;   // [rad], [rad/s]
constexpr double kMostLambda = 1e8;
constexpr double kFirstLambda = 1e-3, kFirstLambdaOfOne = 1e-6;  // after an undamped step; of one motion
constexpr int kAttempts = 14;
constexpr double kNoLambda = 1e-8, kLightLambda = 0.1;  // damping that ends; that ends after a good step,
constexpr double kAsHoped = 0.7;                        // which gives this share of what it promised
constexpr double kRounding = 1e-12;                     // of the cost
constexpr int kQuietSteps = 2;
constexpr int kRises = 2;                  // steps in a row that may raise the cost of tied states,
constexpr double kRise = 3;                // to this many times the least found
constexpr double kNearly = 0.25;           // of the tolerance: a step that promises less is not worth taking
constexpr int kEquationPasses = 2;         // equations of motion are linear in most numbers
constexpr int kEquationRows = 2000;        // of a recording
constexpr double kFlowTolerance = 1e-8;    // [rad] per step,
constexpr double kCoarseTolerance = 1e-7;  // and of a start

/// Rows of derivatives on their way to normal equations: many at a time take a fifth of the work.
class RowBuffer {
 public:
  explicit RowBuffer(Eigen::Index size) : rows_(size, kRows), residuals_(kRows) {}

  /// Returns whether it is full.
  bool Add(const Eigen::RowVectorXd& row, double residual) {
    rows_.col(count_) = row;
    residuals_[count_++] = residual;
    return count_ == kRows;
  }
  /// Adds its rows to the normal equations, whose lower half counts.
  void Empty(Eigen::MatrixXd& H, Eigen::VectorXd& g) {
    if (count_ == 0) return;
    const auto rows = rows_.leftCols(count_);
    H.selfadjointView<Eigen::Lower>().rankUpdate(rows);
    g.noalias() += rows * residuals_.head(count_);
    count_ = 0;
  }

 private:
  static constexpr Eigen::Index kRows = 64;
  Eigen::MatrixXd rows_;
  Eigen::VectorXd residuals_;
  Eigen::Index count_ = 0;
};

}  // namespace

JointedFit::JointedFit(const JointedFamily& family, std::vector<JointTrack> given, JointedFitOptions options)
    : tracks(std::move(given)), family_(family), options_(std::move(options)) {
  const bool from_scene = options_.start.size() == 0;
  params = from_scene ? family.parameters().Clamp(family.start()) : options_.start;
  options_.held.resize(static_cast<std::size_t>(family.size()), 0);
  fixed_ = options_.held;
  if (!options_.frictionless) return;
  for (const int i : family.DryFriction())
    if (!fixed_[static_cast<std::size_t>(i)])
      params[i] = std::max(0.0, family.lower()[i]), fixed_[static_cast<std::size_t>(i)] = 1;
}

bool JointedFit::HoldsAll() const {
  return std::all_of(options_.held.begin(), options_.held.end(), [](char held) { return held != 0; });
}

void JointedFit::ReleaseDryFriction() {
  for (const int i : family_.DryFriction())
    fixed_[static_cast<std::size_t>(i)] = options_.held[static_cast<std::size_t>(i)];
}

double JointedFit::Sigma(const JointTrack& track, std::size_t observation) const {
  const JointChannel& channel = track.channels[static_cast<std::size_t>(track.channel_of[observation])];
  return channel.rounded ? track.observations[observation].sigma : channel.noise;
}

double JointedFit::StateSigma(const JointTrack& track, int index, double weight) const {
  const int n = family_.dof(), k = index % n;
  double sigma = 1e-3;
  for (const JointChannel& channel : track.channels)
    if (channel.dof == k && !channel.rate) sigma = channel.noise;
  return weight * sigma * (index < n ? 1.0 : kRatePerPlace);
}

void JointedFit::StartFromEquations() {
  const TreeMechanism& mechanism = family_.mechanism();
  const int n = family_.dof(), p = family_.size();
  for (int pass = 0; pass < kEquationPasses; ++pass) {
    // Normal equations of each coordinate's equation of motion; their weights follow from what is left of each.
    const JointedInstance instance = family_.Compile(params);
    std::vector<Eigen::MatrixXd> H(static_cast<std::size_t>(n), Eigen::MatrixXd::Zero(p, p));
    std::vector<Eigen::VectorXd> g(static_cast<std::size_t>(n), Eigen::VectorXd::Zero(p));
    std::vector<double> squares(static_cast<std::size_t>(n), 0.0);
    TreeRows by;
    TreeWorkspace ws;
    int count = 0;
    for (const JointTrack& track : tracks) {
      std::vector<double> u(track.inputs.size(), 0.0);
      const int size = static_cast<int>(track.x.size()), edge = std::min(size / 10, 20);
      const int stride = std::max({1, static_cast<int>(std::lround(5e-3 / track.grid)), size / kEquationRows});
      for (int i = edge; i < size - edge; i += stride) {
        const std::size_t at = static_cast<std::size_t>(i);
        track.inputs.At(track.start + i * track.grid, InputSignal::Side::kAfter, u);
        TreeMechanism::Modes modes;
        modes.fill(1);
        bool slow = false;
        for (int k = 0; k < n; ++k) {
          modes[static_cast<std::size_t>(k)] = track.r[at][static_cast<std::size_t>(k)] < 0 ? -1 : 1;
          slow = slow || (family_.slides()[static_cast<std::size_t>(k)] &&
                          std::abs(track.r[at][static_cast<std::size_t>(k)]) < 0.05);
        }
        if (slow) continue;
        TreeMechanism::Vector E{};
        mechanism.Residual(instance.constants, track.x[at].data(), track.r[at].data(), track.a[at].data(), u, modes,
                           instance.parameters, ws, E.data(), &by);
        ++count;
        for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
          const auto row = by.row(static_cast<Eigen::Index>(k));
          squares[k] += E[k] * E[k];
          H[k].selfadjointView<Eigen::Lower>().rankUpdate(row.transpose());
          g[k].noalias() += E[k] * row.transpose();
        }
      }
    }
    if (count < p) return;
    Eigen::VectorXd step = Eigen::VectorXd::Zero(p);
    for (int round = 0; round < 4; ++round) {
      ChainBorder border{Eigen::MatrixXd::Zero(p, p), Eigen::VectorXd::Zero(p)};
      for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
        const double left = squares[k] + 2 * g[k].dot(step) + step.dot(H[k].selfadjointView<Eigen::Lower>() * step);
        const double weight = count / std::max(left, 1e-9 * squares[k] + 1e-300);
        border.C += weight * Eigen::MatrixXd(H[k].selfadjointView<Eigen::Lower>());
        border.h += weight * g[k];
      }
      for (int i = 0; i < p; ++i) {
        const double prior = 1 / std::pow(kPrior * family_.scale()[i], 2);
        border.C(i, i) += prior;
        border.h[i] += prior * (params[i] - family_.start()[i]);
      }
      step = SolveParameters(border);
    }
    params = family_.parameters().Clamp(params + step);  // the equations are linear: the solution may be far
  }
}

double JointedFit::Segment::cost() const {
  double sum = 0;
  for (const double squares : channel_squares) sum += 0.5 * squares;
  return sum;
}

std::vector<JointedFit::Segment> JointedFit::SegmentsOf(int of, int count) const {
  const JointTrack& track = tracks[static_cast<std::size_t>(of)];
  const double length = track.end - track.start;
  std::vector<Segment> out;
  std::size_t first = 0;
  for (int k = 0; k < count; ++k) {
    Segment segment;
    segment.track = of;
    segment.node = k;
    segment.start = track.start + length * k / count;
    segment.end = k + 1 == count ? track.end : track.start + length * (k + 1) / count;
    segment.first = first;
    while (first < track.observations.size() && (k + 1 == count || track.observations[first].time < segment.end))
      ++first;
    segment.last = first;
    out.push_back(std::move(segment));
  }
  return out;
}

void JointedFit::MakeSegments(const Level& level) {
  level_ = level;
  current_ = false;
  segments_.clear();
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const double length = tracks[t].end - tracks[t].start;
    const int count =
        std::isfinite(level.node_spacing) ? std::max(1, static_cast<int>(std::lround(length / level.node_spacing))) : 1;
    std::vector<Segment> of_track = SegmentsOf(static_cast<int>(t), count);
    for (Segment& segment : of_track) segment.coarse = level.coarse;
    std::move(of_track.begin(), of_track.end(), std::back_inserter(segments_));
  }
}

void JointedFit::NodesFromTracks() {
  current_ = false;
  const int n = family_.dof();
  nodes_.assign(tracks.size(), {});
  for (const Segment& segment : segments_) {
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

void JointedFit::EvaluateSegment(const JointedInstance& instance, const Eigen::VectorXd& state, bool derivatives,
                                 Segment& segment, std::vector<double>* values, const RowSink* sink,
                                 std::vector<MotionMark>* marks) const {
  const JointTrack& track = tracks[static_cast<std::size_t>(segment.track)];
  const int n = family_.dof(), p = family_.size(), m = 2 * n + p;
  const bool by_channel = !std::isfinite(level_.node_spacing);
  FlowOptions options;
  options.step = options_.step;
  options.tolerance = segment.coarse ? kCoarseTolerance : kFlowTolerance;
  options.kinks = !segment.coarse;
  options.slides = family_.slides();
  const TreeFlow flow(family_.mechanism(), instance.constants, instance.parameters, options);
  TreeMechanism::Vector x{}, r{};
  for (int k = 0; k < n; ++k) x[static_cast<std::size_t>(k)] = state[k], r[static_cast<std::size_t>(k)] = state[n + k];
  segment.channel_squares.assign(track.channels.size(), 0.0);
  segment.residuals.resize(segment.last - segment.first);
  if (derivatives && !sink) {
    segment.parts.resize(by_channel ? track.channels.size() : 1);
    for (Part& part : segment.parts) {
      part.H.setZero(m, m);
      part.g.setZero(m);
    }
  }
  std::vector<RowBuffer> buffers;
  for (std::size_t i = 0; derivatives && !sink && i < segment.parts.size(); ++i) buffers.emplace_back(m);
  const bool late = (instance.delay_by.array() != 0).any();
  std::size_t next = segment.first;
  Eigen::RowVectorXd row(m);
  TreeFlow::End end;
  segment.ok = flow.Run(
      x, r, segment.start, segment.end, track.inputs, derivatives,
      [&](const FlowPiece& piece) {
        const bool last_piece = piece.end >= segment.end - 1e-12;
        for (; next < segment.last; ++next) {
          const JointObservation& observation = track.observations[next];
          const double time = observation.time - instance.delay;
          if (time > piece.end && !last_piece) break;
          const FlowPiece::Reading reading = piece.Read(observation.dof, time);
          const double sigma = Sigma(track, next);
          const auto dof = static_cast<std::size_t>(observation.dof);
          const JointSensor<double>& sensor = instance.sensors[dof];
          const double shown = observation.rate ? sensor.Rate(reading.rate) : sensor.Angle(reading.value);
          const double e = (shown - observation.value) / sigma;
          const std::size_t channel = static_cast<std::size_t>(track.channel_of[next]);
          segment.residuals[next - segment.first] = e;
          if (values) (*values)[next] = shown;
          segment.channel_squares[channel] += e * e;
          if (!derivatives) continue;
          const int k = observation.dof;
          if (observation.rate) {
            // The rate between the ends of a piece: linear in time is enough for its derivative.
            const double s = (time - piece.start) / (piece.end - piece.start), factor = sensor.rate_scale / sigma;
            row = ((1 - s) * factor) * piece.Sr0.row(k) + (s * factor) * piece.Sr1.row(k);
            if (late)
              row.tail(p) -= (((1 - s) * piece.a0[dof] + s * piece.a1[dof]) * factor) * instance.delay_by;
            instance.AddRateBy(k, reading.rate, 1 / sigma, row.tail(p));
          } else {
            std::array<double, 6> w = reading.weights;
            const double factor = sensor.AngleByCoordinate(reading.value) / sigma;
            for (double& each : w) each *= factor;
            row.noalias() = w[0] * piece.Sx0.row(k) + w[1] * piece.Sr0.row(k) + w[2] * piece.Sa0.row(k) +
                            w[3] * piece.Sx1.row(k) + w[4] * piece.Sr1.row(k) + w[5] * piece.Sa1.row(k);
            if (late) row.tail(p) -= (reading.rate * factor) * instance.delay_by;
            instance.AddAngleBy(k, reading.value, 1 / sigma, row.tail(p));
          }
          if (sink) {
            (*sink)(next, e, row);
            continue;
          }
          const std::size_t part = by_channel ? channel : 0;
          if (buffers[part].Add(row, e)) buffers[part].Empty(segment.parts[part].H, segment.parts[part].g);
        }
        if (marks) {
          MotionMark& mark = marks->emplace_back();
          mark.start = piece.start, mark.end = piece.end;
          mark.x = piece.x1, mark.r = piece.r1, mark.a = piece.a1;
          mark.by_start.resize(2 * n, 2 * n);
          mark.by_start << piece.Sx1.leftCols(2 * n), piece.Sr1.leftCols(2 * n);
        }
      },
      end, &segment.path);
  if (!segment.ok) return;
  segment.end_state.resize(2 * n);
  for (int k = 0; k < n; ++k) {
    segment.end_state[k] = end.x[static_cast<std::size_t>(k)];
    segment.end_state[n + k] = end.r[static_cast<std::size_t>(k)];
  }
  if (!derivatives) return;
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].Empty(segment.parts[i].H, segment.parts[i].g);
  if (!sink)
    for (Part& part : segment.parts) part.H.triangularView<Eigen::StrictlyUpper>() = part.H.transpose();
  segment.end_jacobian.resize(2 * n, m);
  segment.end_jacobian << end.Sx, end.Sr;
}

bool JointedFit::EvaluateAll(const Eigen::VectorXd& at, const JointedNodes& nodes, bool derivatives,
                             std::vector<Segment>& segments, double& total) const {
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
      segments[i].coarse = segments_[i].coarse;
    }
  }
  ParallelFor(static_cast<int>(segments.size()), [&](int i) {
    Segment& segment = segments[static_cast<std::size_t>(i)];
    const std::vector<Eigen::VectorXd>& chain = nodes[static_cast<std::size_t>(segment.track)];
    segment.path = KnownPath(segment.track, at, chain);
    EvaluateSegment(instance, chain[static_cast<std::size_t>(segment.node)], derivatives, segment, nullptr, nullptr);
  });
  total = 0;
  for (const Segment& segment : segments) {
    if (!segment.ok) return false;
    total += segment.cost();
    const auto& chain = nodes[static_cast<std::size_t>(segment.track)];
    if (static_cast<std::size_t>(segment.node) + 1 >= chain.size()) continue;
    const JointTrack& track = tracks[static_cast<std::size_t>(segment.track)];
    const Eigen::VectorXd gap = segment.end_state - chain[static_cast<std::size_t>(segment.node) + 1];
    for (int j = 0; j < gap.size(); ++j) total += 0.5 * std::pow(gap[j] / StateSigma(track, j, level_.weight), 2);
  }
  total += PriorCost(at);
  return std::isfinite(total);
}

double JointedFit::PriorCost(const Eigen::VectorXd& at) const {
  double sum = 0;
  for (int i = 0; i < family_.size(); ++i)
    sum += 0.5 * std::pow((at[i] - family_.start()[i]) / (kPrior * family_.scale()[i]), 2);
  return sum;
}

bool JointedFit::Linearize() {
  if (!current_) current_ = EvaluateAll(params, nodes_, true, segments_, cost);
  return current_;
}

void JointedFit::Assemble(double lambda, std::vector<std::vector<ChainBlock>>& chains, ChainBorder& border) const {
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
  for (const Segment& segment : segments_) {
    std::vector<ChainBlock>& chain = chains[static_cast<std::size_t>(segment.track)];
    ChainBlock& block = chain[static_cast<std::size_t>(segment.node)];
    for (const Part& part : segment.parts) {
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
    for (int j = 0; j < n; ++j) w[j] = 1 / std::pow(StateSigma(track, j, level_.weight), 2);
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

Eigen::VectorXd JointedFit::SolveParameters(const ChainBorder& border) const {
  return family_.BoundedStep(border, params, fixed_);
}

JointedFit::Promise JointedFit::Step(double lambda, Eigen::VectorXd& step, JointedNodes& trial) const {
  const int p = family_.size();
  std::vector<std::vector<ChainBlock>> chains;
  ChainBorder border;
  Assemble(lambda, chains, border);
  for (auto& chain : chains)
    if (!EliminateChain(chain, border)) return {};
  for (int i = 0; i < p; ++i) {
    const double prior = 1 / std::pow(kPrior * family_.scale()[i], 2);
    border.C(i, i) += prior + lambda * std::max(border.C(i, i), 0.0);
    border.h[i] += prior * (params[i] - family_.start()[i]);
  }
  step = SolveParameters(border);
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

bool JointedFit::IsSmall(const Promise& promise, double tolerance) const {
  if (promise.all < tolerance) return true;
  // Of one motion the start states are of no interest: each may be uncertain within its standard deviation, which
  // friction can make the edge of another motion.
  const bool one_motion = !std::isfinite(level_.node_spacing) && !HoldsAll() && !deviance_counts_;
  return one_motion && promise.numbers < tolerance &&
         promise.all < 0.5 * 2 * family_.dof() * static_cast<double>(tracks.size());
}

/// Undamped while steps give what they promise; kinks of friction call for damping now and then.
class JointedFit::Steps final : public MarquardtProblem, public Damping, public StoppingRule {
 public:
  Steps(JointedFit& fit, double least, double share, bool until_followed)
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

  JointedFit& fit_;
  double least_, share_;
  bool until_followed_;
  bool first_ = true, linearized_ = false;  // no step was tried from here; the trial has derivatives
  Promise undamped_, predicted_;
  Eigen::VectorXd step_, kept_params_;
  JointedNodes trial_, kept_nodes_;
  int quiet_ = 0;
};

bool JointedFit::Minimize(double least, double share, bool until_followed) {
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

}  // namespace ricochet
