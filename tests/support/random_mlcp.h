// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Random mixed complementarity problems of the kinds that `spook` meets: chains and loops of bodies with joint rows,
// dry joints whose bound depends on multipliers, and contacts with polyhedral friction.
#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "complementarity/mlcp.h"
#include "tests/support/random_vectors.h"

namespace ricochet {

struct RandomMlcpOptions {
  int bodies = 4;
  bool loop = false;  // one more joint, between the first and the last body
  int dry = 2;        // dry joints, at most `bodies`
  int contacts = 1;   // each with 4 directions
};

inline void MakeRandomMlcp(RandomVectors& random, const RandomMlcpOptions& options, MlcpProblem& problem) {
  using Block = BlockLdlt::Block;
  using Six = BlockLdlt::BlockVector;
  const int n = options.bodies, joints = n + (options.loop ? 1 : 0);
  BlockLdlt::Graph graph;
  graph.dual.assign(n, 0);
  graph.dual.resize(n + joints, 1);
  for (int j = 0; j < joints; ++j) {
    if (j < n) {
      graph.edges.push_back({n + j, j});
      if (j > 0) graph.edges.push_back({n + j, j - 1});
    } else {
      graph.edges.push_back({n + j, 0});
      graph.edges.push_back({n + j, n - 1});
    }
  }
  problem.K.Analyze(graph);
  for (int i = 0; i < n; ++i) {
    // Mass and inertia of a body, the inertia turned.
    Block M = Block::Zero();
    M.topLeftCorner<3, 3>().diagonal().setConstant(random.LogUniform(0.1, 5));
    Eigen::Matrix3d A;
    for (int k = 0; k < 3; ++k) A.col(k) = random.Vector<3>();
    M.bottomRightCorner<3, 3>() = 1e-3 * (A * A.transpose() + 0.1 * Eigen::Matrix3d::Identity());
    problem.K.Diagonal(i) = M;
  }
  const double sigma = random.LogUniform(1e-7, 1e-2);
  for (int j = 0; j < joints; ++j) {
    problem.K.Diagonal(n + j).setZero();
    problem.K.Diagonal(n + j).diagonal().setConstant(-sigma);
    problem.K.Diagonal(n + j)(5, 5) = -1;
  }
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    Block& J = problem.K.Edge(static_cast<int>(e));
    J.setZero();
    const Eigen::Vector3d arm = 0.2 * random.Vector<3>();
    const double sign = e % 2 ? -1 : 1;
    for (int i = 0; i < 3; ++i) {
      J(i, i) = sign;
      J.row(i).tail<3>() = sign * arm.cross(Eigen::Vector3d::Unit(i)).transpose();
    }
    J.row(3).tail<3>() = sign * random.Direction<3>().transpose();
    J.row(4).tail<3>() = sign * random.Direction<3>().transpose();
  }
  problem.a.resize(problem.K.size());
  for (int i = 0; i < n; ++i) problem.a.segment<6>(6 * i) = problem.K.Diagonal(i) * random.Vector<6>();
  for (int j = 0; j < joints; ++j) {
    problem.a.segment<6>(6 * (n + j)) = 0.01 * random.Vector<6>();
    problem.a[6 * (n + j) + 5] = 0;
  }

  constexpr int kDirections = 4;
  problem.Resize(3 * options.dry + (2 + kDirections) * options.contacts);
  int z = 0;
  for (int d = 0; d < options.dry; ++d, z += 3) {
    Six row = Six::Zero();
    row.tail<3>() = random.Direction<3>();
    problem.C[z].Add(d, row);
    problem.N[z].Add(d, row);
    problem.C[z + 1].Add(d, -row);
    problem.N[z + 1].Add(d, -row);
    problem.mirror[z + 1] = z;
    problem.P(z, z + 2) = problem.P(z + 1, z + 2) = 1;
    problem.P(z + 2, z) = problem.P(z + 2, z + 1) = -1;
    problem.b[z + 2] = random.LogUniform(1e-4, 1e-1);
  }
  for (int c = 0; c < options.contacts; ++c, z += 2 + kDirections) {
    const int body = c % n;
    const Eigen::Vector3d arm = 0.2 * random.Vector<3>();
    const auto wrench = [&](const Eigen::Vector3d& direction) {
      Six row;
      row << direction, arm.cross(direction);
      return row;
    };
    const Six normal = wrench(Eigen::Vector3d::UnitZ());
    problem.C[z].Add(body, normal);
    problem.N[z].Add(body, normal);
    problem.P(z, z) = random.LogUniform(1e-8, 1e-4);
    problem.b[z] = random.Uniform(-0.1, 0.1);
    const int bound = z + 1 + kDirections;
    for (int i = 0; i < kDirections; ++i) {
      const double angle = M_PI_2 * i;
      const Six row = wrench({std::cos(angle), std::sin(angle), 0});
      problem.C[z + 1 + i].Add(body, row);
      problem.N[z + 1 + i].Add(body, row);
      if (i >= kDirections / 2) problem.mirror[z + 1 + i] = z + 1 + i - kDirections / 2;
      problem.P(z + 1 + i, bound) = 1;
      problem.P(bound, z + 1 + i) = -1;
    }
    problem.P(bound, z) = random.Uniform(0, 0.8);
  }

  // A dry bound that depends on multipliers can become negative, and then there is no solution. So the bounds are made
  // to depend on them about the solution for constant bounds, which solves the new problem as well.
  MlcpWorkspace workspace;
  MlcpSolution constant;
  SolveMlcp(problem, {}, {}, workspace, constant);
  for (int d = 0; d < options.dry; ++d) {
    const Six lambda = constant.x.segment<6>(6 * (n + d));
    double& offset = problem.b[3 * d + 2];
    Six bound = Six::Zero();
    bound.head<5>() = random.Uniform(0, 0.5) * offset / (1e-9 + lambda.head<5>().norm()) * random.Direction<5>();
    problem.N[3 * d + 2].Add(n + d, bound);
    offset -= bound.dot(lambda);
  }
}

/// The same kinds in turn: chains, loops, dry friction, contacts, both.
inline RandomMlcpOptions MlcpKind(int trial) {
  const int n = 1 + trial % 6;
  return {.bodies = n,
          .loop = n > 2 && trial % 3 == 0,
          .dry = trial % 5 == 0 ? 0 : std::min(n, trial % 4),
          .contacts = (trial / 7) % 4};
}

}  // namespace ricochet
