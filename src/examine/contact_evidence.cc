// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "examine/contact_evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dynamics/spatial_contacts.h"
#include "math/manifold.h"
#include "math/so3.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kRoom = 0.06;           // of the body's size that a contact may be off the surface
constexpr double kDeepest = 0.07;        // the same for the frames that are lowest
constexpr double kLeastGyration = 0.02;  // of the size squared; uniform bodies have at least 0.08 in the plane
constexpr double kClearSpin = 0.2;       // of the jump of the velocity, at the body's size
constexpr double kMostContacts = 0.6;    // share that must be at the surface
constexpr double kClearTurn = 5;         // standard deviations of a jump of the angular velocity
constexpr int kLeastTurns = 2;           // impacts
constexpr double kTwisted = 0.5;         // of the angular momenta
constexpr double kSameHeight = 0.03;     // of the size: corners that may touch together
constexpr int kFittedFrames = 12;        // of the stretches beside an impact (toss.cc)

/// Standard deviation of an angular velocity from frames of a stretch.
double RateDeviation(const SpatialTrack& track, int frames) {
  const double n = std::clamp(frames, 2, kFittedFrames);
  return track.noise_angle * std::sqrt(12 / (n * n * n)) / track.interval;
}

/// Adds what an impact says about `twist`: its two sums. Nothing where noise could turn the body as much.
void AddTwist(const DoctorBody& body, const SpatialTrack& t, const VelocityJump& jump,
              const Quaternion<double>& rotation, const Eigen::Vector3d& normal, double& twisted, double& momentum) {
  if (!(body.mass > 0) || !body.flight.inertia) return;
  const Eigen::Vector3d turn = jump.angular_after - jump.angular_before;
  const double noise = std::sqrt(2.0) * RateDeviation(t, std::min(jump.last_before + 1, t.size() - jump.first_after));
  if (turn.norm() < kClearTurn * noise || turn.norm() * body.size < kClearSpin * jump.jump().norm()) return;
  const Eigen::Matrix3d R = RotationMatrix<double>(rotation);
  const Eigen::Vector3d gained = R * (*body.flight.inertia * (R.transpose() * turn)), push = body.mass * jump.jump();
  // Of the corners at about the same height, or the middle of them, that which explains it best.
  double lowest = std::numeric_limits<double>::infinity();
  std::vector<Eigen::Vector3d> corners;
  for (const Eigen::Vector3d& vertex : body.shape->vertices) {
    corners.emplace_back(R * (vertex - body.flight.p_BBcm));
    lowest = std::min(lowest, normal.dot(corners.back()));
  }
  std::erase_if(corners, [&](const Eigen::Vector3d& r) { return normal.dot(r) > lowest + kSameHeight * body.size; });
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& r : corners) middle += r / static_cast<double>(corners.size());
  corners.push_back(middle);
  double least = std::numeric_limits<double>::infinity(), all = 0;
  for (const Eigen::Vector3d& r : corners) {
    const Eigen::Vector3d given = r.cross(push);
    const double off = (gained - given).norm(), sum = gained.norm() + given.norm();
    if (all > 0 && off / sum >= least / all) continue;
    least = off, all = sum;
  }
  twisted += least;
  momentum += all;
}

}  // namespace

SurfaceGap GapOf(const DoctorBody& body, const Eigen::Vector3d& position, const Quaternion<double>& rotation) {
  SurfaceGap nearest{std::numeric_limits<double>::infinity(), 0, Eigen::Vector3d::UnitZ()};
  for (const DoctorSurface& surface : body.surfaces) {
    const Eigen::Vector3d normal = surface.axes.col(2), away = position - surface.point;
    if (surface.bounded) {
      const double x = away.dot(surface.axes.col(0)), y = away.dot(surface.axes.col(1));
      if (x < surface.x0 || x > surface.x1 || y < surface.y0 || y > surface.y1) continue;
    }
    const double support = -LowestPoint<double>(*body.shape, RotateInverse<double>(rotation, normal));
    const double gap = normal.dot(away) - support;
    if (gap < nearest.gap) nearest = {gap, support, normal};
  }
  return nearest;
}

double ContactEvidence::Misfit() const {
  std::vector<double> sizes;
  for (const Contact& contact : contacts) sizes.push_back(std::abs(contact.gap));
  return std::max(contacts.empty() ? std::abs(depth) : Median(std::move(sizes)), -depth);
}

bool ContactEvidence::TurnsWrong() const { return gyration && *gyration < kLeastGyration * size * size; }

bool ContactEvidence::Twisted() const { return twist && *twist > kTwisted; }

