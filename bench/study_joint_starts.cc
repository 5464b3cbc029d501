// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Convergence of the joint program from perturbed starts: the solution for one recording is disturbed (J/m by a factor
// exp(s N), friction by 0.3 s N, poses by 5 s sigma, instants of impacts by 5 s ms) and the active-set method runs
// again.
//
//   study_joint_starts FOLDER [STARTS]     recordings FOLDER/{1mrad,20mrad}/muM_240fps_0.csv
//
// Prints CSV: noise, friction, spread s, starts, how many ended solved, and how many at the same point (J/m within a
// fifth of its bound, which is 0.06 to 0.08 % at 1 mrad and 0.5 to 0.8 % at 20 mrad, chi^2 within 0.5). Run from the
// root of the repository.
#include <fmt/format.h>

#include <cmath>

#include "core/random.h"
#include "estimators/program/joint_fit.h"
#include "ricochet/parameter.h"

int main(int argc, char** argv) {
  using namespace ricochet;
  if (argc < 2) return 2;
  const int starts = argc > 2 ? std::atoi(argv[2]) : 100;
  const Scene scene = ReadScene("examples/plywood_blind.yaml");
  const PlanarFamily family(
      scene,
      ParsePathList(scene, "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction, contact.restitution"), 0);
  fmt::print("noise_mrad,friction,spread,starts,solved,same\n");
  for (const int noise : {1, 20})
    for (const double friction : {0.2, 0.4}) {
      const Recording recording =
          ReadRecording(fmt::format("{}/{}mrad/mu{:.1f}_240fps_0.csv", argv[1], noise, friction));
      const JointFit fit = FitJoint(family, MakePlanarTrack(scene, recording, 0));
      if (!fit.usable) continue;
      const double fifth = 0.2 * (noise == 1 ? 0.0006 : 0.005);
      for (const double spread : {0.1, 0.3}) {
        int solved = 0, same = 0;
        for (int k = 0; k < starts; ++k) {
          Random random(7, static_cast<std::uint64_t>(k));
          JointProgram program = *fit.program;
          Eigen::VectorXd x = program.State();
          const int n = program.unknowns();
          x[n] *= std::exp(spread * random.Normal());
          x[n + 1] = std::abs(x[n + 1] + 0.3 * spread * random.Normal());
          const JointChain& chain = program.chains()[0];
          for (int i = 0; i < static_cast<int>(chain.nodes.size()); ++i) {
            for (int c = 0; c < 3; ++c)
              x[program.IndexOf(0, i, c)] += 5 * spread * chain.track.Noise(c) * random.Normal();
            const int time = program.IndexOf(0, i, 3);
            if (time < 0) continue;
            const double room = 0.4 * std::min(x[time] - chain.nodes[static_cast<std::size_t>(i) - 1].time,
                                               chain.nodes[static_cast<std::size_t>(i) + 1].time - x[time]);
            x[time] += std::clamp(5e-3 * spread * random.Normal(), -room, room);
          }
          program.SetState(x);
          const JointFit again = RefitJoint(fit, program);
          solved += again.converged;
          same += again.converged && std::abs(again.chi2 - fit.chi2) < 0.5 &&
                  std::abs(again.program->params()[0] / fit.program->params()[0] - 1) < fifth;
        }
        fmt::print("{},{:.1f},{:.1f},{},{},{}\n", noise, friction, spread, starts, solved, same);
        std::fflush(stdout);
      }
    }
}
