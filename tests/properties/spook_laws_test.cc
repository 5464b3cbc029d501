// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Laws of `spook`: inverse of forward, energy without friction, dry friction at rest, at break-away and in a slow ramp,
// closed loops, impacts, order of convergence against minimal coordinates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <numeric>

#include "dynamics/energy.h"
#include "dynamics/joint_angle.h"
#include "dynamics/kinematics.h"
#include "dynamics/tree/reduced_dynamics.h"
#include "steppers/spook/spook.h"
#include "steppers/spook/spook_inverse.h"
#include "tests/support/mechanisms.h"
#include "tests/support/spook_walk.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::Walk;

/// Impulses of a forward step from its states alone.
void ExpectInverse(const Scene& scene, double h, int steps, double u_value) {
  const Model model = CompileModel(scene);
  SpookWorkspace workspace(model);
  const std::vector<double> u(model.spatial.inputs.size(), u_value);
  const StepInputs inputs{.u = u, .u_end = u, .fired = {}};
  Walk(model, h, steps, u, [&](int k, const StepResult& step) {
    SpookInverse inverse;
    for (const bool by_pose : {false, true}) {
      const Eigen::VectorXd v = by_pose ? VelocityBetween(model, step.start, step.end, h) : step.end.v;
      InvertSpookStep(model, step.start, v, inputs, h, {.stick_speed = 1e-8}, workspace, inverse);
      if (inverse.had_impact) return;
      Eigen::VectorXd found(inverse.lambda.size() + inverse.dry.size());
      found.head(inverse.lambda.size()) = inverse.lambda;
      found.tail(inverse.dry.size()) = inverse.dry;
      double scale = std::max(1e-6, found.size() ? step.multipliers.cwiseAbs().maxCoeff() : 0);
      for (const ContactRecord& contact : step.contacts) scale = std::max(scale, contact.normal_impulse);
      if (found.size() > 0) {
        ASSERT_LE((found - step.multipliers).cwiseAbs().maxCoeff(), 1e-9 * scale)
            << "step " << k << (by_pose ? " by poses" : "");
      }
      ASSERT_LE(inverse.residual.cwiseAbs().maxCoeff(), 1e-9 * scale) << "step " << k << (by_pose ? " by poses" : "");
    }
  });
}

TEST(SpookLaws, InverseOfForwardOnChains) {
  RandomVectors random(41);
  for (int trial = 0; trial < 10; ++trial) {
    ExpectInverse(RandomChain(random, 1 + trial % 4, random.LogUniform(1e-6, 1e-4),
                              "    viscous: 1.0e-3\n    dry: {radius: 0.02, friction: 0.2, norm: euclidean}\n"
                              "    motor: {gain: 0.1, shaft_inertia: 1.0e-4, input: u}\n"),
                  1e-2, 40, 0.5);
  }
}

// Chains of up to six links with contacts at the tip and limits on the way.
TEST(SpookLaws, InverseOfForwardOnChainsOfManyLinks) {
  RandomVectors random(42);
  for (const int bodies : {5, 6}) {
    ExpectInverse(RandomChain(random, bodies, 1e-5,
                              "    viscous: 1.0e-3\n    dry: {radius: 0.01, friction: 0.1, norm: l1}\n"
                              "    stribeck: {static: 0.2, rate: 1}\n    drive: {stiffness: 0.1, damping: 0.01}\n"),
                  5e-3, 40, 0);
  }
}

TEST(SpookLaws, InverseOfForwardWithLimits) {
  RandomVectors random(43);
  for (int trial = 0; trial < 5; ++trial) {
    ExpectInverse(
        RandomChain(random, 1 + trial % 3, 1e-5, "    viscous: 0.02\n    limits: {lower: -1.1, upper: 1.1}\n"), 5e-3,
        100, 0);
  }
}

