// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Random mixed complementarity problems of the kinds that `spook` meets: chains and loops of bodies with joint rows,
// dry joints whose bound depends on multipliers, and contacts with polyhedral friction, several on one body too.
//
// A problem comes in one of two ways, and no solver takes part in either:
//
//     free       right sides at random and bounds of dry joints constant: then a solution is known to exist
//     planted    a solution is drawn first (velocities, multipliers, mode of each joint and contact), and the right
//                sides follow from it. Bounds are mu (r |F| + |M|), linear with the signs of the planted
//                multipliers, which without planting could be negative and leave no solution.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "complementarity/mlcp/mlcp.h"
#include "tests/support/random_vectors.h"

namespace ricochet {

struct RandomMlcpOptions {
  int bodies = 4;
  bool loop = false;  // one more joint, between the first and the last body
  int dry = 2;        // dry joints, at most `bodies`
  int contacts = 1;   // each with 4 directions
  bool planted = false;
};

class RandomMlcp {
 public:
  RandomMlcp(RandomVectors& random, const RandomMlcpOptions& options, MlcpProblem& problem)
      : random_(random), options_(options), problem_(problem) {}

  void Make() {
    MakeJoints();
    problem_.Resize(3 * options_.dry + (2 + kDirections) * options_.contacts);
    x_ = Eigen::VectorXd::NullaryExpr(problem_.K.size(), [&] { return random_.Uniform(-1, 1); });
    for (int j = 0; j < joints_; ++j) {
      // Moments are forces at arms of 0.1 m; the sixth row is padding.
      x_.segment<2>(6 * (options_.bodies + j) + 3) *= 0.1;
      x_[6 * (options_.bodies + j) + 5] = 0;
    }
    z_.setZero(problem_.complementary_count());
    w_.setZero(problem_.complementary_count());
    for (int d = 0; d < options_.dry; ++d) MakeDry(d, 3 * d);
    for (int c = 0; c < options_.contacts; ++c) MakeContact(c, 3 * options_.dry + (2 + kDirections) * c);
    if (options_.planted) PlantRightSides();
  }

 private:
  using Block = BlockLdlt::Block;
  using Six = BlockLdlt::BlockVector;
  static constexpr int kDirections = 4;

  void MakeJoints() {
    const int n = options_.bodies;
    joints_ = n + (options_.loop ? 1 : 0);
    BlockLdlt::Graph graph;
    graph.dual.assign(n, 0);
    graph.dual.resize(n + joints_, 1);
    for (int j = 0; j < joints_; ++j) {
      graph.edges.push_back({n + j, j < n ? j : 0});
      if (j > 0) graph.edges.push_back({n + j, j < n ? j - 1 : n - 1});
    }
    BlockLdlt& K = problem_.K;
    K.Analyze(graph);
    for (int i = 0; i < n; ++i) {
      // Mass and inertia of a body, the inertia turned.
      Block M = Block::Zero();
      M.topLeftCorner<3, 3>().diagonal().setConstant(random_.LogUniform(0.1, 5));
      Eigen::Matrix3d A;
      for (int k = 0; k < 3; ++k) A.col(k) = random_.Vector<3>();
      M.bottomRightCorner<3, 3>() = 1e-3 * (A * A.transpose() + 0.1 * Eigen::Matrix3d::Identity());
      K.Diagonal(i) = M;
    }
    const double sigma = random_.LogUniform(1e-7, 1e-2);
    for (int j = 0; j < joints_; ++j) {
      K.Diagonal(n + j).setZero();
      K.Diagonal(n + j).diagonal().setConstant(-sigma);
      K.Diagonal(n + j)(5, 5) = -1;
    }
    for (size_t e = 0; e < graph.edges.size(); ++e) {
      Block& J = K.Edge(static_cast<int>(e));
      J.setZero();
      const Eigen::Vector3d arm = 0.2 * random_.Vector<3>();
      const double sign = e % 2 ? -1 : 1;
      for (int i = 0; i < 3; ++i) {
        J(i, i) = sign;
        J.row(i).tail<3>() = sign * arm.cross(Eigen::Vector3d::Unit(i)).transpose();
      }
      J.row(3).tail<3>() = sign * random_.Direction<3>().transpose();
      J.row(4).tail<3>() = sign * random_.Direction<3>().transpose();
    }
    problem_.a.resize(K.size());
    for (int i = 0; i < n; ++i) problem_.a.segment<6>(6 * i) = K.Diagonal(i) * random_.Vector<6>();
    for (int j = 0; j < joints_; ++j) {
      problem_.a.segment<6>(6 * (n + j)) = 0.01 * random_.Vector<6>();
      problem_.a[6 * (n + j) + 5] = 0;
    }
  }

