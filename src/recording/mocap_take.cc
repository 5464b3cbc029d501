// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/mocap_take.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

#include "core/text.h"
#include "math/dense.h"
#include "recording/recording_health.h"
#include "recording/text_table.h"

namespace ricochet {
namespace {

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

[[noreturn]] void Fail(const MocapTake& take, const std::string& field, const std::string& problem,
                       const std::string& remedy) {
  throw InputError({take.file, 0, 0}, field, problem, remedy);
}

/// Groups markers by subject ("Box:1" and "Box:2"), and loose labels into one group.
std::map<std::string, std::vector<int>> MarkerGroups(const MocapTake& take) {
  std::map<std::string, std::vector<int>> groups;
  for (std::size_t i = 0; i < take.markers.size(); ++i) {
    const std::size_t colon = take.markers[i].name.find(':');
    groups[colon == std::string::npos ? "" : take.markers[i].name.substr(0, colon)].push_back(static_cast<int>(i));
  }
  return groups;
}

std::vector<MocapBody> ChooseBodies(const MocapTake& take, const ImportOptions& options,
                                    std::vector<std::string>& notes) {
  std::vector<std::string> known;
  for (const MocapBody& body : take.bodies) known.push_back(body.name);
  const auto groups = MarkerGroups(take);

  if (const std::size_t equals = options.body.find('='); equals != std::string::npos) {
    std::vector<int> markers;
    std::vector<std::string> labels;
    for (const MocapMarker& marker : take.markers) labels.push_back(marker.name);
    for (const std::string& label : SplitList(options.body.substr(equals + 1))) {
      const auto found = std::find(labels.begin(), labels.end(), label);
      if (found == labels.end())
        Fail(take, "body", fmt::format("there is no marker `{}`.", Printable(label)), SuggestName(label, labels));
      markers.push_back(static_cast<int>(found - labels.begin()));
    }
    return {FitMarkerBody(take, options.body.substr(0, equals), markers, notes)};
  }
  for (const auto& [subject, markers] : groups)
    if (markers.size() >= 3 && std::find(known.begin(), known.end(), subject) == known.end()) known.push_back(subject);
  if (!options.body.empty()) {
    for (const MocapBody& body : take.bodies)
      if (body.name == options.body) return {body};
    if (const auto group = groups.find(options.body); group != groups.end())
      return {FitMarkerBody(take, options.body, group->second, notes)};
    Fail(take, "body", fmt::format("there is no body `{}` in the file.", Printable(options.body)),
         SuggestName(options.body, known));
  }
  if (!take.bodies.empty()) return take.bodies;
  std::vector<MocapBody> bodies;
  for (const auto& [subject, markers] : groups)
    if (markers.size() >= 3) bodies.push_back(FitMarkerBody(take, subject.empty() ? "body" : subject, markers, notes));
  if (bodies.empty())
    Fail(take, "", "has no rigid body, and no subject with three markers.",
         "Export the rigid bodies, or name three or more markers: set option `body` to NAME=label,label,label.");
  return bodies;
}

/// The raw poses as a recording, for the check of frozen frames.
Recording RawRecording(const MocapTake& take, const MocapBody& body) {
  Recording raw;
  raw.time = take.time;
  raw.values.assign(7, {});
  for (std::size_t k = 0; k < take.time.size(); ++k) {
    for (int i = 0; i < 3; ++i) raw.values[static_cast<std::size_t>(i)].push_back(body.position[k][i]);
    for (int i = 0; i < 4; ++i) raw.values[static_cast<std::size_t>(3 + i)].push_back(body.rotation[k][i]);
  }
  return raw;
}

}  // namespace

double MetersPer(std::string_view unit) {
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return EqualsIgnoringCase(unit, name); });
  };
  if (is({"m", "meter", "meters", "metre", "metres"})) return 1;
  if (is({"cm", "centimeter", "centimeters", "centimetre", "centimetres"})) return 0.01;
  if (is({"mm", "millimeter", "millimeters", "millimetre", "millimetres"})) return 0.001;
  if (is({"in", "inch", "inches"})) return 0.0254;
  if (is({"ft", "foot", "feet"})) return 0.3048;
  return 0;
}

Quaternion<double> TurnUp(char up) {
  const double half = std::sqrt(0.5);
  if (up == 'y') return {half, half, 0, 0};   // +90 degrees about x: y goes to z
  if (up == 'x') return {half, 0, -half, 0};  // -90 degrees about y: x goes to z
  return IdentityQuaternion<double>();
}

Quaternion<double> FromEuler(const std::string& order, const Eigen::Vector3d& angles) {
  Quaternion<double> q = IdentityQuaternion<double>();
  for (int i = 0; i < 3; ++i) {
    const int axis = (order[static_cast<std::size_t>(i)] | 0x20) - 'x';
    q = QuaternionProduct<double>(q, ExpSO3(Eigen::Vector3d(Eigen::Vector3d::Unit(axis) * angles[i])));
  }
  return q;
}

