// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/scene_view.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "geometry/spatial_shape.h"
#include "model/model.h"

namespace ricochet {
namespace {

using Json = nlohmann::ordered_json;

std::string_view TypeName(ShapeType type) {
  constexpr std::array<std::string_view, 9> kNames = {"ellipse", "circle",   "rectangle", "polygon", "box",
                                                      "sphere",  "cylinder", "ellipsoid", "polytope"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view TypeName(JointType type) {
  constexpr std::array<std::string_view, 6> kNames = {"hinge", "slider", "ball", "fixed", "universal", "distance"};
  return kNames[static_cast<std::size_t>(type)];
}

Json NumberValues(const Scene& scene, const std::vector<NumberId>& ids) {
  Json out = Json::array();
  for (const NumberId id : ids) out.push_back(scene[id]);
  return out;
}

template <class Vector>
Json List(const Vector& vector) {
  Json out = Json::array();
  for (Eigen::Index i = 0; i < vector.size(); ++i) out.push_back(vector[i]);
  return out;
}

Json ShapeView(const Scene& scene, const Shape& shape) {
  Json out = {{"type", TypeName(shape.type)}, {"numbers", NumberValues(scene, shape.numbers)}};
  if (shape.type == ShapeType::kPolytope) {
    std::vector<double> numbers;
    for (const NumberId id : shape.numbers) numbers.push_back(scene[id]);
    const SpatialShape<double> solid = MakeSpatialShape<double>(shape.type, numbers);
    out["vertices"] = Json::array();
    for (const auto& vertex : solid.vertices) out["vertices"].push_back(List(vertex));
    out["faces"] = Json::array();
    for (const HullFace& face : solid.hull.faces) out["faces"].push_back(face.corners);
  }
  return out;
}

Json FrameView(const SpatialJointFrame<double>& frame) {
  return {{"point", List(frame.point)}, {"axis", List(frame.axis)}};
}

}  // namespace

Json SceneView(const Scene& scene) {
  const Model model = CompileModel(scene);
  const bool planar = scene.space == Space::kPlanar;
  Json out = {{"space", planar ? "planar" : "spatial"}, {"gravity", NumberValues(scene, scene.gravity.vector)}};
  out["bodies"] = Json::array();
  for (const Body& body : scene.bodies) {
    Json view = {{"name", body.name}, {"fixed", body.fixed}};
    view["shape"] = body.shape ? ShapeView(scene, *body.shape) : Json(nullptr);
    view["center_of_mass"] = NumberValues(scene, body.center_of_mass);
    for (const Initial& initial : scene.initial) {
      if (initial.name != body.name || initial.position.empty()) continue;
      Json pose = NumberValues(scene, initial.position);
      for (const NumberId id : initial.orientation) pose.push_back(scene[id]);
      view["pose"] = pose;
    }
    out["bodies"].push_back(view);
  }
  out["surfaces"] = Json::array();
  for (std::size_t i = 0; i < scene.surfaces.size(); ++i) {
    Json view = {{"name", scene.surfaces[i].name}, {"extent", NumberValues(scene, scene.surfaces[i].extent)}};
    if (planar) {
      const PlanarSurface<double>& surface = model.planar.surfaces[i];
      view["point"] = List(surface.point);
      view["axes"] = {List(surface.tangent), List(surface.normal)};
      view["velocity"] = List(surface.velocity);
    } else {
      const SpatialSurface<double>& surface = model.spatial.surfaces[i];
      view["point"] = List(surface.point);
      view["axes"] = {List(surface.R_WS.col(0)), List(surface.R_WS.col(1)), List(surface.R_WS.col(2))};
      view["velocity"] = List(surface.velocity);
    }
    out["surfaces"].push_back(view);
  }
  out["joints"] = Json::array();
  if (!planar) {
    for (std::size_t i = 0; i < scene.joints.size(); ++i) {
      const SpatialJoint<double>& joint = model.spatial.joints[i];
      out["joints"].push_back({{"name", scene.joints[i].name},
                               {"type", TypeName(joint.type)},
                               {"parent", joint.parent},
                               {"child", joint.child},
                               {"parent_frame", FrameView(joint.parent_frame)},
                               {"child_frame", FrameView(joint.child_frame)}});
    }
  }
  return out;
}

}  // namespace ricochet
