// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/jointed/jointed_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimators/jointed/equation_start.h"

namespace ricochet {
namespace {

constexpr double kNodeSpacing = 0.1;      // [s]
constexpr double kVagueStart = 20;        // slack of what is identifiable at a start: what is held there stays held
constexpr double kLost = 3;               // times the noise of the rows that residuals are where nothing fits,
constexpr double kDoubtful = 1.15;        // mean square over that of rows: another start is tried,
constexpr double kClearly = 0.98;         // and taken when it is lower by this factor
constexpr double kLostRange = 0.03;       // and of the range of the motion
constexpr double kRejected = 30;          // times a noise that is known, whatever the range
constexpr double kTied = 1e-3;            // of the noise, between nodes
constexpr double kFirmlyTied = 1e-4;      // of the noise: what nodes leave open adds up to less than the noise
constexpr double kTieTolerance = 0.01;    // of the cost: the next level starts well enough
constexpr double kTolerance = 0.02;       // of the cost: within 0.2 standard deviations if the last step is repeated
constexpr double kRefitTolerance = 1e-3;  // of the cost, whose differences are looked at
constexpr double kLeastNoise = 1e-5;      // [rad], [m]; [1/s] of them: recordings without noise
constexpr double kNoEffect = 1e-12;       // in squared standard deviations of all observations: rounding
constexpr double kWorse = 1.5;            // times the cost of the level before: c = 0 was not reached

}  // namespace

/// States tied to 1e-3 of the noise between nodes; free ones come first where that does not work at once.
bool JointedFit::Tie() {
  const Eigen::VectorXd found = params;
  if (options_.equation_start || HoldsAll()) {
    MakeSegments({kNodeSpacing, kTied, true});
    NodesFromTracks();
    if (Minimize(1.0, kTieTolerance, true)) return true;
  }
  for (const bool from_scene : {false, true}) {
    params = found;
    for (int i = 0; i < family_.size() && from_scene; ++i)
      if (!options_.held[static_cast<std::size_t>(i)]) params[i] = family_.start()[i];
    MakeSegments({kNodeSpacing, 1.0, true});
    NodesFromTracks();
    if (!Minimize(1.0, 0)) continue;
    log.push_back(fmt::format("states free between nodes {} s apart: cost {:.6g} after {} iterations", kNodeSpacing,
                              cost, iterations));
    level_.weight = kTied;
    current_ = false;
    Minimize(1.0, kTieTolerance, true);
    return true;
  }
  return false;
}

bool JointedFit::Run() {
  if (HoldsAll()) return RunOnce();
  const std::vector<JointTrack> given = tracks;
  bool found = RunOnce();
  // A false minimum, or a model that does not explain the data: once more from the scene's values, with states free at
  // first, and once without dry friction, which near an unstable rest holds a joint that never stuck.
  for (const bool frictionless : {false, true}) {
    if (found && Misfit() < kDoubtful) return true;
    if (frictionless && family_.DryFriction().empty()) break;
    JointedFitOptions options = options_;
    options.equation_start = frictionless;
    options.frictionless = frictionless;
    JointedFit other(family_, given, options);
    if (!other.RunOnce() || (found && other.Misfit() > kClearly * Misfit())) continue;
    log.push_back(frictionless ? "a fit that starts without dry friction follows the recordings better"
                               : "a second fit that starts from the scene's values follows the recordings better");
    Adopt(std::move(other));
    found = true;
  }
  return found;
}

void JointedFit::Adopt(JointedFit&& other) {
  other.log.insert(other.log.begin(), log.begin(), log.end());
  tracks = std::move(other.tracks);
  params = other.params;
  information = other.information;
  covariance = other.covariance;
  enlargement = other.enlargement;
  held = std::move(other.held);
  chi2 = std::move(other.chi2);
  correlation = std::move(other.correlation);
  cost = other.cost;
  iterations += other.iterations;
  converged = other.converged, exact = other.exact, tie = other.tie, white = other.white, lost = other.lost,
  misfit = other.misfit;
  log = std::move(other.log);
  level_ = other.level_;
  nodes_ = std::move(other.nodes_);
  segments_ = std::move(other.segments_);
  current_ = other.current_;
  fixed_ = std::move(other.fixed_);
}

/// Mean square of residuals in units of the noise that rows have among themselves.
double JointedFit::Misfit() const {
  double sum = 0;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    double own = chi2[t];
    for (const JointChannel& channel : tracks[t].channels)
      if (!channel.rounded && !channel.given)
        own += channel.observations * (std::pow(channel.noise / std::max(channel.rows_noise, kLeastNoise), 2) - 1);
    sum += own;
  }
  return sum / std::max(1, observations);
}

