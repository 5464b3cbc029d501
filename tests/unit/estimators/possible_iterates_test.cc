// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// No method ever computes a motion with values that no body has, wherever it starts.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "estimators/mechanism/motion_problem.h"
#include "dataset/joint_reading.h"
#include "estimators/mechanism/shadow_problem.h"
#include "estimators/planar_trajectory/track_problem.h"
#include "estimators/program/joint_fit.h"
#include "estimators/regression/regression_problem.h"
#include "estimators/spatial_trajectory/spatial_fit.h"
#include "estimators/tosses/toss_problem.h"
#include "reproduce/mechanism_recordings.h"
#include "reproduce/plywood.h"
#include "reproduce/toss_campaign.h"
#include "ricochet/simulate.h"
#include "tests/support/mechanisms.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

void Scale(Scene& scene, const std::string& path, double factor) {
  scene.Set(path, {factor * scene[scene.Find(path)]});
}

/// Sees every vector of values that a method makes a model of.
class Watch {
 public:
  explicit Watch(const ParameterMap& map) : map_(map) {
    map.Watch([this](const Eigen::VectorXd& values) {
      ++seen_;
      if (!map_.IsPossible(values)) ++impossible_;
    });
  }
  ~Watch() { map_.Watch({}); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void Expect() const {
    EXPECT_GT(seen_, 3);
    EXPECT_EQ(impossible_, 0) << "of " << seen_;
  }

 private:
  const ParameterMap& map_;
  std::atomic<int> seen_{0}, impossible_{0};
};

TEST(PossibleIterates, PlanarTrajectory) {
  Scene scene = PlywoodBlindScene();
  Scale(scene, "bodies.ellipse.inertia", 0.2);
  const auto family = std::make_shared<const PlanarFamily>(scene, ParsePathList(scene, kPlywoodPaths), 0);
  const Watch watch(family->parameters());
  std::vector<PlanarTrack> tracks;
  for (int seed = 0; seed < 2; ++seed)
    tracks.push_back(MakePlanarTrack(scene, PlywoodRecording(0.3, 5e-3, 60, seed), 0));
  TrackProblem problem(family, tracks, {});
  EXPECT_TRUE(problem.Search().found);
  watch.Expect();
}

TEST(PossibleIterates, Joint) {
  const Scene scene = PlywoodBlindScene();
  const auto family = std::make_shared<const PlanarFamily>(scene, ParsePathList(scene, kPlywoodPaths), 0);
  const Watch watch(family->parameters());
  EXPECT_TRUE(FitJoint(*family, MakePlanarTrack(scene, PlywoodRecording(0.3, 5e-3, 120, 1), 0)).usable);
  watch.Expect();
}

TEST(PossibleIterates, SpatialTrajectory) {
  Scene scene = ReadScene(testing::DataPath("truth/patch/puck_thick.yaml"));
  scene.Set("initial.body.position[2]", {0.0504});
  SimulateOptions options;
  options.rate = 170;
  options.duration = 0.25;
  options.noise_position = options.noise_angle = 1e-3;
  const Recording recording = Simulate(scene, options).recording;
  for (const char* moment : {"bodies.body.inertia[0]", "bodies.body.inertia[1]", "bodies.body.inertia[2]"})
    Scale(scene, moment, 8);
  const SpatialFamily family(scene, ParsePathList(scene, "contact.friction, bodies.body.inertia"));
  const Watch watch(family.parameters());
  SpatialFit fit(family, {MakePoseTracks(scene, recording, family.moving())});
  EXPECT_TRUE(fit.Search().found);
  watch.Expect();
}

TEST(PossibleIterates, Tosses) {
  const JongeneelBox& box = JongeneelBoxes()[2];
  const Scene scene = TossScene(box, box.friction, box.restitution);
  const SpatialFamily family(scene, ParsePathList(scene, "contact.friction, contact.restitution, bodies.*.inertia"));
  const Watch watch(family.parameters());
  CampaignOptions options;
  options.tosses = 2;
  TossLikelihoodProblem problem(family, TossSet(family, MakeCampaign(box, options), {}), 0);
  FitPoint from{family.start(), {}};
  for (Eigen::Index i = 2; i < from.values.size(); ++i) from.values[i] *= 3;
  problem.Search({}, &from);
  watch.Expect();
}

TEST(PossibleIterates, Regression) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  e: {shape: {ellipse: {semi_axes: [1, 0.5]}}, "
      "mass: 90, inertia: 40}\nsurfaces:\n  s: {line: {point: [0, 0], angle: 0}}\ncontact: {friction: 0.3, "
      "restitution: 0.5}\nsimulation: {method: event, step: 0.001, duration: 1}\n",
      "impacts.yaml");
  const PlanarFamily family(scene, ParsePathList(scene, "bodies.e.inertia, bodies.e.mass"), 0);
  const Watch watch(family.parameters());
  // Impacts of a body of 1.7 kg and 0.6 kg m^2 with known forces.
  Random random(3);
  ImpactBlock block;
  for (int i = 0; i < 8; ++i) {
    ImpactSample impact;
    impact.jx = random.Uniform(0.4, 0.9);
    impact.jy = random.Uniform(-0.7, 0.7);
    impact.gravity << 0, -9.81;
    impact.after << random.Uniform(-3, 3), random.Uniform(1, 4), 0;
    impact.step = 0.1;
    impact.force << random.Uniform(-30, 30), random.Uniform(-30, 30), random.Uniform(-30, 30);
    const double moment = 0.1 * (impact.force[2] - impact.jx * impact.force[0] - impact.jy * impact.force[1]);
    impact.after[2] = (1.7 * impact.Moment() + moment) / 0.6;
    impact.jump_variance << 0.01, 0.01, 0.09;
    block.impacts.push_back(impact);
  }
  block.used.assign(block.impacts.size(), 1);
  RegressionProblem problem(family, {block});
  const FitPoint from{family.start(), {}};
  const Fit fit = problem.Search({}, &from);
  EXPECT_NEAR(fit.point.values[1], 1.7, 0.01);
  watch.Expect();
}

