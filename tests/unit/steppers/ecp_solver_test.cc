// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Every attempt of the solver of `ecp`, reached by switching the earlier ones off, finds the same step.
#include "steppers/ecp/ecp_solver.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rollout/run.h"
#include "tests/support/allocation_count.h"
#include "tests/support/ecp_run.h"
#include "tests/support/ecp_scenes.h"

namespace ricochet {
namespace {

double Distance(const EcpSolution& a, const EcpSolution& b, double scale) {
  double worst = 0;
  for (std::size_t i = 0; i < a.velocities.size(); ++i)
    worst = std::max(worst, std::abs(a.velocities[i] - b.velocities[i]));
  return worst / scale;
}

TEST(EcpSolver, FallBacksFindTheSameSolution) {
  int compared[3] = {}, asked = 0;
  for (int toss = 0; toss < 8; ++toss) {
    EcpRun run(RandomToss(Random(31, toss), toss % 2 == 0));
    for (int k = 0; k < 120; ++k) {
      run.Step(0.01);
      if (run.result.contacts.empty() || k % 4 || run.result.attempts > 1) continue;
      ++asked;
      const EcpProblem<double>& problem = run.ecp().problem;
      for (int fall_back = 0; fall_back < 3; ++fall_back) {
        EcpSolver solver;
        solver.try_newton = false;
        solver.try_enumeration = fall_back == 0;
        solver.try_continuation = fall_back == 1;
        solver.try_general = fall_back == 2;
        EcpSolution solution;
        if (!solver.Solve(problem, solution)) continue;
        EXPECT_EQ(static_cast<int>(solution.attempt), static_cast<int>(EcpAttempt::kEnumeration) + fall_back);
        EXPECT_LE(solution.residual, kEcpTolerance);
        // Steps need not have one solution only (Xie, remark 4), but here they have.
        if (Distance(solution, run.ecp().solution, problem.speed) < 1e-8) ++compared[fall_back];
      }
    }
  }
  EXPECT_GT(asked, 100);
  for (int fall_back = 0; fall_back < 3; ++fall_back) EXPECT_GE(compared[fall_back], 0.97 * asked) << fall_back;
}

/// `ecp` whose solver gives up contacts in steps longer than some length.
class ImpatientEcp final : public Stepper {
 public:
  explicit ImpatientEcp(double longest) : longest_(longest) {}
  StepperInfo info() const override { return Ecp().info(); }
  void CheckModel(const Model& model) const override { Ecp().Check(model); }
  std::unique_ptr<Workspace> MakeWorkspace(const Model& model) const override {
    auto workspace = Ecp().MakeWorkspace(model);
    static_cast<EcpWorkspace&>(*workspace).solver.longest_step = longest_;
    return workspace;
  }
  void Step(const Model& model, const State& start, const StepInputs& inputs, double h, Workspace& workspace,
            StepResult& out) const override {
    Ecp().Step(model, start, inputs, h, workspace, out);
  }
  void Differentiate(const Model& model, const StepResult& step, const StepInputs& inputs,
                     std::span<const NumberId> parameters, Workspace& workspace, StepDerivatives& out) const override {
    Ecp().Differentiate(model, step, inputs, parameters, workspace, out);
  }

 private:
  double longest_;
};

struct LastState final : StepSink {
  State state;
  double worst_gap = 0;
  bool OnStep(const StepResult& step) override {
    state = step.end;
    for (const ContactRecord& contact : step.contacts) worst_gap = std::min(worst_gap, contact.gap);
    return true;
  }
};

TEST(EcpSolver, HalvedStepsAreSolvedAndCountedInTheSummary) {
  const Scene scene = SettlingCoin();
  const Model model = CompileModel(scene);
  const RunOptions options{.step = 0.002, .steps = 400, .inputs = nullptr};
  LastState sink;
  const RunSummary plain = ricochet::Run(Ecp(), model, InitialState(model), options, sink);
  EXPECT_EQ(plain.attempts[3], 0);
  // Quarters: two halvings, attempts 6.
  const RunSummary halved = ricochet::Run(ImpatientEcp(0.0006), model, InitialState(model), options, sink);
  EXPECT_EQ(halved.failed_steps, 0);
  EXPECT_GE(sink.worst_gap, -1e-9);
  EXPECT_GT(halved.attempts[3], 300);
  EXPECT_EQ(halved.attempts[3], halved.contact_steps);
  EXPECT_EQ(halved.retried_steps, halved.attempts[0] + halved.attempts[1] + halved.attempts[2] + halved.attempts[3]);
  // Steps that cannot be solved at any length are an honest failure with its time.
  const RunSummary failed = ricochet::Run(ImpatientEcp(0), model, InitialState(model), options, sink);
  EXPECT_GT(failed.failed_steps, 0);
  EXPECT_GT(failed.first_failure, 0);
}

TEST(EcpSolver, StepsAllocateNothingInTheLongRun) {
  for (const bool box : {true, false}) {
    for (int toss = 0; toss < 3; ++toss) {
      EcpRun run(RandomToss(Random(77, static_cast<std::uint64_t>(toss)), box));
      // A first run fills the buffers; the same again, in the same workspace, needs no more.
      const State start = run.state;
      for (int k = 0; k < 150; ++k) run.Step(0.01);
      run.state = start;
      run.steps = 0;
      StepInputs inputs;
      State state = start;
      const testing::AllocationCount count;
      for (int k = 0; k < 150; ++k) {
        Ecp().Step(run.model, state, inputs, 0.01, *run.workspace, run.result);
        state.q = run.result.end.q;
        state.v = run.result.end.v;
      }
      EXPECT_EQ(count.allocations(), 0) << box << " " << toss;
    }
  }
}

TEST(EcpSolver, OctahedronStandsOnItsCornerOfFourFacets) {
  // Balanced on a corner, spinning about the vertical: more facets than a point needs.
  EcpRun run(ParseScene(R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.8]
bodies:
  top: {shape: {polytope: {vertices: [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]}}, mass: 1}
surfaces:
  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}
contact: {friction: 0.5, patch: [1, 1, 0.01]}
initial:
  top: {position: [0, 0, 1], orientation: [1, 0, 0, 0], velocity: [0, 0, 0], angular_velocity: [0.1, 0, 3]}
simulation: {method: ecp, step: 0.01, duration: 3}
)",
                        "octahedron"));
  bool face = false;
  for (int k = 0; k < 300; ++k) {
    const StepResult& step = run.Step(0.01);
    ASSERT_EQ(step.status, StepStatus::kSolved) << k;
    if (step.contacts.empty()) continue;
    if (k < 20) {
      EXPECT_EQ(step.contacts[0].kind, ContactKind::kPoint) << k;
    }
    face = step.contacts[0].kind == ContactKind::kSurface;
  }
  EXPECT_TRUE(face);
  EXPECT_NEAR(run.position().z(), 1 / std::sqrt(3.0), 1e-9);  // distance of a face from the center
}

}  // namespace
}  // namespace ricochet
