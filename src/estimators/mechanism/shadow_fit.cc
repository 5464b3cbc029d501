// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/mechanism/shadow_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/threads.h"
#include "dynamics/kinematics.h"
#include "math/dense.h"
#include "math/manifold.h"
#include "optimize/marquardt.h"
#include "rollout/rollout.h"
#include "steppers/spook/spook.h"
#include "steppers/spook/spook_inverse.h"

namespace ricochet {
namespace {

constexpr int kStepsAtOnce = 50;
constexpr double kFirstLambda = 1e-6, kMostLambda = 1e3;
constexpr int kMostAttempts = 40;
constexpr double kRidge = 1e-12;       // of the border: very stiff joints leave little of it
constexpr double kLeastLambda = 1e-9;  // smaller is none: stiff joints make any damping strong along them
constexpr double kLooseLambda = 1e-2;
constexpr std::array<double, 5> kSoftened = {1e-4, 3e-5, 1e-5, 3e-6, 1e-6};  // compliances of starts, then /10
constexpr double kLooseTolerance = 1e-4;                                     // of their costs
constexpr int kLooseIterations = 30;
constexpr double kLeastKappa = 1, kMostKappa = 1e6, kRung = 10;  // ladder of RunBySizes

/// Residuals of one step and their derivatives by both states and the parameters.
struct StepRows {
  Eigen::VectorXd e;
  Eigen::MatrixXd by_this, by_next, by_params;
  Eigen::VectorXd observed;  // of the state at the start
  Eigen::MatrixXd observed_by_this;
};

ShadowChain MakeChain(const JointedFamily& family, const JointTrack& track) {
  const double h = family.scene()[family.scene().simulation.step];
  const TreeMechanism& mechanism = family.mechanism();
  const JointedInstance instance = family.Compile(family.parameters().Clamp(family.start()));
  ShadowChain out;
  out.signal = track.inputs;
  const int count = static_cast<int>(std::floor((track.end - track.start) / h + 1e-6)) + 1;
  TreeWorkspace ws;
  TreeMechanism::Modes modes;
  modes.fill(1);
  const State placed = InitialState(family.model());
  for (int k = 0; k < count; ++k) {
    const double t = track.start + k * h, place = std::min((t - track.start) / track.grid, track.x.size() - 1.0);
    const std::size_t at = std::min(static_cast<std::size_t>(place), track.x.size() - 2);
    const double s = place - static_cast<double>(at);
    TreeMechanism::Vector x{}, r{}, a{};
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = (1 - s) * track.x[at][j] + s * track.x[at + 1][j];
    std::vector<double> u(track.inputs.size(), 0.0), u_end(u);
    track.inputs.Over(t, h, u, u_end);
    mechanism.Accelerate(instance.constants, x.data(), r.data(), u, modes, a.data(), ws);
    State state = placed;
    state.time = t;
    for (std::size_t i = 0; i < mechanism.links().size(); ++i) {
      const int body = mechanism.links()[i].body;
      state.q.segment<3>(7 * body) = ws.link[i].c;
      state.q.segment<4>(7 * body + 3) = QuaternionFromMatrix<double>(ws.link[i].R);
    }
    state.v.setZero();
    if (k > 0) state.v = VelocityBetween(family.model(), out.states.back(), state, h);
    out.states.push_back(std::move(state));
    out.inputs.push_back(std::move(u));
    out.inputs_end.push_back(std::move(u_end));
  }
  if (count > 1) out.states.front().v = out.states[1].v;
  // Rows belong to the step that they fall on; others are left out.
  out.observed.resize(out.states.size());
  for (const JointObservation& observation : track.observations) {
    const double place = (observation.time - track.start) / h;
    const long k = std::lround(place);
    if (observation.rate || std::abs(place - static_cast<double>(k)) > 0.02 || k >= count) continue;
    out.observed[static_cast<std::size_t>(k)].push_back({mechanism.joint(observation.dof), observation.value});
  }
  return out;
}

class Minimizer {
 public:
  Minimizer(const JointedFamily& family, std::vector<ShadowChain> chains, const ShadowFitOptions& options)
      : family_(family),
        options_(options),
        h_(family.scene()[family.scene().simulation.step]),
        chains_(std::move(chains)) {
    for (std::size_t i = 0; i < family.scene().bodies.size(); ++i)
      slot_.push_back(family.scene().bodies[i].fixed ? -1 : moving_++);
    n_ = 12 * moving_;
    fit_.params = options.start.size() > 0 ? options.start : family.parameters().Clamp(family.start());
  }

