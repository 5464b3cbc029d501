// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "examine/mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>
#include <utility>

#include "core/threads.h"
#include "dataset/strange_motion.h"
#include "dataset/takes/point_tracks.h"
#include "examine/contact_evidence.h"
#include "examine/falls.h"
#include "math/manifold.h"
#include "math/so3.h"
#include "math/statistics.h"
#include "observation/poses_from_points.h"
#include "recording/recording_health.h"

namespace ricochet {
namespace {

constexpr int kRowsWeighed = 1500;      // weighed; longer recordings are thinned
constexpr double kSlowest = 0.2;        // [s] between rows of a motion with impacts
constexpr double kSameGravity = 0.12;   // of gravity, as for flights (toss.h)
constexpr double kAlongAxis = 0.1;      // [rad]
constexpr double kLongFall = 0.1;       // [s]; of a fall that speaks against the scene by itself
constexpr double kWellKnown = 0.03;     // of its acceleration: standard deviation
constexpr double kOtherGravity = 0.2;   // of gravity: a scale or a clock that is wrong
constexpr double kOtherByEarth = 0.05;  // the same, where Earth's gravity fits
constexpr double kEarth = 0.03;
constexpr double kHovers = 20;        // sizes of the body over the surface
constexpr double kLeastDegrees = 5;   // range of an angle that can be degrees
constexpr double kFastTurn = 2;       // [rad] between rows
constexpr double kOtherSize = 0.25;   // of the size
constexpr double kAlike = 0.04;       // scatter of what contacts have in common
constexpr double kClearly = 0.4;      // of the misfit that a change must leave
constexpr double kMostMissing = 0.5;  // of the rows

struct TimeUnit {
  const char* plural;
  double seconds;
};
constexpr std::array<TimeUnit, 3> kTimeUnits = {
    {{"milliseconds", 1e-3}, {"microseconds", 1e-6}, {"nanoseconds", 1e-9}}};

/// A body of a recording.
struct Subject {
  const Scene* scene = nullptr;
  Recording recording;  // with poses, thinned
  std::string prefix;
  DoctorBody body;
  Eigen::Vector3d gravity = {0, 0, -kStandardGravity};
  bool flies = true;     // nothing but gravity acts on the body in the air
  bool touches = false;  // surfaces are all that it can touch
  bool alone = false;    // the only body of the recording
  bool planar = false;

