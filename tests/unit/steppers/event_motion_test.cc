// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Event-exact motion against motions known in closed form, against finite differences, and against itself in parts.
#include "steppers/event/event_motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dynamics/kinematics.h"
#include "steppers/event/event.h"

namespace ricochet {
namespace {

Scene MakeScene(const std::string& shape, double mass, double inertia, double angle, double friction,
                double restitution) {
  return ParseScene("ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  b:\n    shape: {" + shape +
                        "}\n    mass: " + std::to_string(mass) + "\n    inertia: " + std::to_string(inertia) +
                        "\nsurfaces:\n  s: {line: {point: [0, 0], angle: " + std::to_string(angle) +
                        "}}\ncontact: {friction: " + std::to_string(friction) +
                        ", restitution: " + std::to_string(restitution) + "}\n",
                    "scene.yaml");
}

EventMotion<double> MakeMotion(const Scene& scene) {
  std::vector<double> numbers;
  for (const SceneNumber& number : scene.numbers()) numbers.push_back(number.value);
  return EventMotion<double>(MakeEventBody(CompilePlanar<double>(scene, numbers), 0));
}

TEST(EventMotion, BouncingDiscComesToRestAtTheSumOfItsBounces) {
  // Dropped from height H with restitution e: rest after sqrt(2H/g) (1 + 2 e / (1 - e)).
  const double height = 0.5, e = 0.5, g = 9.81, fall = std::sqrt(2 * height / g);
  EventMotion<double> motion = MakeMotion(MakeScene("circle: {radius: 0.1}", 1, 0.005, 0, 0.3, e));
  motion.Start(0, {0, 0.1 + height, 0}, {0, 0, 0});
  // Top of the first bounce: e^2 H.
  motion.AdvanceTo(fall * (1 + e));
  EXPECT_NEAR(motion.q()[1], 0.1 + e * e * height, 1e-12);
  EXPECT_NEAR(motion.v()[1], 0, 1e-11);
  const double rest = fall * (1 + 2 * e / (1 - e));
  motion.AdvanceTo(rest - 1e-4);
  EXPECT_TRUE(motion.closed().empty());
  motion.AdvanceTo(rest + 1e-5);
  EXPECT_EQ(motion.closed().size(), 1u);
  EXPECT_NEAR(motion.q()[1], 0.1, 1e-12);
}

TEST(EventMotion, DiscRollsDownAnInclineAndSlidesWhenItIsTooSteep) {
  const double radius = 0.1, slope = -0.3, g = 9.81;
  const Eigen::Vector3d start(-std::sin(slope) * radius, std::cos(slope) * radius, 0);
  // Rolls for mu >= tan(0.3) / 3: acceleration 2/3 g sin.
  EventMotion<double> rolls = MakeMotion(MakeScene("circle: {radius: 0.1}", 1, 0.005, slope, 0.2, 0));
  rolls.Start(0, start, {0, 0, 0});
  rolls.AdvanceTo(1);
  EXPECT_NEAR(std::hypot(rolls.v()[0], rolls.v()[1]), 2.0 / 3 * g * std::sin(0.3), 1e-9);
  EXPECT_NEAR(rolls.v()[2], -2.0 / 3 * g * std::sin(0.3) / radius, 1e-8);
  EXPECT_NEAR(rolls.summary().friction_needed, std::tan(0.3) / 3, 1e-9);
  // Slides for less: g (sin - mu cos).
  EventMotion<double> slides = MakeMotion(MakeScene("circle: {radius: 0.1}", 1, 0.005, slope, 0.05, 0));
  slides.Start(0, start, {0, 0, 0});
  slides.AdvanceTo(1);
  EXPECT_NEAR(std::hypot(slides.v()[0], slides.v()[1]), g * (std::sin(0.3) - 0.05 * std::cos(0.3)), 1e-9);
}

TEST(EventMotion, SlidingDiscBeginsToRollAtTwoThirds) {
  // Thrown along the floor without spin, a disc rolls from t = v / (3 mu g) on, with 2/3 of its speed.
  EventMotion<double> motion = MakeMotion(MakeScene("circle: {radius: 0.1}", 1, 0.005, 0, 0.25, 0));
  motion.Start(0, {0, 0.1, 0}, {3, 0, 0});
  const double rolls = 3 / (3 * 0.25 * 9.81);
  motion.AdvanceTo(rolls - 1e-6);
  EXPECT_EQ(motion.slip(0), 1);
  motion.AdvanceTo(rolls + 1e-6);
  EXPECT_EQ(motion.slip(0), 0);
  EXPECT_NEAR(motion.v()[0], 2, 1e-9);
}

TEST(EventMotion, SquareLandsOnAnEdge) {
  // Flat landing: both corners stop at once; friction then stops the slide after v / (mu g).
  const Scene scene = MakeScene("rectangle: {size: [0.2, 0.2]}", 1, 0.0066666666666666667, 0, 0.5, 0);
  EventMotion<double> motion = MakeMotion(scene);
  std::vector<EventRecord> records;
  motion.RecordInto(&records);
  motion.Start(0, {0, 0.3, 0}, {1, 0, 0});
  const double fall = std::sqrt(2 * 0.2 / 9.81), speed = 9.81 * fall;
  motion.AdvanceTo(2);
  EXPECT_EQ(motion.closed().size(), 2u);
  EXPECT_NEAR(motion.v().norm(), 0, 1e-12);
  EXPECT_NEAR(motion.q()[1], 0.1, 1e-12);
  // The impact takes off min(mu speed, 1) of the sliding speed.
  const double left = std::max(0.0, 1 - 0.5 * speed);
  EXPECT_NEAR(motion.q()[0], fall + left * left / (2 * 0.5 * 9.81), 1e-9);
  double normal = 0;
  for (const EventRecord& record : records)
    if (record.kind == EventKind::kImpact) normal += record.normal_impulse;
  EXPECT_NEAR(normal, speed, 1e-9);
  // Tilted landing: the second corner hits later, and the block comes to rest all the same.
  motion.Start(0, {0, 0.3, 0.3}, {0.2, 0, 0});
  motion.AdvanceTo(3);
  EXPECT_FALSE(motion.summary().failed);
  EXPECT_EQ(motion.closed().size(), 2u);
  EXPECT_NEAR(motion.v().norm(), 0, 1e-9);
}

class EventThrow : public ::testing::TestWithParam<double> {};

TEST_P(EventThrow, DerivativesMatchDifferences) {
  const double friction = GetParam();
  const auto run = [&](const Eigen::Matrix<double, 9, 1>& p, double end) {
    Scene scene = MakeScene("ellipse: {semi_axes: [0.05, 0.025]}", 0.064, 1, 0, 0, 0);
    scene.Set("bodies.b.inertia", {p[6] * 0.064});
    scene.Set("contact.friction", {p[7]});
    scene.Set("contact.restitution", {p[8]});
    EventMotion<double> motion = MakeMotion(scene);
    motion.Start(0, p.head<3>(), p.segment<3>(3));
    motion.AdvanceTo(end);
    Eigen::Matrix<double, 6, 1> out;
    out << motion.q(), motion.v();
    return out;
  };
  Eigen::Matrix<double, 9, 1> p;
  p << 0, 0.1, -0.785, 3, -5, 0, 756e-6, friction, 0.2;
  Scene scene = MakeScene("ellipse: {semi_axes: [0.05, 0.025]}", 0.064, 1, 0, 0, 0);
  scene.Set("bodies.b.inertia", {p[6] * 0.064});
  scene.Set("contact.friction", {p[7]});
  scene.Set("contact.restitution", {p[8]});
  std::vector<EventJet> numbers;
  for (const SceneNumber& number : scene.numbers()) numbers.emplace_back(number.value);
  numbers[static_cast<std::size_t>(scene.Find("bodies.b.inertia").index)] = EventJet::Variable(p[6], 6) * 0.064;
  numbers[static_cast<std::size_t>(scene.Find("contact.friction").index)] = EventJet::Variable(p[7], 7);
  numbers[static_cast<std::size_t>(scene.Find("contact.restitution").index)] = EventJet::Variable(p[8], 8);
  for (const double end : {0.02, 0.1, 0.3, 0.5}) {
    EventMotion<EventJet> motion(MakeEventBody(CompilePlanar<EventJet>(scene, numbers), 0));
    EventVector<EventJet> q, v;
    for (int i = 0; i < 3; ++i) q[i] = EventJet::Variable(p[i], i), v[i] = EventJet::Variable(p[3 + i], 3 + i);
    motion.Start(0, q, v);
    motion.AdvanceTo(end);
    for (int c = 0; c < 9; ++c) {
      Eigen::Matrix<double, 6, 1> exact;
      for (int i = 0; i < 3; ++i) exact[i] = motion.q()[i].v[c], exact[3 + i] = motion.v()[i].v[c];
      // Narrow differences show the integration error of two runs, wide ones the curvature of a motion that amplifies
      // its start a thousandfold; the best of three widths is the check.
      double best = INFINITY;
      for (const double width : {3e-7, 1e-6, 3e-6}) {
        const double d = width * (c == 6 ? 1e-3 : 1);
        Eigen::Matrix<double, 9, 1> a = p, b = p;
        a[c] += d;
        b[c] -= d;
        const Eigen::Matrix<double, 6, 1> difference = (run(a, end) - run(b, end)) / (2 * d);
        best = std::min(best, (difference - exact).norm() / (1e-3 + difference.norm()));
      }
      EXPECT_LT(best, 1e-4) << "time " << end << " number " << c;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Frictions, EventThrow, ::testing::Values(0.1, 0.2, 0.3, 0.4, 0.5, 0.7));

TEST(EventMotion, FrictionAboveTheStickingThresholdDoesNotMatter) {
  // Gabiccini sec. 6.1 sticks throughout from a friction of 0.5699 on.
  Eigen::Vector3d last = Eigen::Vector3d::Zero();
  for (const double friction : {0.6, 0.9}) {
    Scene scene = MakeScene("ellipse: {semi_axes: [0.05, 0.025]}", 0.064, 1, 0, friction, 0.2);
    scene.Set("bodies.b.inertia", {0.064 * 756e-6});
    EventMotion<double> motion = MakeMotion(scene);
    motion.Start(0, {0, 0.1, -0.785}, {3, -5, 0});
    motion.AdvanceTo(0.5);
    EXPECT_FALSE(motion.summary().slid);
    EXPECT_NEAR(motion.summary().friction_needed, 0.5699, 1e-4);
    if (friction > 0.6) {
      EXPECT_LT((motion.q() - last).norm(), 1e-12);
    }
    last = motion.q();
  }
}

TEST(EventStepper, StepsAgreeWithOneLongStep) {
  Scene scene = MakeScene("ellipse: {semi_axes: [0.05, 0.025]}", 0.064, 1, 0, 0.3, 0.2);
  scene.Set("bodies.b.inertia", {0.064 * 756e-6});
  const Model model = CompileModel(scene);
  const auto workspace = Event().MakeWorkspace(model);
  State state;
  state.q = Eigen::Vector3d(0, 0.1, -0.785);
  state.v = Eigen::Vector3d(3, -5, 0);
  StepResult step;
  Event().Step(model, state, {}, 0.5, *workspace, step);
  const Eigen::VectorXd whole = step.end.q;
  const double lost = step.dissipated;
  double sum = 0;
  for (int k = 0; k < 500; ++k) {
    state.time = 1e-3 * k;
    Event().Step(model, state, {}, 1e-3, *workspace, step);
    sum += step.dissipated;
    EXPECT_GT(step.dissipated, -1e-9);
    state = step.end;
  }
  EXPECT_LT((whole - state.q).norm(), 1e-7);
  EXPECT_NEAR(sum, lost, 1e-9);
}

}  // namespace
}  // namespace ricochet
