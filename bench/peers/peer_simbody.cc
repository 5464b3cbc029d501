// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Simbody: compliant contact (Hunt and Crossley) of balls of 1 mm at the corners against a half space, stiffness 1e6
// N/m^1.5-like units of its material, dissipation (1 - e) for speeds near 1 m/s, and its semi-explicit integrator of
// second order with error control (accuracy 1e-3). A step is the interval h that it is asked to advance by.
#include <Simbody.h>

#include <memory>

#include "works.h"

namespace ricochet::peers {
namespace {

class SimbodyWorld final : public PeerWorld {
 public:
  SimbodyWorld(const BodyKind& kind, double h) : h_(h), kind_(kind) { Build(0.4, 0.25); }

  void SetLaw(double friction, double restitution) override { Build(friction, restitution); }
  void Reset(const BodyState& s) override {
    SimTK::State state = parts_->system.getDefaultState();
    body_->setQToFitTransform(
        state, SimTK::Transform(SimTK::Rotation(SimTK::Quaternion(s.orientation[0], s.orientation[1], s.orientation[2],
                                                                  s.orientation[3])),
                                SimTK::Vec3(s.position[0], s.position[1], s.position[2])));
    parts_->system.realize(state, SimTK::Stage::Position);
    body_->setUToFitVelocity(
        state, SimTK::SpatialVec(SimTK::Vec3(s.angular_velocity[0], s.angular_velocity[1], s.angular_velocity[2]),
                                 SimTK::Vec3(s.velocity[0], s.velocity[1], s.velocity[2])));
    integrator_ = std::make_unique<SimTK::SemiExplicitEuler2Integrator>(parts_->system);
    integrator_->setAccuracy(1e-3);
    stepper_ = std::make_unique<SimTK::TimeStepper>(parts_->system, *integrator_);
    stepper_->initialize(state);
  }
  void Run(int steps) override { stepper_->stepTo(stepper_->getTime() + steps * h_); }
  BodyState Get() const override {
    const SimTK::State& state = stepper_->getState();
    parts_->system.realize(state, SimTK::Stage::Velocity);
    const SimTK::Transform pose = body_->getBodyTransform(state);
    const SimTK::SpatialVec twist = body_->getBodyVelocity(state);
    const SimTK::Quaternion q = pose.R().convertRotationToQuaternion();
    return {.position = {pose.p()[0], pose.p()[1], pose.p()[2]},
            .velocity = {twist[1][0], twist[1][1], twist[1][2]},
            .angular_velocity = {twist[0][0], twist[0][1], twist[0][2]},
            .orientation = {q[0], q[1], q[2], q[3]}};
  }

 private:
  void Build(double friction, double restitution) {
    stepper_.reset();
    integrator_.reset();
    body_.reset();
    parts_ = std::make_unique<Parts>();
    auto& [system, matter, forces, contacts] = *parts_;
    forces.setNumberOfThreads(1);
    SimTK::Force::UniformGravity(forces, matter, SimTK::Vec3(0, 0, -9.81));
    const SimTK::ContactSetIndex set = contacts.createContactSet();
    contacts.addBody(set, matter.Ground(), SimTK::ContactGeometry::HalfSpace(),
                     SimTK::Transform(SimTK::Rotation(0.5 * SimTK::Pi, SimTK::YAxis)));
    const SimTK::Body::Rigid rigid(SimTK::MassProperties(
        kind_.mass, SimTK::Vec3(0), SimTK::Inertia(kind_.inertia[0], kind_.inertia[1], kind_.inertia[2])));
    body_ = std::make_unique<SimTK::MobilizedBody::Free>(matter.Ground(), rigid);
    constexpr double kCorner = 1e-3;
    int surfaces = 1;
    if (kind_.ball) {
      contacts.addBody(set, *body_, SimTK::ContactGeometry::Sphere(kind_.size[0]), SimTK::Transform());
      ++surfaces;
    } else {
      for (int i = 0; i < 8; ++i, ++surfaces) {
        SimTK::Vec3 p;
        for (int k = 0; k < 3; ++k) p[k] = (i >> k & 1 ? 1 : -1) * (0.5 * kind_.size[k] - kCorner);
        contacts.addBody(set, *body_, SimTK::ContactGeometry::Sphere(kCorner), SimTK::Transform(p));
      }
    }
    SimTK::HuntCrossleyForce contact(forces, contacts, set);
    for (int i = 0; i < surfaces; ++i)
      contact.setBodyParameters(SimTK::ContactSurfaceIndex(i), 1e7, 1 - restitution, friction, friction, 0);
    contact.setTransitionVelocity(1e-3);
    system.realizeTopology();
  }

  /// Forces keep references to the others.
  struct Parts {
    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter{system};
    SimTK::GeneralForceSubsystem forces{system};
    SimTK::GeneralContactSubsystem contacts{system};
  };

  double h_;
  BodyKind kind_;
  std::unique_ptr<Parts> parts_;
  std::unique_ptr<SimTK::MobilizedBody::Free> body_;
  std::unique_ptr<SimTK::SemiExplicitEuler2Integrator> integrator_;
  std::unique_ptr<SimTK::TimeStepper> stepper_;
};

}  // namespace
}  // namespace ricochet::peers

int main(int argc, char** argv) {
  using namespace ricochet::peers;
  return RunWorks(
      "simbody", "Hunt-Crossley contact of 1 mm corners, SemiExplicitEuler2, accuracy 1e-3",
      [](const BodyKind& kind, double h) -> std::unique_ptr<PeerWorld> {
        return std::make_unique<SimbodyWorld>(kind, h);
      },
      argc, argv);
}
