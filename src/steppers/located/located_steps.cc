// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/located/located_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dynamics/free_rotation.h"
#include "dynamics/spatial_contacts.h"
#include "geometry/body_contact.h"
#include "math/so3.h"

namespace ricochet {
namespace {

constexpr double kDepth = 1e-5;        // of the body's size, at which a corner counts as arrived
constexpr double kTogether = 1e-4;     // of the body's size: candidates that near to a surface land together
constexpr double kLongestLook = 2e-3;  // between two looks at the gaps of a flight [s]
constexpr double kInstant = 1e-10;     // [s]
constexpr double kAcceptedResidual = 1e-6;
constexpr double kStill = 1e-8;            // speed below which a body in contact rests [m/s]
constexpr double kApproachesStill = 1e-3;  // of the approach before an impact: another impulse is needed
constexpr int kMostImpulses = 8;           // at one instant
constexpr int kMostTrials = 60;            // to locate an instant
constexpr int kLyingContacts = 3;          // of a body that lies on a face: it slides and turns about the normal alone,
constexpr double kLyingSteps = 8;          // and steps may be that many times as long
constexpr double kPartOfPeriod = 1.0 / 40;

}  // namespace

bool LocatedSteps::Supports(const Model& model) {
  const SpatialModel<double>& m = model.spatial;
  int moving = 0;
  for (const SpatialBody<double>& body : m.bodies) moving += body.fixed ? 0 : 1;
  return moving == 1 && m.joints.empty() && m.loads.empty() && m.inputs.empty() && model.triggers.empty() &&
         !m.pairs.empty() &&
         std::all_of(m.pairs.begin(), m.pairs.end(), [](const SpatialPair<double>& p) { return p.surface >= 0; });
}

LocatedSteps::LocatedSteps(const Stepper& stepper, const Model& model, double lengths)
    : stepper_(stepper), model_(model), lengths_(lengths), workspace_(stepper.MakeWorkspace(model)) {
  const SpatialModel<double>& m = model.spatial;
  while (m.bodies[static_cast<std::size_t>(body_)].fixed) ++body_;
  const SpatialBody<double>& body = m.bodies[static_cast<std::size_t>(body_)];
  radius_ = BoundingRadius(body.shape) + body.p_BBcm.norm();
  depth_ = lengths * kDepth * radius_;
  for (const SpatialPair<double>& pair : m.pairs) {
    carried_ = carried_ || m.surfaces[static_cast<std::size_t>(pair.surface)].velocity.norm() > 0;
    if (!pair.law.has_compliance) continue;
    soft_ = true;
    // The lightest a corner can be: its normal passes at the distance of the radius from the center of mass.
    const double inverse = 1 / body.mass + radius_ * radius_ / body.I_BBcm_B.diagonal().minCoeff();
    longest_soft_ = std::min(longest_soft_, kPartOfPeriod * 2 * M_PI * std::sqrt(pair.law.compliance / inverse));
  }
}

LocatedSteps::LocatedSteps(const LocatedSteps& other)
    : stepper_(other.stepper_),
      model_(other.model_),
      longest_(other.longest_),
      lengths_(other.lengths_),
      depth_(other.depth_),
      radius_(other.radius_),
      longest_soft_(other.longest_soft_),
      body_(other.body_),
      soft_(other.soft_),
      carried_(other.carried_),
      workspace_(stepper_.MakeWorkspace(model_)),
      resting_(other.resting_),
      lying_(other.lying_),
      due_(other.due_),
      impulses_(other.impulses_),
      first_approach_(other.first_approach_),
      probe_(other.probe_) {}

void LocatedSteps::Start(double step) {
  longest_ = std::min(step, longest_soft_);
  resting_ = lying_ = due_ = false;
}

bool LocatedSteps::Reaches(const State& state, double t) const {
  return !due_ && (resting_ || !(state.time < t - kInstant));
}

bool LocatedSteps::Step(const State& from, double t, StepResult& out) {
  if (due_) return Impact(from, out);
  FindGaps(from, gaps_);
  if (!IsFlying(from)) return Press(from, t, out);
  Fly(from, t, out);
  return true;
}

void LocatedSteps::FindGaps(const State& state, std::vector<Gap>& out) const {
  const SpatialModel<double>& m = model_.spatial;
  const SpatialBody<double>& body = m.bodies[static_cast<std::size_t>(body_)];
  const Eigen::Matrix3d R = RotationMatrix<double>(Quaternion<double>(state.q.segment<4>(7 * body_ + 3)));
  const Eigen::Vector3d o = state.q.segment<3>(7 * body_), v = state.v.segment<3>(6 * body_);
  const Eigen::Vector3d w_B = R.transpose() * state.v.segment<3>(6 * body_ + 3);
  out.clear();
  for (int k = 0; k < static_cast<int>(m.pairs.size()); ++k) {
    const SpatialPair<double>& pair = m.pairs[static_cast<std::size_t>(k)];
    const SpatialSurface<double>& surface = m.surfaces[static_cast<std::size_t>(pair.surface)];
    const Eigen::Vector3d n = surface.R_WS.col(2), d = R.transpose() * n;
    const double height = n.dot(o - surface.point), sinks = n.dot(v - surface.velocity);
    const Eigen::Vector3d turning = d.cross(w_B);
    const int count = CandidateCount(body.shape);
    for (int index = 0; index < count; ++index) {
      const Eigen::Vector3d p = ContactCandidate<double>(pair.law, body.shape, index, d) - body.p_BBcm;
      Gap& gap = out.emplace_back(Gap{k, index, height + d.dot(p), sinks + turning.dot(p)});
      if (surface.bounded && !WithinExtent<double>(surface, Eigen::Vector3d(o + R * p)))
        gap.gap = std::numeric_limits<double>::infinity();
    }
  }
}

void LocatedSteps::Fall(const State& from, double dt, State& out) const {
  const SpatialModel<double>& m = model_.spatial;
  out = from;
  out.time = from.time + dt;
  out.q.segment<3>(7 * body_) += dt * from.v.segment<3>(6 * body_) + 0.5 * dt * dt * m.gravity;
  out.v.segment<3>(6 * body_) += dt * m.gravity;
  Quaternion<double> q = from.q.segment<4>(7 * body_ + 3);
  Eigen::Vector3d w = from.v.segment<3>(6 * body_ + 3);
  PropagateRotation(m.bodies[static_cast<std::size_t>(body_)].I_BBcm_B, dt, q, w);
  out.q.segment<4>(7 * body_ + 3) = q;
  out.v.segment<3>(6 * body_ + 3) = w;
}

bool LocatedSteps::IsFlying(const State& state) const {
  // In contact the velocity is right in the middle of a step; half a step later a corner seems to move by what turns
  // it.
  const double w2 = state.v.segment<3>(6 * body_ + 3).squaredNorm();
  const double apparent = longest_ * (model_.spatial.gravity.norm() + w2 * radius_);
  return std::all_of(gaps_.begin(), gaps_.end(),
                     [&](const Gap& gap) { return gap.gap >= 0 || (!soft_ && gap.rate > apparent); });
}

double LocatedSteps::LeastClearance(bool& approaches) const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < gaps_to_.size(); ++i) {
    const double clearance = gaps_to_[i].gap - level_[i];
    if (clearance < least) least = clearance, approaches = gaps_to_[i].rate < 0;
  }
  return least;
}

