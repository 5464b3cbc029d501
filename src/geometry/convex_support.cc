// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/convex_support.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

using Vec = Vector3<double>;

bool IsCylinder(const ConvexSolid<double>& solid) {
  return solid.facets.size() == 3 && solid.facets[0].kind == FacetKind::kTube && !solid.facets[1].curved() &&
         !solid.facets[2].curved() && solid.facets[1].u.dot(solid.facets[0].u) > 1 - 1e-12 &&
         solid.facets[2].u.dot(solid.facets[0].u) < -1 + 1e-12;
}

}  // namespace

Vector3<double> SupportPoint(const ConvexSolid<double>& solid, const Vector3<double>& direction) {
  if (!solid.vertices.empty()) {
    const Vec* best = &solid.vertices.front();
    double farthest = direction.dot(*best);
    for (const Vec& vertex : solid.vertices) {
      const double distance = direction.dot(vertex);
      if (distance > farthest) {
        farthest = distance;
        best = &vertex;
      }
    }
    return *best;
  }
  const Facet<double>& first = solid.facets.front();
  if (solid.facets.size() == 1 && first.kind == FacetKind::kBall) return first.c + first.size * direction.normalized();
  if (solid.facets.size() == 1 && first.kind == FacetKind::kEllipsoid) {
    const Vec scaled = direction.cwiseProduct(first.semi_axes);
    return first.c + first.semi_axes.cwiseProduct(scaled) / scaled.norm();
  }
  if (IsCylinder(solid)) {
    const Facet<double>& end = direction.dot(first.u) >= 0 ? solid.facets[1] : solid.facets[2];
    const Vec radial = direction - first.u * first.u.dot(direction);
    const double length = radial.norm();
    Vec point = first.c + end.u * (end.size - end.u.dot(first.c));
    if (length > 0) point += radial * (first.size / length);
    return point;
  }
  // Any other intersection: the deepest point against half spaces {d.x >= s} pushed outward until they just touch.
  const Vec d = direction.normalized();
  ConvexSolid<double> wall;
  OverlapWorkspace workspace;
  Overlap overlap;
  Vec point = solid.inside;
  double low = d.dot(solid.inside), high = low + solid.radius;
  for (int i = 0; i < 100 && high - low > 1e-13 * solid.radius; ++i) {
    const double middle = 0.5 * (low + high);
    wall.facets = {MakeHalfSpace<double>(-d, d * middle)};
    DeepestPoint({.solid = &solid}, {.solid = &wall}, workspace, overlap);
    if (overlap.depth > 0) {
      low = middle;
      point = overlap.point;
    } else {
      high = middle;
    }
  }
  return point;
}

