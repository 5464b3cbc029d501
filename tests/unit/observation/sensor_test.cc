// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "observation/sensor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "math/se3.h"
#include "observation/without_observation.h"
#include "tests/support/derivative_check.h"

namespace ricochet {
namespace {

const char kSpatial[] = R"(ricochet: 1
space: spatial
bodies:
  floor_block: {shape: {box: {size: [1, 1, 1]}}, fixed: true}
  box: {shape: {box: {size: [0.2, 0.1, 0.1]}}, mass: 1, center_of_mass: [0.01, 0.02, -0.01]}
initial: {floor_block: {position: [9, 9, 9]}}
observe:
  length_scale: 1.1
  offset: {x: 0.5, box.z: -0.25, tip.y: 0.125}
  frame: {position: [0.03, -0.01, 0.02], rotation: [0.3, -0.2, 0.5]}
  points: {tip: [0.1, 0.05, -0.05]}
)";

const char kPlanar[] = R"(ricochet: 1
space: planar
bodies: {disc: {shape: {circle: {radius: 0.1}}, mass: 1, center_of_mass: [0.01, -0.02]}}
observe:
  length_scale: 1.1
  offset: {x: 0.5, disc.theta: 0.25, tip.y: 0.125}
  frame: {position: [0.03, -0.01], rotation: 0.4}
  points: {tip: [0.1, 0.05]}
)";

std::vector<double> NumbersOf(const Scene& scene) {
  std::vector<double> values;
  for (const SceneNumber& number : scene.numbers()) values.push_back(number.value);
  return values;
}

/// Some pose at the center of mass.
SpatialPose<double> SomePose() {
  SpatialPose<double> pose;
  pose << 0.3, -0.4, 0.8, ExpSO3(Vector3<double>(0.7, -1.1, 0.4));
  return pose;
}

TEST(SpatialSensor, RecordsTheFrameAndThePointOfTheBody) {
  const Scene scene = ParseScene(kSpatial, "scene.yaml");
  const ObservationNumbers numbers = FindObservationNumbers(scene);
  const std::vector<double> values = NumbersOf(scene);
  ASSERT_EQ(numbers.frames.size(), 2u);
  // The body frame is where the center of mass is -p_BBcm away; then by composition of poses.
  const SpatialPose<double> pose = SomePose();
  const Quaternion<double> q = pose.tail<4>();
  const SE3<double> X_WB = {pose.head<3>() - Rotate<double>(q, Vector3<double>(0.01, 0.02, -0.01)), q};
  const SE3<double> X_BF = {Vector3<double>(0.03, -0.01, 0.02), ExpSO3(Vector3<double>(0.3, -0.2, 0.5))};
  const SE3<double> X_WF = X_WB * X_BF;
  const SpatialSensor<double> frame(numbers.frames[1], scene);
  const SpatialPose<double> recorded = frame.Pose(pose);
  EXPECT_LT((recorded.head<3>() - (1.1 * X_WF.p + Vector3<double>(0.5, 0, -0.25))).norm(), 1e-15);
  EXPECT_LT((recorded.tail<4>() - X_WF.q).norm(), 1e-15);
  const SpatialPose<double> body = frame.BodyPose(recorded);
  EXPECT_LT((body.head<3>() - X_WB.p).norm(), 1e-15);
  EXPECT_LT((body.tail<4>() - q).norm(), 1e-15);
  EXPECT_LT((frame.CenterPose(recorded) - pose).norm(), 1e-15);
  EXPECT_LT((frame.PoseOfBody(body) - recorded).norm(), 1e-15);

  const SpatialSensor<double> point(numbers.points[0], values);
  EXPECT_EQ(numbers.points[0].body, 1);
  const Vector3<double> p_WP = X_WB * Vector3<double>(0.1, 0.05, -0.05);
  EXPECT_LT((point.Position(pose) - (1.1 * p_WP + Vector3<double>(0, 0.125, 0))).norm(), 1e-15);
}

