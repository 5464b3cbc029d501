// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Lasting contact of EventMotion: one step of it, the conditions that end its mode, and what follows then.
#pragma once

namespace ricochet {

/// Condition number `which` of the current modes; negative when the modes end. Per closed contact: normal force, the
/// slip or the friction bound of its surface, the extent; then the gap of every candidate that is open.
template <class T>
double EventMotion<T>::Violation(const Point<double>& at, int which) const {
  constexpr double kNever = 1.0;
  if (which >= 3 * closed_count_) {
    const int candidate = which - 3 * closed_count_;
    for (int i = 0; i < closed_count_; ++i)
      if (closed_[i] == candidate) return kNever;
    if (candidate == lifted_ && ValueOf(time_) < lifted_until_) return kNever;
    const EventGap<double> gap = values_.Gap(candidate, at.q);
    if (!values_.WithinExtent(candidate, gap, at.q)) return kNever;
    return gap.phi / values_.size + 1e-12;
  }
  const int index = which / 3, candidate = closed_[index], surface = values_.candidates[candidate].group;
  const EventSurface<double>& s = values_.surfaces[surface];
  if (which % 3 == 2) {
    if (!s.bounded) return kNever;
    const double along = values_.Along(candidate, values_.Gap(candidate, at.q), at.q);
    return std::min(along - s.lo, s.hi - along) / values_.size + 1e-12;
  }
  if (which % 3 == 1 && slip_[surface] != 0) {
    const double vt = values_.TangentSpeed(candidate, values_.Gap(candidate, at.q), at.v);
    return slip_[surface] * vt + 1e-6 * rest_speed_;
  }
  const Forces<double> forces = ContactForces<double>(at);
  const double weight = (std::hypot(values_.gx, values_.gy) + 1e-3) / values_.inverse_mass;
  if (which % 3 == 0) return forces.intensity.x[index] / weight + 1e-12;
  double normal = 0;
  int group = 0;
  std::array<int, kMaxClosedContacts> seen{};
  int groups = 0;
  for (int i = 0; i < closed_count_; ++i) {
    const int other = values_.candidates[closed_[i]].group;
    int g = 0;
    while (g < groups && seen[g] != other) ++g;
    if (g == groups) seen[groups++] = other;
    if (other == surface) {
      normal += forces.intensity.x[i];
      group = g;
    }
  }
  return (s.friction * normal - std::abs(forces.intensity.y[group])) / weight + 1e-12;
}

template <class T>
void EventMotion<T>::MoveInContact(double end) {
  work_ += 10;  // about as long as ten steps of flight
  if (work_ > work_limit_) {
    summary_.failed = true;
    return;
  }
  Point<T> start{q_, v_};
  Point<double> start_value;
  for (int i = 0; i < 3; ++i) start_value.q[i] = ValueOf(q_[i]), start_value.v[i] = ValueOf(v_[i]);
  const double now = ValueOf(time_);

  // Length of the step: to the end, as far as the error and the turning of the body allow.
  double h = end - now;
  const double turning = std::abs(start_value.v[2]);
  h = std::min({h, step_, turning > 0 ? 0.25 / turning : h});
  // A point that has just bounced or let go is within rounding of its surface and rises: the step ends while it does.
  // Far from the origin rounding alone may take it across.
  constexpr double kRounding = 1e-12;
  std::array<bool, kMaxEventCandidates> rising{};
  for (int i = 0; i < values_.candidate_count; ++i) {
    if (Violation(start_value, 3 * closed_count_ + i) > kRounding) continue;
    const EventGap<double> gap = values_.Gap(i, start_value.q);
    const EventSurface<double>& s = values_.surfaces[values_.candidates[i].group];
    const DoubleVector a = ContactForces<double>(start_value).acceleration;
    const double speed = values_.NormalSpeed(i, gap, start_value.v);
    const double second = s.nx * a[0] + s.ny * a[1] + gap.r_t * a[2] + gap.c * start_value.v[2] * start_value.v[2];
    if (speed <= -kRockingSpeed * rest_speed_ || (speed <= 1e-3 * rest_speed_ && second <= 0)) continue;
    rising[i] = true;
    h = std::min(h, second > 0 ? kLiftTime : std::max(0.5 * speed / -second, 1e-9));
  }
  Point<double> reached;
  Point<Jet<4>> local;
  const bool with_derivatives = kIsJet<T> && OneSimpleContact() && IsConstant(time_);
  double error = 0;
  for (int attempt = 0; attempt < 40; ++attempt) {
    if (with_derivatives) {
      local = IntegrateOneContact(start, h, &error);
      for (int i = 0; i < 3; ++i) reached.q[i] = local.q[i].a, reached.v[i] = local.v[i].a;
    } else {
      reached = Integrate<double>(start_value, h, &error);
    }
    if (error < kStepError) break;
    h *= 0.5;
    step_ = h;
  }
  if (end - now - h < 1e-12 * h) h = end - now;
  if (h == step_ && error < 0.01 * kStepError) step_ *= 2;
  Project(reached);

  // The first condition that is violated ends the step. Its root is bracketed on the quintic through both ends, then
  // corrected with the integrator itself.
  int ended_by = -1;
  double event_h = h;
  DoubleVector a0, a1;
  bool ready = false;
  const auto between = [&](double t) {
    const double x = t / h, x2 = x * x, x3 = x2 * x;
    const DoubleVector gap = reached.q - start_value.q - start_value.v * h - a0 * (0.5 * h * h);
    const DoubleVector dv = (reached.v - start_value.v - a0 * h) * h, da = (a1 - a0) * (h * h);
    // q = cubic start + x^3 (c3 + c4 x + c5 x^2) with value, slope and curvature matched at x = 1.
    const DoubleVector c3 = 10 * gap - 4 * dv + 0.5 * da, c4 = -15 * gap + 7 * dv - da,
                       c5 = 6 * gap - 3 * dv + 0.5 * da;
    Point<double> at;
    at.q = start_value.q + start_value.v * t + a0 * (0.5 * t * t) + x3 * (c3 + x * c4 + x2 * c5);
    at.v = start_value.v + a0 * t + x2 * (3 * c3 + 4 * x * c4 + 5 * x2 * c5) / h;
    return at;
  };
  for (int which = 0; which < ViolationCount(); ++which) {
    const double at_end = Violation(reached, which);
    if (at_end >= 0 || (which >= 3 * closed_count_ && rising[which - 3 * closed_count_])) continue;
    if (!ready) {
      a0 = ContactForces<double>(start_value).acceleration;
      a1 = ContactForces<double>(reached).acceleration;
      ready = true;
    }
    double lo = 0, hi = event_h, f_lo = Violation(start_value, which), f_hi = at_end;
    if (event_h < h) {
      f_hi = Violation(between(hi), which);
      if (f_hi >= 0) continue;
    }
    if (f_lo <= 0) {
      hi = 0;  // ends before it begins
    } else {
      for (int iteration = 0; iteration < 60 && hi - lo > 1e-13 * std::max(1.0, now); ++iteration) {
        const double middle = std::clamp(lo + (hi - lo) * f_lo / (f_lo - f_hi), lo, hi);
        const double f = Violation(between(middle), which);
        if (f == 0 || middle == lo || middle == hi) {
          hi = middle;
          break;
        }
        if (f < 0) {
          hi = middle;
          f_hi = f;
          f_lo *= 0.5;
        } else {
          lo = middle;
          f_lo = f;
          f_hi *= 0.5;
        }
      }
      for (int correction = 0; correction < 2 && hi > 0; ++correction) {
        Point<double> trial = Integrate<double>(start_value, hi, nullptr);
        Project(trial);
        const double d = std::min(1e-3 * h, 0.5 * hi);
        const double slope = (Violation(between(hi), which) - Violation(between(hi - d), which)) / d;
        if (!(slope < 0)) break;
        hi = std::clamp(hi - Violation(trial, which) / slope, 0.0, h);
      }
    }
    event_h = hi;
    ended_by = which;
  }

  T length = T(event_h);
  Point<T> after = start;
  if (ended_by < 0) {
    length = T(now + h) - time_;
    after = Follow(start, length, reached, with_derivatives ? &local : nullptr);
  } else if (event_h > 0) {
    reached = Integrate<double>(start_value, event_h, nullptr);
    Project(reached);
    if constexpr (kIsJet<T>) {
      // Time of the event in T: e / e' with e in T and e' along the motion in values.
      length -= EventFunction(Follow(start, length, reached), ended_by);
      length += event_h - ValueOf(length);
    }
    after = Follow(start, length, reached);
  }
  if (records_ && event_h > 0) RecordContact(start, after, now, event_h);
  for (int i = 0; i < closed_count_; ++i) {
    const int surface = values_.candidates[closed_[i]].group;
    if (slip_[surface] != 0) continue;
    Point<double> value;
    for (int k = 0; k < 3; ++k) value.q[k] = ValueOf(after.q[k]), value.v[k] = ValueOf(after.v[k]);
    const Forces<double> forces = ContactForces<double>(value);
    if (closed_count_ == 1 && forces.intensity.x[0] > 0)
      summary_.friction_needed =
          std::max(summary_.friction_needed, std::abs(forces.intensity.y[0]) / forces.intensity.x[0]);
  }
  Supply(q_, after.q);
  q_ = after.q;
  v_ = after.v;
  time_ += length;
  if (ended_by < 0) {
    time_ = T(now + h);
    return;
  }
  ++summary_.transitions;

  // What follows.
  if (ended_by >= 3 * closed_count_) {
    Impact();
    return;
  }
  const int index = ended_by / 3, surface = values_.candidates[closed_[index]].group;
  if (ended_by % 3 == 1 && slip_[surface] != 0) {
    slip_[surface] = 0;  // stick, or slide the other way: the forces decide
    Settle(closed_, closed_count_);
  } else if (ended_by % 3 == 1) {
    Point<double> value;
    for (int k = 0; k < 3; ++k) value.q[k] = ValueOf(q_[k]), value.v[k] = ValueOf(v_[k]);
    const EventVector<double> with = ContactForces<double>(value).acceleration - free_value_;
    const EventSurface<double>& s = values_.surfaces[surface];
    slip_[surface] = s.tx * with[0] + s.ty * with[1] > 0 ? -1 : 1;
    summary_.slid = true;
  } else {
    // The contact lets go.
    lifted_ = closed_[index];
    lifted_until_ = ValueOf(time_) + kLiftTime;
    std::array<int, kMaxClosedContacts> rest{};
    int count = 0;
    for (int i = 0; i < closed_count_; ++i)
      if (i != index) rest[count++] = closed_[i];
    closed_count_ = 0;
    ResetFlight();
    if (count > 0) Settle(rest, count);
  }
}

/// Time by which event `which` is off, e / e', in T; its value part is rounding.
template <class T>
T EventMotion<T>::EventFunction(const Point<T>& at, int which) const {
  Point<double> value;
  for (int i = 0; i < 3; ++i) value.q[i] = ValueOf(at.q[i]), value.v[i] = ValueOf(at.v[i]);
  const DoubleVector a = ContactForces<double>(value).acceleration;
  const auto rate = [&](int condition) {
    const double d = 1e-6;
    const Point<double> later{value.q + value.v * d + a * (0.5 * d * d), value.v + a * d};
    const Point<double> sooner{value.q - value.v * d + a * (0.5 * d * d), value.v - a * d};
    return (Violation(later, condition) - Violation(sooner, condition)) / (2 * d);
  };
  if (which >= 3 * closed_count_) {
    const int candidate = which - 3 * closed_count_;
    return GapOf(candidate, at.q).phi / (rate(which) * values_.size);
  }
  const int index = which / 3, candidate = closed_[index], surface = values_.candidates[candidate].group;
  const EventSurface<T>& s = body_.surfaces[surface];
  const EventGap<T> gap = GapOf(candidate, at.q);
  if (which % 3 == 2) {
    const T along = body_.Along(candidate, gap, at.q);
    const bool low = ValueOf(along - s.lo) < ValueOf(s.hi - along);
    return (low ? along - s.lo : s.hi - along) / (rate(which) * values_.size);
  }
  if (which % 3 == 1 && slip_[surface] != 0)
    return body_.TangentSpeed(candidate, gap, at.v) * static_cast<double>(slip_[surface]) / rate(which);
  const Forces<T> forces = ContactForces<T>(at);
  const double weight = (std::hypot(values_.gx, values_.gy) + 1e-3) / values_.inverse_mass;
  if (which % 3 == 0) return forces.intensity.x[index] / (rate(which) * weight);
  using std::abs;
  T normal(0.0);
  int group = 0;
  const EventContactProblem<double> problem = MakeProblem<double>(closed(), value.q, value.v, false, {});
  for (int i = 0; i < closed_count_; ++i) {
    if (values_.candidates[closed_[i]].group != surface) continue;
    normal += forces.intensity.x[i];
    group = problem.group_of[i];
  }
  return (s.friction * normal - abs(forces.intensity.y[group])) / (rate(which) * weight);
}

/// Impulses of a stretch of contact: from the change of momentum for one contact, which is exact; from the forces at
/// both ends for several, which is exact when they are constant.
template <class T>
void EventMotion<T>::RecordContact(const Point<T>& before, const Point<T>& after, double start, double h) {
  Point<double> a, b;
  for (int i = 0; i < 3; ++i) {
    a.q[i] = ValueOf(before.q[i]), a.v[i] = ValueOf(before.v[i]);
    b.q[i] = ValueOf(after.q[i]), b.v[i] = ValueOf(after.v[i]);
  }
  const Forces<double> fa = ContactForces<double>(a), fb = ContactForces<double>(b);
  const EventContactProblem<double> problem = MakeProblem<double>(closed(), b.q, b.v, false, {});
  std::array<double, kMaxClosedContacts> load{};
  for (int i = 0; i < closed_count_; ++i) load[problem.group_of[i]] += fa.intensity.x[i] + fb.intensity.x[i];
  for (int i = 0; i < closed_count_; ++i) {
    const int candidate = closed_[i], surface = values_.candidates[candidate].group, group = problem.group_of[i];
    const EventSurface<double>& s = values_.surfaces[surface];
    const EventGap<double> gap = values_.Gap(candidate, b.q);
    double normal = 0.5 * h * (fa.intensity.x[i] + fb.intensity.x[i]);
    double tangential = 0.5 * h * (fa.intensity.y[group] + fb.intensity.y[group]);
    if (load[group] > 0) tangential *= (fa.intensity.x[i] + fb.intensity.x[i]) / load[group];
    if (closed_count_ == 1) {
      const DoubleVector jump = b.v - a.v - free_value_ * h;
      normal = (s.nx * jump[0] + s.ny * jump[1]) / values_.inverse_mass;
      tangential = (s.tx * jump[0] + s.ty * jump[1]) / values_.inverse_mass;
    }
    records_->push_back({EventKind::kContact, start, h, candidate, normal, tangential, 0.0, slip_[surface],
                         b.q[0] + gap.r_t * s.tx + gap.r_n * s.nx, b.q[1] + gap.r_t * s.ty + gap.r_n * s.ny});
  }
}

}  // namespace ricochet
