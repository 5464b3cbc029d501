// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dynamics/tree/tree_mechanism.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/drag.h"
#include "dynamics/joint_configuration.h"
#include "dynamics/kinematics.h"
#include "math/so3.h"

namespace ricochet {
namespace {

constexpr int kSignRounds = 12;

[[noreturn]] void Refuse(const SourcePosition& where, const std::string& path, const std::string& what,
                         const std::string& remedy) {
  throw InputError(where, path, fmt::format("minimal coordinates do not support {}.", what), remedy);
}

template <class T>
Eigen::Matrix<T, 3, 3> TurnAboutThird(const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle), s = sin(angle);
  Eigen::Matrix<T, 3, 3> R;
  R << c, -s, T(0), s, c, T(0), T(0), T(0), T(1);
  return R;
}

bool HasAir(const TreeConstants<double>::Link& link) { return link.drag_linear != 0 || link.drag_quadratic != 0; }

/// Coefficient of dry friction at a rate, and its derivative by the rate.
template <class T>
T Coefficient(const typename TreeConstants<T>::Link& link, bool stribeck, const T& rate) {
  using std::exp;
  if (!stribeck) return link.friction;
  const T ratio = rate / link.stribeck_rate;
  return link.friction + (link.static_friction - link.friction) * exp(-ratio * ratio);
}

}  // namespace

TreeMechanism::TreeMechanism(const Model& model) {
  const Scene& scene = *model.scene;
  if (scene.joints.empty())
    Refuse({scene.file, 0, 0}, "joints", "scenes without joints", "Use trajectory for free bodies.");
  std::vector<char> placed;
  for (const Body& body : scene.bodies) placed.push_back(body.fixed);
  const PlacementPlan plan = PlanPlacement(scene, placed);
  if (!plan.unplaced.empty()) {
    const Body& body = scene.bodies[static_cast<std::size_t>(plan.unplaced.front())];
    Refuse(body.where, "bodies." + body.name, "free bodies", "Join it to the world.");
  }
  if (!plan.loops.empty()) {
    const Joint& joint = scene.joints[static_cast<std::size_t>(plan.loops.front())];
    Refuse(joint.where, "joints." + joint.name, "closed loops", "Open the loop.");
  }
  for (const Action& action : scene.actions)
    Refuse(action.where, "actions", "loads from actions", "Drive the joints by motors.");
  if (!model.spatial.pairs.empty())
    Refuse({scene.file, 0, 0}, "bodies", fmt::format("contacts ({})", model.PairName(0)),
           "Remove the shapes where nothing touches in the recording.");
  bool any_fixed = false;
  for (const Body& body : scene.bodies) any_fixed = any_fixed || body.fixed;
  State start;
  if (any_fixed) start = InitialState(model);
  std::vector<int> link_of_body(scene.bodies.size(), -1);
  for (const PlacementPlan::Step& step : plan.steps) {
    const Joint& joint = scene.joints[static_cast<std::size_t>(step.joint)];
    const SpatialJoint<double>& compiled = model.spatial.joints[static_cast<std::size_t>(step.joint)];
    const std::string path = "joints." + joint.name;
    if (joint.type != JointType::kHinge && joint.type != JointType::kSlider && joint.type != JointType::kFixed)
      Refuse(joint.where, path, "joints other than hinge, slider and fixed", "Replace it by hinges.");
    if (joint.type == JointType::kSlider && joint.dry)
      Refuse(joint.where, path, "dry friction of sliders", "Use viscous friction.");
    if (static_cast<int>(links_.size()) == kTreeMost)
      Refuse(joint.where, path, fmt::format("more than {} joints", kTreeMost), "Identify a part of the mechanism.");
    TreeLink link;
    link.joint = step.joint;
    link.forward = step.forward;
    link.body = step.forward ? compiled.child : compiled.parent;
    const int near = step.forward ? compiled.parent : compiled.child;
    link.slider = joint.type == JointType::kSlider;
    link.dry = compiled.has_dry;
    link.l1 = compiled.dry_norm == DryNorm::kL1;
    link.stribeck = compiled.has_stribeck;
    link.motor = compiled.has_motor;
    link.drive = compiled.has_drive;
    link.input = compiled.motor_input;
    if (near >= 0 && scene.bodies[static_cast<std::size_t>(near)].fixed) {
      link.p_near = start.q.segment<3>(7 * near);
      link.R_near = RotationMatrix<double>(Quaternion<double>(start.q.segment<4>(7 * near + 3)));
    } else if (near >= 0) {
      link.near = link_of_body[static_cast<std::size_t>(near)];
      const TreeLink& carrier = links_[static_cast<std::size_t>(link.near)];
      link.path = carrier.path;
      link.path_size = carrier.path_size;
    }
    const int index = static_cast<int>(links_.size());
    if (joint.type != JointType::kFixed) {
      link.dof = dof();
      joint_of_dof_.push_back(step.joint);
      link_of_dof_.push_back(index);
      link.path[static_cast<std::size_t>(link.path_size++)] = index;
    }
    link_of_body[static_cast<std::size_t>(link.body)] = index;
    links_.push_back(link);
  }
}

