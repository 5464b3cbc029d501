// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <Eigen/Geometry>
#include <cmath>
#include <utility>

#include "dynamics/drag.h"
#include "dynamics/tree/tree_mechanism.h"

namespace ricochet {
namespace {

Eigen::Matrix3d DerivativeOf(const Eigen::Matrix<Jet<1>, 3, 3>& m) {
  Eigen::Matrix3d out;
  for (int i = 0; i < 9; ++i) out(i / 3, i % 3) = m(i / 3, i % 3).v[0];
  return out;
}

Eigen::Vector3d DerivativeOf(const Eigen::Matrix<Jet<1>, 3, 1>& m) { return {m[0].v[0], m[1].v[0], m[2].v[0]}; }

using Numbers = TreeConstants<double>::Link;
using JetNumbers = TreeConstants<Jet<1>>::Link;

/// Numbers of a link that are scalars.
constexpr std::pair<double Numbers::*, Jet<1> JetNumbers::*> kNumbers[] = {
    {&Numbers::mass, &JetNumbers::mass},
    {&Numbers::viscous, &JetNumbers::viscous},
    {&Numbers::coulomb, &JetNumbers::coulomb},
    {&Numbers::friction, &JetNumbers::friction},
    {&Numbers::radius, &JetNumbers::radius},
    {&Numbers::static_friction, &JetNumbers::static_friction},
    {&Numbers::stribeck_rate, &JetNumbers::stribeck_rate},
    {&Numbers::gain, &JetNumbers::gain},
    {&Numbers::shaft, &JetNumbers::shaft},
    {&Numbers::stiffness, &JetNumbers::stiffness},
    {&Numbers::damping, &JetNumbers::damping},
    {&Numbers::target, &JetNumbers::target},
    {&Numbers::rate, &JetNumbers::rate},
    {&Numbers::drag_linear, &JetNumbers::drag_linear},
    {&Numbers::drag_quadratic, &JetNumbers::drag_quadratic},
};

}  // namespace

TreeParameter TreeMechanism::Effect(const TreeConstants<Jet<1>>& constants) const {
  TreeParameter out;
  out.gravity = DerivativeOf(constants.gravity);
  out.any_gravity = out.gravity != Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const TreeConstants<Jet<1>>::Link& link = constants.links[i];
    TreeParameter::Link by;
    by.index = static_cast<int>(i);
    by.near_frame = DerivativeOf(link.near_frame);
    by.far_frame = DerivativeOf(link.far_frame);
    out.turns = out.turns || by.near_frame != Eigen::Matrix3d::Zero() || by.far_frame != Eigen::Matrix3d::Zero();
    by.near_point = DerivativeOf(link.near_point);
    by.far_point = DerivativeOf(link.far_point);
    by.inertia = DerivativeOf(link.inertia);
    by.moves = by.near_point != Eigen::Vector3d::Zero() || by.far_point != Eigen::Vector3d::Zero();
    by.weighs = by.inertia != Eigen::Matrix3d::Zero();
    bool acts = by.moves || by.weighs;
    for (const auto& number : kNumbers) {
      by.*number.first = (link.*number.second).v[0];
      acts = acts || by.*number.first != 0;
    }
    out.any_point = out.any_point || by.moves;
    if (acts) out.links.push_back(by);
  }
  if (out.turns) out.constants = constants;
  out.none = !out.turns && !out.any_gravity && out.links.empty();
  return out;
}

