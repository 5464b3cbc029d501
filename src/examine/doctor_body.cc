// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a scene states about a body, lifted to space, and its recorded poses in the scene's terms.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "dynamics/spatial_contacts.h"
#include "examine/doctor_tracks.h"
#include "math/manifold.h"
#include "math/se3.h"
#include "model/spatial_model.h"

namespace ricochet {
namespace {

Eigen::Vector3d Lift(double x, double y) { return {x, 0, y}; }

/// Whether LowestPoint knows the shape.
bool HasSupport(const SpatialShape<double>& shape) {
  return shape.type == ShapeType::kSphere || shape.type == ShapeType::kEllipsoid ||
         shape.type == ShapeType::kCylinder || !shape.vertices.empty();
}

/// Largest support over directions of the axes and between them; of corners, the farthest.
double SizeOf(const DoctorBody& body) {
  if (!body.shape) return 0;
  double size = 0;
  for (const Eigen::Vector3d& vertex : body.shape->vertices) size = std::max(size, vertex.norm());
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        if (const Eigen::Vector3d d(x, y, z); !d.isZero(0))
          size = std::max(size, -LowestPoint<double>(*body.shape, Eigen::Vector3d(d.normalized())));
  return size;
}

/// The recording without the length scale and the offsets that the scene states.
Recording WithoutScale(const Scene& scene, Recording recording, const std::string& prefix) {
  const Observation& observe = scene.observe;
  const double scale = observe.length_scale ? scene[observe.length_scale] : 1;
  for (const char* name : {"x", "y", "z", "theta"}) {
    const std::string column = prefix.empty() ? name : prefix + "." + name;
    const int index = recording.Find(column);
    if (index < 0) continue;
    double offset = 0;
    for (const Observation::Offset& each : observe.offsets)
      if (each.channel == column || (prefix.empty() && each.channel.ends_with("." + column)))
        offset = scene[each.value];
    const double unit = std::string_view(name) == "theta" ? 1 : scale;
    if (offset == 0 && unit == 1) continue;
    for (double& value : recording.values[static_cast<std::size_t>(index)]) value = (value - offset) / unit;
  }
  return recording;
}

/// From the tracked frame to the body frame, as the scene has it.
void MoveToBodyFrame(const Scene& scene, const std::string& prefix, SpatialTrack& track) {
  for (const TrackedFrame& frame : scene.observe.frames) {
    if (!prefix.empty() && frame.body != prefix) continue;
    Eigen::Vector3d place, rotation;
    if (scene.space == Space::kPlanar) {
      place = Lift(scene[frame.position[0]], scene[frame.position[1]]);
      rotation = Eigen::Vector3d(0, -scene[frame.rotation[0]], 0);
    } else {
      for (int i = 0; i < 3; ++i) {
        place[i] = scene[frame.position[static_cast<std::size_t>(i)]];
        rotation[i] = scene[frame.rotation[static_cast<std::size_t>(i)]];
      }
    }
    if (place.isZero(0) && rotation.isZero(0)) return;
    const SE3<double> X_FB = SE3<double>{place, ExpSO3(rotation)}.Inverse();
    for (int k = 0; k < track.size(); ++k) {
      const SE3<double> X_WB = SE3<double>{track.position[k], track.rotation[k]} * X_FB;
      track.position[k] = X_WB.p;
      track.rotation[k] = X_WB.q;
    }
    return;
  }
}

}  // namespace

DoctorBody BodyOfScene(const Scene* scene, const std::string& prefix) {
  DoctorBody body;
  body.normals = {Eigen::Vector3d::UnitX(),  -Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY(),
                  -Eigen::Vector3d::UnitY(), Eigen::Vector3d::UnitZ(),  -Eigen::Vector3d::UnitZ()};
  if (scene == nullptr) return body;
  int index = prefix.empty() ? -1 : scene->BodyIndex(prefix);
  for (int i = 0; index < 0 && prefix.empty() && i < static_cast<int>(scene->bodies.size()); ++i)
    if (!scene->bodies[static_cast<std::size_t>(i)].fixed) index = i;
  if (index < 0) return body;
  body.has_scene = true;
  body.name = scene->bodies[static_cast<std::size_t>(index)].name;
  const Body& described = scene->bodies[static_cast<std::size_t>(index)];
  const auto number = [&](NumberId id) { return (*scene)[id]; };
  std::vector<double> values;
  for (const SceneNumber& entry : scene->numbers()) values.push_back(entry.value);

  if (scene->space == Space::kSpatial) {
    const SpatialModel<double> model = CompileSpatial<double>(*scene, values);
    const SpatialBody<double>& compiled = model.bodies[static_cast<std::size_t>(index)];
    body.flight.p_BBcm = compiled.p_BBcm;
    if (compiled.I_BBcm_B.norm() > 0) body.flight.inertia = compiled.I_BBcm_B;
    body.mass = compiled.mass;
    if (compiled.shape.present && HasSupport(compiled.shape)) body.shape = compiled.shape;
    for (std::size_t i = 0; i < model.surfaces.size(); ++i) {
      const SpatialSurface<double>& surface = model.surfaces[i];
      body.surfaces.push_back({scene->surfaces[i].name, surface.point, surface.R_WS, surface.bounded, surface.x0,
                               surface.x1, surface.y0, surface.y1});
    }
    if (!model.surfaces.empty()) {
      body.up = model.surfaces[0].R_WS.col(2);
      body.surface_point = model.surfaces[0].point;
      body.surface_velocity = model.surfaces[0].velocity;
    } else if (model.gravity.norm() > 0) {
      body.up = -model.gravity.normalized();
    }
    if (body.shape && !body.shape->hull.faces.empty()) {
      body.normals.clear();
      for (const HullFace& face : body.shape->hull.faces) body.normals.push_back(face.normal);
    }
    body.size = SizeOf(body);
    return body;
  }
  // Planar: what turns, turns about one axis, so that any inertia does.
  body.flight.inertia = Eigen::Matrix3d::Identity();
  if (described.center_of_mass.size() == 2)
    body.flight.p_BBcm = Lift(number(described.center_of_mass[0]), number(described.center_of_mass[1]));
  if (!scene->surfaces.empty()) {
    const Surface& surface = scene->surfaces[0];
    const double angle = number(surface.angle);
    body.up = Lift(-std::sin(angle), std::cos(angle));
    body.surface_point = Lift(number(surface.point[0]), number(surface.point[1]));
    if (surface.velocity.size() == 2)
      body.surface_velocity = Lift(number(surface.velocity[0]), number(surface.velocity[1]));
  }
  for (const Surface& surface : scene->surfaces) {
    const double angle = number(surface.angle);
    DoctorSurface lifted{surface.name, Lift(number(surface.point[0]), number(surface.point[1])), {}, false, 0, 0, 0, 0};
    lifted.axes.col(0) = Lift(std::cos(angle), std::sin(angle));
    lifted.axes.col(1) = Eigen::Vector3d::UnitY();
    lifted.axes.col(2) = Lift(-std::sin(angle), std::cos(angle));
    if (surface.extent.size() == 2) {
      lifted.bounded = true;
      lifted.x0 = number(surface.extent[0]);
      lifted.x1 = number(surface.extent[1]);
    }
    body.surfaces.push_back(std::move(lifted));
  }
  if (!described.shape) return body;
  std::vector<double> shape_numbers;
  for (const NumberId id : described.shape->numbers) shape_numbers.push_back(number(id));
  SpatialShape<double> shape;
  shape.present = true;
  switch (described.shape->type) {
    case ShapeType::kCircle:
      shape.type = ShapeType::kSphere;
      shape.radius = shape_numbers[0];
      break;
    case ShapeType::kEllipse:
      shape.type = ShapeType::kEllipsoid;
      shape.semi_axes = {shape_numbers[0], 0, shape_numbers[1]};
      break;
    case ShapeType::kRectangle:
      shape.type = ShapeType::kPolytope;
      for (const double x : {-0.5, 0.5})
        for (const double y : {-0.5, 0.5}) shape.vertices.push_back(Lift(x * shape_numbers[0], y * shape_numbers[1]));
      break;
    default:
      shape.type = ShapeType::kPolytope;
      for (std::size_t i = 0; i + 1 < shape_numbers.size(); i += 2)
        shape.vertices.push_back(Lift(shape_numbers[i], shape_numbers[i + 1]));
  }
  if (described.shape->type == ShapeType::kPolygon) {
    body.normals.clear();
    for (std::size_t i = 0; i < shape.vertices.size(); ++i) {
      const Eigen::Vector3d edge = shape.vertices[(i + 1) % shape.vertices.size()] - shape.vertices[i];
      body.normals.push_back(Lift(edge[2], -edge[0]).normalized());  // counter-clockwise: the outside is to the right
    }
  }
  body.shape = shape;
  body.size = SizeOf(body);
  return body;
}

std::optional<Eigen::Vector3d> GravityOfScene(const Scene* scene) {
  if (scene == nullptr || scene->gravity.vector.empty()) return std::nullopt;
  std::vector<double> g;
  for (const NumberId id : scene->gravity.vector) g.push_back((*scene)[id]);
  const Eigen::Vector3d lifted = g.size() == 2 ? Lift(g[0], g[1]) : Eigen::Vector3d(g[0], g[1], g[2]);
  return lifted.norm() > 0 ? std::optional(lifted) : std::nullopt;
}

SpatialTrack TrackOfBody(const Scene* scene, const Recording& recording, const std::string& prefix) {
  if (scene == nullptr) return MakeSpatialTrack(recording, prefix, kLeastTrack);
  SpatialTrack track = MakeSpatialTrack(WithoutScale(*scene, recording, prefix), prefix, kLeastTrack);
  MoveToBodyFrame(*scene, prefix, track);
  return track;
}

}  // namespace ricochet