bool TreeMechanism::IsDry(const TreeConstants<double>& constants, int dof) const {
  const std::size_t link = static_cast<std::size_t>(link_of_dof_[static_cast<std::size_t>(dof)]);
  return links_[link].dry && (constants.links[link].friction > 0 || constants.links[link].static_friction > 0);
}

void SolveTreeSystem(const std::array<std::array<double, kTreeMost>, kTreeMost>& given, int n, double* b,
                     int columns) {
  if (n == 1) {
    for (int c = 0; c < columns; ++c) b[c] /= given[0][0];
    return;
  }
  std::array<std::array<double, kTreeMost>, kTreeMost> A;
  for (int i = 0; i < n; ++i) std::copy_n(given[i].begin(), n, A[i].begin());
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
    if (pivot != k) {
      std::swap(A[k], A[pivot]);
      std::swap_ranges(b + k * columns, b + (k + 1) * columns, b + pivot * columns);
    }
    for (int i = k + 1; i < n; ++i) {
      const double factor = A[i][k] / A[k][k];
      if (factor == 0) continue;
      for (int j = k + 1; j < n; ++j) A[i][j] -= factor * A[k][j];
      for (int c = 0; c < columns; ++c) b[i * columns + c] -= factor * b[k * columns + c];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j)
      for (int c = 0; c < columns; ++c) b[i * columns + c] -= A[i][j] * b[j * columns + c];
    for (int c = 0; c < columns; ++c) b[i * columns + c] /= A[i][i];
  }
}

