// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/event/event.h"

#include <fmt/format.h>

#include <vector>

#include "steppers/event/event_motion.h"

namespace ricochet {
namespace {

class EventWorkspace : public Workspace {
 public:
  explicit EventWorkspace(const Model& model) {
    for (int body = 0; body < model.body_count(); ++body)
      motions.emplace_back(MakeEventBody(model.planar, body), LoadsOn(body, model.planar.loads));
  }
  std::vector<EventMotion<double>> motions;
  std::vector<EventRecord> records;
};

/// Planar steppers that take what is too much for exact motion.
std::string TimeSteppers() {
  return NamesOfSteppers([](const StepperInfo& i) { return i.planar && i.restitution && !i.exact; });
}

class EventStepper final : public Stepper {
 public:
  StepperInfo info() const override {
    return {.name = "event",
            .summary = "exact motion between impacts and changes of slip, which are found in time",
            .paper = "the limit of small steps of Gabiccini eq. 16-19",
            .planar = true,
            .restitution = true,
            .exact = true};
  }

  std::unique_ptr<Workspace> MakeWorkspace(const Model& model) const override {
    return std::make_unique<EventWorkspace>(model);
  }

  void Step(const Model& model, const State& start, const StepInputs& inputs, double h, Workspace& workspace,
            StepResult& out) const override {
    EventWorkspace& scratch = static_cast<EventWorkspace&>(workspace);
    BeginResult(start, h, out);
    out.end.q = start.q;
    out.end.v = start.v;
    for (int body = 0; body < model.body_count(); ++body) {
      const PlanarBody<double>& properties = model.planar.bodies[static_cast<std::size_t>(body)];
      if (properties.fixed) continue;
      EventMotion<double>& motion = scratch.motions[static_cast<std::size_t>(body)];
      scratch.records.clear();
      motion.RecordInto(&scratch.records);
      const Eigen::Vector3d q = start.q.segment<3>(3 * body), v = start.v.segment<3>(3 * body);
      motion.Start(start.time, q, v);
      for (const Load<double>& load : model.planar.loads)
        if (load.body == body && load.trigger >= 0 && load.trigger < static_cast<int>(inputs.fired.size()) &&
            inputs.fired[static_cast<std::size_t>(load.trigger)])
          motion.Kick(load.impulse.head<3>());
      motion.AdvanceTo(start.time + h);
      out.end.q.segment<3>(3 * body) = motion.q();
      out.end.v.segment<3>(3 * body) = motion.v();
      const auto kinetic = [&](const Eigen::Vector3d& w) {
        return 0.5 * (properties.mass * w.head<2>().squaredNorm() + properties.inertia * w[2] * w[2]);
      };
      // What sliding surfaces do not give back is lost; rounding of the balance is not a gain.
      const double lost = kinetic(v) + motion.supplied() - kinetic(motion.v());
      if (!scratch.records.empty()) out.dissipated += lost;
      if (motion.summary().failed) out.status = StepStatus::kFailed;
      AppendContacts(motion, scratch.records, out);
    }
  }

