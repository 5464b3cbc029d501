// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Xie's scenario 1, the cube that slides on a plane, in two popular engines (Xie fig. 6c, 6d): position of the center
// over time. The result is tests/data/crosscheck/xie_engines.csv.
//
//   build-bench/bench/engines_xie > tests/data/crosscheck/xie_engines.csv
//
// Cube of 1 m and 1 kg, velocity (4, 3, 0) m/s, friction 0.12, gravity 9.8, step 0.01 s, 4 s. As in the paper both
// engines stand the cube on four contact points and ODE uses dContactApprox1. Friction coefficients multiply in Bullet,
// so one body has 0.12 and the other 1.
#include <btBulletDynamicsCommon.h>
#include <ode/ode.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

struct Row {
  double x, y;
};

constexpr int kSteps = 400;
constexpr double kStep = 0.01, kFriction = 0.12, kGravity = 9.8;

std::vector<Row> RunBullet() {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity(btVector3(0, 0, -kGravity));
  btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
  btRigidBody ground(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &plane));
  ground.setFriction(1);
  world.addRigidBody(&ground);
  btBoxShape box(btVector3(0.5, 0.5, 0.5));
  btVector3 inertia;
  box.calculateLocalInertia(1, inertia);
  btDefaultMotionState motion(btTransform(btQuaternion::getIdentity(), btVector3(0, 0, 0.5)));
  btRigidBody cube(btRigidBody::btRigidBodyConstructionInfo(1, &motion, &box, inertia));
  cube.setFriction(kFriction);
  cube.setRestitution(0);
  cube.setActivationState(DISABLE_DEACTIVATION);
  cube.setLinearVelocity(btVector3(4, 3, 0));
  world.addRigidBody(&cube);
  std::vector<Row> rows = {{0, 0}};
  for (int k = 0; k < kSteps; ++k) {
    world.stepSimulation(kStep, 0, kStep);
    const btVector3 p = cube.getCenterOfMassPosition();
    rows.push_back({p.x(), p.y()});
  }
  world.removeRigidBody(&cube);
  world.removeRigidBody(&ground);
  return rows;
}

struct OdeWorld {
  dWorldID world;
  dJointGroupID contacts;
};

void Touch(void* data, dGeomID a, dGeomID b) {
  const auto* ode = static_cast<OdeWorld*>(data);
  dContact contact[4];
  const int count = dCollide(a, b, 4, &contact[0].geom, sizeof(dContact));
  for (int i = 0; i < count; ++i) {
    contact[i].surface.mode = dContactApprox1;
    contact[i].surface.mu = kFriction;
    dJointAttach(dJointCreateContact(ode->world, ode->contacts, &contact[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

std::vector<Row> RunOde() {
  dInitODE2(0);
  OdeWorld ode{dWorldCreate(), dJointGroupCreate(0)};
  dWorldSetGravity(ode.world, 0, 0, -kGravity);
  dSpaceID space = dSimpleSpaceCreate(nullptr);
  dCreatePlane(space, 0, 0, 1, 0);
  dBodyID cube = dBodyCreate(ode.world);
  dMass mass;
  dMassSetBoxTotal(&mass, 1, 1, 1, 1);
  dBodySetMass(cube, &mass);
  dGeomID box = dCreateBox(space, 1, 1, 1);
  dGeomSetBody(box, cube);
  dBodySetPosition(cube, 0, 0, 0.5);
  dBodySetLinearVel(cube, 4, 3, 0);
  std::vector<Row> rows = {{0, 0}};
  for (int k = 0; k < kSteps; ++k) {
    dSpaceCollide(space, &ode, &Touch);
    dWorldStep(ode.world, kStep);
    dJointGroupEmpty(ode.contacts);
    const dReal* p = dBodyGetPosition(cube);
    rows.push_back({p[0], p[1]});
  }
  dSpaceDestroy(space);
  dWorldDestroy(ode.world);
  dCloseODE();
  return rows;
}

}  // namespace

int main() {
  const std::vector<Row> bullet = RunBullet(), ode = RunOde();
  std::printf("# Xie scenario 1. Bullet %d.%02d, ODE (Debian libode-dev), made by bench/engines_xie.cc\n",
              btGetVersion() / 100, btGetVersion() % 100);
  std::printf("t,bullet.x,bullet.y,ode.x,ode.y\n");
  for (int k = 0; k <= kSteps; k += 10) {
    std::printf("%.2f,%.17g,%.17g,%.17g,%.17g\n", k * kStep, bullet[k].x, bullet[k].y, ode[k].x, ode[k].y);
  }
}