void TreeMechanism::Move(const TreeConstants<double>& constants, const double* x, const double* r,
                         TreeWorkspace& ws) const {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const TreeLink& link = links_[i];
    const TreeConstants<double>::Link& numbers = constants.links[i];
    TreeWorkspace::Link& at = ws.link[i];
    const bool rooted = link.near < 0;  // to what does not move
    const Eigen::Matrix3d& R_near = rooted ? link.R_near : ws.link[static_cast<std::size_t>(link.near)].R;
    if (!rooted) {
      const TreeWorkspace::Link& near = ws.link[static_cast<std::size_t>(link.near)];
      at.c_near = near.c;
      at.w_near = near.w;
      at.v_near = near.v;
      at.alpha_near = near.alpha;
      at.acc_near = near.acc;
    } else {
      at.c_near = link.p_near;
      at.w_near.setZero();
      at.v_near.setZero();
      at.alpha_near.setZero();
      at.acc_near.setZero();
    }
    const Eigen::Matrix3d F = R_near * numbers.near_frame;
    const double sign = link.forward ? 1.0 : -1.0;
    const double coordinate = link.dof >= 0 ? x[link.dof] : 0.0, rate = link.dof >= 0 ? r[link.dof] : 0.0;
    at.z = sign * F.col(2);
    at.child = F;
    if (link.dof >= 0 && !link.slider) {
      // Columns of F turned about the third.
      const double c = std::cos(coordinate), s = sign * std::sin(coordinate);
      Eigen::Matrix3d turned;
      turned.col(0) = c * F.col(0) + s * F.col(1);
      turned.col(1) = c * F.col(1) - s * F.col(0);
      turned.col(2) = F.col(2);
      at.R.noalias() = turned * numbers.far_frame.transpose();
      if (link.forward) at.child = turned;
    } else {
      at.R.noalias() = F * numbers.far_frame.transpose();
    }
    const Eigen::Vector3d arm = R_near * numbers.near_point;
    at.o = at.c_near + arm;
    Eigen::Vector3d reach = arm, slide = Eigen::Vector3d::Zero(), coriolis = Eigen::Vector3d::Zero();
    at.w = at.w_near;
    at.alpha = at.alpha_near;
    if (link.dof >= 0 && link.slider) {
      reach += at.z * coordinate;
      slide = at.z * rate;
      if (!rooted) coriolis = 2 * rate * at.w_near.cross(at.z);
    } else if (link.dof >= 0) {
      at.w += at.z * rate;
      if (!rooted) at.alpha += rate * at.w_near.cross(at.z);
    }
    const Eigen::Vector3d d = -(at.R * numbers.far_point), turning = at.w.cross(d);
    at.c = at.c_near + reach + d;
    at.v = slide + turning;
    at.acc = coriolis + at.w.cross(turning);
    if (!rooted) {
      const Eigen::Vector3d carried = at.w_near.cross(reach);
      at.v += at.v_near + carried;
      at.acc += at.acc_near + at.alpha_near.cross(reach) + at.w_near.cross(carried) + at.alpha.cross(d);
    }
    at.drag = HasAir(numbers) ? ResistanceOfAir<double>(numbers.drag_linear, numbers.drag_quadratic, at.v).force
                              : Eigen::Vector3d::Zero();
    const Eigen::Matrix3d& inertia = numbers.inertia;
    if (inertia(1, 0) == 0 && inertia(2, 0) == 0 && inertia(2, 1) == 0) {
      const Eigen::Matrix3d scaled = at.R * inertia.diagonal().asDiagonal();
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b <= a; ++b)
          at.I(a, b) = at.I(b, a) = scaled(a, 0) * at.R(b, 0) + scaled(a, 1) * at.R(b, 1) + scaled(a, 2) * at.R(b, 2);
    } else {
      at.I.noalias() = at.R * inertia * at.R.transpose();
    }
  }
}