  std::string Column(const char* name) const { return prefix.empty() ? name : prefix + "." + name; }
  SpatialTrack Track(const RecordingChange& change) const {
    return TrackOfBody(scene, Repair(recording, change), prefix);
  }
};

/// What is wrong, and what repairs it.
struct Suspicion {
  std::string check, field, problem;
  RecordingChange change;
};

RecordingChange Join(const RecordingChange& first, const RecordingChange& second) {
  RecordingChange out = first;
  out.time *= second.time;
  out.length *= second.length;
  out.angle *= second.angle;
  out.real_last = first.real_last || second.real_last;
  out.turn_signs = first.turn_signs.cwiseProduct(second.turn_signs);
  out.axes = second.axes * first.axes;
  return out;
}

bool Requests(const Scene* scene, const std::vector<SelectedParameter>& requested, std::string_view prefix,
              std::string_view part = "") {
  if (scene == nullptr) return false;
  for (const SelectedParameter& selected : requested)
    for (const NumberId id : {selected.numerator, selected.denominator, selected.factor})
      if (id && scene->number(id).path.starts_with(prefix) && scene->number(id).path.find(part) != std::string::npos)
        return true;
  return false;
}

Recording Thinned(const Recording& recording) {
  const int step = (recording.rows() + kRowsWeighed - 1) / kRowsWeighed;
  if (step <= 1) return recording;
  Recording out = recording;
  const auto thin = [&](auto& values) {
    for (std::size_t i = 0; i * static_cast<std::size_t>(step) < values.size(); ++i)
      values[i] = values[i * static_cast<std::size_t>(step)];
    values.resize((values.size() + static_cast<std::size_t>(step) - 1) / static_cast<std::size_t>(step));
  };
  thin(out.time);
  thin(out.lines);
  for (std::vector<double>& column : out.values) thin(column);
  return out;
}

/// Rotation that takes a recorded axis (0..2, and its sign) to z.
Eigen::Matrix3d AxisUp(int axis, bool negative) {
  Eigen::Matrix3d turn;
  if (axis == 2) turn = Eigen::Vector3d(1, negative ? -1 : 1, negative ? -1 : 1).asDiagonal();
  if (axis == 1) turn << 1, 0, 0, 0, 0, negative ? 1 : -1, 0, negative ? -1 : 1, 0;
  if (axis == 0) {
    if (negative)
      turn << 0, 0, 1, 0, 1, 0, -1, 0, 0;
    else
      turn << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  }
  return turn;
}

/// Changes that put an axis up: in the plane y may be reversed with the angle or alone.
std::vector<RecordingChange> AxisChanges(int axis, bool negative, bool planar) {
  RecordingChange change;
  change.axes = AxisUp(axis, negative);
  if (!planar) return {change};
  if (axis == 0) {  // a turn in the plane
    change.axes << 0, 0, negative ? 1 : -1, 0, 1, 0, negative ? -1 : 1, 0, 0;
    return {change};
  }
  change.axes = Eigen::Vector3d(1, 1, -1).asDiagonal();
  RecordingChange with_angle = change;
  with_angle.angle = -1;
  return {with_angle, change};
}

std::string AxisName(int axis, bool negative, bool planar) {
  return fmt::format("{}{}", negative ? "-" : "", planar ? (axis == 2 ? 'y' : 'x') : static_cast<char>('x' + axis));
}

std::string AxisText(int axis, bool negative, bool planar) {
  if (planar && axis == 2) return "the y axis seems to point down";
  return fmt::format("{} is up, not {}", AxisName(axis, negative, planar), planar ? "y" : "z");
}

/// What the falls say against the scene's gravity: whether one agrees with it, and otherwise why not.
struct GravityFinding {
  bool right = false;
  std::vector<Suspicion> suspicions;       // to be tried in this order; one of them is true
  std::optional<std::string> unexplained;  // neither unit nor axis: gravity, scale or clock
};

GravityFinding ReadFalls(const Subject& subject, const std::vector<Fall>& falls) {
  GravityFinding out;
  const double g = subject.gravity.norm();
  for (const Fall& fall : falls)
    out.right = out.right || (fall.acceleration - subject.gravity).norm() < kSameGravity * g + 4 * fall.deviation;
  if (out.right || falls.empty()) return out;
  // The longest that some unit explains, otherwise the longest.
  const Fall& fall = *std::max_element(falls.begin(), falls.end(), [g](const Fall& a, const Fall& b) {
    const auto known = [g](const Fall& each) { return UnitOfFall(each.acceleration.norm(), g) != nullptr; };
    return known(a) != known(b) ? known(b) : a.duration < b.duration;
  });
  const double size = fall.acceleration.norm(), along_gravity = fall.acceleration.dot(subject.gravity) / (size * g);
  const bool down = -subject.gravity[2] > std::cos(kAlongAxis) * g, as_scene = along_gravity > std::cos(kAlongAxis);
  int axis = 0;
  fall.acceleration.cwiseAbs().maxCoeff(&axis);
  const bool along = std::abs(fall.acceleration[axis]) > std::cos(kAlongAxis) * size;
  const bool negative = fall.acceleration[axis] > 0;  // the negative axis points up

  const LengthUnit* const unit = UnitOfFall(size, g);
  const bool meters = unit == &kLengthUnits[0];
  if (unit != nullptr && !meters && as_scene) {
    RecordingChange change;
    change.length = 1 / unit->per_meter;
    out.suspicions.push_back({"unit", subject.Column("x"),
                              fmt::format("positions are in {}: free flight accelerates by {:.4g} per s^2, where the "
                                          "scene has {:.4g} m/s^2.",
                                          unit->plural, size, g),
                              change});
  } else if (unit != nullptr && along && down) {
    const std::string problem =
        fmt::format("{}: free flight accelerates by {:.3g} m/s^2 along {}.{}", AxisText(axis, negative, subject.planar),
                    size / unit->per_meter, AxisName(axis, !negative, subject.planar),
                    !meters ? fmt::format(" Positions are in {}.", unit->plural) : "");
    for (RecordingChange& change : AxisChanges(axis, negative, subject.planar)) {
      change.length = 1 / unit->per_meter;
      out.suspicions.push_back({"axes", subject.Column(subject.planar ? "y" : "z"), problem, change});
    }
  } else if (as_scene) {
    const bool earth = std::abs(size / kStandardGravity - 1) < kEarth;
    const double off = std::abs(size / g - 1);
    if (off > (earth ? kOtherByEarth : kOtherGravity) && off * g > 5 * fall.deviation && fall.duration > kLongFall &&
        fall.deviation < kWellKnown * size)
      out.unexplained = fmt::format(
          "free flight does not accelerate by the scene's gravity but by about {:.4g} +- {:.2g} m/s^2, where the scene "
          "has {:.4g}.",
          size, fall.deviation, g);
  } else if (meters && along_gravity < -std::cos(kAlongAxis)) {
    out.unexplained =
        fmt::format("gravity seems to point the wrong way: free flight accelerates by {:.4g} m/s^2 against it.", size);
  }
  return out;
}

/// Times that cannot be seconds, with what they may be; the first that gravity confirms.
std::optional<Suspicion> FindTimes(const Subject& subject, GravityFinding& gravity) {
  const std::vector<double>& time = subject.recording.time;
  const double interval = CheckClock(time).interval;
  if (!(interval > kSlowest)) return std::nullopt;
  const std::string rows = fmt::format("rows are {:.4g} apart", interval);
  for (const TimeUnit& unit : kTimeUnits) {
    if (interval * unit.seconds > kSlowest || interval * unit.seconds < 1e-6) continue;
    RecordingChange change;
    change.time = unit.seconds;
    GravityFinding found = ReadFalls(subject, FindFalls(subject.Track(change), subject.body.flight.p_BBcm));
    if (!found.right && subject.touches) {
      const ContactEvidence then = WeighContacts(subject.Track(change), subject.body, subject.gravity);
      found.right = then.Sound() && then.flight_frames > 0 && !then.contacts.empty();
    }
    if (!found.right && found.suspicions.empty()) continue;
    gravity = std::move(found);
    return Suspicion{
        "times", "t",
        fmt::format("times are in {}: {}; taken as seconds, a body would fall {:.3g} m between two of them.",
                    unit.plural, rows, 0.5 * subject.gravity.norm() * interval * interval),
        change};
  }
  const bool whole = std::all_of(time.begin(), time.end(), [](double t) { return t == std::round(t); });
  if (!whole) return std::nullopt;
  constexpr double kGuess = 100;  // frames per second
  RecordingChange change;
  change.time = 1 / kGuess;
  for (const Fall& fall : FindFalls(subject.Track(change), subject.body.flight.p_BBcm)) {
    const double rate = kGuess * std::sqrt(subject.gravity.norm() / fall.acceleration.norm());
    if (fall.acceleration.dot(subject.gravity) <
        std::cos(kAlongAxis) * fall.acceleration.norm() * subject.gravity.norm())
      continue;
    change.time = 1 / rate;
    gravity = {.right = true, .suspicions = {}, .unexplained = {}};
    return Suspicion{
        "times", "t",
        fmt::format("times are frame numbers: {}; by gravity the recorder made {:.4g} frames per second.", rows, rate),
        change};
  }
  return std::nullopt;
}

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

/// A unit or an axis that no fall shows, but with which contacts are at the surface and flights have gravity.
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
  if (-subject.gravity[2] < std::cos(kAlongAxis) * subject.gravity.norm()) return best;
  for (const bool negative : {false, true})
    for (int axis = negative ? 2 : 1; axis >= 0; --axis) {
      if (subject.planar && axis == 1) continue;
      for (RecordingChange& turned : AxisChanges(axis, negative, subject.planar))
        try_change(
            {"axes", subject.Column(subject.planar ? "y" : "z"), AxisText(axis, negative, subject.planar), turned});
    }
  return best;
}

/// Contacts that share a factor or a distance.
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

/// Whether the rows scatter no more than their noise.
bool StandsStill(const SpatialTrack& track) {
  const MeanPose mean = AveragePose(track, 0, track.size());
  double squares = 0, turns = 0;
  for (int k = 0; k < track.size(); ++k) {
    squares += (track.position[k] - mean.position).squaredNorm();
    turns += BoxMinusRotation<double>(track.rotation[k], mean.rotation).squaredNorm();
  }
  const double count = track.size(), axes = track.planar ? 2 : 3, angles = track.planar ? 1 : 3;
  return std::sqrt(squares / (axes * count)) < 1.5 * track.noise_position &&
         std::sqrt(turns / (angles * count)) < 1.5 * track.noise_angle;
}

/// Something acts along a surface, so that a body at rest shows that friction holds it: a known load, or an incline.
bool IsPushedSideways(const Subject& subject) {
  if (subject.scene == nullptr) return false;
  const Scene& scene = *subject.scene;
  if (!scene.actions.empty()) return true;
  constexpr double kIncline = 1e-3;  // [rad]
  return std::any_of(scene.surfaces.begin(), scene.surfaces.end(), [&](const Surface& surface) {
    Eigen::Vector3d normal;
    if (surface.normal.empty())
      normal << -std::sin(scene[surface.angle]), 0, std::cos(scene[surface.angle]);
    else
      normal << scene[surface.normal[0]], scene[surface.normal[1]], scene[surface.normal[2]];
    return normal.normalized().cross(subject.gravity.normalized()).norm() > kIncline;
  });
}

std::string RepairCommand(const Scene* scene, const std::string& file) {
  if (file.empty()) return "Use Repair() with the change that Examine() returns.";
  return fmt::format("Run: ricochet doctor {}{} option `repair` repaired, and use repaired/{}.", file,
                     scene != nullptr && !scene->file.empty() ? fmt::format(" option `scene` {}", scene->file) : "",
                     std::filesystem::path(file).filename().string());
}

/// The Mistake of all suspicions that were confirmed for a body.
Mistake MistakeOf(const Subject& subject, const std::vector<Suspicion>& confirmed) {
  Mistake out;
  out.file = subject.recording.file;
  out.check = confirmed.front().check;
  out.field = confirmed.front().field;
  RecordingChange change;
  for (const Suspicion& each : confirmed) {
    out.problem += (out.problem.empty() ? "" : " Moreover, ") + each.problem;
    change = Join(change, each.change);
  }
  out.change = change;
  out.remedy = RepairCommand(subject.scene, out.file);
  return out;
}

std::optional<Mistake> FindInSubject(const Subject& subject, const std::vector<SelectedParameter>& requested) {
  Mistake plain;
  plain.file = subject.recording.file;
  RecordingChange none;
  const SpatialTrack recorded = subject.Track(none);
  if (subject.alone && !IsPushedSideways(subject) && StandsStill(recorded)) {
    plain.check = "motion";
    plain.problem = fmt::format("the body never moves: all {} rows agree to within their noise of {:.2g} mm.",
                                recorded.size(), 1e3 * recorded.noise_position);
    plain.remedy = "Record a motion with impacts, or check that the right body was tracked.";
    return plain;
  }
  std::vector<Suspicion> confirmed;
  RecordingChange change;
  GravityFinding gravity;
  if (std::optional<Suspicion> times = subject.flies ? FindTimes(subject, gravity) : std::nullopt) {
    change = times->change;
    confirmed.push_back(std::move(*times));
  } else {
    try {
      RefuseStrangeMotion(subject.recording.file, subject.gravity.norm(), recorded.time, recorded.position);
    } catch (const InputError& error) {
      plain.check = error.path().empty() ? "unit" : "times";
      plain.field = error.path();
      plain.problem = error.problem();
      plain.remedy = error.remedy();
      return plain;
    }
    if (subject.flies) gravity = ReadFalls(subject, FindFalls(recorded, subject.body.flight.p_BBcm));
    if (subject.flies && !gravity.right && gravity.suspicions.empty() && !subject.body.flight.p_BBcm.isZero(0)) {
      // Where the rotation is wrong, the center of mass is too; the recorded point still falls almost as it should.
      GravityFinding point = ReadFalls(subject, FindFalls(recorded, Eigen::Vector3d::Zero()));
      if (!point.right) gravity.suspicions = std::move(point.suspicions);
    }
  }
  const auto weigh = [&](const RecordingChange& by) {
    return WeighContacts(subject.Track(Join(change, by)), subject.body, subject.gravity);
  };
  const double turn = MedianTurn(subject);
  const bool spins = turn > kFastTurn;
  const bool frame_open = Requests(subject.scene, requested, "observe.", "rotation") ||
                          Requests(subject.scene, requested, "observe.", "position") ||
                          Requests(subject.scene, requested, "observe.offset");
  const auto confirm_rotation = [&](const RecordingChange& base, const ContactEvidence& before) -> bool {
    if (frame_open) return false;
    std::optional<Suspicion> best;
    double least = INFINITY;
    for (Suspicion& each : RotationSuspicions(subject)) {
      const ContactEvidence then = weigh(Join(base, each.change));
      // A spin that is too fast for the rows hides its own impacts: those of the changed one must agree with its size.
      const bool slowed = spins && std::abs(each.change.angle) != 1 && then.gyration && !then.TurnsWrong() &&
                          *then.gyration < then.size * then.size;
      const bool turned_right = !spins && before.TurnsWrong() && then.gyration && !then.TurnsWrong() &&
                                *then.gyration < then.size * then.size;
      if (!then.Confirmed() || !(then.Misfit() < 0.5 * least) ||
          !(then.Misfit() < kClearly * before.Misfit() || turned_right || slowed))
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
    if (best) confirmed.push_back(std::move(*best));
    return best.has_value();
  };

  // Unit and axis by gravity, then the rotation.
  if (!gravity.suspicions.empty()) {
    Suspicion chosen = gravity.suspicions.front();
    if (subject.touches) {
      std::optional<ContactEvidence> found;
      for (const Suspicion& each : gravity.suspicions) {
        const ContactEvidence then = weigh(each.change);
        if (found && !(then.Misfit() < found->Misfit())) continue;
        found = then;
        chosen = each;
      }
      confirmed.push_back(chosen);
      if (!found->Sound()) confirm_rotation(chosen.change, *found);
      return MistakeOf(subject, confirmed);
    }
    confirmed.push_back(std::move(chosen));
    return MistakeOf(subject, confirmed);
  }
  std::optional<ContactEvidence> found;
  if (subject.touches) found = weigh(none);
  const bool doubtful = found && (found->depth > kHovers * found->size || spins || !found->Sound());
  if (doubtful && !gravity.right && confirmed.empty())
    if (std::optional<Suspicion> place = FindPlace(subject, *found)) {
      confirmed.push_back(std::move(*place));
      return MistakeOf(subject, confirmed);
    }
  if (doubtful && confirm_rotation(none, *found)) return MistakeOf(subject, confirmed);
  const bool flies = found && found->flight_frames > 0;
  if (confirmed.empty() && gravity.unexplained && !flies && !Requests(subject.scene, requested, "gravity") &&
      !Requests(subject.scene, requested, "observe.length_scale")) {
    plain.check = plain.field = "gravity";
    plain.problem = *gravity.unexplained;
    plain.remedy =
        "Correct `gravity` in the scene; if it is right, the unit of length (observe.length_scale) or the frame "
        "rate is wrong, with whose square the acceleration changes.";
    return plain;
  }
  const std::string shape = fmt::format("bodies.{}.shape", subject.body.name);
  if (confirmed.empty() && doubtful && !Requests(subject.scene, requested, "surfaces.") &&
      !Requests(subject.scene, requested, shape) && !Requests(subject.scene, requested, "observe."))
    return FindOtherSize(subject, *found);
  if (confirmed.empty()) return std::nullopt;
  return MistakeOf(subject, confirmed);
}

/// The bodies of a recording that can be weighed; throws InputError where its rows cannot be read.
std::vector<Subject> SubjectsOf(const Scene* scene, const Recording& given) {
  std::vector<Subject> out;
  const Recording recording = Thinned(scene != nullptr ? AddPosesFromPoints(*scene, given) : given);
  int shapes = 0;
  if (scene != nullptr)
    for (const Body& body : scene->bodies) shapes += body.shape ? 1 : 0;
  for (const std::string& prefix : BodiesWithPoses(recording)) {
    Subject subject;
    subject.scene = scene;
    subject.recording = recording;
    subject.prefix = prefix;
    subject.planar = recording.Find(subject.Column("theta")) >= 0;
    if (scene != nullptr && subject.planar != (scene->space == Space::kPlanar)) continue;
    subject.body = BodyOfScene(scene, prefix);
    if (scene != nullptr) {
      const std::optional<Eigen::Vector3d> gravity = GravityOfScene(scene);
      const bool jointed = std::any_of(scene->joints.begin(), scene->joints.end(), [&](const Joint& joint) {
        return joint.parent == subject.body.name || joint.child == subject.body.name;
      });
      subject.flies = gravity && scene->actions.empty() && !jointed && subject.body.has_scene;
      subject.gravity = gravity.value_or(Eigen::Vector3d::Zero());
      subject.touches = subject.flies && shapes == 1 && subject.body.shape && !subject.body.surfaces.empty();
    }
    out.push_back(std::move(subject));
  }
  if (out.size() == 1) out[0].alone = true;
  return out;
}

/// Whether a recording that shows no mistake by itself falls with gravity only when a change is made to it.
bool SharesMistake(const Scene* scene, const Recording& recording, const RecordingChange& change) {
  try {
    for (const Subject& subject : SubjectsOf(scene, recording)) {
      if (!subject.flies) continue;
      const auto flies = [&](const RecordingChange& by) {
        SpatialTrack track = subject.Track(by);
        const FlightBody body{subject.body.flight.p_BBcm, {}};
        TossOptions options;
        options.gravity = subject.gravity;
        return !MakeToss(std::move(track), body, options).flights.empty();
      };
      return !flies({}) && flies(change);
    }
  } catch (const InputError&) {
    // What cannot be read is the reader's to report.
  }
  return false;
}

/// Rows that are missing.
std::optional<Mistake> FindMissing(const Recording& recording) {
  // A tracker sees some of its markers in some of the rows.
  if (BodiesWithPoses(recording).empty() && !PointsOfRecording(recording).empty()) return std::nullopt;
  const ClockHealth clock = CheckClock(recording.time);
  int incomplete = 0;
  for (int row = 0; row < recording.rows(); ++row)
    incomplete += std::any_of(recording.values.begin(), recording.values.end(), [&](const std::vector<double>& column) {
      return std::isnan(column[static_cast<std::size_t>(row)]);
    });
  const int dropped = clock.gaps >= 3 && clock.jitter < 0.1 ? clock.dropped_frames : 0;
  const int all = recording.rows() + dropped, missing = incomplete + dropped;
  if (missing <= kMostMissing * all) return std::nullopt;
  Mistake out;
  out.file = recording.file;
  out.check = "rows";
  out.problem = fmt::format("{} of {} rows are missing or have empty cells.", missing, all);
  out.remedy = "Leave the recording out, or record again: at least half of the rows must be complete.";
  return out;
}

}  // namespace

std::vector<Mistake> FindMistakes(const Scene* scene, const std::vector<Recording>& recordings,
                                  const std::vector<SelectedParameter>& requested) {
  std::vector<std::optional<Mistake>> found(recordings.size());
  ParallelFor(static_cast<int>(recordings.size()), [&](int i) {
    const Recording& recording = recordings[static_cast<std::size_t>(i)];
    std::optional<Mistake>& mistake = found[static_cast<std::size_t>(i)];
    if (recording.rows() < kLeastTrack) return;
    const bool points = scene != nullptr && !scene->observe.points.empty();  // some of which may be hidden
    if (!points) mistake = FindMissing(recording);
    try {
      for (const Subject& subject : SubjectsOf(scene, recording))
        if (!mistake) mistake = FindInSubject(subject, requested);
    } catch (const InputError&) {
      // What cannot be read is the reader's to report.
    }
  });
  // Gravity, scale and clock are those of the session: of several recordings, most must speak against them.
  const auto of_gravity = [](const std::optional<Mistake>& each) { return each && each->check == "gravity"; };
  if (2 * std::count_if(found.begin(), found.end(), of_gravity) <= static_cast<std::ptrdiff_t>(found.size()))
    for (std::optional<Mistake>& each : found)
      if (of_gravity(each)) each.reset();
  // Recordings of one session share units, axes and order; single ones may show too little.
  const auto shared =
      std::find_if(found.begin(), found.end(), [](const std::optional<Mistake>& each) { return each && each->change; });
  if (shared != found.end())
    ParallelFor(static_cast<int>(recordings.size()), [&](int i) {
      std::optional<Mistake>& mistake = found[static_cast<std::size_t>(i)];
      const Recording& recording = recordings[static_cast<std::size_t>(i)];
      if (mistake || recording.rows() < kLeastTrack || !SharesMistake(scene, recording, *(*shared)->change)) return;
      mistake = **shared;
      mistake->file = recording.file;
      mistake->remedy = RepairCommand(scene, recording.file);
    });
  std::vector<Mistake> out;
  for (std::optional<Mistake>& mistake : found)
    if (mistake) out.push_back(std::move(*mistake));
  return out;
}

void RefuseMistakes(const Scene& scene, const std::vector<Recording>& recordings,
                    const std::vector<SelectedParameter>& requested) {
  const std::vector<Mistake> mistakes = FindMistakes(&scene, recordings, requested);
  if (mistakes.empty()) return;
  const Mistake& first = mistakes.front();
  throw InputError({first.file, 0, 0}, first.field,
                   first.problem + (mistakes.size() > 1 ? fmt::format(" So it is in {} of {} recordings.",
                                                                      mistakes.size(), recordings.size())
                                                        : ""),
                   first.remedy);
}

}  // namespace ricochet
