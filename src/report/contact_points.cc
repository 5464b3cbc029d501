// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/contact_points.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "geometry/body_contact.h"
#include "math/vector.h"
#include "report/outline.h"

namespace ricochet {
namespace {

struct PairParts {
  int body = -1, surface = -1;
};

PairParts Parts(const Scene& scene, std::string_view pair) {
  const std::size_t slash = pair.find('/');
  if (slash == std::string_view::npos) return {};
  return {scene.BodyIndex(pair.substr(0, slash)), scene.SurfaceIndex(pair.substr(slash + 1))};
}

/// Pose of a body at a time, on the straight line between rows; false outside the track.
bool PoseAt(const ReportTrack& track, int body, double time, std::span<double> pose) {
  if (track.time.size() < 2 || time < track.time.front() || time > track.time.back()) return false;
  for (const ReportPose& p : track.poses) {
    if (p.body != body || p.channels.size() != pose.size()) continue;
    const auto after = std::max(track.time.begin() + 1, std::lower_bound(track.time.begin(), track.time.end(), time));
    const std::size_t i = static_cast<std::size_t>(after - track.time.begin());
    const double s = (time - track.time[i - 1]) / (track.time[i] - track.time[i - 1]);
    for (std::size_t k = 0; k < pose.size(); ++k) {
      const std::vector<double>& values = track.channels[p.channels[k]].values;
      pose[k] = (1 - s) * values[i - 1] + s * values[i];
    }
    return true;
  }
  return false;
}

/// Where a body in space touches a surface, on the surface.
Eigen::Vector3d TouchingPoint(const SpatialBody<double>& body, const SpatialSurface<double>& surface,
                              std::span<const double, 7> pose) {
  const Eigen::Vector3d normal = surface.R_WS.col(2);
  const Eigen::Matrix3d R = Eigen::Quaterniond(pose[3], pose[4], pose[5], pose[6]).normalized().toRotationMatrix();
  Eigen::Vector3d point(pose[0], pose[1], pose[2]);
  if (body.shape.present) point += R * FarthestPoint(body.shape, R.transpose() * -normal);
  return point - normal.dot(point - surface.point) * normal;
}

}  // namespace

int PairIndex(std::string_view name, std::vector<std::string>& pairs) {
  const auto found = std::find(pairs.begin(), pairs.end(), name);
  if (found != pairs.end()) return static_cast<int>(found - pairs.begin());
  pairs.emplace_back(name);
  return static_cast<int>(pairs.size()) - 1;
}

void SetImpulse(const Model& model, std::string_view pair, ReportContact& contact) {
  const PairParts parts = Parts(*model.scene, pair);
  if (parts.surface < 0) return;
  if (model.space == Space::kPlanar) {
    const PlanarSurface<double>& surface = model.planar.surfaces[parts.surface];
    const Eigen::Vector2d impulse = contact.normal * surface.normal + contact.tangential[0] * surface.tangent;
    contact.impulse = {impulse.x(), impulse.y(), 0};
  } else {
    const Eigen::Vector3d impulse = model.spatial.surfaces[parts.surface].R_WS *
                                    Eigen::Vector3d(contact.tangential[0], contact.tangential[1], contact.normal);
    contact.impulse = {impulse.x(), impulse.y(), impulse.z()};
  }
}

void SetBodyImpulse(const Model& model, int pair, const State& start, const State& end, ReportContact& contact) {
  const SpatialPair<double>& bodies = model.spatial.pairs[static_cast<std::size_t>(pair)];
  const SpatialBody<double>& a = model.spatial.bodies[static_cast<std::size_t>(bodies.body)];
  const SpatialBody<double>& b = model.spatial.bodies[static_cast<std::size_t>(bodies.other)];
  const auto place = [](const SpatialBody<double>& body, int index, const State& from, const State& to) {
    const Eigen::Index at = 7 * static_cast<Eigen::Index>(index);
    const auto turn = [at](const State& s) {
      return Eigen::Quaterniond(s.q[at + 3], s.q[at + 4], s.q[at + 5], s.q[at + 6]);
    };
    const Eigen::Matrix3d R = turn(from).slerp(0.5, turn(to)).toRotationMatrix();
    const Eigen::Vector3d center = 0.5 * (from.q.segment<3>(at) + to.q.segment<3>(at));
    return PlacedShape<double>{&body.shape, R, center - R * body.p_BBcm};
  };
  BodyContactWorkspace<double> found;
  CollideBodies<double>(place(a, bodies.body, start, end), place(b, bodies.other, start, end), found);
  if (found.points.empty()) {
    // Methods that end a step without overlap: touching bodies, pressed together by a little.
    PlacedShape<double> first = place(a, bodies.body, end, end);
    const PlacedShape<double> second = place(b, bodies.other, end, end);
    const Eigen::Vector3d apart = first.p - second.p;
    if (!(apart.norm() > 0)) return;
    first.p -= 1e-4 * BoundingRadius<double>(a.shape) * apart.normalized();
    CollideBodies<double>(first, second, found);
    if (found.points.empty()) return;
  }
  const Eigen::Vector3d x = FirstAxisAcross<double>(found.normal);
  const Eigen::Vector3d impulse =
      contact.normal * found.normal + contact.tangential[0] * x + contact.tangential[1] * found.normal.cross(x);
  contact.impulse = {impulse.x(), impulse.y(), impulse.z()};
}

ReportContact FromEstimate(const Model& model, const EstimatedImpulse& impulse, const ReportTrack& fitted,
                           std::vector<std::string>& pairs) {
  ReportContact contact;
  contact.time = impulse.time;
  contact.duration = impulse.duration;
  contact.pair = PairIndex(impulse.pair, pairs);
  contact.contact = impulse.contact;
  contact.slides = impulse.slides;
  contact.impact = impulse.duration <= 0 || model.space == Space::kSpatial;  // a stretch in space begins with one
  contact.normal = impulse.normal;
  contact.tangential = impulse.tangential_xy.value_or(std::array<double, 2>{impulse.tangential, 0});
  SetImpulse(model, impulse.pair, contact);

  const PairParts parts = Parts(*model.scene, impulse.pair);
  if (parts.body < 0 || parts.surface < 0) return contact;
  const double middle = impulse.time + 0.5 * impulse.duration;
  if (model.space == Space::kSpatial) {
    if (impulse.point) {
      contact.point = *impulse.point;
      contact.has_point = true;
      return contact;
    }
    std::array<double, 7> pose{};
    if (!PoseAt(fitted, parts.body, middle, pose)) return contact;
    const Eigen::Vector3d point = TouchingPoint(model.spatial.bodies[static_cast<std::size_t>(parts.body)],
                                                model.spatial.surfaces[static_cast<std::size_t>(parts.surface)], pose);
    contact.point = {point.x(), point.y(), point.z()};
    contact.has_point = true;
    return contact;
  }
  std::array<double, 3> pose{};
  if (!PoseAt(fitted, parts.body, middle, pose)) return contact;
  // The candidate that the estimate names: a vertex, or the support point of a smooth shape.
  const PlanarBody<double>& body = model.planar.bodies[parts.body];
  const PlanarSurface<double>& surface = model.planar.surfaces[parts.surface];
  const Eigen::Rotation2Dd R(pose[2]);
  const Eigen::Vector2d n_B = R.inverse() * surface.normal;
  for (int i = 0; i < body.shape.contact_count(); ++i) {
    if (body.shape.Number(i) != impulse.contact) continue;
    const Eigen::Vector2d p_BC = body.p_BBcm + body.shape.SupportPoint(i, n_B);
    Eigen::Vector2d p_WC = Eigen::Vector2d(pose[0], pose[1]) + R * p_BC;
    p_WC -= surface.normal.dot(p_WC - surface.point) * surface.normal;
    contact.point = {p_WC.x(), p_WC.y(), 0};
    contact.has_point = true;
  }
  return contact;
}

std::vector<ReportContact> FromRows(const Model& model, const std::vector<ContactRow>& rows, double step,
                                    std::vector<std::string>& pairs) {
  if (step <= 0) {
    step = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < rows.size(); ++i)
      if (rows[i].time > rows[i - 1].time) step = std::min(step, rows[i].time - rows[i - 1].time);
  }
  std::map<std::pair<int, int>, double> last;  // time of the row before, per contact
  std::vector<ReportContact> out;
  out.reserve(rows.size());
  for (const ContactRow& row : rows) {
    ReportContact& contact = out.emplace_back();
    contact.time = row.time;
    contact.pair = PairIndex(row.pair, pairs);
    contact.contact = row.contact;
    contact.slides = row.slides;
    contact.normal = row.normal_impulse;
    contact.tangential = row.tangential_impulse;
    contact.point = row.point;
    contact.has_point = true;
    SetImpulse(model, row.pair, contact);
    const auto [at, fresh] = last.try_emplace({contact.pair, contact.contact}, row.time);
    contact.impact = (fresh || row.time - at->second > 1.5 * step) && row.normal_impulse > 0;
    at->second = row.time;
  }
  return out;
}

}  // namespace ricochet
