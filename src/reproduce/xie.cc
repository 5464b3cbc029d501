// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Xie sec. VI: scenarios 1 to 4 with figures 6 to 10.
//
// Scenario 4 is known from its pictures only: the cylinder (75 kg, radius 0.1 m, length 0.3 m, friction 0.8), the names
// of the phases and their times. The loads and the places of the two obstacles here are ours; xie_scenario4.inc holds
// them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dynamics/kinematics.h"
#include "math/so3.h"
#include "reproduce/reproduce.h"
#include "rollout/run.h"
#include "steppers/ecp/ecp.h"

namespace ricochet {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// One step of a run as the figures need it.
struct TraceRow {
  double t;
  Vector3<double> p, v, w;
  Quaternion<double> q;
  Vector3<double> ecp, slip;  // slip: v_t, v_o, v_r at the ECP; NaN without contact
  int facets;                 // N, 0 without contact with the floor
  ContactKind kind;
  bool slides, touches_other;
};

class Trace final : public StepSink {
 public:
  Trace(const Scene& scene, double h, double duration) : model_(CompileModel(scene)) {
    Ecp().Check(model_);
    summary = Run(Ecp(), model_, InitialState(model_), {.step = h, .steps = StepCount(duration, h), .inputs = nullptr},
                  *this);
  }

  bool OnStep(const StepResult& step) override {
    TraceRow row{step.end.time,
                 step.end.q.head<3>(),
                 step.end.v.head<3>(),
                 step.end.v.segment<3>(3),
                 step.end.q.segment<4>(3),
                 Vector3<double>::Constant(kNaN),
                 Vector3<double>::Constant(kNaN),
                 0,
                 ContactKind::kPoint,
                 false,
                 false};
    for (const ContactRecord& contact : step.contacts) {
      if (model_.spatial.pairs[contact.pair].surface < 0) {
        row.touches_other = true;
        continue;
      }
      row.ecp = contact.p_WC;
      const Vector3<double> at_ecp = row.v + row.w.cross(row.ecp - row.p);
      row.slip = Vector3<double>(at_ecp.x(), at_ecp.y(), row.w.z());
      row.facets = contact.active_facets;
      row.kind = contact.kind;
      row.slides = contact.slip == SlipState::kSlide;
    }
    rows.push_back(row);
    return true;
  }

  PlotSeries Series(const std::string& label, double (*value)(const TraceRow&),
                    SeriesStyle style = SeriesStyle::kLine) const {
    PlotSeries series{label, {}, {}, style};
    for (const TraceRow& row : rows) {
      series.x.push_back(row.t);
      series.y.push_back(value(row));
    }
    return series;
  }

  std::vector<TraceRow> rows;
  RunSummary summary;

 private:
  Model model_;
};

DataTable TableOf(const Trace& trace) {
  DataTable table{"trace",
                  {"t",  "x",  "y",  "z",  "qw",    "qx",    "qy",  "qz",  "vx",  "vy",
                   "vz", "wx", "wy", "wz", "ecp_x", "ecp_y", "v_t", "v_o", "v_r", "N"},
                  {}};
  for (const TraceRow& r : trace.rows) {
    table.rows.push_back({r.t,      r.p[0],    r.p[1],    r.p[2],    r.q[0],
                          r.q[1],   r.q[2],    r.q[3],    r.v[0],    r.v[1],
                          r.v[2],   r.w[0],    r.w[1],    r.w[2],    r.ecp[0],
                          r.ecp[1], r.slip[0], r.slip[1], r.slip[2], static_cast<double>(r.facets)});
  }
  return table;
}

std::string SolverRemark(const RunSummary& summary) {
  return fmt::format("{} steps, {} by a fallback, residual at most {:.1e}, penetration at most {:.1e} m", summary.steps,
                     summary.retried_steps, summary.largest_residual, summary.deepest_penetration);
}

Scene CubeScene(double friction, const std::string& initial, const std::string& actions) {
  return ParseScene(fmt::format(R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.8]
bodies:
  cube: {{shape: {{box: {{size: [1, 1, 1]}}}}, mass: 1}}
surfaces:
  floor: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}
contact: {{friction: {}, patch: [1, 1, 1]}}
initial:
  cube: {}
{}simulation: {{method: ecp, step: 0.01, duration: 4}}
)",
                                friction, initial, actions),
                    "xie.yaml");
}

