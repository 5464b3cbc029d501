// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "examine/contact_mistakes.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "examine/falls.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kOtherSize = 0.25;  // of the size
constexpr double kAlike = 0.04;      // scatter of what contacts have in common

}  // namespace

std::optional<Suspicion> FindPlace(const Subject& subject, const ContactEvidence& recorded) {
  std::optional<Suspicion> best;
  double least = kClearly * recorded.Misfit();
  const auto try_change = [&](Suspicion suspicion) {
    const ContactEvidence then = WeighContacts(subject.Track(suspicion.change), subject.body, subject.gravity);
    if (!then.Confirmed() || (then.flight_frames == 0 && then.touching < 0.5) || !(then.Misfit() < least)) return;
    least = 0.5 * then.Misfit();  // those that follow must be better by far
    suspicion.problem += fmt::format(": corrected, contacts are {:.2g} mm from the surface; as recorded, {:.3g} mm.",
                                     1e3 * then.Misfit(), 1e3 * recorded.Misfit());
    best = std::move(suspicion);
  };
  for (const LengthUnit& unit : kLengthUnits) {
    if (unit.per_meter == 1) continue;
    RecordingChange scaled;
    scaled.length = 1 / unit.per_meter;
    try_change({"unit", subject.Column("x"), fmt::format("positions are in {}", unit.plural), scaled});
  }
  if (-subject.gravity[2] < std::cos(kNearAxis) * subject.gravity.norm()) return best;
  for (const bool negative : {false, true})
    for (int axis = negative ? 2 : 1; axis >= 0; --axis) {
      if (subject.planar && axis == 1) continue;
      for (Suspicion& each : AxisSuspicions(subject, axis, negative)) try_change(std::move(each));
    }
  return best;
}

std::optional<Mistake> FindOtherSize(const Subject& subject, const ContactEvidence& evidence) {
  if (evidence.contacts.size() < 2 || evidence.flight_frames == 0) return std::nullopt;
  std::vector<double> factors, gaps, supports;
  for (const ContactEvidence::Contact& contact : evidence.contacts) {
    if (!(contact.support > 0)) return std::nullopt;
    factors.push_back((contact.gap + contact.support) / contact.support);
    gaps.push_back(contact.gap);
    supports.push_back(contact.support);
  }
  const auto scatter = [](const std::vector<double>& values, double center) {
    std::vector<double> away;
    for (const double value : values) away.push_back(std::abs(value - center));
    return Median(std::move(away));
  };
  const double factor = Median(factors), gap = Median(gaps), support = Median(supports);
  const double spread = scatter(factors, factor), gap_spread = scatter(gaps, gap) / support;
  const bool same_factor = factor > 0 && std::abs(factor - 1) > kOtherSize && spread < kAlike * factor;
  const bool same_gap = std::abs(gap) > kOtherSize * evidence.size && gap_spread < kAlike;
  if (!same_factor && !same_gap) return std::nullopt;
  Mistake out;
  out.file = subject.recording.file;
  out.check = "size";
  out.field = fmt::format("bodies.{}.shape", subject.body.name);
  out.problem = fmt::format(
      "{} contacts are {:.3g} mm {} the scene's surface, at {:.3g} times the height that the scene's shape gives: the "
      "body "
      "is another object, or the surface is elsewhere.",
      gaps.size(), 1e3 * std::abs(gap), gap > 0 ? "above" : "below", factor);
  out.remedy = fmt::format(
      "Multiply the lengths of {} by {:.3g}, or move the point of surfaces.{} by {:+.4g} m along its "
      "normal.",
      out.field, factor, subject.body.surfaces[0].name, gap);
  return out;
}

}  // namespace ricochet
