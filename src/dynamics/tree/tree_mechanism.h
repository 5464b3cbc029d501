// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rigid mechanisms in minimal coordinates with friction, and the exact derivatives of their equations of motion.
//
// For a tree of hinges, sliders and fixed joints with coordinates x, rates r and accelerations a, the wrench that joint
// k must give to all bodies beyond it (Newton and Euler, world axes, moments about the joint's point o_k) is
//
//     F_k = sum_i f_i,   M_k = sum_i n_i + (c_i - o_k) x f_i,   f_i = m (c_i'' - g) + d(c_i'),   n_i = I w' + w x I w,
//
// with the resistance d of the air (drag.h).
//
// It is affine in a, F_k = F_k0 + sum_j F_kj a_j. A hinge moves when its axis z_k has
//
//     E_k = z_k . M_k + J_shaft a_k + b r_k - K u - stiffness (target - x_k) - damping (rate - r_k)
//           + s_k (beta_k + coulomb) = 0
//
// (sliders: z_k . F_k), with friction against the sliding sign s_k: a constant, and a part by the load (Spook appendix
// F, norms as in joints/dry_friction_part.h)
//
//     beta_k = mu(r_k) (radius |F_k| + |M_k across the axis|).
//
// The bound depends on a through the reaction: with signs (l1) or directions (euclidean) known E_k is linear in a, and
// they are corrected until they agree. A sticking joint has a_k = 0 in place of E_k = 0, and friction balances the
// torque -E_k. beta is homogeneous of degree one, so beta = gF . F + gM . M and its derivative is that with gF, gM
// held.
//
// Derivatives by x and r are closed forms in world axes: a change of x_l turns all beyond joint l about its axis while
// what is before it keeps its motion (relative velocity and acceleration turn with it); by r_l the relative velocity
// changes. Numbers that change masses, moments, gravity or laws of joints enter E linearly or by a scalar; numbers
// that change geometry are differentiated by Jets. TreeResidual is the same E written once for any scalar.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "math/jet.h"
#include "model/model.h"

namespace ricochet {

inline constexpr int kTreeMost = 8;  // joints of one mechanism

/// Numbers of a mechanism that a model holds; everything that depends on parameters.
template <class T>
struct TreeConstants {
  struct Link {
    Eigen::Matrix<T, 3, 3> near_frame, far_frame;  // joint frames (zero, third, axis) in their bodies
    Eigen::Matrix<T, 3, 1> near_point, far_point;  // attachment, from the centers of mass (the world: from its origin)
    T mass;
    Eigen::Matrix<T, 3, 3> inertia;  // of the body beyond, body axes
    T viscous, coulomb, friction, radius, static_friction, stribeck_rate, gain, shaft, stiffness, damping, target, rate;
    T drag_linear, drag_quadratic;  // of the body beyond
  };
  Eigen::Matrix<T, 3, 1> gravity;
  std::vector<Link> links;
};

/// What does not depend on parameters.
struct TreeLink {
  int joint = 0, body = 0;  // of the scene; the body beyond the joint
  int near = -1;            // link that carries the joint, -1: the world or a fixed body
  int dof = -1;             // -1: a fixed joint
  bool slider = false, forward = true;
  bool dry = false, l1 = true, stribeck = false, motor = false, drive = false;
  int input = -1;
  Eigen::Matrix3d R_near = Eigen::Matrix3d::Identity();  // pose of a fixed body that carries it
  Eigen::Vector3d p_near = Eigen::Vector3d::Zero();
  std::array<int, kTreeMost> path{};  // links from the root to this one that move, in order
  int path_size = 0;
};

/// Derivatives: a row per coordinate.
using TreeRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// How one number acts: derivatives of the constants by it. One that turns joint frames goes through Jets.
struct TreeParameter {
  struct Link : TreeConstants<double>::Link {
    int index = 0;
    bool moves = false, weighs = false;  // points; the inertia
  };
  bool turns = false, none = true;
  TreeConstants<Jet<1>> constants;  // of one that turns
  std::vector<Link> links;          // whose constants change
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  bool any_gravity = false, any_point = false;
};

/// Quantities at one state; filled by TreeMechanism::Accelerate. One thread's own.
struct TreeWorkspace {
  struct Link {
    Eigen::Matrix3d R, I, child;                                   // child: axes of the joint's frame in the child
    Eigen::Vector3d c, o, z, w, v, alpha, acc;                     // accelerations without a, then with it
    Eigen::Vector3d w_near, v_near, alpha_near, acc_near, c_near;  // of what carries it
    Eigen::Vector3d f, n;
    Eigen::Vector3d drag;  // resistance of the air
  };
  struct Dof {
    Eigen::Vector3d F0, M0, F, M, gF, gM, wF, wM;
    std::array<Eigen::Vector3d, kTreeMost> FU, MU;
    double beta = 0, mu = 0;  // bound over mu; coefficient
    std::array<double, 5>
        reaction{};  // F in world axes, M along the child's two axes: where they change sign, beta kinks
    std::array<double, 2> across{};  // gM along the child's two axes
    bool known = false;              // gF and `across` are those of a state before: a first guess
  };
  std::array<Link, kTreeMost> link;
  std::array<Dof, kTreeMost> dof;
  std::array<std::array<double, kTreeMost>, kTreeMost> Ea{};
  std::array<double, kTreeMost> E{};  // of sticking joints: minus the torque that friction balances
};

class TreeMechanism {
 public:
  using Modes = std::array<int, kTreeMost>;  // per coordinate: sign of sliding, 0 sticks; of joints without friction 1
  using Vector = std::array<double, kTreeMost>;

