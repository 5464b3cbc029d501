// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Between values and numbers of a scene: combinations in any order, numbers that follow from others, derivatives, and
// steps that stay within what is physically possible.
#include "model/parameter_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "model/model.h"
#include "ricochet/error.h"
#include "tests/support/derivative_check.h"

namespace ricochet {
namespace {

constexpr char kPlane[] = R"(ricochet: 1
space: planar
gravity: {magnitude: 9.8, tilt: [0.3]}
bodies:
  e: {shape: {ellipse: {semi_axes: [0.05, 0.025]}}, mass: 0.064, inertia: 4.8e-5}
  disc: {shape: {circle: {radius: 0.1}}, mass: 0.5}
surfaces:
  bar: {line: {point: [0, -5], angle: 0}}
  ramp: {line: {point: [0, -6], angle: 0.5}}
contact: {friction: 0.3, restitution: 0.4, pairs: {disc/ramp: {friction: 0.9}}}
)";

constexpr char kSpace[] = R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  box: {shape: {box: {size: [0.1, 0.2, 0.3]}}, mass: 0.4, inertia: [4e-3, 3.5e-3, 1.8e-3]}
  skew: {shape: {box: {size: [0.1, 0.2, 0.3]}}, mass: 0.4, inertia: [4e-3, 3.5e-3, 1.8e-3, 2e-4, -1e-4, 3e-4]}
surfaces:
  board: {plane: {point: [0, 0, -1], normal: [0, 0, 1]}}
contact: {friction: 0.3, restitution: 0.1}
simulation: {method: moreau, step: 1e-3}
)";

Scene Plane() { return ParseScene(kPlane, "plane.yaml"); }
Scene InSpace() { return ParseScene(kSpace, "space.yaml"); }
ParameterMap Map(const Scene& scene, std::string_view paths) { return {scene, ParsePathList(scene, paths)}; }
double Number(const Scene& scene, std::string_view path) { return scene[scene.Find(path)]; }

/// Values beside the scene's own, all different.
Eigen::VectorXd Beside(const ParameterMap& map) {
  Eigen::VectorXd values = map.start();
  for (Eigen::Index i = 0; i < values.size(); ++i) values[i] *= 1.1 + 0.07 * static_cast<double>(i);
  return values;
}

Eigen::Matrix3d InertiaIn(const ParameterMap& map, const Eigen::VectorXd& values, int body) {
  return CompileModel(map.Apply(values)).spatial.bodies[static_cast<std::size_t>(body)].I_BBcm_B;
}

struct Combination {
  const char* paths;
  std::vector<const char*> pivots;
};

TEST(ParameterMap, CombinationsInAnyOrderComeBackFromTheScene) {
  const char *mass = "bodies.e.mass", *inertia = "bodies.e.inertia", *disc = "bodies.disc.mass";
  const Combination cases[] = {
      {"bodies.e.mass, bodies.e.inertia", {mass, inertia}},
      {"bodies.e.inertia / bodies.e.mass", {inertia}},
      {"bodies.e.inertia / bodies.e.mass, bodies.e.mass", {inertia, mass}},
      {"bodies.e.mass, bodies.e.inertia / bodies.e.mass", {mass, inertia}},
      {"bodies.e.inertia, bodies.e.inertia / bodies.e.mass", {inertia, mass}},
      {"bodies.e.inertia / bodies.e.mass, bodies.e.inertia", {mass, inertia}},
      {"bodies.e.inertia * bodies.e.mass, bodies.e.mass", {inertia, mass}},
      {"bodies.e.inertia, bodies.e.inertia * bodies.e.mass", {inertia, mass}},
      {"bodies.e.inertia / bodies.e.mass, bodies.e.mass / bodies.disc.mass, bodies.disc.mass", {inertia, mass, disc}},
      {"bodies.disc.mass, bodies.e.mass / bodies.disc.mass, bodies.e.inertia * bodies.e.mass", {disc, mass, inertia}},
      {"bodies.e.inertia / bodies.e.mass, bodies.e.mass * bodies.disc.mass", {inertia, mass}},
  };
  for (const Combination& each : cases) {
    const Scene scene = Plane();
    const ParameterMap map = Map(scene, each.paths);
    ASSERT_EQ(map.size(), static_cast<int>(each.pivots.size())) << each.paths;
    for (int i = 0; i < map.size(); ++i)
      EXPECT_EQ(scene.number(map.pivots()[static_cast<std::size_t>(i)]).path, each.pivots[static_cast<std::size_t>(i)])
          << each.paths;
    const Eigen::VectorXd values = Beside(map);
    const Scene applied = map.Apply(values);
    EXPECT_LT((map.ValuesOf(applied) - values).cwiseQuotient(values).norm(), 1e-15) << each.paths;
    // Numbers that no parameter sets stay.
    for (const char* path : {mass, inertia, disc})
      if (std::find_if(each.pivots.begin(), each.pivots.end(),
                       [&](const char* pivot) { return std::string_view(pivot) == path; }) == each.pivots.end()) {
        EXPECT_EQ(Number(applied, path), Number(scene, path)) << each.paths;
      }
    EXPECT_LT((map.ValuesOf(map.Apply(map.start())) - map.start()).cwiseQuotient(map.start()).norm(), 1e-15);
  }
}