/// Positions of the same cube in Bullet and ODE every 0.5 s: rows of tests/data/crosscheck/xie_engines.csv, made by
/// bench/engines_xie.cc.
struct EngineRow {
  double t, bullet_x, bullet_y, ode_x, ode_y;
};
constexpr EngineRow kEngines[] = {
#include "reproduce/xie_engines.inc"
};

ExperimentResult Scenario1() {
  const Scene scene = CubeScene(
      0.12, "{position: [0, 0, 0.5], orientation: [1, 0, 0, 0], velocity: [4, 3, 0], angular_velocity: [0, 0, 0]}", "");
  const Trace trace(scene, 0.01, 4);
  // Continuous: constant deceleration 0.12 g along (4, 3) / 5. Discrete: the same with velocities at the ends of the
  // steps.
  const double a = 0.12 * 9.8;
  const auto continuous = [&](double t) { return 5 * t - 0.5 * a * t * t; };
  const auto discrete = [&](double t) { return 5 * t - 0.5 * a * t * (t + 0.01); };
  double worst_discrete = 0, worst_ecp = 0, worst_continuous = 0;
  Plot ecp{"Fig. 6b: contact point", "x [m]", "y [m]", {}, false, false, true};
  PlotSeries points{"ECP", {}, {}}, center{"center", {}, {}, SeriesStyle::kDashed};
  Plot error{"Fig. 6d: error of the position along x against the analytic answer", "t [s]", "%", {}, false, true};
  PlotSeries ours{"ecp", {}, {}};
  for (const TraceRow& row : trace.rows) {
    worst_discrete = std::max(worst_discrete, std::abs(row.p.x() - 0.8 * discrete(row.t)));
    worst_continuous = std::max(worst_continuous, std::abs(row.p.x() - 0.8 * continuous(row.t)));
    const Vector3<double> offset = row.ecp - row.p;
    worst_ecp = std::max({worst_ecp, std::abs(offset.x() - 0.048), std::abs(offset.y() - 0.036)});
    points.x.push_back(row.ecp.x());
    points.y.push_back(row.ecp.y());
    center.x.push_back(row.p.x());
    center.y.push_back(row.p.y());
    ours.x.push_back(row.t);
    ours.y.push_back(100 * std::abs(row.p.x() / (0.8 * continuous(row.t)) - 1));
  }
  ecp.series = {points, center};
  Plot path{"Fig. 6c: path of the center", "x [m]", "y [m]", {}, false, false, true};
  PlotSeries exact{"analytic", {}, {}}, bullet{"Bullet", {}, {}, SeriesStyle::kMarkers},
      ode{"ODE", {}, {}, SeriesStyle::kMarkers};
  PlotSeries bullet_error{"Bullet", {}, {}, SeriesStyle::kMarkers, 2},
      ode_error{"ODE", {}, {}, SeriesStyle::kMarkers, 3};
  DataTable engines{"engines", {"t", "analytic_x", "analytic_y", "bullet_x", "bullet_y", "ode_x", "ode_y"}, {}};
  double bullet_worst = 0, ode_turn = 0;
  for (const EngineRow& row : kEngines) {
    const double s = continuous(row.t);
    exact.x.push_back(0.8 * s);
    exact.y.push_back(0.6 * s);
    bullet.x.push_back(row.bullet_x);
    bullet.y.push_back(row.bullet_y);
    ode.x.push_back(row.ode_x);
    ode.y.push_back(row.ode_y);
    engines.rows.push_back({row.t, 0.8 * s, 0.6 * s, row.bullet_x, row.bullet_y, row.ode_x, row.ode_y});
    if (row.t == 0) continue;
    bullet_error.x.push_back(row.t);
    bullet_error.y.push_back(100 * std::abs(row.bullet_x / (0.8 * s) - 1));
    ode_error.x.push_back(row.t);
    ode_error.y.push_back(100 * std::abs(row.ode_x / (0.8 * s) - 1));
    bullet_worst = std::max(bullet_worst, bullet_error.y.back());
    ode_turn = std::max(ode_turn, std::abs(std::atan2(row.ode_y, row.ode_x) - std::atan2(3, 4)));
  }
  path.series = {exact, center, bullet, ode};
  error.series = {ours, bullet_error, ode_error};

  ExperimentResult result;
  result.tables = {TableOf(trace), engines};
  result.figures = {{"fig6b_contact_point", {ecp}}, {"fig6cd_engines", {path, error}}};
  const TraceRow& end = trace.rows.back();
  result.comparisons = {
      {"position at 4 s, analytic", "curve",
       fmt::format("({:.6f}, {:.6f}) m", 0.8 * continuous(4), 0.6 * continuous(4)), ""},
      {"position at 4 s, ecp", "on the analytic curve", fmt::format("({:.6f}, {:.6f}) m", end.p.x(), end.p.y()),
       SolverRemark(trace.summary)},
      {"largest distance from the discrete answer", "", fmt::format("{:.1e} m", worst_discrete),
       "backward Euler, h = 0.01 s"},
      {"largest distance from the continuous answer", "", fmt::format("{:.2e} m", worst_continuous), "order h"},
      {"ECP against (0.048, 0.036) m ahead of the center", "constant", fmt::format("{:.1e} m", worst_ecp),
       "mu h_c = 0.06 m"},
      {"Bullet, largest error of x", "grows with time", fmt::format("{:.2f} %", bullet_worst),
       "from 0.5 s on; see the picture"},
      {"ODE, largest change of direction", "direction of sliding changes", fmt::format("{:.3f} rad", ode_turn),
       "friction pyramid along the axes"}};
  return result;
}

