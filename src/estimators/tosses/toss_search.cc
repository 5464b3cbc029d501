// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_search.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "core/random.h"
#include "core/threads.h"
#include "estimators/optimizer_trace.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr LocatedMotion kOthers[] = {{0.6 * kLocatedStep, 0.1}, {kLocatedStep, 4}, {1.5 * kLocatedStep, 0.4}};
constexpr int kTossesPerItem = 16;  // of a parallel loop
constexpr double kFirstCloud = 0.03, kLeastCloud = 0.002, kWidestCloud = 0.1;
constexpr int kClouds = 2, kDraws = 200, kFewTosses = 4;
constexpr std::size_t kTop = 5;       // points whose mean stands for the minimum
constexpr double kRounding = 1e-9;    // relative change of a cost that is none
constexpr double kLeastFreedom = 12;  // of a noise that is believed
constexpr double kLastDigits = 1e-7;  // noise of recordings without any [m], [rad]
constexpr double kDisagree = 1e-4;    // probability of noises that differ as much by chance
constexpr double kKink = 0.005;       // by which the cost of that mean may exceed the least

/// Mean over the columns that have a value.
double MeanOf(const Eigen::RowVectorXd& row) {
  double sum = 0;
  int count = 0;
  for (const double value : row)
    if (std::isfinite(value)) sum += value, ++count;
  return count > 0 ? sum / count : kNone;
}

/// Mean of the points with the least cost, each toss counted as often as `counts` says.
Eigen::VectorXd TopMean(const std::vector<Eigen::VectorXd>& points, const std::vector<Eigen::RowVectorXd>& rows,
                        const Eigen::VectorXd& counts) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double sum = 0, number = 0;
    for (Eigen::Index k = 0; k < counts.size(); ++k)
      if (counts[k] > 0 && std::isfinite(rows[i][k])) sum += counts[k] * rows[i][k], number += counts[k];
    if (number > 0) order.emplace_back(sum / number, i);
  }
  if (order.empty()) return points.front();
  const std::size_t top = std::min(kTop, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<long>(top), order.end());
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(points.front().size());
  for (std::size_t i = 0; i < top; ++i) mean += points[order[i].second] / static_cast<double>(top);
  return mean;
}

/// Whether some parameter of the family changes the fit of the flight.
bool MovesStarts(const SpatialFamily& family) {
  const auto& selected = family.selected();
  return std::any_of(selected.begin(), selected.end(),
                     [](const SelectedParameter& each) { return MovesStart(each.path); });
}

/// One kind of noise of all tosses: what their flights show together where they agree, else each by itself.
void PoolNoise(const std::vector<double>& squares, const std::vector<double>& freedom, std::vector<double>& variance,
               std::vector<double>& known) {
  const double sum = std::accumulate(squares.begin(), squares.end(), 0.0);
  const double all = std::accumulate(freedom.begin(), freedom.end(), 0.0);
  if (all < kLeastFreedom || !(sum > 0)) return;
  bool agree = true;
  for (std::size_t k = 0; k < squares.size(); ++k) {
    const double others = all - freedom[k];
    if (freedom[k] < 1 || others < 1) continue;
    const double ratio = squares[k] / freedom[k] * others / (sum - squares[k]);
    agree =
        agree && TailOfF(ratio, freedom[k], others) > kDisagree && TailOfF(1 / ratio, others, freedom[k]) > kDisagree;
  }
  for (std::size_t k = 0; k < squares.size(); ++k) {
    if (agree) {
      variance[k] = sum / all;
      known[k] = all / static_cast<double>(squares.size());
    } else if (freedom[k] >= kLeastFreedom && squares[k] > 0) {
      variance[k] = squares[k] / freedom[k];
      known[k] = freedom[k];
    }
  }
}

