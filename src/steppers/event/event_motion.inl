// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Loads, free flight and impacts of EventMotion.
#pragma once

#include <algorithm>
#include <cmath>

namespace ricochet {

inline constexpr double kTouchingGap = 1e-11;  // of the body's size: contacts this close touch at the same instant
inline constexpr double kStepError = 1e-8;     // of the order-6 companion, in body sizes and radians
inline constexpr double kTimeSlack = 1e-12;    // [s] two times this close are the same
inline constexpr double kLiftTime = 1e-5;      // [s] after a contact lets go its gap, of order t^3, is below rounding
// Several points within rounding of their surfaces whose normal speeds are all below this many rest speeds stay: a body
// that rocks from one to the other would regain that much from the rounding of its gaps, for ever.
inline constexpr double kRockingSpeed = 10;

template <class T>
void EventMotion<T>::UpdateLoads(double time) {
  free_ << body_.gx, body_.gy, T(0.0);
  for (const Load<T>& load : loads_) {
    if (time < load.from || time >= load.until) continue;
    free_[0] += body_.inverse_mass * load.force[0];
    free_[1] += body_.inverse_mass * load.force[1];
    free_[2] += body_.inverse_inertia * load.force[2];
  }
  for (int i = 0; i < 3; ++i) free_value_[i] = ValueOf(free_[i]);
  known_loads_ = IsConstant(free_[0]) && IsConstant(free_[1]) && IsConstant(free_[2]);
}

template <class T>
double EventMotion<T>::NextLoadChange(double time) const {
  double next = std::numeric_limits<double>::infinity();
  for (const Load<T>& load : loads_)
    for (const double change : {load.from, load.until, load.at})
      if (change > time && change < next) next = change;
  return next;
}

template <class T>
void EventMotion<T>::Start(double time, const Vector& q, const Vector& v) {
  time_ = T(time);
  q_ = q;
  v_ = v;
  summary_ = {};
  counted_impacts_ = 0;
  work_ = 0;
  closed_count_ = 0;
  lifted_ = -1;
  slip_.fill(0);
  supplied_ = 0;
  kicked_until_ = time - 2 * kTimeSlack;
  UpdateLoads(time);
  ResetFlight();
  Impact();
}

/// Impulses at a time t act when an advance begins at t.
template <class T>
void EventMotion<T>::ApplyDueKicks() {
  const double now = ValueOf(time_) + kTimeSlack;
  for (const Load<T>& load : loads_)
    if (load.at > kicked_until_ && load.at <= now) Kick(Vector(load.impulse[0], load.impulse[1], load.impulse[2]));
  kicked_until_ = now;
}

/// Work of gravity and forces between two poses.
template <class T>
void EventMotion<T>::Supply(const Vector& before, const Vector& after) {
  for (int i = 0; i < 3; ++i) {
    const double inverse = i < 2 ? values_.inverse_mass : values_.inverse_inertia;
    if (inverse > 0) supplied_ += free_value_[i] / inverse * (ValueOf(after[i]) - ValueOf(before[i]));
  }
}

template <class T>
void EventMotion<T>::Kick(const Vector& impulse) {
  for (int i = 0; i < 3; ++i) {
    const T change = (i < 2 ? body_.inverse_mass : body_.inverse_inertia) * impulse[i];
    supplied_ += ValueOf(impulse[i]) * (ValueOf(v_[i]) + 0.5 * ValueOf(change));
    v_[i] += change;
  }
  Impact();
}

template <class T>
void EventMotion<T>::AdvanceTo(double end) {
  if (ValueOf(time_) < end) ApplyDueKicks();
  while (ValueOf(time_) < end && !summary_.failed) {
    const double change = NextLoadChange(ValueOf(time_));
    const double stop = std::min(end, change);
    if (closed_count_ == 0)
      Fly(stop);
    else
      MoveInContact(stop);
    if (ValueOf(time_) == change) {
      UpdateLoads(change);
      ResetFlight();
      if (change < end) ApplyDueKicks();
      if (closed_count_ > 0) Settle(closed_, closed_count_);
    }
    if (summary_.transitions > event_limit_) summary_.failed = true;
  }
}

// --- Flight.

template <class T>
void EventMotion<T>::ResetFlight() {
  clear_until_ = ValueOf(time_);
}

template <class T>
void EventMotion<T>::MoveInFlight(const T& time) {
  const Vector before = q_;
  const auto move = [&](const auto& dt, const auto& free) {
    const auto half = 0.5 * dt * dt;
    for (int i = 0; i < 3; ++i) {
      q_[i] += v_[i] * dt + free[i] * half;
      v_[i] += free[i] * dt;
    }
  };
  const T dt = time - time_;
  if (IsConstant(dt) && known_loads_)
    move(ValueOf(dt), free_value_);
  else
    move(dt, free_);
  Supply(before, q_);
  time_ = time;
}

template <class T>
void EventMotion<T>::Fly(double end) {
  // Conservative advancement in values, from the time that is known to be clear.
  const double start = ValueOf(time_);
  DoubleVector q0, v0;
  for (int i = 0; i < 3; ++i) q0[i] = ValueOf(q_[i]), v0[i] = ValueOf(v_[i]);
  const auto pose = [&](double t) {
    const double dt = t - start;
    return DoubleVector(q0 + v0 * dt + free_value_ * (0.5 * dt * dt));
  };
  const auto velocity = [&](double t) { return DoubleVector(v0 + free_value_ * (t - start)); };
  double t = clear_until_;
  const double tiny = 1e-15 * values_.size;
  int hit = -1;
  double hit_time = end;
  while (t < end && hit < 0) {
    if (++work_ > work_limit_) {
      summary_.failed = true;
      return;
    }
    const DoubleVector q = pose(t), v = velocity(t);
    const double rate = std::max(std::abs(v[2]), std::abs(v[2] + free_value_[2] * (end - t)));
    const double cosine = std::cos(q[2]), sine = std::sin(q[2]);
    double advance = end - t;
    for (int i = 0; i < values_.candidate_count; ++i) {
      if (i == lifted_ && t < lifted_until_) {
        advance = std::min(advance, std::max(lifted_until_ - t, 1e-9));
        continue;
      }
      const EventCandidate<double>& candidate = values_.candidates[i];
      const EventSurface<double>& surface = values_.surfaces[candidate.group];
      const EventGap<double> gap = values_.GapAt(i, q, cosine, sine);
      const double second =
          surface.nx * free_value_[0] + surface.ny * free_value_[1] + gap.r_t * free_value_[2] + gap.c * v[2] * v[2];
      double speed = values_.NormalSpeed(i, gap, v);
      // At rest on its surface up to rounding and accelerated away from it: it lifts, it does not hit.
      if (speed < 0 && speed >= -1e-3 * rest_speed_ && second > 0 && gap.phi <= kTouchingGap * values_.size) speed = 0;
      if (gap.phi < -kTouchingGap * values_.size * 1e3 && !(speed < 0)) continue;  // leaving from inside
      const double bound = -(surface.nx * free_value_[0] + surface.ny * free_value_[1]) +
                           candidate.arm * std::abs(free_value_[2]) + candidate.curvature * rate * rate;
      const double phi = std::max(gap.phi, 0.0);
      double clear = std::numeric_limits<double>::infinity();
      if (bound > 0) {
        const double root = std::sqrt(speed * speed + 2 * bound * phi);
        clear = speed > 0 ? (speed + root) / bound : 2 * phi / (root - speed);
        if (speed == 0 && phi == 0) clear = 0;
      } else if (speed < 0) {
        clear = phi / -speed;
      }
      // A contact that has just let go opens with its third derivative; a bound on that one then reaches much farther.
      if (speed >= 0 && second >= 0) {
        const double third =
            (candidate.third * rate * rate + 3 * candidate.curvature * std::abs(free_value_[2])) * rate;
        clear = third > 0
                    ? std::max(clear,
                               3 * (0.5 * second + std::sqrt(0.25 * second * second + 2.0 / 3 * third * speed)) / third)
                    : std::numeric_limits<double>::infinity();
      }
      if (speed < 0 && (gap.phi <= tiny || clear <= 1e-15 * std::max(1.0, t)) && values_.WithinExtent(i, gap, q)) {
        hit = i;
        hit_time = t;
        break;
      }
      advance = std::min(advance, clear);
    }
    if (hit < 0) t += std::max(advance, 1e-9);
  }
  if (hit < 0) {
    clear_until_ = std::max(clear_until_, end);
    MoveInFlight(T(end));
    clear_until_ = end;
    return;
  }

  // One Newton step on the gap completes the time in T.
  const double t0 = std::clamp(hit_time, start, end);
  MoveInFlight(T(t0));
  const EventGap<T> gap = GapOf(hit, q_);
  const T speed = body_.NormalSpeed(hit, gap, v_);
  T correction = -gap.phi / ValueOf(speed);
  if (std::abs(ValueOf(correction)) > 1e-9) correction -= ValueOf(correction);  // started in overlap: impact at once
  MoveInFlight(time_ + correction);
  if constexpr (kIsJet<T>) {
    // The search may have gone in by 1e-9 s, and a derivative taken there is off by that times phi'' / phi'. A second
    // step, whose value is left out so that the motion is the same in every scalar, takes it at the impact.
    const EventGap<T> closed = GapOf(hit, q_);
    T rest = -closed.phi / ValueOf(body_.NormalSpeed(hit, closed, v_));
    rest -= ValueOf(rest);
    MoveInFlight(time_ + rest);
  }
  lifted_ = -1;
  Impact();
}

// --- Impact.

template <class T>
template <class S>
EventContactProblem<S> EventMotion<T>::MakeProblem(std::span<const int> contacts, const EventVector<S>& q,
                                                   const EventVector<S>& v, bool impact,
                                                   std::span<const S> restitution) const {
  const EventBody<S>& body = BodyOf<S>();
  const EventVector<S> free = FreeAcceleration<S>();
  EventContactProblem<S> problem;
  problem.inverse_mass = body.inverse_mass;
  problem.inverse_inertia = body.inverse_inertia;
  problem.contacts = static_cast<int>(contacts.size());
  std::array<int, kMaxClosedContacts> surface_of_group{};
  for (int i = 0; i < problem.contacts; ++i) {
    const int surface = body.candidates[contacts[i]].group;
    int group = 0;
    while (group < problem.groups && surface_of_group[group] != surface) ++group;
    problem.group_of[i] = group;
    const EventSurface<S>& s = body.surfaces[surface];
    const EventGap<S> gap = GapOf(contacts[i], q);
    problem.normal[i] << s.nx, s.ny, gap.r_t;
    const S vn = body.NormalSpeed(contacts[i], gap, v);
    const S omega2 = v[2] * v[2];
    if (impact)
      problem.b[i] = ValueOf(vn) < 0 ? vn * (1.0 + restitution[i]) : vn;
    else
      problem.b[i] = problem.normal[i].dot(free) + gap.c * omega2;
    if (group < problem.groups) continue;
    surface_of_group[problem.groups++] = surface;
    problem.friction[group] = s.friction;
    problem.tangent[group] << s.tx, s.ty, -gap.r_n;
    const S vt = body.TangentSpeed(contacts[i], gap, v);
    problem.d[group] =
        impact ? vt * (1.0 + s.tangential_restitution) : problem.tangent[group].dot(free) - gap.r_t * omega2;
  }
  return problem;
}

template <class T>
void EventMotion<T>::Impact() {
  // Everything that touches now.
  std::array<int, kMaxClosedContacts> touching{};
  int count = 0;
  bool approaching = false;
  DoubleVector qv, vv;
  for (int i = 0; i < 3; ++i) qv[i] = ValueOf(q_[i]), vv[i] = ValueOf(v_[i]);
  std::array<double, kMaxClosedContacts> approach{};
  int near = 0;
  double fastest_near = 0;
  for (int i = 0; i < values_.candidate_count; ++i) {
    const EventGap<double> gap = values_.Gap(i, qv);
    if (gap.phi > kTouchingGap * values_.size || !values_.WithinExtent(i, gap, qv)) continue;
    ++near;
    fastest_near = std::max(fastest_near, std::abs(values_.NormalSpeed(i, gap, vv)));
  }
  const double leaving =
      near > 1 && fastest_near < kRockingSpeed * rest_speed_ ? kRockingSpeed * rest_speed_ : 1e-3 * rest_speed_;
  for (int i = 0; i < values_.candidate_count && count < kMaxClosedContacts; ++i) {
    const EventGap<double> gap = values_.Gap(i, qv);
    if (gap.phi > kTouchingGap * values_.size || !values_.WithinExtent(i, gap, qv)) continue;
    const double speed = values_.NormalSpeed(i, gap, vv);
    if (speed > leaving) continue;
    approach[count] = speed;
    touching[count++] = i;
    if (speed < -1e-3 * rest_speed_) approaching = true;
  }
  closed_count_ = 0;
  ResetFlight();
  if (count == 0) return;
  const std::span<const int> contacts(touching.data(), static_cast<std::size_t>(count));
  if (approaching) {
    ++summary_.impacts;
    ++summary_.transitions;
    // Restitution of each contact; none below the rest speed.
    std::array<T, kMaxClosedContacts> restitution{};
    std::array<double, kMaxClosedContacts> restitution_value{};
    double fastest = 0;
    for (int i = 0; i < count; ++i) fastest = std::max(fastest, -approach[i]);
    const bool counted = fastest > restitution_speed_ && fastest > rest_speed_;
    for (int i = 0; i < count; ++i) {
      restitution[i] = body_.surfaces[body_.candidates[touching[i]].group].restitution;
      if (counted && counted_impacts_ < static_cast<int>(restitutions_.size()))
        restitution[i] = restitutions_[counted_impacts_];
      if (-approach[i] < std::max(rest_speed_, leaving)) restitution[i] = T(0.0);
      restitution_value[i] = ValueOf(restitution[i]);
    }
    if (counted) ++counted_impacts_;
    const EventContactProblem<double> search =
        MakeProblem<double>(contacts, qv, vv, true, {restitution_value.data(), static_cast<std::size_t>(count)});
    double scale = 0;
    for (int i = 0; i < count; ++i) scale = std::max(scale, std::abs(search.b[i]));
    const EventModes modes = FindModes(search, {}, scale);
    if (!modes.found) {
      summary_.failed = true;
      return;
    }
    const EventContactProblem<T> problem =
        MakeProblem<T>(contacts, q_, v_, true, {restitution.data(), static_cast<std::size_t>(count)});
    EventContactSolution<T> impulse;
    SolveModes(problem, modes, impulse);
    Vector wrench = Vector::Zero();
    for (int i = 0; i < count; ++i) wrench += problem.normal[i] * impulse.x[i];
    for (int g = 0; g < problem.groups; ++g) wrench += problem.tangent[g] * impulse.y[g];
    v_[0] += body_.inverse_mass * wrench[0];
    v_[1] += body_.inverse_mass * wrench[1];
    v_[2] += body_.inverse_inertia * wrench[2];
    // Book-keeping: slip per surface, friction that sticking needed.
    std::array<double, kMaxClosedContacts> load{};
    for (int i = 0; i < count; ++i) load[problem.group_of[i]] += ValueOf(impulse.x[i]);
    for (int i = 0; i < count; ++i) {
      const int group = problem.group_of[i], surface = values_.candidates[touching[i]].group;
      if (load[group] <= 0) continue;
      slip_[surface] = modes.slip[group];
      if (modes.slip[group] != 0 && fastest > rest_speed_) summary_.slid = true;
      if (modes.slip[group] == 0)
        summary_.friction_needed =
            std::max(summary_.friction_needed, std::abs(ValueOf(impulse.y[group])) / load[group]);
      if (records_ && ValueOf(impulse.x[i]) > 0) {
        const EventGap<double> gap = values_.Gap(touching[i], qv);
        const EventSurface<double>& s = values_.surfaces[surface];
        records_->push_back({EventKind::kImpact, ValueOf(time_), 0.0, touching[i], ValueOf(impulse.x[i]),
                             ValueOf(impulse.y[group]) * ValueOf(impulse.x[i]) / load[group], approach[i],
                             modes.slip[group], qv[0] + gap.r_t * s.tx + gap.r_n * s.nx,
                             qv[1] + gap.r_t * s.ty + gap.r_n * s.ny});
      }
    }
    for (int i = 0; i < 3; ++i) vv[i] = ValueOf(v_[i]);
  }

  // Contacts that do not separate may last; a contact without an impact slips as its velocity says.
  std::array<int, kMaxClosedContacts> staying{};
  int stay = 0;
  for (int i = 0; i < count; ++i) {
    const EventGap<double> gap = values_.Gap(touching[i], qv);
    if (values_.NormalSpeed(touching[i], gap, vv) > leaving) continue;
    if (!approaching) {
      const double vt = values_.TangentSpeed(touching[i], gap, vv);
      slip_[values_.candidates[touching[i]].group] = std::abs(vt) <= 1e-3 * rest_speed_ ? 0 : vt > 0 ? 1 : -1;
    }
    staying[stay++] = touching[i];
  }
  if (stay > 0) Settle(staying, stay);
}

/// Decides which of the touching contacts press and whether they stick, from the forces.
template <class T>
void EventMotion<T>::Settle(const std::array<int, kMaxClosedContacts>& candidates, int count) {
  ++summary_.transitions;
  const std::array<int, kMaxClosedContacts> touching = candidates;  // may be closed_ itself
  DoubleVector qv, vv;
  for (int i = 0; i < 3; ++i) qv[i] = ValueOf(q_[i]), vv[i] = ValueOf(v_[i]);
  const std::span<const int> contacts(touching.data(), static_cast<std::size_t>(count));
  const EventContactProblem<double> problem = MakeProblem<double>(contacts, qv, vv, false, {});
  std::array<int, kMaxClosedContacts> sliding{};
  for (int i = 0; i < count; ++i) sliding[problem.group_of[i]] = slip_[values_.candidates[touching[i]].group];
  double scale = std::hypot(values_.gx, values_.gy) + vv[2] * vv[2] * values_.size;
  for (int i = 0; i < count; ++i) scale = std::max(scale, std::abs(problem.b[i]));
  const EventModes modes = FindModes(problem, sliding, scale);
  closed_count_ = 0;
  if (!modes.found) {
    summary_.failed = true;
    return;
  }
  for (int i = 0; i < count; ++i) {
    if (!(modes.pressing >> i & 1u)) continue;
    closed_[closed_count_++] = touching[i];
    slip_[values_.candidates[touching[i]].group] = modes.slip[problem.group_of[i]];
    if (modes.slip[problem.group_of[i]] != 0) summary_.slid = true;
  }
  if (closed_count_ > 0) {
    Point<T> point{q_, v_};
    Project(point);
    q_ = point.q;
    v_ = point.v;
  }
  ResetFlight();
}

}  // namespace ricochet
