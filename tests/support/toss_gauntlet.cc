// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/toss_gauntlet.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "ricochet/error.h"
#include "tests/support/box_world.h"

namespace ricochet::testing {
namespace {

using Eigen::Vector3d;

constexpr char kLaw[] = "contact.friction,contact.restitution";
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}
  double Uniform(double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(random_() >> 11), -53);
  }
  double LogUniform(double low, double high) { return low * std::pow(high / low, Uniform(0, 1)); }
  int Below(int n) { return static_cast<int>(Uniform(0, n)); }
  Vector3d Direction() {
    for (;;) {
      const Vector3d v(Uniform(-1, 1), Uniform(-1, 1), Uniform(-1, 1));
      if (const double n = v.norm(); n > 0.1 && n < 1) return v / n;
    }
  }

 private:
  std::mt19937_64 random_;
};

std::string SceneText(const BoxWorld& known, double friction, double restitution) {
  return fmt::format(
      "ricochet: 1\nspace: spatial\ngravity: [{}, {}, {}]\n"
      "bodies:\n  box: {{shape: {{box: {{size: [{}, {}, {}]}}}}, mass: 1, center_of_mass: [{}, {}, {}], "
      "inertia: [{}, {}, {}]}}\n"
      "surfaces:\n  table: {{plane: {{point: [{}, {}, {}], normal: [{}, {}, {}]}}, velocity: [{}, {}, {}]}}\n"
      "contact: {{friction: {}, restitution: {}}}\n"
      "simulation: {{method: moreau, step: 1e-3, duration: 1}}\n",
      known.gravity.x(), known.gravity.y(), known.gravity.z(), known.size.x(), known.size.y(), known.size.z(),
      known.center_of_mass.x(), known.center_of_mass.y(), known.center_of_mass.z(), known.inertia.x(),
      known.inertia.y(), known.inertia.z(), known.surface.x(), known.surface.y(), known.surface.z(), known.normal.x(),
      known.normal.y(), known.normal.z(), known.belt.x(), known.belt.y(), known.belt.z(), friction, restitution);
}

BoxState DrawStart(const BoxWorld& world, bool slides, Draws& draws) {
  BoxState s;
  if (slides) {
    // Already on its face, or falling onto it from nearly nothing.
    s.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(draws.Uniform(-3, 3), Vector3d::UnitZ()));
    s.position = s.rotation * world.center_of_mass + Vector3d(0, 0, 0.5 * world.size.z());
    s.velocity = Vector3d(draws.Uniform(0.5, 1.5), draws.Uniform(-0.5, 0.5), 0);
    s.spin = Vector3d(0, 0, draws.Uniform(-4, 4));
    return s;
  }
  const Vector3d axis = draws.Direction();
  s.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(draws.Uniform(-M_PI, M_PI), axis));
  s.position = Vector3d(0, 0, 0.5 * world.size.norm() + world.center_of_mass.norm() + draws.Uniform(0.05, 0.35));
  s.velocity = Vector3d(draws.Uniform(-2, 2), draws.Uniform(-2, 2), draws.Uniform(-0.5, 1));
  s.spin = draws.Uniform(0, 8) * draws.Direction();
  return s;
}

}  // namespace

const std::vector<std::string>& TossCaseKinds() {
  static const std::vector<std::string> kinds = {"clean",        "frame",   "frame_turn",   "center_of_mass",
                                                 "size",         "gravity", "tilt",         "height",
                                                 "surface_tilt", "belt",    "missing_rows", "slides"};
  return kinds;
}

std::string CulpritOf(const std::string& kind) {
  static const std::map<std::string, std::string> paths = {{"frame", "observe.frame"},
                                                           {"frame_turn", "observe.frame"},
                                                           {"center_of_mass", "bodies.box.center_of_mass"},
                                                           {"size", "bodies.box.shape"},
                                                           {"gravity", "gravity"},
                                                           {"tilt", "gravity"},
                                                           {"height", "surfaces.table"},
                                                           {"surface_tilt", "surfaces.table"},
                                                           {"belt", "surfaces.table.velocity"}};
  const auto found = paths.find(kind);
  return found == paths.end() ? "" : found->second;
}

