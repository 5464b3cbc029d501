// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/spook_system.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "math/so3.h"

namespace ricochet {

SpookStructure::SpookStructure(const SpatialModel<double>& model) {
  node_of_body.assign(model.bodies.size(), -1);
  for (size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].fixed) continue;
    node_of_body[i] = static_cast<int>(body_of_node.size());
    body_of_node.push_back(static_cast<int>(i));
  }
  graph.dual.assign(body_of_node.size(), 0);
  std::map<std::pair<int, int>, int> body_edges;
  for (size_t j = 0; j < model.joints.size(); ++j) {
    const SpatialJoint<double>& joint = model.joints[j];
    JointNode node;
    node.rows = RowCount(joint.type);
    node.offset = multiplier_count;
    multiplier_count += node.rows;
    node.parent_node = joint.parent < 0 ? -1 : node_of_body[joint.parent];
    node.child_node = node_of_body[joint.child];
    node.node = static_cast<int>(graph.dual.size());
    graph.dual.push_back(1);
    const auto edge = [&](int a, int b) {
      graph.edges.emplace_back(a, b);
      return static_cast<int>(graph.edges.size()) - 1;
    };
    if (node.parent_node >= 0) node.parent_edge = edge(node.node, node.parent_node);
    if (node.child_node >= 0) node.child_edge = edge(node.node, node.child_node);
    if (HasResistance(joint.type) && node.parent_node >= 0 && node.child_node >= 0) {
      const auto key = std::minmax(node.parent_node, node.child_node);
      const auto [at, is_new] = body_edges.try_emplace(key, 0);
      if (is_new) at->second = edge(key.first, key.second);
      node.body_edge = at->second;
    }
    if (joint.has_dry) {
      node.dry = static_cast<int>(dry_joints.size());
      dry_joints.push_back(static_cast<int>(j));
      dry_nodes.push_back(node.node);
    }
    joints.push_back(node);
  }
}

Eigen::Vector3d SpookUnilateral::RateOf(const Eigen::VectorXd& v) const {
  Eigen::Vector3d rate = -bias;
  if (body_a >= 0) rate += rows_a.transpose() * v.segment<6>(6 * body_a);
  if (body_b >= 0) rate += rows_b.transpose() * v.segment<6>(6 * body_b);
  return rate;
}

MassPose<double> PoseOf(const State& state, int body) {
  const auto q = state.q.segment<7>(7 * body);
  return {q.head<3>(), RotationMatrix<double>(q.tail<4>())};
}

MassPose<double> ParentPose(std::span<const MassPose<double>> poses, int parent) {
  return parent < 0 ? MassPose<double>{} : poses[parent];
}

SpookJoint EvaluateJoint(const SpatialModel<double>& model, const SpatialJoint<double>& joint,
                         std::span<const MassPose<double>> poses) {
  SpookJoint out;
  out.frames = FramesOf<double>(model, joint, ParentPose(poses, joint.parent), poses[joint.child]);
  out.rows = RowsOf<double>(joint, out.frames);
  out.motions = MotionsOf<double>(joint.type, out.frames);
  return out;
}

double MotionRate(const SpatialJoint<double>& joint, const JointMotion<double>& motion, const Eigen::VectorXd& v) {
  double rate = motion.J_child.dot(v.segment<6>(6 * joint.child));
  if (joint.parent >= 0) rate += motion.J_parent.dot(v.segment<6>(6 * joint.parent));
  return rate;
}

Vector6<double> RowRates(const SpatialJoint<double>& joint, const ConstraintRows<double>& rows,
                         const Eigen::VectorXd& v) {
  Vector6<double> rate = rows.J_child.lazyProduct(v.segment<6>(6 * joint.child));
  if (joint.parent >= 0) rate += rows.J_parent.lazyProduct(v.segment<6>(6 * joint.parent));
  return rate;
}

Eigen::Matrix<double, 6, 6> MassMatrix(const SpatialBody<double>& body, const Matrix3<double>& R) {
  Eigen::Matrix<double, 6, 6> M = Eigen::Matrix<double, 6, 6>::Zero();
  M.topLeftCorner<3, 3>().diagonal().setConstant(body.mass);
  M.bottomRightCorner<3, 3>() = R * body.I_BBcm_B * R.transpose();
  return M;
}