// A ball on an arm that is pressed against the floor while the arm swings: joint and contact at once.
TEST(SpookLaws, InverseOfForwardOnAnArmWithAContact) {
  ExpectInverse(
      ParseScene("ricochet: 1\nspace: spatial\ngravity: [0.5, 0.2, -9.81]\nbodies:\n"
                 "  arm: {shape: {sphere: {radius: 0.1}}, mass: 0.4, inertia: [1.6e-3, 1.7e-3, 1.8e-3]}\n"
                 "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\ncontact: {friction: 0.1}\n"
                 "joints:\n  j:\n    type: ball\n    parent: world\n    child: arm\n"
                 "    parent_frame: {point: [-0.3, 0, 0.15]}\n    child_frame: {point: [-0.3, 0, 0.05]}\n"
                 "    compliance: {linear: 1.0e-5, angular: 1.0e-5}\n    damping: 0.02\n"
                 "initial:\n  arm: {position: [0, 0, 0.1], angular_velocity: [0, 0, 1]}\n"
                 "simulation: {method: spook, step: 5.0e-3, duration: 1, options: {contact_compliance: 1.0e-5}}\n",
                 "arm"),
      5e-3, 100, 0);
}

TEST(SpookLaws, InverseOfForwardOnALoop) { ExpectInverse(FourBar(1e-5), 2e-3, 100, 0); }

TEST(SpookLaws, InverseOfForwardWithContacts) {
  ExpectInverse(
      ParseScene("ricochet: 1\nspace: spatial\ngravity: [2, 0, -9.81]\nbodies:\n"
                 "  ball: {shape: {sphere: {radius: 0.1}}, mass: 0.4, inertia: [1.6e-3, 1.6e-3, 1.6e-3]}\n"
                 "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\ncontact: {friction: 0.3}\n"
                 "initial:\n  ball: {position: [0, 0, 0.1], velocity: [1, 0.3, 0]}\n"
                 "simulation: {method: spook, step: 5.0e-3, duration: 1, options: {contact_compliance: 1.0e-5}}\n",
                 "ball"),
      5e-3, 150, 0);
}

// A box that sticks on a slope (four corners, redundant), then one that slides: the corners' impulses are unique.
TEST(SpookLaws, InverseOfForwardWithFourCorners) {
  for (const double push : {0.7, 3.0}) {
    ExpectInverse(
        ParseScene(
            fmt::format("ricochet: 1\nspace: spatial\ngravity: [{}, 0.2, -9.81]\nbodies:\n"
                        "  box: {{shape: {{box: {{size: [0.2, 0.15, 0.1]}}}}, mass: 0.4, inertia: [1.0e-3, 1.6e-3, "
                        "2.0e-3]}}\nsurfaces:\n  floor: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}\n"
                        "contact: {{friction: 0.2}}\ninitial:\n  box: {{position: [0, 0, 0.05]}}\n"
                        "simulation: {{method: spook, step: 5.0e-3, duration: 1, options: {{contact_compliance: "
                        "1.0e-4}}}}\n",
                        push),
            "box"),
        5e-3, 100, 0);
  }
}

Scene Frictionless() {
  Scene scene = ReadScene(testing::DataPath("truth/furuta/furuta_release.yaml"));
  for (const NumberId id : scene.Match("joints.*.viscous")) scene.Set(id, 0);
  scene.Set("initial.hinge2.angle", {2.0});
  return scene;
}

// With order 2 the energy of a frictionless Furuta pendulum oscillates and does not drift; 100 s.
TEST(SpookLaws, EnergyOfOrderTwoStaysForAHundredSeconds) {
  Scene scene = Frictionless();
  for (const char* kind : {"linear", "angular"})
    for (const NumberId id : scene.Match(std::string("joints.*.compliance.") + kind)) scene.Set(id, 0);
  scene.simulation.options.push_back(
      {"order", "", scene.Add({"simulation.options.order", 2, Quantity::kPlain, {}, true}), {}});
  const Model model = CompileModel(scene);
  const double shaft = scene[scene.Find("joints.hinge1.motor.shaft_inertia")];
  const auto energy = [&](const State& state) {
    const double rate = ReadJoint(model, state, 0).rate;
    return ComputeEnergy(model, state).total() + 0.5 * shaft * rate * rate;
  };
  const double start = energy(InitialState(model)), size = 0.428 * 9.82 * 0.192;
  double early = 0, late = 0, mean_early = 0, mean_late = 0;
  const int steps = 20000;
  Walk(model, 5e-3, steps, {}, [&](int k, const StepResult& step) {
    const double error = (energy(step.end) - start) / size;
    double& worst = k < steps / 4 ? early : late;
    worst = std::max(worst, std::abs(error));
    (k < steps / 2 ? mean_early : mean_late) += error / (steps / 2);
  });
  EXPECT_LT(early, 2e-2);
  EXPECT_LT(late, 1.5 * early) << "bounded";
  EXPECT_LT(std::abs(mean_late - mean_early), 0.1 * early) << "no drift";
}

