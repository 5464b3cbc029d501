// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dynamics/input_signal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dynamics/tree/tree_flow.h"
#include "ricochet/simulate.h"

namespace ricochet {
namespace {

using Side = InputSignal::Side;
using Missing = InputSignal::MissingColumn;

/// A flywheel on a fixed axis, driven by `u`: torque = gain u, nothing else.
Scene Flywheel(const std::string& interpolation) {
  return ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, 0]\n"
      "bodies:\n  wheel: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
      "joints:\n  axle:\n    type: hinge\n    parent: world\n    child: wheel\n"
      "    parent_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}\n"
      "    child_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}\n"
      "    compliance: {linear: 1.0e-9, angular: 1.0e-9}\n    damping: 0.02\n"
      "    motor: {gain: 0.1, input: u, interpolation: " +
          interpolation + "}\nobserve: [axle.angle]\nsimulation: {method: spook, step: 1.0e-3, duration: 0.5}\n",
      "flywheel");
}

Recording Inputs() {
  Recording out;
  out.columns = {"u"};
  out.time = {0.2, 0.3, 0.4};
  out.values = {{1.0, NAN, 3.0}};
  return out;
}

double At(const InputSignal& signal, double t, Side side) {
  double u = NAN;
  signal.At(t, side, {&u, 1});
  return u;
}

void ExpectRefused(const Recording& inputs, const Model& model, Missing missing, const std::string& words) {
  try {
    const InputSignal signal(inputs, model, missing);
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(InputSignal, HeldFromTheFirstValueOnWithMissingOnesAsBefore) {
  const InputSignal signal(Inputs(), CompileModel(Flywheel("hold")), Missing::kRefuse);
  EXPECT_EQ(signal.changes(), (std::vector<double>{0.2, 0.4}));
  for (const double t : {-1.0, 0.0, 0.2, 0.25, 0.3, 0.35, 0.4 - 1e-6}) EXPECT_EQ(At(signal, t, Side::kAfter), 1) << t;
  for (const double t : {0.4, 0.4 - 1e-12, 0.4 + 1e-12, 5.0}) EXPECT_EQ(At(signal, t, Side::kAfter), 3) << t;
  EXPECT_EQ(At(signal, 0.4, Side::kBefore), 1);
}

TEST(InputSignal, OnLinesBetweenRowsAndConstantOutside) {
  const InputSignal signal(Inputs(), CompileModel(Flywheel("linear")), Missing::kRefuse);
  for (const Side side : {Side::kBefore, Side::kAfter}) {
    for (const double t : {0.0, 0.2, 0.3}) EXPECT_NEAR(At(signal, t, side), 1, 1e-9) << t;
    EXPECT_NEAR(At(signal, 0.35, side), 2, 1e-12);
    for (const double t : {0.4, 1.0}) EXPECT_NEAR(At(signal, t, side), 3, 1e-9) << t;
  }
}

TEST(InputSignal, MissingFirstValuesAreTheFirstOne) {
  Recording inputs = Inputs();
  inputs.values = {{NAN, 2.0, 3.0}};
  const InputSignal signal(inputs, CompileModel(Flywheel("hold")), Missing::kRefuse);
  EXPECT_EQ(At(signal, 0.2, Side::kAfter), 2);
}

TEST(InputSignal, RefusesWhatIsNotThere) {
  const Model model = CompileModel(Flywheel("hold"));
  Recording inputs = Inputs();
  inputs.values = {{NAN, NAN, NAN}};
  ExpectRefused(inputs, model, Missing::kZero, "the column u of the motor's input is empty");
  inputs.columns = {"v"};
  ExpectRefused(inputs, model, Missing::kRefuse, "no column u");
  EXPECT_EQ(At(InputSignal(inputs, model, Missing::kZero), 0.3, Side::kAfter), 0);
}

// The stepper of a simulation and the flow of a fit turn the wheel by the same angle, which is the integral of the
// input: over the time before the first row, rows that jump and rows that are joined.
TEST(InputSignal, SimulationAndFlowOfTheFitSeeTheSameInput) {
  for (const std::string interpolation : {"hold", "linear"}) {
    const Scene scene = Flywheel(interpolation);
    const Model model = CompileModel(scene);
    const Recording inputs = Inputs();
    SimulateOptions options;
    options.inputs = &inputs;
    const SimulationResult run = Simulate(scene, options);
    const int rate = run.recording.Find("axle.rate"), column = run.recording.Find("u");
    ASSERT_GE(rate, 0);
    ASSERT_GE(column, 0);

    const InputSignal signal(inputs, model, Missing::kZero);
    const TreeMechanism mechanism(model);
    const TreeConstants<double> constants = mechanism.Constants<double>(model.spatial);
    FlowOptions flow_options;
    flow_options.slides = {0};
    const TreeFlow flow(mechanism, constants, {}, flow_options);
    double impulse = 0;  // of u, by hand
    const int rows = run.recording.rows();
    for (int i = 1; i < rows; ++i) {
      const double t = run.recording.time[i], before = run.recording.time[i - 1];
      TreeFlow::End end;
      ASSERT_TRUE(flow.Run({}, {}, 0, t, signal, false, nullptr, end));
      impulse += (t - before) * (interpolation == "hold"
                                     ? At(signal, before, Side::kAfter)
                                     : 0.5 * (At(signal, before, Side::kAfter) + At(signal, t, Side::kBefore)));
      EXPECT_NEAR(end.r[0], 0.1 * impulse / 0.01, 1e-9) << interpolation << " " << t;
      EXPECT_NEAR(run.recording.values[rate][i], end.r[0], 1e-9) << interpolation << " " << t;
      EXPECT_EQ(run.recording.values[column][i], At(signal, t, Side::kAfter)) << interpolation << " " << t;
    }
  }
}

}  // namespace
}  // namespace ricochet