void TreeMechanism::Accelerate(const TreeConstants<double>& constants, const double* x, const double* r,
                               std::span<const double> u, const Modes& modes, double* a, TreeWorkspace& ws) const {
  const int n = dof();
  Move(constants, x, r, ws);
  for (int k = 0; k < n; ++k) {
    TreeWorkspace::Dof& dof = ws.dof[k];
    dof.F0.setZero();
    dof.M0.setZero();
    for (int j = 0; j < n; ++j) {
      dof.FU[j].setZero();
      dof.MU[j].setZero();
    }
  }
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const TreeLink& link = links_[i];
    const TreeWorkspace::Link& at = ws.link[i];
    const Eigen::Vector3d f = constants.links[i].mass * (at.acc - constants.gravity) + at.drag;
    Eigen::Vector3d n0 = at.w.cross(at.I * at.w);
    if (link.near >= 0) n0 += at.I * at.alpha;
    for (int p = 0; p < link.path_size; ++p) {
      const TreeLink& joint_k = links_[static_cast<std::size_t>(link.path[p])];
      const TreeWorkspace::Link& at_k = ws.link[static_cast<std::size_t>(link.path[p])];
      TreeWorkspace::Dof& dof = ws.dof[joint_k.dof];
      const Eigen::Vector3d arm = at.c - at_k.o;
      dof.F0 += f;
      dof.M0 += n0 + arm.cross(f);
    }
    for (int q = 0; q < link.path_size; ++q) {
      const TreeLink& joint_j = links_[static_cast<std::size_t>(link.path[q])];
      const TreeWorkspace::Link& at_j = ws.link[static_cast<std::size_t>(link.path[q])];
      Eigen::Vector3d fu, nu;
      if (joint_j.slider) {
        fu = constants.links[i].mass * at_j.z;
        nu.setZero();
      } else {
        fu = constants.links[i].mass * at_j.z.cross(at.c - at_j.o);
        nu = at.I * at_j.z;
      }
      for (int p = 0; p < link.path_size; ++p) {
        const TreeLink& joint_k = links_[static_cast<std::size_t>(link.path[p])];
        TreeWorkspace::Dof& dof = ws.dof[joint_k.dof];
        dof.FU[joint_j.dof] += fu;
        dof.MU[joint_j.dof] += nu + (at.c - ws.link[static_cast<std::size_t>(link.path[p])].o).cross(fu);
      }
    }
  }
  // With the directions of the state before, or without friction first; then with those found, until they repeat.
  bool dry = false, guessed = true;
  for (int k = 0; k < n; ++k) {
    TreeWorkspace::Dof& dof = ws.dof[k];
    const bool is_dry = IsDry(constants, k);
    dry = dry || is_dry;
    if (is_dry && dof.known) {
      const std::size_t index = static_cast<std::size_t>(link_of_dof_[static_cast<std::size_t>(k)]);
      const Eigen::Matrix3d& child = ws.link[index].child;
      dof.gM = dof.across[0] * child.col(0) + dof.across[1] * child.col(1);
      dof.mu = Coefficient<double>(constants.links[index], links_[index].stribeck, modes[k] == 0 ? 0.0 : r[k]);
      continue;
    }
    guessed = guessed && !is_dry;
    dof.gF.setZero();
    dof.gM.setZero();
    dof.mu = 0;
  }
  for (int round = 0; round <= kSignRounds; ++round) {
    std::array<double, kTreeMost> right{};
    for (int k = 0; k < n; ++k) {
      const std::size_t index = static_cast<std::size_t>(link_of_dof_[static_cast<std::size_t>(k)]);
      const TreeConstants<double>::Link& numbers = constants.links[index];
      TreeWorkspace::Dof& dof = ws.dof[k];
      const double weight = modes[k] * dof.mu;
      dof.wF = weight * dof.gF;
      dof.wM = weight * dof.gM;
      (links_[index].slider ? dof.wF : dof.wM) += ws.link[index].z;
      const bool sticks = modes[k] == 0;
      for (int j = 0; j < n; ++j)
        ws.Ea[k][j] = sticks ? (j == k ? 1.0 : 0.0) : dof.wF.dot(dof.FU[j]) + dof.wM.dot(dof.MU[j]);
      if (sticks) continue;
      ws.Ea[k][k] += numbers.shaft;
      right[k] = -(dof.wF.dot(dof.F0) + dof.wM.dot(dof.M0)) - numbers.viscous * r[k] - modes[k] * numbers.coulomb;
      if (links_[index].motor && links_[index].input < static_cast<int>(u.size()))
        right[k] += numbers.gain * u[static_cast<std::size_t>(links_[index].input)];
      if (links_[index].drive)
        right[k] += numbers.stiffness * (numbers.target - x[k]) + numbers.damping * (numbers.rate - r[k]);
    }
    SolveTreeSystem(ws.Ea, n, right.data(), 1);
    std::copy_n(right.begin(), n, a);
    if (!dry || round == kSignRounds) break;
    bool same = guessed || round > 0;
    for (int k = 0; k < n; ++k) {
      if (!IsDry(constants, k)) continue;
      const Eigen::Vector3d gF = ws.dof[k].gF, gM = ws.dof[k].gM;
      SetFriction(constants, k, a, r, modes[k], ws);
      const double moved =
          (gF - ws.dof[k].gF).lpNorm<Eigen::Infinity>() + (gM - ws.dof[k].gM).lpNorm<Eigen::Infinity>();
      if (modes[k] != 0 && moved > 1e-13) same = false;
    }
    if (same) break;
  }
  for (int k = 0; k < n; ++k) {
    if (modes[k] != 0) continue;
    const std::size_t index = static_cast<std::size_t>(link_of_dof_[static_cast<std::size_t>(k)]);
    const TreeConstants<double>::Link& numbers = constants.links[index];
    TreeWorkspace::Dof& dof = ws.dof[k];
    double E = dof.F0.dot(dof.wF) + dof.M0.dot(dof.wM);
    for (int j = 0; j < n; ++j) E += (dof.wF.dot(dof.FU[j]) + dof.wM.dot(dof.MU[j])) * a[j];
    if (links_[index].motor && links_[index].input < static_cast<int>(u.size()))
      E -= numbers.gain * u[static_cast<std::size_t>(links_[index].input)];
    if (links_[index].drive) E -= numbers.stiffness * (numbers.target - x[k]) + numbers.damping * numbers.rate;
    ws.E[static_cast<std::size_t>(k)] = E;
  }
}