/// Noise from rows in flight, which no error of the scene touches.
void TakeNoiseOfFlights(const Model& model, const std::vector<int>& used, std::vector<PreparedToss>& tosses) {
  std::vector<double> squares[2], freedom[2], variance[2], known[2];
  for (const int i : used) {
    const PreparedToss& toss = tosses[static_cast<std::size_t>(i)];
    const FlightNoise noise = NoiseOfFlights(toss.toss);
    squares[0].push_back(noise.position), squares[1].push_back(noise.angle);
    freedom[0].push_back(noise.position_freedom), freedom[1].push_back(noise.angle_freedom);
    variance[0].push_back(std::pow(toss.toss.track.noise_position, 2));
    variance[1].push_back(std::pow(toss.toss.track.noise_angle, 2));
    known[0].push_back(toss.position_freedom), known[1].push_back(toss.angle_freedom);
  }
  for (int kind = 0; kind < 2; ++kind) PoolNoise(squares[kind], freedom[kind], variance[kind], known[kind]);
  for (std::size_t k = 0; k < used.size(); ++k) {
    PreparedToss& toss = tosses[static_cast<std::size_t>(used[k])];
    toss.toss.track.noise_position = std::max(std::sqrt(variance[0][k]), kLastDigits);
    toss.toss.track.noise_angle = std::max(std::sqrt(variance[1][k]), kLastDigits);
    toss.position_freedom = known[0][k];
    toss.angle_freedom = known[1][k];
    RefitStart(model, toss);
  }
}

/// `count` of `tosses` indices, evenly spread.
std::vector<int> Part(int tosses, int count) {
  std::vector<int> part;
  count = std::min(count, tosses);
  for (int i = 0; i < count; ++i) part.push_back(static_cast<int>(static_cast<long>(i) * tosses / count));
  return part;
}

}  // namespace

Eigen::VectorXd SearchBox::ToUnit(const Eigen::VectorXd& params) const {
  Eigen::VectorXd unit(params.size());
  for (Eigen::Index i = 0; i < params.size(); ++i) {
    unit[i] = logarithmic[static_cast<std::size_t>(i)]
                  ? std::log(std::max(params[i], lower[i]) / lower[i]) / std::log(upper[i] / lower[i])
                  : (params[i] - lower[i]) / (upper[i] - lower[i]);
  }
  return unit.cwiseMax(0.0).cwiseMin(1.0);
}

Eigen::VectorXd SearchBox::FromUnit(const Eigen::VectorXd& unit) const {
  Eigen::VectorXd params(unit.size());
  for (Eigen::Index i = 0; i < unit.size(); ++i) {
    params[i] = logarithmic[static_cast<std::size_t>(i)] ? lower[i] * std::pow(upper[i] / lower[i], unit[i])
                                                         : lower[i] + (upper[i] - lower[i]) * unit[i];
  }
  return params;
}

Eigen::VectorXd SearchBox::Slope(const Eigen::VectorXd& unit) const {
  const Eigen::VectorXd params = FromUnit(unit);
  Eigen::VectorXd slope = upper - lower;
  for (Eigen::Index i = 0; i < unit.size(); ++i)
    if (logarithmic[static_cast<std::size_t>(i)]) slope[i] = params[i] * std::log(upper[i] / lower[i]);
  return slope;
}

SearchBox MakeSearchBox(const SpatialFamily& family) {
  const int n = family.size();
  SearchBox box{Eigen::VectorXd(n), Eigen::VectorXd(n), std::vector<char>(static_cast<std::size_t>(n), 0)};
  const double size = family.size_of(family.moving().front());
  for (int i = 0; i < n; ++i) {
    const double value = family.start()[i];
    const auto around = [&](double by) { box.lower[i] = value - by, box.upper[i] = value + by; };
    const auto decades = [&](double factor) {
      box.lower[i] = value / factor, box.upper[i] = value * factor;
      box.logarithmic[static_cast<std::size_t>(i)] = 1;
    };
    switch (family.quantity(i)) {
      case Quantity::kFriction:
        box.lower[i] = 0, box.upper[i] = std::max(1.2, 2 * value);
        break;
      case Quantity::kRestitution:
        box.lower[i] = 0, box.upper[i] = 0.95;
        break;
      case Quantity::kContactCompliance:
      case Quantity::kPositiveSpeed:
        decades(30);
        break;
      case Quantity::kNonNegativeTime:
        box.lower[i] = 0, box.upper[i] = std::max(0.02, 4 * value);
        break;
      case Quantity::kNonNegativeLength:
        box.lower[i] = 0, box.upper[i] = std::max(0.1 * size, 2 * value);
        break;
      case Quantity::kInertia:
      case Quantity::kMass:
        decades(1.6);
        break;
      case Quantity::kLength:
        // The radius of a contact patch is known to its order of magnitude at best, others are measured.
        if (family.selected()[static_cast<std::size_t>(i)].path.find(".patch[") != std::string::npos) {
          decades(10);
          break;
        }
        [[fallthrough]];
      case Quantity::kScale:
      case Quantity::kNonNegativeAcceleration:
        around(0.06 * value);
        break;
      case Quantity::kPosition:
        around(0.1 * size);
        break;
      case Quantity::kDirection:
      case Quantity::kAngle:
        around(0.05);
        break;
      case Quantity::kAcceleration:
        around(0.5);
        break;
      default:
        around(value != 0 ? 0.3 * std::abs(value) : 0.3);
    }
    box.lower[i] = std::max(box.lower[i], family.lower()[i]);
    box.upper[i] = std::min(box.upper[i], family.upper()[i]);
  }
  return box;
}