Vector6<double> GyroscopicImpulse(const SpatialBody<double>& body, const Matrix3<double>& R, const Vector3<double>& w,
                                  double dt) {
  Vector6<double> impulse = Vector6<double>::Zero();
  impulse.tail<3>() = -dt * w.cross(R * (body.I_BBcm_B * (R.transpose() * w)));
  return impulse;
}

namespace {

/// The stage's share of the step over which resistances act, and how.
double ResistanceTime(SpookStage stage, double h) {
  switch (stage) {
    case SpookStage::kStep:
      return h;
    case SpookStage::kImpact:
      return 0;
    case SpookStage::kPosition:
    case SpookStage::kVelocity:
      return 0.5 * h;
  }
  return h;
}

ResistanceScheme SchemeOf(SpookStage stage) {
  if (stage == SpookStage::kPosition) return ResistanceScheme::kExplicit;
  if (stage == SpookStage::kVelocity) return ResistanceScheme::kImplicitRate;
  return ResistanceScheme::kImplicit;
}

/// Number of complementary unknowns of a one-sided row.
int SizeOf(const SpookUnilateral& row, int directions) { return row.friction > 0 ? 2 + directions : 1; }

void AssembleBodies(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                    MlcpProblem& problem) {
  for (size_t node = 0; node < structure.body_of_node.size(); ++node) {
    const int body = structure.body_of_node[node];
    const auto M = MassMatrix(model.bodies[body], in.poses[body].R);
    problem.K.Diagonal(static_cast<int>(node)) = M;
    problem.a.segment<6>(6 * node) = M * in.v->segment<6>(6 * body) + in.impulse->segment<6>(6 * body);
  }
}

void AssembleResistances(const SpookStructure::JointNode& node, const SpatialJoint<double>& joint,
                         const SpookJoint& evaluated, int index, const SpookStageInput& in, MlcpProblem& problem) {
  const double dt = ResistanceTime(in.stage, in.h);
  const double u = joint.has_motor && joint.motor_input < static_cast<int>(in.u.size()) ? in.u[joint.motor_input] : 0;
  for (int m = 0; m < evaluated.motions.count; ++m) {
    const JointMotion<double>& motion = evaluated.motions.motion[m];
    const double rate = MotionRate(joint, motion, *in.v);
    const double shaft_rate = in.shaft_rate && m == 0 ? (*in.shaft_rate)[index] : rate;
    const auto [D, s] = ResistanceOf<double>(joint, motion.coordinate, rate, shaft_rate, u, dt, SchemeOf(in.stage));
    if (node.child_node >= 0) {
      problem.K.Diagonal(node.child_node).noalias() += (D * motion.J_child) * motion.J_child.transpose();
      problem.a.segment<6>(6 * node.child_node) += s * motion.J_child;
    }
    if (node.parent_node >= 0) {
      problem.K.Diagonal(node.parent_node).noalias() += (D * motion.J_parent) * motion.J_parent.transpose();
      problem.a.segment<6>(6 * node.parent_node) += s * motion.J_parent;
    }
    if (node.body_edge >= 0) {
      // The edge's rows belong to the node of smaller number.
      const bool parent_first = node.parent_node < node.child_node;
      const auto& first = parent_first ? motion.J_parent : motion.J_child;
      const auto& second = parent_first ? motion.J_child : motion.J_parent;
      problem.K.Edge(node.body_edge).noalias() += (D * first) * second.transpose();
    }
  }
}

void AssembleRows(const SpookStructure::JointNode& node, const SpatialJoint<double>& joint, const SpookJoint& evaluated,
                  const SpookStageInput& in, MlcpProblem& problem) {
  const ConstraintRows<double>& rows = evaluated.rows;
  auto target = problem.a.segment<6>(6 * node.node);
  auto& diagonal = problem.K.Diagonal(node.node);
  diagonal.setZero();
  diagonal.diagonal().setConstant(-1.0);
  target.setZero();
  const bool paper = in.stage == SpookStage::kStep || in.stage == SpookStage::kImpact;
  const Vector6<double> rate = RowRates(joint, rows, *in.v);
  for (int i = 0; i < rows.count; ++i) {
    const double compliance = rows.angular[i] ? joint.compliance_angular : joint.compliance_linear;
    if (paper) {
      const auto law = SpookRow<double>(in.stage, in.h, compliance, joint.damping, rows.g[i], rate[i]);
      diagonal(i, i) = -law.sigma;
      target[i] = law.target;
    } else {
      diagonal(i, i) = -2 * compliance / (in.h * in.h);
      target[i] = (*in.row_target)[node.offset + i];
    }
  }
  if (node.parent_edge >= 0) problem.K.Edge(node.parent_edge) = rows.J_parent;
  if (node.child_edge >= 0) problem.K.Edge(node.child_edge) = rows.J_child;
}

void AddRow(const SpookStructure& structure, int body, const Vector6<double>& row, BlockSparseVector& out) {
  if (body >= 0 && structure.node_of_body[body] >= 0) out.Add(structure.node_of_body[body], row);
}

/// Complementary unknowns of a dry joint at z, z + 1, z + 2.
void AssembleDry(const SpatialModel<double>& model, const SpookStructure& structure, int joint_index, int z,
                 const SpookStageInput& in, MlcpProblem& problem, std::span<char> guess) {
  const SpatialJoint<double>& joint = model.joints[joint_index];
  const JointMotion<double>& motion = in.joints[joint_index].motions.motion[0];
  for (int side = 0; side < 2; ++side) {
    const double sign = side == 0 ? 1 : -1;
    for (BlockSparseVector* row : {&problem.C[z + side], &problem.N[z + side]}) {
      AddRow(structure, joint.child, sign * motion.J_child, *row);
      AddRow(structure, joint.parent, sign * motion.J_parent, *row);
    }
    problem.Couple(z + side, z + 2, 1);
    problem.Couple(z + 2, z + side, -1);
  }
  problem.mirror[z + 1] = z;
  // A joint that turns will go on turning: friction against the rate, at its bound. One at rest sticks.
  const double rate = MotionRate(joint, motion, *in.v);
  guess[z] = rate <= 1e-12;
  guess[z + 1] = rate > 1e-12;
  guess[z + 2] = std::abs(rate) > 1e-12;
}

void AssembleUnilateral(const SpookStructure& structure, const SpookOptions& options, const SpookStageInput& in,
                        SpookUnilateral& row, MlcpProblem& problem, std::span<char> guess) {
  const int z = row.z;
  const Eigen::Vector3d rate = row.RateOf(*in.v);
  const auto law = UnilateralRow<double>(in.h, row.compliance, row.damping, row.gap, rate[0]);
  for (BlockSparseVector* sparse : {&problem.C[z], &problem.N[z]}) {
    AddRow(structure, row.body_a, row.rows_a.col(0), *sparse);
    AddRow(structure, row.body_b, row.rows_b.col(0), *sparse);
  }
  problem.Couple(z, z, law.sigma);
  if (in.stage == SpookStage::kImpact) {
    // Slow approach is inelastic; what separates already is left alone by complementarity.
    const double e = rate[0] < -options.impact_speed ? row.restitution : 0.0;
    problem.b[z] = e * rate[0] - row.bias[0];
    guess[z] = rate[0] < 0;
  } else {
    problem.b[z] = -law.target - row.bias[0];
    guess[z] = row.gap <= 0 || rate[0] * in.h < -row.gap;
  }
  if (!(row.friction > 0)) return;
  const int d = options.directions, sigma = z + 1 + d;
  int most = 0;
  double slowest = 0;
  for (int i = 0; i < d; ++i) {
    const double angle = 2 * M_PI * i / d, c = std::cos(angle), s = std::sin(angle);
    for (BlockSparseVector* sparse : {&problem.C[z + 1 + i], &problem.N[z + 1 + i]}) {
      AddRow(structure, row.body_a, c * row.rows_a.col(1) + s * row.rows_a.col(2), *sparse);
      AddRow(structure, row.body_b, c * row.rows_b.col(1) + s * row.rows_b.col(2), *sparse);
    }
    if (i >= d / 2) problem.mirror[z + 1 + i] = z + 1 + i - d / 2;
    problem.b[z + 1 + i] = -(c * row.bias[1] + s * row.bias[2]);
    problem.Couple(z + 1 + i, sigma, 1);
    problem.Couple(sigma, z + 1 + i, -1);
    for (int k = 0; k < d; ++k) {
      problem.Couple(z + 1 + i, z + 1 + k, TangentialSigma(law.sigma) * std::cos(2 * M_PI * (i - k) / d));
    }
    const double slip = c * rate[1] + s * rate[2];
    if (slip < slowest) {
      slowest = slip;
      most = i;
    }
  }
  problem.Couple(sigma, z, row.friction);
  if (guess[z] && slowest < -1e-9) guess[z + 1 + most] = guess[sigma] = 1;
}

/// Bound directions from the multipliers in x; returns the largest relative error of the bounds in use.
double UpdateBounds(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                    const Eigen::VectorXd& x, SpookStageResult& out) {
  double change = 0;
  for (size_t k = 0; k < structure.dry_joints.size(); ++k) {
    const int j = structure.dry_joints[k];
    const SpatialJoint<double>& joint = model.joints[j];
    const auto& node = structure.joints[j];
    const SpookJoint& evaluated = in.joints[j];
    const Vector6<double> lambda = -x.segment<6>(6 * node.node);
    const double mu = DryCoefficient<double>(joint, MotionRate(joint, evaluated.motions.motion[0], *in.v));
    const Vector6<double> u = DryBoundDirection<double>(joint, evaluated.rows.angular, node.rows, mu, lambda);
    const double bound = u.dot(lambda), before = out.bound[k].dot(lambda);
    if (bound > 0) change = std::max(change, std::abs(bound - before) / bound);
    out.bound[k] = u;
    out.problem.N[3 * k + 2].Clear();
    out.problem.N[3 * k + 2].Add(node.node, -u);
  }
  return change;
}

void Extract(const SpookStructure& structure, const SpookStageInput& in, SpookStageResult& out) {
  const Eigen::VectorXd& x = out.solution.x;
  out.v = *in.v;
  for (size_t node = 0; node < structure.body_of_node.size(); ++node) {
    out.v.segment<6>(6 * structure.body_of_node[node]) = x.segment<6>(6 * node);
  }
  out.lambda.resize(structure.multiplier_count);
  for (const auto& node : structure.joints) {
    out.lambda.segment(node.offset, node.rows) = -x.segment(6 * node.node, node.rows);
  }
  out.dry.resize(static_cast<Eigen::Index>(structure.dry_joints.size()));
  const bool dry = in.stage != SpookStage::kImpact;
  for (Eigen::Index k = 0; k < out.dry.size(); ++k) {
    out.dry[k] = dry ? out.solution.z[3 * k] - out.solution.z[3 * k + 1] : 0.0;
  }
}

/// Bounds held at the numbers that the multipliers in x give; returns the largest relative change. Such a problem
/// always has a solution, which one whose bounds depend on multipliers need not have: u . lambda can be negative there.
double HoldBounds(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                  const Eigen::VectorXd& x, SpookStageResult& out) {
  UpdateBounds(model, structure, in, x, out);
  double change = 0;
  for (size_t k = 0; k < structure.dry_joints.size(); ++k) {
    const int node = structure.joints[structure.dry_joints[k]].node;
    double& held = out.problem.b[3 * k + 2];
    const double bound = -out.bound[k].dot(x.segment<6>(6 * node));
    if (bound > 0) change = std::max(change, std::abs(bound - held) / bound);
    held = bound;
    out.problem.N[3 * k + 2].Clear();
  }
  return change;
}

/// Fixed point of held bounds, then the problem with the directions found: it has the same solution, and derivatives
/// use it. `x0` holds the multipliers without friction.
void SolveByHeldBounds(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                       const MlcpOptions& options, SpookStageResult& out) {
  constexpr int kRounds = 200;
  HoldBounds(model, structure, in, out.workspace.x0, out);
  double change = 1;
  for (int round = 0; round < kRounds && change > 1e-14; ++round, ++out.rounds) {
    out.solved = SolvePreparedMlcp(out.problem, out.guess, options, out.workspace, out.solution);
    if (!out.solved) break;
    change = HoldBounds(model, structure, in, out.solution.x, out);
    out.guess = out.solution.active;
  }
  for (size_t k = 0; k < structure.dry_joints.size(); ++k) out.problem.b[3 * k + 2] = 0;
  if (!out.solved) return;
  UpdateBounds(model, structure, in, out.solution.x, out);
  out.solved = SolvePreparedMlcp(out.problem, out.guess, options, out.workspace, out.solution) &&
               UpdateBounds(model, structure, in, out.solution.x, out) <= 1e-9;
}

/// Dry joints and nothing else: modes and bound directions are corrected together, one factorisation of O(n) each
/// round.
bool SolveByChain(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                  SpookStageResult& out) {
  MlcpProblem& problem = out.problem;
  if (!DryChain::Fits(problem, structure.dry_nodes)) return false;
  const size_t count = structure.dry_nodes.size();
  out.modes.resize(count);
  for (size_t k = 0; k < count; ++k) {
    const bool slides = out.guess[3 * k + 2] != 0;
    out.modes[k] = !slides ? DryMode::kSticks : out.guess[3 * k + 1] ? DryMode::kForward : DryMode::kBackward;
  }
  Eigen::VectorXd &x = out.solution.x, &z = out.solution.z;
  constexpr int kRoundsForAll = 8, kRounds = 100;
  for (out.rounds = 1; out.rounds <= kRounds; ++out.rounds) {
    if (!out.chain.Factorize(problem, structure.dry_nodes, out.modes)) return false;
    x = problem.a;
    z = problem.b;
    out.chain.Solve(problem, x, z, false);
    double largest_impulse = 0, largest_rate = 0;
    for (size_t k = 0; k < count; ++k) {
      largest_impulse = std::max({largest_impulse, std::abs(z[3 * k]), std::abs(z[3 * k + 1])});
      largest_rate = std::max(largest_rate, std::abs(z[3 * k + 2]));
    }
    if (!std::isfinite(largest_impulse + largest_rate)) return false;
    // How wrong a mode is, as part of the largest impulse or rate. All wrong ones change at first; if that goes round
    // in circles, those that are at least half as wrong as the worst.
    const auto violation = [&](size_t k) {
      if (out.modes[k] != DryMode::kSticks) return -z[3 * k + 2] / std::max(largest_rate, 1e-300);
      const double bound = problem.N[3 * k + 2].Dot(x) + problem.b[3 * k + 2];
      return (std::abs(z[3 * k]) - bound) / std::max(largest_impulse, 1e-300);
    };
    double worst = 0;
    for (size_t k = 0; k < count; ++k) worst = std::max(worst, violation(k));
    const double least = std::max(1e-12, out.rounds <= kRoundsForAll ? 0.0 : 0.5 * worst);
    const bool right = worst <= 1e-12;
    for (size_t k = 0; k < count && !right; ++k) {
      if (violation(k) < least) continue;
      const bool sticks = out.modes[k] == DryMode::kSticks;
      out.modes[k] = !sticks ? DryMode::kSticks : z[3 * k] > 0 ? DryMode::kBackward : DryMode::kForward;
    }
    if (UpdateBounds(model, structure, in, x, out) > 1e-12 || !right) continue;

    // Settled: refine with the factors at hand, which are those of the same bounds to rounding.
    x = problem.a;
    z = problem.b;
    out.chain.Solve(problem, x, z, true);
    out.solution.active.assign(3 * count, 0);
    for (size_t k = 0; k < count; ++k) {
      if (z[3 * k] < 0) {
        z[3 * k + 1] = -z[3 * k];
        z[3 * k] = 0;
      }
      z.segment<3>(3 * static_cast<Eigen::Index>(k)) = z.segment<3>(3 * static_cast<Eigen::Index>(k)).cwiseMax(0.0);
      const bool backward =
          out.modes[k] == DryMode::kBackward || (out.modes[k] == DryMode::kSticks && z[3 * k + 1] == 0);
      out.solution.active[3 * k + (backward ? 0 : 1)] = 1;
      out.solution.active[3 * k + 2] = out.modes[k] != DryMode::kSticks;
    }
    out.solution.w.setZero(z.size());
    out.solution.status = MlcpStatus::kSolved;
    out.solution.exchanges = out.rounds;
    out.solution.lemke = false;
    return true;
  }
  return false;
}

/// Solves with bound directions that agree with the solution.
void SolveWithBounds(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                     SpookStageResult& out) {
  const MlcpOptions options;
  const bool dry = in.stage != SpookStage::kImpact && !structure.dry_joints.empty();
  if (dry) {
    out.workspace.x0 = out.problem.a;
    out.problem.K.Solve(out.workspace.x0, false);
    UpdateBounds(model, structure, in, out.workspace.x0, out);
    out.by_chain = SolveByChain(model, structure, in, out);
    out.solved = out.by_chain;
    if (out.by_chain) {
      Extract(structure, in, out);
      return;
    }
    UpdateBounds(model, structure, in, out.workspace.x0, out);
  }
  out.by_chain = false;
  constexpr int kRounds = 30;
  for (out.rounds = 1;; ++out.rounds) {
    out.solved = SolvePreparedMlcp(out.problem, out.guess, options, out.workspace, out.solution);
    if (!dry || !out.solved) break;
    const double change = UpdateBounds(model, structure, in, out.solution.x, out);
    if (change <= 1e-13) break;
    if (out.rounds == kRounds) {
      out.solved = change <= 1e-9;
      break;
    }
    out.guess = out.solution.active;
  }
  if (dry && !out.solved) SolveByHeldBounds(model, structure, in, options, out);
  Extract(structure, in, out);
}

}  // namespace

