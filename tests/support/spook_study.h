// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Errors of `spook` against the rigid mechanism in minimal coordinates (DOP853 with exact switching of dry friction,
// dynamics/tree/tree_flow.h), and the energy of a mechanism without friction; for bench/study_spook and its test.
#pragma once

#include <string>
#include <vector>

namespace ricochet::testing {

/// Motions of the study, by name.
///
///     swing, release, early_pulse, dry_swing   the Furuta pendulum of tests/data/truth/furuta, 1 s: from 1 rad; from
///     0.03 rad
///                                              off upright; u = 1 from 0.2 s to 0.7 s; with dry friction
///     pendulum_viscous, pendulum_dry           one hinge, 2 s
///     tilted                                   Furuta, gravity tilted by (0.1, -0.2) rad, full inertia tensors,
///     centers of mass
///                                              off the axes, motors with shafts of 1e-3 kg m^2 in both hinges, 1 s
///     tilted_dry                               the same with dry friction in both hinges
///     chain                                    three bodies with random axes, tensors and frames, tilted gravity,
///     shafts in all
///                                              hinges, 0.5 s
std::vector<std::string> SpookStudyMotions();

struct SpookStudyError {
  std::vector<double> joints;  // largest error of each coordinate over the motion [rad]
  int failed_steps = 0;
  double largest() const;
};

/// `h` must divide 0.1 s.
SpookStudyError MeasureSpookError(const std::string& motion, int order, double h, double compliance);

struct SpookStudyEnergy {
  double largest = 0;      // |E - E_0| in units of m g l of the pendulum, over all steps
  double first_tenth = 0;  // the same over the first tenth of the time
  double drift = 0;        // mean of the second half less mean of the first half
  double mean_step = 0;    // mean of |E_k+1 - E_k|: size of the oscillation from step to step
  int failed_steps = 0;
};

/// The Furuta pendulum without friction from 2 rad; `tilted`: that of the motion `tilted`, shafts in both hinges.
SpookStudyEnergy MeasureSpookEnergy(bool tilted, int order, double h, double compliance, double damping,
                                    double duration);

}  // namespace ricochet::testing
