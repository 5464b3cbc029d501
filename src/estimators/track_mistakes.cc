// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/track_mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace ricochet {

double Misfit(const TrackFit& fit, double size) {
  return fit.usable ? std::max(fit.track.noise_position / size, fit.track.noise_angle) : 1e9;
}

std::string FindMistake(const Scene& scene, const std::vector<SelectedParameter>& wanted, int body,
                        const PlanarTrack& track, double misfit) {
  struct Suspicion {
    const char* message;
    const char* remedy;
    void (*change)(PlanarTrack&);
    bool flip_gravity;
  };
  static const Suspicion kSuspicions[] = {
      {"positions seem to be in millimetres: divided by 1000 they fit", "Give metres.",
       [](PlanarTrack& t) {
         for (auto& p : t.pose) p.head<2>() *= 1e-3;
       },
       false},
      {"the angle seems to be in degrees", "Give radians.",
       [](PlanarTrack& t) {
         for (auto& p : t.pose) p[2] *= std::numbers::pi / 180;
       },
       false},
      {"the angle seems mirrored: with its sign changed the motion fits",
       "Count angles counter-clockwise from the x axis.",
       [](PlanarTrack& t) {
         for (auto& p : t.pose) p[2] = -p[2];
       },
       false},
      {"gravity seems to point the wrong way: reversed, the motion fits",
       "Correct `gravity` in the scene, or the y axis of the recording.", [](PlanarTrack&) {}, true},
      {"the y axis seems to point down: with y and the angle reversed the motion fits", "Turn y upwards.",
       [](PlanarTrack& t) {
         for (auto& p : t.pose) p[1] = -p[1], p[2] = -p[2];
       },
       false},
      {"the y axis seems to point down, but not the angle: with y reversed the motion fits", "Turn y upwards.",
       [](PlanarTrack& t) {
         for (auto& p : t.pose) p[1] = -p[1];
       },
       false},
  };
  TrackFitOptions quick;
  quick.paths = 2;
  quick.disturbances = 0;
  std::string best;
  double least = 0.2 * misfit, extent = 0, turn = 0;
  for (const Eigen::Vector3d& pose : track.pose) {
    extent = std::max(extent, (pose - track.pose[0]).head<2>().norm());
    turn = std::max(turn, std::abs(pose[2] - track.pose[0][2]));
  }
  const PlanarFamily own(scene, wanted, body);
  const double own_size = own.Motion<double>({own.start().data(), static_cast<std::size_t>(own.size())}).body().size;
  for (const Suspicion& suspicion : kSuspicions) {
    PlanarTrack changed = track;
    // Divided by a large number anything looks precise: only motions over hundreds of body sizes can be millimetres,
    // and only turns by tens can be degrees.
    if (&suspicion == &kSuspicions[0] && extent < 200 * own_size) continue;
    if (&suspicion == &kSuspicions[1] && turn < 20) continue;
    changed.noise_given = false;
    suspicion.change(changed);
    Scene other = scene;
    if (suspicion.flip_gravity)
      for (const NumberId id : other.gravity.vector) other.Set(id, -other[id]);
    const PlanarFamily family(other, wanted, body);
    const TrackFit fit = FitTrack(family, changed, quick);
    if (!fit.usable) continue;
    const double size =
        family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;
    const double rest = Misfit(fit, size);
    if (fit.track.noise_position > 0.08 * size || fit.track.noise_angle > 0.15 || rest >= least) continue;
    least = rest;
    best = fmt::format("{}. {}", suspicion.message, suspicion.remedy);
  }
  return best;
}

std::string FindMistake(const Scene& scene, int body, const PlanarTrack& track) {
  const Body& moving = scene.bodies[static_cast<std::size_t>(body)];
  std::vector<SelectedParameter> wanted = {{"inertia over mass", moving.inertia[0], moving.mass}};
  for (const Surface& surface : scene.surfaces) {
    const ContactLaw& law = scene.LawOf(moving.name, surface.name);
    for (const NumberId id : {law.friction, law.restitution})
      if (std::none_of(wanted.begin(), wanted.end(), [&](const SelectedParameter& w) { return w.numerator == id; }))
        wanted.push_back({scene.number(id).path, id, {}});
  }
  const PlanarFamily family(scene, wanted, body);
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
  return FindMistake(scene, wanted, body, track, Misfit(fit, size));
}

}  // namespace ricochet
