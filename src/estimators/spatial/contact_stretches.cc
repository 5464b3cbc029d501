// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial/contact_stretches.h"

#include <utility>

namespace ricochet {
namespace {

constexpr double kImpact = 3;  // times the impulse of the step after it: an impact, and then a lasting contact

}  // namespace

bool ContactStretches::OnStep(const StepResult& step) {
  for (const ContactRecord& contact : step.contacts) {
    const auto [at, fresh] = open_.try_emplace({contact.pair, contact.contact});
    Open& open = at->second;
    const auto current = [&]() -> ContactStretch& { return stretches_[static_cast<std::size_t>(open.stretch)]; };
    const bool begins = fresh || current().end < step.start.time - 0.5 * step.h;
    const bool slides = contact.slip == SlipState::kSlide;
    if (begins || current().slides != slides || (contact.p_WC - open.start).norm() > reach_ ||
        (open.steps == 1 && current().normal > kImpact * contact.normal_impulse)) {
      open.steps = begins ? 0 : 1;
      open.start = contact.p_WC;
      open.stretch = static_cast<int>(stretches_.size());
      ContactStretch& stretch = stretches_.emplace_back();
      stretch.pair = contact.pair;
      stretch.contact = contact.contact;
      stretch.start = step.start.time;
      stretch.point = contact.p_WC;
    }
    ++open.steps;
    ContactStretch& stretch = current();
    stretch.end = step.end.time;
    stretch.normal += contact.normal_impulse;
    stretch.tangential += contact.tangential_impulse;
    if (stretch.normal > 0) stretch.point += contact.normal_impulse / stretch.normal * (contact.p_WC - stretch.point);
    stretch.slides = slides;
  }
  return true;
}

std::vector<ContactStretch> ContactStretches::Take() {
  open_.clear();
  return std::exchange(stretches_, {});
}

void AddImpulses(const Model& model, const std::vector<ContactStretch>& stretches, int recording, double shift,
                 Estimate& estimate) {
  for (const ContactStretch& stretch : stretches) {
    if (!(stretch.normal > 0)) continue;
    EstimatedImpulse& out = estimate.impulses.emplace_back();
    out.recording = recording;
    out.time = stretch.start + shift;
    out.duration = stretch.end - stretch.start;
    out.pair = model.PairName(stretch.pair);
    out.contact = stretch.contact;
    out.normal = stretch.normal;
    out.tangential = stretch.tangential.norm();
    out.slides = stretch.slides;
    out.tangential_xy = {stretch.tangential.x(), stretch.tangential.y()};
    out.point = {stretch.point.x(), stretch.point.y(), stretch.point.z()};
  }
}

}  // namespace ricochet
