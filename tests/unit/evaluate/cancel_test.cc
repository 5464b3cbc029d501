// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Calls with a Context: progress is reported, a cancelled call stops soon and resumes, and threads change no bit.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>

#include "ricochet/ricochet.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

constexpr char kPaths[] = "contact.friction, contact.restitution";

Scene Ellipse() { return ReadScene(testing::SourcePath("examples/plywood_ellipse.yaml")); }

Recording Throw() {
  Recording recording =
      Simulate(Ellipse(), {.rate = 120, .noise_position = 1e-3, .noise_angle = 1e-3}, {.seed = 4}).recording;
  recording.file = "throw.csv";
  return recording;
}

Scene Box() { return ReadScene(testing::SourcePath("examples/box006_toss.yaml")); }
std::vector<Recording> Tosses(int count) {
  std::vector<Recording> tosses;
  for (int i = 0; i < count; ++i)
    tosses.push_back(ReadRecording(testing::DataPath("truth/box/campaign/toss_0" + std::to_string(i) + ".csv")));
  return tosses;
}

/// Cancels as soon as a task has done some steps.
struct CancelDuring {
  Context context{.threads = 2};
  std::chrono::steady_clock::time_point cancelled{};

  CancelDuring(std::string task, std::int64_t after) {
    context.progress = [this, task = std::move(task), after, token = context.cancel](const Progress& progress) {
      if (progress.task != task || progress.done < after || token.cancelled()) return;
      cancelled = std::chrono::steady_clock::now();
      token.Cancel();
    };
  }

  double SecondsSince() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - cancelled).count();
  }
};

TEST(Cancel, ALongIdentificationStops) {
  CancelDuring cancel("bootstrap", 1);
  EXPECT_THROW(Identify(Ellipse(), {Throw()}, kPaths, {.bootstrap = 100000}, cancel.context), Cancelled);
  EXPECT_LT(cancel.SecondsSince(), 20);  // a fit takes some hundred milliseconds
}

TEST(Cancel, BeforeItBeginsNothingIsComputed) {
  const Context context;
  context.cancel.Cancel();
  EXPECT_THROW(Identify(Ellipse(), {Throw()}, kPaths, {}, context), Cancelled);
  EXPECT_THROW(Simulate(Ellipse(), {}, context), Cancelled);
  EXPECT_THROW(Validate(Box(), Tosses(1), {}, context), Cancelled);
}

TEST(Cancel, ASweepResumesWithTheSameResult) {
  const testing::TemporaryFolder folder;
  const Scene scene = Box();
  const std::vector<Recording> tosses = Tosses(2);
  const std::vector<SweepAxis> axes = {MakeSweepAxis(scene, "contact.friction", 0.1, 0.9, 30),
                                       MakeSweepAxis(scene, "contact.restitution", 0, 0.5, 5)};
  const SweepResult whole = Sweep(scene, tosses, axes, {}, {.threads = 1});
  EXPECT_EQ(whole.cost.size(), 150u);
  EXPECT_EQ(whole.resumed_cells, 0);

  const SweepOptions options{.output = folder.File("map.csv")};
  CancelDuring cancel("sweep", 1);
  try {
    Sweep(scene, tosses, axes, options, cancel.context);
    FAIL() << "nothing was thrown";
  } catch (const Cancelled& error) {
    EXPECT_EQ(error.task(), "sweep");
    EXPECT_EQ(error.store(), options.output + ".part");
    EXPECT_TRUE(std::filesystem::exists(error.store()));
  }
  const SweepResult resumed = Sweep(scene, tosses, axes, options, {.threads = 2});
  EXPECT_GT(resumed.resumed_cells, 0);
  EXPECT_EQ(resumed.cost, whole.cost);
  EXPECT_EQ(resumed.least_cost, whole.least_cost);
  EXPECT_FALSE(std::filesystem::exists(options.output + ".part"));
}

TEST(Progress, IsReportedByOneThreadAtATimeUpToTheEnd) {
  std::mutex mutex;
  std::atomic<int> inside{0}, finished{0};
  std::int64_t last = 0;
  Context context{.threads = 2};
  context.progress = [&](const Progress& progress) {
    EXPECT_EQ(++inside, 1);
    EXPECT_EQ(progress.task, "validate");
    EXPECT_EQ(progress.total, 4);
    EXPECT_GE(progress.done, last);
    last = progress.done;
    if (progress.finished) ++finished;
    --inside;
  };
  Validate(Box(), Tosses(4), {}, context);
  EXPECT_EQ(last, 4);
  EXPECT_EQ(finished.load(), 1);
}

TEST(Seed, IsThatOfTheContext) {
  const SimulateOptions noisy{.rate = 100, .noise_position = 1e-3};
  const Recording one = Simulate(Ellipse(), noisy, {.seed = 1}).recording;
  EXPECT_EQ(one.values, Simulate(Ellipse(), noisy, {.threads = 1, .seed = 1}).recording.values);
  EXPECT_NE(one.values, Simulate(Ellipse(), noisy, {.seed = 2}).recording.values);
}

TEST(Identify, NamesItsInputsWithHashes) {
  const std::string file = testing::SourcePath("examples/plywood_ellipse.yaml");
  const Estimate estimate = Identify(Ellipse(), {Throw()}, kPaths).estimate;
  ASSERT_EQ(estimate.inputs.size(), 2u);
  EXPECT_EQ(estimate.inputs[0].name, file);
  EXPECT_EQ(estimate.inputs[0].hash, HashFiles({file})[0].hash);
  EXPECT_EQ(estimate.inputs[1].name, "throw.csv");
  EXPECT_EQ(estimate.inputs[1].hash.size(), 64u);
}

}  // namespace
}  // namespace ricochet