TEST(SpatialSensor, DerivativesByPoseAndByNumbers) {
  Scene scene = ParseScene(kSpatial, "scene.yaml");
  const ObservationNumbers numbers = FindObservationNumbers(scene);
  std::vector<NumberId> varied = scene.Match("observe.frame");
  for (const char* path : {"bodies.box.mass", "observe.length_scale", "observe.offset.x", "observe.offset.box.z",
                           "bodies.box.center_of_mass", "observe.points.tip", "observe.offset.tip.y"})
    for (const NumberId id : scene.Match(path)) varied.push_back(id);
  const SpatialPose<double> pose = SomePose();
  for (const SensorNumbers& of : {numbers.frames[1], numbers.points[0]}) {
    const std::vector<double> values = NumbersOf(scene);
    const SpatialSensor<double> sensor(of, values);
    const auto by_pose = [&](const SpatialPose<double>& x) { return sensor.Pose(x); };
    EXPECT_TRUE(IsJacobian(ByPose(sensor, pose), by_pose, pose, kPosePlus, 6, kPoseMinus));

    Eigen::MatrixXd analytic = Eigen::MatrixXd::Zero(6, static_cast<Eigen::Index>(varied.size()));
    for (const SensorDependence& dependence : FindDependences(of, varied))
      analytic.col(dependence.entry) += ByNumber(sensor, pose, dependence);
    const auto by_number = [&](const Eigen::VectorXd& x) {
      std::vector<double> moved = values;
      for (std::size_t i = 0; i < varied.size(); ++i)
        moved[static_cast<std::size_t>(varied[i].index)] = x[static_cast<Eigen::Index>(i)];
      return SpatialSensor<double>(of, moved).Pose(pose);
    };
    Eigen::VectorXd at(varied.size());
    for (std::size_t i = 0; i < varied.size(); ++i) at[static_cast<Eigen::Index>(i)] = scene[varied[i]];
    const auto plus = [](const Eigen::VectorXd& x, const Eigen::VectorXd& d) { return Eigen::VectorXd(x + d); };
    EXPECT_TRUE(IsJacobian(analytic, by_number, at, plus, static_cast<int>(at.size()), kPoseMinus));
  }
}

TEST(SpatialSensor, ResidualOnTheManifold) {
  const SpatialPose<double> recorded = SomePose();
  Vector6<double> away;
  away << 0.01, 0.02, -0.03, 0.4, -0.8, 1.2;
  const SpatialPose<double> predicted = BoxPlus<double>(recorded, away);
  const PoseResidual residual = ResidualOf(predicted, recorded, 1e-3, 1e-2);
  EXPECT_LT((residual.value.head<3>() - away.head<3>() / 1e-3).norm(), 1e-12);
  EXPECT_LT((residual.value.tail<3>() - away.tail<3>() / 1e-2).norm(), 1e-12);
  const auto value = [&](const SpatialPose<double>& x) { return ResidualOf(x, recorded, 1e-3, 1e-2).value; };
  EXPECT_TRUE(IsJacobian(residual.by_predicted, value, predicted, kPosePlus, 6, kVectorMinus));
}

TEST(PlanarSensor, RecordsTheFrameAndThePointOfTheBody) {
  const Scene scene = ParseScene(kPlanar, "scene.yaml");
  const ObservationNumbers numbers = FindObservationNumbers(scene);
  const std::vector<double> values = NumbersOf(scene);
  const PlanarPose<double> pose(0.3, -0.4, 2.1);
  const Eigen::Rotation2Dd R(2.1);
  const Eigen::Vector2d p_WB = Eigen::Vector2d(0.3, -0.4) - R * Eigen::Vector2d(0.01, -0.02);
  const PlanarSensor<double> frame(numbers.frames[0], scene);
  const PlanarPose<double> recorded = frame.Pose(pose);
  EXPECT_LT((recorded.head<2>() - (1.1 * (p_WB + R * Eigen::Vector2d(0.03, -0.01)) + Eigen::Vector2d(0.5, 0))).norm(),
            1e-15);
  EXPECT_NEAR(recorded[2], 2.1 + 0.4 + 0.25, 1e-15);
  const PlanarPose<double> body = frame.BodyPose(recorded);
  EXPECT_LT((body.head<2>() - p_WB).norm(), 1e-15);
  EXPECT_NEAR(body[2], 2.1, 1e-15);
  EXPECT_LT((frame.CenterPose(recorded) - pose).norm(), 1e-15);
  EXPECT_LT((frame.PoseOfBody(body) - recorded).norm(), 1e-15);
  const PlanarSensor<double> point(numbers.points[0], values);
  EXPECT_LT((point.Position(pose) - (1.1 * (p_WB + R * Eigen::Vector2d(0.1, 0.05)) + Eigen::Vector2d(0, 0.125))).norm(),
            1e-15);
}

