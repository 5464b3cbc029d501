// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What single impacts say about mass and inertia (Fazeli sec. 4 and 5, in the corrected forms).
//
// Contact frame: x along the surface, y along its normal. J_n = (0, 1, Jy), J_t = (1, 0, Jx) with Jy = r_t and Jx =
// -r_n of the material contact point (event_body.h); for the ellipse Jx = s, Jy = -s' with s the support function.
// Before and after an impact of duration h with known force (Fx, Fy) and torque tau, gravity (gx, gy):
//
//   m (dvx - h gx) = ct + h Fx,   m (dvy - h gy) = cn + h Fy,   I dw = Jy cn + Jx ct + h tau.
//
// Without the impulses, which holds for sliding and sticking alike and needs neither friction nor restitution:
//
//   I dw - m A = h (tau - Jx Fx - Jy Fy),   A = (dvx - h gx) Jx + (dvy - h gy) Jy                      (24), (25)
//   corrected
//
// No force: only m/I = dw / A. With forces m and I separate once two impacts differ.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace ricochet {

/// One impact in its contact frame.
struct ImpactSample {
  double time = 0;                  // [s]
  double step = 0;                  // h: duration over which gravity and forces act [s]
  double jx = 0, jy = 0;            // arms Jx, Jy [m]
  double jx_rate = 0, jy_rate = 0;  // their derivatives by the angle [m/rad]
  Eigen::Vector3d before = Eigen::Vector3d::Zero(), after = Eigen::Vector3d::Zero();  // vx, vy, omega
  Eigen::Vector2d gravity = Eigen::Vector2d::Zero();                                  // in the contact frame
  Eigen::Vector3d force = Eigen::Vector3d::Zero();                                    // Fx, Fy, tau
  Eigen::Vector3d jump_variance = Eigen::Vector3d::Zero();                            // of dvx, dvy, domega
  double angle_variance = 0;                                                          // of the angle at the impact
  int recording = 0;
  int candidate = -1;  // that touches, of the event body; -1: not known

  /// Velocity jumps with gravity's share removed.
  Eigen::Vector3d Jump() const {
    return {after[0] - before[0] - step * gravity[0], after[1] - before[1] - step * gravity[1], after[2] - before[2]};
  }
  /// A of (25).
  double Moment() const {
    const Eigen::Vector3d jump = Jump();
    return jump[0] * jx + jump[1] * jy;
  }
  /// Variance of A, by those of the jumps and of the angle, which turns the arms.
  double MomentVariance() const {
    const Eigen::Vector3d jump = Jump();
    const double turn = jump[0] * jx_rate + jump[1] * jy_rate;
    return jx * jx * jump_variance[0] + jy * jy * jump_variance[1] + turn * turn * angle_variance;
  }
};

/// Y = Psi Theta with Theta = (1/m, 1/I, m/I), 3 rows: (18), (19) for sliding with signed friction, (23) for sticking.
struct ImpactRegressor {
  Eigen::Vector3d y;
  Eigen::Matrix3d psi;
};
ImpactRegressor SlidingRegressor(const ImpactSample& impact, double signed_friction, double restitution);
ImpactRegressor StickingRegressor(const ImpactSample& impact, double restitution);

/// Contact impulses over mass (cn/m, ct/m) from the motion before the impact, (16) and (22), for a known m/I.
Eigen::Vector2d SlidingImpulse(const ImpactSample& impact, double mass, double inertia, double signed_friction,
                               double restitution);
Eigen::Vector2d StickingImpulse(const ImpactSample& impact, double mass, double inertia, double restitution);

struct RatioEstimate {
  double value = 0;  // m/I [1/m^2]
  double std = 0;
  double chi2 = 0;  // of (impacts - 1) degrees of freedom, for weighted estimates
  bool found = false;
};

/// Least squares of (25) as printed in the paper (with the sign corrected): biased toward 0 by errors in A.
RatioEstimate PlainRatio(const std::vector<ImpactSample>& impacts);

/// Errors in both Y and A accounted for: the x that minimizes sum (dw_i - x A_i)^2 / (var dw_i + x^2 var A_i), the
/// maximum-likelihood line through the origin (Deming, York). Impacts beyond 4 sigma are excluded one by one.
RatioEstimate CorrectedRatio(const std::vector<ImpactSample>& impacts, std::vector<char>* used = nullptr);

/// m and I from impacts under known forces; `found` false when the impacts do not separate them.
struct MassEstimate {
  double mass = 0, inertia = 0;
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();
  double condition = 0;  // smallest over largest singular value of the scaled regressor
  bool found = false;
};
MassEstimate MassFromForces(const std::vector<ImpactSample>& impacts);

}  // namespace ricochet