  ShadowFit Run();
  ShadowFit RunBySizes();
  ShadowResiduals Residuals();

 private:
  class Steps;

  void Descend();
  void DescendFromSoft();
  Eigen::MatrixXd Covariance(double impulses, double observations) const;
  void Finish();
  double Evaluate(const Eigen::VectorXd& params, const std::vector<ShadowChain>& chains, bool derivatives);
  void EvaluateStep(const Model& model, const SpookInverseModels* models, const ShadowChain& chain, std::size_t k,
                    SpookWorkspace& ws, StepRows& out) const;
  void EvaluateFirst(const Model& model, const ShadowChain& chain, SpookWorkspace& ws, StepRows& out) const;
  void Assemble(double kappa, double weight, double lambda, std::vector<std::vector<ChainBlock>>& blocks,
                ChainBorder& border) const;
  void Move(const Eigen::VectorXd& step, State& state) const;

  const JointedFamily& family_;
  ShadowFitOptions options_;
  double h_;
  double softened_ = 0;    // least compliance [m/N], [rad/(N m)]: that of a start
  std::vector<int> slot_;  // per body: place among those that move
  int moving_ = 0, n_ = 0;
  std::vector<ShadowChain> chains_;
  Eigen::MatrixXd pivot_by_value_;           // of the current point
  std::vector<std::vector<StepRows>> rows_;  // of the current point; the first of a chain has the start's residual
  std::vector<StepRows> first_;
  std::vector<double> costs_;         // per recording, of the last evaluation
  double impulses_ = 0, misses_ = 0;  // sums of squares of the last evaluation
  long impulse_count_ = 0, miss_count_ = 0;
  ShadowFit fit_;
};

void Minimizer::EvaluateStep(const Model& model, const SpookInverseModels* models, const ShadowChain& chain,
                             std::size_t k, SpookWorkspace& ws, StepRows& out) const {
  const State& at = chain.states[k];
  const int p = family_.size(), half = 6 * moving_;
  // Observations of this state.
  const std::vector<ShadowChain::Observed>& observed = chain.observed[k];
  out.observed.resize(static_cast<Eigen::Index>(observed.size()));
  EvaluateState(model, at, ws.poses, ws.joints);
  if (models) out.observed_by_this.setZero(out.observed.size(), n_);
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const JointMotion<double>& motion = ws.joints[static_cast<std::size_t>(observed[i].joint)].motions.motion[0];
    const SpatialJoint<double>& joint = model.spatial.joints[static_cast<std::size_t>(observed[i].joint)];
    const double miss = motion.coordinate - observed[i].value;
    const Eigen::Index row = static_cast<Eigen::Index>(i);
    out.observed[row] = joint.type == JointType::kHinge ? std::remainder(miss, 2 * std::numbers::pi) : miss;
    if (!models) continue;
    const auto add = [&](int body, const Vector6<double>& J) {
      if (body >= 0 && slot_[static_cast<std::size_t>(body)] >= 0)
        out.observed_by_this.block<1, 6>(row, 6 * slot_[static_cast<std::size_t>(body)]) += J.transpose();
    };
    add(joint.parent, motion.J_parent);
    add(joint.child, motion.J_child);
  }
  if (k + 1 == chain.states.size()) {
    out.e.resize(0);
    return;
  }
  const State& next = chain.states[k + 1];
  const StepInputs inputs{chain.inputs[k], chain.inputs_end[k], {}};
  out.e.resize(n_);
  if (models) {
    out.by_this.setZero(n_, n_);
    out.by_next.setZero(n_, n_);
    out.by_params.setZero(n_, p);
  }
  SpookInverse inverse;
  SpookInverseDerivatives derivatives;
  for (const bool configuration : {true, false}) {
    const Eigen::VectorXd v_end = configuration ? VelocityBetween(model, at, next, h_) : next.v;
    InvertSpookStep(model, at, v_end, inputs, h_, {}, ws, inverse);
    if (models) DifferentiateSpookInverse(model, at, v_end, inputs, h_, *models, inverse, ws, derivatives);
    const int first = configuration ? 0 : half;
    for (std::size_t i = 0; i < slot_.size(); ++i) {
      if (slot_[i] < 0) continue;
      const Eigen::Index row = first + 6 * slot_[i];
      out.e.segment<6>(row) = inverse.residual.segment<6>(6 * static_cast<Eigen::Index>(i));
      if (models) out.by_params.middleRows<6>(row) = derivatives.by_parameters.middleRows<6>(6 * i);
    }
    if (!models) continue;
    for (const SpookInverseBlock& block : derivatives.blocks) {
      const int to = slot_[static_cast<std::size_t>(block.row)], from = slot_[static_cast<std::size_t>(block.column)];
      if (to < 0 || from < 0) continue;
      const Eigen::Index row = first + 6 * to, column = 6 * from;
      out.by_this.block<6, 6>(row, column) += block.by_pose;
      out.by_this.block<6, 6>(row, half + column) += block.by_velocity;
      if (!configuration) {
        out.by_next.block<6, 6>(row, half + column) += block.by_end_velocity;
        continue;
      }
      // The velocity between the poses turns with both of them.
      const Eigen::Vector3d turn = h_ * v_end.segment<3>(6 * block.column + 3);
      const Eigen::Matrix3d left = LeftJacobianInverseSO3(turn) / h_, right = RightJacobianInverseSO3(turn) / h_;
      out.by_next.block<6, 3>(row, column) += block.by_end_velocity.leftCols<3>() / h_;
      out.by_next.block<6, 3>(row, column + 3) += block.by_end_velocity.rightCols<3>() * left;
      out.by_this.block<6, 3>(row, column) -= block.by_end_velocity.leftCols<3>() / h_;
      out.by_this.block<6, 3>(row, column + 3) -= block.by_end_velocity.rightCols<3>() * right;
    }
  }
  if (models) out.by_params = out.by_params * pivot_by_value_;
}

void Minimizer::EvaluateFirst(const Model& model, const ShadowChain& chain, SpookWorkspace& ws, StepRows& out) const {
  const State& at = chain.states.front();
  EvaluateState(model, at, ws.poses, ws.joints);
  const int half = 6 * moving_;
  int rows = 0;
  for (const SpookJoint& joint : ws.joints) rows += joint.rows.count;
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(rows, half), M = Eigen::MatrixXd::Zero(half, half);
  Eigen::VectorXd g(rows), sigma(rows), v(half);
  int row = 0;
  for (std::size_t j = 0; j < ws.joints.size(); ++j) {
    const SpatialJoint<double>& joint = model.spatial.joints[j];
    const ConstraintRows<double>& from = ws.joints[j].rows;
    for (int i = 0; i < from.count; ++i, ++row) {
      const double compliance =
          from.angular[static_cast<std::size_t>(i)] ? joint.compliance_angular : joint.compliance_linear;
      g[row] = from.g[i];
      sigma[row] = SpookRow<double>(SpookStage::kStep, h_, compliance, joint.damping, 0.0, 0.0).sigma;
      if (joint.parent >= 0 && slot_[static_cast<std::size_t>(joint.parent)] >= 0)
        G.block<1, 6>(row, 6 * slot_[static_cast<std::size_t>(joint.parent)]) = from.J_parent.row(i);
      if (slot_[static_cast<std::size_t>(joint.child)] >= 0)
        G.block<1, 6>(row, 6 * slot_[static_cast<std::size_t>(joint.child)]) = from.J_child.row(i);
    }
  }
  for (std::size_t i = 0; i < slot_.size(); ++i) {
    if (slot_[i] < 0) continue;
    M.block<6, 6>(6 * slot_[i], 6 * slot_[i]) = MassMatrix(model.spatial.bodies[i], ws.poses[i].R);
    v.segment<6>(6 * slot_[i]) = at.v.segment<6>(6 * static_cast<Eigen::Index>(i));
  }
  // (M + G^T Sigma^-1 G) G^T (G G^T)^-1.
  const Eigen::MatrixXd across =
      M * G.transpose() * SolveSymmetric(G * G.transpose(), Eigen::MatrixXd::Identity(rows, rows)) +
      G.transpose() * sigma.cwiseInverse().asDiagonal();
  out.e.resize(n_);
  out.e << across * g / h_, across * (G * v);
  out.by_this.setZero(n_, n_);
  out.by_this.topLeftCorner(half, half) = across * G / h_;
  out.by_this.bottomRightCorner(half, half) = across * G;
}

double Minimizer::Evaluate(const Eigen::VectorXd& params, const std::vector<ShadowChain>& chains, bool derivatives) {
  Scene scene = family_.parameters().Apply(params);
  for (const Joint& joint : scene.joints)
    for (const NumberId id : {joint.compliance_linear, joint.compliance_angular})
      if (scene[id] < softened_) scene.Set(id, softened_);
  const Model model = CompileModel(scene);
  std::unique_ptr<SpookInverseModels> models;
  if (derivatives) {
    models = std::make_unique<SpookInverseModels>(model, family_.parameters().pivots());
    pivot_by_value_ = family_.parameters().PivotByValue(params);
  }
  costs_.clear();
  impulses_ = misses_ = 0;
  impulse_count_ = miss_count_ = 0;
  if (derivatives) {
    rows_.resize(chains.size());
    first_.resize(chains.size());
  }
  for (std::size_t c = 0; c < chains.size(); ++c) {
    const ShadowChain& chain = chains[c];
    const int parts = (static_cast<int>(chain.states.size()) + kStepsAtOnce - 1) / kStepsAtOnce;
    std::vector<double> impulses(static_cast<std::size_t>(parts), 0.0), misses(impulses);
    std::vector<long> miss_count(impulses.size(), 0);
    if (derivatives) rows_[c].resize(chain.states.size());
    ParallelFor(parts, [&](int part) {
      SpookWorkspace ws(model);
      StepRows scratch;
      const std::size_t first = static_cast<std::size_t>(part) * kStepsAtOnce,
                        last = std::min(chain.states.size(), first + kStepsAtOnce);
      for (std::size_t k = first; k < last; ++k) {
        StepRows& rows = derivatives ? rows_[c][k] : scratch;
        EvaluateStep(model, models.get(), chain, k, ws, rows);
        impulses[static_cast<std::size_t>(part)] += rows.e.squaredNorm();
        misses[static_cast<std::size_t>(part)] += rows.observed.squaredNorm();
        miss_count[static_cast<std::size_t>(part)] += rows.observed.size();
      }
    });
    SpookWorkspace ws(model);
    StepRows scratch, &start = derivatives ? first_[c] : scratch;
    EvaluateFirst(model, chain, ws, start);
    double impulse = start.e.squaredNorm(), miss = 0;
    for (std::size_t i = 0; i < impulses.size(); ++i) {
      impulse += impulses[i];
      miss += misses[i];
      miss_count_ += miss_count[i];
    }
    impulses_ += impulse;
    misses_ += miss;
    costs_.push_back(options_.kappa * impulse + miss);
    impulse_count_ += n_ * static_cast<long>(chain.states.size());
  }
  const double total = 0.5 * (options_.kappa * impulses_ + misses_);
  return std::isfinite(total) ? total : INFINITY;
}

void Minimizer::Assemble(double kappa, double weight, double lambda, std::vector<std::vector<ChainBlock>>& blocks,
                         ChainBorder& border) const {
  const int p = family_.size();
  border.C.setZero(p, p);
  border.h.setZero(p);
  blocks.assign(chains_.size(), {});
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    std::vector<ChainBlock>& chain = blocks[c];
    chain.resize(chains_[c].states.size());
    for (ChainBlock& block : chain) {
      block.D.setZero(n_, n_);
      block.L.setZero(n_, n_);
      block.B.setZero(n_, p);
      block.g.setZero(n_);
    }
    chain[0].D.noalias() += kappa * first_[c].by_this.transpose() * first_[c].by_this;
    chain[0].g.noalias() += kappa * first_[c].by_this.transpose() * first_[c].e;
    for (std::size_t k = 0; k < chain.size(); ++k) {
      const StepRows& rows = rows_[c][k];
      ChainBlock& block = chain[k];
      block.D.noalias() += weight * rows.observed_by_this.transpose() * rows.observed_by_this;
      block.g.noalias() += weight * rows.observed_by_this.transpose() * rows.observed;
      if (rows.e.size() == 0) continue;
      ChainBlock& next = chain[k + 1];
      const Eigen::MatrixXd A = kappa * rows.by_this.transpose(), N = kappa * rows.by_next.transpose();
      block.D.noalias() += A * rows.by_this;
      block.B.noalias() += A * rows.by_params;
      block.g.noalias() += A * rows.e;
      block.L.noalias() += N * rows.by_this;
      next.D.noalias() += N * rows.by_next;
      next.B.noalias() += N * rows.by_params;
      next.g.noalias() += N * rows.e;
      border.C.noalias() += kappa * rows.by_params.transpose() * rows.by_params;
      border.h.noalias() += kappa * rows.by_params.transpose() * rows.e;
    }
    for (ChainBlock& block : chain) block.D.diagonal() *= 1 + lambda;
  }
  border.C.diagonal() *= 1 + lambda;
}

