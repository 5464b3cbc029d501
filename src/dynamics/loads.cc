// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dynamics/loads.h"

#include "dynamics/kinematics.h"

namespace ricochet {

void UpdateTriggers(const Model& model, const State& before, const State& after, std::vector<char>& fired) {
  fired.resize(model.triggers.size());
  for (size_t i = 0; i < model.triggers.size(); ++i) {
    const LoadTrigger& trigger = model.triggers[i];
    const auto value = [&](const State& state) {
      if (!trigger.position) return state.v[trigger.body * VelocitySize(model.space) + trigger.component];
      double pose[7];  // as recordings hold it: of the body frame
      BodyPose(model, state, trigger.body, std::span(pose, PoseSize(model.space)));
      return pose[trigger.component];
    };
    fired[i] = value(before) > trigger.falls_to && value(after) <= trigger.falls_to;
  }
}

}  // namespace ricochet
