// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <Eigen/Geometry>
#include <cmath>

#include "dynamics/drag.h"
#include "dynamics/tree/tree_mechanism.h"

namespace ricochet {
namespace {

double MaxDerivative(const Eigen::Matrix<Jet<1>, 3, 3>& m) {
  double most = 0;
  for (int i = 0; i < 9; ++i) most = std::max(most, std::abs(m(i / 3, i % 3).v[0]));
  return most;
}

double MaxDerivative(const Eigen::Matrix<Jet<1>, 3, 1>& m) {
  return std::abs(m[0].v[0]) + std::abs(m[1].v[0]) + std::abs(m[2].v[0]);
}

Eigen::Matrix3d DerivativeOf(const Eigen::Matrix<Jet<1>, 3, 3>& m) {
  Eigen::Matrix3d out;
  for (int i = 0; i < 9; ++i) out(i / 3, i % 3) = m(i / 3, i % 3).v[0];
  return out;
}

}  // namespace

TreeParameter TreeMechanism::Effect(const TreeConstants<Jet<1>>& constants) const {
  TreeParameter out;
  out.constants = constants;
  out.gravity = MaxDerivative(constants.gravity) > 0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const TreeConstants<Jet<1>>::Link& link = constants.links[i];
    if (MaxDerivative(link.near_frame) + MaxDerivative(link.far_frame) + MaxDerivative(link.near_point) +
            MaxDerivative(link.far_point) >
        0)
      out.geometric = true;
    double rest = std::abs(link.mass.v[0]) + MaxDerivative(link.inertia);
    for (const Jet<1>* number : {&link.viscous, &link.coulomb, &link.drag_linear, &link.drag_quadratic, &link.friction,
                                 &link.radius, &link.static_friction, &link.stribeck_rate, &link.gain, &link.shaft,
                                 &link.stiffness, &link.damping, &link.target, &link.rate})
      rest += std::abs(number->v[0]);
    if (rest > 0) out.links.push_back(static_cast<int>(i));
  }
  out.none = !out.geometric && !out.gravity && out.links.empty();
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
                            TreeWorkspace& ws, Eigen::MatrixXd& out) const {
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

void TreeMechanism::ByParameters(const TreeConstants<double>& constants, const double* x, const double* r,
                                 const double* a, std::span<const double> u, const Modes& modes,
                                 std::span<const TreeParameter> parameters, const TreeWorkspace& ws, int first,
                                 Eigen::MatrixXd& out) const {
  const int n = dof();
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const TreeParameter& parameter = parameters[p];
    const Eigen::Index column = first + static_cast<Eigen::Index>(p);
    if (parameter.none) continue;
    if (parameter.geometric) {
      std::array<Jet<1>, kTreeMost> xj, rj, aj, E;
      for (int k = 0; k < n; ++k) xj[k] = Jet<1>(x[k]), rj[k] = Jet<1>(r[k]), aj[k] = Jet<1>(a[k]);
      TreeResidual<Jet<1>>(parameter.constants, xj.data(), rj.data(), aj.data(), u, modes, E.data());
      for (int k = 0; k < n; ++k)
        if (modes[k] != 0) out(k, column) += E[k].v[0];
      continue;
    }
    const auto add_wrench = [&](std::size_t i, const Eigen::Vector3d& df, const Eigen::Vector3d& dn) {
      for (int s = 0; s < links_[i].path_size; ++s) {
        const int k = links_[static_cast<std::size_t>(links_[i].path[s])].dof;
        if (modes[k] == 0) continue;
        const Eigen::Vector3d arm = ws.link[i].c - ws.link[static_cast<std::size_t>(links_[i].path[s])].o;
        out(k, column) += ws.dof[k].wF.dot(df) + ws.dof[k].wM.dot(dn + arm.cross(df));
      }
    };
    if (parameter.gravity) {
      const Eigen::Vector3d dg(parameter.constants.gravity[0].v[0], parameter.constants.gravity[1].v[0],
                               parameter.constants.gravity[2].v[0]);
      for (std::size_t i = 0; i < links_.size(); ++i)
        add_wrench(i, -parameter.constants.links[i].mass.a * dg, Eigen::Vector3d::Zero());
    }
    for (const int index : parameter.links) {
      const std::size_t i = static_cast<std::size_t>(index);
      const TreeConstants<Jet<1>>::Link& d = parameter.constants.links[i];
      const TreeWorkspace::Link& at = ws.link[i];
      if (d.mass.v[0] != 0) add_wrench(i, (at.acc - constants.gravity) * d.mass.v[0], Eigen::Vector3d::Zero());
      if (d.drag_linear.v[0] != 0 || d.drag_quadratic.v[0] != 0)
        add_wrench(i, at.v * (d.drag_linear.v[0] + d.drag_quadratic.v[0] * at.v.norm()), Eigen::Vector3d::Zero());
      const Eigen::Matrix3d dI = DerivativeOf(d.inertia);
      if (dI != Eigen::Matrix3d::Zero()) {
        const Eigen::Vector3d alpha = at.R.transpose() * at.alpha, w = at.R.transpose() * at.w;
        add_wrench(i, Eigen::Vector3d::Zero(), at.R * (dI * alpha + w.cross(dI * w)));
      }
      const int k = links_[i].dof;
      if (k < 0 || modes[k] == 0) continue;
      double sum = d.shaft.v[0] * a[k] + d.viscous.v[0] * r[k] + modes[k] * d.coulomb.v[0];
      if (links_[i].motor && links_[i].input < static_cast<int>(u.size()))
        sum -= d.gain.v[0] * u[static_cast<std::size_t>(links_[i].input)];
      if (links_[i].drive)
        sum -= d.stiffness.v[0] * (d.target.a - x[k]) + d.stiffness.a * d.target.v[0] +
               d.damping.v[0] * (d.rate.a - r[k]) + d.damping.a * d.rate.v[0];
      if (links_[i].dry) {
        const TreeWorkspace::Dof& dof = ws.dof[k];
        double dmu = d.friction.v[0];
        if (links_[i].stribeck) {
          const double ratio = r[k] / d.stribeck_rate.a, share = std::exp(-ratio * ratio);
          dmu += (d.static_friction.v[0] - d.friction.v[0]) * share + (d.static_friction.a - d.friction.a) * share *
                                                                          (2 * ratio * ratio / d.stribeck_rate.a) *
                                                                          d.stribeck_rate.v[0];
        }
        const double force = links_[i].l1 ? dof.F.lpNorm<1>() : dof.F.norm();
        sum += modes[k] * (dmu * dof.beta + dof.mu * d.radius.v[0] * force);
      }
      out(k, column) += sum;
    }
  }
}