void TreeMechanism::AddAccelerations(const TreeConstants<double>& constants, const double* a, TreeWorkspace& ws) const {
  const int n = dof();
  for (int k = 0; k < n; ++k) {
    ws.dof[k].F = ws.dof[k].F0;
    ws.dof[k].M = ws.dof[k].M0;
    for (int j = 0; j < n; ++j) {
      ws.dof[k].F += ws.dof[k].FU[j] * a[j];
      ws.dof[k].M += ws.dof[k].MU[j] * a[j];
    }
  }
  for (std::size_t i = 0; i < links_.size(); ++i) {
    TreeWorkspace::Link& at = ws.link[i];
    for (int p = 0; p < links_[i].path_size; ++p) {
      const TreeLink& joint = links_[static_cast<std::size_t>(links_[i].path[p])];
      const TreeWorkspace::Link& at_j = ws.link[static_cast<std::size_t>(links_[i].path[p])];
      if (joint.slider) {
        at.acc += at_j.z * a[joint.dof];
      } else {
        at.alpha += at_j.z * a[joint.dof];
        at.acc += at_j.z.cross(at.c - at_j.o) * a[joint.dof];
      }
    }
    at.f = constants.links[i].mass * (at.acc - constants.gravity) + at.drag;
    at.n = at.I * at.alpha + at.w.cross(at.I * at.w);
    if (links_[i].near >= 0) {
      const TreeWorkspace::Link& near = ws.link[static_cast<std::size_t>(links_[i].near)];
      at.alpha_near = near.alpha;
      at.acc_near = near.acc;
    }
  }
}

void TreeMechanism::ByState(const TreeConstants<double>& constants, const double* r, const Modes& modes,
                            TreeWorkspace& ws, TreeRows& out) const {
  const int n = dof();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const TreeLink& link = links_[i];
    const TreeWorkspace::Link& at = ws.link[i];
    const double m = constants.links[i].mass;
    const Eigen::Vector3d Iw = at.I * at.w, Ialpha = at.I * at.alpha;
    const bool air = constants.links[i].drag_linear != 0 || constants.links[i].drag_quadratic != 0;
    Eigen::Matrix3d by_v = Eigen::Matrix3d::Zero();
    if (air)
      by_v = ResistanceOfAir<double>(constants.links[i].drag_linear, constants.links[i].drag_quadratic, at.v).by_v;
    for (int q = 0; q < link.path_size; ++q) {
      const int index_l = link.path[q];
      const TreeLink& joint_l = links_[static_cast<std::size_t>(index_l)];
      const TreeWorkspace::Link& l = ws.link[static_cast<std::size_t>(index_l)];
      const Eigen::Vector3d &z = l.z, &wn = l.w_near;
      // Motion of what carries joint l at the place of body i.
      const Eigen::Vector3d from_near = at.c - l.c_near;
      Eigen::Vector3d dc, df_x, dn_x, df_r, dn_r;
      if (joint_l.slider) {
        dc = z;
        df_x = m * (l.alpha_near.cross(z) + wn.cross(wn.cross(z)));
        dn_x.setZero();
        df_r = 2 * m * wn.cross(z);
        dn_r.setZero();
        if (air) df_x += by_v * wn.cross(z);
      } else {
        const Eigen::Vector3d v_rel = at.v - l.v_near - wn.cross(from_near);
        const Eigen::Vector3d a_rel =
            at.acc - l.acc_near - l.alpha_near.cross(from_near) - wn.cross(wn.cross(from_near)) - 2 * wn.cross(v_rel);
        const Eigen::Vector3d w_rel = at.w - wn;
        const Eigen::Vector3d alpha_rel = at.alpha - l.alpha_near - wn.cross(w_rel);
        dc = z.cross(at.c - l.o);
        const Eigen::Vector3d dw = z.cross(w_rel);
        const Eigen::Vector3d dalpha = wn.cross(dw) + z.cross(alpha_rel);
        df_x = m * (l.alpha_near.cross(dc) + wn.cross(wn.cross(dc)) + 2 * wn.cross(z.cross(v_rel)) + z.cross(a_rel));
        dn_x = z.cross(Ialpha) + at.I * (dalpha - z.cross(at.alpha)) + dw.cross(Iw) +
               at.w.cross(z.cross(Iw) + at.I * (dw - z.cross(at.w)));
        const Eigen::Vector3d dalpha_r = wn.cross(z) + z.cross(w_rel);
        df_r = 2 * m * (wn.cross(dc) + z.cross(v_rel));
        dn_r = at.I * dalpha_r + z.cross(Iw) + at.w.cross(at.I * z);
        if (air) df_x += by_v * (wn.cross(dc) + z.cross(v_rel));
      }
      if (air) df_r += by_v * dc;
      for (int p = 0; p < link.path_size; ++p) {
        const TreeLink& joint_k = links_[static_cast<std::size_t>(link.path[p])];
        const int k = joint_k.dof;
        if (modes[k] == 0) continue;
        const TreeWorkspace::Dof& dof = ws.dof[k];
        const Eigen::Vector3d arm = at.c - ws.link[static_cast<std::size_t>(link.path[p])].o;
        Eigen::Vector3d darm = dc;
        if (q <= p) darm = joint_l.slider ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : Eigen::Vector3d(z.cross(arm));
        out(k, joint_l.dof) += dof.wF.dot(df_x) + dof.wM.dot(dn_x + darm.cross(at.f) + arm.cross(df_x));
        out(k, n + joint_l.dof) += dof.wF.dot(df_r) + dof.wM.dot(dn_r + arm.cross(df_r));
      }
    }
  }
  // Axes that turn with the joints before them.
  for (int k = 0; k < n; ++k) {
    if (modes[k] == 0) continue;
    const std::size_t index = static_cast<std::size_t>(link_of_dof_[static_cast<std::size_t>(k)]);
    const TreeLink& link = links_[index];
    const TreeConstants<double>::Link& numbers = constants.links[index];
    const TreeWorkspace::Dof& dof = ws.dof[k];
    const Eigen::Vector3d axis = link.slider ? Eigen::Vector3d::Zero() : ws.link[index].z;
    for (int q = 0; q < link.path_size; ++q) {
      const TreeLink& joint_l = links_[static_cast<std::size_t>(link.path[q])];
      if (joint_l.slider) continue;
      const Eigen::Vector3d& z = ws.link[static_cast<std::size_t>(link.path[q])].z;
      const bool turns = joint_l.dof != k || link.forward;  // the child's axes
      const Eigen::Vector3d carried = turns ? dof.wM : axis;
      out(k, joint_l.dof) += z.cross(carried).dot(dof.M);
      if (link.slider) out(k, joint_l.dof) += z.cross(ws.link[index].z).dot(dof.F);
    }
    out(k, n + k) += numbers.viscous;
    if (link.drive) {
      out(k, k) += numbers.stiffness;
      out(k, n + k) += numbers.damping;
    }
    if (link.stribeck) {
      const double ratio = r[k] / numbers.stribeck_rate;
      out(k, n + k) += modes[k] * dof.beta * (numbers.static_friction - numbers.friction) * std::exp(-ratio * ratio) *
                       (-2 * ratio / numbers.stribeck_rate);
    }
  }
}