TossMinimum MinimizeTossCost(const SpatialFamily& family, const TossCosts& costs, int tosses,
                             const TossSearchOptions& options) {
  const int n = family.size();
  const SearchBox box = MakeSearchBox(family);
  std::vector<int> all(static_cast<std::size_t>(tosses));
  std::iota(all.begin(), all.end(), 0);
  TossMinimum out;
  double spent = 0;
  const auto at_units = [&](const std::vector<Eigen::VectorXd>& units, const std::vector<int>& part) {
    std::vector<Eigen::VectorXd> params;
    for (const Eigen::VectorXd& unit : units) params.push_back(box.FromUnit(unit));
    spent += static_cast<double>(units.size() * part.size()) / tosses;
    return costs(params, part);
  };
  const auto mean_over = [&](const std::vector<int>& part) {
    return [&at_units, part](const std::vector<Eigen::VectorXd>& units) {
      const Eigen::MatrixXd values = at_units(units, part);
      std::vector<double> means;
      for (Eigen::Index r = 0; r < values.rows(); ++r) means.push_back(MeanOf(values.row(r)));
      return means;
    };
  };

  Eigen::VectorXd best = box.ToUnit(options.start.size() > 0 ? options.start : family.start());
  if (options.global) {
    std::vector<Eigen::VectorXd> points = EvenPoints(n, 16 + 16 * n);
    points.push_back(best);
    const std::vector<double> values = mean_over(Part(tosses, options.first_part))(points);
    std::size_t least = points.size() - 1;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] < values[least] || !std::isfinite(values[least])) least = i;
    out.log.push_back(
        fmt::format("search: best of {} points spread over the box has cost {:.4g}", points.size(), values[least]));
    best = points[least];
    EvolutionOptions wide;
    wide.evaluations = 60 + 40 * n;
    wide.spread = 0.15;
    wide.tolerance = 0.01;
    wide.seed = options.seed;
    const std::vector<int> part = Part(tosses, options.second_part);
    const EvolutionResult far = MinimizeByEvolution(mean_over(part), best, wide);
    AddStage(fmt::format("search, {} tosses", part.size()), far.history, out.trace);
    best = far.mean;
  }
  EvolutionOptions narrow;
  narrow.evaluations = 30 + 30 * n;
  narrow.spread = 0.04;
  narrow.tolerance = 0.002;
  narrow.seed = options.seed + 1;
  // From here on all tosses, and every point is kept.
  std::vector<Eigen::VectorXd> points;
  std::vector<Eigen::RowVectorXd> rows;
  const auto evaluate = [&](const std::vector<Eigen::VectorXd>& units) {
    const Eigen::MatrixXd values = at_units(units, all);
    std::vector<double> means;
    for (Eigen::Index r = 0; r < values.rows(); ++r) {
      means.push_back(MeanOf(values.row(r)));
      if (!std::isfinite(means.back())) continue;
      points.push_back(units[static_cast<std::size_t>(r)]);
      rows.emplace_back(values.row(r));
    }
    return means;
  };
  const EvolutionResult local = MinimizeByEvolution(evaluate, best, narrow);
  evaluate({local.mean});
  AddStage("search, all tosses", local.history, out.trace);
  out.log.push_back(fmt::format("search: evolution on all tosses ends at cost {:.4g}", local.value));

  // Clouds as wide as the tosses cannot distinguish, and the tosses resampled.
  Random random(options.seed, 0x9e3);
  const Eigen::VectorXd every = Eigen::VectorXd::Ones(tosses);
  Eigen::MatrixXd drawn;
  Eigen::VectorXd width = Eigen::VectorXd::Constant(n, kFirstCloud);
  for (int round = 0; round < kClouds && !points.empty(); ++round) {
    best = TopMean(points, rows, every);
    std::vector<Eigen::VectorXd> cloud = {best};
    for (int k = 0; k < 12 + 8 * n; ++k) {
      Eigen::VectorXd x = best;
      for (int i = 0; i < n; ++i) x[i] += width[i] * random.Uniform(-1.7, 1.7);
      cloud.push_back(x.cwiseMax(0.0).cwiseMin(1.0));
    }
    evaluate(cloud);
    drawn.resize(kDraws, n);
    for (int k = 0; k < kDraws; ++k) {
      Eigen::VectorXd counts = Eigen::VectorXd::Zero(tosses);
      for (int i = 0; i < tosses; ++i) counts[static_cast<int>(random.Below(static_cast<std::uint64_t>(tosses)))] += 1;
      drawn.row(k) = TopMean(points, rows, counts);
    }
    const Eigen::RowVectorXd center = drawn.colwise().mean();
    for (int i = 0; i < n; ++i) {
      const double deviation = (drawn.col(i).array() - center[i]).matrix().norm() / std::sqrt(kDraws);
      width[i] = std::clamp(1.5 * deviation, kLeastCloud, kWidestCloud);
    }
  }
  if (points.empty()) {
    out.params = box.FromUnit(best);
    out.covariance = Eigen::MatrixXd::Constant(n, n, std::numeric_limits<double>::infinity());
    out.cost = kNone;
    out.costs.assign(all.size(), kNone);
    return out;
  }
  best = TopMean(points, rows, every);
  std::size_t least = 0;
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (MeanOf(rows[i]) < MeanOf(rows[least])) least = i;
  const double least_cost = MeanOf(rows[least]);
  // The mean of the best points, unless it lies on the wrong side of a kink.
  if (!(evaluate({best}).front() <= (1 + kKink) * least_cost)) best = points[least];
  const Eigen::MatrixXd values = at_units({best}, all);
  out.cost = MeanOf(values.row(0));
  for (int k = 0; k < tosses; ++k) out.costs.push_back(values(0, k));
  const Eigen::MatrixXd apart = drawn.rowwise() - drawn.colwise().mean();
  const double few = tosses > n ? static_cast<double>(tosses) / (tosses - n) : 1;
  const Eigen::MatrixXd spread = apart.transpose() * apart * (few / kDraws);
  out.params = box.FromUnit(best);
  const Eigen::VectorXd slope = box.Slope(best);
  const double student = StudentFactor(tosses - n);
  out.covariance = slope.asDiagonal() * spread * slope.asDiagonal() * (student * student);
  // Few tosses resampled are the same tosses.
  if (tosses < kFewTosses) out.covariance.setConstant(kNone);
  out.evaluations = static_cast<int>(std::lround(spent));
  return out;
}

