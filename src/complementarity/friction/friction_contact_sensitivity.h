// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Derivative of the solution of friction_contact.h, by implicit differentiation with the modes held.
//
// Let C be the active rows (normals of closed contacts, tangents of sticking ones), x their impulses, w = v - v_free.
// The solution satisfies
//
//   w - C^T x - sum over sliding J_T^T P_T = 0,  P_T = -mu P_N xi_T / |xi_T|      (balance)
//   C w + b_C = 0                                                                 (contact)
//   x = C y                                                                       (least norm, friction_contact.h)
//
// Differentiating with K = I + sum k a a^T and B as in friction_contact_small.h, and C = L Q with orthonormal rows Q:
//
//   K dw - B L dz = r1,   Q dw = -L^+ r2,   dx = dC y + L dz,
//
// where r1 and r2 are the derivatives of the two residuals with w and x held, r1 including B dC y. One factorization in
// double serves every direction. Where the rows of C are dependent and a parameter would break the dependence (one
// corner of four moved out of the plane), there is no derivative; the least-squares one is returned.
#pragma once

#include <Eigen/LU>
#include <Eigen/QR>
#include <span>
#include <vector>

#include "complementarity/friction/friction_contact.h"
#include "math/jet.h"
#include "math/vector.h"

namespace ricochet {

/// FrictionContact with coefficients that carry derivatives; b is xi at the free velocity.
template <int N>
struct FrictionContactJet {
  int body = 0, other = -1;
  FrictionMode mode = FrictionMode::kOpen;
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();  // of the solution
  Jet<N> mu;
  Eigen::Matrix<Jet<N>, 6, 3> rows, other_rows;
  Vector3<Jet<N>> b;
};

/// The part that depends on values alone: made once per solution, then applied to any number of directions.
class FrictionContactSensitivity {
 public:
  /// Values of the contacts; impulses and modes are those of the solution.
  template <int N>
  void Factor(int body_count, std::span<const FrictionContactJet<N>> contacts);

  /// w = v - v_free per body with its derivatives.
  template <int N>
  void Solve(std::span<const FrictionContactJet<N>> contacts, std::vector<Vector6<Jet<N>>>& w) const;

 private:
  struct Row {
    int contact, axis;
  };
  /// Everything after the values were put in place.
  void FactorValues();
  /// Columns of dw for columns of the residuals' derivatives.
  Eigen::MatrixXd SolveDirections(const Eigen::MatrixXd& r1, const Eigen::MatrixXd& r2) const;

  int bodies_ = 0;
  std::vector<Row> rows_;
  Eigen::MatrixXd C_;  // active rows x 6 bodies
  Eigen::MatrixXd B_;  // 6 bodies x active rows
  Eigen::MatrixXd K_;  // 6 bodies x 6 bodies
  Eigen::VectorXd w_, x_, y_;
  std::vector<Eigen::Vector3d> xi_;
  Eigen::MatrixXd Q_, L_, BL_;  // basis of the rows (columns), rows in it, B L
  Eigen::PartialPivLU<Eigen::MatrixXd> K_lu_, reduced_lu_;
  Eigen::HouseholderQR<Eigen::MatrixXd> L_qr_;
};

template <int N>
void FrictionContactSensitivity::Factor(int body_count, std::span<const FrictionContactJet<N>> contacts) {
  bodies_ = body_count;
  rows_.clear();
  for (int i = 0; i < static_cast<int>(contacts.size()); ++i) {
    if (contacts[i].mode != FrictionMode::kOpen) rows_.push_back({i, 2});
    if (contacts[i].mode != FrictionMode::kStick) continue;
    rows_.push_back({i, 0});
    rows_.push_back({i, 1});
  }
  const int c = static_cast<int>(rows_.size()), size = 6 * bodies_;
  C_.setZero(c, size);
  B_.setZero(size, c);
  K_.setIdentity(size, size);
  w_.setZero(size);
  x_.setZero(c);
  const auto place = [&](int contact, int axis, auto&& column) {
    const FrictionContactJet<N>& k = contacts[contact];
    column.template segment<6>(6 * k.body) += ValueOf(k.rows).col(axis);
    if (k.other >= 0) column.template segment<6>(6 * k.other) += ValueOf(k.other_rows).col(axis);
  };
  std::vector<Eigen::MatrixXd> dense(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    dense[i].setZero(size, 3);
    for (int axis = 0; axis < 3; ++axis) place(static_cast<int>(i), axis, dense[i].col(axis));
    w_ += dense[i] * contacts[i].impulse;
  }
  xi_.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) xi_[i] = ValueOf(contacts[i].b) + dense[i].transpose() * w_;
  for (int row = 0; row < c; ++row) {
    const auto [i, axis] = rows_[row];
    C_.row(row) = dense[i].col(axis);
    B_.col(row) = dense[i].col(axis);
    x_[row] = contacts[i].impulse[axis];
    if (axis != 2 || contacts[i].mode != FrictionMode::kSlide) continue;
    const double slip = xi_[i].head<2>().norm(), mu = ValueOf(contacts[i].mu);
    const Eigen::Vector2d u = xi_[i].head<2>() / slip;
    B_.col(row) -= mu * (dense[i].leftCols<2>() * u);
    const Eigen::VectorXd a = dense[i].col(1) * u[0] - dense[i].col(0) * u[1];
    K_ += (mu * x_[row] / slip) * (a * a.transpose());
  }
  FactorValues();
}