TEST(ParameterMap, TheOrderOfParametersDoesNotMatter) {
  const Scene scene = Plane();
  const ParameterMap one = Map(scene, "bodies.e.inertia / bodies.e.mass, bodies.e.mass"),
                     other = Map(scene, "bodies.e.mass, bodies.e.inertia / bodies.e.mass");
  const Scene a = one.Apply(Eigen::Vector2d(7.6e-4, 0.09)), b = other.Apply(Eigen::Vector2d(0.09, 7.6e-4));
  EXPECT_EQ(Number(a, "bodies.e.inertia"), 7.6e-4 * 0.09);
  EXPECT_EQ(Number(a, "bodies.e.inertia"), Number(b, "bodies.e.inertia"));
  EXPECT_EQ(Number(a, "bodies.e.mass"), Number(b, "bodies.e.mass"));
}

TEST(ParameterMap, RefusesCombinationsThatSayTheSame) {
  const Scene scene = Plane();
  for (const char* paths : {"bodies.e.inertia / bodies.e.mass, bodies.e.mass / bodies.e.inertia",
                            "bodies.e.inertia / bodies.e.mass, bodies.e.mass, bodies.e.inertia",
                            "bodies.e.inertia / bodies.e.mass, bodies.e.inertia * bodies.e.mass"}) {
    try {
      Map(scene, paths);
      ADD_FAILURE() << paths;
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("bodies.e.inertia"), std::string::npos) << text;
      EXPECT_NE(text.find("independently"), std::string::npos) << text;
      EXPECT_NE(text.find("Request one of the parameters alone"), std::string::npos) << text;
    }
  }
}

TEST(ParameterMap, NumbersThatFollowFromOthersFollow) {
  const Scene scene = Plane();
  const ParameterMap map =
      Map(scene, "bodies.disc.mass, bodies.disc.shape.circle.radius, contact.friction, gravity.magnitude");
  const Eigen::Vector4d values(0.7, 0.2, 0.55, 5);
  const Scene applied = map.Apply(values);
  EXPECT_NEAR(Number(applied, "bodies.disc.inertia"), 0.5 * 0.7 * 0.2 * 0.2, 1e-15);
  EXPECT_EQ(applied[applied.LawOf("e", "ramp").friction], 0.55);
  EXPECT_EQ(applied[applied.LawOf("disc", "ramp").friction], 0.9);  // the pair's own
  EXPECT_NEAR(applied[applied.gravity.vector[0]], 5 * std::sin(0.3), 1e-15);
  EXPECT_NEAR(applied[applied.gravity.vector[1]], -5 * std::cos(0.3), 1e-15);

  // The model of the values is that of the scene.
  const std::vector<double> numbers = map.Numbers<double>({values.data(), 4});
  const PlanarModel<double> model = CompilePlanar<double>(map.scene(), numbers);
  EXPECT_NEAR(model.bodies[1].inertia, 0.5 * 0.7 * 0.2 * 0.2, 1e-15);
  EXPECT_NEAR(model.gravity[0], 5 * std::sin(0.3), 1e-15);

  // A number that a parameter names no longer follows.
  const ParameterMap ratio = Map(scene, "bodies.disc.inertia / bodies.disc.mass, bodies.disc.shape.circle.radius");
  const Scene other = ratio.Apply(Eigen::Vector2d(3e-3, 0.3));
  EXPECT_NEAR(Number(other, "bodies.disc.inertia"), 3e-3 * 0.5, 1e-18);
}

