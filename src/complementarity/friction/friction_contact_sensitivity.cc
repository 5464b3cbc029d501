// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction/friction_contact_sensitivity.h"

namespace ricochet {

void FrictionContactSensitivity::FactorValues() {
  K_lu_.compute(K_);
  const int c = static_cast<int>(rows_.size());
  y_.setZero(K_.rows());
  if (c == 0) return;
  // Basis of the active rows; dependent ones show as tiny pivots.
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(1e-9);
  qr.compute(C_.transpose());
  const int rank = static_cast<int>(qr.rank());
  Q_ = qr.householderQ() * Eigen::MatrixXd::Identity(C_.cols(), rank);
  L_ = C_ * Q_;
  L_qr_.compute(L_);
  y_ = Q_ * L_qr_.solve(x_);
  BL_ = K_lu_.solve(B_ * L_);
  reduced_lu_.compute(Q_.transpose() * BL_);
}

Eigen::MatrixXd FrictionContactSensitivity::SolveDirections(const Eigen::MatrixXd& r1,
                                                            const Eigen::MatrixXd& r2) const {
  Eigen::MatrixXd dw = K_lu_.solve(r1);
  if (rows_.empty()) return dw;
  const Eigen::MatrixXd target = -L_qr_.solve(r2) - Q_.transpose() * dw;
  dw += BL_ * reduced_lu_.solve(target);
  return dw;
}

}  // namespace ricochet