TossCase MakeTossCase(const std::string& kind, std::uint64_t seed) {
  std::uint64_t stream = 1469598103934665603ull;
  for (const char c : kind) stream = (stream ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  Draws draws(stream + 0x9e3779b97f4a7c15ull * (seed + 1));
  TossCase out;
  out.kind = kind;
  out.seed = seed;
  BoxWorld known;
  for (int i = 0; i < 3; ++i) known.size[i] = draws.Uniform(0.06, 0.2);
  known.inertia = UniformInertia(known.size);
  known.friction = draws.Uniform(0.1, 0.8);
  known.restitution = draws.Uniform(0, 0.7);
  const double rates[] = {120, 200, 240, 360, 500};
  BoxCamera camera;
  camera.rate = rates[draws.Below(5)];
  camera.noise_position = draws.LogUniform(1e-4, 1e-3);
  camera.noise_angle = camera.noise_position / (0.5 * known.size.mean()) * draws.Uniform(0.3, 1);
  const int tosses = 1 + draws.Below(10);

  BoxWorld world = known;
  if (kind == "frame") {
    out.nuisance = draws.LogUniform(5e-4, 0.03);
    camera.frame = out.nuisance * draws.Direction();
  } else if (kind == "frame_turn") {
    out.nuisance = draws.LogUniform(0.003, 0.45);
    camera.turned = out.nuisance * draws.Direction();
  } else if (kind == "center_of_mass") {
    out.nuisance = draws.LogUniform(3e-4, 0.01);
    world.center_of_mass = out.nuisance * draws.Direction();
  } else if (kind == "size") {
    out.nuisance = draws.Uniform(0, 1) < 0.2 ? 2 : 1 + (draws.Below(2) ? 1 : -1) * draws.LogUniform(0.002, 0.05);
    world.size *= out.nuisance;
  } else if (kind == "gravity") {
    out.nuisance = 1 + (draws.Below(2) ? 1 : -1) * draws.LogUniform(0.001, 0.05);
    world.gravity *= out.nuisance;
  } else if (kind == "tilt") {
    out.nuisance = draws.LogUniform(0.002, 0.05);
    const double around = draws.Uniform(0, 2 * M_PI);
    world.gravity = 9.81 * Vector3d(std::sin(out.nuisance) * std::cos(around),
                                    std::sin(out.nuisance) * std::sin(around), -std::cos(out.nuisance));
  } else if (kind == "height") {
    out.nuisance = (draws.Below(2) ? 1 : -1) * draws.LogUniform(2e-4, 0.01);
    world.surface.z() = out.nuisance;
  } else if (kind == "surface_tilt") {
    out.nuisance = draws.LogUniform(0.002, 0.05);
    const double around = draws.Uniform(0, 2 * M_PI);
    world.normal = Vector3d(std::sin(out.nuisance) * std::cos(around), std::sin(out.nuisance) * std::sin(around),
                            std::cos(out.nuisance));
  } else if (kind == "belt") {
    out.nuisance = draws.LogUniform(0.01, 0.5);
    world.belt = Vector3d(out.nuisance, 0, 0);
  } else if (kind == "missing_rows") {
    out.nuisance = draws.Uniform(0.3, 0.9);
  }
  out.truth[0] = known.friction;
  out.truth[1] = known.restitution;
  out.rate = camera.rate;
  out.noise = camera.noise_position;
  out.size = known.size.mean();
  out.scene = ParseScene(SceneText(known, draws.Uniform(0.1, 0.8), draws.Uniform(0, 0.7)), "toss.yaml");
  for (int k = 0; k < tosses; ++k) {
    const BoxState start = DrawStart(world, kind == "slides", draws);
    Recording recording =
        RecordBox(world, SimulateBox(world, start, camera.rate, 1.5, 0.05), camera,
                  static_cast<std::uint64_t>(draws.Uniform(0, 1e15)), fmt::format("toss_{:02}.csv", k));
    if (kind == "missing_rows" && k == 0)
      for (int row = 0; row < recording.rows(); ++row)
        if (draws.Uniform(0, 1) < out.nuisance)
          for (std::vector<double>& column : recording.values) column[static_cast<std::size_t>(row)] = kMissing;
    out.recordings.push_back(std::move(recording));
  }
  return out;
}

double TossOutcome::Pull(const TossCase& made, int i) const { return (value[i] - made.truth[i]) / std[i]; }

TossOutcome RunTossCase(const TossCase& made) {
  TossOutcome out;
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 2; ++i) out.value[i] = out.std[i] = kMissing;
  try {
    const Estimate estimate = Identify(made.scene, made.recordings, kLaw, {}, {.seed = made.seed}).estimate;
    switch (estimate.verdict.level) {
      case VerdictLevel::kGood:
        out.verdict = "good";
        break;
      case VerdictLevel::kLimited:
        out.verdict = "limited";
        break;
      default:
        out.verdict = "rejected";
    }
    for (int i = 0; i < 2; ++i) {
      const EstimatedParameter& p = estimate.parameters[static_cast<std::size_t>(i)];
      out.value[i] = p.value.value_or(kMissing);
      out.std[i] = p.value ? p.std.value_or(kMissing) : kMissing;
    }
    out.residual = estimate.verdict.residual_over_noise.value_or(kMissing);
    if (!estimate.verdict.explanations.empty()) out.first = estimate.verdict.explanations.front().path;
    if (!estimate.verdict.reasons.empty()) out.reason = estimate.verdict.reasons.front();
  } catch (const InputError& error) {
    out.verdict = "refused";
    out.reason = error.what();
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return out;
}

std::string TossHeader() {
  return "kind,seed,tosses,rate,noise,size,nuisance,friction,restitution,verdict,friction_estimate,friction_std,"
         "restitution_estimate,restitution_std,residual_over_noise,friction_pull,restitution_pull,first,seconds";
}

std::string TossRow(const TossCase& made, const TossOutcome& outcome) {
  return fmt::format(
      "{},{},{},{:.0f},{:.2e},{:.3f},{:.4g},{:.4f},{:.4f},{},{:.5f},{:.5f},{:.5f},{:.5f},{:.3g},{:.2f},"
      "{:.2f},{},{:.2f}",
      made.kind, made.seed, made.recordings.size(), made.rate, made.noise, made.size, made.nuisance, made.truth[0],
      made.truth[1], outcome.verdict, outcome.value[0], outcome.std[0], outcome.value[1], outcome.std[1],
      outcome.residual, outcome.Pull(made, 0), outcome.Pull(made, 1), outcome.first, outcome.seconds);
}

}  // namespace ricochet::testing
