// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// One body of a planar model, with all it may touch, in the form that event-exact motion needs: fixed-size arrays, and
// the gap of every contact candidate with its first and second dependence on the body's angle.
//
// With n, t the normal and tangent of a line, r = r_t t + r_n n the contact point from the center of mass and
// psi = angle(n) - theta, so that n in body axes is (cos psi, sin psi):
//
//   phi  = n . (p - p0) + r_n(theta)                 gap
//   phi' = n . v + r_t omega                          d r_n / d theta = r_t: the support point is an extremum along n
//   v_t  = t . v - r_n omega - (surface speed)        velocity of the material point of contact against the surface
//   phi'' = n . a + r_t alpha + c omega^2             c = d r_t / d theta
//   v_t'  = t . a - r_n alpha - r_t omega^2           along the motion of the contact
//
//   vertex s_B:     r_n = s_B . n_B,   c = -r_n
//   ellipse a, b:   r_n = -H + c_B . n_B,  H = sqrt(a^2 cos^2 psi + b^2 sin^2 psi) the support function
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "math/is_constant.h"
#include "math/jet.h"
#include "model/planar_model.h"

namespace ricochet {

/// Most contact candidates of one body (vertices x surfaces) and most of them closed at once.
inline constexpr int kMaxEventCandidates = 64;
inline constexpr int kMaxClosedContacts = 4;
inline constexpr int kMaxEventSurfaces = 8;

template <class T>
using EventVector = Eigen::Matrix<T, 3, 1>;  // x, y, angle

/// A vertex or the smooth boundary against one line.
template <class T>
struct EventCandidate {
  int pair = 0, contact = 0;  // as in ContactRecord
  int group = 0;              // index of the surface among those of this body
  bool smooth = false;
  T a2{}, b2{};          // smooth: squares of the semi-axes [m^2]
  T px{}, py{};          // vertex, or center of the smooth shape, from Bcm in B's axes [m]
  double arm = 0;        // bound on |r| [m]
  double curvature = 0;  // bound on |d r_t / d theta| [m]
  double third = 0;      // bound on |d^2 r_t / d theta^2| [m]
};

template <class T>
struct EventSurface {
  T px{}, py{}, nx{}, ny{}, tx{}, ty{};
  T surface_vt{};  // speed of the material along t [m/s]
  T friction{}, restitution{}, tangential_restitution{};
  bool bounded = false;
  T lo{}, hi{};
};

/// Gap of a candidate and what its change depends on; see the head of this file.
template <class T>
struct EventGap {
  T phi, r_n, r_t, c;
};

template <class T>
struct EventBody {
  T inverse_mass{}, inverse_inertia{};
  T gx{}, gy{};  // gravity [m/s^2]
  int candidate_count = 0, surface_count = 0;
  std::array<EventCandidate<T>, kMaxEventCandidates> candidates;
  std::array<EventSurface<T>, kMaxEventSurfaces> surfaces;
  double size = 1;  // largest |r| [m]

  EventGap<T> Gap(int candidate, const EventVector<T>& q) const {
    using std::cos;
    using std::sin;
    return GapAt(candidate, q, cos(q[2]), sin(q[2]));
  }

  EventGap<T> GapAt(int index, const EventVector<T>& q, const T& cosine, const T& sine) const {
    using std::sqrt;
    const EventCandidate<T>& candidate = candidates[index];
    const EventSurface<T>& s = surfaces[candidate.group];
    const T u = cosine * s.nx + sine * s.ny;  // n in body axes: (u, w)
    const T w = cosine * s.ny - sine * s.nx;
    EventGap<T> gap;
    gap.r_n = candidate.px * u + candidate.py * w;
    gap.r_t = candidate.px * w - candidate.py * u;
    gap.c = -gap.r_n;
    if (candidate.smooth) {
      const T difference = candidate.b2 - candidate.a2;
      const T h = sqrt(candidate.a2 * u * u + candidate.b2 * w * w);
      const T inverse = T(1.0) / h;
      const T slope = difference * u * w * inverse;  // dH/dpsi
      gap.r_n -= h;
      gap.r_t += slope;
      gap.c -= (difference * (u * u - w * w) - slope * slope) * inverse;
    }
    gap.phi = s.nx * (q[0] - s.px) + s.ny * (q[1] - s.py) + gap.r_n;
    return gap;
  }

