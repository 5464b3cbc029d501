// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "model/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace ricochet {

std::vector<LoadTrigger> CompileTriggers(const Scene& scene) {
  const std::vector<std::string> poses = scene.space == Space::kPlanar
                                             ? std::vector<std::string>{"x", "y", "theta"}
                                             : std::vector<std::string>{"x", "y", "z", "qw", "qx", "qy", "qz"};
  const std::vector<std::string> velocities = scene.space == Space::kPlanar
                                                  ? std::vector<std::string>{"vx", "vy", "omega"}
                                                  : std::vector<std::string>{"vx", "vy", "vz", "wx", "wy", "wz"};
  std::vector<LoadTrigger> triggers;
  for (const Action& action : scene.actions) {
    if (!action.when) continue;
    const std::string& quantity = action.when->quantity;
    const size_t dot = quantity.find('.');
    LoadTrigger trigger;
    const auto moves =
        std::find_if(scene.bodies.begin(), scene.bodies.end(), [](const Body& body) { return !body.fixed; });
    trigger.body = dot != std::string::npos      ? scene.BodyIndex(quantity.substr(0, dot))
                   : moves == scene.bodies.end() ? -1
                                                 : static_cast<int>(moves - scene.bodies.begin());
    const std::string column = dot == std::string::npos ? quantity : quantity.substr(dot + 1);
    const auto pose = std::find(poses.begin(), poses.end(), column);
    const auto velocity = std::find(velocities.begin(), velocities.end(), column);
    trigger.position = pose != poses.end();
    if (trigger.body < 0 || (!trigger.position && velocity == velocities.end()))
      throw InputError(action.where, "actions.when.quantity",
                       fmt::format("`{}` is not a pose or velocity of a body.", quantity),
                       "Events watch bodies: write body.vx, body.wz, body.z and the like.");
    trigger.component = static_cast<int>(trigger.position ? pose - poses.begin() : velocity - velocities.begin());
    trigger.falls_to = scene[action.when->falls_to];
    triggers.push_back(trigger);
  }
  return triggers;
}

}  // namespace ricochet