TEST(ParameterMap, PivotByValueIsTheDerivative) {
  const Scene scene = Plane();
  for (const char* paths :
       {"bodies.e.inertia / bodies.e.mass, bodies.e.mass / bodies.disc.mass, bodies.disc.mass, contact.friction",
        "bodies.e.inertia, bodies.e.inertia / bodies.e.mass, bodies.disc.mass * bodies.e.mass"}) {
    const ParameterMap map = Map(scene, paths);
    const Eigen::VectorXd at = Beside(map);
    const auto pivots = [&](const Eigen::VectorXd& relative) {
      const Eigen::VectorXd values = at.cwiseProduct(Eigen::VectorXd::Ones(at.size()) + relative);
      const std::vector<double> numbers = map.Numbers<double>({values.data(), static_cast<std::size_t>(values.size())});
      Eigen::VectorXd out(map.size());
      for (int i = 0; i < map.size(); ++i)
        out[i] = numbers[static_cast<std::size_t>(map.pivots()[static_cast<std::size_t>(i)].index)] /
                 scene[map.pivots()[static_cast<std::size_t>(i)]];
      return out;
    };
    Eigen::MatrixXd relative = map.PivotByValue(at) * at.asDiagonal();
    for (int i = 0; i < map.size(); ++i) relative.row(i) /= scene[map.pivots()[static_cast<std::size_t>(i)]];
    EXPECT_TRUE(IsJacobian(relative, pivots, Eigen::VectorXd::Zero(at.size()), {.step = 1e-3, .tolerance = 1e-10}))
        << paths;
  }
}

TEST(ParameterMap, StepsAgreeWithAddingThemToFirstOrder) {
  const Scene plane = Plane(), space = InSpace();
  const std::pair<const Scene*, const char*> cases[] = {
      {&plane, "bodies.e.inertia / bodies.e.mass, bodies.e.mass, contact.friction, gravity.tilt"},
      {&space, "bodies.box.inertia, bodies.box.mass, contact.restitution"},
      {&space, "bodies.skew.inertia"},
      {&space, "bodies.skew.inertia / bodies.skew.mass"},
      {&space, "bodies.box.inertia[0], bodies.skew.inertia[3]"},
  };
  for (const auto& [scene, paths] : cases) {
    const ParameterMap map = Map(*scene, paths);
    const Eigen::VectorXd at = map.start(), scale = map.scale();
    EXPECT_LT((map.Move(at, Eigen::VectorXd::Zero(map.size())) - at).cwiseQuotient(scale).norm(), 1e-14) << paths;
    const auto moved = [&](const Eigen::VectorXd& step) {
      return Eigen::VectorXd(map.Move(at, step.cwiseProduct(scale)).cwiseQuotient(scale));
    };
    EXPECT_TRUE(IsJacobian(Eigen::MatrixXd::Identity(map.size(), map.size()), moved, Eigen::VectorXd::Zero(map.size()),
                           {.step = 1e-3, .tolerance = 1e-8}))
        << paths;
  }
}

