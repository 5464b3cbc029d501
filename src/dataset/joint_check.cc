// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/joint_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "math/statistics.h"
#include "recording/repair_command.h"

namespace ricochet {
namespace {

constexpr int kFewRows = 20;
constexpr double kSparse = 20;       // rows that are missing per row that is there
constexpr double kShortest = 0.02;   // [s]
constexpr double kUnresolved = 0.5;  // noise of neighboring rows over the deviation of the whole motion
constexpr double kCoarse = 0.05;     // [s] between rows, from which on that is asked
constexpr double kSlowRows = 1;      // [s] between rows, from which on times must fit gravity
constexpr double kRelated = 0.5;     // correlation of gravity and acceleration that shows a unit
constexpr double kClearlyRelated = 0.8;
constexpr double kWrongTime = 1e4;     // alpha that no error of inertia explains
constexpr double kWrongInertia = 100;  // alpha that an error of inertia explains
constexpr double kBlurredInertia = 4;  // the same where the relation is not clear
constexpr double kDegree = std::numbers::pi / 180;
constexpr double kManyTurns = 2 * std::numbers::pi;  // [rad], smaller ranges are no degrees

/// Relation of the torques of gravity and acceleration, read with these units of angle.
struct Balance {
  double correlation = 0;  // of t_g and -t_i
  double alpha = 0;
};

Balance BalanceOf(const TreeMechanism& mechanism, const TreeConstants<double>& constants, const JointTrack& track,
                  double angle_unit) {
  TreeConstants<double> weightless = constants;
  weightless.gravity.setZero();
  for (auto& link : weightless.links)
    link.viscous = link.coulomb = link.friction = link.static_friction = link.stiffness = link.damping =
        link.drag_linear = link.drag_quadratic = 0;
  TreeConstants<double> heavy = weightless;
  heavy.gravity = constants.gravity;
  const std::vector<double> u(track.inputs.size(), 0.0);
  TreeMechanism::Modes modes;
  modes.fill(1);
  const int n = mechanism.dof(), count = static_cast<int>(track.x.size()), stride = std::max(1, count / 1000);
  double gravity_squares = 0, inertia_squares = 0, product = 0;
  for (int i = 1; i + 1 < count; i += stride) {
    TreeMechanism::Vector x{}, r{}, a{}, inertia{}, all{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
      const auto at = static_cast<std::size_t>(i);
      const double factor = mechanism.link_of(static_cast<int>(k)).slider ? 1.0 : angle_unit;
      x[k] = factor * track.x[at][k];
      r[k] = factor * track.r[at][k];
      a[k] = factor * track.a[at][k];
    }
    mechanism.TreeResidual<double>(weightless, x.data(), r.data(), a.data(), u, modes, inertia.data());
    mechanism.TreeResidual<double>(heavy, x.data(), r.data(), a.data(), u, modes, all.data());
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
      const double gravity = all[k] - inertia[k];
      gravity_squares += gravity * gravity;
      inertia_squares += inertia[k] * inertia[k];
      product -= gravity * inertia[k];
    }
  }
  if (!(gravity_squares > 0) || !(inertia_squares > 0)) return {};
  return {product / std::sqrt(gravity_squares * inertia_squares), product / inertia_squares};
}

}  // namespace

namespace {

/// Angles that an encoder keeps between 0 and a turn, or -1/2 and 1/2: they jump.
void RefuseJumps(const TreeMechanism& mechanism, const Recording& recording, const JointTrack& track) {
  constexpr double kTurn = 2 * std::numbers::pi, kJump = 0.8 * kTurn, kNext = 0.4 * kTurn;
  std::map<std::string, std::string> terms;
  std::string first;
  int row = 0, jumps = 0;
  for (const JointChannel& channel : track.channels) {
    const int column = recording.Find(channel.name);
    if (channel.rate || mechanism.link_of(channel.dof).slider || column < 0) continue;
    const std::vector<double>& z = recording.values[static_cast<std::size_t>(column)];
    int here = 0;
    for (std::size_t k = 2; k < z.size(); ++k) {
      const double step = z[k] - z[k - 1], before = z[k - 1] - z[k - 2];
      // A turn more or less than what came before.
      if (!(std::abs(step) > kJump && std::abs(step) < kTurn + kNext && std::abs(before) < kNext)) continue;
      if (++here == 1 && first.empty()) first = channel.name, row = static_cast<int>(k);
    }
    if (here > 0) terms[channel.name] = fmt::format("unwrap({})", channel.name);
    jumps += here;
  }
  if (jumps == 0) return;
  throw InputError({recording.file, recording.lines.empty() ? 0 : recording.lines[static_cast<std::size_t>(row)], 0},
                   first, fmt::format("the angle jumps by a whole turn in {} row{}.", jumps, jumps == 1 ? "" : "s"),
                   fmt::format("To make it continuous, {}.", RepairByImport(recording, terms)));
}

/// A hinge whose angle counts from the opposite direction: gravity acts the other way round.
void RefuseHalfTurns(const TreeMechanism& mechanism, const TreeConstants<double>& constants, const Recording& recording,
                     const JointTrack& track, const Balance& as_given) {
  constexpr double kAgainst = 0.3, kClear = 0.95;
  if (as_given.correlation > kAgainst) return;
  for (const JointChannel& channel : track.channels) {
    if (channel.rate || mechanism.link_of(channel.dof).slider) continue;
    JointTrack turned = track;
    for (auto& x : turned.x) x[static_cast<std::size_t>(channel.dof)] += std::numbers::pi;
    const Balance then = BalanceOf(mechanism, constants, turned, 1);
    if (then.correlation < kClear || then.alpha > kWrongInertia || then.alpha < 1 / kWrongInertia) continue;
    const std::string term = fmt::format("{}+{:.9g}", channel.name, std::numbers::pi);
    throw InputError(
        {recording.file, 0, 0}, channel.name,
        "the angle counts from the opposite direction: the motion fits gravity only with half a turn added.",
        fmt::format("To correct it, {}. Or write observe: {{offset: {{{}: {:.9g}}}}} into the scene.",
                    RepairByImport(recording, {{channel.name, term}}), channel.name, std::numbers::pi));
  }
}

}  // namespace