std::vector<double> MinimizeOtherNumbers(const SpatialFamily& family, const TossCosts& costs, int tosses,
                                         const std::vector<char>& held, std::uint64_t seed, Eigen::VectorXd& params) {
  const SearchBox box = MakeSearchBox(family);
  const Eigen::VectorXd given = params, start = box.ToUnit(params);
  std::vector<int> all(static_cast<std::size_t>(tosses)), others;
  std::iota(all.begin(), all.end(), 0);
  for (int i = 0; i < family.size(); ++i)
    if (!held[static_cast<std::size_t>(i)]) others.push_back(i);
  std::vector<double> best(all.size(), kNone);
  double least = std::numeric_limits<double>::infinity();
  const auto evaluate = [&](const std::vector<Eigen::VectorXd>& units) {
    std::vector<Eigen::VectorXd> points;
    for (const Eigen::VectorXd& unit : units) {
      Eigen::VectorXd whole = start;
      for (std::size_t i = 0; i < others.size(); ++i) whole[others[i]] = unit[static_cast<Eigen::Index>(i)];
      points.push_back(box.FromUnit(whole));
      for (int i = 0; i < family.size(); ++i)
        if (held[static_cast<std::size_t>(i)]) points.back()[i] = given[i];
    }
    const Eigen::MatrixXd values = costs(points, all);
    std::vector<double> means;
    for (Eigen::Index r = 0; r < values.rows(); ++r) {
      means.push_back(MeanOf(values.row(r)));
      if (!(means.back() < least)) continue;
      least = means.back();
      for (std::size_t k = 0; k < best.size(); ++k) best[k] = values(r, static_cast<Eigen::Index>(k));
      params = points[static_cast<std::size_t>(r)];
    }
    return means;
  };
  const Eigen::VectorXd from = start(others);
  evaluate({from});
  if (others.empty()) return best;
  const int n = static_cast<int>(others.size());
  MinimizeByEvolution(evaluate, from,
                      {.evaluations = 20 + 20 * n, .spread = kFirstCloud, .tolerance = kLeastCloud, .seed = seed});
  return best;
}