ExperimentResult Scenario2() {
  const Scene scene = ParseScene(R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.8]
bodies:
  cylinder: {shape: {cylinder: {radius: 1, length: 5, axis: [1, 0, 0]}}, mass: 10}
surfaces:
  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}
contact: {friction: 0.3, patch: [1, 1, 1]}
initial:
  cylinder: {position: [0, 0, 1], orientation: [1, 0, 0, 0], velocity: [0, -1.4, 0], angular_velocity: [0, 0, 0.2]}
actions:
  - {body: cylinder, angular_impulse: [0, 0, 3], when: {quantity: cylinder.wz, falls_to: 0}}
simulation: {method: ecp, step: 0.01, duration: 10}
)",
                                 "xie.yaml");
  ExperimentResult result;
  for (const double h : {0.01, 0.001}) {
    const Trace trace(scene, h, 10);
    PlotSeries along{fmt::format("h = {} s", h), {}, {}}, across = along, yaw = along;
    double largest = 0, lowest = 0, off = 0, first_stop = 0;
    int kicks = 0;
    double previous = 0.2;
    for (const TraceRow& row : trace.rows) {
      const Vector3<double> axis = RotationMatrix<double>(row.q).col(0), offset = row.ecp - row.p;
      const double L = axis.x() * offset.x() + axis.y() * offset.y(), D = axis.y() * offset.x() - axis.x() * offset.y();
      largest = std::max(largest, L);
      lowest = std::min(lowest, L);
      off = std::max(off, std::abs(D));
      if (previous > 0 && row.w.z() <= 0) {
        if (kicks++ == 0) first_stop = row.t;
      }
      previous = row.w.z();
      if (row.t > 2 + 1e-9) continue;
      along.x.push_back(row.t);
      along.y.push_back(L);
      across.x.push_back(row.t);
      across.y.push_back(D);
      yaw.x.push_back(row.t);
      yaw.y.push_back(row.w.z());
    }
    if (h == 0.01) {
      result.tables = {TableOf(trace)};
      result.figures = {{"fig7_line_contact",
                         {{"Fig. 7b: ECP along the line, L", "t [s]", "L [m]", {}},
                          {"Fig. 7c: ECP across the line, D", "t [s]", "D [m]", {}, false, false, false, -1e-3, 1e-3},
                          {"Angular velocity about the vertical", "t [s]", "w_z [rad/s]", {}}}}};
    }
    result.figures[0].panels[0].series.push_back(along);
    result.figures[0].panels[1].series.push_back(across);
    result.figures[0].panels[2].series.push_back(yaw);
    result.comparisons.push_back({fmt::format("L, h = {} s", h), "within 2.5 m of the center",
                                  fmt::format("{:.4f} to {:.4f} m", lowest, largest),
                                  "continuous time: -0.0409 to 0 m; above 0 only in the steps of the kicks"});
    result.comparisons.push_back(
        {fmt::format("largest D, h = {} s", h), "0", fmt::format("{:.1e} m", off), SolverRemark(trace.summary)});
    result.comparisons.push_back({fmt::format("first stop of the spin, h = {} s", h), "about 0.3 s (picture)",
                                  fmt::format("{:.3f} s, {} kicks in 10 s", first_stop, kicks),
                                  "continuous time: 0.26839 s"});
  }
  return result;
}

