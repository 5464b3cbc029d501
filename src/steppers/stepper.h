// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A stepper advances a state by one step and can be differentiated. It is const and holds no numbers: numbers come from
// the model, scratch is in a Workspace that one thread owns, and a step is a function of its arguments.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/option_info.h"
#include "dynamics/state.h"
#include "model/model.h"
#include "result/contact_record.h"

namespace ricochet {

/// What is known from outside during one step.
struct StepInputs {
  std::span<const double> u;      // motor inputs at the start of the step, in the model's order
  std::span<const double> u_end;  // and at its end (for `interpolation: linear`)
  std::span<const char> fired;    // per trigger of the model: fires in this step; empty: none
};

enum class StepStatus {
  kSolved,
  kFailed,  // the contact problem was not solved to tolerance; the state is the best reached
};

/// Outcome of one step. Vectors keep their capacity from step to step, so that nothing is allocated in the long run.
struct StepResult {
  State start, end;
  double h = 0;                         // [s]
  std::vector<ContactRecord> contacts;  // closed contacts
  std::vector<int> modes;               // the active set, as Differentiate of the same stepper needs it
  Eigen::VectorXd multipliers;          // joint and constraint impulses (spook), in the stepper's order
  double residual = 0;                  // of the complementarity problem, relative
  double dissipated = 0;                // energy lost to contacts and joints in this step [J]
  double created = 0;                   // kinetic energy that contacts added to the velocity without contact, which
                                        // Newton's restitution with friction can do; at least 0 [J]
  int attempts = 1;                     // solver attempts, or halvings of the step
  int iterations = 0;                   // of the solver: linear systems solved, at most per body
  StepStatus status = StepStatus::kSolved;
};

/// A result of which nothing is known yet but its start, and its end's time; storage is kept.
inline void BeginResult(const State& start, double h, StepResult& out) {
  out.start = start;
  out.end.q.resizeLike(start.q);
  out.end.v.resizeLike(start.v);
  out.end.time = start.time + h;
  out.h = h;
  out.contacts.clear();
  out.modes.clear();
  out.residual = out.dissipated = out.created = 0;
  out.attempts = 1;
  out.iterations = 0;
  out.status = StepStatus::kSolved;
}

/// Derivatives of the end state with respect to the start state and to numbers of the scene, in tangent spaces: a state
/// has nq_t + nv coordinates, poses first (planar x, y, theta; spatial translation, then rotation increment on the
/// world side, see math/manifold.h), then velocities.
struct StepDerivatives {
  Eigen::MatrixXd end_by_start;
  Eigen::MatrixXd end_by_parameters;  // one column per requested number
};

/// Scratch of one thread. Each stepper derives its own.
class Workspace {
 public:
  virtual ~Workspace() = default;
};

/// What a stepper is and what it can do. No code outside a stepper's room compares its name: capabilities decide.
struct StepperInfo {
  std::string_view name;     // as in the scene file
  std::string_view summary;  // one line: what it is for
  std::string_view paper;
  bool planar = false, spatial = false;
  bool joints = false;
  bool body_contacts = false;   // contact between bodies
  bool restitution = false;     // impacts rebound
  bool soft = false;            // joints and contacts give way: they have a compliance
  bool exact = false;           // the motion does not depend on the step
  bool jumps = false;           // contacts close on the grid of steps: the motion jumps, as its start or a parameter
                                // changes, where one closes a step earlier or later
  bool undoes_overlap = false;  // an overlap at the start of a step is gone at its end
  bool patches = false;         // distinguishes point, line and surface contact; needs the patch's friction ellipsoid
  bool intersections = false;   // shapes given by inequalities
  bool refined_laws = false;    // compliance, rounding, and a restitution that depends on speed
  bool drag = false;            // of bodies
  std::span<const OptionInfo> options{};  // of simulation.options in the scene
};

/// Receives states as they come; return false to stop the run.
class StepSink {
 public:
  virtual ~StepSink() = default;
  virtual bool OnStep(const StepResult& step) = 0;
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual StepperInfo info() const = 0;

  /// Throws InputError when the scene has what this stepper cannot do, naming what to use instead, or options that it
  /// does not have.
  void Check(const Model& model) const;

  virtual std::unique_ptr<Workspace> MakeWorkspace(const Model& model) const = 0;

  virtual void Step(const Model& model, const State& start, const StepInputs& inputs, double h, Workspace& workspace,
                    StepResult& out) const = 0;

  /// Derivatives of a step that was taken, its active set held. `parameters` are numbers of the scene.
  virtual void Differentiate(const Model& model, const StepResult& step, const StepInputs& inputs,
                             std::span<const NumberId> parameters, Workspace& workspace,
                             StepDerivatives& out) const = 0;

  /// Derivative of the end state with respect to a change of each motor input that lasts over the whole step, the
  /// active set held: one column per input of the model. Zero for steppers without joints, whose models have no inputs.
  virtual void DifferentiateInputs(const Model& model, const StepResult& step, const StepInputs& inputs,
                                   Workspace& workspace, Eigen::MatrixXd& end_by_inputs) const;

 private:
  /// Throws InputError for what its capabilities and options do not say.
  virtual void CheckModel(const Model& /*model*/) const {}
};

/// Every stepper there is.
std::vector<const Stepper*> AllSteppers();

/// The stepper of this name. Throws InputError (with the scene's position of `method`) for an unknown one.
const Stepper& FindStepper(std::string_view name, const SourcePosition& where = {});

/// The stepper that a scene names. Throws InputError where it names none, or one that does not exist.
const Stepper& StepperOf(const Scene& scene);

/// "moreau, ecp or spook": steppers with a property, for messages.
std::string NamesOfSteppers(const std::function<bool(const StepperInfo&)>& have);

/// What a stepper can do, in words.
std::vector<std::string_view> CapabilitiesOf(const StepperInfo& info);

}  // namespace ricochet
