// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Thrown elbows (two boxes joined by a hinge, real recordings that are not part of this repository): how far a rollout
// of `spook` from a fitted release gets.
//
//   study_elbow FOLDER [STRIDE]    FOLDER/toss_*.csv, every STRIDE-th
//
// The release (14 numbers: pose, velocity and rate of link 1, angle and rate of the hinge) is fitted to the rows of
// free flight by Gauss and Newton on rollouts; the rest of the toss is predicted. Rows of the table: a model; medians
// over tosses of
//     flight_mm, flight_deg, hinge_deg     root mean square of the flight's residuals (link 1 place, turn; hinge)
//     ahead_mm, ahead_deg                  error at the end of the flight of a release fitted to its first two thirds
//     after50_mm, after50_deg              50 ms after the first contact
//     rest_mm, rest_deg, all_mm            at the last row; mean over all rows
// Friction and restitution are chosen on every second toss by all_mm and reported on the others.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "core/threads.h"
#include "math/dense.h"
#include "ricochet/recording.h"
#include "ricochet/simulate.h"

namespace {

using namespace ricochet;

constexpr int kNumbers = 14;
constexpr int kSubsteps = 7;     // steps per row
constexpr double kNear = 0.02;   // [m], lowest corner of a box: contact may begin
constexpr int kFewestRows = 9;   // of a flight
constexpr double kPlace = 3e-4;  // [m], weights of residuals,
constexpr double kTurn = 5e-3;   // and [rad]
constexpr double kDegrees = 180 / std::numbers::pi;
using Release = Eigen::Matrix<double, kNumbers, 1>;  // place, turn (vector), velocity, rate, hinge angle, hinge rate

struct Row {
  Eigen::Vector3d place;
  Eigen::Quaterniond turn;
  double hinge = 0;  // [rad]
};

struct Toss {
  std::vector<Row> rows;
  double tick = 0;  // [s]
  int flight = 0;   // rows before the first contact
  Release start;
};

struct Model {
  double gravity = 9.66;  // [m/s^2]
  bool box_inertia = true;
  double friction = 0.3, restitution = 0.1;
};

Scene MakeScene(const Model& model) {
  const std::string inertia = model.box_inertia ? "" : ", inertia: [6.167e-4, 6.167e-4, 6.167e-4]";
  const std::string box = "{shape: {box: {size: [0.1, 0.05, 0.05]}}, mass: 0.37" + inertia + "}\n";
  return ParseScene(
      fmt::format("ricochet: 1\nspace: spatial\ngravity: [0, 0, -{}]\nbodies:\n  link1: {}  link2: {}"
                  "surfaces:\n  board: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}\n"
                  "contact: {{friction: {}, restitution: {}}}\njoints:\n  hinge:\n    type: hinge\n    parent: link1\n"
                  "    child: link2\n    parent_frame: {{point: [-0.035, 0.06, 0], axis: [0, 1, 0], zero: [1, 0, 0]}}\n"
                  "    child_frame: {{point: [-0.035, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}}\n"
                  "    compliance: {{linear: 1.0e-8, angular: 1.0e-8}}\n    damping: 0.02\n    viscous: 0.001\n"
                  "initial:\n  link1: {{position: [0, 0, 1], orientation: [1, 0, 0, 0], velocity: [0, 0, 0], "
                  "angular_velocity: [0, 0, 0]}}\n  hinge: {{angle: 0, rate: 0}}\nobserve: [poses, hinge.angle]\n"
                  "simulation: {{method: spook, step: 1.0e-3, duration: 1}}\n",
                  model.gravity, box, box, model.friction, model.restitution),
      "elbow");
}

/// Rotation by a vector and back.
Eigen::Quaterniond Exp(const Eigen::Vector3d& w) {
  const double angle = w.norm();
  return angle > 0 ? Eigen::Quaterniond(Eigen::AngleAxisd(angle, w / angle)) : Eigen::Quaterniond::Identity();
}

Eigen::Vector3d TurnBetween(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b) {
  const Eigen::AngleAxisd turn(a * b.conjugate());
  return turn.angle() * turn.axis();
}

Eigen::Quaterniond TurnOf(const Recording& of, const std::string& body, std::size_t row) {
  const auto at = [&](const char* name) { return of.values[static_cast<std::size_t>(of.Find(body + name))][row]; };
  return {at("qw"), at("qx"), at("qy"), at("qz")};
}

std::vector<Row> RowsOf(const Recording& recording, const std::string& body, std::size_t stride) {
  std::vector<Row> out;
  const auto column = [&](const std::string& name) -> const std::vector<double>& {
    return recording.values[static_cast<std::size_t>(recording.Find(name))];
  };
  for (std::size_t i = 0; i < recording.time.size(); i += stride)
    out.push_back({{column(body + "x")[i], column(body + "y")[i], column(body + "z")[i]},
                   TurnOf(recording, body, i),
                   column("hinge.angle")[i]});
  return out;
}

double LowestCorner(const Row& row) {
  double lowest = std::numeric_limits<double>::infinity();
  const Eigen::Vector3d hinge = row.place + row.turn * Eigen::Vector3d(-0.035, 0.06, 0);
  const Eigen::Quaterniond second = row.turn * Exp({0, row.hinge, 0});
  for (const double x : {-0.05, 0.05})
    for (const double y : {-0.025, 0.025})
      for (const double z : {-0.025, 0.025})
        lowest = std::min({lowest, (row.place + row.turn * Eigen::Vector3d(x, y, z)).z(),
                           (hinge + second * Eigen::Vector3d(x + 0.035, y, z)).z()});
  return lowest;
}

Toss ReadToss(const std::string& file) {
  const Recording recording = ReadRecording(file);
  Toss out;
  out.rows = RowsOf(recording, "", 1);
  out.tick = recording.time[1] - recording.time[0];
  int near = 0;
  while (near < static_cast<int>(out.rows.size()) && LowestCorner(out.rows[static_cast<std::size_t>(near)]) > kNear)
    ++near;
  out.flight = near;
  const auto at = [&](const char* name) { return recording.values[static_cast<std::size_t>(recording.Find(name))][0]; };
  out.start << out.rows[0].place, Eigen::Vector3d::Zero(), at("vx"), at("vy"), at("vz"), at("wx"), at("wy"), at("wz"),
      at("hinge.angle"), at("hinge.rate");
  return out;
}

std::vector<Row> RollOut(Scene& scene, const Toss& toss, const Release& release, int rows) {
  const Eigen::Quaterniond q = Exp(release.segment<3>(3)) * toss.rows[0].turn;
  scene.Set("initial.link1.position", {release[0], release[1], release[2]});
  scene.Set("initial.link1.orientation", {q.w(), q.x(), q.y(), q.z()});
  scene.Set("initial.link1.velocity", {release[6], release[7], release[8]});
  scene.Set("initial.link1.angular_velocity", {release[9], release[10], release[11]});
  scene.Set("initial.hinge.angle", {release[12]});
  scene.Set("initial.hinge.rate", {release[13]});
  SimulateOptions options;
  options.step = toss.tick / kSubsteps;
  options.duration = (rows - 1) * toss.tick + 1e-9;
  return RowsOf(Simulate(scene, options).recording, "link1.", kSubsteps);
}

Eigen::VectorXd Residuals(const std::vector<Row>& motion, const Toss& toss, int rows) {
  Eigen::VectorXd out(7 * rows);
  for (int i = 0; i < rows; ++i) {
    const Row &a = motion[static_cast<std::size_t>(i)], &b = toss.rows[static_cast<std::size_t>(i)];
    out.segment<3>(7 * i) = (a.place - b.place) / kPlace;
    out.segment<3>(7 * i + 3) = TurnBetween(a.turn, b.turn) / kTurn;
    out[7 * i + 6] = (a.hinge - b.hinge) / kTurn;
  }
  return out;
}

Release FitRelease(Scene& scene, const Toss& toss, int rows) {
  Release release = toss.start;
  for (int iteration = 0; iteration < 3; ++iteration) {
    const Eigen::VectorXd e = Residuals(RollOut(scene, toss, release, rows), toss, rows);
    Eigen::MatrixXd J(e.size(), kNumbers);
    for (int k = 0; k < kNumbers; ++k) {
      Release moved = release;
      const double h = k < 3 ? 1e-5 : 1e-4;
      moved[k] += h;
      J.col(k) = (Residuals(RollOut(scene, toss, moved, rows), toss, rows) - e) / h;
    }
    release -= SolveSymmetric(J.transpose() * J, J.transpose() * e);
  }
  return release;
}

struct Errors {
  double flight_mm = 0, flight_deg = 0, hinge_deg = 0, ahead_mm = 0, ahead_deg = 0;
  double after_mm = 0, after_deg = 0, rest_mm = 0, rest_deg = 0, all_mm = 0;
};

double Place(const Row& a, const Row& b) { return 1e3 * (a.place - b.place).norm(); }
double Turn(const Row& a, const Row& b) { return kDegrees * TurnBetween(a.turn, b.turn).norm(); }

Errors Measure(Scene& scene, const Toss& toss, bool flight_only) {
  Errors out;
  const Release release = FitRelease(scene, toss, toss.flight);
  const int count = flight_only ? toss.flight : static_cast<int>(toss.rows.size());
  const std::vector<Row> motion = RollOut(scene, toss, release, count);
  for (int i = 0; i < toss.flight; ++i) {
    const Row &a = motion[static_cast<std::size_t>(i)], &b = toss.rows[static_cast<std::size_t>(i)];
    out.flight_mm += std::pow(Place(a, b), 2) / toss.flight;
    out.flight_deg += std::pow(Turn(a, b), 2) / toss.flight;
    out.hinge_deg += std::pow(kDegrees * (a.hinge - b.hinge), 2) / toss.flight;
  }
  out.flight_mm = std::sqrt(out.flight_mm);
  out.flight_deg = std::sqrt(out.flight_deg);
  out.hinge_deg = std::sqrt(out.hinge_deg);
  const std::size_t last = static_cast<std::size_t>(toss.flight) - 1;
  const std::vector<Row> ahead =
      RollOut(scene, toss, FitRelease(scene, toss, std::max(6, 2 * toss.flight / 3)), toss.flight);
  out.ahead_mm = Place(ahead[last], toss.rows[last]);
  out.ahead_deg = Turn(ahead[last], toss.rows[last]);
  if (flight_only) return out;
  const std::size_t after =
      std::min(toss.rows.size() - 1, last + static_cast<std::size_t>(std::lround(0.05 / toss.tick)));
  out.after_mm = Place(motion[after], toss.rows[after]);
  out.after_deg = Turn(motion[after], toss.rows[after]);
  out.rest_mm = Place(motion.back(), toss.rows.back());
  out.rest_deg = Turn(motion.back(), toss.rows.back());
  for (std::size_t i = 0; i < motion.size(); ++i)
    out.all_mm += Place(motion[i], toss.rows[i]) / static_cast<double>(motion.size());
  return out;
}

double Median(const std::vector<Errors>& of, double Errors::*member) {
  std::vector<double> values;
  for (const Errors& e : of) values.push_back(e.*member);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// All tosses whose number has this parity; 2: all.
std::vector<Errors> MeasureAll(const Model& model, const std::vector<Toss>& tosses, int parity, bool flight_only) {
  std::vector<const Toss*> chosen;
  for (std::size_t i = 0; i < tosses.size(); ++i)
    if (parity == 2 || static_cast<int>(i % 2) == parity) chosen.push_back(&tosses[i]);
  std::vector<Errors> out(chosen.size());
  ParallelFor(static_cast<int>(chosen.size()), [&](int i) {
    Scene scene = MakeScene(model);
    out[static_cast<std::size_t>(i)] = Measure(scene, *chosen[static_cast<std::size_t>(i)], flight_only);
  });
  return out;
}

void Print(const char* what, const Model& model, const std::vector<Errors>& errors) {
  fmt::print("{},{},{},{},{},{}", what, model.gravity, model.box_inertia ? "box" : "sheet", model.friction,
             model.restitution, errors.size());
  for (double Errors::*member :
       {&Errors::flight_mm, &Errors::flight_deg, &Errors::hinge_deg, &Errors::ahead_mm, &Errors::ahead_deg,
        &Errors::after_mm, &Errors::after_deg, &Errors::rest_mm, &Errors::rest_deg, &Errors::all_mm})
    fmt::print(",{}", Median(errors, member) > 0 ? fmt::format("{:.3g}", Median(errors, member)) : "");
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || !std::filesystem::is_directory(argv[1])) {
    fmt::print(stderr, "study_elbow FOLDER [STRIDE]: FOLDER has the recordings\n");
    return 2;
  }
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  std::vector<Toss> tosses;
  for (std::size_t f = 0; f<files.size(); f += argc> 2 ? std::stoul(argv[2]) : 1) {
    Toss toss = ReadToss(files[f]);
    if (toss.flight >= kFewestRows) tosses.push_back(std::move(toss));
  }
  fmt::print(
      "part,gravity,inertia,friction,restitution,tosses,flight_mm,flight_deg,hinge_deg,ahead_mm,ahead_deg,after50_mm,"
      "after50_deg,rest_mm,rest_deg,all_mm\n");
  Model best;
  double least = std::numeric_limits<double>::infinity();
  for (const double gravity : {9.81, 9.66})
    for (const bool box : {true, false}) {
      const Model model{.gravity = gravity, .box_inertia = box};
      const std::vector<Errors> errors = MeasureAll(model, tosses, 2, true);
      Print("flight", model, errors);
      if (const double found = Median(errors, &Errors::ahead_mm); found < least) least = found, best = model;
    }
  least = std::numeric_limits<double>::infinity();
  Model chosen = best;
  for (const double friction : {0.15, 0.3, 0.45})
    for (const double restitution : {0.0, 0.2, 0.4}) {
      Model model = best;
      model.friction = friction;
      model.restitution = restitution;
      const std::vector<Errors> errors = MeasureAll(model, tosses, 0, false);
      Print("chosen on", model, errors);
      if (const double found = Median(errors, &Errors::all_mm); found < least) least = found, chosen = model;
    }
  Print("held out", chosen, MeasureAll(chosen, tosses, 1, false));
}