std::string LegalName(const std::string& name) {
  std::string legal;
  for (const char c : name) {
    const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_', digit = c >= '0' && c <= '9';
    if (digit && legal.empty()) legal += '_';
    legal += letter || digit ? c : '_';
    if (legal.size() >= 64) break;
  }
  return legal.empty() ? "body" : legal;
}

MocapBody FitMarkerBody(const MocapTake& take, const std::string& name, const std::vector<int>& markers,
                        std::vector<std::string>& notes) {
  const std::string field = "body " + name;
  if (markers.size() < 3)
    Fail(take, field, fmt::format("{} markers do not determine a pose.", markers.size()), "Name at least three.");
  const std::size_t frames = take.time.size(), count = markers.size();
  const auto place = [&](std::size_t m, std::size_t k) -> const Eigen::Vector3d& {
    return take.markers[static_cast<std::size_t>(markers[m])].position[k];
  };
  std::size_t reference = 0;
  const auto complete = [&](std::size_t k) {
    for (std::size_t m = 0; m < count; ++m)
      if (!place(m, k).allFinite()) return false;
    return true;
  };
  while (reference < frames && !complete(reference)) ++reference;
  if (reference == frames)
    Fail(take, field, "no frame shows all its markers.",
         "Leave out markers that are rarely seen: set option `body` to NAME=...");
  std::vector<Eigen::Vector3d> shape(count, Eigen::Vector3d::Zero());
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  for (std::size_t m = 0; m < count; ++m) center += place(m, reference) / static_cast<double>(count);
  for (std::size_t m = 0; m < count; ++m) shape[m] = place(m, reference) - center;

  // Two rounds: fit all frames to the first one's shape, average the shape in the body frame, fit again.
  MocapBody body{name, {}, {}};
  double squares = 0;
  long observed = 0;
  for (int round = 0; round < 2; ++round) {
    Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
    for (const Eigen::Vector3d& s : shape) inertia += s * s.transpose();
    const Eigen::Vector3d widths = DecomposeSingular(inertia).values;
    if (!(widths[1] > 1e-6 * widths[0]))
      Fail(take, field, "its markers lie in a line, so the rotation about that line is undetermined.",
           "Name a marker off that line.");
    body.position.assign(frames, Eigen::Vector3d::Constant(kMissing));
    body.rotation.assign(frames, Quaternion<double>::Constant(kMissing));
    std::vector<Eigen::Vector3d> sum(count, Eigen::Vector3d::Zero());
    std::vector<double> seen_in(count, 0);
    squares = 0;
    observed = 0;
    Quaternion<double> before = IdentityQuaternion<double>();
    for (std::size_t k = 0; k < frames; ++k) {
      std::vector<std::size_t> seen;
      Eigen::Vector3d mean = Eigen::Vector3d::Zero(), mean_shape = Eigen::Vector3d::Zero();
      for (std::size_t m = 0; m < count; ++m)
        if (place(m, k).allFinite()) seen.push_back(m);
      if (seen.size() < 3) continue;
      for (const std::size_t m : seen) {
        mean += place(m, k) / static_cast<double>(seen.size());
        mean_shape += shape[m] / static_cast<double>(seen.size());
      }
      Eigen::Matrix3d cross = Eigen::Matrix3d::Zero();
      for (const std::size_t m : seen) cross += (place(m, k) - mean) * (shape[m] - mean_shape).transpose();
      const SingularDecomposition svd = DecomposeSingular(cross);
      if (!(svd.values[1] > 1e-9 * svd.values[0])) continue;
      const double sign = Eigen::Matrix3d(svd.U * svd.V.transpose()).determinant() < 0 ? -1 : 1;
      const Eigen::Matrix3d R = svd.U * Eigen::Vector3d(1, 1, sign).asDiagonal() * svd.V.transpose();
      Quaternion<double> q = QuaternionFromMatrix<double>(R);
      if (q.dot(before) < 0) q = -q;
      before = q;
      body.rotation[k] = q;
      body.position[k] = mean - R * mean_shape;
      for (const std::size_t m : seen) {
        const Eigen::Vector3d in_body = R.transpose() * (place(m, k) - body.position[k]);
        squares += (in_body - shape[m]).squaredNorm();
        ++observed;
        sum[m] += in_body;
        seen_in[m] += 1;
      }
    }
    if (round == 0)
      for (std::size_t m = 0; m < count; ++m)
        if (seen_in[m] > 0) shape[m] = sum[m] / seen_in[m];
  }
  notes.push_back(
      fmt::format("{}: made of {} markers; they fit a rigid body to {:.3g} {} rms. Its frame is in the middle of the "
                  "markers; set option `pivot` to move it",
                  name, count, std::sqrt(squares / static_cast<double>(std::max<long>(1, observed))),
                  take.unit.empty() ? "units" : take.unit));
  return body;
}

