// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/gauntlet_planar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>
#include <sstream>

#include "core/random.h"
#include "ricochet/scene_builder.h"
#include "ricochet/simulator.h"

namespace ricochet::testing {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kStep = 1e-5;  // of the motion [s]
constexpr int kLeastRows = 12;
constexpr double kAfterImpact = 0.08;  // [s] recorded after the first impact, at least

/// The world that is recorded, or the one that the scene describes.
struct World {
  std::string shape;
  double reach = 0, side = 1;        // about half its length [m]; to which side it is thrown
  Vector2d size = Vector2d::Zero();  // semi axes, or side lengths
  std::vector<Vector2d> polygon;
  Vector2d center_of_mass = Vector2d::Zero();
  double mass = 0, inertia = 0;
  double gravity = 9.81, tilt = 0;
  std::vector<MicroSurface> surfaces;  // floor, wall
  bool wall_law = false;               // the wall has friction and restitution of its own
  double drag = 0;
  Vector2d frame = Vector2d::Zero();  // tracked frame in the body
  double frame_angle = 0;
  double length_scale = 1, time_scale = 1;
};

/// How the body is thrown and recorded.
struct Throw {
  Vector3d pose, velocity;
  std::vector<double> times;
  double noise_position = 0, noise_angle = 0;
  bool noise_given = false;