/// A rod on a hinge, with moments that are wrong by `factor`.
Scene Pendulum(double factor) {
  Scene scene = RodOnHinge(1e-4, 4e-3, 2);
  for (const char* moment : {"bodies.rod.inertia[0]", "bodies.rod.inertia[1]", "bodies.rod.inertia[2]"})
    Scale(scene, moment, factor);
  return scene;
}

RecordedTrack Swing(const JointedFamily& family) {
  MechanismRun run;
  run.angle = {1.4};
  run.rate = {0.0};
  run.duration = 2;
  run.noise = 1e-3;
  run.seed = 5;
  const Recording recording = RecordMechanism(Pendulum(1), run, "swing");
  return {0, recording, MakeJointTrack(family.scene(), family.model(), family.mechanism(), recording)};
}

TEST(PossibleIterates, InverseDynamics) {
  for (const char* paths : {"bodies.rod.inertia[1], joints.hinge.viscous", "bodies.rod.inertia, joints.hinge.viscous"})
    for (const double factor : {0.1, 12.0}) {
      const Scene scene = Pendulum(factor);
      const auto family = std::make_shared<const JointedFamily>(scene, ParsePathList(scene, paths));
      MotionProblem problem(family, {Swing(*family)});
      const Watch watch(family->parameters());
      const FitPoint from{family->start(), {Eigen::Vector2d(1.4, 0)}};
      EXPECT_TRUE(problem.Search({}, &from).found) << paths << " " << factor;
      watch.Expect();
    }
}

TEST(PossibleIterates, PaperResiduals) {
  const Scene scene = Pendulum(6);
  const auto family =
      std::make_shared<const JointedFamily>(scene, ParsePathList(scene, "bodies.rod.inertia[1], joints.hinge.viscous"));
  const Watch watch(family->parameters());
  ShadowProblem problem(family, MakeShadowChains(*family, {Swing(*family).track}), {0}, 100);
  EXPECT_TRUE(problem.Search().found);
  watch.Expect();
}

}  // namespace
}  // namespace ricochet