ExperimentResult Scenario3() {
  const double angle = std::atan(std::sqrt(2.0)), half = angle / 2;
  const Scene scene = CubeScene(
      0.2,
      fmt::format("{{position: [0, 0, {}], orientation: [{}, {}, {}, 0], velocity: [{}, {}, 0], angular_velocity: [{}, "
                  "{}, 0]}}",
                  std::sqrt(3.0) / 2, std::cos(half), std::sin(half) / std::sqrt(2.0), -std::sin(half) / std::sqrt(2.0),
                  -std::sqrt(6.0) / 4, -std::sqrt(6.0) / 4, std::sqrt(2.0) / 2, -std::sqrt(2.0) / 2),
      fmt::format("actions:\n  - {{body: cube, impulse: [{0}, {1}, 0], angular_impulse: [0.5, 0.5, 0], at: 1.0}}\n"
                  "  - {{body: cube, impulse: [10, -10, 0], at: 1.8}}\n",
                  std::sqrt(2.0) / 2, -std::sqrt(2.0) / 2));
  const Trace trace(scene, 0.01, 4);
  ExperimentResult result;
  result.tables = {TableOf(trace)};
  Plot speeds{"Fig. 8a: velocities at the ECP", "t [s]", "m/s, rad/s", {}};
  speeds.series = {trace.Series("v_t", [](const TraceRow& r) { return r.slip[0]; }),
                   trace.Series("v_o", [](const TraceRow& r) { return r.slip[1]; }),
                   trace.Series("v_r", [](const TraceRow& r) { return r.slip[2]; })};
  Plot facets{"Fig. 8a-c: facets in contact, N (3 point, 2 line, 1 surface)", "t [s]", "N", {}};
  facets.series = {trace.Series("", [](const TraceRow& r) { return static_cast<double>(r.facets); })};
  Plot x{"Fig. 8b: a_x", "t [s]", "m", {}}, y{"Fig. 8c: a_y", "t [s]", "m", {}};
  x.series = {trace.Series("", [](const TraceRow& r) { return r.ecp[0]; })};
  y.series = {trace.Series("", [](const TraceRow& r) { return r.ecp[1]; })};
  result.figures = {{"fig8_topple", {speeds, facets, x, y}}};
  double line = kNaN, surface = kNaN, rest = kNaN;
  for (const TraceRow& row : trace.rows) {
    if (std::isnan(line) && row.facets == 2) line = row.t;
    if (std::isnan(surface) && row.facets == 1) surface = row.t;
    if (row.t > 1.9 && std::isnan(rest) && row.v.norm() + row.w.norm() == 0) rest = row.t;
  }
  result.comparisons = {{"first line contact", "by 1 s", fmt::format("{:.2f} s", line), "continuous time: 0.4404 s"},
                        {"first surface contact", "by 1.8 s", fmt::format("{:.2f} s", surface), "N goes 3, 2, 1"},
                        {"at rest after the last push", "slides on to 4 s (picture)",
                         std::isnan(rest) ? "slides to the end" : fmt::format("{:.2f} s", rest), ""},
                        {"numerics", "PATH, tolerance 1e-8", "", SolverRemark(trace.summary)}};
  return result;
}