  /// The camera of another throw: its rate and noise.
  void SetCamera(const Throw& other) {
    const double step = other.times[1] - other.times[0];
    const int rows = std::max(kLeastRows, static_cast<int>(times.back() / step) + 1);
    times.resize(static_cast<std::size_t>(rows));
    for (int i = 0; i < rows; ++i) times[static_cast<std::size_t>(i)] = i * step;
    noise_position = other.noise_position;
    noise_angle = other.noise_angle;
    noise_given = other.noise_given;
  }
};

std::vector<Vector2d> CornersOf(const World& world) {
  if (world.shape == "polygon") return world.polygon;
  if (world.shape != "rectangle") return {};
  const Vector2d h = 0.5 * world.size;
  return {{-h[0], -h[1]}, {h[0], -h[1]}, {h[0], h[1]}, {-h[0], h[1]}};
}

MicroScene MotionOf(const World& world) {
  MicroScene out;
  out.semi_axes = world.size;
  out.corners = CornersOf(world);
  out.center_of_mass = world.center_of_mass;
  out.inertia_over_mass = world.inertia / world.mass;
  out.gravity = world.gravity * Vector2d(std::sin(world.tilt), -std::cos(world.tilt));
  out.drag = world.drag;
  out.surfaces = world.surfaces;
  return out;
}

/// Square of the radius of gyration at uniform density, about the center of mass.
double UniformRatio(const World& world) {
  const double a = world.size[0], b = world.size[1];
  if (world.shape == "rectangle") return (a * a + b * b) / 12 + world.center_of_mass.squaredNorm();
  if (world.shape != "polygon") return (a * a + b * b) / 4 + world.center_of_mass.squaredNorm();
  double square = 0;
  for (const Vector2d& corner : world.polygon)
    square += (corner - world.center_of_mass).squaredNorm() / static_cast<double>(world.polygon.size());
  return 0.45 * square;
}

SceneBuilder BuilderOf(const World& world, double inertia, double friction, double restitution, const Throw& thrown) {
  ShapeSpec shape = shapes::Circle(world.size[0]);
  if (world.shape == "ellipse") shape = shapes::Ellipse(world.size);
  if (world.shape == "rectangle") shape = shapes::Rectangle(world.size);
  if (world.shape == "polygon") shape = shapes::Polygon({world.polygon.begin(), world.polygon.end()});
  SceneBuilder builder(Space::kPlanar);
  builder.SetGravity(world.gravity, world.tilt);
  BodySpec body{.shape = shape, .mass = world.mass, .inertia = inertia};
  if (world.center_of_mass.norm() > 0) body.center_of_mass = world.center_of_mass;
  builder.AddBody("body", body);
  const char* const names[] = {"floor", "wall"};
  for (std::size_t i = 0; i < world.surfaces.size(); ++i) {
    const MicroSurface& s = world.surfaces[i];
    SurfaceSpec surface{.point = s.point, .angle = s.angle};
    if (s.velocity != 0) surface.velocity = {s.velocity * std::cos(s.angle), s.velocity * std::sin(s.angle)};
    builder.AddSurface(names[i], surface);
  }
  builder.SetContact({.friction = friction, .restitution = restitution});
  if (world.wall_law)
    builder.SetContact("body", "wall",
                       {.friction = world.surfaces[1].friction, .restitution = world.surfaces[1].restitution});
  ObserveSpec observe;
  if (thrown.noise_given) {
    observe.noise_position = thrown.noise_position;
    observe.noise_angle = thrown.noise_angle;
  }
  builder.SetObserve(observe);
  return builder;
}

World RandomWorld(Random& random) {
  World world;
  const char* const shapes[] = {"ellipse", "circle", "rectangle", "polygon"};
  world.shape = shapes[random.Below(4)];
  const double reach = world.reach = random.Uniform(0.025, 0.08);
  world.side = random.Uniform() < 0.5 ? 1 : -1;
  world.size = {reach, world.shape == "circle" ? reach : reach * random.Uniform(0.4, 0.9)};
  if (world.shape == "rectangle") world.size *= 2;
  if (world.shape == "polygon") {
    const int corners = 3 + static_cast<int>(random.Below(4));
    for (int k = 0; k < corners; ++k) {
      const double angle = 2 * std::numbers::pi * (k + random.Uniform(-0.25, 0.25)) / corners;
      world.polygon.push_back(reach * Vector2d(std::cos(angle), std::sin(angle)));
    }
  }
  if (random.Uniform() < 0.3)
    world.center_of_mass = 0.2 * reach * Vector2d(random.Uniform(-1, 1), random.Uniform(-1, 1));
  world.mass = random.Uniform(0.05, 0.5);
  world.inertia = world.mass * UniformRatio(world) * random.Uniform(0.75, 1.2);
  MicroSurface floor;
  if (random.Uniform() < 0.4) floor.angle = random.Uniform(-0.25, 0.25);
  if (random.Uniform() < 0.2) floor.velocity = random.Uniform(0.2, 1) * (random.Uniform() < 0.5 ? 1 : -1);
  floor.friction = random.Uniform(0.05, 0.8);
  floor.restitution = random.Uniform(0, 0.8);
  world.surfaces = {floor};
  if (random.Uniform() < 0.35) {
    MicroSurface wall = world.surfaces[0];
    wall.velocity = 0;
    wall.point = {world.side * (reach + random.Uniform(0.05, 0.4)), 0};
    wall.angle = (world.side > 0 ? 0.5 : -0.5) * std::numbers::pi + random.Uniform(-0.15, 0.15);
    if (random.Uniform() < 0.3) {
      world.wall_law = true;
      wall.friction = random.Uniform(0.05, 0.8);
      wall.restitution = random.Uniform(0, 0.8);
    }
    world.surfaces.push_back(wall);
  }
  return world;
}

/// A throw that touches; none where the body does not, or too late.
std::optional<Throw> RandomThrow(Random& random, const World& world) {
  Throw out;
  const double reach = world.reach;
  out.pose = {0, 0, random.Uniform(-3, 3)};
  out.velocity = {world.side * random.Uniform(0.3, 2.5), random.Uniform(-1, 0.5), random.Uniform(-15, 15)};
  const MicroScene scene = MotionOf(world);
  out.pose[1] =
      random.Uniform(0.02, 0.3) -
      MicroGap({scene.semi_axes, scene.corners, scene.center_of_mass, 1, scene.gravity, 0, {scene.surfaces[0]}},
               out.pose) /
          std::cos(world.surfaces[0].angle);
  if (MicroGap(scene, out.pose) <= 1e-3) return std::nullopt;
  const double rates[] = {30, 60, 120, 240, 500};
  const double rate = rates[random.Below(5)], duration = std::max(random.Uniform(0.3, 1), (kLeastRows - 1) / rate);
  for (int i = 0; i <= static_cast<int>(duration * rate); ++i) out.times.push_back(i / rate);
  out.noise_position = 1e-4 * std::pow(20, random.Uniform());
  out.noise_angle = out.noise_position / reach * random.Uniform(0.3, 1.5);
  out.noise_given = random.Uniform() < 0.2;
  std::vector<double> impacts;
  MicroMotion(scene, out.pose, out.velocity, out.times, 1e-4, &impacts);
  if (impacts.empty() || impacts.front() > out.times.back() - kAfterImpact) return std::nullopt;
  return out;
}

/// Makes the world differ from the scene by `size`. False where this world has nothing of the kind.
bool Apply(const std::string& name, double size, World& world) {
  const auto surface = [&](std::size_t i) -> MicroSurface& { return world.surfaces[i]; };
  if (name == "gravity_magnitude") world.gravity += size;
  if (name == "gravity_tilt") world.tilt += size;
  if (name == "size") {
    world.size *= 1 + size;
    for (Vector2d& corner : world.polygon) corner *= 1 + size;
  }
  if (name == "center_of_mass") world.center_of_mass += size * Vector2d(0.8, -0.6);
  if (name == "frame_position") world.frame += size * Vector2d(0.6, 0.8);
  if (name == "frame_rotation") world.frame_angle += size;
  if (name == "surface_height") surface(0).point[1] += size;
  if (name == "surface_tilt") surface(0).angle += size;
  if (name == "surface_velocity") surface(0).velocity += size;
  if (name == "length_scale") world.length_scale *= 1 + size;
  if (name == "time_scale") world.time_scale *= 1 + size;
  if (name == "drag") world.drag += size;
  if (name == "wall_friction" || name == "wall_restitution") {
    if (world.surfaces.size() < 2) return false;
    double& value = name == "wall_friction" ? surface(1).friction : surface(1).restitution;
    value = value > 0.4 ? value - std::min(size, value) : value + std::min(size, 1 - value);
  }
  return true;
}

/// Frames of the world's motion as the recording has them.
Recording Record(const World& world, const Throw& thrown, const std::string& nuisance, Random random) {
  const std::vector<Vector3d> poses = MicroMotion(MotionOf(world), thrown.pose, thrown.velocity, thrown.times, kStep);
  std::vector<double> times = thrown.times, x, y, theta;
  for (double& t : times) t *= world.time_scale;
  for (const Vector3d& pose : poses) {
    const double c = std::cos(pose[2]), s = std::sin(pose[2]);
    Vector3d shown = pose;
    shown[0] += c * world.frame[0] - s * world.frame[1];
    shown[1] += s * world.frame[0] + c * world.frame[1];
    shown[2] += world.frame_angle;
    shown.head<2>() *= world.length_scale;
    for (int k = 0; k < 3; ++k) shown[k] += (k < 2 ? thrown.noise_position : thrown.noise_angle) * random.Normal();
    if (nuisance == "millimeters") shown.head<2>() *= 1000;
    if (nuisance == "degrees") shown[2] *= 180 / std::numbers::pi;
    if (nuisance == "mirrored_angle") shown[2] = -shown[2];
    if (nuisance == "y_down") shown[1] = -shown[1], shown[2] = -shown[2];
    x.push_back(shown[0]);
    y.push_back(shown[1]);
    theta.push_back(shown[2]);
  }
  return Recording::FromColumns(times, {{"x", x}, {"y", y}, {"theta", theta}});
}

bool Names(const PlanarNuisance& nuisance, const std::string& path) {
  return std::any_of(nuisance.paths.begin(), nuisance.paths.end(), [&](const std::string& pattern) {
    const std::size_t star = pattern.find('*');
    return star == std::string::npos
               ? path.starts_with(pattern)
               : path.starts_with(pattern.substr(0, star)) && path.find(pattern.substr(star + 1)) != std::string::npos;
  });
}

void Judge(const PlanarCase& one, const Estimate& estimate, PlanarOutcome& out) {
  for (std::size_t i = 0; i < one.truth.size(); ++i) {
    const EstimatedParameter& parameter = estimate.parameters[i];
    std::optional<double>& pull = out.pulls.emplace_back();
    const double truth = one.truth[i].second;
    if (parameter.value && parameter.std) pull = (*parameter.value - truth) / *parameter.std;
    if (parameter.lower && *parameter.lower > truth) out.limits_hold = false;
    if (parameter.upper && *parameter.upper < truth) out.limits_hold = false;
  }
}

std::string Cell(const std::optional<double>& value) { return value ? fmt::format("{:.3g}", *value) : ""; }

}  // namespace