void LocatedSteps::Fly(const State& from, double t, StepResult& out) {
  at_ = from;
  const bool arrives = !FlyTo(t);
  BeginResult(from, at_.time - from.time, out);
  out.end = at_;
  impulses_ = 0;
  due_ = arrives && NeedsImpulse(out.end);
}

bool LocatedSteps::FlyTo(double t) {
  level_.clear();
  for (const Gap& gap : gaps_) level_.push_back(std::min(-depth_, gap.gap));
  while (at_.time < t) {
    double dt = t - at_.time;
    // Nothing to look at when even the fastest corner cannot get down.
    double lowest = std::numeric_limits<double>::infinity(), fastest = 0;
    for (const Gap& gap : gaps_) lowest = std::min(lowest, gap.gap), fastest = std::max(fastest, -gap.rate);
    const double spin = at_.v.segment<3>(6 * body_ + 3).norm(), g = model_.spatial.gravity.norm();
    // |rate| changes by at most g + (turning of the corner's velocity), whose moments may differ by a factor.
    const bool clear = std::isfinite(lowest) && lowest > (fastest + (g + 4 * spin * spin * radius_) * dt) * dt;
    if (!clear) dt = std::min(dt, kLongestLook);
    Fall(at_, dt, probe_);
    if (t - probe_.time < kInstant) probe_.time = t;
    if (clear) {
      std::swap(at_, probe_);
      FindGaps(at_, gaps_);
      continue;
    }
    FindGaps(probe_, gaps_to_);
    bool approaches = false;
    double right_value = LeastClearance(approaches), right = dt;
    if (right_value >= 0) {
      // A corner that is lower in between.
      for (std::size_t i = 0; i < gaps_.size() && right_value >= 0; ++i) {
        const Gap &a = gaps_[i], &b = gaps_to_[i];
        if (!(a.rate < 0 && b.rate > 0) || std::isinf(a.gap)) continue;
        const double at = dt * a.rate / (a.rate - b.rate);
        if (a.gap + 0.5 * a.rate * at >= level_[i]) continue;
        std::vector<Gap>& inside = gaps_inside_;
        State lower;
        Fall(at_, at, lower);
        FindGaps(lower, inside);
        if (inside[i].gap < level_[i]) {
          std::swap(gaps_to_, inside);
          right = at;
          right_value = LeastClearance(approaches);
        }
      }
    }
    if (right_value >= 0) {
      std::swap(at_, probe_);
      std::swap(gaps_, gaps_to_);
      continue;
    }
    // The instant at which it arrives, from above.
    const State from = at_;
    double left = 0, left_value = -1;
    for (int trial = 0; trial < kMostTrials && right - left > kInstant; ++trial) {
      double at = 0.5 * (left + right);
      if (left_value > 0 && trial % 3 != 2)
        at = left + (right - left) * (left_value - 0.25 * depth_) / (left_value - right_value);
      if (!(at > left && at < right)) at = 0.5 * (left + right);
      Fall(from, at, probe_);
      FindGaps(probe_, gaps_to_);
      const double value = LeastClearance(approaches);
      if (value < 0) {
        right = at, right_value = value;
        continue;
      }
      left = at, left_value = value;
      if (value <= 0.5 * depth_ && approaches) break;
    }
    Fall(from, left > 0 ? left : right, at_);
    return false;
  }
  return true;
}

