// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Ways from one sequence of contacts to another.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <tuple>
#include <utility>

#include "core/random.h"
#include "estimators/planar_trajectory/track_fitter.h"
#include "estimators/planar_trajectory/track_moves.h"
#include "estimators/planar_trajectory/track_rivals.h"
#include "math/dense.h"

namespace ricochet {

constexpr double kHopeless = 40;      // a trial that costs so much more is not looked at further
constexpr double kNearlyFlat = 0.05;  // [rad]
constexpr double kLess = 0.95;        // of the friction that a contact needs: it slides then
constexpr double kFrictionFactors[] = {0.6, 0.85, 1.15, 1.5, 2.2};  // tried where something slides
constexpr double kRestitutionFactors[] = {0.9, 0.97, 0.99, 1.01, 1.03, 1.1};
constexpr double kSameFriction = 0.02;                              // relative difference of values that count as one
constexpr int kMostFrictions = 9;
constexpr int kFew = 40;  // frames below which more sequences of contacts are open, and steps are cheap

std::vector<TrackPath> TrackFitter::Search(const TrackStarts& starts, int population, int generations, int attempt) {
  const int window = starts.window, p = family_.size();
  residuals_.SetWindow(window);
  Random random(options_.seed, 11 + static_cast<std::uint64_t>(attempt));
  const Eigen::Vector3d acceleration = FreeAcceleration(family_);
  const EventBody<double> body = family_.Motion<double>({family_.start().data(), static_cast<std::size_t>(p)}).body();
  double first_gap = track_.time[1] - track_.time[0], turn = 1, speed = 0.1;
  for (int i = 1; i < window; ++i) {
    const double dt = track_.time[i] - track_.time[i - 1];
    turn = std::max(turn, std::abs(track_.pose[i][2] - track_.pose[i - 1][2]) / dt);
    speed = std::max(speed, (track_.pose[i] - track_.pose[i - 1]).head<2>().norm() / dt);
  }
  Eigen::VectorXd r;
  const auto cost = [&](const Eigen::VectorXd& z) {
    ++evaluations_;
    residuals_.SetWindow(window);
    if (!residuals_.Evaluate(z, r, nullptr)) return static_cast<double>(INFINITY);
    double sum = 0;
    for (const double value : r) sum += std::log1p(value * value / 100);
    Eigen::VectorXd prior(0);
    AppendPriors(z, prior, nullptr);
    return sum + 0.1 * prior.squaredNorm();
  };
  std::vector<TrackPath> people;
  for (int k = 0; k < population; ++k) {
    TrackPath path;
    path.z = Eigen::VectorXd::Zero(residuals_.size());
    path.z.head<3>() = track_.pose[0];
    // Touching at a random instant of the first interval fixes the velocity along the normal.
    const double t = first_gap * random.Uniform(0.15, 1.3), w = turn * random.Uniform(-1.2, 1.2);
    Eigen::Vector3d v((track_.pose[1][0] - track_.pose[0][0]) / first_gap, 0, w);
    v[0] *= random.Uniform(0.6, 1.6);
    v[0] += 0.2 * speed * random.Normal();
    v[1] = speed * random.Uniform(-2.0, 0.5);
    Eigen::Vector3d q = track_.pose[0] + v * t + acceleration * (0.5 * t * t);
    int candidate = 0;
    const double gap = LeastGap(body, q, &candidate);
    if (std::isfinite(gap)) {
      const EventSurface<double>& s =
          body.surfaces[static_cast<std::size_t>(body.candidates[static_cast<std::size_t>(candidate)].group)];
      v[0] -= s.nx * gap / t;
      v[1] -= s.ny * gap / t;
    }
    path.z.segment<3>(3) = v;
    for (int i = 0; i < p; ++i) {
      const PlanarRole role = family_.role(i);
      double value = family_.start()[i];
      if (role == PlanarRole::kFriction) value = random.Uniform(0.02, 0.9);
      if (role == PlanarRole::kRestitution) value = random.Uniform(0.0, 0.8);
      if (role == PlanarRole::kInertiaOverMass || role == PlanarRole::kInertia)
        value = family_.upper()[i] * random.Uniform(0.12, 0.6);
      if (role == PlanarRole::kMassOverInertia) value = family_.lower()[i] / random.Uniform(0.12, 0.6);
      path.z[kTrackState + i] = value;
    }
    path.z.tail(options_.impact_restitutions).setConstant(0.3);
    path.cost = cost(path.z);
    people.push_back(path);
  }
  for (int g = 0; g < generations && !Spent(); ++g)
    for (int k = 0; k < population; ++k) {
      const auto pick = [&] { return static_cast<std::size_t>(random.Below(static_cast<std::uint64_t>(population))); };
      TrackPath& parent = people[static_cast<std::size_t>(k)];
      std::size_t a = pick(), b = pick(), c = pick();
      if (people[b].cost < people[a].cost) std::swap(a, b);
      if (people[c].cost < people[a].cost) std::swap(a, c);  // the base is the best of three
      const double weight = random.Uniform(0.4, 0.9);
      Eigen::VectorXd z = parent.z;
      for (Eigen::Index i = 3; i < z.size(); ++i)
        if (random.Uniform() < 0.8) z[i] = people[a].z[i] + weight * (people[b].z[i] - people[c].z[i]);
      z = z.cwiseMax(solver_.lower).cwiseMin(solver_.upper);
      const double value = cost(z);
      if (value < parent.cost) {
        parent.z = z;
        parent.cost = value;
      }
    }
  std::sort(people.begin(), people.end(), [](const TrackPath& x, const TrackPath& y) { return x.cost < y.cost; });
  std::vector<TrackPath> best;
  for (const TrackPath& path : people) {
    bool near = false;
    for (const TrackPath& other : best)
      near = near || ((path.z - other.z).cwiseQuotient(solver_.scale).tail(residuals_.size() - 3).norm() < 0.3);
    if (near || !std::isfinite(path.cost)) continue;
    best.push_back(path);
    best.back().window = window;
    if (best.size() == 4) break;
  }
  return best;
}

void TrackFitter::Disturb(TrackPath& best, int count) {
  Eigen::VectorXd r;
  Eigen::MatrixXd j;
  const int n = track_.size();
  residuals_.SetWindow(n);
  if (!residuals_.Evaluate(best.z, r, &j)) return;
  const SingularDecomposition svd = DecomposeSingular(j * solver_.scale.asDiagonal());
  Random random(options_.seed, 77);
  Eigen::VectorXd trial_residuals;
  std::vector<std::pair<double, Eigen::VectorXd>> trials;
  for (int k = 0; k < 4 * count; ++k) {
    const double spread = 0.7 * (1 + k % 4);
    Eigen::VectorXd direction = Eigen::VectorXd::Zero(best.z.size());
    for (Eigen::Index i = 0; i < direction.size(); ++i) {
      const double s = svd.values[i];
      direction += svd.V.col(i) * (random.Normal() * spread / std::max(s, 20.0));
    }
    // Directions without information move freely within a fifth of their scale.
    Eigen::VectorXd z = best.z + solver_.scale.cwiseProduct(direction);
    z = z.cwiseMax(solver_.lower).cwiseMin(solver_.upper);
    residuals_.SetWindow(n);
    ++evaluations_;
    if (!residuals_.Evaluate(z, trial_residuals, nullptr)) continue;
    trials.emplace_back(LeastSquaresCost(trial_residuals, kTrackHuber), z);
  }
  std::sort(trials.begin(), trials.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (int k = 0; k < std::min<int>(count / 3, static_cast<int>(trials.size())); ++k) {
    TrackPath path{trials[static_cast<std::size_t>(k)].second, INFINITY, n, INFINITY, {}, best.trace};
    Solve(path, n, 8, 1e-3, kTrackHuber);
    if (path.cost < best.cost - 1e-4) best = path;
  }
}

bool TrackFitter::Hop(TrackPath& leader, int first_window, int count, int patience, double least_spread, int attempt) {
  Random random(options_.seed, 500 + static_cast<std::uint64_t>(attempt));
  const int p = family_.size();
  const double size = family_.Motion<double>({family_.start().data(), static_cast<std::size_t>(p)}).body().size;
  int idle = 0;
  bool gained = false;
  for (int k = 0; k < count && idle < patience && !Spent(); ++k, ++idle) {
    const double spread = least_spread * std::pow(3.0, k % 3);
    const double speed = leader.z.segment<2>(3).norm() + size * std::abs(leader.z[5]);
    TrackPath path = leader;
    for (int i = 0; i < 2; ++i) path.z[3 + i] += 0.7 * spread * speed * random.Normal();
    path.z[5] += spread * speed / size * random.Normal();
    for (Eigen::Index i = kTrackState; i < path.z.size(); ++i) path.z[i] *= std::exp(1.5 * spread * random.Normal());
    path.z = path.z.cwiseMax(solver_.lower).cwiseMin(solver_.upper);
    Solve(path, first_window, 8, 1e-2, kTrackHuber, true);
    // A path that starts much worse than the leader does over the same frames is not worth growing.
    if (!std::isfinite(path.cost) || path.cost > 3 * leader.cost + 1.0 * track_.width() * first_window) continue;
    Grow(path);
    if (path.cost < leader.cost - 0.1) {
      idle = -1;
      gained = true;
    }
    if (path.cost < leader.cost - 1e-3) leader = path;
  }
  return gained;
}

bool TrackFitter::TakeIfLikelier(TrackPath trial, TrackPath& best) {
  const int n = track_.size();
  if (!std::isfinite(trial.cost)) return false;
  if (track_.noise_given) {
    if (trial.cost > best.cost - 1e-3) return false;
    best = std::move(trial);
    return true;
  }
  const bool same = std::abs(trial.cost - best.cost) < 0.02 &&
                    (trial.z - best.z).cwiseQuotient(solver_.scale).cwiseAbs().maxCoeff() < 1e-3;
  if (same || trial.cost > best.cost + kHopeless) return false;
  const KeptNoise kept = KeepNoise();
  UpdateNoise(best);
  const double score = LogNoise(track_);
  for (int round = 0; round < 3; ++round) {
    UpdateNoise(trial);
    if (round < 2) Solve(trial, n, 8, 1e-3, kTrackHuber);
  }
  if (std::isfinite(trial.cost) && LogNoise(track_) < score - 0.01) {
    best = std::move(trial);
    return true;
  }
  RestoreNoise(kept);
  return false;
}

bool TrackFitter::PassFrames(TrackPath& best, int count) {
  const int n = track_.size();
  Eigen::VectorXd residuals;
  if (!residuals_.Compare(best.z, residuals)) return false;
  ++evaluations_;
  std::vector<std::pair<double, int>> worst;
  for (int i = 0; i < n; ++i)
    if (!residuals_.rejected()[static_cast<std::size_t>(i)]) worst.emplace_back(-Deviation(residuals, i), i);
  std::sort(worst.begin(), worst.end());
  ContactSequence own = SequenceOf(residuals_, best.z);
  bool gained = false;
  for (int k = 0; k < std::min<int>(count, static_cast<int>(worst.size())); ++k)
    for (const int width : {1, 2}) {
      const int first = std::max(0, worst[static_cast<std::size_t>(k)].second - width + 1);
      const std::vector<char> kept = residuals_.rejected();
      for (int i = first; i < std::min(n, first + 2 * width - 1); ++i)
        residuals_.rejected()[static_cast<std::size_t>(i)] = 1;
      TrackPath path = best;
      Solve(path, n, 12, 1e-3, kTrackHuber);
      residuals_.rejected() = kept;
      // With the contacts of the path it leads back to it.
      if (!std::isfinite(path.cost) || SequenceOf(residuals_, path.z) == own) continue;
      Solve(path, n, 12, 1e-3, kTrackHuber);
      if (!TakeIfLikelier(path, best)) continue;
      gained = true;
      own = SequenceOf(residuals_, best.z);
    }
  return gained;
}

bool TrackFitter::CrossGrazes(TrackPath& best, int count) {
  Eigen::VectorXd r;
  Eigen::MatrixXd j;
  const int n = track_.size();
  residuals_.SetWindow(n);
  if (!residuals_.Evaluate(best.z, r, &j)) return false;
  ++evaluations_;
  AppendPriors(best.z, r, &j);
  bool gained = false;
  for (const GrazeMove& move : GrazeMoves(residuals_, best.z, j, solver_.scale, count)) {
    TrackPath path = best;
    path.z = move.z.cwiseMax(solver_.lower).cwiseMin(solver_.upper);
    TrackPath whole = path;
    const auto after = std::upper_bound(track_.time.begin(), track_.time.end(), move.time);
    const int window = std::min(n, static_cast<int>(after - track_.time.begin()) + 4);
    Solve(path, window, 12, 1e-2, kTrackHuber, true);
    if (path.cost < best.cost + 1.0 * track_.width() * window) {
      Grow(path);
      if (TakeIfLikelier(path, best)) {
        gained = true;
        continue;
      }
    }
    Solve(whole, n, n < kFew ? 40 : 20, n < kFew ? 1e-4 : 1e-3, kTrackHuber);
    gained = TakeIfLikelier(whole, best) || gained;
  }
  return gained;
}

std::vector<double> TrackFitter::FrictionsAcross(const TrackPath& best, int parameter) const {
  std::vector<Eigen::Vector3d> poses;
  std::vector<EventRecord> records;
  EventSummary summary;
  std::vector<double> tried;
  if (!residuals_.Predict(best.z, poses, &summary, &records)) return tried;
  // Less than what a contact needs to stick lets it slide; more than there is may let one stick that slides.
  const double own = best.z[kTrackState + parameter];
  std::vector<double> values;
  for (const EventRecord& record : records)
    if (record.slip == 0 && record.normal_impulse > 0)
      values.push_back(kLess * std::abs(record.tangential_impulse) / record.normal_impulse);
  std::sort(values.begin(), values.end(), std::greater<>());
  const auto offer = [&](double value) {
    const bool near = std::any_of(tried.begin(), tried.end(), [&](double other) {
      return std::abs(value - other) < kSameFriction * (value + other);
    });
    if (!near) tried.push_back(value);
  };
  if (summary.slid) {
    tried.push_back(own);
    for (const double factor : kFrictionFactors) offer(factor * own + (factor > 1 ? 0.02 : 0.0));
  }
  for (const double value : values)
    if (static_cast<int>(tried.size()) < kMostFrictions) offer(value);
  std::erase(tried, own);
  return tried;
}

bool TrackFitter::CrossLaws(TrackPath& best) {
  const int n = track_.size(), p = family_.size();
  bool gained = false;
  for (int i = 0; i < p; ++i) {
    std::vector<double> tried;
    if (family_.role(i) == PlanarRole::kFriction) tried = FrictionsAcross(best, i);
    if (family_.role(i) == PlanarRole::kRestitution)
      for (const double factor : kRestitutionFactors) tried.push_back(factor * best.z[kTrackState + i]);
    double &lower = solver_.lower[kTrackState + i], &upper = solver_.upper[kTrackState + i];
    std::vector<ContactSequence> known = {SequenceOf(residuals_, best.z)};
    for (const double value : tried) {
      if (!(value > lower && value < upper) || Spent()) continue;
      TrackPath path = best;
      path.z[kTrackState + i] = value;
      const std::pair<double, double> bounds(lower, upper);
      lower = upper = value;
      solver_.give_up = best.cost + kHopeless;
      Solve(path, n, 6, 1e-2, kTrackHuber);
      std::tie(lower, upper) = bounds;
      solver_.give_up = INFINITY;
      if (!(path.cost < best.cost + kHopeless)) continue;
      // Contacts that are known lead to what is known.
      const ContactSequence sequence = SequenceOf(residuals_, path.z);
      if (std::find(known.begin(), known.end(), sequence) != known.end()) continue;
      known.push_back(sequence);
      Solve(path, n, 12, 1e-3, kTrackHuber);
      gained = TakeIfLikelier(path, best) || gained;
    }
  }
  return gained;
}

bool TrackFitter::LandFlat(TrackPath& best, int first_window) {
  const int n = track_.size(), p = family_.size();
  const EventMotion<double> motion = family_.Motion<double>({best.z.data() + kTrackState, static_cast<std::size_t>(p)});
  const EventBody<double>& body = motion.body();
  if (FreeAcceleration(family_)[2] != 0) return false;
  std::vector<Eigen::Vector3d> poses;
  std::vector<EventRecord> records;
  EventSummary summary;
  if (!residuals_.Predict(best.z, poses, &summary, &records)) return false;
  const auto impact = std::find_if(records.begin(), records.end(),
                                   [](const EventRecord& record) { return record.kind == EventKind::kImpact; });
  if (impact == records.end()) return false;
  const double fall = impact->time - track_.time[0], angle = best.z[2] + best.z[5] * fall;
  if (std::abs(best.z[5]) * fall > kNearlyFlat) return false;

  // The edge that is nearly parallel to its surface.
  double flat = NAN;
  for (int i = 0; i < body.candidate_count; ++i)
    for (int k = i + 1; k < body.candidate_count; ++k) {
      const EventCandidate<double>&a = body.candidates[static_cast<std::size_t>(i)],
            &b = body.candidates[static_cast<std::size_t>(k)];
      if (a.smooth || b.smooth || a.group != b.group) continue;
      const EventSurface<double>& s = body.surfaces[static_cast<std::size_t>(a.group)];
      const double apart = std::atan2(s.ty, s.tx) - std::atan2(b.py - a.py, b.px - a.px) - angle;
      const double trial = angle + std::remainder(apart, std::numbers::pi);
      if (std::abs(trial - angle) > kNearlyFlat) continue;
      const Eigen::Vector3d q(0, 0, trial);
      const double gap = body.Gap(i, q).phi;
      if (LeastGap(body, q) > gap - 1e-9 * body.size) flat = trial;
    }
  if (!std::isfinite(flat)) return false;

  const auto likelihood = [&](TrackPath& path) {
    if (track_.noise_given) return 2 * path.cost;
    for (int round = 0; round < 3; ++round) {
      UpdateNoise(path);
      if (round < 2) Solve(path, n, 10, 1e-3, kTrackHuber);
    }
    return LogNoise(track_);
  };
  const KeptNoise kept = KeepNoise();
  const double score = likelihood(best);
  Hold(2, flat);
  Hold(5, 0);
  TrackPath leader;
  const int restitution = family_.Find(PlanarRole::kRestitution);
  for (const double e : {0.1, 0.4, 0.7}) {
    TrackPath path = best;
    path.z[2] = flat;
    path.z[5] = 0;
    if (restitution >= 0) path.z[kTrackState + restitution] = e;
    Solve(path, first_window, 12, 1e-2, kTrackHuber, true);
    Grow(path);
    if (path.cost < leader.cost) leader = path;
    if (restitution < 0) break;
  }
  // Two unknowns less are worth 4.
  if (std::isfinite(leader.cost) && likelihood(leader) < score + 4) {
    best = leader;
    return true;
  }
  Release();
  RestoreNoise(kept);
  UpdateNoise(best);
  return false;
}

}  // namespace ricochet