bool JointedFit::RunOnce() {
  observations = 0;
  for (const JointTrack& track : tracks) observations += static_cast<int>(track.observations.size());
  if (options_.equation_start && !HoldsAll()) params = StartFromEquations(family_, tracks, params, fixed_);
  if (!Tie()) return false;
  Hold(kVagueStart);
  log.push_back(fmt::format("states tied to 1e-3 of the noise: cost {:.6g} after {} iterations", cost, iterations));
  double tied = 0;  // without what ties cost
  for (const JointedSegment& segment : segments_) tied += segment.cost();
  UpdateNoise();

  // Maximum likelihood: one state per recording. Where motions part too fast for that, nodes stay, tied so firmly that
  // next to nothing is left between them.
  exact = Single(tied);
  tie = 0;
  // Where even loose ties leave many times the noise the model is wrong, and firmer ones would be lost labour.
  const bool hopeless = !exact && 2 * tied > kRejected * kRejected * observations;
  if (!exact) {
    const auto nodes = nodes_;
    const Eigen::VectorXd before = params;
    const auto tracks_before = tracks;
    Firm(hopeless ? kTied : kFirmlyTied);
    if (!converged && !hopeless) {
      tracks = tracks_before;
      params = before;
      nodes_ = nodes;
      Firm(kTied);
    }
  }
  CheckMisfit();
  lost = lost || (hopeless && misfit > kRejected);
  Analyze();
  return true;
}

/// Nodes stay, so tied that next to nothing is left between them.
void JointedFit::Firm(double weight) {
  MakeSegments({kNodeSpacing, weight, false});
  tie = weight;
  if (options_.frictionless) ReleaseDryFriction();
  converged = Minimize(kTolerance, 0);
  UpdateNoise();
  converged = Minimize(kTolerance, 0) && converged;
  log.push_back(
      fmt::format("one state per recording does not follow it; states tied to {:.0e} of the noise: cost {:.6g} after "
                  "{} iterations",
                  weight, cost, iterations));
  if (Hold(1)) converged = Minimize(kTolerance, 0) && !Hold(1);
}

bool JointedFit::Single(double tied) {
  const auto nodes = nodes_;
  const Eigen::VectorXd before = params;
  const auto tracks_before = tracks;
  MakeSegments({INFINITY, 0.0, false});
  for (auto& chain : nodes_) chain.resize(1);
  converged = Minimize(kTolerance, 0);
  if (!converged || !(HoldsAll() || cost < kWorse * tied + 50)) {
    tracks = tracks_before;
    params = before;
    nodes_ = nodes;
    return false;
  }
  UpdateNoise();
  converged = Minimize(kTolerance, 0);
  if (options_.frictionless) {
    ReleaseDryFriction();
    converged = Minimize(kTolerance, 0);
    UpdateNoise();
    converged = Minimize(kTolerance, 0) && converged;
  }
  if (Hold(1)) converged = Minimize(kTolerance, 0) && !Hold(1);
  log.push_back(fmt::format("one motion per recording: cost {:.6g} after {} iterations", cost, iterations));
  return true;
}