void TreeMechanism::SetFriction(const TreeConstants<double>& constants, int k, const double* a, const double* r,
                                int mode, TreeWorkspace& ws) const {
  const std::size_t index = static_cast<std::size_t>(link_of_dof_[static_cast<std::size_t>(k)]);
  const TreeLink& link = links_[index];
  const TreeWorkspace::Link& at = ws.link[index];
  TreeWorkspace::Dof& dof = ws.dof[k];
  dof.F = dof.F0;
  dof.M = dof.M0;
  for (int j = 0; j < this->dof(); ++j) {
    dof.F += dof.FU[j] * a[j];
    dof.M += dof.MU[j] * a[j];
  }
  // The child's two axes across the hinge.
  const Eigen::Matrix3d& child = at.child;
  const double radius = constants.links[index].radius, first = child.col(0).dot(dof.M),
               second = child.col(1).dot(dof.M);
  dof.reaction = {dof.F[0], dof.F[1], dof.F[2], first, second};
  if (link.l1) {
    for (int i = 0; i < 3; ++i) dof.gF[i] = dof.F[i] < 0 ? -radius : radius;
    dof.across = {first < 0 ? -1.0 : 1.0, second < 0 ? -1.0 : 1.0};
  } else {
    const double force = dof.F.norm(), moment = std::hypot(first, second);
    dof.gF = force > 0 ? Eigen::Vector3d(dof.F * (radius / force)) : Eigen::Vector3d::Zero();
    dof.across = {moment > 0 ? first / moment : 0.0, moment > 0 ? second / moment : 0.0};
  }
  dof.gM = dof.across[0] * child.col(0) + dof.across[1] * child.col(1);
  dof.known = true;
  dof.beta = dof.gF.dot(dof.F) + dof.gM.dot(dof.M);
  dof.mu = Coefficient<double>(constants.links[index], link.stribeck, mode == 0 ? 0.0 : r[k]);
}

double TreeMechanism::StickingSlack(const TreeConstants<double>& constants, int dof, const TreeWorkspace& ws,
                                    double& torque) const {
  const std::size_t k = static_cast<std::size_t>(dof);
  torque = -ws.E[k];
  const double constant = constants.links[static_cast<std::size_t>(link_of_dof_[k])].coulomb;
  return constant + ws.dof[k].mu * ws.dof[k].beta - std::abs(torque);
}

