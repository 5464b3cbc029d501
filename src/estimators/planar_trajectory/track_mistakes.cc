// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kStretch = 0.05;      // of a second difference [s]
constexpr double kClearly = 0.8;       // of the least misfit so far
constexpr double kExplained = 1.6;     // residuals over the scatter about flight
constexpr double kSameGravity = 0.02;  // relative difference that explains nothing gross
constexpr long kQuickWork = 2'000'000;

enum class GravityGuess { kAsGiven, kReversed, kFree };

/// Median of second differences over twice kStretch: the acceleration of flight where most of the track is flight.
Eigen::Vector2d MedianAcceleration(const PlanarTrack& track) {
  std::vector<double> of[2];
  const std::vector<double>& t = track.time;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const auto middle = static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), t[i] + kStretch) - t.begin());
    if (middle >= t.size()) break;
    const auto end = static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), t[middle] + kStretch) - t.begin());
    if (end >= t.size()) break;
    for (int k = 0; k < 2; ++k) {
      const double before = (track.pose[middle][k] - track.pose[i][k]) / (t[middle] - t[i]);
      const double after = (track.pose[end][k] - track.pose[middle][k]) / (t[end] - t[middle]);
      of[k].push_back(2 * (after - before) / (t[end] - t[i]));
    }
  }
  return of[0].empty() ? Eigen::Vector2d::Zero() : Eigen::Vector2d(Median(of[0]), Median(of[1]));
}

/// What a recording shows without any fit.
struct TrackSigns {
  double extent = 0;  // of the positions, over the size of the body
  double turn = 0;    // [rad]
  double upward = 0;  // acceleration of flight against gravity, over gravity
};

bool Always(const TrackSigns&) { return true; }
bool Never(const TrackSigns&) { return false; }
// Divided by a large number anything looks precise: only motions over hundreds of body sizes can be millimeters, and
// only turns by tens can be degrees.
bool FarApart(const TrackSigns& signs) { return signs.extent >= 200; }
bool TurnsFar(const TrackSigns& signs) { return signs.turn >= 20; }
bool FallsUp(const TrackSigns& signs) { return signs.upward > 0.5; }

struct Suspicion {
  const char* message;
  const char* remedy;
  void (*change)(PlanarTrack&);
  GravityGuess gravity = GravityGuess::kAsGiven;
  /// Whether a recording may have this mistake at all, and whether it shows it by itself.
  bool (*possible)(const TrackSigns&) = Always;
  bool (*evident)(const TrackSigns&) = Never;
};

const Suspicion kSuspicions[] = {
    {"positions seem to be in millimeters: divided by 1000 they fit", "Give meters.",
     [](PlanarTrack& t) {
       for (auto& p : t.pose) p.head<2>() *= 1e-3;
     },
     GravityGuess::kAsGiven, FarApart, FarApart},
    {"the angle seems to be in degrees", "Give radians.",
     [](PlanarTrack& t) {
       for (auto& p : t.pose) p[2] *= std::numbers::pi / 180;
     },
     GravityGuess::kAsGiven, TurnsFar, TurnsFar},
    {"the angle seems mirrored: with its sign changed the motion fits",
     "Count angles counter-clockwise from the x axis.",
     [](PlanarTrack& t) {
       for (auto& p : t.pose) p[2] = -p[2];
     }},
    {"gravity seems to point the wrong way: reversed, the motion fits",
     "Correct `gravity` in the scene, or the y axis of the recording.", [](PlanarTrack&) {}, GravityGuess::kReversed,
     Always, FallsUp},
    {"the y axis seems to point down: with y and the angle reversed the motion fits", "Reverse y.",
     [](PlanarTrack& t) {
       for (auto& p : t.pose) p[1] = -p[1], p[2] = -p[2];
     },
     GravityGuess::kAsGiven, Always, FallsUp},
    {"the y axis seems to point down, but not the angle: with y reversed the motion fits", "Reverse y.",
     [](PlanarTrack& t) {
       for (auto& p : t.pose) p[1] = -p[1];
     },
     GravityGuess::kAsGiven, Always, FallsUp},
    {"free flight does not accelerate by the scene's gravity but by about", "Correct `gravity` in the scene.",
     [](PlanarTrack&) {}, GravityGuess::kFree},
};

TrackSigns SignsOf(const Scene& scene, const PlanarTrack& track, double size) {
  TrackSigns signs;
  for (const Eigen::Vector3d& pose : track.pose) {
    signs.extent = std::max(signs.extent, (pose - track.pose[0]).head<2>().norm() / size);
    signs.turn = std::max(signs.turn, std::abs(pose[2] - track.pose[0][2]));
  }
  const Eigen::Vector2d gravity(scene[scene.gravity.vector[0]], scene[scene.gravity.vector[1]]);
  if (gravity.norm() > 0) signs.upward = -MedianAcceleration(track).dot(gravity) / gravity.squaredNorm();
  return signs;
}

/// A quick fit without the mistake.
struct Corrected {
  TrackFit fit;
  double size = 0;  // of the body
  PlanarTrack track;
  Eigen::Vector2d gravity = Eigen::Vector2d::Zero();  // where it was free
};