  /// Throws InputError naming what minimal coordinates do not have: loops, free bodies, other joints, dry sliders,
  /// impulses of actions, contacts.
  explicit TreeMechanism(const Model& model);

  int dof() const { return static_cast<int>(joint_of_dof_.size()); }
  int joint(int dof) const { return joint_of_dof_[static_cast<std::size_t>(dof)]; }  // of the scene
  const TreeLink& link_of(int dof) const { return links_[static_cast<std::size_t>(link_of_dof_[dof])]; }
  const std::vector<TreeLink>& links() const { return links_; }

  template <class T>
  TreeConstants<T> Constants(const SpatialModel<T>& model) const;

  /// Whether a joint has friction by its load with these constants.
  bool IsDry(const TreeConstants<double>& constants, int dof) const;

  /// Solves for the accelerations; u are motor inputs in the model's order.
  void Accelerate(const TreeConstants<double>& constants, const double* x, const double* r, std::span<const double> u,
                  const Modes& modes, double* a, TreeWorkspace& workspace) const;

  /// Bound of a sticking joint less the torque it needs; valid after Accelerate with mode 0. `torque` gets the torque
  /// that friction balances: the joint would move its way.
  double StickingSlack(const TreeConstants<double>& constants, int dof, const TreeWorkspace& workspace,
                       double& torque) const;

  /// E by x, r, and the parameters at the accelerations of the Accelerate before: a changes by -Ea^-1 (...). Columns x,
  /// r, parameters of the accelerations' derivative are written to `out` (dof rows).
  void Differentiate(const TreeConstants<double>& constants, const double* x, const double* r, const double* a,
                     std::span<const double> u, const Modes& modes, std::span<const TreeParameter> parameters,
                     TreeWorkspace& workspace, TreeRows& out) const;

  /// Residuals E of the equations of motion for given accelerations, and their derivatives by the parameters only
  /// (inverse dynamics on data). Sticking is not looked at.
  void Residual(const TreeConstants<double>& constants, const double* x, const double* r, const double* a,
                std::span<const double> u, const Modes& modes, std::span<const TreeParameter> parameters,
                TreeWorkspace& workspace, double* E, TreeRows* by_parameters) const;