TEST(ParameterMap, EveryIterateIsPossible) {
  const Scene space = InSpace();
  Random random(7);
  for (const auto& [paths, body] : {std::pair{"bodies.box.inertia", 0},
                                    {"bodies.skew.inertia", 1},
                                    {"bodies.skew.inertia / bodies.skew.mass, bodies.skew.mass", 1},
                                    {"bodies.box.inertia[0], bodies.box.inertia[2]", 0},
                                    {"bodies.skew.inertia[3], bodies.skew.inertia[0]", 1}}) {
    const ParameterMap map = Map(space, paths);
    for (int walk = 0; walk < 200; ++walk) {
      Eigen::VectorXd values = map.start();
      for (int k = 0; k < 10; ++k) {
        Eigen::VectorXd step(map.size());
        for (double& each : step) each = random.Normal();
        values = map.Move(values, step.cwiseProduct(values.cwiseAbs()));
        ASSERT_TRUE(values.allFinite()) << paths;
        ASSERT_TRUE(map.TryApply(values).has_value()) << paths << ": " << values.transpose();
        ASSERT_TRUE(map.IsPossible(values)) << paths << ": " << values.transpose();
        ASSERT_TRUE(IsPossibleInertia(InertiaIn(map, values, body))) << paths << ": " << values.transpose();
      }
    }
  }
  const ParameterMap masses = Map(space, "bodies.box.mass, bodies.box.inertia[0] / bodies.skew.mass");
  EXPECT_GT(masses.Move(masses.start(), -100 * masses.start()).minCoeff(), 0);
}

/// A fit pays nothing for charts where its steps stay well inside of what is possible.
TEST(ParameterMap, StepsWellInsideAreAdditions) {
  const Scene space = InSpace();
  const ParameterMap map = Map(space, "bodies.box.mass, bodies.skew.inertia, contact.friction");
  Eigen::VectorXd step = 0.01 * map.start();
  step[0] = -0.83 * map.start()[0];
  EXPECT_EQ(map.Move(map.start(), step), map.start() + step);
  EXPECT_EQ(map.MoveWithin(1, (Eigen::VectorXd(map.size() + 2) << 3, map.start(), 4).finished(),
                           (Eigen::VectorXd(map.size() + 2) << 1, step, -9).finished()),
            (Eigen::VectorXd(map.size() + 2) << 4, map.start() + step, -5).finished());
  // Beyond, the slope goes on without a jump.
  const auto mass_after = [&](double part) {
    return map.Move(map.start(), -part * map.start()[0] * Eigen::VectorXd::Unit(map.size(), 0))[0] / map.start()[0];
  };
  EXPECT_NEAR((mass_after(0.9 - 1e-6) - mass_after(0.9 + 1e-6)) / 2e-6, 1, 1e-4);
  EXPECT_NEAR(mass_after(1), 0.05, 1e-12);
  EXPECT_EQ(mass_after(-100), 4.5);
}

/// Where motion depends on sums of moments only, those that do not move must not stand in the way of others.
TEST(ParameterMap, MomentsThatDoNotMoveGiveWayWhereAllowed) {
  const Scene space = InSpace();
  ParameterMap map = Map(space, "bodies.box.inertia[0]");
  const Eigen::VectorXd far = Eigen::VectorXd::Constant(1, 3 * map.start()[0]);
  EXPECT_LT(map.Move(map.start(), far)[0], 2 * map.start()[0]);
  map.LetMomentsGiveWay();
  EXPECT_EQ(map.Move(map.start(), far)[0], map.start()[0] + far[0]);
  EXPECT_GT(map.Move(map.start(), -far)[0], 0);
}

/// In second moments what is possible is a box: a step to its side ends at the triangle inequality.
TEST(ParameterMap, PossibleStepsAreABox) {
  const Scene space = InSpace();
  const ParameterMap map = Map(space, "contact.friction, bodies.box.inertia");
  const ParameterMap::StepBox box = map.PossibleSteps(map.start(), {});
  for (int i = 1; i < 4; ++i) {
    const Eigen::VectorXd side = map.start() + box.basis * (box.lower[i] * Eigen::VectorXd::Unit(4, i));
    const double others = side.tail(3).sum() - side[i];
    EXPECT_NEAR(side[i], others, 1e-12 * others) << i;
  }
  EXPECT_EQ(box.lower[0], -map.start()[0]);
  EXPECT_EQ(map.PossibleSteps(map.start(), {0, 0, 1, 0}).basis, Eigen::MatrixXd::Identity(4, 4));
  EXPECT_FALSE(map.IsPossible((Eigen::VectorXd(4) << 0.3, 1e-2, 3e-3, 2e-3).finished()));
  EXPECT_TRUE(map.IsPossible((Eigen::VectorXd(4) << 0.3, 1e-2, 3e-3, 2e-3).finished(), {0, 0, 1, 0}));
}

