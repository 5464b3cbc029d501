// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dynamics/joint_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/dense.h"
#include "math/manifold.h"
#include "math/so2.h"

namespace ricochet {

namespace {

constexpr double kRedundant = 1e-10;  // relative size of equations that say nothing new

bool HasInitial(const Scene& scene, const std::string& name) {
  return std::any_of(scene.initial.begin(), scene.initial.end(), [&](const Initial& i) { return i.name == name; });
}

/// All rows of all joints and the coordinates the scene gives, with their Jacobian by body increments.
struct Equations {
  Eigen::VectorXd violation, rate_target;
  Eigen::MatrixXd J;
};

Equations Evaluate(const Model& model, const State& state) {
  const SpatialModel<double>& spatial = model.spatial;
  std::vector<double> numbers;
  for (const SceneNumber& number : model.scene->numbers()) numbers.push_back(number.value);
  Equations out;
  const Eigen::Index limit = 7 * static_cast<Eigen::Index>(spatial.joints.size());
  out.violation.setZero(limit);
  out.rate_target.setZero(limit);
  out.J.setZero(limit, 6 * static_cast<Eigen::Index>(spatial.bodies.size()));
  Eigen::Index row = 0;
  const auto pose = [&](int body) {
    if (body < 0) return MassPose<double>{};
    const auto q = state.q.segment<7>(7 * body);
    return MassPose<double>{q.head<3>(), RotationMatrix<double>(q.tail<4>())};
  };
  for (size_t j = 0; j < spatial.joints.size(); ++j) {
    const SpatialJoint<double>& joint = spatial.joints[j];
    const auto frames = FramesOf<double>(spatial, joint, pose(joint.parent), pose(joint.child));
    const auto rows = RowsOf<double>(joint, frames);
    for (int i = 0; i < rows.count; ++i, ++row) {
      out.violation[row] = rows.g[i];
      out.J.row(row).segment<6>(6 * joint.child) += rows.J_child.row(i);
      if (joint.parent >= 0) out.J.row(row).segment<6>(6 * joint.parent) += rows.J_parent.row(i);
    }
    if (!HasInitial(*model.scene, model.scene->joints[j].name)) continue;
    const auto [x, rate] = internal::GivenMotion<double>(*model.scene, static_cast<int>(j), numbers);
    const auto motion = MotionsOf<double>(joint, frames).motion[0];
    out.violation[row] = motion.angular ? WrapAngle(motion.coordinate - x) : motion.coordinate - x;
    out.rate_target[row] = rate;
    out.J.row(row).segment<6>(6 * joint.child) += motion.J_child.transpose();
    if (joint.parent >= 0) out.J.row(row).segment<6>(6 * joint.parent) += motion.J_parent.transpose();
    ++row;
  }
  out.violation.conservativeResize(row);
  out.rate_target.conservativeResize(row);
  out.J.conservativeResize(row, Eigen::NoChange);
  return out;
}

}  // namespace

PlacementPlan PlanPlacement(const Scene& scene, const std::vector<char>& placed) {
  PlacementPlan plan;
  std::vector<char> done = placed;
  std::vector<char> used(scene.joints.size(), 0);
  const auto is_placed = [&](const std::string& name) {
    const int body = scene.BodyIndex(name);
    return body < 0 || done[body];
  };
  // Joints with a given coordinate go first, and child before parent, so that angles mean what they say.
  for (bool progress = true; progress;) {
    progress = false;
    for (const bool given : {true, false}) {
      for (size_t j = 0; j < scene.joints.size() && !progress; ++j) {
        const Joint& joint = scene.joints[j];
        if (used[j] || HasInitial(scene, joint.name) != given) continue;
        const bool parent = is_placed(joint.parent), child = is_placed(joint.child);
        if (parent == child) continue;
        plan.steps.push_back({static_cast<int>(j), parent});
        done[scene.BodyIndex(parent ? joint.child : joint.parent)] = 1;
        used[j] = 1;
        progress = true;
      }
      if (progress) break;
    }
  }
  for (size_t j = 0; j < scene.joints.size(); ++j) {
    if (!used[j]) plan.loops.push_back(static_cast<int>(j));
  }
  for (size_t i = 0; i < done.size(); ++i) {
    if (!done[i]) plan.unplaced.push_back(static_cast<int>(i));
  }
  return plan;
}

double CloseLoops(const Model& model, const std::vector<char>& movable, State& state) {
  const int n = model.body_count();
  const auto mask = [&](Eigen::MatrixXd& J) {
    for (int i = 0; i < n; ++i) {
      if (!movable[i]) J.middleCols(6 * i, 6).setZero();
    }
  };
  double violation = 0;
  for (int iteration = 0; iteration < 100; ++iteration) {
    Equations at = Evaluate(model, state);
    violation = at.violation.size() == 0 ? 0 : at.violation.cwiseAbs().maxCoeff();
    mask(at.J);
    if (violation <= 1e-14) break;
    Eigen::VectorXd step = -SolveLeastNorm(at.J, at.violation, kRedundant);
    // A loop may start far away: turns of at most half a radian at a time.
    const double largest = step.cwiseAbs().maxCoeff();
    if (largest > 0.5) step *= 0.5 / largest;
    for (int i = 0; i < n; ++i) {
      SpatialPose<double> pose = state.q.segment<7>(7 * i);
      pose = BoxPlus<double>(pose, Vector6<double>(step.segment<6>(6 * i)));
      pose.tail<4>().normalize();
      state.q.segment<7>(7 * i) = pose;
    }
    if (largest <= 1e-15) break;
  }
  Equations at = Evaluate(model, state);
  violation = at.violation.size() == 0 ? 0 : at.violation.cwiseAbs().maxCoeff();
  const Eigen::VectorXd wrong = at.rate_target - at.J * state.v;
  mask(at.J);
  state.v += SolveLeastNorm(at.J, wrong, kRedundant);
  return violation;
}

void PlaceMechanism(const Model& model, const std::vector<char>& placed, State& state) {
  const Scene& scene = *model.scene;
  const PlacementPlan plan = PlanPlacement(scene, placed);
  if (!plan.unplaced.empty()) {
    const Body& body = scene.bodies[plan.unplaced.front()];
    throw InputError(
        body.where, "initial." + body.name, fmt::format("the scene does not define where {} starts.", body.name),
        fmt::format(
            "Add initial.{}: {{position: [...], orientation: [w, x, y, z]}}, or join it to a body with a defined pose.",
            body.name));
  }
  const int n = model.body_count();
  MechanismState<double> bodies;
  for (int i = 0; i < n; ++i) {
    bodies.p.emplace_back(state.q.segment<3>(7 * i));
    bodies.orientation.emplace_back(state.q.segment<4>(7 * i + 3));
    bodies.v.emplace_back(state.v.segment<6>(6 * i));
  }
  std::vector<double> numbers;
  for (const SceneNumber& number : scene.numbers()) numbers.push_back(number.value);
  PlaceBodies<double>(scene, model.spatial, numbers, plan, bodies);
  for (int i = 0; i < n; ++i) {
    state.q.segment<7>(7 * i) << bodies.p[i], bodies.orientation[i];
    state.v.segment<6>(6 * i) = bodies.v[i];
  }

  // Loops among bodies that joints placed. Bodies with poses of their own stay as they were given.
  std::vector<char> movable(n);
  for (int i = 0; i < n; ++i) movable[i] = !placed[i];
  for (const int j : plan.loops) {
    const SpatialJoint<double>& joint = model.spatial.joints[j];
    const bool given = (joint.parent < 0 || placed[joint.parent]) && placed[joint.child];
    if (given) continue;
    const double violation = CloseLoops(model, movable, state);
    if (violation > 1e-9)
      throw InputError(
          scene.joints[j].where, "joints." + scene.joints[j].name,
          fmt::format("the loop cannot be closed with these initial angles; a gap of {:.2g} m or rad remains.",
                      violation),
          "Give initial angles from which the mechanism can be assembled.");
    break;
  }
}

}  // namespace ricochet
