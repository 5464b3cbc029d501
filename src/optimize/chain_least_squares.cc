// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/chain_least_squares.h"

#include <Eigen/Cholesky>

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

}  // namespace ricochet