void Minimizer::Move(const Eigen::VectorXd& step, State& state) const {
  for (std::size_t i = 0; i < slot_.size(); ++i) {
    if (slot_[i] < 0) continue;
    const Eigen::Index body = static_cast<Eigen::Index>(i);
    const SpatialPose<double> pose = state.q.segment<7>(7 * body);
    state.q.segment<7>(7 * body) = BoxPlus<double>(pose, Vector6<double>(step.segment<6>(6 * slot_[i])));
    state.v.segment<6>(6 * body) += step.segment<6>(6 * moving_ + 6 * slot_[i]);
  }
}

/// (3.21): damping scaled by the diagonal, steps taken on decrease only.
class Minimizer::Steps final : public MarquardtProblem, public Damping, public StoppingRule {
 public:
  explicit Steps(Minimizer& of) : Damping(kFirstLambda), of_(of) {}

  bool Linearize() override {
    cost = of_.fit_.cost = of_.Evaluate(of_.fit_.params, of_.chains_, true);
    return std::isfinite(cost);
  }
  MarquardtStep Propose(double lambda) override {
    std::vector<std::vector<ChainBlock>> blocks;
    ChainBorder border;
    of_.Assemble(of_.options_.kappa, 1, lambda, blocks, border);
    for (auto& chain : blocks)
      if (!EliminateChain(chain, border)) return {.solved = false};
    step_ = of_.family_.BoundedStep(border, of_.fit_.params, of_.options_.held, kRidge);
    MarquardtStep out{.predicted = -border.h.dot(step_) - 0.5 * step_.dot(border.C * step_)};
    trial_ = of_.chains_;
    for (std::size_t c = 0; c < blocks.size(); ++c) {
      std::vector<Eigen::VectorXd> steps;
      SubstituteChain(blocks[c], step_, steps);
      for (std::size_t k = 0; k < steps.size(); ++k) {
        of_.Move(steps[k], trial_[c].states[k]);
        out.predicted += 0.5 * blocks[c][k].g.squaredNorm();
      }
    }
    out.solved = step_.allFinite();
    return out;
  }
  double TrialCost() override { return of_.Evaluate(of_.family_.Moved(of_.fit_.params, step_), trial_, false); }
  double Take() override {
    of_.fit_.params = of_.family_.Moved(of_.fit_.params, step_);
    of_.chains_ = std::move(trial_);
    ++of_.fit_.iterations;
    return 0;
  }