void SolveStage(const SpatialModel<double>& model, const SpookStructure& structure, const SpookOptions& options,
                const SpookStageInput& in, SpookStageResult& out) {
  MlcpProblem& problem = out.problem;
  if (problem.K.node_count() != static_cast<int>(structure.graph.dual.size())) problem.K.Analyze(structure.graph);
  problem.K.SetZero();
  problem.a.resize(problem.K.size());
  const bool dry = in.stage != SpookStage::kImpact;
  int size = dry ? 3 * static_cast<int>(structure.dry_joints.size()) : 0;
  for (SpookUnilateral& row : in.unilateral) {
    row.z = size;
    size += SizeOf(row, options.directions);
  }
  problem.Resize(size);
  out.guess.assign(size, 0);
  out.bound.assign(structure.dry_joints.size(), Vector6<double>::Zero());

  AssembleBodies(model, structure, in, problem);
  for (size_t j = 0; j < model.joints.size(); ++j) {
    const auto& node = structure.joints[j];
    AssembleResistances(node, model.joints[j], in.joints[j], static_cast<int>(j), in, problem);
    AssembleRows(node, model.joints[j], in.joints[j], in, problem);
  }
  if (dry) {
    for (size_t k = 0; k < structure.dry_joints.size(); ++k) {
      AssembleDry(model, structure, structure.dry_joints[k], 3 * static_cast<int>(k), in, problem, out.guess);
    }
  }
  for (SpookUnilateral& row : in.unilateral) AssembleUnilateral(structure, options, in, row, problem, out.guess);

  if (!PrepareMlcp(problem, out.workspace)) {
    out.solved = false;
    out.solution.status = MlcpStatus::kSingular;
    out.solution.x.setZero(problem.K.size());
    out.solution.z.setZero(size);
    out.solution.active.assign(size, 0);
    Extract(structure, in, out);
    out.v = *in.v;
    return;
  }
  SolveWithBounds(model, structure, in, out);
}

void ResolveStage(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                  SpookStageResult& out) {
  for (const auto& node : structure.joints) {
    out.problem.a.segment(6 * node.node, node.rows) = in.row_target->segment(node.offset, node.rows);
  }
  out.guess = out.solution.active;
  SolveWithBounds(model, structure, in, out);
}

}  // namespace ricochet