Scene OneHinge(const std::string& extra, double angle) {
  return ParseScene(
      fmt::format(
          "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.82]\nbodies:\n  rod: {{mass: 0.4, inertia: [1.0e-4, 4.0e-3, "
          "4.0e-3]}}\n"
          "joints:\n  hinge:\n    type: hinge\n    parent: world\n    child: rod\n"
          "    parent_frame: {{point: [0, 0, 0], axis: [0, -1, 0], zero: [0, 0, -1]}}\n"
          "    child_frame: {{point: [-0.2, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}}\n"
          "    compliance: {{linear: 1.0e-8, angular: 1.0e-8}}\n    damping: 0.02\n{}"
          "initial:\n  hinge: {{angle: {:.17g}, rate: 0}}\nsimulation: {{method: spook, step: 1.0e-3, duration: 1}}\n",
          extra, angle),
      "hinge");
}

// At rest gravity m g l sin(angle) is held up to mu r m g: the angle of break-away is asin(mu r / l).
TEST(SpookLaws, StictionHoldsBelowItsLimitAndBreaksAtIt) {
  const double limit = std::asin(0.5 * 0.1 / 0.2);
  for (const double factor : {0.2, 0.98, 1.02}) {
    const Model model =
        CompileModel(OneHinge("    dry: {radius: 0.1, friction: 0.5, norm: euclidean}\n", factor * limit));
    const State end = Walk(model, 1e-3, 1000, {}, [](int, const StepResult&) {});
    const JointReading<double> reading = ReadJoint(model, end, 0);
    if (factor < 1) {
      EXPECT_NEAR(reading.coordinate, factor * limit, 1e-12);
      EXPECT_NEAR(reading.rate, 0, 1e-12);
    } else {
      EXPECT_GT(std::abs(reading.coordinate - factor * limit), 1e-3);
    }
  }
}

// A motor drives the hinge at a steady slow rate (a stiff drive of the rate); the torque it needs is Stribeck's curve.
TEST(SpookLaws, StribeckCurveInASlowRamp) {
  for (const double rate : {0.02, 0.5, 1.0, 2.0, 5.0}) {
    Scene scene = OneHinge(
        fmt::format("    dry: {{radius: 1, friction: 0.01, norm: euclidean}}\n    stribeck: {{static: 0.03, rate: 1}}\n"
                    "    drive: {{damping: 50, rate: {}}}\n",
                    rate),
        0);
    scene.Set("gravity[0:3]", {0, -9.82, 0});  // along the axis: the load does not change with the angle
    scene.Set("initial.hinge.rate", {rate});
    const Model model = CompileModel(scene);
    double dry = 0, load = 0, w = 0;
    Walk(model, 1e-3, 200, {}, [&](int, const StepResult& step) {
      w = ReadJoint(model, step.start, 0).rate;  // the drive yields a little to the friction
      dry = step.multipliers[5];
      load = step.multipliers.head<3>().norm() + step.multipliers.segment<2>(3).norm();
    });
    const double mu = 0.01 + 0.02 * std::exp(-w * w);
    EXPECT_NEAR(w, rate, 1e-2 * rate + 3e-3);
    EXPECT_NEAR(-dry / load, mu, 1e-6 * mu) << rate;
  }
}

