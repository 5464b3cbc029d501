// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// ODE: dWorldQuickStep with 20 iterations (its default), up to 8 contacts with dContactApprox1 (friction by load), the
// first axis of its
// friction pyramid along the body's velocity; bounce above 1 cm/s, no damping, no sleeping.
#include <ode/ode.h>

#include <cmath>

#include "works.h"

namespace ricochet::peers {
namespace {

class OdeWorld final : public PeerWorld {
 public:
  OdeWorld(const BodyKind& kind, double h) : h_(h) {
    dInitODE2(0);
    world_ = dWorldCreate();
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0, 0, -9.81);
    plane_ = dCreatePlane(nullptr, 0, 0, 1, 0);
    body_ = dBodyCreate(world_);
    dMass mass;
    dMassSetParameters(&mass, kind.mass, 0, 0, 0, kind.inertia[0], kind.inertia[1], kind.inertia[2], 0, 0, 0);
    dBodySetMass(body_, &mass);
    geometry_ = kind.ball ? dCreateSphere(nullptr, kind.size[0])
                          : dCreateBox(nullptr, kind.size[0], kind.size[1], kind.size[2]);
    dGeomSetBody(geometry_, body_);
  }
  ~OdeWorld() override {
    dGeomDestroy(geometry_);
    dGeomDestroy(plane_);
    dJointGroupDestroy(contacts_);
    dWorldDestroy(world_);
    dCloseODE();
  }
  void SetLaw(double friction, double restitution) override {
    friction_ = friction;
    restitution_ = restitution;
  }
  void Reset(const BodyState& s) override {
    const dQuaternion q = {s.orientation[0], s.orientation[1], s.orientation[2], s.orientation[3]};
    dBodySetPosition(body_, s.position[0], s.position[1], s.position[2]);
    dBodySetQuaternion(body_, q);
    dBodySetLinearVel(body_, s.velocity[0], s.velocity[1], s.velocity[2]);
    dBodySetAngularVel(body_, s.angular_velocity[0], s.angular_velocity[1], s.angular_velocity[2]);
    dBodySetForce(body_, 0, 0, 0);
    dBodySetTorque(body_, 0, 0, 0);
  }
  void Run(int steps) override {
    for (int k = 0; k < steps; ++k) {
      dContactGeom found[8];
      const int count = dCollide(geometry_, plane_, 8, found, sizeof(dContactGeom));
      const dReal* const v = dBodyGetLinearVel(body_);
      const double speed = std::hypot(v[0], v[1]);
      for (int i = 0; i < count; ++i) {
        dContact contact{};
        contact.surface.mode = dContactApprox1 | (restitution_ > 0 ? dContactBounce : 0);
        contact.surface.mu = friction_;
        contact.surface.bounce = restitution_;
        contact.surface.bounce_vel = 0.01;
        if (speed > 1e-6) {
          contact.surface.mode |= dContactFDir1;
          contact.fdir1[0] = v[0] / speed;
          contact.fdir1[1] = v[1] / speed;
        }
        contact.geom = found[i];
        dJointAttach(dJointCreateContact(world_, contacts_, &contact), body_, nullptr);
      }
      dWorldQuickStep(world_, h_);
      dJointGroupEmpty(contacts_);
    }
  }
  BodyState Get() const override {
    const dReal *p = dBodyGetPosition(body_), *q = dBodyGetQuaternion(body_), *v = dBodyGetLinearVel(body_),
                *w = dBodyGetAngularVel(body_);
    return {.position = {p[0], p[1], p[2]},
            .velocity = {v[0], v[1], v[2]},
            .angular_velocity = {w[0], w[1], w[2]},
            .orientation = {q[0], q[1], q[2], q[3]}};
  }

 private:
  double h_, friction_ = 0, restitution_ = 0;
  dWorldID world_;
  dJointGroupID contacts_;
  dGeomID plane_, geometry_;
  dBodyID body_;
};

}  // namespace
}  // namespace ricochet::peers

int main(int argc, char** argv) {
  using namespace ricochet::peers;
  return RunWorks(
      "ode", "dWorldQuickStep, 20 iterations, friction pyramid by load, bounce above 1 cm/s",
      [](const BodyKind& kind, double h) -> std::unique_ptr<PeerWorld> { return std::make_unique<OdeWorld>(kind, h); },
      argc, argv);
}