void TreeMechanism::Differentiate(const TreeConstants<double>& constants, const double* x, const double* r,
                                  const double* a, std::span<const double> u, const Modes& modes,
                                  std::span<const TreeParameter> parameters, TreeWorkspace& ws,
                                  Eigen::MatrixXd& out) const {
  const int n = dof(), columns = 2 * n + static_cast<int>(parameters.size());
  out.setZero(n, columns);
  AddAccelerations(constants, a, ws);
  // The bound counts where its coefficient is 0 too: its derivative by the coefficient does not vanish there.
  for (int k = 0; k < n; ++k)
    if (link_of(k).dry && !IsDry(constants, k)) SetFriction(constants, k, a, r, modes[k], ws);
  ByState(constants, r, modes, ws, out);
  ByParameters(constants, x, r, a, u, modes, parameters, ws, 2 * n, out);
  out *= -1;
  SolveTreeSystem(ws.Ea, n, out.data(), columns, n);
}

void TreeMechanism::Residual(const TreeConstants<double>& constants, const double* x, const double* r, const double* a,
                             std::span<const double> u, const Modes& modes, std::span<const TreeParameter> parameters,
                             TreeWorkspace& ws, double* E, Eigen::MatrixXd* by_parameters) const {
  const int n = dof();
  TreeResidual<double>(constants, x, r, a, u, modes, E);
  if (!by_parameters) return;
  by_parameters->setZero(n, static_cast<Eigen::Index>(parameters.size()));
  Vector scratch{};
  Accelerate(constants, x, r, u, modes, scratch.data(), ws);  // for the parts that do not depend on a
  AddAccelerations(constants, a, ws);
  for (int k = 0; k < n; ++k) {
    TreeWorkspace::Dof& dof = ws.dof[k];
    if (link_of(k).dry) SetFriction(constants, k, a, r, modes[k], ws);
    const std::size_t index = static_cast<std::size_t>(link_of_dof_[static_cast<std::size_t>(k)]);
    dof.wF = modes[k] * dof.mu * dof.gF;
    dof.wM = modes[k] * dof.mu * dof.gM;
    (links_[index].slider ? dof.wF : dof.wM) += ws.link[index].z;
  }
  ByParameters(constants, x, r, a, u, modes, parameters, ws, 0, *by_parameters);
}

}  // namespace ricochet