Corrected FitCorrected(const Suspicion& suspicion, const Scene& scene, const std::vector<SelectedParameter>& parameters,
                       int body, const PlanarTrack& track) {
  Corrected out;
  out.track = track;
  // Poses registered from points are changed like recorded ones.
  out.track.noise_given = false;
  out.track.pose_recorded = true;
  out.track.points.clear();
  suspicion.change(out.track);
  Scene other = scene;
  std::vector<SelectedParameter> free = parameters;
  const Eigen::Vector2d measured = MedianAcceleration(track);
  for (std::size_t i = 0; i < 2; ++i) {
    const NumberId id = other.gravity.vector[i];
    if (suspicion.gravity == GravityGuess::kReversed) other.Set(id, -other[id]);
    if (suspicion.gravity != GravityGuess::kFree) continue;
    other.Set(id, measured[static_cast<Eigen::Index>(i)]);
    free.push_back({other.number(id).path, id, {}});
  }
  const PlanarFamily family(other, free, body);
  out.size = family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;
  out.fit = FitTrack(family, out.track, {.paths = 2, .disturbances = 0, .work = kQuickWork});
  if (out.fit.usable && suspicion.gravity == GravityGuess::kFree)
    out.gravity = out.fit.z.segment<2>(kTrackState + family.size() - 2);
  EstimateNoise(FreeAcceleration(family), out.track);
  return out;
}

double SizeOf(const Scene& scene, const std::vector<SelectedParameter>& parameters, int body) {
  const PlanarFamily family(scene, parameters, body);
  return family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;
}

}  // namespace

double Misfit(const TrackFit& fit, double size) {
  return fit.usable ? std::max(fit.track.place_noise() / size, fit.track.angle_noise()) : 1e9;
}

std::string FindEvidentMistake(const Scene& scene, const std::vector<SelectedParameter>& parameters, int body,
                               const PlanarTrack& track) {
  const TrackSigns signs = SignsOf(scene, track, SizeOf(scene, parameters, body));
  std::string best;
  if (std::none_of(std::begin(kSuspicions), std::end(kSuspicions),
                   [&](const Suspicion& suspicion) { return suspicion.evident(signs); }))
    return best;
  // A disk that does not rub turns as it likes: what fits as it is has no mistake.
  const Corrected as_given = FitCorrected({"", "", [](PlanarTrack&) {}}, scene, parameters, body, track);
  double least = kExplained;
  if (as_given.fit.usable) least = std::min(least, 0.5 * as_given.fit.track.NoiseOver(as_given.track));
  for (const Suspicion& suspicion : kSuspicions) {
    if (!suspicion.evident(signs)) continue;
    const Corrected corrected = FitCorrected(suspicion, scene, parameters, body, track);
    if (!corrected.fit.usable || corrected.fit.track.NoiseOver(corrected.track) >= least) continue;
    least = corrected.fit.track.NoiseOver(corrected.track);
    best = fmt::format("{}. {}", suspicion.message, suspicion.remedy);
  }
  return best;
}

std::string FindMistake(const Scene& scene, const std::vector<SelectedParameter>& parameters, int body,
                        const PlanarTrack& track, double misfit) {
  std::string best;
  double least = 0.2 * misfit;
  const TrackSigns signs = SignsOf(scene, track, SizeOf(scene, parameters, body));
  const bool gravity_requested = std::any_of(parameters.begin(), parameters.end(), [&](const SelectedParameter& each) {
    return each.numerator == scene.gravity.vector[0] || each.numerator == scene.gravity.vector[1];
  });
  for (const Suspicion& suspicion : kSuspicions) {
    if (!suspicion.possible(signs) || (suspicion.gravity == GravityGuess::kFree && gravity_requested)) continue;
    const Corrected corrected = FitCorrected(suspicion, scene, parameters, body, track);
    if (!corrected.fit.usable) continue;
    const double rest = Misfit(corrected.fit, corrected.size);
    // Gravity as the scene has it is no mistake, and two numbers more always fit a little better.
    const Eigen::Vector2d own(scene[scene.gravity.vector[0]], scene[scene.gravity.vector[1]]);
    if (suspicion.gravity == GravityGuess::kFree && (corrected.gravity - own).norm() < kSameGravity * own.norm())
      continue;
    const double asked = suspicion.gravity == GravityGuess::kFree ? kClearly * least : least;
    if (corrected.fit.track.noise_position > 0.08 * corrected.size || corrected.fit.track.noise_angle > 0.15 ||
        rest >= asked)
      continue;
    least = rest;
    best = suspicion.message;
    if (suspicion.gravity == GravityGuess::kFree)
      best += fmt::format(" ({:.3g}, {:.3g}) m/s^2", corrected.gravity[0], corrected.gravity[1]);
    best += fmt::format(". {}", suspicion.remedy);
  }
  return best;
}

std::string FindMistake(const Scene& scene, int body, const PlanarTrack& track) {
  const Body& moving = scene.bodies[static_cast<std::size_t>(body)];
  std::vector<SelectedParameter> parameters = {{"inertia over mass", moving.inertia[0], moving.mass}};
  for (const Surface& surface : scene.surfaces) {
    const ContactLaw& law = scene.LawOf(moving.name, surface.name);
    for (const NumberId id : {law.friction, law.restitution})
      if (std::none_of(parameters.begin(), parameters.end(),
                       [&](const SelectedParameter& w) { return w.numerator == id; }))
        parameters.push_back({scene.number(id).path, id, {}});
  }
  const PlanarFamily family(scene, parameters, body);
  PlanarTrack scatter = track;
  EstimateNoise(FreeAcceleration(family), scatter);
  const double size =
      family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;
  // A quick look is enough where a motion explains the track; the search has the last word.
  TrackFit fit;
  for (const int disturbances : {0, TrackFitOptions().disturbances}) {
    fit = FitTrack(family, track, {.disturbances = disturbances});
    if (fit.usable && fit.chi2 < 4.0 * fit.degrees_of_freedom &&
        fit.track.noise_position < 2 * scatter.noise_position + 1e-6 * size &&
        fit.track.noise_angle < 2 * scatter.noise_angle + 1e-6)
      return "";
  }
  return FindMistake(scene, parameters, body, track, Misfit(fit, size));
}

}  // namespace ricochet
