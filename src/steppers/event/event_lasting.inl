// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Lasting contact of EventMotion: its forces, the integration of the motion under them, the projection on the contact.
#pragma once

namespace ricochet {

/// One contact in closed form: 1 unknown when it slides, 2 when it sticks. N is the scalar of what is known.
template <class T>
template <class S, class N>
auto EventMotion<T>::OneContactForces(const EventSurface<N>& s, int slip, const EventGap<S>& gap,
                                      const EventVector<N>& free, const S& rate, const N& inverse_mass,
                                      const S& inverse_inertia, const S& bound) -> Forces<S> {
  Forces<S> out;
  const S omega2 = rate * rate;
  const S bn = s.nx * free[0] + s.ny * free[1] + gap.r_t * free[2] + gap.c * omega2;
  const S inertia_n = inverse_inertia * gap.r_t;
  S x, y;
  if (slip != 0) {
    const S friction = bound * static_cast<double>(-slip);
    x = -bn / (inverse_mass + inertia_n * (gap.r_t - friction * gap.r_n));
    y = friction * x;
  } else {
    const S bt = s.tx * free[0] + s.ty * free[1] - gap.r_n * free[2] - gap.r_t * omega2;
    const S nn = inverse_mass + inertia_n * gap.r_t, nt = -(inertia_n * gap.r_n);
    const S tt = inverse_mass + inverse_inertia * gap.r_n * gap.r_n;
    const S inverse = S(1.0) / (nn * tt - nt * nt);
    x = (nt * bt - tt * bn) * inverse;
    y = (nt * bn - nn * bt) * inverse;
  }
  out.intensity.x[0] = x;
  out.intensity.y[0] = y;
  out.acceleration[0] = free[0] + inverse_mass * (s.nx * x + s.tx * y);
  out.acceleration[1] = free[1] + inverse_mass * (s.ny * x + s.ty * y);
  out.acceleration[2] = free[2] + inverse_inertia * (gap.r_t * x - gap.r_n * y);
  return out;
}

template <class T>
template <class S>
auto EventMotion<T>::ContactForces(const Point<S>& at) const -> Forces<S> {
  const EventBody<S>& body = BodyOf<S>();
  if (closed_count_ == 1) {
    const EventSurface<S>& s = body.surfaces[body.candidates[closed_[0]].group];
    return OneContactForces<S, S>(s, slip_[body.candidates[closed_[0]].group], GapOf(closed_[0], at.q),
                                  FreeAcceleration<S>(), at.v[2], body.inverse_mass, body.inverse_inertia, s.friction);
  }
  Forces<S> out;
  out.acceleration = FreeAcceleration<S>();
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
/// difference estimates the error.
template <class T>
template <class S, class H, class Acceleration>
auto EventMotion<T>::Extrapolate(const Point<S>& start, const H& h, double* error, Acceleration acceleration) const
    -> Point<S> {
  constexpr std::array<double, 4> kWeights = {-1.0 / 360, 16.0 / 45, -729.0 / 280, 1024.0 / 315};
  constexpr std::array<double, 4> kLowWeights = {0.0, 4.0 / 15, -81.0 / 35, 64.0 / 21};
  const EventVector<S> a0 = acceleration(start);
  Point<S> result{EventVector<S>::Zero(), EventVector<S>::Zero()};
  DoubleVector dq = DoubleVector::Zero(), dv = DoubleVector::Zero();
  for (int column = 0; column < 4; ++column) {
    const int n = 2 * (column + 1);
    const H step = h / static_cast<double>(n), two = 2.0 * step;
    Point<S> before = start, now;
    for (int i = 0; i < 3; ++i) {
      now.q[i] = start.q[i] + start.v[i] * step;
      now.v[i] = start.v[i] + a0[i] * step;
    }
    for (int k = 1; k < n; ++k) {
      const EventVector<S> a = acceleration(now);
      for (int i = 0; i < 3; ++i) {
        before.q[i] += now.v[i] * two;
        before.v[i] += a[i] * two;
      }
      std::swap(before, now);
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

template <class T>
template <class S>
auto EventMotion<T>::Integrate(const Point<S>& start, const S& h, double* error) const -> Point<S> {
  return Extrapolate(start, h, error, [&](const Point<S>& at) { return ContactForces<S>(at).acceleration; });
}

/// The acceleration in one contact with a known geometry depends on angle, rate, inertia and friction alone: these four
/// derivatives are integrated, and that by the length of the step where it has one; the chain rule does the rest.
template <class T>
template <class H>
auto EventMotion<T>::IntegrateOneContact(const Point<T>& start, const H& h, double* error) const -> Point<LocalJet<H>> {
  using Local = LocalJet<H>;
  const int candidate = closed_[0], group = values_.candidates[candidate].group;
  const EventSurface<double>& s = values_.surfaces[group];
  Point<Local> from;
  for (int i = 0; i < 3; ++i) from.q[i] = Local(ValueOf(start.q[i])), from.v[i] = Local(ValueOf(start.v[i]));
  from.q[2].v[0] = from.v[2].v[1] = 1;
  const Local inverse_inertia = Local::Variable(values_.inverse_inertia, 2);
  const Local friction = Local::Variable(s.friction, 3);
  const auto acceleration = [&](const Point<Local>& at) {
    return OneContactForces<Local, double>(s, slip_[group], values_.Lift(candidate, at.q), free_value_, at.v[2],
                                           values_.inverse_mass, inverse_inertia, friction)
        .acceleration;
  };
  if constexpr (kIsJet<H>)
    return Extrapolate(from, Local::Variable(h.a, 4), error, acceleration);
  else
    return Extrapolate(from, h, error, acceleration);
}

template <class T>
template <class H>
auto EventMotion<T>::Chain(const Point<T>& start, const H& h, const Point<LocalJet<H>>& end) const -> Point<T> {
  Eigen::Matrix<double, T::kSize, LocalJet<H>::kSize> inner;
  inner.col(0) = start.q[2].v;
  inner.col(1) = start.v[2].v;
  inner.col(2) = body_.inverse_inertia.v;
  inner.col(3) = body_.surfaces[values_.candidates[closed_[0]].group].friction.v;
  if constexpr (kIsJet<H>) inner.col(4) = h.v;
  Point<T> out;
  for (int i = 0; i < 3; ++i) {
    out.q[i] = T(end.q[i].a, inner * end.q[i].v);
    out.v[i] = T(end.v[i].a, inner * end.v[i].v);
    if (i == 2) break;
    out.q[i].v += start.q[i].v + start.v[i].v * ValueOf(h);
    out.v[i].v += start.v[i].v;
  }
  return out;
}

/// The end of a step of length h in T. Its values are `reached`, so that the motion is the same in every scalar.
/// `local`: the integration of one contact, where it is known already.
template <class T>
auto EventMotion<T>::Follow(const Point<T>& start, const T& h, const Point<double>& reached,
                            const Point<Jet<4>>* local) const -> Point<T> {
  if constexpr (!kIsJet<T>) {
    return reached;
  } else {
    Point<T> end = local                 ? Chain(start, h.a, *local)
                   : !OneSimpleContact() ? Integrate<T>(start, h, nullptr)
                   : IsConstant(h)       ? Chain(start, h.a, IntegrateOneContact(start, h.a, nullptr))
                                         : Chain(start, h, IntegrateOneContact(start, h, nullptr));
    Project(end);
    for (int i = 0; i < 3; ++i) end.q[i].a = reached.q[i], end.v[i].a = reached.v[i];
    return end;
  }
}

/// Puts the point back on gap = 0, gap' = 0 and, where it sticks, v_t = 0. The corrections are of the size of the
/// integration error.
template <class T>
template <class S>
void EventMotion<T>::Project(Point<S>& point) const {
  const EventBody<S>& body = BodyOf<S>();
  if (closed_count_ == 1) {
    const EventSurface<S>& s = body.surfaces[body.candidates[closed_[0]].group];
    const EventGap<S> gap = GapOf(closed_[0], point.q);
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
  for (int i = 0; i < closed_count_; ++i) problem.b[i] = GapOf(closed_[i], point.q).phi;
  correct(point.q, false);
  for (int i = 0; i < closed_count_; ++i) {
    const EventGap<S> gap = GapOf(closed_[i], point.q);
    problem.b[i] = body.NormalSpeed(closed_[i], gap, point.v);
    problem.d[problem.group_of[i]] = body.TangentSpeed(closed_[i], gap, point.v);
  }
  correct(point.v, true);
}

}  // namespace ricochet