TEST(ParameterMap, ImpossibleValuesAreNotApplied) {
  const Scene space = InSpace();
  const ParameterMap map = Map(space, "bodies.box.inertia, bodies.box.mass");
  EXPECT_FALSE(map.TryApply(Eigen::Vector4d(1e-2, 3e-3, 2e-3, 0.4)));  // triangle inequality
  EXPECT_FALSE(map.TryApply(Eigen::Vector4d(4e-3, 3.5e-3, 2e-3, -0.4)));
  EXPECT_TRUE(map.TryApply(Eigen::Vector4d(4e-3, 3.5e-3, 2e-3, 0.5)));
  EXPECT_TRUE(IsPossibleInertia(Eigen::Vector3d(1, 2, 3).asDiagonal()));  // a lamina
  EXPECT_FALSE(IsPossibleInertia(Eigen::Vector3d(1, 2, 3.01).asDiagonal()));
  EXPECT_FALSE(IsPossibleInertia(Eigen::Vector3d(0, 1, 1).asDiagonal()));
}

TEST(ParameterMap, RangesAreThoseOfTheQuantity) {
  const Scene scene = Plane();
  ParameterMap map = Map(scene, "bodies.e.mass, contact.friction, contact.restitution, gravity.tilt");
  EXPECT_GT(map.lower()[0], 0);
  EXPECT_EQ(map.upper()[0], INFINITY);
  EXPECT_EQ(map.lower()[1], 0);
  EXPECT_EQ(map.upper()[1], 5);
  EXPECT_EQ(map.lower()[2], 0);
  EXPECT_EQ(map.upper()[2], 1);
  EXPECT_EQ(map.lower()[3], -INFINITY);
  map.Narrow(0, 0.01, 2);
  map.Narrow(2, -3, 0.5);
  EXPECT_EQ(map.lower()[0], 0.01);
  EXPECT_EQ(map.upper()[0], 2);
  EXPECT_EQ(map.lower()[2], 0);
  EXPECT_EQ(map.upper()[2], 0.5);
  EXPECT_EQ(map.Clamp(Eigen::Vector4d(3, 0.2, 0.7, -9)), Eigen::Vector4d(2, 0.2, 0.5, -9));
}

TEST(ParameterMap, WithMoreParametersKeepsItsOwnFirst) {
  const Scene scene = Plane();
  ParameterMap map = Map(scene, "bodies.e.inertia / bodies.e.mass");
  map.Narrow(0, 1e-4, 2e-3);
  const Scene fitted = map.Apply(Eigen::VectorXd::Constant(1, 8e-4));
  const ParameterMap more = map.With(fitted, ParsePathList(scene, "bodies.e.mass, gravity.tilt"));
  ASSERT_EQ(more.size(), 3);
  EXPECT_EQ(more.paths()[0], map.paths()[0]);
  EXPECT_NEAR(more.start()[0], 8e-4, 1e-18);
  EXPECT_EQ(more.start()[1], 0.064);
  EXPECT_EQ(more.start()[2], 0.3);
  EXPECT_EQ(more.lower()[0], 1e-4);
  EXPECT_EQ(more.upper()[0], 2e-3);
  EXPECT_EQ(more.IndexOf(scene.Find("bodies.e.mass")), 1);
  EXPECT_EQ(more.IndexOf(scene.Find("bodies.e.inertia")), -1);
}

}  // namespace
}  // namespace ricochet