void MarkThoseWithoutEffect(const SpatialFamily& family, const TossCosts& costs, TossMinimum& found) {
  const SearchBox box = MakeSearchBox(family);
  std::vector<Eigen::VectorXd> points = {found.params};
  for (int i = 0; i < family.size(); ++i)
    for (const double end : {box.lower[i], box.upper[i]}) {
      points.push_back(found.params);
      points.back()[i] = end;
    }
  std::vector<int> all(found.costs.size());
  std::iota(all.begin(), all.end(), 0);
  const Eigen::MatrixXd values = costs(points, all);
  for (int i = 0; i < family.size(); ++i) {
    bool moves = false;
    for (Eigen::Index k = 0; k < values.cols() && !moves; ++k)
      for (const Eigen::Index at : {1 + 2 * i, 2 + 2 * i})
        moves = moves || !(std::abs(values(at, k) - values(0, k)) <= kRounding * std::abs(values(0, k)));
    if (moves) continue;
    found.covariance.row(i).setZero();
    found.covariance.col(i).setZero();
    found.covariance(i, i) = std::numeric_limits<double>::infinity();
  }
}

TossSet::TossSet(const SpatialFamily& family, const std::vector<Recording>& recordings, const RollStart& start)
    : family_(&family) {
  const Model model = CompileModel(family.scene());
  tosses_ = std::make_shared<std::vector<PreparedToss>>(recordings.size());
  ParallelFor(static_cast<int>(recordings.size()), [&](int i) {
    PreparedToss& toss = (*tosses_)[static_cast<std::size_t>(i)];
    try {
      toss = PrepareToss(model, recordings[static_cast<std::size_t>(i)], start);
    } catch (const InputError& error) {
      if (recordings.size() == 1) throw;
      toss.problem = error.problem();
    }
  });
  for (std::size_t i = 0; i < tosses_->size(); ++i)
    if ((*tosses_)[i].problem.empty()) used_.push_back(static_cast<int>(i));
  moves_start_ = MovesStarts(family);
}

TossSet TossSet::Located(const LocatedMotion& motion) const {
  TossSet out = *this;
  out.located_ = motion;
  if (located()) return out;
  out.tosses_ = std::make_shared<std::vector<PreparedToss>>(*tosses_);
  TakeNoiseOfFlights(CompileModel(family_->scene()), used_, *out.tosses_);
  return out;
}

TossSet TossSet::Of(const SpatialFamily& family) const {
  TossSet out = *this;
  out.family_ = &family;
  out.moves_start_ = MovesStarts(family);
  return out;
}

TossRoller TossSet::RollerOf(const Model& model) const {
  return located() ? TossRoller(model, family_->stepper(), *located_)
                   : TossRoller(model, family_->stepper());
}

int TossSet::other_motions() const { return located() ? static_cast<int>(std::size(kOthers)) : 0; }

TossRoller TossSet::OtherRollerOf(const Model& model, int motion) const {
  return {model, family_->stepper(), kOthers[motion]};
}

TossSet TossSet::Subset(const std::vector<int>& tosses) const {
  TossSet out = *this;
  out.used_.clear();
  for (const int k : tosses) out.used_.push_back(used_[static_cast<std::size_t>(k)]);
  return out;
}