bool ContactEvidence::Sound() const {
  if (!(depth > -room - (kDeepest - kRoom) * size) || TurnsWrong()) return false;
  if (contacts.empty()) return true;
  const auto near = std::count_if(contacts.begin(), contacts.end(),
                                  [](const Contact& contact) { return std::abs(contact.gap) < contact.tolerance; });
  return static_cast<double>(near) >= kMostContacts * static_cast<double>(contacts.size());
}

bool ContactEvidence::Confirmed() const {
  const bool touches = !contacts.empty() || touching > 0.5;
  return Sound() && touches && Misfit() < room;
}

ContactEvidence WeighContacts(SpatialTrack track, const DoctorBody& body, const Eigen::Vector3d& gravity) {
  ContactEvidence out;
  out.size = body.size;
  TossOptions options;
  options.gravity = gravity;
  options.standstill.surface_velocity = body.surface_velocity;
  const Toss toss = MakeToss(std::move(track), FlightBody{body.flight.p_BBcm, {}}, options);
  const SpatialTrack& t = toss.track;
  out.room = kRoom * body.size + 4 * t.noise_position;
  for (const FlightArc& arc : toss.flights) out.flight_frames += arc.frames();

  double turned = 0, lever = 0, twisted = 0, momentum = 0;
  int turns = 0;
  for (const VelocityJump& jump : toss.impacts) {
    const int k = jump.last_before;
    const double dt = jump.time - t.time[k];
    const Quaternion<double> rotation = QuaternionProduct<double>(ExpSO3(jump.angular_before * dt), t.rotation[k]);
    const Eigen::Vector3d center = t.position[k] + Rotate<double>(t.rotation[k], body.flight.p_BBcm) + jump.before * dt;
    const SurfaceGap at = GapOf(body, center - Rotate<double>(rotation, body.flight.p_BBcm), rotation);
    if (!std::isfinite(at.gap)) continue;
    // Where frames are dense, those beside the impact know better than what is extrapolated.
    SurfaceGap nearest = at;
    for (const int frame : {k, jump.first_after})
      if (const SurfaceGap beside = GapOf(body, t.position[frame], t.rotation[frame]);
          std::abs(beside.gap) < std::abs(nearest.gap))
        nearest = beside;
    const double speed = std::max(jump.before.norm(), jump.after.norm());
    out.contacts.push_back({nearest.gap, nearest.support, out.room + 0.3 * speed * t.interval});
    if (!body.shape->vertices.empty()) AddTwist(body, t, jump, rotation, at.normal, twisted, momentum);
    // Only of a ball is the contact known whatever the rotation is.
    if (body.shape->type != ShapeType::kSphere) continue;
    const Eigen::Vector3d arm = -body.shape->radius * at.normal - Rotate<double>(rotation, body.flight.p_BBcm);
    const Eigen::Vector3d turn = jump.angular_after - jump.angular_before;
    const double noise = std::sqrt(2.0) * RateDeviation(t, std::min(k + 1, t.size() - jump.first_after));
    if (turn.norm() < kClearTurn * noise || turn.norm() * body.size < kClearSpin * jump.jump().norm()) continue;
    ++turns;
    turned += turn.squaredNorm();
    lever += turn.dot(arm.cross(jump.jump()));
  }
  if (turns >= kLeastTurns) out.gyration = lever / turned;
  if (momentum > 0) out.twist = twisted / momentum;
  if (toss.rest >= 0) {
    const MeanPose rest = AveragePose(t, toss.rest, std::min(t.size(), toss.rest + 60));
    const SurfaceGap at = GapOf(body, rest.position, rest.rotation);
    if (std::isfinite(at.gap)) out.contacts.push_back({at.gap, at.support, out.room});
  }

  std::vector<double> gaps;
  int touching = 0;
  for (int k = 0; k < t.size(); ++k) {
    const SurfaceGap at = GapOf(body, t.position[k], t.rotation[k]);
    if (!std::isfinite(at.gap)) continue;
    gaps.push_back(at.gap);
    touching += std::abs(at.gap) < out.room ? 1 : 0;
  }
  if (gaps.empty()) return out;
  out.touching = static_cast<double>(touching) / static_cast<double>(gaps.size());
  // The third lowest of a hundred, so that two bad frames do not decide.
  const auto place = gaps.begin() + static_cast<std::ptrdiff_t>(std::min(gaps.size() - 1, 2 + gaps.size() / 100));
  std::nth_element(gaps.begin(), place, gaps.end());
  out.depth = *place;
  return out;
}

}  // namespace ricochet