  /// The gap in Jets of the pose where no number of the geometry carries derivatives, so that the chain rule over the
  /// pose is all there is: d c / d theta = -(r_t of the center or vertex) - H' (4 + 3 H" / H).
  template <class J>
  EventGap<J> Lift(int index, const EventVector<J>& q) const requires std::is_same_v<T, double> {
    const EventCandidate<double>& candidate = candidates[index];
    const EventSurface<double>& s = surfaces[candidate.group];
    const double cosine = std::cos(q[2].a), sine = std::sin(q[2].a);
    const double u = cosine * s.nx + sine * s.ny, w = cosine * s.ny - sine * s.nx;
    const EventGap<double> gap = GapAt(index, {q[0].a, q[1].a, q[2].a}, cosine, sine);
    const double along = candidate.px * u + candidate.py * w, across = candidate.px * w - candidate.py * u;
    double bend = -across;
    if (candidate.smooth) bend -= (gap.r_t - across) * (4 - 3 * (gap.c + along) / (along - gap.r_n));
    const typename J::Gradient& turn = q[2].v;
    return {J(gap.phi, s.nx * q[0].v + s.ny * q[1].v + gap.r_t * turn), J(gap.r_n, gap.r_t * turn),
            J(gap.r_t, gap.c * turn), J(gap.c, bend * turn)};
  }