const std::vector<PlanarNuisance>& PlanarNuisances() {
  static const std::vector<PlanarNuisance> all = {
      {"gravity_magnitude", 0.1, {"gravity.magnitude"}, "gravity.magnitude"},
      {"gravity_tilt", 5e-3, {"gravity.tilt"}, "gravity.tilt"},
      {"size", 0.01, {"bodies.*.shape."}, ""},
      {"center_of_mass", 1e-3, {"bodies.*.center_of_mass"}, "bodies.body.center_of_mass"},
      {"frame_position", 3e-3, {"observe.frame.position"}, "observe.frame.position"},
      {"frame_rotation", 0.02, {"observe.frame.rotation"}, "observe.frame.rotation"},
      {"surface_height", 1e-3, {"surfaces.floor.line.point"}, "surfaces.floor.line.point[1]"},
      {"surface_tilt", 5e-3, {"surfaces.floor.line.angle"}, "surfaces.floor.line.angle"},
      {"surface_velocity", 0.05, {"surfaces.floor.velocity"}, "surfaces.floor.velocity[0]"},
      {"length_scale", 0.01, {"observe.length_scale"}, "observe.length_scale"},
      {"time_scale", 0.005, {"gravity.magnitude"}, ""},
      {"drag", 0.1, {}, ""},
      {"wall_friction", 0.1, {"contact.pairs.*.friction"}, "contact.pairs.body/wall.friction"},
      {"wall_restitution", 0.1, {"contact.pairs.*.restitution"}, "contact.pairs.body/wall.restitution"},
      {"millimeters", 1, {"in millimeters"}, "", true},
      {"degrees", 1, {"in degrees"}, "", true},
      {"mirrored_angle", 1, {"angle seems mirrored", "angle is mirrored"}, "", true},
      {"y_down", 1, {"y axis seems to point down"}, "", true},
  };
  return all;
}

