// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// DART: its own collision detector, LCP by Dantzig (its default), friction pyramid. The ground is a welded box with its
// top at z = 0.
#include <dart/dart.hpp>

#include "works.h"

namespace ricochet::peers {
namespace {

using dart::dynamics::BodyNode;
using dart::dynamics::CollisionAspect;
using dart::dynamics::DynamicsAspect;
using dart::dynamics::FreeJoint;
using dart::dynamics::ShapeNode;
using dart::dynamics::Skeleton;
using dart::dynamics::SkeletonPtr;

class DartWorld final : public PeerWorld {
 public:
  DartWorld(const BodyKind& kind, double h) : world_(dart::simulation::World::create()) {
    world_->setGravity({0, 0, -9.81});
    world_->setTimeStep(h);
    world_->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    const SkeletonPtr ground = Skeleton::create("ground");
    BodyNode* const floor = ground->createJointAndBodyNodePair<dart::dynamics::WeldJoint>().second;
    const auto slab = std::make_shared<dart::dynamics::BoxShape>(Eigen::Vector3d(200, 200, 1));
    ground_ = floor->createShapeNodeWith<CollisionAspect, DynamicsAspect>(slab);
    Eigen::Isometry3d down = Eigen::Isometry3d::Identity();
    down.translation().z() = -0.5;
    ground_->setRelativeTransform(down);
    world_->addSkeleton(ground);
    skeleton_ = Skeleton::create("body");
    const auto made = skeleton_->createJointAndBodyNodePair<FreeJoint>();
    joint_ = made.first;
    body_ = made.second;
    body_->setInertia(
        dart::dynamics::Inertia(kind.mass, Eigen::Vector3d::Zero(),
                                Eigen::Vector3d(kind.inertia[0], kind.inertia[1], kind.inertia[2]).asDiagonal()));
    dart::dynamics::ShapePtr shape;
    if (kind.ball) {
      shape = std::make_shared<dart::dynamics::SphereShape>(kind.size[0]);
    } else {
      shape = std::make_shared<dart::dynamics::BoxShape>(Eigen::Vector3d(kind.size[0], kind.size[1], kind.size[2]));
    }
    shape_ = body_->createShapeNodeWith<CollisionAspect, DynamicsAspect>(shape);
    world_->addSkeleton(skeleton_);
  }
  void SetLaw(double friction, double restitution) override {
    // The smaller friction of two bodies counts; restitutions multiply.
    ground_->getDynamicsAspect()->setFrictionCoeff(friction);
    ground_->getDynamicsAspect()->setRestitutionCoeff(1);
    shape_->getDynamicsAspect()->setFrictionCoeff(friction);
    shape_->getDynamicsAspect()->setRestitutionCoeff(restitution);
  }
  void Reset(const BodyState& s) override {
    world_->reset();
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.linear() =
        Eigen::Quaterniond(s.orientation[0], s.orientation[1], s.orientation[2], s.orientation[3]).toRotationMatrix();
    pose.translation() = Eigen::Vector3d(s.position[0], s.position[1], s.position[2]);
    joint_->setRelativeTransform(pose);
    joint_->setLinearVelocity({s.velocity[0], s.velocity[1], s.velocity[2]});
    joint_->setAngularVelocity({s.angular_velocity[0], s.angular_velocity[1], s.angular_velocity[2]});
  }
  void Run(int steps) override {
    for (int k = 0; k < steps; ++k) world_->step();
  }
  BodyState Get() const override {
    const Eigen::Isometry3d pose = body_->getWorldTransform();
    const Eigen::Quaterniond q(pose.rotation());
    const Eigen::Vector3d p = pose.translation(), v = body_->getLinearVelocity(), w = body_->getAngularVelocity();
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
  ShapeNode *ground_ = nullptr, *shape_ = nullptr;
};

}  // namespace
}  // namespace ricochet::peers

int main(int argc, char** argv) {
  using namespace ricochet::peers;
  return RunWorks(
      "dart", "DART collision detector, Dantzig LCP, friction pyramid",
      [](const BodyKind& kind, double h) -> std::unique_ptr<PeerWorld> { return std::make_unique<DartWorld>(kind, h); },
      argc, argv);
}