void TossSet::KeepThoseWithImpacts() {
  used_.clear();
  for (std::size_t i = 0; i < tosses_->size(); ++i) {
    PreparedToss& toss = (*tosses_)[i];
    if (!toss.problem.empty()) continue;
    if (toss.impacts.impacts.empty()) {
      toss.problem = "it has no impact on a single corner";
    } else {
      used_.push_back(static_cast<int>(i));
    }
  }
}

template <class Cost>
Eigen::MatrixXd TossSet::Evaluate(const std::vector<Eigen::VectorXd>& params, const std::vector<int>& tosses,
                                  const Cost& cost) const {
  // One that is named several times in a row is rolled out once.
  std::vector<int> distinct;
  std::vector<Eigen::Index> column;
  for (const int k : tosses) {
    const int toss = used_[static_cast<std::size_t>(k)];
    if (distinct.empty() || distinct.back() != toss) distinct.push_back(toss);
    column.push_back(static_cast<Eigen::Index>(distinct.size()) - 1);
  }
  Eigen::MatrixXd out = Eigen::MatrixXd::Constant(static_cast<Eigen::Index>(params.size()),
                                                  static_cast<Eigen::Index>(distinct.size()), kNone);
  const int items = (static_cast<int>(distinct.size()) + kTossesPerItem - 1) / kTossesPerItem;
  ParallelFor(static_cast<int>(params.size()) * items, [&](int task) {
    const int row = task / items, first = (task % items) * kTossesPerItem;
    const std::optional<SpatialInstance> instance = family_->Compile(params[static_cast<std::size_t>(row)]);
    if (!instance) return;
    TossRoller roller = RollerOf(instance->model);
    const int last = std::min(first + kTossesPerItem, static_cast<int>(distinct.size()));
    for (int k = first; k < last; ++k) {
      const PreparedToss& toss = (*tosses_)[static_cast<std::size_t>(distinct[static_cast<std::size_t>(k)])];
      if (!moves_start_) {
        out(row, k) = cost(instance->model, roller, toss);
        continue;
      }
      PreparedToss own = toss;
      RefitStart(instance->model, own);
      out(row, k) = cost(instance->model, roller, own);
    }
  });
  return out(Eigen::all, column);
}

Eigen::MatrixXd TossSet::TrajectoryCosts(const std::vector<Eigen::VectorXd>& params,
                                         const std::vector<int>& tosses) const {
  return Evaluate(params, tosses, [](const Model& model, TossRoller& roller, const PreparedToss& toss) {
    std::vector<SpatialPose<double>> poses;
    roller.Roll(toss, poses);
    return CompareToss(model, toss, poses).trajectory_loss;
  });
}

Eigen::MatrixXd TossSet::VelocityCosts(const std::vector<Eigen::VectorXd>& params, const std::vector<int>& tosses,
                                       double allowance) const {
  return Evaluate(params, tosses, [&](const Model& model, TossRoller& roller, const PreparedToss& toss) {
    return JumpCostOf(model, roller, toss, allowance).cost;
  });
}

double TossSet::VelocityChi2(const Eigen::VectorXd& params, int numbers) const {
  std::vector<int> tosses(used_.size());
  std::iota(tosses.begin(), tosses.end(), 0);
  const Eigen::MatrixXd chi2 =
      Evaluate({params}, tosses, [&](const Model& model, TossRoller& roller, const PreparedToss& toss) {
        return JumpCostOf(model, roller, toss, 0).chi2;
      });
  int impacts = 0;
  for (const int i : used_) impacts += static_cast<int>((*tosses_)[static_cast<std::size_t>(i)].impacts.impacts.size());
  return chi2.sum() / std::max(1, 6 * impacts - numbers);
}

TossRoller::JumpCost TossSet::JumpCostOf(const Model& model, TossRoller& roller, const PreparedToss& toss,
                                         double allowance) const {
  if (!moves_start_) return roller.VelocityCost(toss, allowance).value_or(TossRoller::JumpCost{kNone, kNone});
  PreparedToss own = toss;
  RefitJumps(model, own);
  return roller.VelocityCost(own, allowance).value_or(TossRoller::JumpCost{kNone, kNone});
}

}  // namespace ricochet
