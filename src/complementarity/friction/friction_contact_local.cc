// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction/friction_contact_local.h"

#include <cmath>

namespace ricochet {

LocalSolution SolveLocalContact(const Eigen::Matrix3d& D, const Eigen::Vector3d& q, double mu) {
  if (q[2] >= 0) return {Eigen::Vector3d::Zero(), FrictionMode::kOpen};

  // Eliminate the normal impulse.
  const double inverse_nn = 1 / D(2, 2);
  const double dx = D(0, 2), dy = D(1, 2);
  const double a = D(0, 0) - dx * dx * inverse_nn, c = D(1, 1) - dy * dy * inverse_nn;
  const double b = D(0, 1) - dx * dy * inverse_nn;
  const double gx = q[0] - dx * q[2] * inverse_nn, gy = q[1] - dy * q[2] * inverse_nn;

  // Stick.
  const double inverse_det = 1 / (a * c - b * b);
  const double sx = -(c * gx - b * gy) * inverse_det, sy = -(a * gy - b * gx) * inverse_det;
  const double sn = -(q[2] + dx * sx + dy * sy) * inverse_nn;
  if (sn >= 0 && sx * sx + sy * sy <= mu * mu * sn * sn) return {{sx, sy, sn}, FrictionMode::kStick};
  if (mu == 0) return {{0, 0, -q[2] * inverse_nn}, FrictionMode::kSlide};

  // Slide: rotate to the eigenvectors of [a b; b c].
  const double half = 0.5 * (a - c), radius = std::sqrt(half * half + b * b), mean = 0.5 * (a + c);
  const double l1 = mean + radius, l2 = mean - radius;
  double ex = 1, ey = 0;
  if (radius > 0) {
    // The longer of two expressions for the eigenvector of l1.
    if (half >= 0) {
      ex = half + radius, ey = b;
    } else {
      ex = b, ey = radius - half;
    }
    const double inverse_length = 1 / std::sqrt(ex * ex + ey * ey);
    ex *= inverse_length, ey *= inverse_length;
  }
  const double g1 = ex * gx + ey * gy, g2 = ex * gy - ey * gx;
  const double d1 = ex * dx + ey * dy, d2 = ex * dy - ey * dx;

  double low = 0, high = -1, alpha = std::sqrt(g1 * g1 + g2 * g2) / (mu * -q[2] * inverse_nn);
  double p1 = 0, p2 = 0, pn = 0;
  bool settled = false;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const double i1 = 1 / (l1 + alpha), i2 = 1 / (l2 + alpha);
    p1 = -g1 * i1, p2 = -g2 * i2;
    pn = -(q[2] + d1 * p1 + d2 * p2) * inverse_nn;
    const double length = std::sqrt(p1 * p1 + p2 * p2);
    const double f = length - mu * pn;
    if (f > 0) {
      low = alpha;
    } else {
      high = alpha;
    }
    const double df = -(p1 * p1 * i1 + p2 * p2 * i2) / length - mu * (d1 * p1 * i1 + d2 * p2 * i2) * inverse_nn;
    double next = alpha - f / df;
    if (!(next > low) || (high >= 0 && !(next < high))) next = high < 0 ? 2 * alpha + mean : 0.5 * (low + high);
    const double change = std::abs(next - alpha);
    if (settled || change <= 2e-16 * alpha) break;
    settled = change <= 1e-12 * alpha;  // the next one is exact to rounding
    alpha = next;
  }
  // Friction of exactly the cone's length, along the direction found.
  const double shrink = mu * pn / std::sqrt(p1 * p1 + p2 * p2);
  p1 *= shrink, p2 *= shrink;
  return {{ex * p1 - ey * p2, ey * p1 + ex * p2, pn}, FrictionMode::kSlide};
}

}  // namespace ricochet
