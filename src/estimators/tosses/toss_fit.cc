// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "estimators/tosses/toss_alone.h"
#include "inference/bootstrap.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr int kFew = kFewestRecordings;  // tosses, below which their scatter says nothing
constexpr int kTrialTosses = 16;         // that show whether the model explains tosses
constexpr double kExplains = 2.5;        // chi^2 / dof of a toss up to which it does
constexpr double kFollowed = 0.4;        // of the frames after the first contact, from which on that counts
constexpr double kWell = 1.45;           // the same of one that is followed as far as it can be
constexpr double kBegin = 0.15;          // of the frames after the first contact: followed to there, they are explained
constexpr int kLocatedTrial = 6;         // of many, that show whether located motion explains them
constexpr int kSeveral = 3;              // tosses
constexpr double kRivalRows = 0.5;       // of the rows behind the flights that a rival follows too,
constexpr double kRivalSquares = 12;     // and by how much its squares may be above those of the best
constexpr int kStarts = 4;               // other starts of the parameters, where rows are lost,
constexpr double kSomeLostRows = 0.1, kManyLostRows = 0.25;  // that part of them: of few tosses, of more
constexpr double kAboutAsGood = 1.5;                    // factor of misfits of solutions that the data do not separate
constexpr double kFarSpread = 0.2, kNearSpread = 0.03;  // of a parameter's size, by which a start may be off
constexpr double kLostFrame = 18;                       // squares of a frame that is not followed
constexpr int kAgain = 3;                               // times that the likelihood begins again
constexpr int kSomeExplained = 5;                       // 1 / part of the tosses that must be explained for that
constexpr double kWider = 0.05;                         // of a number's size, by which starts are wider each time
constexpr double kNarrower = 0.2;                       // factor by which they are nearer each time, for few tosses
constexpr double kLeastSpread = 0.01, kMostSpread = 0.1;  // of a number's size, of the starts of the likelihood

/// Tosses that the model explains down to their noise, far enough after the first contact.
int CountExplained(const TossLikelihoodResult& fit) {
  int count = 0;
  for (std::size_t k = 0; k < fit.ratio.size(); ++k)
    count += fit.ratio[k] < kExplains && fit.followed[k] >= kFollowed ? 1 : 0;
  return count;
}

/// The likelihood from the minimum of (18). That is off where few tosses have long chaotic ends (noise in the start
/// pulls restitution down), and the tosses then end on wrong pieces. Where some of them are explained and too few, it
/// begins again from what those say, each time with wider starts.
TossLikelihoodResult FitFromSeveralStarts(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                                          const Eigen::VectorXd& spread, std::uint64_t seed,
                                          std::vector<std::string>& log) {
  TossLikelihoodResult best = FitAlone(family, set, start, {.spread = spread, .seed = seed});
  const int count = static_cast<int>(set.used().size());
  for (int again = 1; again <= kAgain && !Explains(best); ++again) {
    if (count >= kFew && CountExplained(best) * kSomeExplained < count) break;
    Eigen::VectorXd from = best.params, wide = spread;
    for (int i = 0; i < family.size(); ++i) {
      std::vector<double> statements;
      for (std::size_t k = 0; k < best.alone.size(); ++k)
        if (best.ratio[k] < kExplains && best.followed[k] >= kFollowed) statements.push_back(best.alone[k][i]);
      if (!statements.empty()) from[i] = Median(statements);
      // Few tosses began with starts all over; their own scatter does not say how near they are.
      wide[i] = count < kFew ? spread[i] * std::pow(kNarrower, again)
                             : std::max(spread[i], kWider * again * family.scale()[i]);
    }
    const std::uint64_t other = seed + static_cast<std::uint64_t>(1000003 * again);
    TossLikelihoodResult next = FitAlone(family, set, from, {.spread = wide, .seed = other});
    log.push_back(fmt::format("{} of {} tosses explained; from {} starts {}", CountExplained(best), count,
                              count < kFew ? "nearer" : "wider", CountExplained(next)));
    if (CountExplained(next) > CountExplained(best)) best = std::move(next);
  }
  return best;
}

/// The values with tracked frames where they started: flight and rest show them (estimators/spatial/frame_start.h)
/// better than (18), in which an arm trades against the release.
Eigen::VectorXd WithFramesOfStart(const SpatialFamily& family, Eigen::VectorXd values) {
  for (int i = 0; i < family.size(); ++i)
    if (family.parameters().selected(i).path.starts_with("observe.frame")) values[i] = family.start()[i];
  return values;
}

/// `count` of the tosses, evenly spread.
TossSet PartOf(const TossSet& set, int count) {
  std::vector<int> part;
  const int used = static_cast<int>(set.used().size());
  for (int i = 0; i < count; ++i) part.push_back(i * used / count);
  return set.Subset(part);
}

