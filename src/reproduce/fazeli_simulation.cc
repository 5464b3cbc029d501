// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Fazeli sec. 5.2: traces of a block (m/I = 6 per m^2) and an ellipse (0.8 per m^2) of 1 kg, restitution 0.6, friction
// 0.7, stepped by eq. (8). The initial states are not given in the paper; those here are like its pictures.
#include <fmt/format.h>

#include <cmath>

#include "core/context.h"
#include "reproduce/reproduce.h"
#include "ricochet/simulate.h"

namespace ricochet {
namespace {

struct TracedBody {
  const char* name;
  const char* shape;
  double inertia;
  double outline;  // least distance of the center from the ground [m]
};

ExperimentResult Trace(const TracedBody& body) {
  const Scene scene = ParseScene(fmt::format(R"(ricochet: 1
space: planar
gravity: [0, -9.81]
bodies:
  {0}: {{shape: {1}, mass: 1, inertia: {2}}}
surfaces:
  ground: {{line: {{point: [0, 0], angle: 0}}}}
contact: {{friction: 0.7, restitution: 0.6}}
initial:
  {0}: {{pose: [0, 3, 0.3], velocity: [1, 0], angular_velocity: 2}}
simulation: {{method: lcp, step: 0.001, duration: 3}}
)",
                                             body.name, body.shape, body.inertia),
                                 "fazeli.yaml");
  const SimulationResult run = Simulate(scene, {}, CurrentContext());
  const Recording& r = run.recording;

  ExperimentResult result;
  DataTable table{"trace", {"t", "x", "y", "theta", "energy"}, {}};
  Plot motion{fmt::format("{}: center of mass", body.name), "x [m]", "y [m]", {}};
  Plot energy{"Total energy", "t [s]", "E [J]", {}};
  PlotSeries path{"", r.values[0], r.values[1]}, level{"", r.time, {}};
  double lowest = 1e300, grown = 0;
  for (int i = 0; i < r.rows(); ++i) {
    const double vx = r.values[3][i], vy = r.values[4][i], omega = r.values[5][i];
    const double e = 0.5 * (vx * vx + vy * vy + body.inertia * omega * omega) + 9.81 * r.values[1][i];
    level.y.push_back(e);
    if (i > 0) grown = std::max(grown, e - level.y[i - 1]);
    lowest = std::min(lowest, r.values[1][i]);
    table.rows.push_back({r.time[i], r.values[0][i], r.values[1][i], r.values[2][i], e});
  }
  motion.series.push_back(path);
  energy.series.push_back(level);

  int impacts = 0;
  double previous = -1;
  for (const ContactRow& contact : run.contacts) {
    impacts += contact.time > previous + 2.5e-3;
    previous = contact.time;
  }
  result.comparisons = {
      {"motion", "bounces, turns and comes down (Fig. 5, 6)",
       fmt::format("{} contacts in 3 s, travels {:.2f} m", impacts, r.values[0].back()), ""},
      {"m/I [1/m^2]", body.inertia < 1 ? "6" : "0.8", fmt::format("{:.4g}", 1 / body.inertia), ""},
      {"energy lost in 3 s [J]", "-",
       fmt::format("{:.2f} of {:.2f}", level.y.front() - level.y.back(), level.y.front()), ""},
      {"largest growth of energy in a step [J]", "-", fmt::format("{:.1e}", grown),
       grown > 1e-9 ? "Newton's restitution with friction" : ""},
      {"center of mass no lower than the outline allows", "-", fmt::format("{:.4f} m", lowest),
       fmt::format("outline {:.4f} m; penetration is of order h", body.outline)},
  };
  result.tables.push_back(std::move(table));
  result.figures.push_back({"trace", {motion, energy}});
  return result;
}

}  // namespace

std::vector<Experiment> FazeliSimulationExperiments() {
  return {
      {"fazeli-block", "Fazeli Fig. 5: trace of a block",
       [] {
         return Trace({"block", "{rectangle: {size: [1, 1]}}", 1.0 / 6, 0.5});
       }},
      {"fazeli-ellipse", "Fazeli Fig. 6: trace of an ellipse",
       [] {
         return Trace({"ellipse", "{ellipse: {semi_axes: [2, 1]}}", 1.25, 1.0});
       }},
  };
}

}  // namespace ricochet