template <class T>
void TreeMechanism::TreeResidual(const TreeConstants<T>& constants, const T* x, const T* r, const T* a,
                                 std::span<const double> u, const Modes& modes, T* E) const {
  using std::abs;
  using std::sqrt;
  using V = Eigen::Matrix<T, 3, 1>;
  using M3 = Eigen::Matrix<T, 3, 3>;
  struct At {
    M3 R, F;
    V c, o, z, w, v, alpha, acc, f, n;
  };
  std::array<At, kTreeMost> at;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const TreeLink& link = links_[i];
    const typename TreeConstants<T>::Link& numbers = constants.links[i];
    M3 R_near = link.R_near.cast<T>();
    V c = link.p_near.cast<T>(), w = V::Zero(), v = V::Zero(), alpha = V::Zero(), acc = V::Zero();
    if (link.near >= 0) {
      const At& near = at[static_cast<std::size_t>(link.near)];
      R_near = near.R, c = near.c, w = near.w, v = near.v, alpha = near.alpha, acc = near.acc;
    }
    At& to = at[i];
    to.F = R_near * numbers.near_frame;
    const T sign(link.forward ? 1.0 : -1.0);
    to.z = to.F.col(2) * sign;
    V reach = R_near * numbers.near_point;
    to.o = c + reach;
    acc += alpha.cross(reach) + w.cross(w.cross(reach));
    v += w.cross(reach);
    M3 turn = M3::Identity();
    if (link.dof >= 0 && link.slider) {
      const V step = to.z * x[link.dof];
      acc += alpha.cross(step) + w.cross(w.cross(step)) + w.cross(to.z) * (T(2) * r[link.dof]) + to.z * a[link.dof];
      v += w.cross(step) + to.z * r[link.dof];
      reach += step;
    } else if (link.dof >= 0) {
      turn = TurnAboutThird<T>(sign * x[link.dof]);
      alpha += to.z * a[link.dof] + w.cross(to.z) * r[link.dof];
      w += to.z * r[link.dof];
    }
    to.R = to.F * turn * numbers.far_frame.transpose();
    const V d = -(to.R * numbers.far_point);
    to.c = c + reach + d;
    to.w = w;
    to.v = v + w.cross(d);
    to.alpha = alpha;
    to.acc = acc + alpha.cross(d) + w.cross(w.cross(d));
    const M3 I = to.R * numbers.inertia * to.R.transpose();
    to.f = (to.acc - constants.gravity) * numbers.mass +
           ResistanceOfAir<T>(numbers.drag_linear, numbers.drag_quadratic, to.v).force;
    const V Iw = I * w;
    to.n = I * alpha + w.cross(Iw);
  }
  for (int k = 0; k < dof(); ++k) {
    const std::size_t index = static_cast<std::size_t>(link_of_dof_[static_cast<std::size_t>(k)]);
    const TreeLink& link = links_[index];
    const typename TreeConstants<T>::Link& numbers = constants.links[index];
    V F = V::Zero(), M = V::Zero();
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto end = links_[i].path.begin() + links_[i].path_size;
      if (std::find(links_[i].path.begin(), end, static_cast<int>(index)) == end) continue;
      F += at[i].f;
      const V arm = at[i].c - at[index].o;
      M += at[i].n + arm.cross(at[i].f);
    }
    E[k] = (link.slider ? at[index].z.dot(F) : at[index].z.dot(M)) + numbers.shaft * a[k] + numbers.viscous * r[k];
    if (link.motor && link.input < static_cast<int>(u.size()))
      E[k] -= numbers.gain * u[static_cast<std::size_t>(link.input)];
    if (link.drive) E[k] -= numbers.stiffness * (numbers.target - x[k]) + numbers.damping * (numbers.rate - r[k]);
    E[k] += T(static_cast<double>(modes[k])) * numbers.coulomb;
    if (!link.dry) continue;
    const M3 child = link.forward ? M3(at[index].R * numbers.far_frame) : at[index].F;
    const T first = child.col(0).dot(M), second = child.col(1).dot(M);
    const T force = link.l1 ? T(abs(F[0]) + abs(F[1]) + abs(F[2])) : T(sqrt(F.squaredNorm()));
    const T moment = link.l1 ? T(abs(first) + abs(second)) : T(sqrt(first * first + second * second));
    E[k] += T(static_cast<double>(modes[k])) * Coefficient<T>(numbers, link.stribeck, r[k]) *
            (numbers.radius * force + moment);
  }
}

template void TreeMechanism::TreeResidual<double>(const TreeConstants<double>&, const double*, const double*,
                                                  const double*, std::span<const double>, const Modes&, double*) const;
template void TreeMechanism::TreeResidual<Jet<1>>(const TreeConstants<Jet<1>>&, const Jet<1>*, const Jet<1>*,
                                                  const Jet<1>*, std::span<const double>, const Modes&, Jet<1>*) const;

}  // namespace ricochet
