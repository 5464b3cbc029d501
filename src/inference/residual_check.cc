// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/residual_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/threads.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr int kMostLags = 8;
constexpr int kRowsPerLag = 6;  // fewer rows say nothing about a lag
constexpr double kClipped = 4;  // standard deviations: single gross errors must not decide on the correlation

/// Sum of squares with the noises behind it.
struct Squares {
  double sum = 0;  // over the noise of the rows
  double count = 0;
  std::map<std::pair<int, double>, std::pair<double, double>> shares;  // (block, noise) -> part of the sum, freedom

  void Add(int block, const ChannelNoise& noise, double square) {
    sum += square;
    ++count;
    auto& [part, freedom] = shares[{block, noise.rows}];
    part += square;
    freedom = noise.freedom;
  }
  /// Degrees of freedom of the noise.
  double Freedom() const {
    double variance = 0;
    for (const auto& [key, share] : shares) {
      const double w = share.first / sum;
      variance += w * w / share.second;
    }
    return variance > 0 ? 1 / variance : std::numeric_limits<double>::infinity();
  }
};

/// Autocorrelations summed over series.
struct Correlation {
  double Q = 0, lags = 0;
  double sums[kMostLags] = {}, squares = 0;

  void Add(std::vector<double> series) {
    const int n = static_cast<int>(series.size()), most = std::min(kMostLags, n / kRowsPerLag);
    if (most < 1) return;
    double square = 0;
    for (const double x : series) square += x * x;
    const double limit = kClipped * std::sqrt(square / n);
    square = 0;
    for (double& x : series) {
      x = std::clamp(x, -limit, limit);
      square += x * x;
    }
    if (!(square > 0)) return;
    squares += square;
    for (int lag = 1; lag <= most; ++lag) {
      double product = 0;
      for (int i = lag; i < n; ++i)
        product += series[static_cast<std::size_t>(i)] * series[static_cast<std::size_t>(i - lag)];
      const double rho = product / square;
      Q += n * (n + 2.0) * rho * rho / (n - lag);
      ++lags;
      sums[lag - 1] += product;
    }
  }
  double Inflation() const {
    double factor = 1;
    for (const double sum : sums) {
      if (!(sum > 0)) break;
      factor += 2 * sum / squares;
    }
    return factor;
  }
};

}  // namespace

std::optional<ResidualCheck> CheckResiduals(const FitProblem& problem, const Fit& fit) {
  const int blocks = problem.blocks();
  std::vector<ResidualBlock> evaluated(static_cast<std::size_t>(blocks));
  std::vector<char> found(evaluated.size(), 0);
  ParallelFor(blocks, [&](int k) {
    const auto at = static_cast<std::size_t>(k);
    found[at] = problem.Evaluate(k, fit.point, false, evaluated[at]);
  });
  if (blocks == 0 || std::find(found.begin(), found.end(), 0) != found.end()) return std::nullopt;

  const std::vector<std::string> channels = problem.channels();
  ResidualCheck out;
  Squares all;
  std::vector<Squares> of_channel(channels.size());
  Correlation correlation;
  double used_squares = 0, local = 0;
  for (int k = 0; k < blocks; ++k) {
    const ResidualBlock& block = evaluated[static_cast<std::size_t>(k)];
    const std::vector<ChannelNoise> noise = problem.NoiseOf(k);
    std::vector<std::vector<double>> series(channels.size());
    for (Eigen::Index i = 0; i < block.residuals.size(); ++i) {
      const ResidualLabel& label = block.labels[static_cast<std::size_t>(i)];
      const auto channel = static_cast<std::size_t>(label.channel);
      const double r = block.residuals[i];
      used_squares += r * r;
      ++out.count;
      series[channel].push_back(r);
      const bool known = channel < noise.size() && noise[channel].rows > 0;
      const double over = known ? r * noise[channel].used / noise[channel].rows : r;
      if (std::abs(over) > out.largest) {
        out.largest = std::abs(over);
        out.largest_time = label.time;
        out.largest_recording = problem.recording(k);
        out.largest_channel = channels[channel];
      }
      if (!known) continue;
      all.Add(k, noise[channel], over * over);
      of_channel[channel].Add(k, noise[channel], over * over);
    }
    for (std::vector<double>& each : series) correlation.Add(std::move(each));
    local += problem.LocalFreedom(k, fit.point);
  }
  out.freedom = out.count - problem.parameters().size() - local;
  if (out.freedom < 1) return std::nullopt;
  out.scale = std::sqrt(used_squares / out.freedom);
  if (correlation.lags > 0) {
    out.white_p_value =
        TailOfF(correlation.Q / correlation.lags, correlation.lags, std::numeric_limits<double>::infinity());
    out.inflation = correlation.Inflation();
  }
  if (all.count < out.count || !(all.sum > 0)) return out;
  // What the fit used up is shared by the channels as their residuals are.
  const double left = out.freedom / out.count;
  out.over_noise = std::sqrt(all.sum / out.freedom);
  out.noise_freedom = all.Freedom();
  out.p_value = TailOfF(all.sum / out.freedom, out.freedom, out.noise_freedom);
  for (std::size_t c = 0; c < of_channel.size(); ++c) {
    const Squares& squares = of_channel[c];
    if (!(squares.sum > 0)) continue;
    const double freedom = squares.count * left, ratio = squares.sum / freedom;
    out.p_value =
        std::min(out.p_value, static_cast<double>(channels.size()) * TailOfF(ratio, freedom, squares.Freedom()));
    if (std::sqrt(ratio) <= out.worst_over_noise) continue;
    out.worst_over_noise = std::sqrt(ratio);
    out.worst_channel = channels[c];
  }
  return out;
}

}  // namespace ricochet
