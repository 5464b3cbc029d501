// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Robustness of `ecp`: random tosses of boxes and cylinders, 2 s each. One row per step length: how many steps were
// solved at the first attempt, how often each fall-back was used, and the worst of everything the method promises.
// Results are kept in study_ecp_tosses.csv beside this file.
//
//   build-bench/bench/study_ecp_tosses [tosses = 1000] [h = 0.01]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "dynamics/energy.h"
#include "dynamics/kinematics.h"
#include "steppers/ecp/ecp.h"
#include "steppers/ecp/ecp_workspace.h"
#include "tests/support/ecp_scenes.h"

int main(int argc, char** argv) {
  using namespace ricochet;
  const int tosses = argc > 1 ? std::atoi(argv[1]) : 1000;
  const double h = argc > 2 ? std::atof(argv[2]) : 0.01;
  long attempts[6] = {}, steps = 0, contact_steps = 0, first = 0, halved = 0, failed = 0, gaining = 0;
  double penetration = 0, residual = 0, excess = -1e300, gain = 0;
  for (int toss = 0; toss < tosses; ++toss) {
    const Scene scene = RandomToss(Random(6, toss), toss % 2 == 0);
    const Model model = CompileModel(scene);
    const auto workspace = Ecp().MakeWorkspace(model);
    const auto& ecp = static_cast<const EcpWorkspace&>(*workspace);
    State state = InitialState(model);
    StepResult result;
    const double weight = 9.8 * model.spatial.bodies[0].mass * ecp.solids.bodies[0].radius;
    const long count = static_cast<long>(2 / h + 0.5);
    for (long k = 0; k < count; ++k) {
      const double before = ComputeEnergy(model, state).total();
      Ecp().Step(model, state, {}, h, *workspace, result);
      state = result.end;
      ++steps;
      first += result.attempts == 1 && result.status == StepStatus::kSolved;
      failed += result.status == StepStatus::kFailed;
      residual = std::max(residual, result.residual);
      const Matrix3<double> R = RotationMatrix<double>(Quaternion<double>(state.q.segment<4>(3)));
      penetration = std::max(penetration,
                             -PlaneGap(ecp.solids.bodies[0], R, state.q.head<3>(), ecp.solids.surfaces[0].facets[0]));
      if (result.contacts.empty()) continue;
      ++contact_steps;
      if (result.attempts >= 5) continue;
      // Energy may grow by p_n (n . v+) at most.
      const ContactRecord& contact = result.contacts[0];
      const Vector3<double> v =
          Vector3<double>(state.v.head<3>()) +
          Vector3<double>(state.v.tail<3>()).cross(Vector3<double>(contact.p_WC - state.q.head<3>()));
      const double grown = ComputeEnergy(model, state).total() - before;
      excess = std::max(excess, (grown - contact.normal_impulse * v.z()) / weight);
      gain = std::max(gain, grown / weight);
      gaining += grown > 1e-12 * weight;
    }
    for (int i = 0; i < 6; ++i) attempts[i] += ecp.attempts[i];
    halved += ecp.halved_steps;
  }
  fmt::print(
      "tosses,h,steps,contact_steps,first_attempt_percent,free,newton,enumeration,continuation,general,halved_steps,"
      "failed,"
      "deepest_penetration_m,largest_residual,energy_excess_over_bound,largest_energy_gain,gaining_steps\n");
  fmt::print("{},{},{},{},{:.4f},{},{},{},{},{},{},{},{:.2e},{:.2e},{:.2e},{:.2e},{}\n", tosses, h, steps,
             contact_steps, 100.0 * static_cast<double>(first) / static_cast<double>(steps), attempts[0], attempts[1],
             attempts[2], attempts[3], attempts[4], halved, failed, penetration, residual, excess, gain, gaining);
}