/// Points of joints that move in their bodies: everything beyond is displaced by a sum of vectors that are fixed in the
/// bodies on the way, while axes and rotations stay.
void TreeMechanism::ByPoints(const TreeConstants<double>& constants, const TreeParameter& parameter, const Modes& modes,
                             const TreeWorkspace& ws, Eigen::Index column, TreeRows& out) const {
  struct Shift {
    Eigen::Vector3d c, o, v, acc;
    bool any = false;
  };
  std::array<Shift, kTreeMost> shift;
  auto change = parameter.links.begin();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const TreeLink& link = links_[i];
    const TreeWorkspace::Link& at = ws.link[i];
    Shift& by = shift[i];
    if (link.near >= 0 && shift[static_cast<std::size_t>(link.near)].any) {
      by = shift[static_cast<std::size_t>(link.near)];
    } else {
      by.c.setZero(), by.v.setZero(), by.acc.setZero();
    }
    by.o = by.c;
    while (change != parameter.links.end() && change->index < static_cast<int>(i)) ++change;
    if (change != parameter.links.end() && change->index == static_cast<int>(i) && change->moves) {
      by.any = true;
      const Eigen::Vector3d far = -(at.R * change->far_point), far_turning = at.w.cross(far);
      if (link.near >= 0) {
        const TreeWorkspace::Link& carrier = ws.link[static_cast<std::size_t>(link.near)];
        const Eigen::Vector3d near = carrier.R * change->near_point, turning = carrier.w.cross(near);
        by.o += near;
        by.v += turning;
        by.acc += carrier.alpha.cross(near) + carrier.w.cross(turning);
      } else {
        by.o += link.R_near * change->near_point;
      }
      by.c = by.o + far;
      by.v += far_turning;
      by.acc += at.alpha.cross(far) + at.w.cross(far_turning);
    }
    if (!by.any) continue;
    const TreeConstants<double>::Link& numbers = constants.links[i];
    Eigen::Vector3d df = numbers.mass * by.acc;
    if (numbers.drag_linear != 0 || numbers.drag_quadratic != 0)
      df += ResistanceOfAir<double>(numbers.drag_linear, numbers.drag_quadratic, at.v).by_v * by.v;
    for (int s = 0; s < link.path_size; ++s) {
      const std::size_t joint = static_cast<std::size_t>(link.path[s]);
      const int k = links_[joint].dof;
      if (modes[k] == 0) continue;
      Eigen::Vector3d moved = by.c;
      if (shift[joint].any) moved -= shift[joint].o;
      const Eigen::Vector3d arm = at.c - ws.link[joint].o;
      out(k, column) += ws.dof[k].wF.dot(df) + ws.dof[k].wM.dot(moved.cross(at.f) + arm.cross(df));
    }
  }
}

