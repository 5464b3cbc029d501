// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/spook/spook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics/loads.h"
#include "math/manifold.h"
#include "model/options.h"
#include "steppers/spook/spook_derivatives.h"
#include "steppers/spook/spook_workspace.h"

namespace ricochet {

namespace {

constexpr OptionInfo kOrder = {.name = "order",
                               .number = 1,
                               .lower = 1,
                               .upper = 2,
                               .whole = true,
                               .help = "1: the paper's stepper; 2: second order in the step for smooth motion"};
constexpr OptionInfo kDirections = {.name = "directions",
                                    .number = 8,
                                    .lower = 4,
                                    .upper = 64,
                                    .whole = true,
                                    .help = "of the polyhedral friction cone, an even number"};
constexpr OptionInfo kContactCompliance = {
    .name = "contact_compliance", .number = 1e-8, .lower = 0, .unit = "m/N", .help = "of contacts"};
constexpr OptionInfo kContactDamping = {
    .name = "contact_damping", .number = 0, .lower = 0, .unit = "s", .help = "of contacts; 0: two steps"};
constexpr OptionInfo kImpactSpeed = {.name = "impact_speed",
                                     .number = 0,
                                     .lower = 0,
                                     .unit = "m/s",
                                     .help = "a slower approach is not an impact; 0: 2 |gravity| step"};
constexpr OptionInfo kLimitRestitution = {
    .name = "limit_restitution", .number = 0, .lower = 0, .upper = 1, .help = "restitution of joint limits"};
constexpr OptionInfo kSpookOptions[] = {kOrder,          kDirections,  kContactCompliance,
                                        kContactDamping, kImpactSpeed, kLimitRestitution};

}  // namespace

SpookOptions ReadSpookOptions(const Scene& scene) {
  return {.order = static_cast<int>(NumberOption(scene, kOrder)),
          .directions = static_cast<int>(NumberOption(scene, kDirections)),
          .contact_compliance = NumberOption(scene, kContactCompliance),
          .contact_damping = NumberOption(scene, kContactDamping),
          .impact_speed = NumberOption(scene, kImpactSpeed),
          .limit_restitution = NumberOption(scene, kLimitRestitution)};
}

SpookWorkspace::SpookWorkspace(const Model& model)
    : structure(model.spatial), options(ReadSpookOptions(*model.scene)) {}

void EvaluateState(const Model& model, const State& state, std::vector<MassPose<double>>& poses,
                   std::vector<SpookJoint>& joints) {
  poses.resize(model.spatial.bodies.size());
  for (size_t i = 0; i < poses.size(); ++i) poses[i] = PoseOf(state, static_cast<int>(i));
  joints.resize(model.spatial.joints.size());
  for (size_t j = 0; j < joints.size(); ++j) joints[j] = EvaluateJoint(model.spatial, model.spatial.joints[j], poses);
}

void ForceImpulse(const Model& model, double t, double dt, std::span<const char> fired, Eigen::VectorXd& impulse) {
  const SpatialModel<double>& spatial = model.spatial;
  impulse.resize(6 * static_cast<Eigen::Index>(spatial.bodies.size()));
  for (size_t i = 0; i < spatial.bodies.size(); ++i) {
    Vector6<double> sum = LoadImpulse<double>(spatial.loads, static_cast<int>(i), t, dt, fired);
    sum.head<3>() += dt * spatial.bodies[i].mass * spatial.gravity;
    impulse.segment<6>(6 * i) = sum;
  }
}

double StageLoss(const Model& model, SpookWorkspace& workspace, std::span<const SpookJoint> joints,
                 std::span<const SpookUnilateral> unilateral, const Eigen::VectorXd& v, const SpookStageResult& stage,
                 SpookStage kind, double h) {
  const double viscous_time = ResistanceTime(kind, h);
  double loss = 0;
  for (size_t i = 0; i < model.spatial.bodies.size(); ++i) {
    if (!model.spatial.bodies[i].has_drag) continue;
    const Eigen::Vector3d before = v.segment<3>(6 * i), after = stage.v.segment<3>(6 * i);
    const AirImpulse<double> air = AirImpulseOf<double>(kind, h, model.spatial.bodies[i], before);
    loss -= (air.s - air.D * after).dot(0.5 * (before + after));
  }
  for (size_t j = 0; j < joints.size(); ++j) {
    const SpatialJoint<double>& joint = model.spatial.joints[j];
    for (int m = 0; m < joints[j].motions.count; ++m) {
      const double before = MotionRate(joint, joints[j].motions.motion[m], v);
      const double after = MotionRate(joint, joints[j].motions.motion[m], stage.v);
      loss += viscous_time * joint.viscous * after * 0.5 * (before + after);
      const int dry = workspace.structure.joints[j].dry;
      if (m == 0 && dry >= 0) loss -= stage.dry[dry] * 0.5 * (before + after);
    }
  }
  for (const SpookUnilateral& row : unilateral) {
    const Eigen::Vector3d impulse = UnilateralImpulse(row, workspace.options, stage.solution.z);
    loss -= impulse.dot(0.5 * (row.RateOf(v) + row.RateOf(stage.v)) + row.bias);
  }
  return loss;
}

Eigen::Vector3d UnilateralImpulse(const SpookUnilateral& row, const SpookOptions& options,
                                  const Eigen::Ref<const Eigen::VectorXd>& z) {
  Eigen::Vector3d impulse(z[row.z], 0, 0);
  if (row.friction > 0) {
    for (int i = 0; i < options.directions; ++i) {
      const double angle = 2 * M_PI * i / options.directions;
      impulse[1] += std::cos(angle) * z[row.z + 1 + i];
      impulse[2] += std::sin(angle) * z[row.z + 1 + i];
    }
  }
  return impulse;
}

namespace {

class SpookStepper final : public Stepper {
 public:
  StepperInfo info() const override {
    return {.name = "spook",
            .summary = "mechanisms: joints and contacts as stiff, damped constraints, with dry friction and motors",
            .paper = "Spook",
            .spatial = true,
            .joints = true,
            .body_contacts = true,
            .restitution = true,
            .soft = true,
            .jumps = true,
            .drag = true,
            .options = kSpookOptions};
  }