  void Succeed(double gain) override {
    lambda_ *= gain > 0.75 ? 0.1 : gain > 0.25 ? 1.0 : 3.0;
    if (lambda_ < kLeastLambda) lambda_ = 0;
  }
  bool Fail() override {
    lambda_ = std::max(kLeastLambda, 10 * lambda_);
    return lambda_ < kMostLambda;
  }

  bool GivesUp(const MarquardtStep& step, const MarquardtProgress& progress) override {
    return step.solved && std::abs(step.predicted) < 1e-3 * of_.options_.tolerance * progress.cost;
  }
  // A step that damping made short says nothing.
  LeastSquaresEnd WithoutStep(const MarquardtStep& step, const MarquardtProgress& progress) override {
    return progress.lambda < kLooseLambda && GivesUp(step, progress) ? LeastSquaresEnd::kConverged
                                                                     : LeastSquaresEnd::kStalled;
  }
  bool AfterStep(const MarquardtStep& step, const MarquardtProgress& progress) override {
    return progress.lambda < kLooseLambda &&
           std::max(step.predicted, progress.decrease) < of_.options_.tolerance * progress.cost;
  }

 private:
  Minimizer& of_;
  Eigen::VectorXd step_;
  std::vector<ShadowChain> trial_;
};

void Minimizer::Descend() {
  fit_.kappa = options_.kappa;
  Steps steps(*this);
  const MarquardtOptions options{.max_iterations = options_.iterations, .max_attempts = kMostAttempts};
  const LeastSquaresSummary summary = RunMarquardt(steps, steps, steps, options);
  fit_.converged = summary.end == LeastSquaresEnd::kConverged;
  for (const LeastSquaresStep& step : summary.trace) fit_.trace.push_back(step.cost);
  fit_.cost = Evaluate(fit_.params, chains_, true);
  fit_.costs = costs_;
  fit_.impulse_error = impulses_ / std::max<double>(1, static_cast<double>(impulse_count_));
  fit_.observation_error = misses_ / std::max<double>(1, static_cast<double>(miss_count_));
}