ExperimentResult Scenario4() {
  const Scene scene = ParseScene(
#include "reproduce/xie_scenario4.inc"
      , "xie4.yaml");
  const Trace trace(scene, 0.01, 5);
  struct Phase {
    const char* name;
    double from, until;
    const char* what;
  };
  constexpr Phase kPhases[] = {{"T1", 0.01, 0.65, "falls down"},  {"T2", 0.66, 1.5, "rolls forward"},
                               {"T3", 1.51, 2.15, "pivots"},      {"T4", 2.16, 3.25, "rolls forward"},
                               {"T5", 3.26, 4.7, "is lifted up"}, {"T6", 4.71, 5.0, "stands at the goal"}};
  ExperimentResult result;
  result.tables = {TableOf(trace)};
  Plot speed{"Fig. 10b: vertical velocity", "t [s]", "v_z [m/s]", {}},
      height{"Fig. 10b: height of the center", "t [s]", "q_z [m]", {}};
  speed.series = {trace.Series("", [](const TraceRow& r) { return r.v.z(); })};
  height.series = {trace.Series("", [](const TraceRow& r) { return r.p.z(); })};
  Plot path{"Fig. 9: path of the center", "x [m]", "y [m]", {}, false, false, true};
  PlotSeries center{"", {}, {}};
  for (const TraceRow& row : trace.rows) {
    center.x.push_back(row.p.x());
    center.y.push_back(row.p.y());
  }
  path.series = {center};
  Plot facets{"Facets of the cylinder in contact with the floor (1 with height 0.1 m: line, 0.15 m: face; 2: rim)",
              "t [s]",
              "N",
              {}};
  facets.series = {trace.Series("", [](const TraceRow& r) { return static_cast<double>(r.facets); })};
  result.figures = {{"fig10_manipulation", {speed, height, facets}}, {"fig9_path", {path}}};

  DataTable loads{"loads", {"from", "until", "px", "py", "pz", "pxt", "pyt", "pzt"}, {}};
  for (const Action& action : scene.actions) {
    const bool held = !action.force.empty() || !action.torque.empty();
    const double from = held ? scene[action.from] : scene[action.at], until = held ? scene[action.until] : from;
    std::vector<double> row = {from, until, 0, 0, 0, 0, 0, 0};
    const auto put = [&](const std::vector<NumberId>& ids, int at, double factor) {
      for (std::size_t i = 0; i < ids.size(); ++i) row[at + i] += factor * scene[ids[i]];
    };
    put(action.force, 2, until - from);
    put(action.torque, 5, until - from);
    put(action.impulse, 2, 1);
    put(action.angular_impulse, 5, 1);
    loads.rows.push_back(row);
  }
  result.tables.push_back(loads);

  for (const Phase& phase : kPhases) {
    double lowest = 1e300, highest = 0, traveled = 0, turned = 0;
    int line = 0, face = 0, point = 0, others = 0, count = 0;
    const TraceRow* previous = nullptr;
    for (const TraceRow& row : trace.rows) {
      if (row.t < phase.from - 1e-6 || row.t > phase.until + 1e-6) continue;
      ++count;
      lowest = std::min(lowest, row.p.z());
      highest = std::max(highest, row.p.z());
      line += row.facets > 0 && row.kind == ContactKind::kLine;
      face += row.facets > 0 && row.kind == ContactKind::kSurface;
      point += row.facets > 0 && row.kind == ContactKind::kPoint;
      others += row.touches_other;
      if (previous) {
        traveled += (row.p - previous->p).head<2>().norm();
        turned += 0.01 * row.w.z();
      }
      previous = &row;
    }
    result.comparisons.push_back(
        {fmt::format("{} ({} s to {} s): {}", phase.name, phase.from, phase.until, phase.what), "reached",
         fmt::format("height {:.3f} to {:.3f} m, moved {:.2f} m, yaw {:.2f} rad", lowest, highest, traveled, turned),
         fmt::format("steps with line {}, face {}, point contact {}, touching an obstacle {}, of {}", line, face, point,
                     others, count)});
  }
  const TraceRow& end = trace.rows.back();
  result.comparisons.push_back(
      {"end", "stands at the goal",
       fmt::format("({:.3f}, {:.3f}, {:.3f}) m, axis upright to {:.1e} rad", end.p.x(), end.p.y(), end.p.z(),
                   std::acos(std::min(1.0, std::abs(RotationMatrix<double>(end.q)(2, 2))))),
       SolverRemark(trace.summary)});
  return result;
}

}  // namespace

std::vector<Experiment> XieExperiments() {
  return {{"xie-scenario1", "Xie sec. VI-A, fig. 6: cube sliding on a plane, with Bullet and ODE beside it", Scenario1},
          {"xie-scenario2", "Xie sec. VI-B, fig. 7: cylinder rolling and yawing in line contact", Scenario2},
          {"xie-scenario3", "Xie sec. VI-C, fig. 8: cube toppling through point, line and surface contact", Scenario3},
          {"xie-scenario4", "Xie sec. VI-D, fig. 9-10: steel cylinder manipulated past obstacles", Scenario4}};
}

}  // namespace ricochet
