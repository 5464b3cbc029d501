// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A second simulator in Jongeneel's Tables II and III: Bullet in the place of Algoryx Dynamics. The campaigns of
// `reproduce jongeneel-tables` (simulated with `moreau`) are rolled out in Bullet on the paper's grid of friction and
// restitution; the cost (18) picks the best, and the test campaigns show how far the rest poses are off.
//
//   build-bench/bench/engines_jongeneel > src/reproduce/jongeneel_bullet.inc
//
// One row per box: friction, restitution, cost there, mean and standard deviation of the rest position's error [m] and
// of its yaw [rad].
#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "core/threads.h"
#include "estimators/tosses/toss_rollout.h"
#include "reproduce/toss_campaign.h"

namespace {

using namespace ricochet;

constexpr int kGrid = 21;
constexpr double kStep = 1.0 / 360;

/// Poses of the box at the frames of the toss.
std::vector<SpatialPose<double>> Roll(const JongeneelBox& box, double friction, double restitution,
                                      const PreparedToss& toss) {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity(btVector3(0, 0, btScalar(-9.81)));
  btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
  btRigidBody ground(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &plane));
  // Coefficients of the two multiply.
  ground.setFriction(1);
  ground.setRestitution(1);
  world.addRigidBody(&ground);
  const auto vector = [](double x, double y, double z) { return btVector3(btScalar(x), btScalar(y), btScalar(z)); };
  btBoxShape shape(vector(0.5 * box.size[0], 0.5 * box.size[1], 0.5 * box.size[2]));
  const SpatialPose<double>& p = toss.pose;
  const auto number = [](double x) { return static_cast<btScalar>(x); };
  const btQuaternion turned(number(p[4]), number(p[5]), number(p[6]), number(p[3]));
  btDefaultMotionState motion(btTransform(turned, vector(p[0], p[1], p[2])));
  btRigidBody body(btRigidBody::btRigidBodyConstructionInfo(btScalar(box.mass), &motion, &shape,
                                                            vector(box.inertia[0], box.inertia[1], box.inertia[2])));
  body.setFriction(btScalar(friction));
  body.setRestitution(btScalar(restitution));
  body.setActivationState(DISABLE_DEACTIVATION);
  body.setLinearVelocity(vector(toss.velocity[0], toss.velocity[1], toss.velocity[2]));
  body.setAngularVelocity(vector(toss.velocity[3], toss.velocity[4], toss.velocity[5]));
  world.addRigidBody(&body);
  std::vector<SpatialPose<double>> poses = {toss.pose};
  for (int frame = toss.start; frame < toss.end; ++frame) {
    world.stepSimulation(btScalar(kStep), 0, btScalar(kStep));
    const btVector3 at = body.getCenterOfMassPosition();
    const btQuaternion q = body.getOrientation();
    SpatialPose<double> pose;
    pose << at.x(), at.y(), at.z(), q.w(), q.x(), q.y(), q.z();
    poses.push_back(pose);
  }
  world.removeRigidBody(&body);
  world.removeRigidBody(&ground);
  return poses;
}

std::vector<PreparedToss> Prepare(const Model& model, const std::vector<Recording>& recordings) {
  std::vector<PreparedToss> tosses;
  for (const Recording& recording : recordings) {
    PreparedToss toss = PrepareToss(model, recording, {});
    if (toss.problem.empty()) tosses.push_back(std::move(toss));
  }
  return tosses;
}

/// Mean and standard deviation.
std::pair<double, double> Spread(const std::vector<double>& values) {
  double mean = 0, square = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) square += (value - mean) * (value - mean) / static_cast<double>(values.size() - 1);
  return {mean, std::sqrt(square)};
}

}  // namespace

int main() {
  for (std::size_t b = 0; b < JongeneelBoxes().size(); ++b) {
    const JongeneelBox& box = JongeneelBoxes()[b];
    const Model model = CompileModel(TossScene(box, box.friction, box.restitution));
    const std::vector<PreparedToss> tosses = Prepare(model, MakeCampaign(box, {.tosses = 12, .seed = b}));
    std::vector<double> costs(kGrid * kGrid, 0);
    ParallelFor(kGrid * kGrid, [&](int cell) {
      for (const PreparedToss& toss : tosses)
        costs[static_cast<std::size_t>(cell)] +=
            CompareToss(model, toss, Roll(box, 0.05 * (cell / kGrid), 0.05 * (cell % kGrid), toss)).trajectory_loss /
            static_cast<double>(tosses.size());
    });
    const std::size_t best = static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
    const double friction = 0.05 * static_cast<double>(best / kGrid),
                 restitution = 0.05 * static_cast<double>(best % kGrid);
    std::vector<double> position, yaw;
    for (const PreparedToss& toss : Prepare(model, MakeCampaign(box, {.tosses = 20, .seed = 100 + b}))) {
      const TossErrors errors = CompareToss(model, toss, Roll(box, friction, restitution, toss));
      if (errors.rest_position_error) position.push_back(*errors.rest_position_error);
      if (errors.rest_yaw_error) yaw.push_back(*errors.rest_yaw_error);
    }
    fmt::print("    {{{:.2f}, {:.2f}, {:.4f}, {:.4f}, {:.4f}, {:.4f}, {:.4f}}},  // {}\n", friction, restitution,
               costs[best], Spread(position).first, Spread(position).second, Spread(yaw).first, Spread(yaw).second,
               box.name);
  }
}
