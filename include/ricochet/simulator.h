// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A simulation that you drive yourself, one step at a time, with derivatives:
//
//     Simulator simulator(scene);                                  // at the start that the scene gives
//     while (simulator.time() < 1.0) simulator.Step();             // or AdvanceTo(1.0)
//     const BodyState box = simulator.body("box");
//     const MotionDerivatives d = simulator.DifferentiateStep("contact.friction, bodies.box.mass");
//     // d.by_start = d(end)/d(start), d.by_inputs, d.by_parameters (2 columns), all of the last step
//
// Simulate (simulate.h) runs a whole scene and records it. Use a Simulator to choose inputs step by step (control), to
// set states (filters, sampling), or for derivatives of the motion (optimization).
//
// State. A state is the poses of all bodies, in scene order, then their velocities:
//
//                 pose of the body frame              velocity, world axes
//     planar      x, y, angle                         vx, vy, angular velocity
//     spatial     x, y, z, qw, qx, qy, qz             vx, vy, vz, wx, wy, wz
//
// Poses are those of the body frame and velocities those of the center of mass, as in recordings. [m, rad, s]
//
// Tangent coordinates. Derivatives have one row or column per tangent coordinate of a state: first those of all poses,
// then those of all velocities. A planar pose has dx, dy, dangle. A spatial pose has dx, dy, dz and a rotation vector
// in world axes that acts from the left, R -> exp(dw) R. A planar body has 6, a spatial one 12. Plus and Minus convert.
//
// Derivatives hold the contacts as the step found them: which are closed, stick or slide. At an instant where that
// changes they are those of one side. `by_parameters` holds the start state, so parameters below `initial` have no
// derivative here; multiply by_start by the change of the start instead.
//
// Cost and threads. Copies share the compiled scene and are cheap; each thread uses its own copy. A step allocates no
// memory once a few steps have been taken; derivatives allocate.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/recording.h"
#include "ricochet/scene.h"
#include "ricochet/simulate.h"

namespace ricochet {

struct SimulatorOptions {
  std::string method{};               // a stepper; empty: the scene's simulation.method
  std::optional<double> step{};       // [s], > 0; otherwise the scene's simulation.step
  const Recording* inputs = nullptr;  // motor inputs for Step() and AdvanceTo(); read when constructed. None: all 0
};

/// Pose and velocity of a body, in the order given above. At most 7 and 6 numbers, stored without the heap.
struct BodyState {
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 7, 1> pose;      // of the body frame: 3 (planar) or 7 (spatial) numbers
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> velocity;  // of the center of mass: 3 or 6 numbers
};

/// Coordinate of a hinge (within half a turn, [rad]) or slider [m], and its rate [rad/s or m/s].
struct JointState {
  double coordinate = 0;
  double rate = 0;
};

/// How the last step went.
struct StepReport {
  bool solved = true;     // the contact problem was solved to tolerance; otherwise the state is the best reached
  double residual = 0;    // of the contact problem, relative
  double dissipated = 0;  // energy taken by contacts and joints in this step [J]
  int attempts = 1;       // 1: solved at the first attempt
};

/// Derivatives of an end state in tangent coordinates (n rows), with respect to
struct MotionDerivatives {
  Eigen::MatrixXd by_start;       // the start state: n columns
  Eigen::MatrixXd by_inputs;      // a change of each motor input that lasts over the whole time: one column each
  Eigen::MatrixXd by_parameters;  // the parameters, in the order of their paths: one column each
};

class Simulator {
 public:
  /// Compiles the scene and goes to its initial state at t = 0. The scene and the recording are not needed afterwards.
  /// Throws InputError for scenes that the method cannot simulate, for a body without a start, and for a recording that
  /// lacks an input.
  explicit Simulator(const Scene& scene, const SimulatorOptions& options = {});
  Simulator(const Simulator& other);
  Simulator& operator=(const Simulator& other);
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;
  ~Simulator();

  // --- Motion.

  /// One step. Returns whether it was solved (last_step().solved). The state advances in either case. A state
  /// that is no longer finite stays as it is: all further steps return false.
  bool Step();
  /// One step with these motor inputs, held over the step, in the order of inputs(). Throws InputError for another
  /// number of inputs.
  bool Step(std::span<const double> inputs);
  /// Steps until time() is t or later. Returns whether every step was solved. Stops at a state that is not finite.
  bool AdvanceTo(double t);
  /// Back to the initial state at t = 0.
  void Reset();

  double time() const;       // [s]
  double step_size() const;  // [s]
  /// The scene that is simulated.
  const Scene& scene() const;
  /// Names of the motor inputs, in the order that Step takes and `by_inputs` has.
  const std::vector<std::string>& inputs() const;

  // --- State. Names that the scene does not have throw InputError with the nearest one.

  BodyState body(std::string_view name) const;
  /// Places a body. Numbers of pose and velocity must fit the space of the scene; quaternions are normalized.
  void SetBody(std::string_view name, const BodyState& state);

  /// Of a hinge or slider.
  JointState joint(std::string_view name) const;
  /// Moves the bodies that hang on the joint; the other joints keep their coordinates and rates. Throws InputError for
  /// mechanisms with ball, universal or distance joints, whose coordinates are not known: use SetBody or SetState.
  void SetJoint(std::string_view name, const JointState& state);

  /// The whole state as one vector, poses then velocities.
  Eigen::VectorXd state() const;
  /// The inverse; `time` [s] stays as it is unless given. Throws InputError for a vector of another size, or one that
  /// is not finite.
  void SetState(const Eigen::Ref<const Eigen::VectorXd>& state, std::optional<double> time = {});

  int state_size() const;    // of state()
  int tangent_size() const;  // rows of the derivatives
  /// The state moved by an increment in tangent coordinates, and the increment that leads from `b` to `a`.
  Eigen::VectorXd Plus(const Eigen::Ref<const Eigen::VectorXd>& state,
                       const Eigen::Ref<const Eigen::VectorXd>& increment) const;
  Eigen::VectorXd Minus(const Eigen::Ref<const Eigen::VectorXd>& a, const Eigen::Ref<const Eigen::VectorXd>& b) const;

  // --- The last step.

  /// Closed contacts of the last step. Empty before the first step and after the state was set.
  std::vector<ContactRow> contacts() const;
  const StepReport& last_step() const;
  /// Of all moving bodies at the present state [J]; the potential energy of gravity is 0 at the origin.
  double kinetic_energy() const;
  double potential_energy() const;

  // --- Derivatives. `paths` is a list as in ricochet/parameter.h: "contact.friction, bodies.e.inertia /
  // bodies.e.mass"; empty for none. Numbers that the scene derives from others follow these. Throws InputError for an
  // unknown path, and for one with respect to which motion is not differentiated: below `initial`, `simulation` and
  // `observe`, and times and thresholds of actions.

  /// Of the last step. Throws InputError if no step was taken since the state was set.
  MotionDerivatives DifferentiateStep(std::string_view paths = {});

  /// From the present state on, every step also updates the derivatives of the state with respect to this one
  /// (`start`), to a change of the inputs that lasts over all steps, and to parameters. Setting the state or Reset ends
  /// it.
  void TrackDerivatives(std::string_view paths = {});
  /// At the present state. Throws InputError unless TrackDerivatives was called.
  MotionDerivatives tracked_derivatives() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ricochet
