// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/urdf_import.h"

#include <algorithm>

#include "ricochet/scene.h"
#include "scene/urdf/read_urdf.h"
#include "scene/urdf/urdf_bodies.h"
#include "scene/urdf/write_urdf_scene.h"

namespace ricochet {
namespace {

/// Parses the scene. What is wrong in it is wrong in the file: the message names the line there.
void CheckUrdfScene(const UrdfRobot& robot, const std::string& scene) {
  try {
    ParseScene(scene, robot.file);
  } catch (const InputError& error) {
    int line = 0;
    std::string name = error.path();
    for (const UrdfLink& link : robot.links)
      if (!link.body.empty() && error.path().starts_with("bodies." + link.body)) {
        line = link.line;
        name = link.name + error.path().substr(7 + link.body.size());
      }
    throw InputError({robot.file, line, 0}, name, error.problem(), error.remedy());
  }
}

}  // namespace

std::string ConvertUrdf(std::string_view text, const std::string& name_in_messages, const UrdfOptions& options) {
  UrdfRobot robot = ReadUrdf(text, name_in_messages);
  // The link `world` needs no element of its own.
  const auto is_world = [](const UrdfLink& link) { return link.name == "world"; };
  if (std::any_of(robot.joints.begin(), robot.joints.end(),
                  [](const UrdfJoint& joint) { return joint.parent == "world"; }) &&
      std::none_of(robot.links.begin(), robot.links.end(), is_world))
    robot.links.emplace_back().name = "world";
  const int root = FindUrdfRoot(robot);
  UrdfLink& base = robot.links[root];
  // A single link is a body to be thrown, not a robot on its base.
  const bool floating = options.floating || (robot.joints.empty() && base.mass > 0);
  if (is_world(base)) base.mass = 0;
  JoinUrdfParts(root, robot);
  const std::string scene = WriteUrdfScene(root, floating, robot);
  CheckUrdfScene(robot, scene);
  return scene;
}

}  // namespace ricochet
