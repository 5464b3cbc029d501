// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "estimators/planar/frame_start.h"
#include "estimators/planar_trajectory/track_residuals.h"

namespace ricochet {
namespace {

/// Motion before and after the first bounce.
struct FirstBounce {
  double time = 0;
  Eigen::Vector3d q = Eigen::Vector3d::Zero();       // pose of the center of mass at the bounce
  Eigen::Vector3d before = Eigen::Vector3d::Zero();  // velocities
  Eigen::Vector3d after = Eigen::Vector3d::Zero();
};

/// Time at which the ballistic motion touches a surface, searched from `from` in steps toward `limit`.
std::optional<double> FindTouch(const EventBody<double>& body, const BallisticArc& arc,
                                const Eigen::Vector3d& acceleration, double from, double limit) {
  const int steps = 400;
  const auto gap = [&](double t) { return LeastGap(body, arc.PoseAt(t, acceleration)); };
  double last = from;
  if (gap(from) <= 0) return from;
  for (int i = 1; i <= steps; ++i) {
    const double t = from + (limit - from) * i / steps;
    if (gap(t) > 0) {
      last = t;
      continue;
    }
    double open = last, closed = t;
    for (int k = 0; k < 50; ++k) {
      const double middle = 0.5 * (open + closed);
      (gap(middle) > 0 ? open : closed) = middle;
    }
    return 0.5 * (open + closed);
  }
  return std::nullopt;
}

/// Values of the three quantities that decide an impact, put into the parameters.
void PutGuess(const PlanarFamily& family, double ratio, double friction, double restitution, Eigen::VectorXd& z) {
  const Scene& scene = family.scene();
  const Body& body = scene.bodies[static_cast<std::size_t>(family.body())];
  const auto put = [&](PlanarRole role, double value) {
    for (int i = 0; i < family.size(); ++i)
      if (family.role(i) == role) z[kTrackState + i] = std::clamp(value, family.lower()[i], family.upper()[i]);
  };
  put(PlanarRole::kInertiaOverMass, ratio);
  put(PlanarRole::kMassOverInertia, 1.0 / ratio);
  const bool ratio_is_free =
      family.Find(PlanarRole::kInertiaOverMass) >= 0 || family.Find(PlanarRole::kMassOverInertia) >= 0;
  if (!ratio_is_free) {
    put(PlanarRole::kInertia, ratio * scene[body.mass]);
    if (family.Find(PlanarRole::kInertia) < 0) put(PlanarRole::kMass, scene[body.inertia[0]] / ratio);
  }
  put(PlanarRole::kFriction, friction);
  put(PlanarRole::kRestitution, restitution);
}

/// Velocity of a surface, where it is a parameter.
bool PutVelocity(const PlanarFamily& family, int surface, const Eigen::Vector2d& velocity, Eigen::VectorXd& z) {
  bool put = false;
  const std::vector<NumberId>& own = family.scene().surfaces[static_cast<std::size_t>(surface)].velocity;
  for (int i = 0; i < family.size(); ++i) {
    const SelectedParameter& selected = family.parameters().selected(i);
    for (std::size_t k = 0; k < own.size() && !selected.denominator && !selected.factor; ++k)
      if (selected.numerator == own[k]) {
        z[kTrackState + i] = velocity[static_cast<Eigen::Index>(k)];
        put = true;
      }
  }
  return put;
}

/// Starts with these values of the parameters that the recording does not say.
TrackStarts StartsFrom(const PlanarFamily& family, const PlanarTrack& recorded, const Eigen::VectorXd& values) {
  TrackStarts out;
  const Scene& scene = family.scene();
  const Body& moving = scene.bodies[static_cast<std::size_t>(family.body())];
  const Eigen::Vector3d acceleration = FreeAcceleration(family);
  const EventMotion<double> motion = family.Motion<double>({values.data(), static_cast<std::size_t>(family.size())});
  const EventBody<double>& body = motion.body();
  const PlanarModel<double> model = family.Compile<double>({values.data(), static_cast<std::size_t>(family.size())});

  const PlanarTrack track = CenterTrack(family, values, recorded);
  out.arcs = CutIntoArcs(track, acceleration);
  out.least_gap = INFINITY;
  for (const Eigen::Vector3d& pose : track.pose) out.least_gap = std::min(out.least_gap, LeastGap(body, pose));

  // Arcs that fly: the body is clear of the surfaces somewhere in them.
  const double clear = 4 * track.noise_position;
  std::vector<const BallisticArc*> flights;
  for (const BallisticArc& arc : out.arcs) {
    double largest = 0;
    for (int i = arc.first; i < arc.last; ++i) largest = std::max(largest, LeastGap(body, track.pose[i]));
    if (arc.frames() >= 3 && largest > clear) flights.push_back(&arc);
  }
  Eigen::Vector3d squares = Eigen::Vector3d::Zero();
  for (const BallisticArc* arc : flights) {
    if (arc->frames() < 4) continue;
    out.scatter_freedom += arc->frames() - 2;
    for (int i = arc->first; i < arc->last; ++i)
      squares += (track.pose[i] - arc->PoseAt(track.time[i], acceleration)).cwiseAbs2();
  }
  if (out.scatter_freedom > 0) {
    out.scatter_position = std::sqrt((squares[0] + squares[1]) / (2.0 * out.scatter_freedom));
    out.scatter_angle = std::sqrt(squares[2] / out.scatter_freedom);
  }
  for (std::size_t k = 1; k < out.arcs.size(); ++k) {
    const double gap =
        std::min(LeastGap(body, track.pose[out.arcs[k].first]), LeastGap(body, track.pose[out.arcs[k].first - 1]));
    const double reach = 0.5 * (track.time[out.arcs[k].first] - track.time[out.arcs[k].first - 1]) *
                         (out.arcs[k].velocity.head<2>().norm() + body.size * std::abs(out.arcs[k].velocity[2]));
    if (gap < clear + reach) ++out.impacts;
  }

  out.window = std::min(track.size(), 8);
  for (const BallisticArc* arc : flights) {
    if (arc->first == 0) out.flying_frames = arc->frames();
    if (arc->first > 0 && arc->frames() >= 4) {
      out.window = arc->last;
      break;
    }
  }
  std::vector<FirstBounce> bounces;
  std::vector<int> windows;
  const BallisticArc* first_arc = out.arcs.front().frames() >= 2 ? &out.arcs.front() : nullptr;
  // A bounce seen from the arc after it.
  for (const BallisticArc* arc : flights) {
    if (arc->first == 0 || bounces.size() >= 2) continue;
    const int before = arc->first - 1;
    const double from = track.time[arc->first];
    const std::optional<double> touch =
        FindTouch(body, *arc, acceleration, from, std::max(track.time[0] - 0.0, track.time[std::max(0, before - 1)]));
    if (!touch) continue;
    FirstBounce bounce;
    bounce.time = *touch;
    bounce.q = arc->PoseAt(*touch, acceleration);
    bounce.after = arc->VelocityAt(*touch, acceleration);
    // Flight from the first frames to this pose: straight lines after gravity is removed, through the pose.
    double weight = 0;
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (int i = 0; i < arc->first; ++i) {
      const double dt = track.time[i] - *touch;
      if (dt > -1e-6) break;
      sum += (track.pose[i] - bounce.q - acceleration * (0.5 * dt * dt)) * dt;
      weight += dt * dt;
    }
    if (weight <= 0) continue;
    bounce.before = sum / weight;
    bounces.push_back(bounce);
    windows.push_back(arc->last);
  }
  // A bounce seen from the arc before it.
  if (first_arc && first_arc->frames() >= 3 && first_arc->last < track.size()) {
    const std::optional<double> touch =
        FindTouch(body, *first_arc, acceleration, track.time[first_arc->last - 1], track.time[first_arc->last] + 0.02);
    if (touch) {
      FirstBounce bounce;
      bounce.time = *touch;
      bounce.q = first_arc->PoseAt(*touch, acceleration);
      bounce.before = first_arc->VelocityAt(*touch, acceleration);
      const BallisticArc* next = nullptr;
      for (const BallisticArc* arc : flights)
        if (arc->first >= first_arc->last) {
          next = arc;
          break;
        }
      if (next && next->first <= first_arc->last + 2) {
        bounce.after = next->VelocityAt(*touch, acceleration);
        bounces.insert(bounces.begin(), bounce);
        windows.insert(windows.begin(), next->last);
      } else {
        bounce.after.setConstant(NAN);
        bounces.push_back(bounce);
        windows.push_back(std::min(track.size(), first_arc->last + 3));
      }
    }
  }

  // Guesses of the parameters from each bounce, and variations of them.
  const double own_ratio = scene[moving.inertia[0]] / scene[moving.mass];
  const double size2 = body.size * body.size;
  const int friction_index = family.Find(PlanarRole::kFriction),
            restitution_index = family.Find(PlanarRole::kRestitution);
  const double own_friction = friction_index >= 0 ? family.start()[friction_index] : 0.4;
  const double own_restitution = restitution_index >= 0 ? family.start()[restitution_index] : 0.4;
  for (std::size_t b = 0; b < bounces.size(); ++b) {
    const FirstBounce& bounce = bounces[b];
    int candidate = 0;
    LeastGap(body, bounce.q, &candidate);
    const EventGap<double> gap = body.Gap(candidate, bounce.q);
    const EventSurface<double>& s = body.surfaces[body.candidates[candidate].group];
    double ratio = own_ratio, friction = own_friction, restitution = own_restitution;
    bool slides = true;
    if (bounce.after.allFinite()) {
      const Eigen::Vector3d jump = bounce.after - bounce.before;
      const double normal = s.nx * jump[0] + s.ny * jump[1], tangential = s.tx * jump[0] + s.ty * jump[1];
      const double moment = gap.r_t * normal - gap.r_n * tangential;
      if (std::abs(jump[2]) > 1e-3) ratio = moment / jump[2];
      if (!(ratio > 0.01 * size2 && ratio < 4 * size2)) ratio = own_ratio;
      const double vn = body.NormalSpeed(candidate, gap, bounce.before);
      if (vn < 0) restitution = std::clamp(-body.NormalSpeed(candidate, gap, bounce.after) / vn, 0.0, 0.95);
      if (normal > 0) friction = std::clamp(std::abs(tangential) / normal, 0.0, 2.0);
      const double vt_before = body.TangentSpeed(candidate, gap, bounce.before);
      const double vt_after = body.TangentSpeed(candidate, gap, bounce.after);
      slides = std::abs(vt_after) > 0.15 * std::abs(vt_before);
    }
    Eigen::VectorXd z(kTrackState + family.size());
    z.tail(family.size()) = values;
    const double dt = track.time[0] - bounce.time;
    z.head<3>() = bounce.q + bounce.before * dt + acceleration * (0.5 * dt * dt);
    z.segment<3>(3) = bounce.before + acceleration * dt;
    const auto offer = [&](double j, double mu, double e) {
      TrackStart start{z, windows[b]};
      PutGuess(family, j, mu, e, start.z);
      out.guesses.push_back(start);
    };
    offer(ratio, slides ? friction : 1.3 * friction + 0.05, restitution);
    offer(ratio, slides ? 1.3 * friction + 0.05 : friction, restitution);
    offer(0.25 * size2, friction, restitution);
    offer(own_ratio, own_friction, own_restitution);
    offer(0.3 * size2, 0.15, 0.3);
    // A point that sticks moves with its surface: the speed of one that was requested.
    if (!bounce.after.allFinite()) continue;
    const int surface = model.pairs[static_cast<std::size_t>(body.candidates[candidate].pair)].surface;
    const double speed = s.tx * bounce.after[0] + s.ty * bounce.after[1] - gap.r_n * bounce.after[2];
    if (PutVelocity(family, surface, speed * Eigen::Vector2d(s.tx, s.ty), z))
      offer(ratio, slides ? 1.3 * friction + 0.05 : friction, restitution);
  }
  // Without a bounce to read, the flight of the first frames with the scene's own numbers.
  if (out.guesses.empty() && track.size() >= 2) {
    const BallisticArc arc = first_arc ? *first_arc : FitArc(track, acceleration, 0, 2);
    for (const double e : {own_restitution, 0.2, 0.7}) {
      TrackStart start;
      start.window = std::min(track.size(), std::max(arc.last + 3, track.size() / 4));
      start.z.resize(kTrackState + family.size());
      start.z.tail(family.size()) = values;
      start.z.head<3>() = arc.PoseAt(track.time[0], acceleration);
      start.z.segment<3>(3) = arc.VelocityAt(track.time[0], acceleration);
      PutGuess(family, own_ratio, own_friction, e, start.z);
      out.guesses.push_back(start);
    }
  }
  out.log.push_back(fmt::format("{}: {} stretches, {} of them flight, {} breaks at a surface, {} start guesses",
                                track.name, out.arcs.size(), flights.size(), out.impacts, out.guesses.size()));
  return out;
}

}  // namespace

TrackStarts FindTrackStarts(const PlanarFamily& family, const PlanarTrack& recorded) {
  const std::vector<Eigen::VectorXd> values = GuessFrames(family, recorded, FreeAcceleration(family));
  TrackStarts out = StartsFrom(family, recorded, values.front());
  for (std::size_t i = 1; i < values.size(); ++i) {
    const TrackStarts more = StartsFrom(family, recorded, values[i]);
    out.guesses.insert(out.guesses.end(), more.guesses.begin(), more.guesses.end());
  }
  return out;
}

}  // namespace ricochet