template <int N>
void FrictionContactSensitivity::Solve(std::span<const FrictionContactJet<N>> contacts,
                                       std::vector<Vector6<Jet<N>>>& w) const {
  const int c = static_cast<int>(rows_.size()), size = 6 * bodies_;
  Eigen::MatrixXd r1(size, N), r2(c, N);
  r1.setZero();
  r2.setZero();
  // y of body b, as a vector of 6.
  const auto part = [](const Eigen::VectorXd& v, int b) { return Vector6d(v.segment<6>(6 * b)); };
  for (int row = 0; row < c; ++row) {
    const auto [i, axis] = rows_[row];
    const FrictionContactJet<N>& k = contacts[i];
    // d xi along this axis with w held.
    const auto explicit_xi = [&](int e) {
      Eigen::Matrix<double, 1, N> d = k.b[e].v.transpose();
      for (int j = 0; j < 6; ++j) d += part(w_, k.body)[j] * k.rows(j, e).v.transpose();
      if (k.other >= 0)
        for (int j = 0; j < 6; ++j) d += part(w_, k.other)[j] * k.other_rows(j, e).v.transpose();
      return d;
    };
    r2.row(row) = explicit_xi(axis);
    // dC y and the change of the rows themselves.
    Eigen::Matrix<double, 1, N> dCy = Eigen::Matrix<double, 1, N>::Zero();
    for (int j = 0; j < 6; ++j) dCy += part(y_, k.body)[j] * k.rows(j, axis).v.transpose();
    if (k.other >= 0)
      for (int j = 0; j < 6; ++j) dCy += part(y_, k.other)[j] * k.other_rows(j, axis).v.transpose();
    r1 += B_.col(row) * dCy;
    const auto add_rows = [&](int e, double impulse) {
      for (int j = 0; j < 6; ++j) r1.row(6 * k.body + j) += impulse * k.rows(j, e).v.transpose();
      if (k.other >= 0)
        for (int j = 0; j < 6; ++j) r1.row(6 * k.other + j) += impulse * k.other_rows(j, e).v.transpose();
    };
    add_rows(axis, x_[row]);
    if (axis != 2 || k.mode != FrictionMode::kSlide) continue;
    // Friction of a sliding contact with w and P_N held.
    add_rows(0, k.impulse[0]);
    add_rows(1, k.impulse[1]);
    const double slip = xi_[i].template head<2>().norm(), mu = ValueOf(k.mu);
    const double ux = xi_[i][0] / slip, uy = xi_[i][1] / slip;
    const Eigen::Matrix<double, 1, N> across = ux * explicit_xi(1) - uy * explicit_xi(0);
    const double stiffness = mu * x_[row] / slip;
    const Eigen::Matrix<double, 1, N> dx = -x_[row] * ux * k.mu.v.transpose() + stiffness * uy * across;
    const Eigen::Matrix<double, 1, N> dy = -x_[row] * uy * k.mu.v.transpose() - stiffness * ux * across;
    for (int j = 0; j < 6; ++j) r1.row(6 * k.body + j) += ValueOf(k.rows(j, 0)) * dx + ValueOf(k.rows(j, 1)) * dy;
    if (k.other >= 0)
      for (int j = 0; j < 6; ++j)
        r1.row(6 * k.other + j) += ValueOf(k.other_rows(j, 0)) * dx + ValueOf(k.other_rows(j, 1)) * dy;
  }
  const Eigen::MatrixXd dw = SolveDirections(r1, r2);
  w.resize(bodies_);
  for (int b = 0; b < bodies_; ++b)
    for (int j = 0; j < 6; ++j) w[b][j] = Jet<N>(w_[6 * b + j], dw.row(6 * b + j).transpose());
}

}  // namespace ricochet