void TreeMechanism::ByParameters(const TreeConstants<double>& constants, const double* x, const double* r,
                                 const double* a, std::span<const double> u, const Modes& modes,
                                 std::span<const TreeParameter> parameters, const TreeWorkspace& ws, int first,
                                 TreeRows& out) const {
  const int n = dof();
  struct Turning {
    Eigen::Vector3d w, alpha;  // in the axes of the body
    bool known = false;
  };
  std::array<Turning, kTreeMost> turnings;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const TreeParameter& parameter = parameters[p];
    const Eigen::Index column = first + static_cast<Eigen::Index>(p);
    if (parameter.none) continue;
    if (parameter.turns) {
      std::array<Jet<1>, kTreeMost> xj, rj, aj, E;
      for (int k = 0; k < n; ++k) xj[k] = Jet<1>(x[k]), rj[k] = Jet<1>(r[k]), aj[k] = Jet<1>(a[k]);
      TreeResidual<Jet<1>>(parameter.constants, xj.data(), rj.data(), aj.data(), u, modes, E.data());
      for (int k = 0; k < n; ++k)
        if (modes[k] != 0) out(k, column) += E[k].v[0];
      continue;
    }
    if (parameter.any_point) ByPoints(constants, parameter, modes, ws, column, out);
    const auto add_force = [&](std::size_t i, const Eigen::Vector3d& df) {
      for (int s = 0; s < links_[i].path_size; ++s) {
        const int k = links_[static_cast<std::size_t>(links_[i].path[s])].dof;
        if (modes[k] == 0) continue;
        const Eigen::Vector3d arm = ws.link[i].c - ws.link[static_cast<std::size_t>(links_[i].path[s])].o;
        out(k, column) += ws.dof[k].wF.dot(df) + ws.dof[k].wM.dot(arm.cross(df));
      }
    };
    if (parameter.any_gravity)
      for (std::size_t i = 0; i < links_.size(); ++i) add_force(i, -constants.links[i].mass * parameter.gravity);
    for (const TreeParameter::Link& d : parameter.links) {
      const std::size_t i = static_cast<std::size_t>(d.index);
      const TreeConstants<double>::Link& numbers = constants.links[i];
      const TreeWorkspace::Link& at = ws.link[i];
      if (d.mass != 0) add_force(i, (at.acc - constants.gravity) * d.mass);
      if (d.drag_linear != 0 || d.drag_quadratic != 0)
        add_force(i, at.v * (d.drag_linear + d.drag_quadratic * at.v.norm()));
      if (d.weighs) {
        Turning& turning = turnings[i];
        if (!turning.known) turning = {at.R.transpose() * at.w, at.R.transpose() * at.alpha, true};
        const auto& [w, alpha, known] = turning;
        const Eigen::Vector3d dn = at.R * (d.inertia * alpha + w.cross(d.inertia * w));
        for (int s = 0; s < links_[i].path_size; ++s) {
          const int k = links_[static_cast<std::size_t>(links_[i].path[s])].dof;
          if (modes[k] != 0) out(k, column) += ws.dof[k].wM.dot(dn);
        }
      }
      const int k = links_[i].dof;
      if (k < 0 || modes[k] == 0) continue;
      double sum = d.shaft * a[k] + d.viscous * r[k] + modes[k] * d.coulomb;
      if (links_[i].motor && links_[i].input < static_cast<int>(u.size()))
        sum -= d.gain * u[static_cast<std::size_t>(links_[i].input)];
      if (links_[i].drive)
        sum -= d.stiffness * (numbers.target - x[k]) + numbers.stiffness * d.target +
               d.damping * (numbers.rate - r[k]) + numbers.damping * d.rate;
      if (links_[i].dry) {
        const TreeWorkspace::Dof& dof = ws.dof[k];
        double dmu = d.friction;
        if (links_[i].stribeck) {
          const double ratio = r[k] / numbers.stribeck_rate, share = std::exp(-ratio * ratio);
          dmu += (d.static_friction - d.friction) * share + (numbers.static_friction - numbers.friction) * share *
                                                                (2 * ratio * ratio / numbers.stribeck_rate) *
                                                                d.stribeck_rate;
        }
        const double force = links_[i].l1 ? dof.F.lpNorm<1>() : dof.F.norm();
        sum += modes[k] * (dmu * dof.beta + dof.mu * d.radius * force);
      }
      out(k, column) += sum;
    }
  }
}

