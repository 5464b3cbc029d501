// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Every joint: rows vanish where they should, their Jacobians are their derivatives, motions are what the rows leave.
#include <gtest/gtest.h>

#include <Eigen/QR>

#include "dynamics/joint_angle.h"
#include "dynamics/joint_configuration.h"
#include "dynamics/kinematics.h"
#include "math/manifold.h"
#include "tests/support/derivative_check.h"
#include "tests/support/mechanisms.h"

namespace ricochet {
namespace {

const char* const kTypes[] = {"hinge", "slider", "ball", "fixed", "universal", "distance"};

Scene TwoBodies(const std::string& type) {
  const bool turns = type == "hinge" || type == "slider";
  return ParseScene(
      "ricochet: 1\nspace: spatial\nbodies:\n  P: {mass: 1, inertia: [1.0e-2, 2.0e-2, 1.5e-2], center_of_mass: [0.01, "
      "0.02, 0]}\n"
      "  C: {mass: 0.5, inertia: [1.0e-2, 2.0e-2, 1.5e-2]}\njoints:\n  j:\n    type: " +
          type +
          "\n    parent: P\n    child: C\n    parent_frame: {point: [0.1, 0, 0.05], axis: [0, 0.6, 0.8], zero: [1, 0, "
          "0]}\n"
          "    child_frame: {point: [-0.1, 0.02, 0], axis: [0, 0, 1], zero: [0.8, 0.6, 0]}\n" +
          (type == "distance" ? "    length: 0.2\n" : "") +
          "initial:\n  P: {position: [0.3, 0.1, 0], orientation: [0.9, 0.1, -0.3, 0.2], velocity: [0.1, 0.2, 0.3], "
          "angular_velocity: [1, -2, 0.5]}\n" +
          (turns ? "  j: {angle: 0.4, rate: -0.7}\n" : "") + "simulation: {method: spook}\n",
      type);
}

struct Poses {
  SpatialPose<double> parent, child;
};

MassPose<double> AsMassPose(const SpatialPose<double>& q) { return {q.head<3>(), RotationMatrix<double>(q.tail<4>())}; }

TEST(Joints, RowsVanishWhereTheJointPutsTheChildAndAlongItsMotion) {
  for (const char* type : kTypes) {
    const Model model = CompileModel(TwoBodies(type));
    const State state = InitialState(model);
    const SpatialJoint<double>& joint = model.spatial.joints[0];
    const auto frames =
        FramesOf<double>(model.spatial, joint, AsMassPose(state.q.head<7>()), AsMassPose(state.q.tail<7>()));
    const auto rows = RowsOf<double>(joint, frames);
    EXPECT_EQ(rows.count, RowCount(joint));
    EXPECT_LE(rows.g.cwiseAbs().maxCoeff(), 1e-14) << type;
    EXPECT_LE((rows.J_parent * state.v.head<6>() + rows.J_child * state.v.tail<6>()).cwiseAbs().maxCoeff(), 1e-14)
        << type;
    if (joint.type == JointType::kHinge || joint.type == JointType::kSlider) {
      const auto reading = ReadJoint(model, state, 0);
      EXPECT_NEAR(reading.coordinate, 0.4, 1e-14) << type;
      EXPECT_NEAR(reading.rate, -0.7, 1e-14) << type;
    }
  }
}

TEST(Joints, JacobiansAreTheDerivativesOfTheRowsAndMotionsOfTheCoordinates) {
  RandomVectors random(61);
  for (const char* type : kTypes) {
    const Model model = CompileModel(TwoBodies(type));
    const SpatialJoint<double>& joint = model.spatial.joints[0];
    // Away from the constraint too, where products of rows and violations would show.
    State state = InitialState(model);
    const Poses at{state.q.head<7>(),
                   BoxPlus<double>(SpatialPose<double>(state.q.tail<7>()), Vector6<double>(0.05 * random.Vector<6>()))};
    const auto frames_at = [&](const Poses& p) {
      return FramesOf<double>(model.spatial, joint, AsMassPose(p.parent), AsMassPose(p.child));
    };
    const auto plus = [](const Poses& p, const Eigen::VectorXd& d) {
      return Poses{BoxPlus<double>(p.parent, Vector6<double>(d.head<6>())),
                   BoxPlus<double>(p.child, Vector6<double>(d.tail<6>()))};
    };
    const auto rows = RowsOf<double>(joint, frames_at(at));
    Eigen::MatrixXd J(6, 12);
    J << rows.J_parent, rows.J_child;
    const auto g = [&](const Poses& p) { return Eigen::VectorXd(RowsOf<double>(joint, frames_at(p)).g); };
    EXPECT_TRUE(IsJacobian(J, g, at, plus, 12, kVectorMinus, {.step = 1e-3, .tolerance = 1e-9})) << type;
    if (joint.type == JointType::kHinge) continue;  // its rate uses the child's axis, the same only on the constraint
    if (joint.type != JointType::kSlider) continue;
    const auto motion = MotionsOf<double>(joint, frames_at(at)).motion[0];
    Eigen::MatrixXd Jm(1, 12);
    Jm << motion.J_parent.transpose(), motion.J_child.transpose();
    const auto x = [&](const Poses& p) {
      return Eigen::VectorXd::Constant(1, MotionsOf<double>(joint, frames_at(p)).motion[0].coordinate);
    };
    EXPECT_TRUE(IsJacobian(Jm, x, at, plus, 12, kVectorMinus, {.step = 1e-3, .tolerance = 1e-9}));
  }
}

TEST(Joints, RowsAndMotionsTogetherSpanAllDirections) {
  for (const char* type : kTypes) {
    const Model model = CompileModel(TwoBodies(type));
    const State state = InitialState(model);
    const SpatialJoint<double>& joint = model.spatial.joints[0];
    const auto frames =
        FramesOf<double>(model.spatial, joint, AsMassPose(state.q.head<7>()), AsMassPose(state.q.tail<7>()));
    const auto rows = RowsOf<double>(joint, frames);
    const auto motions = MotionsOf<double>(joint, frames);
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(rows.count + motions.count, 6);
    J.topRows(rows.count) = rows.J_child.topRows(rows.count);
    for (int m = 0; m < motions.count; ++m) J.row(rows.count + m) = motions.motion[m].J_child.transpose();
    EXPECT_EQ(J.colPivHouseholderQr().rank(), J.rows()) << type;
    if (joint.type != JointType::kDistance) {
      EXPECT_EQ(J.rows(), 6) << type;
    }
  }
}

TEST(JointConfiguration, LoopsCloseAtTheGivenAngle) {
  const Model model = CompileModel(FourBar(1e-8));
  const State state = InitialState(model);
  EXPECT_NEAR(ReadJoint(model, state, 0).coordinate, 1.2, 1e-12);
  EXPECT_NEAR(ReadJoint(model, state, 0).rate, 3, 1e-12);
  for (int j = 0; j < 4; ++j) {
    const SpatialJoint<double>& joint = model.spatial.joints[j];
    const auto pose = [&](int body) {
      return body < 0 ? MassPose<double>{} : AsMassPose(state.q.segment<7>(7 * body));
    };
    const auto rows =
        RowsOf<double>(joint, FramesOf<double>(model.spatial, joint, pose(joint.parent), pose(joint.child)));
    EXPECT_LE(rows.g.cwiseAbs().maxCoeff(), 1e-12) << j;
  }
}

TEST(JointAngle, CountsTurnsFromTheInitialAngle) {
  const Model model = CompileModel(TwoBodies("hinge"));
  TurnCounter turns(model);
  double angle = 0.4;
  for (int k = 0; k < 50; ++k, angle += 0.9) {
    const double seen = std::remainder(angle, 2 * M_PI);
    EXPECT_NEAR(turns.Count(0, seen), angle, 1e-12);
  }
}

}  // namespace
}  // namespace ricochet