TEST(SpookLaws, RedundantLoopStaysClosed) {
  const Model model = CompileModel(FourBar(1e-8));
  double worst = 0;
  Walk(model, 1e-3, 2000, {}, [&](int, const StepResult& step) {
    std::vector<MassPose<double>> poses;
    std::vector<SpookJoint> joints;
    EvaluateState(model, step.end, poses, joints);
    for (const SpookJoint& joint : joints) worst = std::max(worst, joint.rows.g.cwiseAbs().maxCoeff());
  });
  EXPECT_LT(worst, 1e-3);
}

// A limit without restitution stops the joint there; with restitution 0.5 the rate is halved and turned.
TEST(SpookLaws, LimitsStopAndReflect) {
  for (const double e : {0.0, 0.5}) {
    Scene scene = OneHinge("    limits: {lower: -0.2, upper: 3}\n", 0.5);
    scene.simulation.options.push_back(
        {"limit_restitution",
         "",
         scene.Add({"simulation.options.limit_restitution", e, Quantity::kPlain, {}, true}),
         {}});
    const Model model = CompileModel(scene);
    double deepest = 0, before = 0, after = 0, last = 0;
    Walk(model, 1e-3, 1500, {}, [&](int, const StepResult& step) {
      const JointReading<double> reading = ReadJoint(model, step.end, 0);
      deepest = std::min(deepest, reading.coordinate);
      if (after == 0 && last < -1 && reading.rate > -0.5) before = last, after = reading.rate;
      last = reading.rate;
    });
    EXPECT_GT(deepest, -0.2 - 1e-3);
    EXPECT_LT(before, -1);
    EXPECT_NEAR(after, -e * before, 0.05) << "restitution " << e;
  }
}

TEST(SpookLaws, ABallBouncesWithRestitution) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  ball: {shape: {sphere: {radius: 0.1}}, mass: 0.4, inertia: [1.6e-3, 1.6e-3, 1.6e-3]}\n"
      "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\ncontact: {friction: 0.3, restitution: 0.7}\n"
      "initial:\n  ball: {position: [0, 0, 1.1]}\nsimulation: {method: spook, step: 1.0e-3, duration: 1}\n",
      "ball");
  const Model model = CompileModel(scene);
  double fastest_down = 0, top = 0;
  bool bounced = false;
  Walk(model, 1e-3, 900, {}, [&](int, const StepResult& step) {
    fastest_down = std::min(fastest_down, step.end.v[2]);
    bounced = bounced || step.end.v[2] > 0;
    if (bounced) top = std::max(top, step.end.q[2] - 0.1);
  });
  EXPECT_NEAR(fastest_down, -std::sqrt(2 * 9.81), 0.05);
  EXPECT_NEAR(top, 0.49, 0.02) << "e^2 of the height of 1 m";
}

// Tilted gravity and full inertia tensors against minimal coordinates: order 1 in h, and order 2 with the option.
TEST(SpookLaws, OrderOfConvergenceAgainstMinimalCoordinates) {
  for (const int order : {1, 2}) {
    RandomVectors random(47);
    const Scene scene = RandomChain(random, 2, order == 1 ? 1e-9 : 0.0,
                                    "    viscous: 1.0e-3\n    motor: {gain: 0.1, shaft_inertia: 1.0e-3, input: u}\n",
                                    order == 2 ? ", options: {order: 2}" : "");
    const Model model = CompileModel(scene);
    const ReducedDynamics reduced(model);
    const std::vector<double> u = {0.2};
    Eigen::VectorXd truth = reduced.InitialState();
    for (int k = 0; k < 2000; ++k) truth = reduced.Step(truth, u, 2.5e-4);
    std::vector<double> errors;
    for (const int steps : {250, 500}) {
      const State end = Walk(model, 0.5 / steps, steps, u, [](int, const StepResult&) {});
      double error = 0;
      for (int j = 0; j < 2; ++j)
        error = std::max(error, std::abs(std::remainder(ReadJoint(model, end, j).coordinate - truth[j], 2 * M_PI)));
      errors.push_back(error);
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.25) << errors[0] << ", " << errors[1];
  }
}

