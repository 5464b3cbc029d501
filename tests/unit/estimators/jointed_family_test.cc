// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/jointed/jointed_family.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dynamics/tree/tree_flow.h"
#include "reproduce/mechanism_recordings.h"
#include "ricochet/identify.h"

namespace ricochet {
namespace {

/// Angles and rates of both hinges after a quarter of a second of motion, and their derivatives by the values.
Eigen::VectorXd Moved(const JointedFamily& family, const Eigen::VectorXd& values, TreeRows* by) {
  const JointedInstance instance = family.Compile(values);
  FlowOptions options;
  options.step = 2e-3;
  options.tolerance = 1e-13;
  options.slides = family.slides();
  const TreeFlow flow(family.mechanism(), instance.constants, instance.parameters, options);
  const InputSignal inputs({0}, {{0.7}}, {InputSignal::Interpolation::kHold});
  TreeFlow::End end;
  EXPECT_TRUE(flow.Run({0.3, 1.2}, {0.8, -0.5}, 0, 0.25, inputs, by != nullptr, nullptr, end));
  const int n = family.dof();
  if (by) {
    by->resize(2 * n, family.size());
    *by << end.Sx.rightCols(family.size()), end.Sr.rightCols(family.size());
  }
  Eigen::VectorXd out(2 * n);
  for (int k = 0; k < n; ++k) out[k] = end.x[k], out[n + k] = end.r[k];
  return out;
}

TEST(JointedFamily, EffectsAreDerivativesByTheValues) {
  Scene scene = FrictionFuruta();
  scene.Set("joints.*.dry.radius", {0.5});
  scene.Set("joints.*.coulomb", {1e-3});
  scene.Set("bodies.*.drag.linear", {0.02});
  scene.Set("bodies.*.drag.quadratic", {0.03});
  scene.Set("joints.*.drive.stiffness", {0.01});
  for (const std::string paths :
       {"bodies.B.inertia[1] / bodies.B.mass, bodies.B.mass", "bodies.B.mass, bodies.B.inertia[1] / bodies.B.mass",
        "bodies.B.inertia[1] / bodies.B.mass, bodies.B.inertia[1]",
        "joints.hinge2.dry.radius * joints.hinge2.dry.friction, joints.hinge2.dry.friction",
        "joints.hinge1.dry.radius * joints.hinge1.dry.friction, joints.hinge1.motor.gain / bodies.A.mass, "
        "bodies.A.mass",
        "joints.*.coulomb, bodies.*.drag.linear, bodies.*.drag.quadratic", "joints.*.drive.stiffness, bodies.B.mass",
        "gravity.magnitude, joints.hinge2.child_frame.point[0]", "bodies.A.center_of_mass[0]",
        "bodies.B.center_of_mass", "joints.hinge2.parent_frame.point[0], joints.hinge2.parent_frame.point[1]"}) {
    const JointedFamily family(scene, ParsePathList(scene, paths));
    TreeRows by;
    Moved(family, family.start(), &by);
    for (int i = 0; i < family.size(); ++i) {
      Eigen::VectorXd up = family.start(), down = up;
      const double step = 1e-4 * (up[i] != 0 ? std::abs(up[i]) : 0.01);
      up[i] += step, down[i] -= step;
      const Eigen::VectorXd difference = (Moved(family, up, nullptr) - Moved(family, down, nullptr)) / (2 * step);
      EXPECT_LT((by.col(i) - difference).norm(), 2e-5 * difference.norm() + 1e-9)
          << paths << ", parameter " << i << "\n"
          << by.col(i).transpose() << "\n"
          << difference.transpose();
      EXPECT_GT(difference.norm(), 1e-6) << paths << ", parameter " << i;
    }
  }
}

/// Delay and offset as parts of ratios and products, too.
TEST(JointedFamily, SensorsFollowTheirParameters) {
  std::string text = FrictionFuruta().text;
  const std::string observe = "observe: [hinge1.angle, hinge2.angle]";
  text.replace(
      text.find(observe), observe.size(),
      "observe: {channels: [hinge1.angle, hinge2.angle], delay: 0.01, offset: {hinge2.angle: 0.02, hinge1.rate: 0.3}}");
  const Scene scene = ParseScene(text, "furuta");
  const JointedFamily family(scene, ParsePathList(scene,
                                                  "observe.delay, observe.offset.hinge2.angle, joints.hinge1.viscous, "
                                                  "observe.offset.hinge1.rate"));
  Eigen::VectorXd values = family.start();
  values[0] = 0.03, values[1] = -0.1;
  const JointedInstance instance = family.Compile(values);
  EXPECT_EQ(instance.delay, 0.03);
  EXPECT_EQ(instance.sensors[1].offset, -0.1);
  EXPECT_EQ(instance.sensors[0].rate_offset, 0.3);
  EXPECT_TRUE(instance.delay_by.isApprox(Eigen::RowVector4d(1, 0, 0, 0)));
  EXPECT_TRUE(instance.sensors_by[1].offset.isApprox(Eigen::RowVector4d(0, 1, 0, 0)));
  EXPECT_TRUE(instance.sensors_by[0].offset.isZero());
  EXPECT_TRUE(instance.sensors_by[0].rate_offset.isApprox(Eigen::RowVector4d(0, 0, 0, 1)));
  EXPECT_TRUE(instance.IsOfSensors(1));
  EXPECT_FALSE(instance.IsOfSensors(2));
  EXPECT_TRUE(instance.IsOfSensors(3));
}

/// The order in which a ratio and its denominator are named changes nothing, and both are right.
TEST(JointedFamily, RatioAndDenominatorInBothOrders) {
  const Scene truth = FrictionFuruta();
  MechanismRun run;
  run.angle = {0.1, 0.6};
  run.duration = 5;
  run.seed = 4;
  run.control = [](double t, const std::vector<double>&, const std::vector<double>&) {
    return 0.5 * std::sin(3 * 0.05 * std::floor(t / 0.05 + 1e-9));
  };
  const Recording recording = RecordMechanism(truth, run, "sine");
  Scene scene = truth;
  scene.Set("bodies.B.mass", {0.5});
  scene.Set("bodies.B.inertia[1]", {4.3e-3});
  IdentifyOptions options;
  options.method = "inverse-dynamics";
  const Estimate first =
      Identify(scene, {recording}, "bodies.B.inertia[1] / bodies.B.mass, bodies.B.mass", options).estimate;
  const Estimate second =
      Identify(scene, {recording}, "bodies.B.mass, bodies.B.inertia[1] / bodies.B.mass", options).estimate;
  ASSERT_TRUE(first.converged && second.converged);
  const EstimatedParameter &ratio = first.parameters[0], &mass = first.parameters[1];
  ASSERT_TRUE(ratio.value && mass.value && second.parameters[0].value && second.parameters[1].value);
  EXPECT_NEAR(*ratio.value, *second.parameters[1].value, 0.05 * *ratio.std);
  EXPECT_NEAR(*mass.value, *second.parameters[0].value, 0.05 * *mass.std);
  EXPECT_NEAR(*ratio.value, 4.1e-3 / 0.428, 4 * *ratio.std);
  EXPECT_NEAR(*mass.value, 0.428, 4 * *mass.std);
  EXPECT_LT(*mass.std, 0.02);
}

}  // namespace
}  // namespace ricochet
