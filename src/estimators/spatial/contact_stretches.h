// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Contacts of a rollout for the estimate: the steps of each contact point (a corner, a patch) that follow each other
// are one stretch, as long as it keeps sticking or sliding and stays near one place. A rigid impact is the first step
// of a stretch, and its impulse has nothing to do with that of the pressure behind it; where the first step's is much
// larger than the second's, the two become entries of their own.
#pragma once

#include <Eigen/Core>
#include <map>
#include <utility>
#include <vector>

#include "model/model.h"
#include "ricochet/estimate.h"
#include "steppers/stepper.h"

namespace ricochet {

/// One contact point over consecutive steps.
struct ContactStretch {
  int pair = 0, contact = 0;
  double start = 0, end = 0;  // [s]
  double normal = 0;          // [N s]
  Eigen::Vector2d tangential = Eigen::Vector2d::Zero();
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  // mean over the steps, each with its normal impulse [m]
  bool slides = false;
};

class ContactStretches final : public StepSink {
 public:
  /// A stretch is cut where its point has come farther than `reach` [m] from where it began.
  explicit ContactStretches(double reach) : reach_(reach) {}

  bool OnStep(const StepResult& step) override;

  /// What was collected since the last call, in the order of starts.
  std::vector<ContactStretch> Take();

 private:
  struct Open {
    int stretch = 0;
    int steps = 0;
    Eigen::Vector3d start = Eigen::Vector3d::Zero();  // point of its first step [m]
  };
  double reach_;
  std::vector<ContactStretch> stretches_;
  std::map<std::pair<int, int>, Open> open_;  // the last stretch of every contact point
};

/// As entries of the estimate; times are moved by `shift` [s].
void AddImpulses(const Model& model, const std::vector<ContactStretch>& stretches, int recording, double shift,
                 Estimate& estimate);

}  // namespace ricochet