namespace {

/// A world and how it is recorded; the next draw where the nuisance has no place in it.
struct Drawn {
  World world, real;
  std::vector<Throw> throws;
  Random random;
};

Drawn DrawCase(std::uint64_t seed, const PlanarNuisance* nuisance, double level) {
  for (std::uint64_t draw = 0;; ++draw) {
    Random random(seed, 1 + draw);
    World world = RandomWorld(random);
    std::vector<Throw> throws;
    const int count = random.Uniform() < 0.75 ? 1 : 2 + static_cast<int>(random.Below(3));
    for (int k = 0; k < 4 * count && static_cast<int>(throws.size()) < count; ++k)
      if (const std::optional<Throw> thrown = RandomThrow(random, world)) throws.push_back(*thrown);
    if (static_cast<int>(throws.size()) < count) continue;
    for (Throw& each : throws) each.SetCamera(throws[0]);
    if (nuisance && nuisance->name.starts_with("wall_")) world.wall_law = true;
    World real = world;
    if (nuisance && !nuisance->discrete && !Apply(nuisance->name, nuisance->unit * level, real)) continue;
    if (std::any_of(throws.begin(), throws.end(),
                    [&](const Throw& each) { return MicroGap(MotionOf(real), each.pose) <= 0; }))
      continue;
    return {world, real, throws, random};
  }
}

}  // namespace

double DistanceFromEvent(std::uint64_t seed) {
  const auto [world, real, throws, random] = DrawCase(seed, nullptr, 0);
  const Throw& thrown = throws[0];
  const std::vector<Vector3d> poses = MicroMotion(MotionOf(world), thrown.pose, thrown.velocity, thrown.times, kStep);
  SceneBuilder builder =
      BuilderOf(world, world.inertia, world.surfaces[0].friction, world.surfaces[0].restitution, thrown);
  builder.SetInitial(
      "body", {.pose = thrown.pose, .velocity = thrown.velocity.head<2>(), .angular_velocity = thrown.velocity[2]});
  Simulator simulator(builder.Build(), {.method = "event", .step = thrown.times[1]});
  double largest = 0;
  for (std::size_t i = 1; i < poses.size(); ++i) {
    simulator.Step();
    const Vector3d apart = simulator.body("body").pose - poses[i];
    largest = std::max({largest, apart.head<2>().norm() / world.reach, std::abs(apart[2])});
  }
  return largest;
}

