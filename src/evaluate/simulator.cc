// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The rollout holds states at centers of mass; the public state has body frames. With c the center of mass in the body
// frame, p_cm = p_B + R c, so that in tangent coordinates (dw on the world side)
//
//     dp_cm = dp_B + dw x R c + R dc        dp_B = dp_cm - dw x R c - R dc
//
// and derivatives D of the rollout, dx' = A dx + P dp, become those of the public state by applying the first at the
// start and the second at the end; a center of mass that is itself a parameter enters through dc at both.
#include "ricochet/simulator.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/text.h"
#include "dynamics/energy.h"
#include "dynamics/joint_angle.h"
#include "dynamics/joint_configuration.h"
#include "dynamics/kinematics.h"
#include "evaluate/simulation_setup.h"
#include "math/manifold.h"
#include "model/parameter_map.h"
#include "ricochet/parameter.h"
#include "rollout/rollout.h"

namespace ricochet {
namespace {

/// What derivatives are taken by: the numbers that the paths set, in a model in which these are independent.
struct Directions {
  std::string paths;
  Model model;
  std::vector<NumberId> numbers;
  Eigen::MatrixXd number_by_value;
};

bool IsDifferentiated(const Scene& scene, NumberId id) {
  const std::string& path = scene.number(id).path;
  for (const char* section : {"initial.", "simulation.", "observe."})
    if (path.starts_with(section)) return false;
  for (const Action& action : scene.actions)
    if (id == action.from || id == action.until || id == action.at || (action.when && id == action.when->falls_to))
      return false;
  return true;
}

Directions MakeDirections(const Scene& scene, std::string_view paths) {
  Directions out;
  out.paths = paths;
  std::vector<SelectedParameter> selected;
  if (paths.find_first_not_of(' ') != std::string_view::npos) selected = ParsePathList(scene, paths);
  for (const SelectedParameter& parameter : selected) {
    for (const NumberId id : {parameter.numerator, parameter.denominator, parameter.factor}) {
      if (!id || IsDifferentiated(scene, id)) continue;
      throw InputError({}, scene.number(id).path, "motion is not differentiated with respect to this parameter.",
                       "Use the derivatives by the start state for what gives the start; leave out the others.");
    }
  }
  const ParameterMap map(scene, std::move(selected));
  out.model = CompileModel(map.scene());
  out.numbers = map.pivots();
  out.number_by_value = map.PivotByValue(map.start());
  return out;
}

/// R c of a body in world axes.
Eigen::Vector3d ArmOf(const Model& model, const State& state, int body) {
  if (model.space == Space::kSpatial)
    return Rotate<double>(Quaternion<double>(state.q.segment<4>(7 * body + 3)),
                          model.spatial.bodies[static_cast<std::size_t>(body)].p_BBcm);
  const Eigen::Vector2d c = model.planar.bodies[static_cast<std::size_t>(body)].p_BBcm;
  const double cosine = std::cos(state.q[3 * body + 2]), sine = std::sin(state.q[3 * body + 2]);
  return {cosine * c.x() - sine * c.y(), sine * c.x() + cosine * c.y(), 0};
}

/// Axis `axis` of the body in world axes.
Eigen::Vector3d AxisOf(const Model& model, const State& state, int body, int axis) {
  if (model.space == Space::kSpatial)
    return Rotate<double>(Quaternion<double>(state.q.segment<4>(7 * body + 3)), Eigen::Vector3d::Unit(axis));
  const double angle = state.q[3 * body + 2];
  return axis == 0 ? Eigen::Vector3d(std::cos(angle), std::sin(angle), 0)
                   : Eigen::Vector3d(-std::sin(angle), std::cos(angle), 0);
}

/// Adds sign dw x R c to the translations of all bodies: from body frames to centers of mass (+1) or back (-1).
void ShiftTranslations(const Model& model, const State& state, double sign, Eigen::Ref<Eigen::MatrixXd> rows) {
  const bool planar = model.space == Space::kPlanar;
  for (int body = 0; body < model.body_count(); ++body) {
    const Eigen::Vector3d arm = ArmOf(model, state, body);
    if (planar) {
      rows.row(3 * body) -= sign * arm.y() * rows.row(3 * body + 2);
      rows.row(3 * body + 1) += sign * arm.x() * rows.row(3 * body + 2);
    } else {
      rows.middleRows(6 * body, 3) -= sign * Skew(arm) * rows.middleRows(6 * body + 3, 3);
    }
  }
}

/// R dc: how the translations move with those of `numbers` that are coordinates of a center of mass.
Eigen::MatrixXd CenterShift(const Model& model, const State& state, const std::vector<NumberId>& numbers) {
  const int linear = model.space == Space::kPlanar ? 2 : 3, size = VelocitySize(model.space);
  Eigen::MatrixXd shift = Eigen::MatrixXd::Zero(2 * state.v.size(), static_cast<Eigen::Index>(numbers.size()));
  for (int body = 0; body < model.body_count(); ++body) {
    const std::vector<NumberId>& center = model.scene->bodies[static_cast<std::size_t>(body)].center_of_mass;
    for (std::size_t axis = 0; axis < center.size(); ++axis) {
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        if (!(numbers[k] == center[axis])) continue;
        shift.col(static_cast<Eigen::Index>(k)).segment(size * body, linear) =
            AxisOf(model, state, body, static_cast<int>(axis)).head(linear);
      }
    }
  }
  return shift;
}

template <class Named>
int FindNamed(const std::vector<Named>& list, int index, std::string_view name, const char* what) {
  if (index >= 0) return index;
  std::vector<std::string> known;
  for (const Named& each : list) known.push_back(each.name);
  throw InputError({}, Printable(name), fmt::format("the scene has no {} of this name.", what),
                   SuggestName(name, known));
}

void CheckSize(const char* field, Eigen::Index size, Eigen::Index expected) {
  if (size == expected) return;
  throw InputError({}, field, fmt::format("expected {} numbers, but found {}.", expected, size),
                   "See ricochet/simulator.h for their order.");
}

}  // namespace

