// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "examine/rotation_mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kLeastDegrees = 5;  // range of an angle that can be degrees
constexpr double kFastTurn = 2;      // [rad] between rows
constexpr double kNearer = 0.8;      // of the misfit of contacts, where impacts also turn the body as they push it

/// Median change of a planar angle between rows; 0 in space.
double MedianTurn(const Subject& subject) {
  if (!subject.planar) return 0;
  const std::vector<double>& theta =
      subject.recording.values[static_cast<std::size_t>(subject.recording.Find(subject.Column("theta")))];
  std::vector<double> turns;
  for (std::size_t i = 1; i < theta.size(); ++i)
    if (const double turn = std::abs(theta[i] - theta[i - 1]); std::isfinite(turn)) turns.push_back(turn);
  return Median(std::move(turns));
}

/// Changes of the rotation that commonly went wrong.
std::vector<Suspicion> RotationSuspicions(const Subject& subject) {
  std::vector<Suspicion> out;
  RecordingChange change;
  if (subject.planar) {
    const std::string theta = subject.Column("theta");
    double low = INFINITY, high = -INFINITY;
    for (const double angle : subject.recording.values[static_cast<std::size_t>(subject.recording.Find(theta))]) {
      if (std::isnan(angle)) continue;
      low = std::min(low, angle);
      high = std::max(high, angle);
    }
    if (high - low > kLeastDegrees) {
      change.angle = std::numbers::pi / 180;
      out.push_back({"angle", theta, fmt::format("the angle is in degrees: it covers {:.4g}", high - low), change});
    }
    // Contacts of a disc do not show the sense of its angle, and a few impacts say too little about its spin: there it
    // is for a fit to find.
    if (subject.body.shape && subject.body.shape->type == ShapeType::kSphere) return out;
    change.angle = -1;
    out.push_back({"angle", theta, "the angle is mirrored", change});
    if (high - low > kLeastDegrees) {
      change.angle = -std::numbers::pi / 180;
      out.push_back(
          {"angle", theta, fmt::format("the angle is in degrees and mirrored: it covers {:.4g}", high - low), change});
    }
    return out;
  }
  const std::string q = subject.Column("qw");
  for (const bool real_last : {true, false}) {
    change.real_last = real_last;
    const char* const order = real_last ? "quaternions are in the order x, y, z, w" : "";
    if (real_last) out.push_back({"quaternions", q, order, change});
    const auto add = [&](const Eigen::Vector3d& signs, const char* what) {
      RecordingChange turned = change;
      turned.turn_signs = signs;
      out.push_back({"quaternions", q, real_last ? fmt::format("{}, and {}", order, what) : what, turned});
    };
    add({-1, -1, -1}, "rotations are inverted (of the world in the body)");
    add({1, -1, -1}, "rotations are mirrored along x (another handedness)");
    add({-1, 1, -1}, "rotations are mirrored along y (another handedness)");
    add({-1, -1, 1}, "rotations are mirrored along z (another handedness)");
  }
  return out;
}

}  // namespace

bool SpinsTooFast(const Subject& subject) { return MedianTurn(subject) > kFastTurn; }

std::optional<Suspicion> FindRotation(const Subject& subject, const RecordingChange& base,
                                      const ContactEvidence& before) {
  const double turn = MedianTurn(subject);
  const bool spins = turn > kFastTurn;
  std::optional<Suspicion> best;
  double least = INFINITY;
  for (Suspicion& each : RotationSuspicions(subject)) {
    const ContactEvidence then = WeighContacts(subject.Track(Join(base, each.change)), subject.body, subject.gravity);
    // A spin that is too fast for the rows hides its own impacts: those of the changed one must agree with its size.
    const bool slowed = spins && std::abs(each.change.angle) != 1 && then.gyration && !then.TurnsWrong() &&
                        *then.gyration < then.size * then.size;
    const bool turned_right =
        !spins && before.TurnsWrong() && then.gyration && !then.TurnsWrong() && *then.gyration < then.size * then.size;
    const bool untwisted = before.Twisted() && then.twist && *then.twist < kClearly * *before.twist &&
                           then.Misfit() < kNearer * before.Misfit();
    if (!then.Confirmed() || !(then.Misfit() < 0.5 * least) ||
        !(then.Misfit() < kClearly * before.Misfit() || turned_right || slowed || untwisted))
      continue;
    least = then.Misfit();
    each.problem += slowed ? fmt::format("; rows are {:.3g} apart, more than a camera follows.", turn)
                    : turned_right
                        ? fmt::format("; impacts turn the body as if J/m were {:.2g} m^2; corrected, {:.2g} m^2.",
                                      *before.gyration, then.gyration.value_or(0))
                        : fmt::format("; corrected, contacts are {:.2g} mm from the surface; as recorded, {:.3g} mm.",
                                      1e3 * least, 1e3 * before.Misfit());
    best = std::move(each);
  }
  return best;
}

}  // namespace ricochet
