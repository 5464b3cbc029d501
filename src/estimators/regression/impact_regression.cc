// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/regression/impact_regression.h"

#include <cmath>

#include "math/dense.h"

namespace ricochet {

ImpactRegressor SlidingRegressor(const ImpactSample& impact, double mu, double e) {
  // The paper's g acts along -y of the contact frame; general gravity enters through the jumps.
  const Eigen::Vector3d jump = impact.Jump();
  const double h = impact.step, jx = impact.jx, jy = impact.jy, fx = impact.force[0], fy = impact.force[1],
               tau = impact.force[2];
  const double vn = impact.before[1] + jy * impact.before[2];
  const double u = (1 + e) * vn + h * impact.gravity[1];
  const double s = jy + mu * jx;
  ImpactRegressor out;
  out.y << jump[0] + mu * u, jump[1] + u, jump[2];
  out.psi.col(0) << h * fx - mu * h * fy, 0, 0;
  out.psi.col(1) << -mu * h * jy * tau + jy * s * h * fx, -h * jy * tau + jy * s * h * fy, -s * h * fy + h * tau;
  out.psi.col(2) << -s * jy * jump[0], -s * jy * jump[1], s * (-u - jy * jump[2]);
  return out;
}

ImpactRegressor StickingRegressor(const ImpactSample& impact, double e) {
  const double h = impact.step, jx = impact.jx, jy = impact.jy, fx = impact.force[0], fy = impact.force[1],
               tau = impact.force[2];
  const double arm2 = jx * jx + jy * jy;
  const double vx = impact.before[0] + h * impact.gravity[0], vy = impact.before[1] + h * impact.gravity[1],
               w = impact.before[2];
  const double vn = impact.before[1] + jy * w;
  ImpactRegressor out;
  out.y << impact.after[0] + w * jx, impact.after[1] + w * jy + e * vn, impact.after[2] - w;
  out.psi.col(0).setZero();
  out.psi.col(1) << fx * jx * jx + fy * jx * jy - jx * tau, fx * jx * jy + fy * jy * jy - jy * tau,
      -fx * jx - fy * jy + tau;
  out.psi.col(1) *= h;
  out.psi.col(2) << -arm2 * impact.after[0] + jx * jx * vx + jx * jy * vy + e * vn * jx * jy,
      -arm2 * impact.after[1] + jx * jy * vx + jy * jy * vy - e * vn * jx * jx,
      -arm2 * impact.after[2] - jx * vx - jy * vy - e * vn * jy;
  return out;
}

Eigen::Vector2d SlidingImpulse(const ImpactSample& impact, double mass, double inertia, double mu, double e) {
  const double h = impact.step, jx = impact.jx, jy = impact.jy, ratio = mass / inertia;
  const double vn = impact.before[1] + jy * impact.before[2];
  const double u = (1 + e) * vn + h * impact.gravity[1];
  const double cn = -mass * (u + h / mass * (impact.force[1] + ratio * jy * impact.force[2])) /
                    (1 + ratio * (jy * jy + mu * jx * jy));
  return {cn, mu * cn};
}

Eigen::Vector2d StickingImpulse(const ImpactSample& impact, double mass, double inertia, double e) {
  const double h = impact.step, jx = impact.jx, jy = impact.jy, ratio = mass / inertia;
  const double vn = impact.before[1] + jy * impact.before[2], vt = impact.before[0] + jx * impact.before[2];
  const double normal =
      (1 + e) * vn + h * impact.gravity[1] + h / mass * (impact.force[1] + ratio * jy * impact.force[2]);
  const double tangent = vt + h * impact.gravity[0] + h / mass * (impact.force[0] + ratio * jx * impact.force[2]);
  const double factor = -mass / (1 + ratio * (jx * jx + jy * jy));
  return {factor * ((1 + ratio * jx * jx) * normal - ratio * jx * jy * tangent),
          factor * (-ratio * jx * jy * normal + (1 + ratio * jy * jy) * tangent)};
}

RatioEstimate PlainRatio(const std::vector<ImpactSample>& impacts) {
  double ay = 0, aa = 0, yy = 0;
  for (const ImpactSample& impact : impacts) {
    const double a = impact.Moment(), y = impact.Jump()[2];
    ay += a * y;
    aa += a * a;
    yy += y * y;
  }
  RatioEstimate out;
  if (aa <= 0) return out;
  out.value = ay / aa;
  const double freedom = static_cast<double>(impacts.size()) - 1;
  out.std = freedom > 0 ? std::sqrt(std::max(0.0, yy - out.value * ay) / freedom / aa) : 0.0;
  out.found = true;
  return out;
}

RatioEstimate CorrectedRatio(const std::vector<ImpactSample>& impacts, std::vector<char>* used) {
  const std::size_t n = impacts.size();
  std::vector<char> in(n, 1);
  RatioEstimate out;
  for (std::size_t round = 0; round <= n; ++round) {
    std::vector<ImpactSample> kept;
    for (std::size_t i = 0; i < n; ++i)
      if (in[i]) kept.push_back(impacts[i]);
    out = PlainRatio(kept);
    if (!out.found) return out;
    // Gauss-Newton with weights 1 / (var y + x^2 var a); true A estimated on the line (York).
    for (int iteration = 0; iteration < 200; ++iteration) {
      double top = 0, bottom = 0;
      for (const ImpactSample& impact : kept) {
        const double a = impact.Moment(), y = impact.Jump()[2], va = impact.MomentVariance(),
                     vy = impact.jump_variance[2];
        const double weight = 1 / std::max(vy + out.value * out.value * va, 1e-300);
        const double line = (a * vy + out.value * y * va) * weight;  // A of the nearest point of the line
        top += weight * line * y;
        bottom += weight * line * a;
      }
      if (bottom == 0) break;
      const double next = top / bottom;
      const bool done = std::abs(next - out.value) < 1e-13 * std::abs(next);
      out.value = next;
      if (done) break;
    }
    double information = 0, worst = 4;
    std::size_t worst_index = n;
    out.chi2 = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!in[i]) continue;
      const double a = impacts[i].Moment(), y = impacts[i].Jump()[2], va = impacts[i].MomentVariance(),
                   vy = impacts[i].jump_variance[2];
      const double weight = 1 / std::max(vy + out.value * out.value * va, 1e-300);
      const double line = (a * vy + out.value * y * va) * weight;
      information += weight * line * line;
      const double residual = std::abs(y - out.value * a) * std::sqrt(weight);
      out.chi2 += residual * residual;
      if (residual > worst) {
        worst = residual;
        worst_index = i;
      }
    }
    out.std = information > 0 ? 1 / std::sqrt(information) : 0.0;
    if (worst_index == n || kept.size() <= 2) break;
    in[worst_index] = 0;
  }
  if (used) *used = in;
  return out;
}