void CheckJointTimes(const Recording& recording) {
  const int rows = recording.rows();
  if (rows < kFewRows)
    throw InputError({recording.file, 0, 0}, "",
                     fmt::format("{} rows are too few for a motion (minimum {}).", rows, kFewRows), "Record longer.");
  const double duration = recording.time.back() - recording.time.front();
  if (!(duration >= kShortest))
    throw InputError({recording.file, 0, 0}, "t",
                     fmt::format("the recording covers {:.3g} s, which is too short for a motion (minimum {} s).",
                                 duration, kShortest),
                     "Record longer, or give `t` in seconds.");
  std::vector<double> gaps;
  for (int i = 1; i < rows; ++i)
    gaps.push_back(recording.time[static_cast<std::size_t>(i)] - recording.time[static_cast<std::size_t>(i) - 1]);
  const double interval = Median(gaps);
  const auto longest = std::max_element(gaps.begin(), gaps.end());
  if (!(interval > 0) || duration / interval > kSparse * rows) {
    const auto row = static_cast<std::size_t>(longest - gaps.begin());
    throw InputError({recording.file, recording.lines.empty() ? 0 : recording.lines[row + 1], 0}, "t",
                     fmt::format("{:.4g} s are missing after t = {:.6g} s, in a recording with a row every {:.3g} s.",
                                 *longest, recording.time[row], interval),
                     "Split the recording there, and pass both parts as recordings.");
  }
}

void CheckJointUnits(const TreeMechanism& mechanism, const TreeConstants<double>& constants, const Recording& recording,
                     const JointTrack& track) {
  double range = 0;
  bool resolved = false;
  const double interval = (track.end - track.start) / std::max(1, track.rows - 1);
  RefuseJumps(mechanism, recording, track);
  for (const JointChannel& channel : track.channels) {
    if (channel.rate) continue;
    if (!mechanism.link_of(channel.dof).slider) range = std::max(range, channel.range);
    resolved = resolved || channel.rounded || channel.rows_noise < kUnresolved * channel.range / std::sqrt(12.0);
  }
  if (!resolved && interval > kCoarse)
    throw InputError(
        {recording.file, 0, 0}, "t",
        fmt::format("with a row every {:.3g} s, neighboring rows differ as much as the whole motion does.", interval),
        "Record with a higher rate, at least 10 rows per swing.");
  const Balance as_given = BalanceOf(mechanism, constants, track, 1);
  // Rows that are seconds apart and follow the motion show a mechanism that gravity does not move, or wrong times.
  const bool slow = interval > kSlowRows && !(as_given.correlation > kRelated && as_given.alpha < kWrongTime);
  if (slow)
    throw InputError(
        {recording.file, 0, 0}, "t",
        fmt::format(
            "rows are {:.3g} s apart, and the motion is too slow for the gravity of the scene: times seem to be "
            "in milliseconds.",
            interval),
        fmt::format("To correct it, {}.", RepairByImport(recording, {{"t", "t*ms"}})));
  if (as_given.correlation > kRelated && as_given.alpha > kWrongTime)
    throw InputError(
        {recording.file, 0, 0}, "t",
        fmt::format(
            "the links would move {:.2g} times too slowly for the gravity of the scene: times seem to be in {}.",
            std::sqrt(as_given.alpha), as_given.alpha < 1e9 ? "milliseconds" : "microseconds"),
        fmt::format("To correct it, {}.", RepairByImport(recording, {{"t", as_given.alpha < 1e9 ? "t*ms" : "t*us"}})));
  if (as_given.correlation > kRelated) return;
  RefuseHalfTurns(mechanism, constants, recording, track, as_given);
  if (range < kManyTurns) return;
  const Balance in_degrees = BalanceOf(mechanism, constants, track, kDegree);
  // Wrong inertias, motors and friction blur the relation of a chain, but hardly its factor.
  const double most = in_degrees.correlation > kClearlyRelated ? kWrongInertia : kBlurredInertia;
  if (in_degrees.correlation < kRelated || in_degrees.alpha > most || in_degrees.alpha < 1 / most) return;
  std::map<std::string, std::string> terms;
  std::string scales;
  for (const JointChannel& channel : track.channels) {
    if (mechanism.link_of(channel.dof).slider) continue;
    terms[channel.name] = channel.name + "*deg";
    if (!channel.rate) scales += fmt::format("{}{}: {:.9g}", scales.empty() ? "" : ", ", channel.name, 1 / kDegree);
  }
  throw InputError(
      {recording.file, 0, 0}, track.channels.front().name,
      fmt::format("the angles are in degrees: their range of {:.3g} fits the gravity of the scene in degrees only.",
                  range),
      fmt::format("To correct it, {}. Or write observe: {{scale: {{{}}}}} into the scene.",
                  RepairByImport(recording, terms), scales));
}

}  // namespace ricochet
