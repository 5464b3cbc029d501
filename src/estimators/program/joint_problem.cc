// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/program/joint_problem.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "estimators/planar/planar_family.h"
#include "estimators/planar/row_noise.h"
#include "estimators/program/joint_active_set.h"
#include "estimators/program/joint_friction.h"
#include "math/dense.h"
#include "optimize/covariance.h"

namespace ricochet {
namespace {

/// Calls `real` for each unknown of a node, `whole` for each number that says which unknowns it has.
template <class Node, class Real, class Whole>
void VisitNode(Node& node, Real real, Whole whole) {
  real(node.time);
  for (int i = 0; i < 3; ++i) real(node.q[i]);
  for (int i = 0; i < 3; ++i) real(node.kick[i]);
  whole(node.moves);
  whole(node.knot);
  whole(node.contact_count);
  whole(node.friction_count);
  for (auto& contact : node.contacts) {
    whole(contact.candidate);
    real(contact.impulse);
  }
  for (auto& friction : node.frictions) {
    whole(friction.group);
    whole(friction.slip);
    real(friction.impulse);
  }
}

Eigen::VectorXd LocalOf(const std::vector<JointNode>& nodes) {
  std::vector<double> out;
  const auto add = [&](auto value) { out.push_back(static_cast<double>(value)); };
  for (const JointNode& node : nodes) VisitNode(node, add, add);
  return Eigen::Map<const Eigen::VectorXd>(out.data(), static_cast<Eigen::Index>(out.size()));
}

/// None where these are no nodes in the order of time.
std::optional<std::vector<JointNode>> NodesOf(const Eigen::VectorXd& local) {
  std::vector<JointNode> nodes;
  bool whole = true;
  for (Eigen::Index at = 0; at < local.size();) {
    JointNode& node = nodes.emplace_back();
    VisitNode(
        node, [&](double& value) { value = local[at++]; },
        [&](auto& value) {
          whole = whole && local[at] == std::round(local[at]);
          value = static_cast<std::remove_reference_t<decltype(value)>>(local[at++]);
        });
    whole = whole && (nodes.size() == 1 || node.time > nodes[nodes.size() - 2].time);
  }
  if (!whole || nodes.size() < 2) return std::nullopt;
  return nodes;
}

FitPoint PointOf(const JointProgram& program) {
  FitPoint point{program.params(), {}};
  for (const JointChain& chain : program.chains()) point.local.push_back(LocalOf(chain.nodes));
  return point;
}

}  // namespace

JointProblem::JointProblem(std::shared_ptr<const PlanarFamily> family, std::vector<Block> blocks)
    : family_(std::move(family)), blocks_(std::move(blocks)), lowest_(static_cast<std::size_t>(family_->size())) {
  for (const Block& block : blocks_) chains_.push_back(block.alone.program->chains()[0]);
}

std::vector<int> JointProblem::AllBlocks() const {
  std::vector<int> all(blocks_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::optional<JointProgram> JointProblem::ProgramAt(const FitPoint& at, const std::vector<int>& blocks) const {
  std::vector<JointChain> chains;
  for (const int k : blocks) {
    chains.push_back(chains_[static_cast<std::size_t>(k)]);
    if (at.local.empty()) continue;
    std::optional<std::vector<JointNode>> nodes = NodesOf(at.local[static_cast<std::size_t>(k)]);
    if (!nodes) return std::nullopt;
    chains.back().nodes = std::move(*nodes);
  }
  JointProgram program(*family_, std::move(chains), at.values);
  program.weights() = blocks_[0].alone.program->weights();
  program.Layout();
  return program;
}

std::vector<ChannelNoise> JointProblem::NoiseOf(int block) const {
  const PlanarTrack& track = chains_[static_cast<std::size_t>(block)].track;
  std::vector<ChannelNoise> noise = NoiseOfValues(track, track, FreeAcceleration(*family_));
  noise.push_back({1, 1, std::numeric_limits<double>::infinity()});  // constraints
  return noise;
}

bool JointProblem::Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const {
  std::optional<JointProgram> program = ProgramAt(at, {block});
  if (!program) return false;
  const JointChain& chain = program->chains()[0];
  out.labels.clear();
  std::vector<double> values;
  const Eigen::VectorXd residuals = JointResiduals(*program, chain);
  for (int i = 0; i < chain.track.size(); ++i) {
    if (chain.rejected[static_cast<std::size_t>(i)]) continue;
    for (int j = 0; j < 3; ++j) {
      values.push_back(residuals[3 * i + j]);
      out.labels.push_back({chain.track.time[static_cast<std::size_t>(i)], j});
    }
  }
  const auto frames = static_cast<Eigen::Index>(values.size());
  if (derivatives) {
    BorderedBand system;
    if (!FactorInformation(*program, system)) return false;
    const double penalty = program->weights().penalty;
    const Eigen::Index n = program->unknowns(), p = family_->size();
    std::vector<Eigen::RowVectorXd> data, constraints;
    program->ForEachRow(
        [&](JointRowKind kind, double value, std::span<const int> index, std::span<const double> slope) {
          if (kind == JointRowKind::kProduct || (kind == JointRowKind::kPenalty && value == 0)) return;
          const double weight = kind == JointRowKind::kData ? 1 : penalty;
          Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n + p);
          for (std::size_t i = 0; i < index.size(); ++i)
            if (index[i] >= 0) row[index[i]] += weight * slope[i];
          if (kind == JointRowKind::kData) {
            data.push_back(std::move(row));
          } else {
            constraints.push_back(std::move(row));
            values.push_back(weight * value);
            out.labels.push_back({chain.track.time.front(), 3});
          }
        });
    const auto rows = static_cast<Eigen::Index>(values.size());
    out.by_local.resize(rows, n);
    out.by_values.resize(rows, p);
    for (Eigen::Index r = 0; r < rows; ++r) {
      const Eigen::RowVectorXd& row =
          r < frames ? data[static_cast<std::size_t>(r)] : constraints[static_cast<std::size_t>(r - frames)];
      out.by_local.row(r) = row.head(n);
      out.by_values.row(r) = row.tail(p);
    }
  }
  out.residuals = Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  return out.residuals.allFinite();
}

JointFit JointProblem::SearchAll() {
  std::vector<JointFit> alone;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    alone.push_back(blocks_[k].alone);
    if (!drawn_) continue;
    JointProgram program = *alone.back().program;
    program.chains()[0].track = chains_[k].track;
    alone.back() = RefitJoint(blocks_[k].alone, program);
    DescribeFit(alone.back());
  }
  JointFit fit = alone.size() == 1 ? alone[0] : FitJointly(*family_, alone);
  const std::shared_ptr<JointProgram> slides = fit.program;
  for (int i = 0; i < family_->size(); ++i)
    lowest_[static_cast<std::size_t>(i)] =
        family_->role(i) == PlanarRole::kFriction ? PreferSticking(fit, i) : std::nullopt;
  rival_.reset();
  if (fit.program != slides) rival_ = PointOf(*slides);
  return fit;
}

std::optional<JointFit> JointProblem::SearchFrom(const HeldParameters& held, const FitPoint& from) const {
  std::optional<JointProgram> program = ProgramAt(from, AllBlocks());
  if (!program) return std::nullopt;
  if (!held.empty()) program->held() = held;
  return RefitJoint(solution_, *program);
}

Fit JointProblem::Report(const JointFit& solution) const {
  Fit fit;
  fit.point = PointOf(*solution.program);
  for (const Eigen::VectorXd& residuals : solution.residuals) fit.costs.push_back(residuals.squaredNorm());
  fit.found = true;
  fit.converged = solution.converged;
  return fit;
}

Fit JointProblem::Search(const HeldParameters& held, const FitPoint* from) {
  if (from == nullptr) {
    solution_ = SearchAll();
    chains_ = solution_.program->chains();
    Fit fit = Report(solution_);
    const Eigen::Index p = family_->size();
    ParameterInformation information;
    information.determined.assign(static_cast<std::size_t>(p), false);
    information.covariance = Eigen::MatrixXd::Constant(p, p, NAN);
    JointProgram copy = *solution_.program;
    BorderedBand system;
    if (FactorInformation(copy, system)) {
      const Eigen::VectorXd& unit = family_->scale();
      const SymmetricEigen eigen = EigenOfSymmetric(unit.asDiagonal() * system.schur() * unit.asDiagonal());
      const Eigen::MatrixXd root = eigen.Root().transpose() * unit.cwiseInverse().asDiagonal();
      information = AnalyzeInformation(root, unit, 1e-7);
    } else {
      fit.converged = false;
    }
    fit.enlargement = solution_.student;
    fit.covariance = fit.enlargement.asDiagonal() * information.covariance * fit.enlargement.asDiagonal();
    for (std::size_t i = 0; i < static_cast<std::size_t>(p); ++i)
      fit.held.push_back(!information.determined[i] || lowest_[i].has_value());
    return fit;
  }
  std::optional<JointFit> best = SearchFrom(held, *from);
  if (rival_) {
    FitPoint start = *rival_;
    for (std::size_t i = 0; i < held.size(); ++i)
      if (held[i]) start.values[static_cast<Eigen::Index>(i)] = from->values[static_cast<Eigen::Index>(i)];
    std::optional<JointFit> other = SearchFrom(held, start);
    if (other && other->converged && (!best || !best->converged || other->chi2 < best->chi2)) best = std::move(other);
  }
  if (!best) {
    Fit none;
    none.point = *from;
    none.costs.assign(blocks_.size(), INFINITY);
    return none;
  }
  solution_ = std::move(*best);
  Fit fit = Report(solution_);
  // Where conditions are violated the cost says nothing.
  fit.found = fit.converged;
  if (fit.found) chains_ = solution_.program->chains();
  return fit;
}

std::unique_ptr<FitProblem> JointProblem::Draw(const Fit& fit, Random& random) const {
  const std::optional<JointProgram> program = ProgramAt(fit.point, AllBlocks());
  if (!program) return nullptr;
  auto drawn = std::make_unique<JointProblem>(*this);
  drawn->drawn_ = true;
  for (std::size_t c = 0; c < blocks_.size(); ++c) {
    const Eigen::VectorXd residuals = JointResiduals(*program, program->chains()[c]);
    PlanarTrack& track = drawn->chains_[c].track;
    for (int i = 0; i < track.size(); ++i)
      for (int j = 0; j < 3; ++j)
        track.pose[static_cast<std::size_t>(i)][j] += track.Noise(j) * (residuals[3 * i + j] + random.Normal());
  }
  return drawn;
}

std::unique_ptr<FitProblem> JointProblem::Subset(const std::vector<int>& blocks) const {
  auto subset = std::make_unique<JointProblem>(*this);
  subset->blocks_.clear();
  subset->chains_.clear();
  if (rival_) subset->rival_->local.clear();
  for (const int block : blocks) {
    subset->blocks_.push_back(blocks_[static_cast<std::size_t>(block)]);
    subset->chains_.push_back(chains_[static_cast<std::size_t>(block)]);
    if (rival_) subset->rival_->local.push_back(rival_->local[static_cast<std::size_t>(block)]);
  }
  return subset;
}

}  // namespace ricochet