TEST(PlanarSensor, JetsCarryDerivativesByPoseAndByNumbers) {
  const Scene scene = ParseScene(kPlanar, "scene.yaml");
  const ObservationNumbers numbers = FindObservationNumbers(scene);
  std::vector<NumberId> varied = scene.Match("observe.frame");
  for (const char* path :
       {"observe.length_scale", "observe.offset.x", "observe.offset.disc.theta", "bodies.disc.center_of_mass"})
    for (const NumberId id : scene.Match(path)) varied.push_back(id);
  constexpr int kSize = 11;
  ASSERT_EQ(varied.size() + 3, kSize);
  Eigen::VectorXd at(kSize);
  at.head<3>() << 0.3, -0.4, 2.1;
  for (std::size_t i = 0; i < varied.size(); ++i) at[static_cast<Eigen::Index>(3 + i)] = scene[varied[i]];
  const auto record = [&]<class T>(const Eigen::Matrix<T, Eigen::Dynamic, 1>& x) {
    std::vector<T> values;
    for (const SceneNumber& number : scene.numbers()) values.emplace_back(number.value);
    for (std::size_t i = 0; i < varied.size(); ++i)
      values[static_cast<std::size_t>(varied[i].index)] = x[static_cast<Eigen::Index>(3 + i)];
    return PlanarSensor<T>(numbers.frames[0], values).Pose(PlanarPose<T>(x[0], x[1], x[2]));
  };
  Eigen::Matrix<Jet<kSize>, Eigen::Dynamic, 1> seeded(kSize);
  for (int i = 0; i < kSize; ++i) seeded[i] = Jet<kSize>::Variable(at[i], i);
  const PlanarPose<Jet<kSize>> jets = record(seeded);
  Eigen::MatrixXd jacobian(3, kSize);
  for (int k = 0; k < 3; ++k) jacobian.row(k) = jets[k].v.transpose();
  const auto value = [&](const Eigen::VectorXd& x) { return Eigen::VectorXd(record(x)); };
  EXPECT_TRUE(IsJacobian(jacobian, value, at));
}

TEST(WithoutObservation, BodyFramesAreRecordedAsTheyAre) {
  const Scene scene = WithoutObservation(ParseScene(kSpatial, "scene.yaml"));
  const SpatialSensor<double> frame(FindObservationNumbers(scene).frames[1], scene);
  EXPECT_EQ(frame.PoseOfBody(SomePose()), SomePose());
  EXPECT_EQ(scene[scene.Find("bodies.box.center_of_mass[0]")], 0.01);
  EXPECT_EQ(scene[scene.Find("observe.points.tip[0]")], 0.1);
}

TEST(ObservationNumbers, OffsetsBelongToTheirColumns) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: spatial\nbodies:\n  A: {mass: 1, inertia: [1, 1, 1]}\n  B: {mass: 1, inertia: [1, 1, 1]}\n"
      "joints: {h: {type: hinge, parent: A, child: B, parent_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, "
      "0]}, child_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}}}\n"
      "observe: {channels: [h.rate], offset: {x: 1, B.y: 2, h.angle: 3}}\n",
      "scene.yaml");
  const ObservationNumbers numbers = FindObservationNumbers(scene);
  EXPECT_EQ(scene[numbers.frames[0].offset[0]], 1);
  EXPECT_FALSE(numbers.frames[1].offset[0]);  // columns without a prefix are those of the first body
  EXPECT_EQ(scene[numbers.frames[1].offset[1]], 2);
  EXPECT_FALSE(numbers.frames[0].offset[1]);
  EXPECT_EQ(scene[numbers.joints[0].angle_offset], 3);
  EXPECT_EQ(scene[numbers.joints[0].rate_offset], 0);  // observed, and so has a number
}

}  // namespace
}  // namespace ricochet
