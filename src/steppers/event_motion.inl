// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <algorithm>
#include <cmath>

namespace ricochet {

inline constexpr double kGapTolerance = 1e-11;  // of the body's size: contacts this close touch at the same instant
inline constexpr double kStepError =
    1e-8;  // of the order-6 result, in body sizes and radians; the step itself has order 8
inline constexpr double kTimeSlack = 1e-12;  // [s] two times this close are the same
inline constexpr double kLiftTime = 1e-5;    // [s] after a contact lets go its gap, of order t^3, is below rounding

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
  const T dt = time - time_;
  const T half = 0.5 * dt * dt;
  const Vector before = q_;
  for (int i = 0; i < 3; ++i) {
    q_[i] += v_[i] * dt + free_[i] * half;
    v_[i] += free_[i] * dt;
  }
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
      const double speed = values_.NormalSpeed(i, gap, v);
      if (gap.phi < -kGapTolerance * values_.size * 1e3 && !(speed < 0)) continue;  // leaving from inside
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
      const double second =
          surface.nx * free_value_[0] + surface.ny * free_value_[1] + gap.r_t * free_value_[2] + gap.c * v[2] * v[2];
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
  const EventGap<T> gap = body_.Gap(hit, q_);
  const T speed = body_.NormalSpeed(hit, gap, v_);
  T correction = -gap.phi / ValueOf(speed);
  if (std::abs(ValueOf(correction)) > 1e-9) correction -= ValueOf(correction);  // started in overlap: impact at once
  MoveInFlight(time_ + correction);
  lifted_ = -1;
  Impact();
}

// --- Impact.