struct Simulator::Impl {
  explicit Impl(SimulationSetup given)
      : setup(std::make_shared<const SimulationSetup>(std::move(given))),
        rollout(*setup->stepper, setup->model, {.accepted_residual = INFINITY, .inputs = &setup->inputs}) {
    Restart(setup->start);
  }

  const Model& model() const { return setup->model; }
  const State& now() const { return rollout.state(); }

  void Restart(const State& state) {
    rollout.Start(state, setup->step);
    report = {};
    stepped = false;
    tracked.reset();
  }

  /// Books a step that was taken; `finite` is what the rollout said of it.
  bool Finish(bool is_finite) {
    const StepResult& step = rollout.step();
    finite = is_finite;
    stepped = true;
    report = {.solved = finite && step.status == StepStatus::kSolved,
              .residual = step.residual,
              .dissipated = step.dissipated,
              .attempts = step.attempts};
    if (tracked && finite) Track();
    return report.solved;
  }

  /// Of the last step, at centers of mass: by start, and by the values that the paths name.
  void Differentiate(const Directions& directions) {
    rollout.DifferentiateStep(directions.model, directions.numbers, step_derivatives);
    rollout.DifferentiateStepInputs(step_by_inputs);
  }

  void Track() {
    Differentiate(*tracked);
    const Eigen::MatrixXd& A = step_derivatives.end_by_start;
    by_start = A * by_start;
    by_inputs = A * by_inputs + step_by_inputs;
    by_numbers = A * by_numbers + step_derivatives.end_by_parameters;
  }

  /// From derivatives of centers of mass by (body frames at the start, inputs, numbers) to those of body frames.
  MotionDerivatives AtEnd(const Directions& directions, const Eigen::MatrixXd& start, const Eigen::MatrixXd& inputs,
                          const Eigen::MatrixXd& numbers) const {
    MotionDerivatives out{start, inputs, numbers - CenterShift(model(), now(), directions.numbers)};
    ShiftTranslations(model(), now(), -1, out.by_start);
    ShiftTranslations(model(), now(), -1, out.by_inputs);
    // R dc moves no rotation, so that it may be taken off before the shift.
    ShiftTranslations(model(), now(), -1, out.by_parameters);
    out.by_parameters = out.by_parameters * directions.number_by_value;
    return out;
  }