/// From soft joints to those of the scene, each stage from the end of the one before: what curves the residuals so much
/// that a cold start fails.
void Minimizer::DescendFromSoft() {
  if (options_.soften) {
    double least = INFINITY;
    for (const Joint& joint : family_.scene().joints)
      least = std::min({least, family_.scene()[joint.compliance_linear], family_.scene()[joint.compliance_angular]});
    const ShadowFitOptions given = options_;
    options_.tolerance = kLooseTolerance;
    options_.iterations = kLooseIterations;
    for (std::size_t i = 0; i < kSoftened.size() || softened_ > 10 * least; ++i) {
      softened_ = i < kSoftened.size() ? kSoftened[i] : 0.1 * softened_;
      if (softened_ <= 1.5 * least) break;
      Descend();
    }
    options_ = given;
    softened_ = 0;
  }
  Descend();
}

/// Inverse of the information about the parameters with these weights of impulses and observations.
Eigen::MatrixXd Minimizer::Covariance(double impulses, double observations) const {
  const int p = family_.size();
  std::vector<std::vector<ChainBlock>> blocks;
  ChainBorder border;
  // Very stiff joints leave blocks that rounding makes indefinite: a little damping separates them.
  for (const double lambda : {0.0, 1e-14, 1e-12, 1e-10}) {
    Assemble(impulses, observations, lambda, blocks, border);
    if (!std::all_of(blocks.begin(), blocks.end(), [&](auto& chain) { return EliminateChain(chain, border); }))
      continue;
    return InvertInformation(border.C, 1e-12);
  }
  return Eigen::MatrixXd::Constant(p, p, NAN);
}