MassEstimate MassFromForces(const std::vector<ImpactSample>& impacts) {
  const Eigen::Index n = static_cast<Eigen::Index>(impacts.size());
  MassEstimate out;
  if (n < 2) return out;
  Eigen::MatrixXd a(n, 2);
  Eigen::VectorXd b(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const ImpactSample& impact = impacts[static_cast<std::size_t>(i)];
    a.row(i) << -impact.Moment(), impact.Jump()[2];
    b[i] = impact.step * (impact.force[2] - impact.jx * impact.force[0] - impact.jy * impact.force[1]);
  }
  const Eigen::Vector2d scale = a.colwise().norm().cwiseMax(1e-300).cwiseInverse();
  const SingularDecomposition svd = DecomposeSingular(a * scale.asDiagonal());
  out.condition = svd.values[1] / svd.values[0];
  if (!(out.condition > 1e-9) || b.norm() == 0) return out;
  const Eigen::Vector2d x = scale.asDiagonal() * (svd.V * (svd.U.transpose() * b).cwiseQuotient(svd.values));
  out.mass = x[0];
  out.inertia = x[1];
  const double variance = n > 2 ? (a * x - b).squaredNorm() / static_cast<double>(n - 2) : 0.0;
  const Eigen::Matrix2d v = scale.asDiagonal() * svd.V;
  out.covariance = variance * v * svd.values.cwiseAbs2().cwiseInverse().asDiagonal() * v.transpose();
  out.found = x[0] > 0 && x[1] > 0;
  return out;
}

}  // namespace ricochet
