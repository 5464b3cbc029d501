// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "model/planar_model.h"

#include <algorithm>
#include <cmath>

#include "math/jet.h"
#include "scene/derived_numbers.h"

namespace ricochet {
namespace {

/// Shape about the center of mass: points of the body frame minus p_BBcm.
template <class T>
PlanarShape<T> CompilePlanarShape(const Shape& shape, std::span<const T> numbers,
                                  const Eigen::Matrix<T, 2, 1>& p_BBcm) {
  using Vector2 = Eigen::Matrix<T, 2, 1>;
  const auto at = [&](size_t i) -> const T& { return numbers[static_cast<size_t>(shape.numbers[i].index)]; };
  PlanarShape<T> out;
  out.present = true;
  out.center = -p_BBcm;
  switch (shape.type) {
    case ShapeType::kEllipse:
      out.smooth = true;
      out.a = at(0);
      out.b = at(1);
      break;
    case ShapeType::kCircle:
      out.smooth = true;
      out.a = out.b = at(0);
      break;
    case ShapeType::kRectangle: {
      const T x = at(0) * T(0.5), y = at(1) * T(0.5);
      for (const auto& corner : {Vector2(-x, -y), Vector2(x, -y), Vector2(x, y), Vector2(-x, y)})
        out.vertices.push_back(corner - p_BBcm);
      break;
    }
    default: {
      const int first = std::min(shape.numbers.front().index, shape.numbers[shape.numbers.size() - 2].index);
      for (size_t i = 0; i + 1 < shape.numbers.size(); i += 2)
        out.numbers.push_back((shape.numbers[i].index - first) / 2);
      for (size_t i = 0; i + 1 < shape.numbers.size(); i += 2)
        out.vertices.push_back(Vector2(at(i), at(i + 1)) - p_BBcm);
    }
  }
  return out;
}

}  // namespace

template <class T>
PlanarModel<T> CompilePlanar(const Scene& scene, std::span<const T> numbers) {
  using std::cos;
  using std::sin;
  using Vector2 = Eigen::Matrix<T, 2, 1>;
  std::vector<T> values(numbers.begin(), numbers.end());
  DeriveNumbers<T>(scene, values);
  const auto at = [&](NumberId id) -> const T& { return values[static_cast<size_t>(id.index)]; };
  const auto vector = [&](const std::vector<NumberId>& ids) { return Vector2(at(ids[0]), at(ids[1])); };

  PlanarModel<T> model;
  model.gravity = vector(scene.gravity.vector);
  for (const Body& body : scene.bodies) {
    PlanarBody<T>& out = model.bodies.emplace_back();
    out.fixed = body.fixed;
    out.p_BBcm = vector(body.center_of_mass);
    if (!body.fixed) {
      out.mass = at(body.mass);
      out.inertia = at(body.inertia[0]);
      out.inverse_mass = T(1) / out.mass;
      out.inverse_inertia = T(1) / out.inertia;
    }
    if (body.shape) out.shape = CompilePlanarShape<T>(*body.shape, values, out.p_BBcm);
  }
  for (const Surface& surface : scene.surfaces) {
    PlanarSurface<T>& out = model.surfaces.emplace_back();
    const T angle = at(surface.angle);
    out.point = vector(surface.point);
    out.tangent = Vector2(cos(angle), sin(angle));
    out.normal = Vector2(-sin(angle), cos(angle));
    out.velocity = vector(surface.velocity);
    out.bounded = !surface.extent.empty();
    if (out.bounded) {
      out.lo = at(surface.extent[0]);
      out.hi = at(surface.extent[1]);
    }
  }
  for (size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].fixed || !scene.bodies[b].shape) continue;
    for (size_t s = 0; s < scene.surfaces.size(); ++s) {
      const ContactLaw& law = scene.LawOf(scene.bodies[b].name, scene.surfaces[s].name);
      model.pairs.push_back({static_cast<int>(b),
                             static_cast<int>(s),
                             {at(law.friction), at(law.restitution), at(law.tangential_restitution)}});
    }
  }
  model.loads = CompileLoads<T>(scene, values);
  return model;
}

std::string PairName(const Scene& scene, const PlanarPair<double>& pair) {
  return scene.bodies[static_cast<std::size_t>(pair.body)].name + "/" +
         scene.surfaces[static_cast<std::size_t>(pair.surface)].name;
}

template PlanarModel<double> CompilePlanar<double>(const Scene&, std::span<const double>);
template PlanarModel<Jet<1>> CompilePlanar<Jet<1>>(const Scene&, std::span<const Jet<1>>);
template PlanarModel<Jet<8>> CompilePlanar<Jet<8>>(const Scene&, std::span<const Jet<8>>);
template PlanarModel<Jet<9>> CompilePlanar<Jet<9>>(const Scene&, std::span<const Jet<9>>);

}  // namespace ricochet
