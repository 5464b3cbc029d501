// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <stdexcept>

#include "core/context.h"
#include "core/random.h"
#include "ricochet/error.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

/// Repetition k of a fit whose parameters scatter by 2 and, in step with the first, by 1; every tenth gives none.
bool Repeat(int k, Eigen::VectorXd& params) {
  Random random(7, static_cast<std::uint64_t>(k));
  params[0] = 5 + 2 * random.Normal();
  params[1] = 0.5 * params[0];
  return k % 10 != 0;
}

TEST(Bootstrap, CovarianceOfTheScatter) {
  const BootstrapResult result = Bootstrap({.repetitions = 4000}, 2, Repeat);
  EXPECT_EQ(result.failed, 400);
  EXPECT_NEAR(result.covariance(0, 0), 4, 0.3);
  EXPECT_NEAR(result.covariance(0, 1), 2, 0.15);
  EXPECT_NEAR(result.covariance(1, 1), 1, 0.08);
}

TEST(Bootstrap, SameBitsForAnyNumberOfThreads) {
  const auto covariance_on = [](int threads) {
    const ContextScope scope({.threads = threads});
    return Bootstrap({.repetitions = 200}, 2, Repeat).covariance;
  };
  const Eigen::MatrixXd one = covariance_on(1);
  for (const int threads : {2, 3, 7}) {
    EXPECT_EQ(covariance_on(threads), one);
  }
}

TEST(Bootstrap, GoesOnWhereItWasStopped) {
  const testing::TemporaryFolder folder;
  const BootstrapOptions options{
      .repetitions = 60, .store = folder.File("estimate.json.part"), .fingerprint = "inputs"};
  const Eigen::MatrixXd whole = Bootstrap({.repetitions = 60}, 2, Repeat).covariance;
  std::atomic<int> calls{0};
  EXPECT_THROW(Bootstrap(options, 2,
                         [&](int k, Eigen::VectorXd& params) {
                           if (k == 40) throw std::runtime_error("power failure");
                           ++calls;
                           return Repeat(k, params);
                         }),
               std::runtime_error);
  BootstrapOptions other = options;
  other.fingerprint = "other inputs";
  EXPECT_THROW(Bootstrap(other, 2, Repeat), InputError);
  const BootstrapResult resumed = Bootstrap(options, 2, [&](int k, Eigen::VectorXd& params) {
    ++calls;
    return Repeat(k, params);
  });
  EXPECT_EQ(calls.load(), 60) << "nothing is computed twice";
  EXPECT_EQ(resumed.covariance, whole);
  EXPECT_FALSE(std::filesystem::exists(options.store));
}

TEST(Bootstrap, CancelledItKeepsWhatIsFinishedAndResumes) {
  const testing::TemporaryFolder folder;
  const BootstrapOptions options{
      .repetitions = 60, .store = folder.File("estimate.json.part"), .fingerprint = "inputs"};
  const Eigen::MatrixXd whole = Bootstrap({.repetitions = 60}, 2, Repeat).covariance;
  const Context context;
  std::atomic<int> calls{0};
  try {
    const ContextScope scope(context);
    Bootstrap(options, 2, [&](int k, Eigen::VectorXd& params) {
      if (++calls == 20) context.cancel.Cancel();
      return Repeat(k, params);
    });
    FAIL() << "nothing was thrown";
  } catch (const Cancelled& cancelled) {
    EXPECT_EQ(cancelled.task(), "bootstrap");
    EXPECT_EQ(cancelled.store(), options.store);
  }
  EXPECT_LT(calls.load(), 60);
  const BootstrapResult resumed = Bootstrap(options, 2, [&](int k, Eigen::VectorXd& params) {
    ++calls;
    return Repeat(k, params);
  });
  EXPECT_EQ(calls.load(), 60) << "nothing is computed twice";
  EXPECT_EQ(resumed.covariance, whole);
}

// The mean of resampled recordings scatters as the mean of recordings does, with Student's factor for few.
TEST(Bootstrap, OverRecordings) {
  const std::vector<double> values = {1, 2, 4, 8, 9, 12};
  const auto mean_of = [&](int /*k*/, const std::vector<int>& drawn, Eigen::VectorXd& params) {
    EXPECT_EQ(drawn.size(), values.size());
    EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
    for (const int i : drawn) params[0] += values[static_cast<std::size_t>(i)] / 6;
    return true;
  };
  const BootstrapResult result = BootstrapRecordings({.repetitions = 4000}, 1, 6, 1, mean_of);
  constexpr double kErrorSquared = 18.8 / 6, kStudent = 2.5706 / 1.96;  // 5 degrees of freedom
  EXPECT_NEAR(result.covariance(0, 0) / (kErrorSquared * kStudent * kStudent), 1, 0.06);
}

TEST(Bootstrap, FewRecordingsAreRefusedByName) {
  EXPECT_NO_THROW(RefuseFewRecordings("bootstrap", 5, 3));
  EXPECT_THROW(RefuseFewRecordings("bootstrap", 5, 4), InputError);
  try {
    RefuseFewRecordings("bootstrap", 4, 2);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("bootstrap: it needs the scatter between at least 5 recordings"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace ricochet