/// Covariance, with weights from the residuals themselves.
void Minimizer::Finish() {
  fit_.states = 0;
  for (const ShadowChain& chain : chains_) fit_.states += static_cast<int>(chain.states.size());
  fit_.chains = chains_;
  if (!options_.held.empty()) return;
  Evaluate(fit_.params, chains_, true);
  const double observation = 1 / std::max(fit_.observation_error, 1e-300);
  fit_.covariance = Covariance(1 / std::max(fit_.impulse_error, 1e-300), observation);
  const Eigen::MatrixXd curvature = Covariance(fit_.kappa * observation, observation);
  fit_.enlargement = fit_.covariance.diagonal().cwiseQuotient(curvature.diagonal()).cwiseSqrt();
}

ShadowResiduals Minimizer::Residuals() {
  ShadowResiduals out;
  Evaluate(fit_.params, chains_, true);
  const auto add = [](const Eigen::VectorXd& rows, double time, std::vector<double>& values,
                      std::vector<double>& times) {
    values.insert(values.end(), rows.begin(), rows.end());
    times.insert(times.end(), static_cast<std::size_t>(rows.size()), time);
  };
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    add(first_[c].e, chains_[c].states.front().time, out.impulses, out.impulse_times);
    for (std::size_t k = 0; k < rows_[c].size(); ++k) {
      add(rows_[c][k].e, chains_[c].states[k].time, out.impulses, out.impulse_times);
      add(rows_[c][k].observed, chains_[c].states[k].time, out.angles, out.angle_times);
    }
  }
  return out;
}