  /// E on any scalar, from the definition.
  template <class T>
  void TreeResidual(const TreeConstants<T>& constants, const T* x, const T* r, const T* a, std::span<const double> u,
                    const Modes& modes, T* E) const;

  /// The parameters' effects from a model compiled with one derivative each.
  TreeParameter Effect(const TreeConstants<Jet<1>>& constants) const;

 private:
  void Move(const TreeConstants<double>& constants, const double* x, const double* r, TreeWorkspace& workspace) const;
  void SetFriction(const TreeConstants<double>& constants, int dof, const double* a, const double* r, int mode,
                   TreeWorkspace& workspace) const;
  void AddAccelerations(const TreeConstants<double>& constants, const double* a, TreeWorkspace& workspace) const;
  void ByState(const TreeConstants<double>& constants, const double* r, const Modes& modes, TreeWorkspace& workspace,
               TreeRows& out) const;
  void ByPoints(const TreeConstants<double>& constants, const TreeParameter& parameter, const Modes& modes,
                const TreeWorkspace& workspace, Eigen::Index column, TreeRows& out) const;
  void ByParameters(const TreeConstants<double>& constants, const double* x, const double* r, const double* a,
                    std::span<const double> u, const Modes& modes, std::span<const TreeParameter> parameters,
                    const TreeWorkspace& workspace, int first, TreeRows& out) const;

  std::vector<TreeLink> links_;
  std::vector<int> joint_of_dof_, link_of_dof_;
};

/// Solves a small dense system in place by elimination with row exchanges; b has n rows of so many right sides.
void SolveTreeSystem(const std::array<std::array<double, kTreeMost>, kTreeMost>& A, int n, double* b, int columns);

// --- Implementation of the templates.

template <class T>
TreeConstants<T> TreeMechanism::Constants(const SpatialModel<T>& model) const {
  TreeConstants<T> out;
  out.gravity = model.gravity;
  const auto frame = [](const SpatialJointFrame<T>& in) {
    Eigen::Matrix<T, 3, 3> R;
    R << in.zero, in.axis.cross(in.zero), in.axis;
    return R;
  };
  for (const TreeLink& link : links_) {
    const SpatialJoint<T>& joint = model.joints[static_cast<std::size_t>(link.joint)];
    typename TreeConstants<T>::Link& to = out.links.emplace_back();
    const SpatialJointFrame<T>&near = link.forward ? joint.parent_frame : joint.child_frame,
          &far = link.forward ? joint.child_frame : joint.parent_frame;
    const int near_body = link.forward ? joint.parent : joint.child;
    const SpatialBody<T>& body = model.bodies[static_cast<std::size_t>(link.body)];
    to.near_frame = frame(near);
    to.far_frame = frame(far);
    to.near_point = near.point;
    if (near_body >= 0) to.near_point -= model.bodies[static_cast<std::size_t>(near_body)].p_BBcm;
    to.far_point = far.point - body.p_BBcm;
    to.mass = body.mass;
    to.inertia = body.I_BBcm_B;
    to.drag_linear = body.drag_linear;
    to.drag_quadratic = body.drag_quadratic;
    to.viscous = joint.viscous;
    to.coulomb = joint.coulomb;
    to.friction = joint.has_dry ? joint.dry_friction : T(0);
    to.radius = joint.has_dry ? joint.dry_radius : T(0);
    to.static_friction = joint.has_stribeck ? joint.stribeck_static : to.friction;
    to.stribeck_rate = joint.has_stribeck ? joint.stribeck_rate : T(1);
    to.gain = joint.has_motor ? joint.motor_gain : T(0);
    to.shaft = joint.has_motor ? joint.motor_shaft_inertia : T(0);
    to.stiffness = joint.has_drive ? joint.drive_stiffness : T(0);
    to.damping = joint.has_drive ? joint.drive_damping : T(0);
    to.target = joint.has_drive ? joint.drive_target[0] : T(0);
    to.rate = joint.has_drive ? joint.drive_rate[0] : T(0);
  }
  return out;
}

}  // namespace ricochet