/// Halton's sequence: evenly spread in [0, 1].
double RadicalInverse(int base, int index) {
  double out = 0, digit = 1.0 / base;
  for (; index > 0; index /= base, digit /= base) out += digit * (index % base);
  return out;
}

/// A start with other friction and restitution.
Eigen::VectorXd OtherStart(const SpatialFamily& family, Eigen::VectorXd start, const std::vector<char>& held,
                           int index) {
  constexpr double kMostFriction = 0.9, kMostRestitution = 0.8;
  for (int i = 0; i < family.size(); ++i) {
    if (!held.empty() && held[static_cast<std::size_t>(i)]) continue;
    if (family.quantity(i) == Quantity::kFriction) start[i] = kMostFriction * RadicalInverse(2, index);
    if (family.quantity(i) == Quantity::kRestitution) start[i] = kMostRestitution * RadicalInverse(3, index);
  }
  return start;
}

/// Squares of the residuals of a fit over the noise, of the first rows of each toss; infinite where its motion ends
/// before.
double SquaresOf(const SpatialFamily& family, const TossSet& set, const TossLikelihoodResult& fit,
                 const std::vector<int>& rows) {
  double sum = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    Eigen::VectorXd residuals;
    if (!ResidualsOf(family, set, {set.used()[k], fit.params, fit.moved[k], rows[k]}, nullptr, residuals))
      return std::numeric_limits<double>::infinity();
    sum += residuals.squaredNorm();
  }
  return sum;
}

/// Whether another fit is about as likely: on the rows that both follow, which are a good part of those of the best.
bool IsRival(const SpatialFamily& family, const TossSet& set, const TossLikelihoodResult& best,
             const TossLikelihoodResult& other) {
  if (other.frames.size() != best.frames.size()) return false;
  std::vector<int> rows;
  double common = 0, all = 0;
  for (std::size_t k = 0; k < best.frames.size(); ++k) {
    const PreparedToss& toss = set.tosses()[static_cast<std::size_t>(set.used()[k])];
    const int flight = toss.arc_last - toss.start;
    rows.push_back(std::min(best.frames[k], other.frames[k]));
    common += std::max(0, rows.back() - flight);
    all += std::max(0, best.frames[k] - flight);
  }
  return common >= kRivalRows * all &&
         SquaresOf(family, set, other, rows) < SquaresOf(family, set, best, rows) + kRivalSquares;
}

/// Standard deviations of the best fit that reach a rival; what a rival leaves open is open.
void IncludeRival(const TossLikelihoodResult& rival, TossLikelihoodResult& best) {
  for (Eigen::Index j = 0; j < best.params.size(); ++j) {
    if (std::isinf(best.covariance(j, j))) continue;
    if (!std::isinf(rival.covariance(j, j))) {
      const double apart = rival.params[j] - best.params[j];
      best.covariance(j, j) += apart * apart;
      continue;
    }
    best.covariance.row(j).setZero();
    best.covariance.col(j).setZero();
    best.covariance(j, j) = std::numeric_limits<double>::infinity();
    best.lower[j] = std::min(best.params[j], rival.lower[j]);
    best.upper[j] = std::max(best.params[j], rival.upper[j]);
  }
}

}  // namespace

TossMinimum FindLeastCost(const SpatialFamily& family, const TossSet& set, std::uint64_t seed) {
  const TossCosts costs = set.CostsOfTrajectories();
  TossMinimum found = MinimizeTossCost(family, costs, static_cast<int>(set.used().size()), {.seed = seed});
  MarkThoseWithoutEffect(family, costs, found);
  return found;
}

double MisfitOf(const TossSet& set, const TossLikelihoodResult& fit) {
  if (fit.ratio.size() != set.used().size()) return std::numeric_limits<double>::infinity();  // a trial that failed
  double sum = 0;
  for (std::size_t k = 0; k < fit.ratio.size(); ++k) {
    const PreparedToss& toss = set.tosses()[static_cast<std::size_t>(set.used()[k])];
    sum += fit.ratio[k] * fit.freedom[k] + kLostFrame * (toss.end - toss.start + 1 - fit.frames[k]);
  }
  return sum;
}

bool ExplainsBegin(const TossLikelihoodResult& fit) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < fit.ratio.size(); ++k) count += fit.ratio[k] < kWell && fit.followed[k] >= kBegin ? 1 : 0;
  return 2 * count > fit.ratio.size();
}

double LostRows(const TossSet& set, const TossLikelihoodResult& fit) {
  double lost = 0, all = 0;
  for (std::size_t k = 0; k < fit.frames.size(); ++k) {
    const PreparedToss& toss = set.tosses()[static_cast<std::size_t>(set.used()[k])];
    const int end = fit.predictable.empty() ? toss.end + 1 - toss.start : fit.predictable[k];
    const int after = std::max(1, end - (toss.arc_last - toss.start));
    all += after;
    lost += (1 - fit.followed[k]) * after;
  }
  return all > 0 ? lost / all : 0;
}