  void MakeDry(int d, int z) {
    Six row = Six::Zero();
    row.tail<3>() = random_.Direction<3>();
    problem_.C[z].Add(d, row);
    problem_.N[z].Add(d, row);
    problem_.C[z + 1].Add(d, -row);
    problem_.N[z + 1].Add(d, -row);
    problem_.mirror[z + 1] = z;
    for (int side : {0, 1}) {
      problem_.Couple(z + side, z + 2, 1);
      problem_.Couple(z + 2, z + side, -1);
    }
    if (!options_.planted) {
      problem_.b[z + 2] = random_.LogUniform(1e-4, 1e-1);
      return;
    }
    const int node = options_.bodies + d;
    const double friction = random_.LogUniform(1e-3, 0.3), radius = random_.LogUniform(1e-3, 0.03);
    Six bound = Six::Zero();
    for (int i = 0; i < 5; ++i) bound[i] = friction * (i < 3 ? radius : 1) * (x_[6 * node + i] < 0 ? -1 : 1);
    problem_.N[z + 2].Add(node, bound);
    const double limit = bound.dot(x_.segment<6>(6 * node));
    const int side = random_.Uniform(0, 1) < 0.5 ? 0 : 1;
    if (random_.Uniform(0, 1) < 0.5) {
      // Slides against the impulse of `side`.
      z_[z + side] = limit;
      z_[z + 2] = random_.LogUniform(1e-2, 1);
      w_[z + 1 - side] = 2 * z_[z + 2];
    } else {
      z_[z + side] = random_.Uniform(0, 1) * limit;
      w_[z + 2] = limit - z_[z + side];
    }
  }

  void MakeContact(int c, int z) {
    const int body = c % options_.bodies, bound = z + 1 + kDirections;
    const Eigen::Vector3d arm = 0.2 * random_.Vector<3>();
    const auto wrench = [&](const Eigen::Vector3d& direction) {
      Six row;
      row << direction, arm.cross(direction);
      return row;
    };
    const Six normal = wrench(Eigen::Vector3d::UnitZ());
    problem_.C[z].Add(body, normal);
    problem_.N[z].Add(body, normal);
    problem_.Couple(z, z, random_.LogUniform(1e-8, 1e-4));
    problem_.b[z] = random_.Uniform(-0.1, 0.1);
    for (int i = 0; i < kDirections; ++i) {
      const double angle = M_PI_2 * i;
      const Six row = wrench({std::cos(angle), std::sin(angle), 0});
      problem_.C[z + 1 + i].Add(body, row);
      problem_.N[z + 1 + i].Add(body, row);
      if (i >= kDirections / 2) problem_.mirror[z + 1 + i] = z + 1 + i - kDirections / 2;
      problem_.Couple(z + 1 + i, bound, 1);
      problem_.Couple(bound, z + 1 + i, -1);
    }
    const double friction = random_.Uniform(0, 0.8);
    problem_.Couple(bound, z, friction);
    if (!options_.planted) return;

    // Open, slides along one direction, or sticks with an impulse between two directions.
    const double kind = random_.Uniform(0, 1);
    const int first = static_cast<int>(random_.Uniform(0, kDirections)) % kDirections;
    if (kind < 0.3) {
      w_[z] = random_.LogUniform(1e-2, 1);
      for (int i = 0; i < kDirections; ++i) w_[z + 1 + i] = 0;
      return;
    }
    const double impulse = z_[z] = random_.LogUniform(1e-2, 1);
    if (kind < 0.65) {
      z_[z + 1 + first] = friction * impulse;
      // Slip of `speed` against direction `first`, and a smaller one across.
      const double speed = random_.LogUniform(1e-2, 1), across = random_.Uniform(-0.9, 0.9) * speed;
      z_[bound] = speed;
      const auto w = [&](int k) -> double& { return w_[z + 1 + (first + k) % kDirections]; };
      w(1) = speed + across;
      w(2) = 2 * speed;
      w(3) = speed - across;
    } else {
      const double share = random_.Uniform(0, 1), size = random_.Uniform(0, 1) * friction * impulse;
      z_[z + 1 + first] = share * size;
      z_[z + 1 + (first + 1) % kDirections] = (1 - share) * size;
      w_[bound] = friction * impulse - size;
    }
  }

  /// a and b for which (x_, z_) with w_ is a solution.
  void PlantRightSides() {
    problem_.K.Multiply(x_, problem_.a);
    for (int i = 0; i < problem_.complementary_count(); ++i) problem_.C[i].AddTo(-z_[i], problem_.a);
    problem_.b = w_;
    for (int i = 0; i < problem_.complementary_count(); ++i) problem_.b[i] -= problem_.N[i].Dot(x_);
    for (const MlcpEntry& entry : problem_.P) problem_.b[entry.row] -= entry.value * z_[entry.column];
    // Bounds have no constant part; what is left of it is rounding.
    for (int i = 0; i < problem_.complementary_count(); ++i) {
      if (problem_.C[i].count == 0) problem_.b[i] = 0;
    }
  }

  RandomVectors& random_;
  const RandomMlcpOptions options_;
  MlcpProblem& problem_;
  int joints_ = 0;
  Eigen::VectorXd x_, z_, w_;
};

inline void MakeRandomMlcp(RandomVectors& random, const RandomMlcpOptions& options, MlcpProblem& problem) {
  RandomMlcp(random, options, problem).Make();
}

/// The same kinds in turn: chains, loops, dry friction, contacts, both.
inline RandomMlcpOptions MlcpKind(int trial) {
  const int n = 1 + trial % 6;
  return {.bodies = n,
          .loop = n > 2 && trial % 3 == 0,
          .dry = trial % 5 == 0 ? 0 : std::min(n, trial % 4),
          .contacts = (trial / 7) % 4,
          .planted = (trial / 28) % 2 == 1};
}

}  // namespace ricochet
