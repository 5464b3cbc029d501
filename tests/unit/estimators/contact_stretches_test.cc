// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial/contact_stretches.h"

#include <gtest/gtest.h>

namespace ricochet {
namespace {

constexpr double kStep = 0.01;

/// Steps with contacts of one corner: its impulse (0: open) and whether it slides.
std::vector<ContactStretch> Roll(const std::vector<std::pair<double, bool>>& corner, double reach = 10) {
  ContactStretches sink(reach);
  StepResult step;
  step.h = kStep;
  for (std::size_t k = 0; k < corner.size(); ++k) {
    step.start.time = kStep * static_cast<double>(k);
    step.end.time = kStep * static_cast<double>(k + 1);
    step.contacts.clear();
    if (corner[k].first > 0) {
      ContactRecord& contact = step.contacts.emplace_back();
      contact.contact = 3;
      contact.normal_impulse = corner[k].first;
      contact.tangential_impulse = {0.1 * corner[k].first, 0};
      contact.p_WC = {static_cast<double>(k), 0, 0};
      contact.slip = corner[k].second ? SlipState::kSlide : SlipState::kStick;
    }
    sink.OnStep(step);
  }
  return sink.Take();
}

TEST(ContactStretches, AnImpactIsTakenFromTheContactBehindIt) {
  const auto found = Roll({{0, false}, {5, false}, {1, false}, {1, false}, {2, false}, {0, false}, {4, false}});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_DOUBLE_EQ(found[0].start, kStep);
  EXPECT_DOUBLE_EQ(found[0].end, 2 * kStep);
  EXPECT_EQ(found[0].normal, 5);
  EXPECT_EQ(found[0].contact, 3);
  EXPECT_DOUBLE_EQ(found[1].start, 2 * kStep);
  EXPECT_DOUBLE_EQ(found[1].end, 5 * kStep);
  EXPECT_EQ(found[1].normal, 4);
  EXPECT_NEAR(found[1].tangential.x(), 0.4, 1e-15);
  EXPECT_NEAR(found[1].point.x(), (1 * 2 + 1 * 3 + 2 * 4) / 4.0, 1e-12);
  EXPECT_EQ(found[2].normal, 4);
}

TEST(ContactStretches, SlidingAndStickingAreApart) {
  const auto found = Roll({{1, true}, {1, true}, {1, false}, {1, false}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].slides);
  EXPECT_FALSE(found[1].slides);
  EXPECT_EQ(found[0].normal, 2);
  EXPECT_EQ(found[1].normal, 2);
}

/// The point moves by 1 per step.
TEST(ContactStretches, ALongWayIsCut) {
  const auto found = Roll({{1, true}, {1, true}, {1, true}, {1, true}, {1, true}}, 1.5);
  ASSERT_EQ(found.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(found[i].point.x(), i < 2 ? 2.0 * static_cast<double>(i) + 0.5 : 4, 1e-12);
}

/// A compliant contact builds up its impulse over some steps: one stretch.
TEST(ContactStretches, ASoftImpactIsOneStretch) {
  const auto found = Roll({{1, false}, {4, false}, {6, false}, {2, false}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].normal, 13);
}

}  // namespace
}  // namespace ricochet