template <class T>
template <class S>
EventContactProblem<S> EventMotion<T>::MakeProblem(std::span<const int> contacts, const EventVector<S>& q,
                                                   const EventVector<S>& v, bool impact,
                                                   std::span<const S> restitution) const {
  using std::cos;
  using std::sin;
  const EventBody<S>& body = BodyOf<S>();
  const EventVector<S> free = FreeAcceleration<S>();
  EventContactProblem<S> problem;
  problem.inverse_mass = body.inverse_mass;
  problem.inverse_inertia = body.inverse_inertia;
  problem.contacts = static_cast<int>(contacts.size());
  const S cosine = cos(q[2]), sine = sin(q[2]);
  std::array<int, kMaxClosedContacts> surface_of_group{};
  for (int i = 0; i < problem.contacts; ++i) {
    const int surface = body.candidates[contacts[i]].group;
    int group = 0;
    while (group < problem.groups && surface_of_group[group] != surface) ++group;
    problem.group_of[i] = group;
    const EventSurface<S>& s = body.surfaces[surface];
    const EventGap<S> gap = body.GapAt(contacts[i], q, cosine, sine);
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
  for (int i = 0; i < values_.candidate_count && count < kMaxClosedContacts; ++i) {
    const EventGap<double> gap = values_.Gap(i, qv);
    if (gap.phi > kGapTolerance * values_.size || !values_.WithinExtent(i, gap, qv)) continue;
    const double speed = values_.NormalSpeed(i, gap, vv);
    if (speed > 1e-3 * rest_speed_) continue;
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
      if (-approach[i] < rest_speed_) restitution[i] = T(0.0);
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
    if (values_.NormalSpeed(touching[i], gap, vv) > 1e-3 * rest_speed_) continue;
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

// --- Lasting contact.

template <class T>
template <class S>
auto EventMotion<T>::ContactForces(const Point<S>& at) const -> Forces<S> {
  using std::cos;
  using std::sin;
  const EventBody<S>& body = BodyOf<S>();
  Forces<S> out;
  out.acceleration = FreeAcceleration<S>();
  if (closed_count_ == 1) {
    // One contact in closed form: 1 unknown when it slides, 2 when it sticks.
    const int candidate = closed_[0];
    const EventSurface<S>& s = body.surfaces[body.candidates[candidate].group];
    const int slip = slip_[body.candidates[candidate].group];
    const EventGap<S> gap = body.GapAt(candidate, at.q, cos(at.q[2]), sin(at.q[2]));
    const S omega2 = at.v[2] * at.v[2];
    const S bn =
        s.nx * out.acceleration[0] + s.ny * out.acceleration[1] + gap.r_t * out.acceleration[2] + gap.c * omega2;
    const S inertia_n = body.inverse_inertia * gap.r_t;
    S x, y;
    if (slip != 0) {
      const S friction = s.friction * static_cast<double>(-slip);
      x = -bn / (body.inverse_mass + inertia_n * (gap.r_t - friction * gap.r_n));
      y = friction * x;
    } else {
      const S bt =
          s.tx * out.acceleration[0] + s.ty * out.acceleration[1] - gap.r_n * out.acceleration[2] - gap.r_t * omega2;
      const S nn = body.inverse_mass + inertia_n * gap.r_t, nt = -(inertia_n * gap.r_n);
      const S tt = body.inverse_mass + body.inverse_inertia * gap.r_n * gap.r_n;
      const S inverse = S(1.0) / (nn * tt - nt * nt);
      x = (nt * bt - tt * bn) * inverse;
      y = (nt * bn - nn * bt) * inverse;
    }
    out.intensity.x[0] = x;
    out.intensity.y[0] = y;
    out.acceleration[0] += body.inverse_mass * (s.nx * x + s.tx * y);
    out.acceleration[1] += body.inverse_mass * (s.ny * x + s.ty * y);
    out.acceleration[2] += body.inverse_inertia * (gap.r_t * x - gap.r_n * y);
    return out;
  }
  const EventContactProblem<S> problem = MakeProblem<S>(closed(), at.q, at.v, false, {});
  EventModes modes;
  modes.pressing = (1u << closed_count_) - 1u;
  for (int i = 0; i < closed_count_; ++i) modes.slip[problem.group_of[i]] = slip_[values_.candidates[closed_[i]].group];
  SolveModes(problem, modes, out.intensity);
  EventVector<S> wrench = EventVector<S>::Zero();
  for (int i = 0; i < closed_count_; ++i) wrench += problem.normal[i] * out.intensity.x[i];
  for (int g = 0; g < problem.groups; ++g) wrench += problem.tangent[g] * out.intensity.y[g];
  out.acceleration[0] += body.inverse_mass * wrench[0];
  out.acceleration[1] += body.inverse_mass * wrench[1];
  out.acceleration[2] += body.inverse_inertia * wrench[2];
  return out;
}

/// Gragg's modified midpoint rule with n = 2, 4, 6, 8 substeps. Its error is a series in 1/n^2, so the four results are
/// combined by the weights prod N_i / (N_i - N_j), N = n^2 / 4, to order 8; the last three alone give order 6, and the
/// difference tells the error.
template <class T>
template <class S>
auto EventMotion<T>::Integrate(const Point<S>& start, const S& h, double* error) const -> Point<S> {
  constexpr std::array<double, 4> kWeights = {-1.0 / 360, 16.0 / 45, -729.0 / 280, 1024.0 / 315};
  constexpr std::array<double, 4> kLowWeights = {0.0, 4.0 / 15, -81.0 / 35, 64.0 / 21};
  const EventVector<S> a0 = ContactForces<S>(start).acceleration;
  Point<S> result{EventVector<S>::Zero(), EventVector<S>::Zero()};
  DoubleVector dq = DoubleVector::Zero(), dv = DoubleVector::Zero();
  for (int column = 0; column < 4; ++column) {
    const int n = 2 * (column + 1);
    const S step = h / static_cast<double>(n), two = 2.0 * step;
    Point<S> before = start;
    Point<S> now{start.q + start.v * step, start.v + a0 * step};
    for (int k = 1; k < n; ++k) {
      const EventVector<S> a = ContactForces<S>(now).acceleration;
      const Point<S> next{before.q + now.v * two, before.v + a * two};
      before = now;
      now = next;
    }
    const double weight = kWeights[column], difference = weight - kLowWeights[column];
    for (int i = 0; i < 3; ++i) {
      result.q[i] += now.q[i] * weight;
      result.v[i] += now.v[i] * weight;
      dq[i] += ValueOf(now.q[i]) * difference;
      dv[i] += ValueOf(now.v[i]) * difference;
    }
  }
  if (error) {
    const double unit = values_.size, time = std::abs(ValueOf(h));
    *error = std::max({std::abs(dq[0]) / unit, std::abs(dq[1]) / unit, std::abs(dq[2]), std::abs(dv[0]) * time / unit,
                       std::abs(dv[1]) * time / unit, std::abs(dv[2]) * time});
  }
  return result;
}

/// Puts the point back on gap = 0, gap' = 0 and, where it sticks, v_t = 0. The corrections are of the size of the
/// integration error.
template <class T>
template <class S>
void EventMotion<T>::Project(Point<S>& point) const {
  const EventBody<S>& body = BodyOf<S>();
  if (closed_count_ == 1) {
    const EventSurface<S>& s = body.surfaces[body.candidates[closed_[0]].group];
    const EventGap<S> gap = body.Gap(closed_[0], point.q);
    point.q[0] -= s.nx * gap.phi;
    point.q[1] -= s.ny * gap.phi;
    const S vn = body.NormalSpeed(closed_[0], gap, point.v);
    point.v[0] -= s.nx * vn;
    point.v[1] -= s.ny * vn;
    if (slip_[body.candidates[closed_[0]].group] != 0) return;
    const S vt = body.TangentSpeed(closed_[0], gap, point.v);
    point.v[0] -= s.tx * vt;
    point.v[1] -= s.ty * vt;
    return;
  }
  // Several contacts: least change in the metric of M, by the rows of all constraints.
  EventContactProblem<S> problem = MakeProblem<S>(closed(), point.q, point.v, false, {});
  const auto correct = [&](EventVector<S>& x, bool tangents) {
    const EventContactProblem<S>& p = problem;
    std::array<std::array<S, 2 * kMaxClosedContacts>, 2 * kMaxClosedContacts> a;
    std::array<S, 2 * kMaxClosedContacts> b;
    std::array<EventVector<S>, 2 * kMaxClosedContacts> rows;
    int n = 0;
    for (int i = 0; i < p.contacts; ++i) {
      rows[n] = p.normal[i];
      b[n++] = p.b[i];
    }
    if (tangents)
      for (int g = 0; g < p.groups; ++g) {
        int surface = 0;
        for (int i = 0; i < p.contacts; ++i)
          if (p.group_of[i] == g) surface = body.candidates[closed_[i]].group;
        if (slip_[surface] != 0) continue;
        rows[n] = p.tangent[g];
        b[n++] = p.d[g];
      }
    n = std::min(n, 3);  // no more than the body's freedoms are independent
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) a[i][j] = p.Inner(rows[i], rows[j]);
    if (!SolveSmall<S, 2 * kMaxClosedContacts>(n, a, b)) return;
    for (int i = 0; i < n; ++i) {
      x[0] -= body.inverse_mass * rows[i][0] * b[i];
      x[1] -= body.inverse_mass * rows[i][1] * b[i];
      x[2] -= body.inverse_inertia * rows[i][2] * b[i];
    }
  };
  for (int i = 0; i < closed_count_; ++i) problem.b[i] = body.Gap(closed_[i], point.q).phi;
  correct(point.q, false);
  for (int i = 0; i < closed_count_; ++i) {
    const EventGap<S> gap = body.Gap(closed_[i], point.q);
    problem.b[i] = body.NormalSpeed(closed_[i], gap, point.v);
    problem.d[problem.group_of[i]] = body.TangentSpeed(closed_[i], gap, point.v);
  }
  correct(point.v, true);
}

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
  Point<T> start{q_, v_};
  Point<double> start_value;
  for (int i = 0; i < 3; ++i) start_value.q[i] = ValueOf(q_[i]), start_value.v[i] = ValueOf(v_[i]);
  const double now = ValueOf(time_);

  // Length of the step: to the end, as far as the error and the turning of the body allow.
  double h = end - now;
  const double turning = std::abs(start_value.v[2]);
  h = std::min({h, step_, turning > 0 ? 0.25 / turning : h});
  Point<double> reached;
  double error = 0;
  for (int attempt = 0; attempt < 40; ++attempt) {
    reached = Integrate<double>(start_value, h, &error);
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
    if (at_end >= 0) continue;
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
  if (ended_by < 0) length = T(now + h) - time_;
  Point<T> after = start;
  if (event_h > 0 || ended_by < 0) {
    if (ended_by >= 0 && kIsJet<T>) {
      // Time of the event in T: e / e' with e in T and e' along the motion in values.
      after = Integrate<T>(start, length, nullptr);
      Project(after);
      length -= EventFunction(after, ended_by);
      length += event_h - ValueOf(length);
    }
    after = Integrate<T>(start, length, nullptr);
    Project(after);
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
    slip_[surface] = 0;  // stick, or slide the other way: the forces tell
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
    return body_.Gap(candidate, at.q).phi / (rate(which) * values_.size);
  }
  const int index = which / 3, candidate = closed_[index], surface = values_.candidates[candidate].group;
  const EventSurface<T>& s = body_.surfaces[surface];
  const EventGap<T> gap = body_.Gap(candidate, at.q);
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
