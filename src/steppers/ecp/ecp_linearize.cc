// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Jacobian of the equations of ecp_problem.h. With d = h J_l(h w) dw the turn of a body (world side), r = a - p+:
//
//   d f_i = u_i . (da - h dv) - (r x u_i) . d
//   d u_i = d x u_i + H_i (da - h dv - d x r)                    H_i the Hessian in world axes
//   d n   = sum gamma_j d w_j + sum dgamma_j w_j                 d w_j as d u_i
//   d P   = (p_n + p_t dt/dn + p_o do/dn) dn + n dp_n + t e_t dq_t + o e_o dq_o
//   d (r x P) = r x dP - P x (da - h dv)
//   d v   = dv_F - r_F x dw_F + w_F x (da - h dv_F) - (the same of G)
#include <cmath>

#include "steppers/ecp/ecp_problem.h"

namespace ricochet {
namespace {

using Vec = Vector3<double>;
using Mat = Matrix3<double>;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using JacobianMap = Eigen::Map<RowMatrix, 0, Eigen::OuterStride<>>;

/// Pose at the end of the step with what its derivative needs.
struct Side {
  EcpEnd<double> end;
  Mat turn;    // h J_l(h w)
  Vec r;       // a - p+
  Vec local;   // R' r
  int offset;  // of the body's velocities, -1: fixed
};

Side MakeSide(const EcpBody<double>& body, double h, const Vec& a, const double* z) {
  Side side;
  side.end = EndOf(body, h, z);
  side.offset = body.offset;
  if (side.offset >= 0) side.turn = h * LeftJacobianSO3(h * side.end.w);
  side.r = a - side.end.p;
  side.local = side.end.R.transpose() * side.r;
  return side;
}

/// A 3-vector's derivatives with respect to the ECP and to pose (h dv and turn d) of one body.
struct Dependence {
  Mat by_a = Mat::Zero(), by_p = Mat::Zero(), by_turn = Mat::Zero();
};

/// Derivatives of a sum of weighted world gradients with total `sum` and weighted Hessian `H` (world axes).
Dependence GradientDependence(const Side& side, const Vec& sum, const Mat& H, bool curved) {
  Dependence out;
  if (curved) {
    out.by_a = H;
    out.by_p = -H;
    out.by_turn = H * Skew(side.r);
  }
  out.by_turn -= Skew(sum);
  return out;
}

}  // namespace

void EcpLinearize(const EcpProblem<double>& problem, std::span<EcpActive> active, const double* z, double* residual,
                  double* jacobian, int stride) {
  const double h = problem.h;
  const double linear_scale = 1 / (problem.mass * problem.speed);
  const double angular_scale = linear_scale / problem.length;
  const double length_scale = 1 / problem.length;
  int row = 0;
  for (const EcpBody<double>& body : problem.bodies) row += body.offset >= 0 ? 6 : 0;
  int size = row;
  for (const EcpActive& set : active) size += set.size();
  JacobianMap J(jacobian, size, size, Eigen::OuterStride<>(stride));
  J.setZero();
  Eigen::Map<Eigen::VectorXd> R(residual, size);

  for (const EcpBody<double>& body : problem.bodies) {
    if (body.offset < 0) continue;
    const int at = body.offset;
    const Vec v(z[at], z[at + 1], z[at + 2]), w(z[at + 3], z[at + 4], z[at + 5]);
    const Vec spin = body.inertia * w;
    R.segment<3>(at) = (body.mass * (v - body.v) - body.impulse.head<3>()) * linear_scale;
    R.segment<3>(at + 3) = (body.inertia * (w - body.w) - body.impulse.tail<3>() + h * w.cross(spin)) * angular_scale;
    for (int i = 0; i < 3; ++i) J(at + i, at + i) = body.mass * linear_scale;
    J.block<3, 3>(at + 3, at + 3) = (body.inertia + h * (Skew(w) * body.inertia - Skew(spin))) * angular_scale;
  }

  int column = row;
  for (EcpActive& set : active) {
    const EcpContact<double>& contact = problem.contacts[set.contact];
    const Vec a(z[column], z[column + 1], z[column + 2]);
    const int at_beta = column + 3, at_gamma = at_beta + set.nf;
    const int at_p = at_gamma + (set.has_gamma() ? set.ng : 0);
    const Side F = MakeSide(problem.bodies[contact.f], h, a, z), G = MakeSide(problem.bodies[contact.g], h, a, z);

    // Facets of both bodies.
    Vec sum_f = Vec::Zero(), n = Vec::Zero();
    Mat H_f = Mat::Zero(), H_g = Mat::Zero();
    std::array<Vec, kEcpMaxActive> u, w;
    bool curved_f = false, curved_g = false;
    const auto facet_row = [&](const Side& side, const Facet<double>& facet, const Vec& normal) {
      R[row] = facet.Value(side.local) * length_scale;
      J.block<1, 3>(row, column) = normal.transpose() * length_scale;
      if (side.offset >= 0) {
        J.block<1, 3>(row, side.offset) = normal.transpose() * (-h * length_scale);
        J.block<1, 3>(row, side.offset + 3) = side.r.cross(normal).transpose() * side.turn * -length_scale;
      }
      ++row;
    };
    for (int i = 0; i < set.nf; ++i) {
      const Facet<double>& facet = contact.solid_f->facets[set.f[i]];
      u[i] = F.end.R * facet.Gradient(F.local);
      facet_row(F, facet, u[i]);
      sum_f += z[at_beta + i] * u[i];
      if (facet.curved()) {
        H_f += z[at_beta + i] * (F.end.R * facet.Hessian(F.local) * F.end.R.transpose());
        curved_f = true;
      }
    }
    for (int j = 0; j < set.ng; ++j) {
      const Facet<double>& facet = contact.solid_g->facets[set.g[j]];
      const double weight = set.has_gamma() ? z[at_gamma + j] : 1.0;
      w[j] = G.end.R * facet.Gradient(G.local);
      facet_row(G, facet, w[j]);
      n += weight * w[j];
      if (facet.curved()) {
        H_g += weight * (G.end.R * facet.Hessian(G.local) * G.end.R.transpose());
        curved_g = true;
      }
    }

    // Normals opposite: S = n + sum beta u.
    const Dependence D_f = GradientDependence(F, sum_f, H_f, curved_f);
    const Dependence D_n = GradientDependence(G, n, H_g, curved_g);
    R.segment<3>(row) = n + sum_f;
    if (curved_f || curved_g) J.block<3, 3>(row, column) = D_f.by_a + D_n.by_a;
    if (F.offset >= 0) {
      if (curved_f) J.block<3, 3>(row, F.offset) = h * D_f.by_p;
      J.block<3, 3>(row, F.offset + 3) = D_f.by_turn * F.turn;
    }
    if (G.offset >= 0) {
      if (curved_g) J.block<3, 3>(row, G.offset) = h * D_n.by_p;
      J.block<3, 3>(row, G.offset + 3) = D_n.by_turn * G.turn;
    }
    for (int i = 0; i < set.nf; ++i) J.block<3, 1>(row, at_beta + i) = u[i];
    if (set.has_gamma()) {
      for (int j = 0; j < set.ng; ++j) J.block<3, 1>(row, at_gamma + j) = w[j];
    }
    row += 3;
    if (set.has_gamma()) {
      R[row] = (n.squaredNorm() - 1) / 2;
      J.block<1, 3>(row, column) = n.transpose() * D_n.by_a;
      if (G.offset >= 0) {
        J.block<1, 3>(row, G.offset) = h * (n.transpose() * D_n.by_p);
        J.block<1, 3>(row, G.offset + 3) = n.transpose() * D_n.by_turn * G.turn;
      }
      for (int j = 0; j < set.ng; ++j) J(row, at_gamma + j) = n.dot(w[j]);
      ++row;
    }

    // Contact frame and its dependence on n.
    Vec t = contact.t, o = contact.o;
    Mat t_n = Mat::Zero(), o_n = Mat::Zero();
    const bool n_varies = !contact.fixed_frame;
    if (n_varies) {
      TangentsOf<double>(n, t, o);
      const int axis = n[0] * n[0] > 0.75 ? 1 : 0;
      const Vec s = Vec::Unit(axis) - n * n[axis];
      const Mat s_n = -n[axis] * Mat::Identity() - n * Vec::Unit(axis).transpose();
      t_n = (Mat::Identity() - t * t.transpose()) * s_n / s.norm();
      o_n = -Skew(t) + Skew(n) * t_n;
    }

    // Friction rows.
    const double p_n = z[at_p];
    const Vec q(z[at_p + 1], z[at_p + 2], z[at_p + 3]);
    const Vec e = contact.e;
    const Vec v = F.end.v + F.end.w.cross(F.r) - G.end.v - G.end.w.cross(G.r) - contact.belt;
    const Vec dw = F.end.w - G.end.w;
    const Vec s(e[0] * t.dot(v), e[1] * o.dot(v), e[2] * n.dot(dw));
    Mat axes;  // rows e_t t, e_o o
    axes << e[0] * t.transpose(), e[1] * o.transpose(), Eigen::RowVector3d::Zero();
    Mat s_n = Mat::Zero();
    if (n_varies) {
      s_n.row(0) = e[0] * v.transpose() * t_n;
      s_n.row(1) = e[1] * v.transpose() * o_n;
      s_n.row(2) = e[2] * dw.transpose();
    }
    const Vec trial = q - set.rho * s;
    const double norm = trial.norm(), reach = std::max(contact.mu * p_n, 0.0);
    set.slides = !(norm <= reach) || reach == 0;
    Mat by_trial;              // d projection / d trial
    Vec by_p_n = Vec::Zero();  // d projection / d p_n
    if (!set.slides) {
      R.segment<3>(row) = set.rho * s * linear_scale;
      by_trial = Mat::Identity();
      for (int i = 0; i < 3; ++i) {
        if (e[i] > 0) continue;  // an axis without friction has no impulse
        R[row + i] = q[i] * linear_scale;
        by_trial(i, i) = 0;
      }
    } else {
      const Vec direction = norm > 0 ? Vec(trial / norm) : Vec(Vec::Zero());
      R.segment<3>(row) = (q - reach * direction) * linear_scale;
      by_trial =
          norm > 0 ? Mat((Mat::Identity() - direction * direction.transpose()) * (reach / norm)) : Mat(Mat::Zero());
      if (contact.mu * p_n > 0) by_p_n = contact.mu * direction;
    }
    // Row = q - proj(q - rho s): by s it is rho * by_trial, by q it is 1 - by_trial.
    const Mat by_s = (set.rho * linear_scale) * by_trial;
    const Mat by_v = by_s * axes;
    J.block<3, 3>(row, column) = by_v * Skew(dw);
    if (F.offset >= 0) {
      J.block<3, 3>(row, F.offset) = by_v - h * (by_v * Skew(F.end.w));
      J.block<3, 3>(row, F.offset + 3) = -by_v * Skew(F.r);
      J.block<3, 3>(row, F.offset + 3) += e[2] * by_s.col(2) * n.transpose();
    }
    if (G.offset >= 0) {
      J.block<3, 3>(row, G.offset) = -by_v + h * (by_v * Skew(G.end.w));
      J.block<3, 3>(row, G.offset + 3) = by_v * Skew(G.r);
      J.block<3, 3>(row, G.offset + 3) -= e[2] * by_s.col(2) * n.transpose();
    }
    J.block<3, 1>(row, at_p) = -by_p_n * linear_scale;
    J.block<3, 3>(row, at_p + 1) = (Mat::Identity() - by_trial) * linear_scale;
    if (n_varies) {
      const Mat by_n = by_s * s_n;
      J.block<3, 3>(row, column) += by_n * D_n.by_a;
      if (G.offset >= 0) {
        J.block<3, 3>(row, G.offset) += h * (by_n * D_n.by_p);
        J.block<3, 3>(row, G.offset + 3) += by_n * D_n.by_turn * G.turn;
      }
      if (set.has_gamma()) {
        for (int j = 0; j < set.ng; ++j) J.block<3, 1>(row, at_gamma + j) = by_n * w[j];
      }
    }
    row += 3;

    // Wrench on both bodies.
    const Vec P = p_n * n + e[0] * q[0] * t + e[1] * q[1] * o;
    const Vec twist = e[2] * q[2] * n;
    Mat P_n;
    if (n_varies) P_n = p_n * Mat::Identity() + e[0] * q[0] * t_n + e[1] * q[1] * o_n;
    const auto wrench = [&](const Side& side, double sign) {
      if (side.offset < 0) return;
      const int at = side.offset;
      const double linear = sign * linear_scale, angular = sign * angular_scale;
      const Mat rx = Skew(side.r), Px = Skew(P);
      R.segment<3>(at) += linear * P;
      R.segment<3>(at + 3) += angular * (side.r.cross(P) + twist);
      J.block<3, 1>(at, at_p) = linear * n;
      J.block<3, 1>(at, at_p + 1) = (linear * e[0]) * t;
      J.block<3, 1>(at, at_p + 2) = (linear * e[1]) * o;
      J.block<3, 1>(at + 3, at_p) = angular * side.r.cross(n);
      J.block<3, 1>(at + 3, at_p + 1) = (angular * e[0]) * side.r.cross(t);
      J.block<3, 1>(at + 3, at_p + 2) = (angular * e[1]) * side.r.cross(o);
      J.block<3, 1>(at + 3, at_p + 3) = (angular * e[2]) * n;
      J.block<3, 3>(at + 3, column) -= angular * Px;
      J.block<3, 3>(at + 3, at) += (angular * h) * Px;
      if (!n_varies) return;
      const Mat torque_n = rx * P_n + (e[2] * q[2]) * Mat::Identity();
      J.block<3, 3>(at, column) += linear * (P_n * D_n.by_a);
      J.block<3, 3>(at + 3, column) += angular * (torque_n * D_n.by_a);
      if (G.offset >= 0) {
        const Mat n_w = D_n.by_turn * G.turn;
        J.block<3, 3>(at, G.offset) += (linear * h) * (P_n * D_n.by_p);
        J.block<3, 3>(at, G.offset + 3) += linear * (P_n * n_w);
        J.block<3, 3>(at + 3, G.offset) += (angular * h) * (torque_n * D_n.by_p);
        J.block<3, 3>(at + 3, G.offset + 3) += angular * (torque_n * n_w);
      }
      if (set.has_gamma()) {
        for (int j = 0; j < set.ng; ++j) {
          J.block<3, 1>(at, at_gamma + j) = linear * (P_n * w[j]);
          J.block<3, 1>(at + 3, at_gamma + j) = angular * (torque_n * w[j]);
        }
      }
    };
    wrench(F, -1);
    wrench(G, 1);
    column += set.size();
  }
}

}  // namespace ricochet