bool LocatedSteps::Take(const State& from, double h, StepResult& out) {
  stepper_.Step(model_, from, {}, h, *workspace_, out);
  if (!out.end.q.allFinite() || !out.end.v.allFinite()) return false;
  return out.status != StepStatus::kFailed || out.residual < kAcceptedResidual;
}

bool LocatedSteps::NeedsImpulse(const State& state) {
  if (soft_ || impulses_ == kMostImpulses) return false;
  const double together = lengths_ * kTogether * radius_;
  FindGaps(state, gaps_);
  double approach = 0;
  int surface = -1;
  // Lowered until all candidates that land together are closed; the impulses alone are kept.
  probe_ = state;
  for (const Gap& gap : gaps_) {
    if (gap.gap >= together) continue;
    approach = std::max(approach, -gap.rate);
    if (std::exchange(surface, model_.spatial.pairs[static_cast<std::size_t>(gap.pair)].surface) == surface) continue;
    probe_.q.segment<3>(7 * body_) -=
        together * model_.spatial.surfaces[static_cast<std::size_t>(surface)].R_WS.col(2);
  }
  if (impulses_ == 0) first_approach_ = approach;
  return approach > kApproachesStill * first_approach_;
}

bool LocatedSteps::Impact(const State& from, StepResult& out) {
  if (!Take(probe_, 0, out)) return false;
  out.end.q = from.q;
  ++impulses_;
  due_ = NeedsImpulse(out.end);
  return true;
}

bool LocatedSteps::WentThrough(const StepResult& step, double& value, bool& touches) {
  FindGaps(step.end, gaps_to_);
  value = std::numeric_limits<double>::infinity();
  touches = false;
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    if (gaps_[i].gap < 0) continue;
    // Closed in the middle of the step already.
    const auto record = std::find_if(step.contacts.begin(), step.contacts.end(), [&](const ContactRecord& contact) {
      return contact.pair == gaps_[i].pair && contact.contact == gaps_[i].index;
    });
    const bool closed = record != step.contacts.end();
    const double gap = closed ? std::min(record->gap, gaps_to_[i].gap) : gaps_to_[i].gap;
    value = std::min(value, gap);
    touches = touches || (!closed && gap < 0 && gap >= -depth_);
  }
  return value < -depth_;
}

bool LocatedSteps::IsLying(const StepResult& step) {
  return std::count_if(step.contacts.begin(), step.contacts.end(),
                       [](const ContactRecord& contact) { return contact.normal_impulse > 0; }) >= kLyingContacts;
}

bool LocatedSteps::Press(const State& from, double t, StepResult& out) {
  const double left_over = t - from.time;
  double h = left_over / std::ceil(left_over / (lying_ ? kLyingSteps * longest_ : longest_) - 1e-9);
  if (!Take(from, h, out)) return false;
  double value = 0;
  bool touches = false;
  if (!soft_ && WentThrough(out, value, touches)) {
    // The longest step in which no other corner goes through.
    double shorter = 0, longer = h, shorter_value = std::numeric_limits<double>::infinity(), longer_value = value;
    for (const Gap& gap : gaps_)
      if (gap.gap >= 0) shorter_value = std::min(shorter_value, gap.gap);
    for (int trial = 0; trial < kMostTrials && longer - shorter > kInstant; ++trial) {
      const double part = (shorter_value + 0.5 * depth_) / (shorter_value - longer_value);
      h = shorter + (longer - shorter) * (trial % 3 != 2 && part > 0 && part < 1 ? part : 0.5);
      if (!Take(from, h, out)) return false;
      if (WentThrough(out, value, touches)) {
        longer = h, longer_value = value;
        continue;
      }
      shorter = h, shorter_value = value;
      if (touches) break;
    }
    if (h != shorter && shorter > 0) {
      h = shorter;
      if (!Take(from, h, out)) return false;
    }
    touches = true;
  }
  lying_ = !soft_ && !touches && IsLying(out);
  if (h == left_over) out.end.time = t;
  resting_ = !carried_ && !soft_ && from.v.norm() < kStill && out.end.v.norm() < kStill;
  impulses_ = 0;
  due_ = touches && NeedsImpulse(out.end);
  return true;
}

}  // namespace ricochet
