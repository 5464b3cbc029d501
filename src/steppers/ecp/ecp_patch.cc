// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/ecp/ecp_patch.h"

#include <cmath>

namespace ricochet {
namespace {

using Vec = Vector3<double>;

}  // namespace

EcpNormal NormalOf(const EcpProblem<double>& problem, const EcpEnd<double>& G, const EcpClosed& closed) {
  const EcpContact<double>& contact = problem.contacts[closed.active.contact];
  const Vec y = G.R.transpose() * (closed.a - G.p);
  EcpNormal frame;
  frame.n.setZero();
  for (int j = 0; j < closed.active.ng; ++j) {
    const Vec w = G.R * contact.solid_g->facets[closed.active.g[j]].Gradient(y);
    frame.n += closed.active.has_gamma() ? Vec(closed.gamma[j] * w) : w;
  }
  frame.t = contact.t;
  frame.o = contact.o;
  if (!contact.fixed_frame) TangentsOf<double>(frame.n, frame.t, frame.o);
  return frame;
}

ContactKind PatchKind(const EcpProblem<double>& problem, std::span<const double> velocities, const EcpClosed& closed,
                      int& active_facets) {
  const EcpContact<double>& contact = problem.contacts[closed.active.contact];
  const EcpEnd<double> F = EndOf(problem.bodies[contact.f], problem.h, velocities.data());
  const EcpEnd<double> G = EndOf(problem.bodies[contact.g], problem.h, velocities.data());
  const EcpNormal frame = NormalOf(problem, G, closed);
  Eigen::Matrix<double, 3, 2> T;
  T << frame.t, frame.o;

  // Directions that bend away from, or run across, an active facet.
  Eigen::Matrix2d across = Eigen::Matrix2d::Zero();
  const auto side = [&](const ConvexSolid<double>& solid, const EcpEnd<double>& end, int count,
                        const std::array<int, kEcpMaxActive>& facets, const double* weights) {
    const Vec local = end.R.transpose() * (closed.a - end.p);
    int strong = 0;
    for (int i = 0; i < count; ++i) strong += !weights || weights[i] > 1e-9;
    for (int i = 0; i < count; ++i) {
      const double weight = weights ? weights[i] : 1.0;
      if (weight <= 1e-9) continue;
      const Facet<double>& facet = solid.facets[facets[i]];
      if (strong > 1) {
        const Eigen::Vector2d slope = T.transpose() * (end.R * facet.Gradient(local));
        across += slope * slope.transpose();
      }
      if (facet.curved()) {
        const Matrix3<double> H = end.R * facet.Hessian(local) * end.R.transpose();
        across += (weight * problem.length) * (T.transpose() * H * T);
      }
    }
    return strong;
  };
  active_facets = side(*contact.solid_f, F, closed.active.nf, closed.active.f, closed.beta.data());
  side(*contact.solid_g, G, closed.active.ng, closed.active.g,
       closed.active.has_gamma() ? closed.gamma.data() : nullptr);
  const double mean = 0.5 * across.trace();
  const double spread = std::hypot(0.5 * (across(0, 0) - across(1, 1)), 0.5 * (across(0, 1) + across(1, 0)));
  if (mean + spread < 1e-9) return ContactKind::kSurface;
  return mean - spread < 1e-9 ? ContactKind::kLine : ContactKind::kPoint;
}

}  // namespace ricochet
