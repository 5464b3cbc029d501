// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dynamics/loads.h"

namespace ricochet {

void UpdateTriggers(Space space, std::span<const LoadTrigger> triggers, const State& before, const State& after,
                    std::vector<char>& fired) {
  fired.resize(triggers.size());
  for (size_t i = 0; i < triggers.size(); ++i) {
    const LoadTrigger& trigger = triggers[i];
    const auto value = [&](const State& state) {
      return trigger.position ? state.q[trigger.body * PoseSize(space) + trigger.component]
                              : state.v[trigger.body * VelocitySize(space) + trigger.component];
    };
    fired[i] = value(before) > trigger.falls_to && value(after) <= trigger.falls_to;
  }
}

}  // namespace ricochet