// The energy that order 1 loses is the scheme's own, through relaxation: the velocity after a step follows the chord
// only once the joint has been pulled off by as much as that takes, which it follows with the lag of the damping; what
// is off the tangent is projected away. A pendulum over three swings: order 1 in h for a fixed damping, order 2 for a
// damping of two steps.
TEST(SpookLaws, OrderOneLosesTheEnergyOfItsRelaxation) {
  Scene scene = ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.82]\nbodies:\n  rod: {mass: 0.428, inertia: [1.0e-4, 3.9e-3, "
      "3.9e-3]}\njoints:\n  hinge:\n    type: hinge\n    parent: world\n    child: rod\n"
      "    parent_frame: {point: [0, 0, 0], axis: [0, -1, 0], zero: [0, 0, -1]}\n"
      "    child_frame: {point: [-0.192, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}\n"
      "    compliance: {linear: 1.0e-12, angular: 1.0e-12}\n    damping: 0.02\n"
      "initial:\n  hinge: {angle: 1, rate: 0}\nsimulation: {method: spook, step: 1.0e-3, duration: 1}\n",
      "pendulum");
  for (const bool fixed : {true, false}) {
    double last = 0;
    for (const double h : {1e-3, 5e-4}) {
      const double damping = fixed ? 5e-3 : 2 * h;
      scene.Set("joints.hinge.damping", {damping});
      const Model model = CompileModel(scene);
      const double start = ComputeEnergy(model, InitialState(model)).total();
      double lost = 0, before = 0;
      int turns = 0;
      Walk(model, h, static_cast<int>(std::lround(4 / h)), {}, [&](int, const StepResult& step) {
        const double rate = ReadJoint(model, step.end, 0).rate;
        if (turns == 6) return;
        turns += rate * before < 0;
        before = rate;
        if (turns == 6) lost = start - ComputeEnergy(model, step.end).total();
      });
      ASSERT_EQ(turns, 6);
      ::testing::Test::RecordProperty(fmt::format("lost_{}_{:.0f}us", fixed ? "fixed" : "steps", 1e6 * h),
                                      fmt::format("{:.3g}", lost));
      EXPECT_GT(lost, 0);
      if (last > 0) {
        EXPECT_NEAR(std::log2(last / lost), fixed ? 1 : 2, 0.15);
      }
      last = lost;
    }
  }
}

/// Processor time of a chain's steps: every step of a motion is timed many times and its least time counts, so that
/// other work on the machine hardly enters.
class ChainClock {
 public:
  ChainClock(int bodies, const std::string& extra)
      : random_(49),
        scene_(RandomChain(random_, bodies, 1e-6, extra)),
        model_(CompileModel(scene_)),
        workspace_(Spook().MakeWorkspace(model_)) {}

  void Run() {
    State state = InitialState(model_);
    StepResult step;
    for (double& least : least_) {
      timespec start{}, end{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
      Spook().Step(model_, state, {}, 1e-4, *workspace_, step);
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
      EXPECT_EQ(step.status, StepStatus::kSolved);
      least = std::min(least, static_cast<double>(end.tv_sec - start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec));
      state.q = step.end.q;
      state.v = step.end.v;
    }
  }

  double seconds() const { return std::accumulate(least_.begin(), least_.end(), 0.0); }

 private:
  RandomVectors random_;
  Scene scene_;
  Model model_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<double> least_ = std::vector<double>(20, 1e300);
};

double LengthRatio(const std::string& extra) {
  ChainClock ten(10, extra), hundred(100, extra);
  for (int run = 0; run < 40; ++run) {
    ten.Run();
    hundred.Run();
  }
  const double ratio = hundred.seconds() / ten.seconds();
  ::testing::Test::RecordProperty("ratio", fmt::format("{:.2f}", ratio));
  return ratio;
}

// Asked: a chain of 100 costs less than 12 times a chain of 10.
TEST(SpookLaws, AChainCostsInProportionToItsLength) { EXPECT_LT(LengthRatio(""), 12); }

// With dry friction in every hinge too, where in a longer chain some joint changes its mode in more of the steps.
TEST(SpookLaws, AChainOfDryHingesCostsInProportionToItsLength) {
  EXPECT_LT(LengthRatio("    dry: {radius: 0.01, friction: 0.1, norm: l1}\n"), 12);
}

}  // namespace
}  // namespace ricochet
