// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Jongeneel sec. IV to VI with simulated campaigns in the place of the recorded ones, which are not part of this
// repository: all four boxes of Table I, standing and running conveyor. What the paper prints of its recordings stands
// beside as the friction and restitution that the campaigns are made with (Table II), or as an order of magnitude.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/context.h"
#include "core/threads.h"
#include "dataset/impacts/impact_selection.h"
#include "estimators/tosses/toss_rollout.h"
#include "reproduce/reproduce.h"
#include "reproduce/toss_campaign.h"
#include "ricochet/identify.h"
#include "ricochet/parameter.h"
#include "ricochet/validate.h"

namespace ricochet {
namespace {

constexpr char kLaw[] = "contact.friction,contact.restitution";
constexpr int kTosses = 12, kTestTosses = 20, kDrops = 16;
constexpr double kBelt = 0.5;  // [m/s]
constexpr int kGrid = 21;      // the paper's, from 0 to 1

std::vector<Recording> Campaign(const JongeneelBox& box, int tosses, std::uint64_t seed, bool drops = false,
                                double belt = 0) {
  CampaignOptions options;
  options.tosses = tosses;
  options.drops = drops;
  options.belt = belt;
  options.seed = seed;
  return MakeCampaign(box, options);
}

Estimate FitBox(const JongeneelBox& box, const std::vector<Recording>& recordings, const char* method,
                double belt = 0) {
  IdentifyOptions options;
  options.method = method;
  return Identify(TossScene(box, 0.3, 0.1, belt), recordings, kLaw, options, CurrentContext()).estimate;
}

std::string ValueText(const Estimate& estimate) {
  std::string text;
  for (const EstimatedParameter& p : estimate.parameters)
    text += (text.empty() ? "" : ", ") + (p.value ? fmt::format("{:.4f} +- {:.5f}", *p.value, p.std.value_or(NAN))
                                                  : std::string("not identifiable"));
  return text;
}

double Value(const Estimate& estimate, std::size_t i, double fallback) {
  return estimate.parameters[i].value.value_or(fallback);
}

const ErrorSummary& Named(const Validation& validation, const char* name) {
  return *std::find_if(validation.summary.begin(), validation.summary.end(),
                       [&](const ErrorSummary& s) { return s.name == name; });
}

/// "7.4 +- 3.1 mm, 2.0 +- 1.1 deg" at rest.
std::string RestText(const Validation& validation) {
  const ErrorSummary &position = Named(validation, "rest_position_error"), &yaw = Named(validation, "rest_yaw_error");
  constexpr double kDegrees = 57.29577951308232;
  return fmt::format("{:.1f} +- {:.1f} mm, {:.1f} +- {:.1f} deg", 1e3 * position.mean, 1e3 * position.std,
                     kDegrees * yaw.mean, kDegrees * yaw.std);
}

/// The same campaigns, standing conveyor, in Bullet (bench/engines_jongeneel.cc): friction and restitution of the
/// paper's grid with the least cost (18), and rest poses with them, mean and standard deviation [m], [rad].
struct BulletRow {
  double friction, restitution, cost, position, position_std, yaw, yaw_std;
};
constexpr BulletRow kBullet[] = {
#include "reproduce/jongeneel_bullet.inc"
};

void AddBullet(std::size_t b, ExperimentResult& out) {
  const JongeneelBox& box = JongeneelBoxes()[b];
  const BulletRow& row = kBullet[b];
  constexpr double kDegrees = 57.29577951308232;
  out.comparisons.push_back({fmt::format("Table II, {} trajectory, Bullet: friction, restitution", box.name),
                             fmt::format("made with {}, {}", box.friction, box.restitution),
                             fmt::format("{:.2f}, {:.2f}", row.friction, row.restitution),
                             "second simulator, grid of 0.05, stored"});
  out.comparisons.push_back({fmt::format("Table III, {} trajectory, Bullet: rest pose", box.name),
                             "46 to 71 mm, 11 to 15 deg (Algoryx)",
                             fmt::format("{:.1f} +- {:.1f} mm, {:.1f} +- {:.1f} deg", 1e3 * row.position,
                                         1e3 * row.position_std, kDegrees * row.yaw, kDegrees * row.yaw_std),
                             "real boxes in the paper; stored"});
}

ExperimentResult RunTables() {
  ExperimentResult out;
  DataTable table{"boxes",
                  {"box", "belt", "method", "friction", "friction_std", "restitution", "restitution_std",
                   "rest_position", "rest_yaw", "rest_position_e0", "rest_yaw_e0"},
                  {}};
  for (std::size_t b = 0; b < JongeneelBoxes().size(); ++b) {
    const JongeneelBox& box = JongeneelBoxes()[b];
    for (const double belt : {0.0, kBelt}) {
      const std::vector<Recording> test = Campaign(box, kTestTosses, 100 + b, false, belt);
      for (const auto& [method, drops] : {std::pair{"trajectory", false}, {"velocity", true}}) {
        if (drops && belt != 0) continue;
        const Estimate estimate = FitBox(box, Campaign(box, drops ? kDrops : kTosses, b, drops, belt), method, belt);
        const double friction = Value(estimate, 0, 0.3), restitution = Value(estimate, 1, 0.1);
        const Validation found = Validate(TossScene(box, friction, restitution, belt), test, {}, CurrentContext());
        const Validation without = Validate(TossScene(box, friction, 0, belt), test, {}, CurrentContext());
        const char* moving = belt != 0 ? ", conveyor running" : "";
        out.comparisons.push_back({fmt::format("Table II, {} {}{}: friction, restitution", box.name, method, moving),
                                   fmt::format("made with {}, {}", box.friction, box.restitution), ValueText(estimate),
                                   estimate.converged ? "" : "not converged"});
        out.comparisons.push_back({fmt::format("Table III, {} {}{}: rest pose", box.name, method, moving),
                                   drops ? "66 to 338 mm, 11 to 16 deg" : "43 to 101 mm, 8 to 16 deg", RestText(found),
                                   "real boxes in the paper"});
        if (!drops)
          out.comparisons.push_back({fmt::format("Table IV, {}{}: restitution 0", box.name, moving),
                                     "as Table III within 6 mm", RestText(without), "real boxes in the paper"});
        table.rows.push_back({static_cast<double>(4 + b), belt, drops ? 1.0 : 0.0, friction,
                              estimate.parameters[0].std.value_or(NAN), restitution,
                              estimate.parameters[1].std.value_or(NAN), Named(found, "rest_position_error").mean,
                              Named(found, "rest_yaw_error").mean, Named(without, "rest_position_error").mean,
                              Named(without, "rest_yaw_error").mean});
      }
    }
    AddBullet(b, out);
  }
  out.tables.push_back(std::move(table));
  return out;
}

/// Fig. 5 to 8: corners over the surface, the impacts that are selected, velocities before and after one.
ExperimentResult RunImpacts() {
  ExperimentResult out;
  const JongeneelBox& box = JongeneelBoxes()[2];
  const Model model = CompileModel(TossScene(box, box.friction, box.restitution));
  Plot heights{"Corners of Box006 over the conveyor and the impacts that are selected", "t [s]", "height [m]", {}};
  Plot speeds{"Vertical velocity: central differences, and flights fitted together in pairs up to the impact",
              "t [s]",
              "v_z [m/s]",
              {}};
  int selected = 0, candidates = 0;
  for (const Recording& recording : Campaign(box, kDrops, 2, true)) {
    const PreparedToss toss = PrepareToss(model, recording, {});
    if (!toss.problem.empty()) continue;
    selected += static_cast<int>(toss.impacts.impacts.size());
    candidates += static_cast<int>(toss.impacts.log.size());
    if (!heights.series.empty() || toss.impacts.impacts.empty()) continue;
    const SpatialTrack& track = toss.toss.track;
    for (const Eigen::Vector3d& corner : model.spatial.bodies[0].shape.vertices) {
      PlotSeries line;
      for (int k = 0; k < track.size(); ++k) {
        const std::size_t frame = static_cast<std::size_t>(k);
        line.x.push_back(track.time[frame]);
        line.y.push_back((track.position[frame] + RotationMatrix<double>(track.rotation[frame]) * corner).z());
      }
      heights.series.push_back(std::move(line));
    }
    PlotSeries marks{"selected impact", {}, {}, SeriesStyle::kMarkers},
        measured{"central differences", {}, {}, SeriesStyle::kMarkers, 4};
    const double until = toss.impacts.impacts.back().jump.time + 0.1;
    for (int k = 1; k + 1 < track.size() && track.time[static_cast<std::size_t>(k)] < until; ++k) {
      if (const auto v = CentralVelocity(track, k)) {
        measured.x.push_back(track.time[static_cast<std::size_t>(k)]);
        measured.y.push_back((*v)[2]);
      }
    }
    speeds.series.push_back(std::move(measured));
    for (const SelectedImpact& impact : toss.impacts.impacts) {
      marks.x.push_back(track.time[static_cast<std::size_t>(impact.frame)]);
      marks.y.push_back(0);
      const bool first = marks.x.size() == 1;
      for (const bool behind : {false, true}) {
        PlotSeries line{
            first ? (behind ? "flight behind" : "flight before") : "", {}, {}, SeriesStyle::kLine, behind ? 1 : 0};
        const double velocity = (behind ? impact.jump.after : impact.jump.before)[2];
        const auto at = [&](double t) {
          line.x.push_back(t);
          line.y.push_back(velocity + model.spatial.gravity.z() * (t - impact.jump.time));
        };
        if (!behind) at(track.time[static_cast<std::size_t>(impact.flight[0])]);
        at(impact.jump.time);
        if (behind) at(track.time[static_cast<std::size_t>(impact.flight[3] - 1)]);
        speeds.series.push_back(std::move(line));
      }
    }
    heights.series.push_back(std::move(marks));
  }
  out.figures.push_back({"impacts", {heights, speeds}});
  out.comparisons.push_back({"impacts on a single corner, of local minima looked at", "-",
                             fmt::format("{} of {}", selected, candidates), fmt::format("{} drops", kDrops)});
  return out;
}

/// Mean over the tosses of the cost (17) or (18) at some friction and restitution.
double MeanCost(const JongeneelBox& box, double friction, double restitution, const std::vector<PreparedToss>& tosses,
                bool velocity) {
  const Model model = CompileModel(TossScene(box, friction, restitution));
  TossRoller roller(model, FindStepper("moreau"));
  std::vector<SpatialPose<double>> poses;
  double sum = 0;
  int count = 0;
  for (const PreparedToss& toss : tosses) {
    std::optional<double> cost;
    if (velocity) {
      cost = roller.VelocityLoss(toss);
    } else if (roller.Roll(toss, poses)) {
      cost = CompareToss(model, toss, poses).trajectory_loss;
    }
    if (cost) sum += *cost, ++count;
  }
  return count > 0 ? sum / count : NAN;
}

/// Fig. 9 and 12: costs over friction and restitution.
ExperimentResult RunCosts() {
  ExperimentResult out;
  const JongeneelBox& box = JongeneelBoxes()[2];
  for (const bool velocity : {true, false}) {
    const Model model = CompileModel(TossScene(box, 0.3, 0.1));
    std::vector<PreparedToss> tosses;
    for (const Recording& recording : Campaign(box, velocity ? kDrops : kTosses, 2, velocity)) {
      PreparedToss toss = PrepareToss(model, recording, {});
      if (toss.problem.empty() && (!velocity || !toss.impacts.impacts.empty())) tosses.push_back(std::move(toss));
    }
    PlotMap map{{}, {}, std::vector<double>(kGrid * kGrid), "cost"};
    for (int i = 0; i < kGrid; ++i) {
      map.x.push_back(0.05 * i);
      map.y.push_back(0.05 * i);
    }
    ParallelFor(kGrid * kGrid, [&](int cell) {
      map.values[static_cast<std::size_t>(cell)] =
          MeanCost(box, 0.05 * (cell / kGrid), 0.05 * (cell % kGrid), tosses, velocity);
    });
    const char* name = velocity ? "velocity" : "trajectory";
    DataTable table{fmt::format("cost_{}", name), {"friction", "restitution", "cost"}, {}};
    std::size_t least = 0;
    for (std::size_t cell = 0; cell < map.values.size(); ++cell) {
      const std::size_t i = cell / kGrid, j = cell % kGrid;
      table.rows.push_back({map.x[i], map.y[j], map.values[cell]});
      if (map.values[cell] < map.values[least]) least = cell;
    }
    const double best_friction = map.x[least / kGrid], best_restitution = map.y[least % kGrid];
    Plot plot{fmt::format("Cost {} of Box006 ({}), {} {}", velocity ? "(17)" : "(18)", velocity ? "Fig. 9" : "Fig. 12",
                          tosses.size(), velocity ? "drops with an impact on one corner" : "tosses"),
              "friction",
              "restitution",
              {{"least", {best_friction}, {best_restitution}, SeriesStyle::kMarkers, 4}}};
    plot.map = std::move(map);
    out.tables.push_back(std::move(table));
    out.figures.push_back({fmt::format("cost_{}", name), {plot}});
    out.comparisons.push_back({fmt::format("least {} cost on the grid: friction, restitution", name),
                               velocity ? "0.25, 0.40 (their recordings)" : "0.40, 0.25",
                               fmt::format("{:.2f}, {:.2f}", best_friction, best_restitution),
                               fmt::format("made with {}, {}", box.friction, box.restitution)});
  }
  return out;
}

/// The four corners of the box's outline on the belt.
PlotSeries Outline(const SpatialPose<double>& pose, const JongeneelBox& box, const std::string& label, int color) {
  PlotSeries line{label, {}, {}, SeriesStyle::kLine, color};
  const double half[5][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}};
  for (const auto& [x, y] : half) {
    const Eigen::Vector3d p =
        pose.head<3>() + RotationMatrix<double>(pose.tail<4>()) * Eigen::Vector3d(x * box.size[0], y * box.size[1], 0);
    line.x.push_back(p.x());
    line.y.push_back(p.y());
  }
  return line;
}

/// Fig. 10, 11, 13, 14: a toss with release and rest, rest poses, and how they move with the numbers.
ExperimentResult RunRest() {
  ExperimentResult out;
  for (const std::size_t b : {std::size_t{1}, std::size_t{2}}) {
    const JongeneelBox& box = JongeneelBoxes()[b];
    const std::vector<Recording> recordings = Campaign(box, kTosses, 100 + b);
    const Scene scene = TossScene(box, box.friction, box.restitution);
    const Model model = CompileModel(scene);
    const Stepper& stepper = FindStepper("moreau");
    Plot height{fmt::format("A toss of {}: release and rest", box.name), "t [s]", "height of the center [m]", {}};
    Plot rest{fmt::format("Rest poses of {}: recorded, predicted, friction and restitution off by 0.05", box.name),
              "x [m]",
              "y [m]",
              {},
              false,
              false,
              true};
    for (int k = 0; k < 3; ++k) {
      PreparedToss toss = PrepareToss(model, recordings[static_cast<std::size_t>(k)], {});
      if (!toss.problem.empty() || toss.toss.rest < 0) continue;
      const SpatialTrack& track = toss.toss.track;
      if (height.series.empty()) {
        PlotSeries path{"recorded", {}, {}}, marks{"release, rest", {}, {}, SeriesStyle::kMarkers};
        for (int i = 0; i < track.size(); ++i) {
          path.x.push_back(track.time[static_cast<std::size_t>(i)]);
          path.y.push_back(track.position[static_cast<std::size_t>(i)].z());
        }
        for (const int frame : {toss.start, toss.toss.rest}) {
          marks.x.push_back(track.time[static_cast<std::size_t>(frame)]);
          marks.y.push_back(track.position[static_cast<std::size_t>(frame)].z());
        }
        height.series = {path, marks};
      }
      rest.series.push_back(Outline(RecordedRest(model, toss), box, k == 0 ? "recorded" : "", 0));
      const double moved[][2] = {{0, 0}, {0.05, 0}, {-0.05, 0}, {0, 0.05}, {0, -0.05}};
      for (int variant = 0; variant < 5; ++variant) {
        const Model changed = CompileModel(
            TossScene(box, box.friction + moved[variant][0], std::max(0.0, box.restitution + moved[variant][1])));
        TossRoller roller(changed, stepper);
        std::vector<SpatialPose<double>> poses;
        if (!roller.Roll(toss, poses)) continue;
        const char* names[] = {"predicted", "friction off", "", "restitution off", ""};
        const int colors[] = {1, 2, 2, 3, 3};
        rest.series.push_back(Outline(poses.back(), box, k == 0 ? names[variant] : "", colors[variant]));
      }
    }
    out.figures.push_back({fmt::format("rest_{}", box.name), {height, rest}});
    DataTable table{fmt::format("sensitivity_{}", box.name), {"number", "value", "rest_position", "rest_yaw"}, {}};
    for (int number = 0; number < 2; ++number) {
      const char* path = number == 0 ? "contact.friction" : "contact.restitution";
      const Sensitivity moved = Vary(scene, recordings, {.path = path, .radius = 0.05}, {}, CurrentContext());
      double largest[2] = {0, 0};
      for (const SensitivityRow& row : moved.rows) {
        table.rows.push_back({static_cast<double>(number), row.value, row.summary[4].mean, row.summary[6].mean});
        largest[0] = std::max(largest[0], row.summary[4].mean);
        largest[1] = std::max(largest[1], row.summary[6].mean);
      }
      out.comparisons.push_back({fmt::format("Fig. 14, {}: rest pose when {} is off by 0.05", box.name, path),
                                 number == 0 ? "about 100 mm, 3 deg" : "about 4 mm, 3 deg",
                                 fmt::format("up to {:.0f} mm, {:.1f} deg", 1e3 * largest[0], 57.29578 * largest[1]),
                                 "with the error of the start"});
    }
    out.tables.push_back(std::move(table));
  }
  return out;
}

}  // namespace

std::vector<Experiment> JongeneelExperiments() {
  return {{"jongeneel-tables", "Tables II to IV: four boxes, standing and running conveyor, simulated campaigns",
           RunTables},
          {"jongeneel-impacts", "Fig. 5 to 8: impact selection and velocities", RunImpacts},
          {"jongeneel-costs", "Fig. 9 and 12: costs over friction and restitution", RunCosts},
          {"jongeneel-rest", "Fig. 10, 11, 13, 14: release and rest, rest poses, sensitivity", RunRest}};
}

}  // namespace ricochet
