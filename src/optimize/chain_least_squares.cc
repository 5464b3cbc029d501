// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/chain_least_squares.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "math/dense.h"

namespace ricochet {

bool EliminateChain(std::vector<ChainBlock>& chain, ChainBorder& border) {
  for (std::size_t k = 0; k < chain.size(); ++k) {
    ChainBlock& block = chain[k];
    const Eigen::LLT<Eigen::MatrixXd> factor(block.D);
    if (factor.info() != Eigen::Success || !block.D.allFinite()) return false;
    // The lower triangle stays in D; with X = lower^-1 (L', B, g) all products are X' X.
    block.D = factor.matrixL();
    const auto lower = block.D.triangularView<Eigen::Lower>();
    lower.solveInPlace(block.B);
    lower.solveInPlace(block.g);
    border.C.noalias() -= block.B.transpose() * block.B;
    border.h.noalias() -= block.B.transpose() * block.g;
    if (k + 1 == chain.size()) break;
    ChainBlock& next = chain[k + 1];
    Eigen::MatrixXd across = block.L.transpose();
    lower.solveInPlace(across);
    next.D.noalias() -= across.transpose() * across;
    next.B.noalias() -= across.transpose() * block.B;
    next.g.noalias() -= across.transpose() * block.g;
    block.L = across.transpose();
  }
  return true;
}

Eigen::VectorXd SolveBorder(const ChainBorder& border, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                            const std::vector<char>& held, double ridge) {
  const Eigen::Index p = border.h.size();
  Eigen::VectorXd step = Eigen::VectorXd::Zero(p);
  std::vector<char> fixed = held;
  fixed.resize(static_cast<std::size_t>(p), 0);
  for (Eigen::Index round = 0; round <= p; ++round) {
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < p; ++i)
      if (!fixed[static_cast<std::size_t>(i)]) free.push_back(i);
    const auto f = static_cast<Eigen::Index>(free.size());
    if (f == 0) break;
    Eigen::MatrixXd C(f, f);
    Eigen::VectorXd right(f), size(f);
    for (Eigen::Index a = 0; a < f; ++a) {
      const Eigen::Index i = free[static_cast<std::size_t>(a)];
      right[a] = -border.h[i];
      for (Eigen::Index j = 0; j < p; ++j)
        if (fixed[static_cast<std::size_t>(j)]) right[a] -= border.C(i, j) * step[j];
      for (Eigen::Index b = 0; b < f; ++b) C(a, b) = border.C(i, free[static_cast<std::size_t>(b)]);
      size[a] = 1 / std::sqrt(std::max(C(a, a), 1e-300));
    }
    Eigen::MatrixXd scaled = size.asDiagonal() * C * size.asDiagonal();
    scaled.diagonal().array() += ridge;
    const Eigen::VectorXd found = size.asDiagonal() * SolveSymmetricVector(scaled, size.asDiagonal() * right);
    bool hit = false;
    for (Eigen::Index a = 0; a < f; ++a) {
      const Eigen::Index i = free[static_cast<std::size_t>(a)];
      step[i] = lower.size() == p ? std::clamp(found[a], lower[i], upper[i]) : found[a];
      if (step[i] == found[a]) continue;
      fixed[static_cast<std::size_t>(i)] = 1;
      hit = true;
    }
    if (!hit) break;
  }
  return step;
}

Eigen::MatrixXd InvertInformation(const Eigen::MatrixXd& information, double ridge) {
  const Eigen::VectorXd unit =
      information.diagonal().unaryExpr([](double c) { return c > 0 ? 1 / std::sqrt(c) : 1.0; });
  Eigen::MatrixXd scaled = unit.asDiagonal() * information * unit.asDiagonal();
  scaled.diagonal().array() += ridge;
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(scaled.rows(), scaled.cols());
  return unit.asDiagonal() * SolveSymmetric(scaled, identity) * unit.asDiagonal();
}

void SubstituteChain(const std::vector<ChainBlock>& chain, const Eigen::VectorXd& c,
                     std::vector<Eigen::VectorXd>& steps) {
  steps.resize(chain.size());
  for (std::size_t k = chain.size(); k-- > 0;) {
    const ChainBlock& block = chain[k];
    Eigen::VectorXd right = block.g + block.B * c;
    if (k + 1 < chain.size()) right += block.L.transpose() * steps[k + 1];
    block.D.triangularView<Eigen::Lower>().transpose().solveInPlace(right);
    steps[k] = -right;
  }
}

Eigen::MatrixXd FollowsBorder(const ChainBlock& eliminated) {
  return eliminated.D.triangularView<Eigen::Lower>().transpose().solve(eliminated.B);
}

Eigen::VectorXd DrawState(const ChainBlock& eliminated, const Eigen::VectorXd& normal) {
  return eliminated.D.triangularView<Eigen::Lower>().transpose().solve(normal);
}

}  // namespace ricochet
