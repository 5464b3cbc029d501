// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/jointed/jointed_uncertainty.h"

#include <algorithm>
#include <cmath>

#include "math/dense.h"
#include "optimize/chain_least_squares.h"

namespace ricochet {
namespace {

constexpr double kVague = 2;           // standard deviation in sizes of a parameter beyond which it is not identifiable
constexpr double kRefuted = 3;         // standard deviations between the scene's value and the fit
constexpr double kBlurred = 0.1;       // of its size here or in the scene that a number may be uncertain
constexpr double kInflation = 300;     // times its standard deviation with all others known: its neighbors look like it
constexpr double kShare = 0.02;        // of its value that a number moves with a held one, to be named with it
constexpr double kFinestNoise = 1e-8;  // [rad], [m]; [1/s] of them: finer than the integration is no noise
constexpr int kLags = 20;              // of the test for whiteness
constexpr double kLjungBox = 45.3;     // chi^2 of 20 degrees at 0.999
constexpr double kLeastBlock = 0.25;   // [s]

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

bool HoldUnidentified(const JointedFamily& family, const Eigen::MatrixXd& information, double slack,
                      Eigen::VectorXd& params, std::vector<char>& fixed) {
  const int p = family.size();
  Eigen::VectorXd scale(p);
  for (int i = 0; i < p; ++i)
    scale[i] = family.ScaleAt(
        i, std::max(std::abs(params[i]), std::min(std::abs(family.start()[i]), 10 * std::abs(params[i]))));
  bool any = false;
  while (true) {
    std::vector<int> kept;
    for (int i = 0; i < p; ++i)
      if (!fixed[static_cast<std::size_t>(i)]) kept.push_back(i);
    if (kept.empty()) return any;
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
      const double moved = std::abs(eigen.vectors(a, 0)) * scale[i] / family.scale()[i];
      if (moved > most) most = moved, worst = a;
    }
    const int pivot = kept[static_cast<std::size_t>(worst)];
    const double deviation = std::sqrt(InverseOf(information, kept)(worst, worst));
    const double alone = 1 / std::sqrt(std::max(information(pivot, pivot), 1e-300));
    const bool vague = !(eigen.values[0] > 1 / std::pow(slack * kVague, 2));
    const double size = std::max(family.scale()[pivot], std::abs(params[pivot]));
    const bool blurred = slack == 1 && deviation > kBlurred * size && deviation > kInflation * alone;
    if (!vague && !blurred) return any;
    // Near zero a number's own size is no measure: where the scene's value is refuted, that value's size is.
    if (vague && scale[pivot] < family.scale()[pivot] &&
        std::abs(family.start()[pivot] - params[pivot]) > kRefuted * deviation) {
      scale[pivot] = family.scale()[pivot];
      continue;
    }
    // Back to its start value, along the direction that changes least.
    kept.erase(kept.begin() + worst);
    fixed[static_cast<std::size_t>(pivot)] = 1;
    any = true;
    const double back = family.start()[pivot] - params[pivot];
    params[pivot] = family.start()[pivot];
    if (kept.empty()) return any;
    Eigen::VectorXd cross(n - 1);
    for (Eigen::Index a = 0; a + 1 < n; ++a) cross[a] = information(kept[static_cast<std::size_t>(a)], pivot);
    const Eigen::VectorXd moves = -(InverseOf(information, kept) * cross);
    Eigen::VectorXd moved = params;
    moved(kept) += back * moves;
    params = family.parameters().Clamp(moved);
  }
}

JointedUncertainty UncertaintyOf(const JointedFamily& family, const Eigen::MatrixXd& information,
                                 const Eigen::VectorXd& params, const std::vector<char>& fixed) {
  const int p = family.size();
  JointedUncertainty out;
  std::vector<int>& kept = out.kept;
  Eigen::MatrixXd& covariance = out.covariance;
  for (int i = 0; i < p; ++i)
    if (!fixed[static_cast<std::size_t>(i)]) kept.push_back(i);
  covariance.setZero(p, p);
  Eigen::MatrixXd inverse;
  if (!kept.empty()) inverse = InverseOf(information, kept);
  for (std::size_t a = 0; a < kept.size(); ++a)
    for (std::size_t b = 0; b < kept.size(); ++b)
      covariance(kept[a], kept[b]) = inverse(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
  for (int pivot = 0; pivot < p; ++pivot) {
    if (!fixed[static_cast<std::size_t>(pivot)]) continue;
    HeldNumber entry;
    entry.pivot = pivot;
    // What the others do when the pivot moves by one: -C_rr^-1 C_rp. Only where that changes the data is it known.
    Eigen::VectorXd cross = Eigen::VectorXd::Zero(p);
    for (const int i : kept) cross[i] = information(i, pivot);
    const Eigen::VectorXd moves = -(covariance * cross);
    for (const int i : kept) {
      const double change = moves[i] * family.scale()[pivot];
      if (std::abs(change) < kShare * std::abs(params[i]) || change * change < 4 * covariance(i, i)) continue;
      entry.moves.emplace_back(i, moves[i]);
    }
    out.held.push_back(std::move(entry));
  }
  return out;
}

bool IsWhite(const JointTrack& track, const std::vector<double>& residuals, double& correlation) {
  bool white = true;
  double worst = 0;
  for (std::size_t c = 0; c < track.channels.size(); ++c) {
    std::vector<double> series;
    for (std::size_t i = 0; i < residuals.size(); ++i)
      if (track.channel_of[i] == static_cast<int>(c)) series.push_back(residuals[i]);
    double first = 0;
    if (LjungBox(series, first) > kLjungBox && track.channels[c].noise > kFinestNoise) white = false;
    if (std::abs(first) > std::abs(worst)) worst = first;
  }
  correlation = worst;
  return white;
}

void WidenForBlocks(const JointedFamily& family, const JointedMotion& motion, const std::vector<JointTrack>& tracks,
                    const Eigen::VectorXd& params, const JointedNodes& nodes, std::vector<JointedSegment> segments,
                    JointedUncertainty& uncertainty) {
  const std::vector<int>& kept = uncertainty.kept;
  Eigen::MatrixXd& covariance = uncertainty.covariance;
  const int n = 2 * family.dof(), p = family.size();
  const Eigen::Index states = n * static_cast<Eigen::Index>(tracks.size());
  const Eigen::Index size = states + static_cast<Eigen::Index>(kept.size());
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(size, size), meat = Eigen::MatrixXd::Zero(size, size);
  const JointedInstance instance = family.Compile(params);
  for (JointedSegment& segment : segments) {
    const JointTrack& track = tracks[static_cast<std::size_t>(segment.track)];
    // Blocks of a fortieth of the recording, so that there are enough of them.
    const double block = std::max(kLeastBlock, (track.end - track.start) / 40);
    std::vector<Eigen::VectorXd> sums;
    const JointedRowSink sink = [&](std::size_t i, double e, const Eigen::RowVectorXd& row) {
      const std::size_t at =
          static_cast<std::size_t>(std::max(0.0, (track.observations[i].time - track.start) / block));
      if (sums.size() <= at) sums.resize(at + 1, Eigen::VectorXd::Zero(n + p));
      sums[at] += e * row.transpose();
    };
    motion.Evaluate(instance, track, nodes[static_cast<std::size_t>(segment.track)][0], {}, true, segment, nullptr,
                    &sink);
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
        for (const JointedPart& part : segment.parts) H(i, j) += part.H(a, b);
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