PlanarCase MakePlanarCase(std::uint64_t seed, const PlanarNuisance* nuisance, double level) {
  auto [world, real, throws, random] = DrawCase(seed, nuisance, level);
  PlanarCase out;
  const double factor = std::pow(3.0, random.Uniform(-1, 1));
  const double blind_friction = random.Uniform(0.05, 0.9), blind_restitution = random.Uniform(0.05, 0.9);
  out.scene = BuilderOf(world, world.inertia * factor, blind_friction, blind_restitution, throws[0]).Build();
  for (std::size_t k = 0; k < throws.size(); ++k)
    out.recordings.push_back(Record(real, throws[k], nuisance ? nuisance->name : "", random.Split(k)));
  out.paths = "bodies.body.inertia / bodies.body.mass, contact.friction, contact.restitution";
  out.truth = {{"inertia", world.inertia / world.mass},
               {"friction", world.surfaces[0].friction},
               {"restitution", world.surfaces[0].restitution}};
  out.shape = world.shape;
  const auto feature = [&](bool has, const char* word) {
    if (has) out.features += (out.features.empty() ? "" : " ") + std::string(word);
  };
  feature(world.surfaces[0].angle != 0, "slope");
  feature(world.surfaces[0].velocity != 0, "belt");
  feature(world.surfaces.size() > 1, "wall");
  feature(world.wall_law, "law");
  feature(world.center_of_mass.norm() > 0, "center");
  feature(throws[0].noise_given, "noise");
  out.rate = 1 / (throws[0].times[1] - throws[0].times[0]);
  out.noise = throws[0].noise_position;
  return out;
}

double PlanarOutcome::Worst() const {
  double worst = 0;
  for (const std::optional<double>& pull : pulls)
    if (pull) worst = std::max(worst, std::abs(*pull));
  return worst;
}

PlanarOutcome RunPlanarCase(const PlanarCase& one, const PlanarNuisance* nuisance, bool freed) {
  PlanarOutcome out;
  const std::clock_t began = std::clock();
  try {
    const Estimate estimate = Identify(one.scene, one.recordings, one.paths, {}, {.threads = 1}).estimate;
    out.verdict = NameOf(estimate.verdict.level);
    out.over_noise = estimate.verdict.residual_over_noise;
    out.words = estimate.verdict.reasons.empty() ? "" : estimate.verdict.reasons.front();
    Judge(one, estimate, out);
    if (!estimate.verdict.explanations.empty()) out.named = estimate.verdict.explanations.front().path;
    out.right_named = nuisance && Names(*nuisance, out.named);
  } catch (const InputError& error) {
    out.verdict = "refused";
    out.words = error.what();
    out.right_named = nuisance && nuisance->discrete &&
                      std::any_of(nuisance->paths.begin(), nuisance->paths.end(), [&](const std::string& each) {
                        return out.words.find(each) != std::string::npos;
                      });
  }
  out.seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  if (!freed || !nuisance || nuisance->request.empty() || !(out.over_noise.value_or(0) > 3)) return out;
  try {
    const Estimate estimate =
        Identify(one.scene, one.recordings, one.paths + ", " + nuisance->request, {}, {.threads = 1}).estimate;
    PlanarOutcome with;
    Judge(one, estimate, with);
    out.freed_pull = with.Worst();
  } catch (const InputError&) {
    out.freed_pull = INFINITY;
  }
  return out;
}

const char* const kPlanarColumns =
    "seed,kind,level,shape,features,recordings,rows,rate,noise_mm,verdict,over_noise,pull_inertia,pull_friction,pull_"
    "restitution,"
    "limits_hold,named,right_named,freed_pull,seconds,words";