ShadowFit Minimizer::Run() {
  DescendFromSoft();
  Finish();
  return std::move(fit_);
}

ShadowFit Minimizer::RunBySizes() {
  ShadowFit best;
  std::vector<ShadowChain> states;
  for (double kappa = kLeastKappa; kappa <= kMostKappa; kappa *= kRung) {
    options_.kappa = kappa;
    if (states.empty())
      DescendFromSoft();
    else
      Descend();
    const bool consistent = kappa * fit_.impulse_error <= fit_.observation_error;
    if (!states.empty() && (!consistent || !fit_.converged)) break;
    best = fit_;
    states = chains_;
    if (!consistent) break;
  }
  const int iterations = fit_.iterations;
  fit_ = std::move(best);
  fit_.iterations = iterations;
  chains_ = std::move(states);
  options_.kappa = fit_.kappa;
  Finish();
  return std::move(fit_);
}

}  // namespace

std::vector<ShadowChain> MakeShadowChains(const JointedFamily& family, const std::vector<JointTrack>& tracks) {
  std::vector<ShadowChain> out;
  for (const JointTrack& track : tracks) out.push_back(MakeChain(family, track));
  return out;
}

ShadowFit FitShadow(const JointedFamily& family, std::vector<ShadowChain> chains, const ShadowFitOptions& options) {
  return Minimizer(family, std::move(chains), options).Run();
}

ShadowFit FitShadowBySizes(const JointedFamily& family, std::vector<ShadowChain> chains,
                           const ShadowFitOptions& options) {
  return Minimizer(family, std::move(chains), options).RunBySizes();
}

ShadowResiduals EvaluateShadow(const JointedFamily& family, const ShadowChain& chain, const Eigen::VectorXd& values) {
  ShadowFitOptions options;
  options.start = values;
  return Minimizer(family, {chain}, options).Residuals();
}

bool SimulateShadow(const JointedFamily& family, const Eigen::VectorXd& values, double noise, Random& random,
                    ShadowChain& chain) {
  const Model model = CompileModel(family.parameters().Apply(values));
  const double h = family.scene()[family.scene().simulation.step];
  Rollout rollout(Spook(), model, {.inputs = &chain.signal});
  rollout.Start(chain.states.front(), h);
  SpookWorkspace ws(model);
  for (std::size_t k = 0; k < chain.states.size(); ++k) {
    if (k > 0 && !rollout.Advance()) return false;
    if (k > 0) chain.states[k] = rollout.state();
    EvaluateState(model, chain.states[k], ws.poses, ws.joints);
    for (ShadowChain::Observed& observed : chain.observed[k])
      observed.value =
          ws.joints[static_cast<std::size_t>(observed.joint)].motions.motion[0].coordinate + random.Normal(0, noise);
  }
  return true;
}

}  // namespace ricochet
