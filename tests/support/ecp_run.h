// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Runs a scene with `ecp` step by step, with the solver's problem and solution in reach.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dynamics/energy.h"
#include "dynamics/kinematics.h"
#include "dynamics/loads.h"
#include "ricochet/scene.h"
#include "steppers/ecp/ecp.h"
#include "steppers/ecp/ecp_workspace.h"

namespace ricochet {

class EcpRun {
 public:
  explicit EcpRun(const Scene& scene) : model(CompileModel(scene)), state(InitialState(model)) {
    Ecp().Check(model);
    workspace = Ecp().MakeWorkspace(model);
    fired.assign(model.triggers.size(), 0);
  }

  const StepResult& Step(double h) {
    StepInputs inputs;
    fired_now = fired;
    inputs.fired = fired_now;
    Ecp().Step(model, state, inputs, h, *workspace, result);
    ++steps;
    result.end.time = steps * h;
    if (!model.triggers.empty()) UpdateTriggers(model, state, result.end, fired);
    state = result.end;
    return result;
  }

  EcpWorkspace& ecp() { return static_cast<EcpWorkspace&>(*workspace); }
  Vector3<double> position(int body = 0) const { return state.q.segment<3>(7 * body); }
  Quaternion<double> orientation(int body = 0) const { return state.q.segment<4>(7 * body + 3); }
  Vector3<double> velocity(int body = 0) const { return state.v.segment<3>(6 * body); }
  Vector3<double> spin(int body = 0) const { return state.v.segment<3>(6 * body + 3); }
  /// Angle about the vertical of a body that stays level [rad].
  double yaw(int body = 0) const { return 2 * std::atan2(state.q[7 * body + 6], state.q[7 * body + 3]); }

  Model model;
  State state;
  std::unique_ptr<Workspace> workspace;
  StepResult result;
  std::vector<char> fired, fired_now;
  long steps = 0;
};

}  // namespace ricochet