  T NormalSpeed(int candidate, const EventGap<T>& gap, const EventVector<T>& v) const {
    const EventSurface<T>& s = surfaces[candidates[candidate].group];
    return s.nx * v[0] + s.ny * v[1] + gap.r_t * v[2];
  }
  T TangentSpeed(int candidate, const EventGap<T>& gap, const EventVector<T>& v) const {
    const EventSurface<T>& s = surfaces[candidates[candidate].group];
    return s.tx * v[0] + s.ty * v[1] - gap.r_n * v[2] - s.surface_vt;
  }
  /// Distance of the contact point from the line's `point`, along t.
  T Along(int candidate, const EventGap<T>& gap, const EventVector<T>& q) const {
    const EventSurface<T>& s = surfaces[candidates[candidate].group];
    return s.tx * (q[0] - s.px) + s.ty * (q[1] - s.py) + gap.r_t;
  }
  bool WithinExtent(int candidate, const EventGap<T>& gap, const EventVector<T>& q) const {
    const EventSurface<T>& s = surfaces[candidates[candidate].group];
    if (!s.bounded) return true;
    const double along = ValueOf(Along(candidate, gap, q));
    return along >= ValueOf(s.lo) && along <= ValueOf(s.hi);
  }
};

/// Whether gaps and gravity are without derivatives: shape, surfaces and mass are known, inertia and laws need not be.
template <class T>
bool GeometryIsConstant(const EventBody<T>& body) {
  bool constant = IsConstant(body.gx) && IsConstant(body.gy) && IsConstant(body.inverse_mass);
  for (int i = 0; i < body.candidate_count && constant; ++i) {
    const EventCandidate<T>& c = body.candidates[i];
    constant = IsConstant(c.a2) && IsConstant(c.b2) && IsConstant(c.px) && IsConstant(c.py);
  }
  for (int i = 0; i < body.surface_count && constant; ++i) {
    const EventSurface<T>& s = body.surfaces[i];
    for (const T* number : {&s.px, &s.py, &s.nx, &s.ny, &s.tx, &s.ty, &s.surface_vt})
      constant = constant && IsConstant(*number);
  }
  return constant;
}

/// Body number `body` of a model. Candidates beyond kMaxEventCandidates are an error that EventStepper::Check reports.
template <class T>
EventBody<T> MakeEventBody(const PlanarModel<T>& model, int body) {
  EventBody<T> out;
  const PlanarBody<T>& source = model.bodies[body];
  out.inverse_mass = source.inverse_mass;
  out.inverse_inertia = source.inverse_inertia;
  out.gx = model.gravity.x();
  out.gy = model.gravity.y();
  out.size = 0;
  for (int p = 0; p < static_cast<int>(model.pairs.size()); ++p) {
    const PlanarPair<T>& pair = model.pairs[p];
    if (pair.body != body || out.surface_count == kMaxEventSurfaces) continue;
    const PlanarSurface<T>& line = model.surfaces[pair.surface];
    EventSurface<T>& surface = out.surfaces[out.surface_count];
    surface = {line.point.x(),
               line.point.y(),
               line.normal.x(),
               line.normal.y(),
               line.tangent.x(),
               line.tangent.y(),
               line.tangent.dot(line.velocity),
               pair.law.friction,
               pair.law.restitution,
               pair.law.tangential_restitution,
               line.bounded,
               line.lo,
               line.hi};
    for (int i = 0; i < source.shape.contact_count() && out.candidate_count < kMaxEventCandidates; ++i) {
      EventCandidate<T>& candidate = out.candidates[out.candidate_count++];
      candidate.pair = p;
      candidate.contact = i;
      candidate.group = out.surface_count;
      candidate.smooth = source.shape.smooth;
      const Eigen::Matrix<T, 2, 1> point = source.shape.smooth ? source.shape.center : source.shape.vertices[i];
      candidate.px = point.x();
      candidate.py = point.y();
      const double offset = std::hypot(ValueOf(point.x()), ValueOf(point.y()));
      candidate.arm = candidate.curvature = candidate.third = offset;
      if (candidate.smooth) {
        candidate.a2 = source.shape.a * source.shape.a;
        candidate.b2 = source.shape.b * source.shape.b;
        const double large = std::max(ValueOf(source.shape.a), ValueOf(source.shape.b));
        const double small = std::min(ValueOf(source.shape.a), ValueOf(source.shape.b));
        candidate.arm += large;
        candidate.curvature += std::max(large * large / small - small, large - small * small / large);
        // H" = rho - H with rho = a^2 b^2 / H^3, so the next derivative is -(1 + 3 rho / H) H', |H'| <= a - b.
        candidate.third += (large - small) * (1 + 3 * large * large / (small * small));
      }
      out.size = std::max(out.size, candidate.arm);
    }
    ++out.surface_count;
  }
  if (out.size <= 0) out.size = 1;
  return out;
}

/// The same body over another scalar: `convert` turns every number of the scene.
template <class To, class From, class Convert>
void ConvertBody(const EventBody<From>& body, Convert convert, EventBody<To>& out) {
  out.inverse_mass = convert(body.inverse_mass);
  out.inverse_inertia = convert(body.inverse_inertia);
  out.gx = convert(body.gx);
  out.gy = convert(body.gy);
  out.candidate_count = body.candidate_count;
  out.surface_count = body.surface_count;
  out.size = body.size;
  for (int i = 0; i < body.candidate_count; ++i) {
    const EventCandidate<From>& c = body.candidates[i];
    out.candidates[i] = {c.pair,        c.contact,     c.group, c.smooth,    convert(c.a2), convert(c.b2),
                         convert(c.px), convert(c.py), c.arm,   c.curvature, c.third};
  }
  for (int i = 0; i < body.surface_count; ++i) {
    const EventSurface<From>& s = body.surfaces[i];
    out.surfaces[i] = {convert(s.px),
                       convert(s.py),
                       convert(s.nx),
                       convert(s.ny),
                       convert(s.tx),
                       convert(s.ty),
                       convert(s.surface_vt),
                       convert(s.friction),
                       convert(s.restitution),
                       convert(s.tangential_restitution),
                       s.bounded,
                       convert(s.lo),
                       convert(s.hi)};
  }
}

/// The same body without derivatives.
template <class T>
EventBody<double> ValuesOf(const EventBody<T>& body) {
  EventBody<double> out;
  ConvertBody(
      body, [](const T& x) { return ValueOf(x); }, out);
  return out;
}

}  // namespace ricochet
