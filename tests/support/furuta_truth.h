// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The device of tests/data/truth/furuta/full: what is asked of it, and what was put in.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ricochet::testing {

inline constexpr const char* kFurutaTwelve =
    "bodies.A.inertia, bodies.B.inertia[1:3], joints.*.viscous, joints.*.dry.friction, joints.hinge1.motor.gain, "
    "gravity.tilt";

inline const std::vector<std::pair<std::string, double>>& FurutaTruth() {
  static const std::vector<std::pair<std::string, double>> truth = {{"bodies.A.inertia[2]", 0.0044},
                                                                    {"bodies.B.inertia[1]", 0.00396},
                                                                    {"bodies.B.inertia[2]", 0.0037},
                                                                    {"joints.hinge1.viscous", 0.0009},
                                                                    {"joints.hinge2.viscous", 0.0001},
                                                                    {"joints.hinge1.dry.friction", 0.0006},
                                                                    {"joints.hinge2.dry.friction", 0.0002},
                                                                    {"joints.hinge1.motor.gain", 0.1},
                                                                    {"gravity.tilt[0]", 0.015},
                                                                    {"gravity.tilt[1]", 0.01}};
  return truth;
}

}  // namespace ricochet::testing
