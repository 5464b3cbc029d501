// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <cmath>

namespace ricochet {

template <class T>
void EcpResidual(const EcpProblem<T>& problem, std::span<const EcpActive> active, const T* z, bool follow_mode,
                 T* residual) {
  using std::sqrt;
  const T h(problem.h);
  const double impulse_scale = problem.mass * problem.speed;

  // Newton-Euler without contacts.
  int row = 0;
  for (const EcpBody<T>& body : problem.bodies) {
    if (body.offset < 0) continue;
    const EcpEnd<T> end = EndOf(body, problem.h, z);
    const Vector3<T> spin = body.inertia * end.w;
    const Vector3<T> linear = body.mass * (end.v - body.v) - body.impulse.template head<3>();
    const Vector3<T> angular =
        body.inertia * (end.w - body.w) - body.impulse.template tail<3>() + h * end.w.cross(spin);
    for (int i = 0; i < 3; ++i) residual[body.offset + i] = linear[i] / impulse_scale;
    for (int i = 0; i < 3; ++i) residual[body.offset + 3 + i] = angular[i] / (impulse_scale * problem.length);
    row += 6;
  }

  int column = row;
  for (const EcpActive& set : active) {
    const EcpContact<T>& contact = problem.contacts[set.contact];
    const EcpBody<T>&bf = problem.bodies[contact.f], &bg = problem.bodies[contact.g];
    const EcpEnd<T> F = EndOf(bf, problem.h, z), G = EndOf(bg, problem.h, z);
    const T* unknown = z + column;
    const Vector3<T> a(unknown[0], unknown[1], unknown[2]);
    const T* beta = unknown + 3;
    const T* gamma = beta + set.nf;
    const T* p = gamma + (set.has_gamma() ? set.ng : 0);
    const Vector3<T> rf = a - F.p, rg = a - G.p;
    const Vector3<T> x = F.R.transpose() * rf, y = G.R.transpose() * rg;

    // The ECP on the active facets of both, and their normals opposite.
    Vector3<T> n = Vector3<T>::Zero(), stationarity = Vector3<T>::Zero();
    for (int i = 0; i < set.nf; ++i) {
      const Facet<T>& facet = contact.solid_f->facets[set.f[i]];
      residual[row++] = facet.Value(x) / problem.length;
      stationarity += beta[i] * (F.R * facet.Gradient(x));
    }
    for (int j = 0; j < set.ng; ++j) {
      const Facet<T>& facet = contact.solid_g->facets[set.g[j]];
      residual[row++] = facet.Value(y) / problem.length;
      const Vector3<T> w = G.R * facet.Gradient(y);
      n += set.has_gamma() ? Vector3<T>(gamma[j] * w) : w;
    }
    stationarity += n;
    for (int i = 0; i < 3; ++i) residual[row++] = stationarity[i];
    if (set.has_gamma()) residual[row++] = (n.squaredNorm() - T(1)) / T(2);

    // Friction.
    Vector3<T> t = contact.t, o = contact.o;
    if (!contact.fixed_frame) TangentsOf<T>(n, t, o);
    const Vector3<T> q(p[1], p[2], p[3]);
    const Vector3<T> v = F.v + F.w.cross(rf) - G.v - G.w.cross(rg) - contact.belt;
    const Vector3<T> s(contact.e[0] * t.dot(v), contact.e[1] * o.dot(v), contact.e[2] * n.dot(F.w - G.w));
    const Vector3<T> trial = q - T(set.rho) * s;
    const T reach = contact.mu * p[0];
    const T trial2 = trial.squaredNorm();
    const bool slides = follow_mode ? set.slides : !(reach > T(0)) || trial2 > reach * reach;
    Vector3<T> friction = T(set.rho) * s;
    if (slides)
      friction = !(trial2 > T(0)) ? q : Vector3<T>(q - trial * ((reach > T(0) ? reach : T(0)) / sqrt(trial2)));
    for (int i = 0; i < 3; ++i) {
      if (!slides && !(contact.e[i] > T(0))) friction[i] = q[i];  // an axis without friction has no impulse
      residual[row++] = friction[i] / impulse_scale;
    }

    // The wrench on both bodies.
    const Vector3<T> P = p[0] * n + contact.e[0] * q[0] * t + contact.e[1] * q[1] * o;
    const Vector3<T> twist = contact.e[2] * q[2] * n;
    const Vector3<T> tau_f = rf.cross(P) + twist, tau_g = rg.cross(P) + twist;
    for (int i = 0; i < 3; ++i) {
      if (bf.offset >= 0) {
        residual[bf.offset + i] -= P[i] / impulse_scale;
        residual[bf.offset + 3 + i] -= tau_f[i] / (impulse_scale * problem.length);
      }
      if (bg.offset >= 0) {
        residual[bg.offset + i] += P[i] / impulse_scale;
        residual[bg.offset + 3 + i] += tau_g[i] / (impulse_scale * problem.length);
      }
    }
    column += set.size();
  }
}

}  // namespace ricochet
