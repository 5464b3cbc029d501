// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The example of CONTRIBUTING.md: a complete stepper, `penalty`, which lets bodies sink into surfaces and pushes them
// out by a spring and a damper. With N and T the wrenches of a contact (dynamics/planar_contacts.h):
//
//   v+ = v + h M^-1 (f + N fn + T ft)      fn = max(0, -k gap - d gap')
//   q+ = q + h v+                          ft = -mu fn vt / sqrt(vt^2 + s^2)
//
// It is stable for steps shorter than about 2 d / k and 2 / sqrt(k / m), and friction creeps at speeds below s.
#pragma once

#include <algorithm>
#include <cmath>

#include "dynamics/loads.h"
#include "dynamics/planar_contacts.h"
#include "math/jet.h"
#include "model/options.h"
#include "model/seeded_numbers.h"
#include "steppers/stepper.h"

namespace ricochet {

/// Options of the scene's simulation.options: declared once, checked and shown in help and messages by the program.
constexpr OptionInfo kStiffness = {
    .name = "stiffness", .number = 1e4, .lower = 0, .unit = "N/m", .help = "of a contact point"};
constexpr OptionInfo kDamping = {
    .name = "damping", .number = 10, .lower = 0, .unit = "N s/m", .help = "of a contact point"};
constexpr OptionInfo kSlipSpeed = {
    .name = "slip_speed", .number = 1e-3, .lower = 1e-9, .unit = "m/s", .help = "below which friction creeps"};
constexpr OptionInfo kPenaltyOptions[] = {kStiffness, kDamping, kSlipSpeed};

class PenaltyStepper final : public Stepper {
 public:
  StepperInfo info() const override {
    return {.name = "penalty",
            .summary = "spring and damper at every contact point",
            .paper = "folklore",
            .planar = true,
            .soft = true,
            .options = kPenaltyOptions};
  }

  /// The step needs no scratch, so that the base class will do.
  std::unique_ptr<Workspace> MakeWorkspace(const Model&) const override { return std::make_unique<Workspace>(); }

  void Step(const Model& model, const State& start, const StepInputs& inputs, double h, Workspace&,
            StepResult& out) const override {
    BeginResult(start, h, out);
    Advance<double>(model, model.planar, start.time, h, inputs, start.q, start.v, out.end.q, out.end.v, &out);
  }

  /// The step in Jets: 8 directions of (state, parameters) at a time.
  void Differentiate(const Model& model, const StepResult& step, const StepInputs& inputs,
                     std::span<const NumberId> parameters, Workspace&, StepDerivatives& out) const override {
    using J = Jet<8>;
    const Eigen::Index n = step.start.q.size(), p = static_cast<Eigen::Index>(parameters.size());
    Eigen::MatrixXd all(2 * n, 2 * n + p);
    int first = 0;
    for (const std::vector<J>& numbers : SeededNumbers<8>(*model.scene, parameters, static_cast<int>(2 * n))) {
      JetVector<J> q = step.start.q.cast<J>(), v = step.start.v.cast<J>(), q_end(n), v_end(n);
      for (int k = first; k < std::min<int>(first + 8, static_cast<int>(2 * n)); ++k)
        (k < n ? q[k] : v[k - n]).v[k - first] = 1;
      Advance<J>(model, CompilePlanar<J>(*model.scene, numbers), step.start.time, step.h, inputs, q, v, q_end, v_end,
                 nullptr);
      for (int k = first; k < std::min<int>(first + 8, static_cast<int>(all.cols())); ++k)
        for (Eigen::Index i = 0; i < n; ++i) {
          all(i, k) = q_end[i].v[k - first];
          all(n + i, k) = v_end[i].v[k - first];
        }
      first += 8;
    }
    out.end_by_start = all.leftCols(2 * n);
    out.end_by_parameters = all.rightCols(p);
  }

 private:
  template <class T>
  using JetVector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  /// The equations above, for numbers and for Jets. Contacts are recorded where there is a `record`.
  template <class T>
  void Advance(const Model& model, const PlanarModel<T>& planar, double t, double h, const StepInputs& inputs,
               const JetVector<T>& q, const JetVector<T>& v, JetVector<T>& q_end, JetVector<T>& v_end,
               StepResult* record) const {
    using std::sqrt;
    const Scene& scene = *model.scene;
    const double k = NumberOption(scene, kStiffness), d = NumberOption(scene, kDamping);
    const double s = NumberOption(scene, kSlipSpeed);
    for (int body = 0; body < model.body_count(); ++body) {
      const PlanarBody<T>& b = planar.bodies[static_cast<std::size_t>(body)];
      const Eigen::Matrix<T, 3, 1> q_b = q.template segment<3>(3 * body), v_b = v.template segment<3>(3 * body);
      q_end.template segment<3>(3 * body) = q_b;
      v_end.template segment<3>(3 * body) = v_b;
      if (b.fixed) continue;
      Eigen::Matrix<T, 3, 1> impulse = LoadImpulse<T>(planar.loads, body, t, h, inputs.fired).template head<3>();
      for (std::size_t pair = 0; pair < planar.pairs.size(); ++pair) {
        if (planar.pairs[pair].body != body) continue;
        for (int i = 0; i < b.shape.contact_count(); ++i) {
          const PlanarContact<T> c =
              ComputePlanarContact<T>(b, planar.surfaces[static_cast<std::size_t>(planar.pairs[pair].surface)], i,
                                      q_b.template head<2>(), PlanarRotation<T>(q_b[2]));
          const T vn = c.normal.dot(v_b) - c.surface_vn, vt = c.tangent.dot(v_b) - c.surface_vt;
          const T fn = -k * c.gap - d * vn;
          if (c.gap > 0.0 || fn < 0.0) continue;
          const T ft = -planar.pairs[pair].law.friction * fn * vt / sqrt(vt * vt + s * s);
          impulse += h * (c.normal * fn + c.tangent * ft);
          if constexpr (std::is_same_v<T, double>) {
            ContactRecord& contact = record->contacts.emplace_back();
            contact.pair = static_cast<int>(pair);
            contact.contact = b.shape.Number(i);
            contact.gap = c.gap;
            contact.normal_impulse = h * fn;
            contact.tangential_impulse.x() = h * ft;
            contact.p_WC.head<2>() = c.p_WC;
            contact.slip = std::abs(vt) > s ? SlipState::kSlide : SlipState::kStick;
          }
        }
      }
      Eigen::Matrix<T, 3, 1> v_new = v_b;
      v_new.template head<2>() += h * planar.gravity + b.inverse_mass * impulse.template head<2>();
      v_new[2] += b.inverse_inertia * impulse[2];
      v_end.template segment<3>(3 * body) = v_new;
      q_end.template segment<3>(3 * body) = q_b + h * v_new;
    }
  }
};

/// In src/steppers/ this line is in registry.cc, and the scene says `simulation: {method: penalty}`.
inline const Stepper& Penalty() {
  static const PenaltyStepper stepper;
  return stepper;
}

}  // namespace ricochet
