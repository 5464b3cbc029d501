// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Are the standard deviations of `identify` on tosses honest? Campaigns of tosses of Box006 with known friction and
// restitution (reproduce/toss_campaign.h), each identified from wrong start values; how often +- 1.96 standard
// deviations cover the truth.
//
//   study_toss_coverage > bench/study_toss_coverage.csv
//   study_toss_coverage 200 10 velocity > bench/study_toss_coverage_velocity.csv
//   study_toss_coverage [CAMPAIGNS] [TOSSES] [METHOD] [FIRST]      200, 10, trajectory and 0: campaigns from FIRST on
//
// One row per campaign; the summary goes to standard error.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "reproduce/toss_campaign.h"
#include "ricochet/identify.h"

int main(int argc, char** argv) {
  using namespace ricochet;
  const int campaigns = argc > 1 ? std::atoi(argv[1]) : 200, tosses = argc > 2 ? std::atoi(argv[2]) : 10;
  const std::string method = argc > 3 ? argv[3] : "trajectory";
  const int first = argc > 4 ? std::atoi(argv[4]) : 0;
  const JongeneelBox& box = JongeneelBoxes()[2];
  Scene scene = TossScene(box, 0.3, 0.1);
  const double truth[] = {box.friction, box.restitution};
  int covered[2] = {0, 0}, reported = 0;
  double square[2] = {0, 0}, largest[2] = {0, 0}, pull[2] = {0, 0}, seconds = 0;
  fmt::print("campaign,friction,friction_std,restitution,restitution_std,chi2_per_dof,seconds\n");
  for (int k = first; k < campaigns; ++k) {
    CampaignOptions options;
    options.tosses = tosses;
    options.drops = method == "velocity";
    options.seed = static_cast<std::uint64_t>(k);
    IdentifyOptions identify;
    identify.method = method;
    const Estimate estimate = Identify(scene, MakeCampaign(box, options), "contact.friction,contact.restitution",
                                       identify, {.seed = static_cast<std::uint64_t>(k)})
                                  .estimate;
    seconds += estimate.seconds;
    fmt::print("{}", k);
    bool both = true;
    for (int i = 0; i < 2; ++i) both = both && estimate.parameters[static_cast<std::size_t>(i)].value;
    reported += both ? 1 : 0;
    for (int i = 0; i < 2; ++i) {
      const EstimatedParameter& p = estimate.parameters[static_cast<std::size_t>(i)];
      fmt::print(",{:.6f},{:.6f}", p.value.value_or(NAN), p.std.value_or(NAN));
      if (!both) continue;
      const double error = *p.value - truth[i];
      covered[i] += std::abs(error) <= 1.96 * *p.std ? 1 : 0;
      square[i] += error * error;
      pull[i] += error * error / (*p.std * *p.std);
      largest[i] = std::max(largest[i], std::abs(error));
    }
    fmt::print(",{:.3f},{:.2f}\n", estimate.chi2_per_dof.value_or(NAN), estimate.seconds);
    std::fflush(stdout);
  }
  for (int i = 0; i < 2; ++i)
    fmt::print(
        stderr, "{}: covered {:.1f} % of {} ({} given), RMS error {:.5f}, largest {:.5f}, RMS error/std {:.2f}\n",
        i == 0 ? "friction" : "restitution", 100.0 * covered[i] / std::max(1, reported), reported, campaigns - first,
        std::sqrt(square[i] / std::max(1, reported)), largest[i], std::sqrt(pull[i] / std::max(1, reported)));
  fmt::print(stderr, "{:.2f} s per campaign\n", seconds / std::max(1, campaigns - first));
}