  std::unique_ptr<Workspace> MakeWorkspace(const Model& model) const override {
    return std::make_unique<SpookWorkspace>(model);
  }

  void Step(const Model& model, const State& start, const StepInputs& inputs, double h, Workspace& workspace,
            StepResult& out) const override;

  void Differentiate(const Model& model, const StepResult& step, const StepInputs& inputs,
                     std::span<const NumberId> parameters, Workspace& workspace, StepDerivatives& out) const override {
    StepResult again;
    Step(model, step.start, inputs, step.h, workspace, again);
    DifferentiateSpook(model, again, inputs, parameters, static_cast<SpookWorkspace&>(workspace), out);
  }

  void DifferentiateInputs(const Model& model, const StepResult& step, const StepInputs& inputs, Workspace& workspace,
                           Eigen::MatrixXd& end_by_inputs) const override {
    StepResult again;
    Step(model, step.start, inputs, step.h, workspace, again);
    DifferentiateSpookInputs(model, again, inputs, static_cast<SpookWorkspace&>(workspace), end_by_inputs);
  }

 private:
  void CheckModel(const Model& model) const override;
  static void CheckLimits(const SpatialJoint<double>& joint, const Joint& in_scene);
};

void SpookStepper::CheckModel(const Model& model) const {
  const Scene& scene = *model.scene;
  if (ReadSpookOptions(scene).directions % 2 != 0)
    for (const SimulationOption& option : scene.simulation.options)
      if (option.name == kDirections.name)
        throw InputError(option.where, fmt::format("simulation.options.{}", option.name),
                         "the friction cone needs an even number of directions.", "Write `directions: 8`.");

  for (size_t j = 0; j < model.spatial.joints.size(); ++j) {
    const SpatialJoint<double>& joint = model.spatial.joints[j];
    const std::string path = "joints." + scene.joints[j].name;
    const bool parent_fixed = joint.parent < 0 || model.spatial.bodies[joint.parent].fixed;
    if (parent_fixed && model.spatial.bodies[joint.child].fixed)
      throw InputError(scene.joints[j].where, path, "it joins two bodies that cannot move.", "Leave the joint out.");
    CheckLimits(joint, scene.joints[j]);
  }
}

void SpookStepper::CheckLimits(const SpatialJoint<double>& joint, const Joint& in_scene) {
  if (!joint.has_limits || joint.type == JointType::kSlider || joint.type == JointType::kDistance) return;
  const bool ball = joint.type == JointType::kBall;
  const std::string path = "joints." + in_scene.name + ".limits";
  if (ball && joint.has_upper[0] && !(joint.upper[0] > 0 && joint.upper[0] < M_PI))
    throw InputError(in_scene.where, path + ".swing", "the swing of a ball must be limited to between 0 and pi.",
                     "Give the half angle of the cone in rad; for no swing at all use a hinge.");
  for (int i = ball ? 1 : 0; i < 2; ++i) {
    if ((joint.has_lower[i] && joint.lower[i] <= -M_PI) || (joint.has_upper[i] && joint.upper[i] >= M_PI))
      throw InputError(in_scene.where, path, "limits of an angle must lie within (-pi, pi).",
                       "Turn `zero` of one frame so that the allowed range is around angle 0.");
  }
}

/// Puts what the stages found into contact records.
void RecordContacts(const SpookWorkspace& workspace, const SpookStageResult& stage,
                    std::span<const SpookUnilateral> unilateral, std::vector<ContactRecord>& contacts) {
  for (const SpookUnilateral& row : unilateral) {
    if (row.pair < 0) continue;
    const Eigen::Vector3d impulse = UnilateralImpulse(row, workspace.options, stage.solution.z);
    if (!(impulse[0] > 0)) continue;
    auto same = std::find_if(contacts.begin(), contacts.end(),
                             [&](const ContactRecord& c) { return c.pair == row.pair && c.contact == row.index; });
    if (same == contacts.end()) {
      contacts.emplace_back();
      same = contacts.end() - 1;
      same->pair = row.pair;
      same->contact = row.index;
      same->gap = row.gap;
      same->p_WC = row.p_WC;
    }
    same->normal_impulse += impulse[0];
    same->tangential_impulse += impulse.tail<2>();
    const bool slides = row.friction > 0 ? stage.solution.z[row.z + 1 + workspace.options.directions] > 1e-12 : true;
    same->slip = slides ? SlipState::kSlide : SlipState::kStick;
  }
}

void StepFirstOrder(const Model& model, const StepInputs& inputs, double h, SpookWorkspace& ws, StepResult& out) {
  const SpatialModel<double>& spatial = model.spatial;
  EvaluateState(model, out.start, ws.poses, ws.joints);
  CollectUnilateral(model, ws.options, h, out.start.v, ws);

  SpookStageInput in;
  in.h = h;
  in.poses = ws.poses;
  in.joints = ws.joints;
  in.u = ws.u;

  // Impulse stage: contacts and limits that would be passed within this step at the present speed.
  SpookOptions options = ws.options;
  if (options.impact_speed == 0) options.impact_speed = 2 * spatial.gravity.norm() * h;
  ws.touching.clear();
  bool impact = false;
  for (const SpookUnilateral& row : ws.unilateral) {
    const double rate = row.RateOf(out.start.v)[0];
    if (row.gap > 0 && row.gap + h * rate > 0) continue;
    ws.touching.push_back(row);
    impact = impact || rate < -options.impact_speed;
  }
  const Eigen::VectorXd* v = &out.start.v;
  ws.had_impact = impact;
  if (impact) {
    ws.impulse.setZero(out.start.v.size());
    in.stage = SpookStage::kImpact;
    in.v = v;
    in.impulse = &ws.impulse;
    in.unilateral = ws.touching;
    SolveStage(spatial, ws.structure, options, in, ws.impact);
    const double loss = StageLoss(model, ws, ws.joints, ws.touching, *v, ws.impact, SpookStage::kImpact, h);
    out.dissipated += loss;
    out.created = std::max(0.0, -loss);
    if (!ws.impact.solved) out.status = StepStatus::kFailed;
    v = &ws.impact.v;
  }

  // The step itself.
  ForceImpulse(model, out.start.time, h, inputs.fired, ws.impulse);
  for (size_t i = 0; i < spatial.bodies.size(); ++i) {
    ws.impulse.segment<6>(6 * i) += GyroscopicImpulse(spatial.bodies[i], ws.poses[i].R, v->segment<3>(6 * i + 3), h);
  }
  in.stage = SpookStage::kStep;
  in.v = v;
  in.impulse = &ws.impulse;
  in.unilateral = ws.unilateral;
  SolveStage(spatial, ws.structure, options, in, ws.first);
  out.residual = MlcpResidual(ws.first.problem, ws.first.solution.x, ws.first.solution.z, ws.first.workspace);
  if (!ws.first.solved || !(out.residual <= 1e-8)) out.status = StepStatus::kFailed;
  out.dissipated += StageLoss(model, ws, ws.joints, ws.unilateral, *v, ws.first, SpookStage::kStep, h);
  out.iterations = ws.first.rounds;

  // Advance on the group.
  out.end.v = ws.first.v;
  out.end.q = out.start.q;
  for (size_t i = 0; i < spatial.bodies.size(); ++i) {
    if (spatial.bodies[i].fixed) continue;
    SpatialPose<double> pose = out.start.q.segment<7>(7 * i);
    pose = BoxPlus<double>(pose, Vector6<double>(h * out.end.v.segment<6>(6 * i)));
    pose.tail<4>().normalize();
    out.end.q.segment<7>(7 * i) = pose;
  }
  if (impact) RecordContacts(ws, ws.impact, ws.touching, out.contacts);
  RecordContacts(ws, ws.first, ws.unilateral, out.contacts);
  out.multipliers.resize(ws.first.lambda.size() + ws.first.dry.size());
  out.multipliers.head(ws.first.lambda.size()) = ws.first.lambda;
  out.multipliers.tail(ws.first.dry.size()) = ws.first.dry;
  out.modes.clear();
  if (impact) out.modes.insert(out.modes.end(), ws.impact.solution.active.begin(), ws.impact.solution.active.end());
  out.modes.insert(out.modes.end(), ws.first.solution.active.begin(), ws.first.solution.active.end());
}

/// A step of order 2, which knows neither contacts nor limits. False where one is closed at the start or would be
/// passed at the end: such a step is one of order 1.
bool TrySecondOrder(const Model& model, const StepInputs& inputs, double h, SpookWorkspace& ws, StepResult& out) {
  const auto closed = [&](const Eigen::VectorXd& v) {
    CollectUnilateral(model, ws.options, h, v, ws);
    return std::any_of(ws.unilateral.begin(), ws.unilateral.end(), [](const auto& row) { return row.gap <= 0; });
  };
  const bool one_sided = !model.spatial.pairs.empty() || ws.structure.has_limits;
  if (one_sided) {
    EvaluateState(model, out.start, ws.poses, ws.joints);
    if (closed(out.start.v)) return false;
  }
  ws.u.assign(inputs.u.begin(), inputs.u.end());
  StepSecondOrder(model, inputs, h, ws, out);
  if (!one_sided) return true;
  const auto exchange = [&] {
    std::swap(ws.poses, ws.poses_end);
    std::swap(ws.joints, ws.joints_end);
  };
  exchange();
  const bool passed = closed(out.end.v);
  exchange();
  ws.unilateral.clear();
  return !passed;
}

void SpookStepper::Step(const Model& model, const State& start, const StepInputs& inputs, double h,
                        Workspace& workspace, StepResult& out) const {
  auto& ws = static_cast<SpookWorkspace&>(workspace);
  if (!ws.structure.Fits(model.spatial)) ws.structure = SpookStructure(model.spatial);
  BeginResult(start, h, out);
  ws.second_order = ws.options.order == 2 && TrySecondOrder(model, inputs, h, ws, out);
  if (ws.second_order) return;
  BeginResult(start, h, out);
  ws.u.assign(inputs.u.begin(), inputs.u.end());
  // A motor's input over the step is its mean.
  if (inputs.u_end.size() == inputs.u.size()) {
    for (size_t i = 0; i < ws.u.size(); ++i) ws.u[i] = 0.5 * (inputs.u[i] + inputs.u_end[i]);
  }
  StepFirstOrder(model, inputs, h, ws, out);
}

}  // namespace

const Stepper& Spook() {
  static const SpookStepper stepper;
  return stepper;
}

}  // namespace ricochet