void DeepestPoint(const PlacedSolid& F, const PlacedSolid& G, OverlapWorkspace& work, Overlap& out) {
  const int nf = static_cast<int>(F.solid->facets.size()), ng = static_cast<int>(G.solid->facets.size());
  const int m = nf + ng;
  work.value.resize(m);
  work.slack.resize(m);
  work.multiplier.resize(m);
  work.dslack.resize(m);
  work.dmultiplier.resize(m);
  work.gradient.resize(m);
  const bool f_bounded = F.solid->radius > 0, g_bounded = G.solid->radius > 0;
  const double scale =
      f_bounded && g_bounded ? std::min(F.solid->radius, G.solid->radius) : std::max(F.solid->radius, G.solid->radius);

  // Start between the two centers, nearer to the smaller solid; t above all values.
  const Vec cf = F.R * F.solid->inside + F.p, cg = G.R * G.solid->inside + G.p;
  Vec a = cf;
  if (f_bounded && g_bounded) a = cf + (cg - cf) * (F.solid->radius / (F.solid->radius + G.solid->radius));
  if (!f_bounded) a = cg;
  const auto evaluate = [&] {
    const Vec x = F.R.transpose() * (a - F.p), y = G.R.transpose() * (a - G.p);
    for (int i = 0; i < m; ++i) {
      const Facet<double>& facet = i < nf ? F.solid->facets[i] : G.solid->facets[i - nf];
      const Vec& local = i < nf ? x : y;
      work.value[i] = facet.Value(local) / scale;
      work.gradient[i] = (i < nf ? F.R : G.R) * facet.Gradient(local);
    }
  };
  evaluate();
  double t = *std::max_element(work.value.begin(), work.value.end()) + 0.5;
  for (int i = 0; i < m; ++i) {
    work.slack[i] = t - work.value[i];
    work.multiplier[i] = 1.0 / m;
  }

  // Unknown step (da / scale, dt); slacks and multipliers are eliminated.
  using Vector4 = Eigen::Vector4d;
  out.converged = false;
  for (int iteration = 0; iteration < 60; ++iteration) {
    double mu = 0, primal = 0;
    Vector4 dual(0, 0, 0, 1);
    Eigen::Matrix4d K = Eigen::Matrix4d::Zero();
    const Vec x = F.R.transpose() * (a - F.p), y = G.R.transpose() * (a - G.p);
    for (int i = 0; i < m; ++i) {
      mu += work.slack[i] * work.multiplier[i];
      primal = std::max(primal, std::abs(work.value[i] - t + work.slack[i]));
      Vector4 g;
      g << work.gradient[i], -1;
      dual += work.multiplier[i] * g;
      K.noalias() += (work.multiplier[i] / work.slack[i]) * g * g.transpose();
      const Facet<double>& facet = i < nf ? F.solid->facets[i] : G.solid->facets[i - nf];
      if (facet.curved()) {
        const Matrix3<double>& R = i < nf ? F.R : G.R;
        K.topLeftCorner<3, 3>() += (work.multiplier[i] * scale) * (R * facet.Hessian(i < nf ? x : y) * R.transpose());
      }
    }
    mu /= m;
    if (mu < 1e-14 && primal < 1e-12 && dual.head<3>().norm() < 1e-9) {
      out.converged = true;
      break;
    }
    K.diagonal().array() += 1e-13 * K.trace();
    const Eigen::LDLT<Eigen::Matrix4d> factor(K);
    // Predictor (target 0), then corrector with the predictor's second-order term.
    double target = 0;
    for (int pass = 0; pass < 2; ++pass) {
      struct Row {
        double residual, complementarity;
        Vector4 gradient;
      };
      const auto row = [&](int i) {
        Row of{work.value[i] - t + work.slack[i], work.slack[i] * work.multiplier[i] - target, {}};
        if (pass == 1) of.complementarity += work.dslack[i] * work.dmultiplier[i];
        of.gradient << work.gradient[i], -1;
        return of;
      };
      Vector4 rhs = -dual;
      for (int i = 0; i < m; ++i) {
        const auto [residual, complementarity, g] = row(i);
        rhs -= g * ((work.multiplier[i] * residual - complementarity) / work.slack[i]);
      }
      const Vector4 step = factor.solve(rhs);
      double longest_primal = 1, longest_dual = 1;
      for (int i = 0; i < m; ++i) {
        const auto [residual, complementarity, g] = row(i);
        const double ds = -residual - g.dot(step);
        const double dl = (-complementarity - work.multiplier[i] * ds) / work.slack[i];
        work.dslack[i] = ds;
        work.dmultiplier[i] = dl;
        if (ds < 0) longest_primal = std::min(longest_primal, -work.slack[i] / ds);
        if (dl < 0) longest_dual = std::min(longest_dual, -work.multiplier[i] / dl);
      }
      if (pass == 0) {
        double after = 0;
        for (int i = 0; i < m; ++i) {
          after += (work.slack[i] + longest_primal * work.dslack[i]) *
                   (work.multiplier[i] + longest_dual * work.dmultiplier[i]);
        }
        const double ratio = after / (m * mu);
        target = mu * ratio * ratio * ratio;
        continue;
      }
      longest_primal = std::min(1.0, 0.99 * longest_primal);
      longest_dual = std::min(1.0, 0.99 * longest_dual);
      a += longest_primal * scale * step.head<3>();
      t += longest_primal * step[3];
      for (int i = 0; i < m; ++i) {
        work.slack[i] += longest_primal * work.dslack[i];
        work.multiplier[i] += longest_dual * work.dmultiplier[i];
      }
    }
    evaluate();
    // Curvature makes the linearized slack wrong: take the true one where that is inside.
    for (int i = 0; i < m; ++i) {
      if (t - work.value[i] > 0.1 * work.slack[i]) work.slack[i] = t - work.value[i];
    }
  }

  out.depth = -*std::max_element(work.value.begin(), work.value.end()) * scale;
  out.point = a;
  out.multipliers = work.multiplier;
  out.slacks.resize(m);
  Vec normal = Vec::Zero();
  for (int i = 0; i < m; ++i) {
    out.slacks[i] = work.slack[i] * scale;
    if (i >= nf) normal += work.multiplier[i] * work.gradient[i];
  }
  const double length = normal.norm();
  out.normal = length > 0 ? Vec(normal / length) : Vec(Vec::UnitZ());
}

}  // namespace ricochet