bool JointedFit::RunFrom(const Eigen::VectorXd& values, JointedNodes nodes, double weight) {
  observations = 0;
  for (const JointTrack& track : tracks) observations += static_cast<int>(track.observations.size());
  params = values;
  MakeSegments(weight > 0 ? JointedLevel{kNodeSpacing, weight, false} : JointedLevel{INFINITY, 0.0, false});
  nodes_ = std::move(nodes);
  exact = weight == 0;
  tie = weight;
  deviance_counts_ = true;
  converged = Minimize(kRefitTolerance, 0);
  // Friction may make the cost too uneven for that; what ends the whole search ends this one, too.
  deviance_counts_ = false;
  evaluations_ = 0;
  converged = converged || (!options_.brief && Minimize(kTolerance, 0));
  return Linearize();
}

/// Residuals beside the noise of rows, or where that is known beside it.
void JointedFit::CheckMisfit() {
  std::vector<std::vector<double>> squares(tracks.size());
  for (std::size_t t = 0; t < tracks.size(); ++t) squares[t].assign(tracks[t].channels.size(), 0.0);
  for (const JointedSegment& segment : segments_)
    for (std::size_t c = 0; c < segment.channel_squares.size(); ++c)
      squares[static_cast<std::size_t>(segment.track)][c] += segment.channel_squares[c];
  for (std::size_t t = 0; t < tracks.size(); ++t)
    for (std::size_t c = 0; c < tracks[t].channels.size(); ++c) {
      const JointChannel& channel = tracks[t].channels[c];
      const double size = std::sqrt(squares[t][c] / std::max(1, channel.observations)) * channel.noise;
      if (channel.given || channel.rounded) {
        const double ratio = size / channel.noise;
        if (ratio <= kLost || (size <= kLostRange * channel.range && ratio <= kRejected)) continue;
        lost = true;
        misfit = std::max(misfit, ratio);
        continue;
      }
      const double ratio = channel.noise / std::max(channel.rows_noise, kLeastNoise);
      misfit = std::max(misfit, ratio);
      lost = lost || (ratio > kLost && channel.noise > kLostRange * channel.range);
    }
}

bool JointedFit::Hold(double slack) {
  if (!Linearize()) return false;
  Eigen::MatrixXd direct;
  information = Information(&direct);
  const Eigen::VectorXd before = params;
  const bool any = HoldUnidentified(family_, information, slack, params, fixed_);
  if (!any) return false;
  current_ = false;
  // Where what is held has no effect at all, the motions stay what they are.
  const Eigen::VectorXd back = params - before;
  if (back.dot(direct * back) < kNoEffect) KeepMotions(before);
  return true;
}

void JointedFit::Analyze() {
  const int p = family_.size();
  JointedUncertainty uncertainty = UncertaintyOf(family_, information, params, fixed_);
  const std::vector<int>& kept = uncertainty.kept;

  // Residuals: their size and their correlation in time.
  chi2.clear();
  correlation.clear();
  white = true;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    std::vector<double> residuals(tracks[t].observations.size(), 0.0);
    for (const JointedSegment& segment : segments_)
      if (segment.track == static_cast<int>(t))
        std::copy(segment.residuals.begin(), segment.residuals.end(),
                  residuals.begin() + static_cast<std::ptrdiff_t>(segment.first));
    double sum = 0;
    for (const double e : residuals) sum += e * e;
    chi2.push_back(sum);
    correlation.push_back(0);
    white = IsWhite(tracks[t], residuals, correlation.back()) && white;
  }
  const Eigen::VectorXd curvature = uncertainty.covariance.diagonal();
  double all = 0;
  for (const double c : chi2) all += c;
  cost = 0.5 * all;
  const double excess = all / std::max(1, observations - p - 2 * family_.dof() * static_cast<int>(tracks.size()));
  bool rounded = false;
  for (const JointTrack& track : tracks)
    for (const JointChannel& channel : track.channels) rounded = rounded || channel.rounded || channel.given;
  if (rounded && excess > 1) uncertainty.covariance *= excess;
  if (!white && exact && !kept.empty() && Linearize())
    WidenForBlocks(family_, motion_, tracks, params, nodes_, segments_, uncertainty);
  covariance = uncertainty.covariance;
  held = uncertainty.held;
  enlargement.setOnes(p);
  for (const int i : kept) enlargement[i] = std::sqrt(covariance(i, i) / curvature[i]);
}

}  // namespace ricochet