std::string PlanarRow(std::uint64_t seed, const std::string& kind, double level, const PlanarCase& one,
                      const PlanarOutcome& outcome) {
  std::string pulls;
  for (std::size_t i = 0; i < one.truth.size(); ++i)
    pulls += (i < outcome.pulls.size() ? Cell(outcome.pulls[i]) : "") + ",";
  constexpr std::size_t kShort = 100;
  std::string words = outcome.words.substr(0, kShort);
  int rows = 0;
  for (const Recording& recording : one.recordings) rows += recording.rows();
  std::replace(words.begin(), words.end(), ',', ';');
  std::replace(words.begin(), words.end(), '\n', ' ');
  return fmt::format("{},{},{},{},{},{},{},{:g},{:.3g},{},{},{}{:d},{},{:d},{},{:.3f},{}", seed, kind, level, one.shape,
                     one.features, one.recordings.size(), rows, std::round(one.rate), 1e3 * one.noise, outcome.verdict,
                     Cell(outcome.over_noise), pulls, outcome.limits_hold, outcome.named, outcome.right_named,
                     Cell(outcome.freed_pull), outcome.seconds, words);
}

std::string SummarizePlanarRows(const std::vector<std::string>& rows) {
  struct Count {
    int cases = 0, good = 0, limited = 0, rejected = 0, refused = 0, good_wrong = 0, wrong = 0;
    int pulls = 0, covered = 0, limits = 0, gross = 0, right = 0, freed = 0, freed_right = 0;
    double squares = 0;
    std::vector<double> seconds;
  };
  std::map<std::string, Count> counts;
  for (const std::string& row : rows) {
    std::vector<std::string> cells;
    std::istringstream in(row);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    if (cells.size() < 19) continue;
    Count& c = counts[cells[1]];
    const bool good = cells[9] == "good";
    ++c.cases;
    c.good += good;
    c.limited += cells[9] == "limited";
    c.rejected += cells[9] == "rejected";
    c.refused += cells[9] == "refused";
    c.limits += cells[14] == "0";
    double worst = 0;
    for (std::size_t i = 11; i < 14; ++i) {
      if (cells[i].empty()) continue;
      const double pull = std::abs(std::stod(cells[i]));
      worst = std::max(worst, pull);
      if (!good) continue;
      ++c.pulls;
      c.covered += pull < 1.96;
      c.squares += pull * pull;
    }
    c.good_wrong += good && worst > 4;
    c.wrong += (cells[9] == "limited") && worst > 4;
    if (cells[9] == "refused" || (!cells[10].empty() && std::stod(cells[10]) > 3)) {
      ++c.gross;
      c.right += cells[16] == "1";
    }
    if (!cells[17].empty()) {
      ++c.freed;
      c.freed_right += cells[17] != "inf" && std::stod(cells[17]) < 3;
    }
    c.seconds.push_back(std::stod(cells[18]));
  }
  std::string out =
      fmt::format("{:18} {:>5} {:>5} {:>7} {:>8} {:>7} {:>9} {:>12} {:>8} {:>5} {:>11} {:>9} {:>7} {:>7}\n", "kind",
                  "cases", "good", "limited", "rejected", "refused", "good>4sd", "limited>4sd", "covered", "rms",
                  "named/gross", "freed<3sd", "median", "worst");
  for (auto& [kind, c] : counts) {
    std::sort(c.seconds.begin(), c.seconds.end());
    out += fmt::format("{:18} {:5} {:5} {:7} {:8} {:7} {:9} {:12} {:8.3f} {:5.2f} {:>11} {:>9} {:7.2f} {:7.2f}\n", kind,
                       c.cases, c.good, c.limited, c.rejected, c.refused, c.good_wrong, c.wrong,
                       c.pulls > 0 ? static_cast<double>(c.covered) / c.pulls : 0.0,
                       c.pulls > 0 ? std::sqrt(c.squares / c.pulls) : 0.0, fmt::format("{}/{}", c.right, c.gross),
                       fmt::format("{}/{}", c.freed_right, c.freed), c.seconds[c.seconds.size() / 2], c.seconds.back());
  }
  return out;
}

}  // namespace ricochet::testing
