// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Bullet: the discrete world with its sequential impulses, 10 iterations (its default); a plane shape, no sleeping.
// Friction and restitution of two bodies multiply, so the ground has 1 of both; bounce above
// 1 cm/s. Debian's library is in single precision.
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "works.h"

namespace ricochet::peers {
namespace {

btVector3 Vector(const std::array<double, 3>& x) {
  return {static_cast<btScalar>(x[0]), static_cast<btScalar>(x[1]), static_cast<btScalar>(x[2])};
}

class BulletWorld final : public PeerWorld {
 public:
  BulletWorld(const BodyKind& kind, double h)
      : dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_),
        h_(static_cast<btScalar>(h)) {
    world_.setGravity({0, 0, btScalar(-9.81)});
    world_.getSolverInfo().m_restitutionVelocityThreshold = btScalar(0.01);
    ground_ = std::make_unique<btRigidBody>(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &plane_));
    ground_->setFriction(1);
    ground_->setRestitution(1);
    world_.addRigidBody(ground_.get());
    if (kind.ball) {
      shape_ = std::make_unique<btSphereShape>(static_cast<btScalar>(kind.size[0]));
    } else {
      shape_ = std::make_unique<btBoxShape>(Vector(kind.size) * btScalar(0.5));
    }
    body_ = std::make_unique<btRigidBody>(btRigidBody::btRigidBodyConstructionInfo(
        static_cast<btScalar>(kind.mass), nullptr, shape_.get(), Vector(kind.inertia)));
    body_->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(body_.get());
  }
  ~BulletWorld() override {
    world_.removeRigidBody(body_.get());
    world_.removeRigidBody(ground_.get());
  }
  void SetLaw(double friction, double restitution) override {
    body_->setFriction(static_cast<btScalar>(friction));
    body_->setRestitution(static_cast<btScalar>(restitution));
  }
  void Reset(const BodyState& s) override {
    world_.getBroadphase()->getOverlappingPairCache()->cleanProxyFromPairs(body_->getBroadphaseHandle(), &dispatcher_);
    const btTransform pose(
        btQuaternion(static_cast<btScalar>(s.orientation[1]), static_cast<btScalar>(s.orientation[2]),
                     static_cast<btScalar>(s.orientation[3]), static_cast<btScalar>(s.orientation[0])),
        Vector(s.position));
    body_->setCenterOfMassTransform(pose);
    body_->setInterpolationWorldTransform(pose);
    body_->setLinearVelocity(Vector(s.velocity));
    body_->setAngularVelocity(Vector(s.angular_velocity));
    body_->clearForces();
  }
  void Run(int steps) override {
    for (int k = 0; k < steps; ++k) world_.stepSimulation(h_, 0, h_);
  }
  BodyState Get() const override {
    const btVector3 p = body_->getCenterOfMassPosition(), v = body_->getLinearVelocity(),
                    w = body_->getAngularVelocity();
    const btQuaternion q = body_->getOrientation();
    return {.position = {p.x(), p.y(), p.z()},
            .velocity = {v.x(), v.y(), v.z()},
            .angular_velocity = {w.x(), w.y(), w.z()},
            .orientation = {q.w(), q.x(), q.y(), q.z()}};
  }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  btStaticPlaneShape plane_{btVector3(0, 0, 1), 0};
  std::unique_ptr<btRigidBody> ground_, body_;
  std::unique_ptr<btCollisionShape> shape_;
  btScalar h_;
};

}  // namespace
}  // namespace ricochet::peers

int main(int argc, char** argv) {
  using namespace ricochet::peers;
  return RunWorks(
      "bullet", "discrete world, sequential impulses, 10 iterations, warm start, no sleeping",
      [](const BodyKind& kind, double h) -> std::unique_ptr<PeerWorld> {
        return std::make_unique<BulletWorld>(kind, h);
      },
      argc, argv);
}