  /// d(centers of mass)/d(body frames).
  Eigen::MatrixXd FramesToCenters(const State& state) const {
    Eigen::MatrixXd out = Eigen::MatrixXd::Identity(2 * state.v.size(), 2 * state.v.size());
    ShiftTranslations(model(), state, 1, out);
    return out;
  }

  /// Directions are compiled once per list of paths.
  std::shared_ptr<const Directions> DirectionsOf(std::string_view paths) {
    if (!directions || directions->paths != paths)
      directions = std::make_shared<const Directions>(MakeDirections(*model().scene, paths));
    return directions;
  }

  std::shared_ptr<const SimulationSetup> setup;
  Rollout rollout;
  StepReport report;
  bool stepped = false, finite = true;
  std::shared_ptr<const Directions> directions;
  StepDerivatives step_derivatives;
  Eigen::MatrixXd step_by_inputs;
  // Accumulated since TrackDerivatives: centers of mass by body frames at the start, by inputs and by numbers.
  std::shared_ptr<const Directions> tracked;
  Eigen::MatrixXd by_start, by_inputs, by_numbers;
};

Simulator::Simulator(const Scene& scene, const SimulatorOptions& options)
    : impl_(std::make_unique<Impl>(SetUpSimulation(scene, options.method, options.step, options.inputs))) {}