ImportedRecording ConvertTake(const MocapTake& take, const ImportOptions& options) {
  ImportedRecording result;
  result.notes.push_back(fmt::format("{}: {}", take.file, take.format));
  result.notes.insert(result.notes.end(), take.notes.begin(), take.notes.end());

  const std::string& unit = options.unit.empty() ? take.unit : options.unit;
  if (unit.empty())
    Fail(take, "unit", "the file does not state its length unit.", "Set option `unit` to m, cm, mm, in or ft.");
  const double meters = MetersPer(unit);
  if (meters == 0)
    Fail(take, "unit", fmt::format("`{}` is not a known length unit.", Printable(unit)),
         "Set option `unit` to m, cm, mm, in or ft.");
  result.notes.push_back(fmt::format("unit: {} ({})", unit, options.unit.empty() ? "from the file" : "as stated"));
  const char up = options.up != 0 ? options.up : take.usual_up;
  result.notes.push_back(
      options.up != 0
          ? fmt::format("up axis: {} (as stated); turned to z up", up)
          : fmt::format("up axis: {}, {}; turned to z up. Set option `up` if that is wrong", up, take.up_reason));

  if (take.time.size() < 2) Fail(take, "", "has fewer than two frames.", "Export the whole take.");
  const ClockHealth clock = CheckClock(take.time);
  result.notes.push_back(fmt::format("rate: {:.6g} Hz from the times{}", clock.rate,
                                     take.rate ? fmt::format(", {:.6g} Hz stated", *take.rate) : ""));
  if (take.rate && std::abs(*take.rate * clock.interval - 1) > 2e-3)
    result.notes.push_back("warning: the stated rate and the times disagree; the times are used");
  if (clock.dropped_frames > 0)
    result.notes.push_back(fmt::format("dropped frames: {} in {} gaps", clock.dropped_frames, clock.gaps));

  std::vector<MocapBody> bodies = ChooseBodies(take, options, result.notes);
  const Quaternion<double> turn = TurnUp(up);
  const std::array<double, 7>& given = options.pivot;
  Quaternion<double> pivot_q(given[3], given[4], given[5], given[6]);
  if (!(std::abs(pivot_q.norm() - 1) < 1e-2))
    throw InputError({}, "pivot", "its quaternion does not have the length 1.", "Write x,y,z or x,y,z,qw,qx,qy,qz.");
  pivot_q /= pivot_q.norm();
  const Eigen::Vector3d pivot_p(given[0], given[1], given[2]);

  Recording& recording = result.recording;
  recording.file = take.file;
  for (const double t : take.time) recording.time.push_back(t - take.time.front());
  if (take.time.front() != 0)
    result.notes.push_back(fmt::format("time: starts at {} s in the file, at 0 here", FormatDouble(take.time.front())));
  std::vector<std::string> names;
  for (MocapBody& body : bodies) {
    const std::vector<int> frozen = FindFrozenRows(RawRecording(take, body), {0, 1, 2, 3, 4, 5, 6});
    for (const int k : frozen) body.position[static_cast<std::size_t>(k)].setConstant(kMissing);
    if (!frozen.empty())
      result.notes.push_back(
          fmt::format("{}: {} frozen frames (exact repeats while it moves, first in frame {}) "
                      "become missing values",
                      body.name, frozen.size(), frozen.front() + 1));
    std::string name = LegalName(body.name);
    while (std::find(names.begin(), names.end(), name) != names.end()) name += "_";
    names.push_back(name);
    const std::string prefix = bodies.size() > 1 ? name + "." : "";
    for (const char* column : {"x", "y", "z", "qw", "qx", "qy", "qz"}) recording.columns.push_back(prefix + column);
    const std::size_t base = recording.values.size();
    recording.values.resize(base + 7, std::vector<double>(take.time.size(), kMissing));
    Quaternion<double> before = IdentityQuaternion<double>();
    int missing = 0, flips = 0;
    for (std::size_t k = 0; k < take.time.size(); ++k) {
      if (!body.position[k].allFinite() || !body.rotation[k].allFinite()) {
        ++missing;
        continue;
      }
      const Quaternion<double> q_WP = QuaternionProduct<double>(turn, body.rotation[k]);
      const Eigen::Vector3d p_WP = Rotate<double>(turn, Eigen::Vector3d(body.position[k] * meters));
      const Eigen::Vector3d p = p_WP + Rotate<double>(q_WP, pivot_p);
      Quaternion<double> q = QuaternionProduct<double>(q_WP, pivot_q);
      q /= q.norm();
      if (q.dot(before) < 0) {
        q = -q;
        flips += k > 0 ? 1 : 0;
      }
      before = q;
      for (int i = 0; i < 3; ++i) recording.values[base + static_cast<std::size_t>(i)][k] = p[i];
      for (int i = 0; i < 4; ++i) recording.values[base + 3 + static_cast<std::size_t>(i)][k] = q[i];
    }
    if (missing == static_cast<int>(take.time.size()))
      Fail(take, "body " + body.name, "is missing in every frame.",
           "Reconstruct and solve the take before exporting it, or choose another with option `body`.");
    if (missing > 0)
      result.notes.push_back(fmt::format("{}: {} of {} frames are missing", body.name, missing, take.time.size()));
    if (flips > 0)
      result.notes.push_back(fmt::format("{}: {} sign changes of the quaternion removed", body.name, flips));
  }
  if (bodies.size() > 1) result.notes.push_back("bodies: " + JoinList(names) + "; choose one with option `body`");
  return result;
}

}  // namespace ricochet
