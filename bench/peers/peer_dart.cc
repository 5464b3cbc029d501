// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// DART: its own collision detector of boxes and spheres, boxed LCP by Dantzig's method (its default), friction as a
// pyramid of two directions, restitution by the product of both shapes' coefficients. One world is reused; a reset
// clears the contacts remembered.
#include <dart/dart.hpp>
#include <memory>

#include "works.h"

namespace ricochet::peers {
namespace {

using namespace dart::dynamics;

class DartWorld final : public PeerWorld {
 public:
  DartWorld(const BodyKind& kind, double h) : world_(dart::simulation::World::create()) {
    world_->setGravity(Eigen::Vector3d(0, 0, -9.81));
    world_->setTimeStep(h);
    world_->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());

    const SkeletonPtr ground = Skeleton::create("ground");
    BodyNode* floor = ground->createJointAndBodyNodePair<WeldJoint>().second;
    floor_ = floor->createShapeNodeWith<CollisionAspect, DynamicsAspect>(
        std::make_shared<BoxShape>(Eigen::Vector3d(100, 100, 1)));
    floor_->setRelativeTranslation(Eigen::Vector3d(0, 0, -0.5));
    world_->addSkeleton(ground);

    skeleton_ = Skeleton::create("body");
    auto [joint, body] = skeleton_->createJointAndBodyNodePair<FreeJoint>();
    joint_ = joint;
    body_ = body;
    ShapePtr shape;
    if (kind.ball) {
      shape = std::make_shared<SphereShape>(kind.size[0]);
    } else {
      shape = std::make_shared<BoxShape>(Eigen::Vector3d(kind.size[0], kind.size[1], kind.size[2]));
    }
    shape_ = body_->createShapeNodeWith<CollisionAspect, DynamicsAspect>(shape);
    Inertia inertia;
    inertia.setMass(kind.mass);
    inertia.setMoment(kind.inertia[0], kind.inertia[1], kind.inertia[2], 0, 0, 0);
    body_->setInertia(inertia);
    world_->addSkeleton(skeleton_);
  }

  void SetLaw(double friction, double restitution) override {
    // The smaller friction and the product of restitutions count.
    for (ShapeNode* node : {floor_, shape_}) node->getDynamicsAspect()->setFrictionCoeff(friction);
    floor_->getDynamicsAspect()->setRestitutionCoeff(1);
    shape_->getDynamicsAspect()->setRestitutionCoeff(restitution);
  }
  void Reset(const BodyState& s) override {
    world_->getConstraintSolver()->clearLastCollisionResult();
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.linear() =
        Eigen::Quaterniond(s.orientation[0], s.orientation[1], s.orientation[2], s.orientation[3]).toRotationMatrix();
    pose.translation() << s.position[0], s.position[1], s.position[2];
    joint_->setTransform(pose, Frame::World());
    joint_->setLinearVelocity(Eigen::Vector3d(s.velocity[0], s.velocity[1], s.velocity[2]));
    joint_->setAngularVelocity(Eigen::Vector3d(s.angular_velocity[0], s.angular_velocity[1], s.angular_velocity[2]));
  }
  void Run(int steps) override {
    for (int k = 0; k < steps; ++k) world_->step();
  }
  BodyState Get() const override {
    const Eigen::Isometry3d pose = body_->getTransform();
    const Eigen::Quaterniond q(pose.linear());
    const Eigen::Vector3d v = body_->getLinearVelocity(), w = body_->getAngularVelocity(), p = pose.translation();
    return {.position = {p[0], p[1], p[2]},
            .velocity = {v[0], v[1], v[2]},
            .angular_velocity = {w[0], w[1], w[2]},
            .orientation = {q.w(), q.x(), q.y(), q.z()}};
  }

 private:
  dart::simulation::WorldPtr world_;
  SkeletonPtr skeleton_;
  FreeJoint* joint_ = nullptr;
  BodyNode* body_ = nullptr;
  ShapeNode *floor_ = nullptr, *shape_ = nullptr;
};

}  // namespace
}  // namespace ricochet::peers

int main(int argc, char** argv) {
  using namespace ricochet::peers;
  return RunWorks(
      "dart", "its own collision detector, boxed LCP by Dantzig",
      [](const BodyKind& kind, double h) -> std::unique_ptr<PeerWorld> { return std::make_unique<DartWorld>(kind, h); },
      argc, argv);
}