void TreeMechanism::Differentiate(const TreeConstants<double>& constants, const double* x, const double* r,
                                  const double* a, std::span<const double> u, const Modes& modes,
                                  std::span<const TreeParameter> parameters, TreeWorkspace& ws,
                                  TreeRows& out) const {
  const int n = dof(), columns = 2 * n + static_cast<int>(parameters.size());
  out.setZero(n, columns);
  AddAccelerations(constants, a, ws);
  // The bound counts where its coefficient is 0 too: its derivative by the coefficient does not vanish there.
  for (int k = 0; k < n; ++k)
    if (link_of(k).dry && !IsDry(constants, k)) SetFriction(constants, k, a, r, modes[k], ws);
  ByState(constants, r, modes, ws, out);
  ByParameters(constants, x, r, a, u, modes, parameters, ws, 2 * n, out);
  out *= -1;
  SolveTreeSystem(ws.Ea, n, out.data(), columns);
}

void TreeMechanism::Residual(const TreeConstants<double>& constants, const double* x, const double* r, const double* a,
                             std::span<const double> u, const Modes& modes, std::span<const TreeParameter> parameters,
                             TreeWorkspace& ws, double* E, TreeRows* by_parameters) const {
  const int n = dof();
  Vector scratch{};
  Accelerate(constants, x, r, u, modes, scratch.data(), ws);  // for the parts that do not depend on a
  AddAccelerations(constants, a, ws);
  for (int k = 0; k < n; ++k) {
    TreeWorkspace::Dof& dof = ws.dof[k];
    if (link_of(k).dry) SetFriction(constants, k, a, r, modes[k], ws);
    const TreeLink& link = link_of(k);
    const std::size_t index = static_cast<std::size_t>(link_of_dof_[static_cast<std::size_t>(k)]);
    const TreeConstants<double>::Link& numbers = constants.links[index];
    dof.wF = modes[k] * dof.mu * dof.gF;
    dof.wM = modes[k] * dof.mu * dof.gM;
    (link.slider ? dof.wF : dof.wM) += ws.link[index].z;
    E[k] = dof.wF.dot(dof.F) + dof.wM.dot(dof.M) + numbers.shaft * a[k] + numbers.viscous * r[k] +
           modes[k] * numbers.coulomb;
    if (link.motor && link.input < static_cast<int>(u.size()))
      E[k] -= numbers.gain * u[static_cast<std::size_t>(link.input)];
    if (link.drive) E[k] -= numbers.stiffness * (numbers.target - x[k]) + numbers.damping * (numbers.rate - r[k]);
  }
  if (!by_parameters) return;
  by_parameters->setZero(n, static_cast<Eigen::Index>(parameters.size()));
  ByParameters(constants, x, r, a, u, modes, parameters, ws, 0, *by_parameters);
}

}  // namespace ricochet
