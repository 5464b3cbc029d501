// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Normal equations of a chain of states that share a few parameters: block tridiagonal with a border.
//
//     | D_0 L_0'          B_0 | | s_0 |     | g_0 |
//     | L_0 D_1 L_1'      B_1 | | s_1 |     | g_1 |
//     |     ...               | | ... | = - | ... |
//     | B_0' B_1' ...      C  | |  c  |     | h   |
//
// States are eliminated from the first to the last, which leaves the information about the parameters with all states
// unknown, C - sum B' D^-1 B; then c is solved for and states follow backwards. Time and memory are linear in the
// number of states (Spook sec. 3.6). Several chains may share one border. Chains of one state each are the arrow of
// block_least_squares.h.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace ricochet {

struct ChainBlock {
  Eigen::MatrixXd D, L, B;  // L couples the next state's row to this state's column; empty at the end
  Eigen::VectorXd g;
};

struct ChainBorder {
  Eigen::MatrixXd C;
  Eigen::VectorXd h;
};

/// Eliminates the states of one chain, in place, and takes their share from the border. False when a block is not
/// positive definite.
bool EliminateChain(std::vector<ChainBlock>& chain, ChainBorder& border);

/// Step c of the parameters behind eliminated chains, C c = -h, within lower <= c <= upper: those that would leave
/// their bounds stop there, and the others are solved for again; without bounds where these are empty. `held` ones stay
/// at 0 (empty: none). Each is solved for in its own units, C_ii; `ridge` is added to the diagonal in those, for
/// borders of which rounding leaves nothing.
Eigen::VectorXd SolveBorder(const ChainBorder& border, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                            const std::vector<char>& held = {}, double ridge = 0);

/// Covariance of parameters from their information (the eliminated C of rows that are weighted by their noise): its
/// inverse, computed in units of its diagonal. `ridge` as above.
Eigen::MatrixXd InvertInformation(const Eigen::MatrixXd& information, double ridge);

/// How the state of an eliminated chain of one follows the parameters: -d s / d c.
Eigen::MatrixXd FollowsBorder(const ChainBlock& eliminated);

/// A draw from what an eliminated chain of one leaves open of its state at known parameters, from independent standard
/// normal numbers: its covariance is that of the damped system, D^-1.
Eigen::VectorXd DrawState(const ChainBlock& eliminated, const Eigen::VectorXd& normal);

/// Steps of the states of an eliminated chain for a step c of the parameters.
void SubstituteChain(const std::vector<ChainBlock>& chain, const Eigen::VectorXd& c,
                     std::vector<Eigen::VectorXd>& steps);

}  // namespace ricochet