Simulator::Simulator(const Simulator& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Simulator& Simulator::operator=(const Simulator& other) {
  if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;
Simulator::~Simulator() = default;

bool Simulator::Step() { return impl_->finite && impl_->Finish(impl_->rollout.Advance()); }

bool Simulator::Step(std::span<const double> inputs) {
  CheckSize("inputs", static_cast<Eigen::Index>(inputs.size()),
            static_cast<Eigen::Index>(impl_->model().spatial.inputs.size()));
  return impl_->finite && impl_->Finish(impl_->rollout.Advance(inputs));
}

bool Simulator::AdvanceTo(double t) {
  constexpr double kOnGrid = 1e-9;  // of a step
  bool solved = impl_->finite;
  while (impl_->finite && time() < t - kOnGrid * step_size()) solved = Step() && solved;
  return solved;
}

void Simulator::Reset() {
  impl_->finite = true;
  impl_->Restart(impl_->setup->start);
}

double Simulator::time() const { return impl_->now().time; }
double Simulator::step_size() const { return impl_->setup->step; }
const Scene& Simulator::scene() const { return *impl_->model().scene; }
const std::vector<std::string>& Simulator::inputs() const { return impl_->model().spatial.inputs; }

BodyState Simulator::body(std::string_view name) const {
  const Model& model = impl_->model();
  const int index = FindNamed(model.scene->bodies, model.scene->BodyIndex(name), name, "body");
  BodyState out;
  out.pose.resize(PoseSize(model.space));
  BodyPose(model, impl_->now(), index, std::span(out.pose.data(), static_cast<std::size_t>(out.pose.size())));
  out.velocity = impl_->now().v.segment(VelocitySize(model.space) * index, VelocitySize(model.space));
  return out;
}

void Simulator::SetBody(std::string_view name, const BodyState& state) {
  const Model& model = impl_->model();
  const int index = FindNamed(model.scene->bodies, model.scene->BodyIndex(name), name, "body");
  CheckSize("pose", state.pose.size(), PoseSize(model.space));
  CheckSize("velocity", state.velocity.size(), VelocitySize(model.space));
  Eigen::VectorXd all = this->state();
  all.segment(PoseSize(model.space) * index, PoseSize(model.space)) = state.pose;
  all.segment(PoseSize(model.space) * model.body_count() + VelocitySize(model.space) * index,
              VelocitySize(model.space)) = state.velocity;
  SetState(all);
}

JointState Simulator::joint(std::string_view name) const {
  const Model& model = impl_->model();
  const int index = FindNamed(model.scene->joints, model.scene->JointIndex(name), name, "joint");
  const JointType type = model.scene->joints[static_cast<std::size_t>(index)].type;
  if (type != JointType::kHinge && type != JointType::kSlider)
    throw InputError({}, Printable(name), "only a hinge or a slider has one coordinate.",
                     "Read the poses of its bodies.");
  const JointReading<double> reading = ReadJoint(model, impl_->now(), index);
  return {reading.coordinate, reading.rate};
}

void Simulator::SetJoint(std::string_view name, const JointState& state) {
  const Model& model = impl_->model();
  const int index = FindNamed(model.scene->joints, model.scene->JointIndex(name), name, "joint");
  // The scene places mechanisms by the angles of its joints: the same scene that starts here.
  Scene scene = *model.scene;
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    const Joint& joint = scene.joints[j];
    if (joint.type == JointType::kFixed) continue;
    if (joint.type != JointType::kHinge && joint.type != JointType::kSlider)
      throw InputError({}, "joints." + joint.name, "only hinges and sliders have coordinates that can be set.",
                       "Use SetBody or SetState.");
    const JointState requested = static_cast<int>(j) == index ? state : this->joint(joint.name);
    Initial* initial = nullptr;
    for (Initial& each : scene.initial)
      if (each.name == joint.name) initial = &each;
    if (initial == nullptr) {
      initial = &scene.initial.emplace_back();
      initial->name = joint.name;
      const bool slider = joint.type == JointType::kSlider;
      initial->angle =
          scene.Add({"initial." + joint.name + ".angle", 0, slider ? Quantity::kPosition : Quantity::kAngle, {}, true});
      initial->rate = scene.Add(
          {"initial." + joint.name + ".rate", 0, slider ? Quantity::kVelocity : Quantity::kAngularVelocity, {}, true});
    }
    const NumberId angle = initial->angle, rate = initial->rate;
    scene.Set(angle, requested.coordinate);
    scene.Set(rate, requested.rate);
  }
  std::vector<char> placed;
  for (const Body& body : scene.bodies) {
    bool posed = body.fixed;
    for (const Initial& each : scene.initial) posed = posed || (each.name == body.name && !each.position.empty());
    placed.push_back(posed);
  }
  State next = impl_->now();
  PlaceMechanism(CompileModel(std::move(scene)), placed, next);
  impl_->Restart(next);
}

int Simulator::state_size() const { return static_cast<int>(impl_->now().q.size() + impl_->now().v.size()); }
int Simulator::tangent_size() const { return static_cast<int>(2 * impl_->now().v.size()); }

Eigen::VectorXd Simulator::state() const {
  const Model& model = impl_->model();
  const State& now = impl_->now();
  Eigen::VectorXd out(state_size());
  for (int body = 0; body < model.body_count(); ++body) {
    const auto size = static_cast<std::size_t>(PoseSize(model.space));
    BodyPose(model, now, body, std::span(out.data() + size * static_cast<std::size_t>(body), size));
  }
  out.tail(now.v.size()) = now.v;
  return out;
}

void Simulator::SetState(const Eigen::Ref<const Eigen::VectorXd>& state, std::optional<double> time) {
  const Model& model = impl_->model();
  CheckSize("state", state.size(), state_size());
  if (!state.allFinite()) throw InputError({}, "state", "a number is not finite.", "Give finite numbers.");
  State next = impl_->now();
  for (int body = 0; body < model.body_count(); ++body) {
    const auto size = static_cast<std::size_t>(PoseSize(model.space));
    SetBodyPose(model, body, std::span(state.data() + size * static_cast<std::size_t>(body), size), next);
  }
  next.v = state.tail(next.v.size());
  next.time = time.value_or(next.time);
  impl_->finite = true;
  impl_->Restart(next);
}

Eigen::VectorXd Simulator::Plus(const Eigen::Ref<const Eigen::VectorXd>& state,
                                const Eigen::Ref<const Eigen::VectorXd>& increment) const {
  CheckSize("state", state.size(), state_size());
  CheckSize("increment", increment.size(), tangent_size());
  const Model& model = impl_->model();
  Eigen::VectorXd out = state;
  out.tail(tangent_size() / 2) += increment.tail(tangent_size() / 2);
  if (model.space == Space::kPlanar) {
    out.head(tangent_size() / 2) += increment.head(tangent_size() / 2);
    return out;
  }
  for (int body = 0; body < model.body_count(); ++body)
    out.segment<7>(7 * body) = BoxPlus<double>(SpatialPose<double>(state.segment<7>(7 * body)),
                                               Vector6<double>(increment.segment<6>(6 * body)));
  return out;
}

Eigen::VectorXd Simulator::Minus(const Eigen::Ref<const Eigen::VectorXd>& a,
                                 const Eigen::Ref<const Eigen::VectorXd>& b) const {
  CheckSize("a", a.size(), state_size());
  CheckSize("b", b.size(), state_size());
  const Model& model = impl_->model();
  const int half = tangent_size() / 2;
  Eigen::VectorXd out(tangent_size());
  out.tail(half) = a.tail(half) - b.tail(half);
  for (int body = 0; body < model.body_count(); ++body) {
    if (model.space == Space::kPlanar) {
      out.segment<3>(3 * body) = a.segment<3>(3 * body) - b.segment<3>(3 * body);
    } else {
      out.segment<6>(6 * body) =
          BoxMinus<double>(SpatialPose<double>(a.segment<7>(7 * body)), SpatialPose<double>(b.segment<7>(7 * body)));
    }
  }
  return out;
}

std::vector<ContactRow> Simulator::contacts() const {
  std::vector<ContactRow> rows;
  if (!impl_->stepped) return rows;
  const bool patches = impl_->setup->stepper->info().patches;
  for (const ContactRecord& contact : impl_->rollout.step().contacts)
    rows.push_back(ContactRowOf(impl_->model(), patches, time(), contact));
  return rows;
}

const StepReport& Simulator::last_step() const { return impl_->report; }
double Simulator::kinetic_energy() const { return ComputeEnergy(impl_->model(), impl_->now()).kinetic; }
double Simulator::potential_energy() const { return ComputeEnergy(impl_->model(), impl_->now()).potential; }

MotionDerivatives Simulator::DifferentiateStep(std::string_view paths) {
  if (!impl_->stepped)
    throw InputError({}, "DifferentiateStep", "no step was taken since the state was set.", "Call Step first.");
  const std::shared_ptr<const Directions> directions = impl_->DirectionsOf(paths);
  impl_->Differentiate(*directions);
  const StepDerivatives& step = impl_->step_derivatives;
  const State& start = impl_->rollout.step().start;
  return impl_->AtEnd(
      *directions, step.end_by_start * impl_->FramesToCenters(start), impl_->step_by_inputs,
      step.end_by_start * CenterShift(impl_->model(), start, directions->numbers) + step.end_by_parameters);
}

void Simulator::TrackDerivatives(std::string_view paths) {
  impl_->tracked = impl_->DirectionsOf(paths);
  const State& start = impl_->now();
  impl_->by_start = impl_->FramesToCenters(start);
  impl_->by_inputs = Eigen::MatrixXd::Zero(tangent_size(), static_cast<Eigen::Index>(inputs().size()));
  impl_->by_numbers = CenterShift(impl_->model(), start, impl_->tracked->numbers);
}

MotionDerivatives Simulator::tracked_derivatives() const {
  if (!impl_->tracked)
    throw InputError({}, "tracked_derivatives", "derivatives are not tracked since the state was set.",
                     "Call TrackDerivatives first.");
  return impl_->AtEnd(*impl_->tracked, impl_->by_start, impl_->by_inputs, impl_->by_numbers);
}

}  // namespace ricochet
