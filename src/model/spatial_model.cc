// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "model/spatial_model.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <string>

#include "math/is_constant.h"
#include "math/jet.h"
#include "math/vector.h"
#include "scene/derived_numbers.h"
#include "scene/optional_parts.h"
#include "scene/scene_shape.h"

namespace ricochet {
namespace {

/// Values of the scene's table as vectors.
template <class T>
class SpatialNumbers {
 public:
  explicit SpatialNumbers(std::span<const T> values) : values_(values) {}

  const T& operator()(NumberId id) const { return values_[static_cast<size_t>(id.index)]; }
  /// 0 where there is no such number.
  T OrZero(NumberId id) const { return id ? (*this)(id) : T(0.0); }
  Eigen::Matrix<T, 3, 1> operator()(const std::vector<NumberId>& ids) const {
    return {(*this)(ids[0]), (*this)(ids[1]), (*this)(ids[2])};
  }

 private:
  std::span<const T> values_;
};

template <class T>
SpatialBody<T> CompileSpatialBody(const Scene& scene, const Body& body, const SpatialNumbers<T>& at) {
  SpatialBody<T> out{};
  out.fixed = body.fixed;
  out.mass = at.OrZero(body.mass);
  out.p_BBcm = at(body.center_of_mass);
  out.I_BBcm_B.setZero();
  if (body.inertia.size() >= 3) out.I_BBcm_B.diagonal() = at(body.inertia);
  if (body.inertia.size() == 6) {
    out.I_BBcm_B(0, 1) = out.I_BBcm_B(1, 0) = at(body.inertia[3]);
    out.I_BBcm_B(0, 2) = out.I_BBcm_B(2, 0) = at(body.inertia[4]);
    out.I_BBcm_B(1, 2) = out.I_BBcm_B(2, 1) = at(body.inertia[5]);
  }
  if (body.shape) out.shape = MakeSceneShape<T>(*body.shape, at);
  if (body.drag) {
    out.drag_linear = at(body.drag->linear);
    out.drag_quadratic = at(body.drag->quadratic);
    out.has_drag = HasDrag(scene, body) || !IsConstant(out.drag_linear) || !IsConstant(out.drag_quadratic);
  }
  return out;
}

template <class T>
SpatialSurface<T> CompileSpatialSurface(const Surface& surface, const SpatialNumbers<T>& at) {
  SpatialSurface<T> out{};
  const Eigen::Matrix<T, 3, 1> z = at(surface.normal).normalized(), x = FirstAxisAcross<T>(z);
  out.point = at(surface.point);
  out.R_WS << x, z.cross(x), z;
  out.velocity = at(surface.velocity);
  out.bounded = !surface.extent.empty();
  if (out.bounded) {
    out.x0 = at(surface.extent[0]);
    out.x1 = at(surface.extent[1]);
    out.y0 = at(surface.extent[2]);
    out.y1 = at(surface.extent[3]);
  }
  return out;
}

template <class T>
SpatialLaw<T> CompileSpatialLaw(const ContactLaw& law, const SpatialNumbers<T>& at) {
  SpatialLaw<T> out{};
  out.friction = at(law.friction);
  out.restitution = at(law.restitution);
  out.tangential_restitution = at(law.tangential_restitution);
  out.has_patch = !law.patch.empty();
  if (out.has_patch) {
    out.patch = at(law.patch);
  } else {
    out.patch.setZero();
  }
  if ((out.has_restitution_speed = static_cast<bool>(law.restitution_speed))) {
    out.restitution_low = at(law.restitution_low);
    out.restitution_speed = at(law.restitution_speed);
  }
  if ((out.has_compliance = static_cast<bool>(law.compliance))) {
    out.compliance = at(law.compliance);
    out.damping = at(law.damping);
  }
  if ((out.has_rounding = static_cast<bool>(law.rounding))) out.rounding = at(law.rounding);
  return out;
}

/// Directions that the scene leaves out: axis z, and zero as the first axis of a surface with this normal.
template <class T>
SpatialJointFrame<T> CompileJointFrame(const JointFrame& frame, const SpatialNumbers<T>& at) {
  using Vector3 = Eigen::Matrix<T, 3, 1>;
  SpatialJointFrame<T> out;
  out.point = at(frame.point);
  out.axis = frame.axis.empty() ? Vector3(Vector3::UnitZ()) : Vector3(at(frame.axis).normalized());
  if (frame.zero.empty()) {
    out.zero = FirstAxisAcross<T>(out.axis);
  } else {
    const Vector3 zero = at(frame.zero).normalized();
    out.zero = (zero - out.axis * out.axis.dot(zero)).normalized();
  }
  return out;
}

template <class T>
SpatialJoint<T> CompileSpatialJoint(const Scene& scene, const Joint& joint, const SpatialNumbers<T>& at,
                                    std::vector<std::string>& inputs) {
  SpatialJoint<T> out{};
  out.type = joint.type;
  out.parent = scene.BodyIndex(joint.parent);  // -1 for the world
  out.child = scene.BodyIndex(joint.child);
  out.parent_frame = CompileJointFrame<T>(joint.parent_frame, at);
  out.child_frame = CompileJointFrame<T>(joint.child_frame, at);
  out.compliance_linear = at.OrZero(joint.compliance_linear);
  out.compliance_angular = at.OrZero(joint.compliance_angular);
  out.damping = at.OrZero(joint.damping);
  out.viscous = at.OrZero(joint.viscous);
  out.has_coulomb = joint.coulomb && scene.number(joint.coulomb).given;
  out.coulomb = at.OrZero(joint.coulomb);
  if (joint.dry) {
    out.has_dry = true;
    out.dry_norm = joint.dry->norm;
    out.dry_radius = at(joint.dry->radius);
    out.dry_friction = at(joint.dry->friction);
  }
  if (joint.stribeck) {
    out.has_stribeck = true;
    out.stribeck_static = at(joint.stribeck->static_friction);
    out.stribeck_rate = at(joint.stribeck->rate);
  }
  if (joint.motor) {
    out.has_motor = true;
    out.motor_gain = at(joint.motor->gain);
    out.motor_shaft_inertia = at.OrZero(joint.motor->shaft_inertia);
    out.motor_interpolation = joint.motor->interpolation;
    // Motors may share an input.
    const auto found = std::find(inputs.begin(), inputs.end(), joint.motor->input);
    out.motor_input = static_cast<int>(found - inputs.begin());
    if (found == inputs.end()) inputs.push_back(joint.motor->input);
  }
  // A drive that does not act still has a derivative by its stiffness.
  if (HasDrive(scene, joint) || (joint.drive && !IsConstant(at(joint.drive->stiffness)))) {
    out.has_drive = true;
    out.drive_stiffness = at(joint.drive->stiffness);
    out.drive_damping = at(joint.drive->damping);
    for (int i = 0; i < 2; ++i) {
      out.drive_target[i] = at.OrZero(joint.drive->target[i]);
      out.drive_rate[i] = at.OrZero(joint.drive->rate[i]);
    }
  }
  if (joint.limits) {
    out.has_limits = true;
    for (int i = 0; i < 2; ++i) {
      out.has_lower[i] = static_cast<bool>(joint.limits->lower[i]);
      out.has_upper[i] = static_cast<bool>(joint.limits->upper[i]);
      out.lower[i] = at.OrZero(joint.limits->lower[i]);
      out.upper[i] = at.OrZero(joint.limits->upper[i]);
    }
  }
  out.has_length = static_cast<bool>(joint.length);
  out.length = at.OrZero(joint.length);
  if (joint.type == JointType::kDistance && !out.has_length) {
    const bool spring = joint.drive && scene[joint.drive->stiffness] > 0;
    out.length = spring ? out.drive_target[0] : out.has_upper[0] ? out.upper[0] : out.lower[0];
  }
  return out;
}

/// Bodies against surfaces, then bodies against bodies. At least one body of a pair moves, and it comes first. Bodies
/// that a joint holds together do not touch each other.
template <class T>
std::vector<SpatialPair<T>> CompileSpatialPairs(const Scene& scene, const SpatialModel<T>& model,
                                                const SpatialNumbers<T>& at) {
  std::vector<SpatialPair<T>> pairs;
  const int bodies = static_cast<int>(scene.bodies.size()), surfaces = static_cast<int>(scene.surfaces.size());
  const auto law = [&](const std::string& a, const std::string& b) {
    return CompileSpatialLaw<T>(scene.LawOf(a, b), at);
  };
  for (int b = 0; b < bodies; ++b) {
    if (scene.bodies[b].fixed || !scene.bodies[b].shape) continue;
    for (int s = 0; s < surfaces; ++s) {
      pairs.push_back({b, s, -1, law(scene.bodies[b].name, scene.surfaces[s].name)});
    }
  }
  for (int a = 0; a < bodies; ++a) {
    for (int b = a + 1; b < bodies; ++b) {
      const Body &first = scene.bodies[a], &second = scene.bodies[b];
      if (!first.shape || !second.shape || (first.fixed && second.fixed)) continue;
      const bool joined = std::any_of(model.joints.begin(), model.joints.end(), [&](const SpatialJoint<T>& joint) {
        return (joint.parent == a && joint.child == b) || (joint.parent == b && joint.child == a);
      });
      if (joined) continue;
      pairs.push_back({first.fixed ? b : a, -1, first.fixed ? a : b, law(first.name, second.name)});
    }
  }
  return pairs;
}

}  // namespace

template <class T>
SpatialModel<T> CompileSpatial(const Scene& scene, std::span<const T> numbers) {
  std::vector<T> values(numbers.begin(), numbers.end());
  DeriveNumbers<T>(scene, values);
  const SpatialNumbers<T> at{std::span<const T>(values)};

  SpatialModel<T> model;
  model.gravity = at(scene.gravity.vector);
  for (const Body& body : scene.bodies) model.bodies.push_back(CompileSpatialBody<T>(scene, body, at));
  for (const Surface& surface : scene.surfaces) {
    model.surfaces.push_back(CompileSpatialSurface<T>(surface, at));
  }
  for (const Joint& joint : scene.joints) {
    model.joints.push_back(CompileSpatialJoint<T>(scene, joint, at, model.inputs));
  }
  model.pairs = CompileSpatialPairs<T>(scene, model, at);
  model.loads = CompileLoads<T>(scene, values);
  return model;
}

template SpatialModel<double> CompileSpatial<double>(const Scene&, std::span<const double>);
template SpatialModel<Jet<1>> CompileSpatial<Jet<1>>(const Scene&, std::span<const Jet<1>>);
template SpatialModel<Jet<12>> CompileSpatial<Jet<12>>(const Scene&, std::span<const Jet<12>>);

}  // namespace ricochet