bool ExplainsWell(const TossSet& set, const TossLikelihoodResult& fit) {
  double followed = 0, all = 0;
  for (std::size_t k = 0; k < fit.ratio.size(); ++k) {
    if (!(fit.ratio[k] < kWell)) return false;
    const PreparedToss& toss = set.tosses()[static_cast<std::size_t>(set.used()[k])];
    const double after = toss.end + 1 - toss.arc_last;
    all += after;
    followed += fit.followed[k] * after;
  }
  return fit.ratio.size() == set.used().size() && followed > kFollowed * all;
}

TossLikelihoodResult FitLocated(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                                const std::vector<char>& held, std::uint64_t seed) {
  const int count = static_cast<int>(set.used().size());
  if (count > 2 * kLocatedTrial) {
    TossLikelihoodResult trial = FitTogether(family, PartOf(set, kLocatedTrial), start,
                                             {.spread = SpreadOf(family, kFarSpread, held), .seed = seed});
    if (!ExplainsBegin(trial)) return trial;
    return FitTogether(family, set, trial.params, {.spread = SpreadOf(family, kNearSpread, held), .seed = seed});
  }
  const auto is_lost = [&](const TossLikelihoodResult& fit) {
    return !ExplainsWell(set, fit) || LostRows(set, fit) > (count > kLocatedTrial ? kManyLostRows : kSomeLostRows);
  };
  TossLikelihoodResult best =
      FitTogether(family, set, start, {.spread = SpreadOf(family, kFarSpread, held), .seed = seed});
  std::vector<TossLikelihoodResult> others;
  // Few tosses may follow more than one motion, which several starts show.
  for (int again = 1; again <= kStarts && (count <= kSeveral || is_lost(best)); ++again) {
    // Several tosses that all leave the motion at their first impacts follow another one, whatever the parameters are.
    const Eigen::VectorXd from = OtherStart(family, start, held, again);
    if (from == start || (count > kSeveral && !ExplainsBegin(best))) break;
    TossLikelihoodResult other =
        FitTogether(family, set, from,
                    {.spread = SpreadOf(family, kFarSpread, held), .seed = seed + static_cast<std::uint64_t>(again)});
    if (MisfitOf(set, other) < MisfitOf(set, best)) std::swap(best, other);
    others.push_back(std::move(other));
  }
  for (const TossLikelihoodResult& other : others)
    if (IsRival(family, set, best, other)) IncludeRival(other, best);
  // Where rows stay lost, fits that follow about as many of them are as likely to be right.
  if (is_lost(best)) {
    Eigen::VectorXd apart = Eigen::VectorXd::Zero(family.size());
    for (const TossLikelihoodResult& other : others)
      if (MisfitOf(set, other) < kAboutAsGood * MisfitOf(set, best))
        apart = apart.cwiseMax((other.params - best.params).cwiseAbs());
    best.covariance.diagonal() += apart.cwiseAbs2();
  }
  best.least_variance = best.covariance.diagonal();
  return best;
}

bool Explains(const TossLikelihoodResult& fit) {
  return !fit.ratio.empty() && 2 * CountExplained(fit) > static_cast<int>(fit.ratio.size());
}

TossLikelihoodResult FitFromLeastCost(const SpatialFamily& family, const TossSet& set, std::uint64_t seed,
                                      TossMinimum& least, std::vector<std::string>& log) {
  const int count = static_cast<int>(set.used().size()), p = family.size();
  Eigen::VectorXd spread(p);
  for (int i = 0; i < p; ++i) {
    const double deviation = std::sqrt(least.covariance(i, i)), size = family.scale()[i];
    spread[i] = count >= kFew && std::isfinite(deviation)
                    ? std::clamp(deviation, kLeastSpread * size, kMostSpread * size)
                    : kMostSpread * size;
  }
  TossLikelihoodResult fit;
  bool explains = true;
  if (count > 2 * kTrialTosses) {
    fit = FitFromSeveralStarts(family, PartOf(set, kTrialTosses), least.params, spread, seed, log);
    explains = Explains(fit);
    if (explains) least.params = fit.params;
  }
  if (explains) fit = FitFromSeveralStarts(family, set, least.params, spread, seed, log);
  if (const Eigen::VectorXd framed = WithFramesOfStart(family, least.params);
      !Explains(fit) && framed != least.params) {
    TossLikelihoodResult other = FitFromSeveralStarts(family, set, framed, spread, seed, log);
    log.push_back(fmt::format("with the tracked frame of flight and rest {} of {} tosses explained, before {}",
                              CountExplained(other), count, CountExplained(fit)));
    if (CountExplained(other) > CountExplained(fit)) fit = std::move(other);
  }
  for (int i = 0; i < p; ++i) {
    if (std::isfinite(least.covariance(i, i)) || std::isnan(least.covariance(i, i))) continue;
    least.params[i] = fit.params[i] = family.start()[i];
  }
  return fit;
}

}  // namespace ricochet
