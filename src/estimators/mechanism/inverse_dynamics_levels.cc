// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The levels of the fit, noise from residuals, and identifiability.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimators/mechanism/inverse_dynamics_fit.h"
#include "math/dense.h"

namespace ricochet {
namespace {

constexpr double kNodeSpacing = 0.1;  // [s]
constexpr double kVague = 2;          // standard deviation in sizes of a parameter beyond which it is not identifiable
constexpr double kVagueStart = 20;    // times that, at a start: what is held there stays held
constexpr double kRefuted = 3;        // standard deviations between the scene's value and the fit
constexpr double kBlurred = 0.1;      // of its size here or in the scene that a number may be uncertain
constexpr double kInflation = 300;    // times its standard deviation with all others known: its neighbors look like it
constexpr double kLost = 3;           // times the noise of the rows that residuals are where nothing fits,
constexpr double kDoubtful = 1.15;    // mean square over that of rows: another start is tried,
constexpr double kClearly = 0.98;     // and taken when it is lower by this factor
constexpr double kLostRange = 0.03;   // and of the range of the motion
constexpr double kRejected = 30;      // times a noise that is known, whatever the range
constexpr double kTied = 1e-3;        // of the noise, between nodes
constexpr double kFirmlyTied = 1e-4;  // of the noise: what nodes leave open adds up to less than the noise
constexpr double kFollowed = 10;      // mean square of residuals from which one motion can be fitted
constexpr double kStretch = 0.5;        // [s], of a motion that may not follow
constexpr double kTieTolerance = 0.01;    // of the cost: the next level starts well enough
constexpr double kTolerance = 0.02;       // of the cost: within 0.2 standard deviations if the last step is repeated
constexpr double kRefitTolerance = 1e-3;  // of the cost, whose differences are looked at
constexpr double kFinestNoise = 1e-8;     // [rad], [m]; [1/s] of them: finer than the integration is no noise
constexpr double kLeastNoise = 1e-5;      // [rad], [m]; [1/s] of them: recordings without noise
constexpr double kShare = 0.02;           // of its value that a number moves with a held one, to be named with it
constexpr int kLags = 20;                 // of the test for whiteness
constexpr double kLjungBox = 45.3;        // chi^2 of 20 degrees at 0.999
constexpr double kWorse = 1.5;            // times the cost of the level before: c = 0 was not reached
constexpr double kLeastBlock = 0.25;      // [s]
constexpr double kNoEffect = 1e-12;       // in squared standard deviations of all observations: rounding

/// Sum over lags of squared correlations, as Ljung and Box weigh them; the first correlation.
double LjungBox(const std::vector<double>& series, double& first) {
  const int n = static_cast<int>(series.size());
  double mean = 0, variance = 0, sum = 0;
  for (const double e : series) mean += e / n;
  for (const double e : series) variance += (e - mean) * (e - mean);
  first = 0;
  if (n < 4 * kLags || variance == 0) return 0;
  for (int lag = 1; lag <= kLags; ++lag) {
    double product = 0;
    for (int i = lag; i < n; ++i)
      product += (series[static_cast<std::size_t>(i)] - mean) * (series[static_cast<std::size_t>(i - lag)] - mean);
    const double rho = product / variance;
    if (lag == 1) first = rho;
    sum += rho * rho / (n - lag);
  }
  return static_cast<double>(n) * (n + 2) * sum;
}

/// Inverse of the rows and columns `of` of an information matrix, whatever the units.
Eigen::MatrixXd InverseOf(const Eigen::MatrixXd& information, const std::vector<int>& of) {
  return InvertInformation(information(of, of), 1e-14);
}

}  // namespace

bool JointedFit::Predict(int track, std::vector<double>& residuals, std::vector<double>* values) const {
  const JointedInstance instance = family_.Compile(params);
  const std::size_t t = static_cast<std::size_t>(track);
  residuals.assign(tracks[t].observations.size(), 0.0);
  if (values) values->assign(residuals.size(), 0.0);
  for (const Segment& of : segments_) {
    if (of.track != track) continue;
    Segment segment;
    segment.track = of.track, segment.start = of.start, segment.end = of.end;
    segment.first = of.first, segment.last = of.last;
    EvaluateSegment(instance, nodes_[t][static_cast<std::size_t>(of.node)], false, segment, values, nullptr);
    if (!segment.ok) return false;
    std::copy(segment.residuals.begin(), segment.residuals.end(),
              residuals.begin() + static_cast<std::ptrdiff_t>(segment.first));
  }
  return true;
}

void JointedFit::UpdateNoise() {
  const int unknowns = 2 * family_.dof();
  std::vector<std::vector<double>> squares(tracks.size()), factor(tracks.size());
  for (std::size_t t = 0; t < tracks.size(); ++t) squares[t].assign(tracks[t].channels.size(), 0.0);
  for (const Segment& segment : segments_)
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
      const double noise = std::max(
          channel.noise * std::sqrt(squares[t][c] / std::max(1.0, channel.observations - share)), kFinestNoise);
      factor[t][c] = channel.noise / noise;
      channel.noise = noise;
    }
  }
  // With one part per channel the linearization stays good.
  if (std::isfinite(level_.node_spacing)) {
    current_ = false;
    return;
  }
  cost = PriorCost(params);
  for (Segment& segment : segments_) {
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
  if (options_.equation_start && !HoldsAll()) StartFromEquations();
  if (!Tie()) return false;
  Hold(kVagueStart);
  log.push_back(fmt::format("states tied to 1e-3 of the noise: cost {:.6g} after {} iterations", cost, iterations));
  double tied = 0;  // without what ties cost
  for (const Segment& segment : segments_) tied += segment.cost();
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
  MakeSegments(weight > 0 ? Level{kNodeSpacing, weight, false} : Level{INFINITY, 0.0, false});
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

bool JointedFit::Follows() {
  const JointedInstance instance = family_.Compile(params);
  std::vector<KnownMotion> motions;
  double sum = 0;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    KnownMotion motion{params, nodes_[t].front(), {}};
    Eigen::VectorXd state = motion.start;
    // Stretch by stretch, because most motions that part from the recording do so early.
    const double length = tracks[t].end - tracks[t].start;
    for (Segment& part : SegmentsOf(static_cast<int>(t), std::max(1, static_cast<int>(length / kStretch)))) {
      EvaluateSegment(instance, state, false, part, nullptr, nullptr);
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

/// Residuals beside the noise of rows, or where that is known beside it.
void JointedFit::CheckMisfit() {
  std::vector<std::vector<double>> squares(tracks.size());
  for (std::size_t t = 0; t < tracks.size(); ++t) squares[t].assign(tracks[t].channels.size(), 0.0);
  for (const Segment& segment : segments_)
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
  std::vector<std::vector<ChainBlock>> chains;
  ChainBorder border;
  Assemble(0, chains, border);
  const Eigen::MatrixXd direct = border.C;  // states known
  for (auto& chain : chains) EliminateChain(chain, border);
  information = border.C;
  const Eigen::VectorXd before = params;
  const bool any = HoldVague(slack);
  // Where what is held has no effect at all, the motions stay what they are.
  const Eigen::VectorXd back = params - before;
  if (any && back.dot(direct * back) < kNoEffect)
    for (KnownMotion& motion : known_)
      if (motion.values == before) motion.values = params;
  return any;
}

bool JointedFit::HoldVague(double slack) {
  const int p = family_.size();

  Eigen::VectorXd scale(p);
  for (int i = 0; i < p; ++i)
    scale[i] = family_.ScaleAt(
        i, std::max(std::abs(params[i]), std::min(std::abs(family_.start()[i]), 10 * std::abs(params[i]))));
  bool any = false;
  while (true) {
    std::vector<int> kept;
    for (int i = 0; i < p; ++i)
      if (!fixed_[static_cast<std::size_t>(i)]) kept.push_back(i);
    if (kept.empty() || HoldsAll()) return any;
    const Eigen::Index n = static_cast<Eigen::Index>(kept.size());
    Eigen::MatrixXd scaled(n, n);
    for (Eigen::Index a = 0; a < n; ++a)
      for (Eigen::Index b = 0; b < n; ++b) {
        const int i = kept[static_cast<std::size_t>(a)], j = kept[static_cast<std::size_t>(b)];
        scaled(a, b) = information(i, j) * scale[i] * scale[j];
      }
    // The worst direction, and in it the number that moves most for its size in the scene.
    const SymmetricEigen eigen = EigenOfSymmetric(scaled);
    Eigen::Index worst = 0;
    double most = 0;
    for (Eigen::Index a = 0; a < n; ++a) {
      const int i = kept[static_cast<std::size_t>(a)];
      const double moved = std::abs(eigen.vectors(a, 0)) * scale[i] / family_.scale()[i];
      if (moved > most) most = moved, worst = a;
    }
    const int pivot = kept[static_cast<std::size_t>(worst)];
    const double deviation = std::sqrt(InverseOf(information, kept)(worst, worst));
    const double alone = 1 / std::sqrt(std::max(information(pivot, pivot), 1e-300));
    const bool vague = !(eigen.values[0] > 1 / std::pow(slack * kVague, 2));
    const double size = std::max(family_.scale()[pivot], std::abs(params[pivot]));
    const bool blurred = slack == 1 && deviation > kBlurred * size && deviation > kInflation * alone;
    if (!vague && !blurred) return any;
    // Near zero a number's own size is no measure: where the scene's value is refuted, that value's size is.
    if (vague && scale[pivot] < family_.scale()[pivot] &&
        std::abs(family_.start()[pivot] - params[pivot]) > kRefuted * deviation) {
      scale[pivot] = family_.scale()[pivot];
      continue;
    }
    // Back to its start value, along the direction that changes least.
    kept.erase(kept.begin() + worst);
    fixed_[static_cast<std::size_t>(pivot)] = 1;
    any = true;
    current_ = false;
    const double back = family_.start()[pivot] - params[pivot];
    params[pivot] = family_.start()[pivot];
    if (kept.empty()) return any;
    Eigen::VectorXd cross(n - 1);
    for (Eigen::Index a = 0; a + 1 < n; ++a) cross[a] = information(kept[static_cast<std::size_t>(a)], pivot);
    const Eigen::VectorXd moves = -(InverseOf(information, kept) * cross);
    Eigen::VectorXd moved = params;
    moved(kept) += back * moves;
    params = family_.parameters().Clamp(moved);
  }
}

void JointedFit::Analyze() {
  const int p = family_.size();
  std::vector<int> kept;
  for (int i = 0; i < p; ++i)
    if (!fixed_[static_cast<std::size_t>(i)]) kept.push_back(i);
  covariance.setZero(p, p);
  Eigen::MatrixXd inverse;
  if (!kept.empty()) inverse = InverseOf(information, kept);
  for (std::size_t a = 0; a < kept.size(); ++a)
    for (std::size_t b = 0; b < kept.size(); ++b)
      covariance(kept[a], kept[b]) = inverse(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
  held.clear();
  for (int pivot = 0; pivot < p; ++pivot) {
    if (!fixed_[static_cast<std::size_t>(pivot)]) continue;
    HeldNumber entry;
    entry.pivot = pivot;
    // What the others do when the pivot moves by one: -C_rr^-1 C_rp. Only where that changes the data is it known.
    Eigen::VectorXd cross = Eigen::VectorXd::Zero(p);
    for (const int i : kept) cross[i] = information(i, pivot);
    const Eigen::VectorXd moves = -(covariance * cross);
    for (const int i : kept) {
      const double change = moves[i] * family_.scale()[pivot];
      if (std::abs(change) < kShare * std::abs(params[i]) || change * change < 4 * covariance(i, i)) continue;
      entry.moves.emplace_back(i, moves[i]);
    }
    held.push_back(std::move(entry));
  }

  // Residuals: their size and their correlation in time.
  chi2.clear();
  correlation.clear();
  white = true;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    std::vector<double> residuals(tracks[t].observations.size(), 0.0);
    for (const Segment& segment : segments_)
      if (segment.track == static_cast<int>(t))
        std::copy(segment.residuals.begin(), segment.residuals.end(),
                  residuals.begin() + static_cast<std::ptrdiff_t>(segment.first));
    double sum = 0, worst = 0;
    for (const double e : residuals) sum += e * e;
    for (std::size_t c = 0; c < tracks[t].channels.size(); ++c) {
      std::vector<double> series;
      for (std::size_t i = 0; i < residuals.size(); ++i)
        if (tracks[t].channel_of[i] == static_cast<int>(c)) series.push_back(residuals[i]);
      double first = 0;
      if (LjungBox(series, first) > kLjungBox && tracks[t].channels[c].noise > kFinestNoise) white = false;
      if (std::abs(first) > std::abs(worst)) worst = first;
    }
    chi2.push_back(sum);
    correlation.push_back(worst);
  }
  const Eigen::VectorXd curvature = covariance.diagonal();
  double all = 0;
  for (const double c : chi2) all += c;
  cost = 0.5 * all;
  const double excess = all / std::max(1, observations - p - 2 * family_.dof() * static_cast<int>(tracks.size()));
  bool rounded = false;
  for (const JointTrack& track : tracks)
    for (const JointChannel& channel : track.channels) rounded = rounded || channel.rounded || channel.given;
  if (rounded && excess > 1) covariance *= excess;
  if (!white && exact && !kept.empty()) RobustCovariance(kept);
  enlargement.setOnes(p);
  for (const int i : kept) enlargement[i] = std::sqrt(covariance(i, i) / curvature[i]);
}

void JointedFit::RobustCovariance(const std::vector<int>& kept) {
  if (!Linearize()) return;
  const int n = 2 * family_.dof(), p = family_.size();
  const Eigen::Index states = n * static_cast<Eigen::Index>(tracks.size());
  const Eigen::Index size = states + static_cast<Eigen::Index>(kept.size());
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(size, size), meat = Eigen::MatrixXd::Zero(size, size);
  const JointedInstance instance = family_.Compile(params);
  for (Segment& segment : segments_) {
    const JointTrack& track = tracks[static_cast<std::size_t>(segment.track)];
    // Blocks of a fortieth of the recording, so that there are enough of them.
    const double block = std::max(kLeastBlock, (track.end - track.start) / 40);
    std::vector<Eigen::VectorXd> sums;
    const RowSink sink = [&](std::size_t i, double e, const Eigen::RowVectorXd& row) {
      const std::size_t at =
          static_cast<std::size_t>(std::max(0.0, (track.observations[i].time - track.start) / block));
      if (sums.size() <= at) sums.resize(at + 1, Eigen::VectorXd::Zero(n + p));
      sums[at] += e * row.transpose();
    };
    EvaluateSegment(instance, nodes_[static_cast<std::size_t>(segment.track)][0], true, segment, nullptr, &sink);
    if (!segment.ok) return;
    const Eigen::Index first = n * segment.track;
    const auto place = [&](int local) {
      if (local < n) return first + local;
      const auto found = std::find(kept.begin(), kept.end(), local - n);
      return found == kept.end() ? Eigen::Index{-1} : states + (found - kept.begin());
    };
    for (int a = 0; a < n + p; ++a) {
      const Eigen::Index i = place(a);
      if (i < 0) continue;
      for (int b = 0; b < n + p; ++b) {
        const Eigen::Index j = place(b);
        if (j < 0) continue;
        for (const Part& part : segment.parts) H(i, j) += part.H(a, b);
        for (const Eigen::VectorXd& sum : sums) meat(i, j) += sum[a] * sum[b];
      }
    }
  }
  const Eigen::MatrixXd inverse = InvertInformation(H, 1e-14);
  const Eigen::MatrixXd sandwich = inverse * meat * inverse;
  // Standard deviations grow to the sandwich's where it is larger; correlations stay.
  for (std::size_t a = 0; a < kept.size(); ++a) {
    const Eigen::Index at = states + static_cast<Eigen::Index>(a);
    const double ratio = std::sqrt(sandwich(at, at) / covariance(kept[a], kept[a]));
    if (!(ratio > 1)) continue;
    covariance.row(kept[a]) *= ratio;
    covariance.col(kept[a]) *= ratio;
  }
}

}  // namespace ricochet