  void Differentiate(const Model& model, const StepResult& step, const StepInputs& inputs,
                     std::span<const NumberId> parameters, Workspace&, StepDerivatives& out) const override {
    constexpr int kWidth = EventJet::kSize;
    const int bodies = model.body_count(), n = 6 * bodies, p = static_cast<int>(parameters.size());
    out.end_by_start.setZero(n, n);
    out.end_by_parameters.setZero(n, p);
    const Scene& scene = *model.scene;
    for (int body = 0; body < bodies; ++body) {
      if (model.planar.bodies[static_cast<std::size_t>(body)].fixed) {
        for (int i = 0; i < 3; ++i)
          out.end_by_start(3 * body + i, 3 * body + i) = out.end_by_start(n / 2 + 3 * body + i, n / 2 + 3 * body + i) =
              1;
        continue;
      }
      for (int first = 0; first < 6 + p; first += kWidth) {
        const auto seed = [&](double value, int index) {
          return index >= first && index < first + kWidth ? EventJet::Variable(value, index - first) : EventJet(value);
        };
        std::vector<EventJet> numbers;
        for (const SceneNumber& number : scene.numbers()) numbers.emplace_back(number.value);
        for (int i = 0; i < p; ++i) {
          const std::size_t at = static_cast<std::size_t>(parameters[static_cast<std::size_t>(i)].index);
          numbers[at] = seed(numbers[at].a, 6 + i);
        }
        const PlanarModel<EventJet> jets = CompilePlanar<EventJet>(scene, std::span<const EventJet>(numbers));
        std::vector<Load<EventJet>> loads;
        for (const Load<EventJet>& load : jets.loads)
          if (load.body == body) loads.push_back(load);
        EventMotion<EventJet> motion(MakeEventBody(jets, body), loads);
        EventVector<EventJet> q, v;
        for (int i = 0; i < 3; ++i) {
          q[i] = seed(step.start.q[3 * body + i], i);
          v[i] = seed(step.start.v[3 * body + i], 3 + i);
        }
        motion.Start(step.start.time, q, v);
        for (const Load<EventJet>& load : loads)
          if (load.trigger >= 0 && load.trigger < static_cast<int>(inputs.fired.size()) &&
              inputs.fired[static_cast<std::size_t>(load.trigger)])
            motion.Kick(load.impulse.head<3>());
        motion.AdvanceTo(step.start.time + step.h);
        for (int c = 0; c < kWidth && first + c < 6 + p; ++c) {
          const int index = first + c;
          for (int i = 0; i < 3; ++i) {
            const double dq = motion.q()[i].v[c], dv = motion.v()[i].v[c];
            if (index < 6) {
              const int column = index < 3 ? 3 * body + index : n / 2 + 3 * body + index - 3;
              out.end_by_start(3 * body + i, column) = dq;
              out.end_by_start(n / 2 + 3 * body + i, column) = dv;
            } else {
              out.end_by_parameters(3 * body + i, index - 6) = dq;
              out.end_by_parameters(n / 2 + 3 * body + i, index - 6) = dv;
            }
          }
        }
      }
    }
  }

 private:
  void CheckModel(const Model& model) const override {
    const Scene& scene = *model.scene;
    for (std::size_t i = 0; i < scene.surfaces.size(); ++i) {
      const PlanarSurface<double>& surface = model.planar.surfaces[i];
      if (std::abs(surface.normal.dot(surface.velocity)) > 1e-12)
        throw InputError(
            scene.surfaces[i].where, "surfaces." + scene.surfaces[i].name + ".velocity",
            "event supports only surfaces that move along themselves, and this velocity has a normal component.",
            fmt::format("Remove the normal component, or use method {}.", TimeSteppers()));
    }
    if (scene.surfaces.size() > static_cast<std::size_t>(kMaxEventSurfaces))
      throw InputError(scene.surfaces.back().where, "surfaces." + scene.surfaces.back().name,
                       fmt::format("event supports at most {} surfaces.", kMaxEventSurfaces),
                       fmt::format("Use method {}.", TimeSteppers()));
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      if (model.planar.bodies[i].shape.contact_count() * static_cast<int>(scene.surfaces.size()) > kMaxEventCandidates)
        throw InputError(scene.bodies[i].where, "bodies." + scene.bodies[i].name,
                         fmt::format("event supports at most {} vertices times surfaces.", kMaxEventCandidates),
                         fmt::format("Use method {}.", TimeSteppers()));
  }

  /// One row per impact; stretches of contact at the same candidate with the same slip are joined.
  static void AppendContacts(const EventMotion<double>& motion, const std::vector<EventRecord>& records,
                             StepResult& out) {
    const std::size_t begin = out.contacts.size();
    std::size_t stretch = out.contacts.size();  // rows from here on may be continued by a stretch
    for (const EventRecord& record : records) {
      const EventCandidate<double>& candidate = motion.body().candidates[static_cast<std::size_t>(record.candidate)];
      const SlipState slip = record.slip == 0 ? SlipState::kStick : SlipState::kSlide;
      ContactRecord* same = nullptr;
      if (record.kind == EventKind::kContact)
        for (std::size_t i = std::max(stretch, begin); i < out.contacts.size(); ++i)
          if (out.contacts[i].pair == candidate.pair && out.contacts[i].contact == candidate.contact &&
              out.contacts[i].slip == slip)
            same = &out.contacts[i];
      if (!same) {
        same = &out.contacts.emplace_back();
        same->pair = candidate.pair;
        same->contact = candidate.contact;
        same->slip = slip;
        if (record.kind == EventKind::kImpact) stretch = out.contacts.size();
      }
      same->normal_impulse += record.normal_impulse;
      same->tangential_impulse[0] += record.tangential_impulse;
      same->p_WC << record.x, record.y, 0.0;
    }
  }
};

}  // namespace

const Stepper& Event() {
  static const EventStepper stepper;
  return stepper;
}

}  // namespace ricochet
