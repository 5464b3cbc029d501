// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dynamics/spatial_contacts.h"
#include "examine/doctor_tracks.h"
#include "math/so3.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// Mean of measurements with their own variances and a common variance between them (DerSimonian and Laird 1986).
Measured PoolRandomEffects(const std::vector<Measured>& values) {
  double w1 = 0, w2 = 0, mean = 0;
  for (const Measured& x : values) {
    const double w = 1 / (x.std * x.std);
    w1 += w;
    w2 += w * w;
    mean += w * x.value;
  }
  mean /= w1;
  double q = 0;
  for (const Measured& x : values) q += (x.value - mean) * (x.value - mean) / (x.std * x.std);
  const double dof = static_cast<double>(values.size()) - 1;
  const double between = dof > 0 ? std::max(0.0, (q - dof) / (w1 - w2 / w1)) : 0;
  double weights = 0, sum = 0;
  for (const Measured& x : values) {
    const double w = 1 / (x.std * x.std + between);
    weights += w;
    sum += w * x.value;
  }
  return {sum / weights, 1 / std::sqrt(weights)};
}

/// Of points the angle says nothing.
std::string NoiseText(const std::vector<double>& position, const std::vector<double>& angle) {
  const double turn = angle.empty() ? 0 : Median(angle);
  return fmt::format("{:.3g} mm{} per axis (median)", 1e3 * Median(position),
                     turn > 0 ? fmt::format(", {:.3g} deg", turn / kDegree) : "");
}

/// "[0.01, 0, -9.8]", as scenes have it.
std::string VectorText(const Eigen::Vector3d& v, bool planar) {
  if (planar) return fmt::format("[{:.3f}, {:.3f}]", v[0], v[2]);
  return fmt::format("[{:.3f}, {:.3f}, {:.3f}]", v[0], v[1], v[2]);
}

/// The angle between free fall and a gravity, where the recordings show clearly that there is one [rad].
std::optional<Measured> LeanFrom(const std::vector<DoctorTrack>& tracks, const Examination& report,
                                 const Eigen::Vector3d& gravity) {
  constexpr double kClear = 5 * 5, kLeast = 0.3 * kDegree;  // squared standard deviations, [rad]
  const Eigen::Vector3d down = gravity.normalized();
  int least = 0;
  down.cwiseAbs().minCoeff(&least);
  std::vector<Eigen::Vector3d> axes = {down.cross(Eigen::Vector3d::Unit(least)).normalized()};
  axes.push_back(down.cross(axes[0]));
  if (tracks[0].toss.track.planar) axes = {Eigen::Vector3d(-down[2], 0, down[0])};
  double squares = 0, deviations = 0, deviation = 0;
  for (const Eigen::Vector3d& axis : axes) {
    std::vector<Measured> across;
    for (const DoctorTrack& track : tracks) {
      const ExaminedRecording& entry = report.recordings[static_cast<std::size_t>(track.report)];
      if (entry.acceleration && entry.acceleration_std > 0)
        across.push_back({entry.acceleration->dot(axis), entry.acceleration_std});
    }
    if (across.empty()) return std::nullopt;
    const Measured mean = PoolRandomEffects(across);
    squares += mean.value * mean.value;
    deviations += mean.value * mean.value / (mean.std * mean.std);
    deviation = std::max(deviation, mean.std);
  }
  const Measured lean{std::sqrt(squares) / gravity.norm(), deviation / gravity.norm()};
  return deviations > kClear && lean.value > kLeast ? std::optional(lean) : std::nullopt;
}

/// Mean and its standard error.
std::optional<Measured> MeanOf(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const double n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double x : values) mean += x / n;
  for (const double x : values) squares += (x - mean) * (x - mean);
  return Measured{mean, n > 1 ? std::sqrt(squares / (n - 1) / n) : 0};
}

void PoolGravity(const std::vector<DoctorTrack>& tracks, const GravityVote& vote, Examination& report) {
  if (!vote.found) return;
  report.unit = vote.unit;
  const Eigen::Vector3d down = vote.gravity.normalized();
  int axis = 0;
  down.cwiseAbs().maxCoeff(&axis);
  if (std::abs(down[axis]) > 0.97) report.up = static_cast<char>((down[axis] < 0 ? 'x' : 'X') + axis);

  std::vector<Measured> along_down, forward, side;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  double weights = 0;
  for (const DoctorTrack& track : tracks) {
    const ExaminedRecording& entry = report.recordings[static_cast<std::size_t>(track.report)];
    if (!entry.acceleration || !(entry.acceleration_std > 0)) continue;
    const Eigen::Vector3d& a = *entry.acceleration;
    const double deviation = entry.acceleration_std;
    along_down.push_back({a.dot(down), deviation});
    const double w = 1 / (deviation * deviation + 1e-4);
    sum += a * w;
    weights += w;
    if (!entry.heading) continue;
    const Eigen::Vector2d& h = *entry.heading;
    forward.push_back({a[0] * h[0] + a[1] * h[1], deviation});
    side.push_back({-a[0] * h[1] + a[1] * h[0], deviation});
  }
  if (along_down.empty()) return;
  const Measured pooled = PoolRandomEffects(along_down);
  // Flights that scatter this much are none.
  constexpr double kScatter = 0.05;
  if (!(pooled.std < kScatter * pooled.value)) {
    for (const DoctorTrack& track : tracks)
      report.recordings[static_cast<std::size_t>(track.report)].acceleration.reset();
    report.unit.clear();
    report.up = 0;
    return;
  }
  report.gravity = pooled;
  report.gravity_vector = sum / weights;
  if (!forward.empty()) {
    report.gravity_along = PoolRandomEffects(forward);
    report.gravity_side = PoolRandomEffects(side);
  }
  report.scale_by_gravity =
      Measured{report.gravity->value / report.gravity_expected, report.gravity->std / report.gravity_expected};
}

void PoolRest(Examination& report) {
  std::vector<double> height, scale, lean, along, side;
  Eigen::Vector2d fixed = Eigen::Vector2d::Zero();
  double expected = 0;
  for (const ExaminedRecording& entry : report.recordings) {
    if (entry.rest_height && entry.rest_height_expected) {
      height.push_back(*entry.rest_height);
      scale.push_back(*entry.rest_height / *entry.rest_height_expected);
      expected += *entry.rest_height_expected;
    }
    if (!entry.lean) continue;
    lean.push_back(entry.lean->norm());
    fixed += *entry.lean;
    if (!entry.heading) continue;
    const Eigen::Vector2d &l = *entry.lean, &h = *entry.heading;
    along.push_back(l.dot(h));
    side.push_back(-l[0] * h[1] + l[1] * h[0]);
  }
  if (!height.empty()) {
    report.rest_height = MeanOf(height);
    report.rest_height_expected = expected / static_cast<double>(height.size());
    report.scale_by_rest = MeanOf(scale);
  }
  report.lean = MeanOf(lean);
  if (!lean.empty()) report.lean_fixed = fixed.norm() / static_cast<double>(lean.size());
  report.lean_along = MeanOf(along);
  report.lean_side = MeanOf(side);
}

/// Reach of the corners from frames that stand on them; see doctor.h.
void PoolCorners(const std::vector<DoctorTrack>& tracks, const GravityVote& vote, Examination& report) {
  std::vector<double> ratios;
  std::vector<std::pair<double, int>> per_track;  // ratio, track
  double face_distance = 0;
  int faces = 0, index = 0;
  for (const DoctorTrack& track : tracks) {
    ++index;
    const ExaminedRecording& entry = report.recordings[static_cast<std::size_t>(track.report)];
    const Toss& toss = track.toss;
    if (!track.body.shape || toss.rest < 0 || toss.contact < 0 || !entry.lean) continue;
    const SpatialShape<double>& shape = *track.body.shape;
    if (shape.vertices.empty()) continue;
    const MeanPose rest = AveragePose(toss.track, toss.rest, std::min(toss.track.size(), toss.rest + 60));
    const Eigen::Vector3d& up = track.body.up;
    // The surface is where the lower face rests; its normal is that of the upper face.
    Eigen::Vector3d normal = up;
    double best = -1;
    for (const Eigen::Vector3d& face : track.body.normals) {
      const Eigen::Vector3d turned = Rotate<double>(rest.rotation, face);
      if (turned.dot(up) > best) {
        best = turned.dot(up);
        normal = turned;
      }
    }
    const auto support = [&](const Quaternion<double>& rotation) {
      return -LowestPoint<double>(shape, RotateInverse<double>(rotation, normal));
    };
    const double at_rest = support(rest.rotation);
    double highest = 0;
    for (const Eigen::Vector3d& vertex : shape.vertices) highest = std::max(highest, vertex.norm());
    face_distance += at_rest;
    ++faces;
    for (int k = toss.contact; k < toss.rest; ++k) {
      const bool flying = std::any_of(toss.flights.begin(), toss.flights.end(),
                                      [k](const FlightArc& arc) { return k >= arc.first && k < arc.last; });
      const double expected = support(toss.track.rotation[k]) - at_rest;
      if (flying || expected < 0.4 * (highest - at_rest)) continue;
      const double found = normal.dot(toss.track.position[k] - rest.position) / vote.units_per_meter;
      ratios.push_back(found / expected);
      per_track.emplace_back(ratios.back(), index);
    }
  }
  if (ratios.size() < 10 || faces == 0) return;
  Measured reach{HalfSampleMode(ratios), 0};
  // Spread by ten groups of whole recordings.
  std::vector<double> modes;
  for (int group = 0; group < 10; ++group) {
    std::vector<double> part;
    for (const auto& [ratio, track] : per_track)
      if (track % 10 == group) part.push_back(ratio);
    if (part.size() >= 10) modes.push_back(HalfSampleMode(part));
  }
  if (const auto mean = MeanOf(modes); mean && modes.size() > 2) reach = *mean;
  report.corner_reach = reach;
  report.corner_shortfall = (1 - reach.value) * face_distance / faces;
}

}  // namespace

void PoolReports(const std::vector<DoctorTrack>& tracks, const GravityVote& vote, const Scene* scene,
                 Examination& report) {
  PoolGravity(tracks, vote, report);
  if (report.up == 'z') {
    PoolRest(report);
    PoolCorners(tracks, vote, report);
  }
  const auto add = [&](Finding finding) { report.findings.push_back(std::move(finding)); };

  for (const Mistake& mistake : report.mistakes) {
    // One line for all recordings that share it.
    const auto same = std::find_if(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
      return finding.verdict == CheckLevel::kBad && finding.check == mistake.check;
    });
    if (same == report.findings.end()) add({mistake.check, mistake.problem, "", CheckLevel::kBad, mistake.remedy});
  }

  // Clock and frames.
  std::vector<double> rates, jitter, noise, angle, rest_noise, rest_angle;
  int rows = 0, dropped = 0, incomplete = 0, frozen = 0, outliers = 0, with_outliers = 0, flips = 0;
  double norm = 0;
  int filtered = 0;
  for (const ExaminedRecording& entry : report.recordings) {
    filtered += entry.filtered ? 1 : 0;
    rates.push_back(entry.rate);
    jitter.push_back(entry.jitter);
    rows += entry.rows;
    dropped += entry.dropped_frames;
    incomplete += entry.incomplete_rows;
    frozen += static_cast<int>(entry.frozen_rows.size());
    outliers += static_cast<int>(entry.outlier_rows.size());
    with_outliers += entry.outlier_rows.empty() ? 0 : 1;
    flips += entry.sign_flips;
    norm = std::max(norm, entry.norm_error);
    if (entry.noise_position) noise.push_back(*entry.noise_position);
    if (entry.noise_angle) angle.push_back(*entry.noise_angle);
    if (entry.rest_noise_position) rest_noise.push_back(*entry.rest_noise_position);
    if (entry.rest_noise_angle) rest_angle.push_back(*entry.rest_noise_angle);
  }
  const double rate = Median(rates);
  const double low = *std::min_element(rates.begin(), rates.end()),
               high = *std::max_element(rates.begin(), rates.end());
  const double worst_jitter = *std::max_element(jitter.begin(), jitter.end());
  if (high > 0)
    add({"rate",
         high - low < 1e-3 * rate
             ? fmt::format("{:.2f} Hz, spacing even to {:.2g} %", rate, 100 * worst_jitter)
             : fmt::format("{:.2f} to {:.2f} Hz, spacing even to {:.2g} %", low, high, 100 * worst_jitter),
         "", worst_jitter > 0.1 || high - low > 0.01 * rate ? CheckLevel::kWatch : CheckLevel::kOk,
         worst_jitter > 0.1 ? "The clock is uneven: keep the times as recorded, do not resample." : ""});
  else
    add({"rate", "a single row has no rate", "", CheckLevel::kUnknown, ""});
  add({"dropped frames", fmt::format("{} dropped, {} rows with missing values, of {}", dropped, incomplete, rows), "0",
       dropped + incomplete == 0 ? CheckLevel::kOk : CheckLevel::kWatch,
       dropped + incomplete > 0 ? "Dropped frames are skipped, not filled; record again if one is at an impact." : ""});
  add({"frozen frames", fmt::format("{}", frozen), "0", frozen == 0 ? CheckLevel::kOk : CheckLevel::kWatch,
       frozen > 0 ? tracks.empty() ? "The sensor repeated its last value while the joint moved: empty those cells."
                                   : "The tracker repeated its last pose while the body moved: empty those cells."
                  : ""});
  if (std::any_of(report.recordings.begin(), report.recordings.end(),
                  [](const ExaminedRecording& entry) { return entry.kind == "spatial"; }))
    add({"quaternions", fmt::format("length 1 to {:.1g}, {} sign changes", norm, flips), "",
         norm > 1e-3 ? CheckLevel::kWatch : CheckLevel::kOk,
         norm > 1e-3 ? "Quaternions should have length 1: export with more digits." : ""});
  add({"outliers", fmt::format("{} frames in {} recordings", outliers, with_outliers), "0",
       outliers == 0 ? CheckLevel::kOk : CheckLevel::kWatch,
       outliers > 0 ? "Single tracking faults; fits of flights exclude them. Empty those cells to be safe." : ""});
  const bool joints = noise.empty() && rest_noise.empty();
  if (!noise.empty() || !angle.empty())
    add({joints ? "noise" : "noise in flight",
         joints ? fmt::format("{:.3g} deg (median)", Median(angle) / kDegree) : NoiseText(noise, angle), "",
         CheckLevel::kOk, ""});
  if (filtered > 0)
    add({"filtering", fmt::format("neighboring rows share their noise in {} recordings", filtered), "0",
         CheckLevel::kWatch,
         "The recordings were filtered or interpolated, which blunts impacts and hides noise: export raw data, or "
         "state the noise (observe.noise)."});
  if (!rest_noise.empty()) add({"noise at rest", NoiseText(rest_noise, rest_angle), "", CheckLevel::kOk, ""});
  if (tracks.empty()) return;

  // Gravity: magnitude, unit, direction.
  const char* const from = scene != nullptr ? "scene" : "standard";
  if (!report.gravity) {
    add({"gravity", "no free flight found", fmt::format("{:.4g} m/s^2 ({})", report.gravity_expected, from),
         CheckLevel::kUnknown, ""});
  } else {
    const Measured& g = *report.gravity;
    const double off = g.value / report.gravity_expected - 1;
    const double sigma = std::max(g.std, 1e-12);
    const bool wrong_unit = report.unit != "m";
    const bool differs = std::abs(off) > 0.004 && std::abs(off) * report.gravity_expected > 4 * sigma;
    const CheckLevel verdict = differs ? CheckLevel::kWatch : CheckLevel::kOk;
    std::string remedy;
    if (differs && !wrong_unit)
      remedy =
          std::abs(g.value / kStandardGravity - 1) < 0.003
              ? fmt::format("The recording falls as bodies on Earth do: set the scene's gravity to {:.3f}.", g.value)
              : fmt::format(
                    "Either lengths are {} by {:.1f} % or the clock is off by half that. Set gravity to "
                    "{:.3f}, or observe.length_scale to {:.4f}.",
                    off < 0 ? "short" : "long", 100 * std::abs(off), g.value, 1 + off);
    add({"gravity",
         fmt::format("{:.3f} +- {:.3f} m/s^2 ({:+.1f} %){}", g.value, g.std, 100 * off,
                     wrong_unit && !report.unit.empty() ? fmt::format(", lengths taken as {}", report.unit) : ""),
         fmt::format("{:.4g} m/s^2 ({})", report.gravity_expected, from), verdict, remedy});
    const Eigen::Vector3d down = vote.gravity.normalized();
    std::string direction =
        report.up == 0 ? fmt::format("({:.3f}, {:.3f}, {:.3f})", down[0], down[1], down[2])
                       : fmt::format("{}{} is up", report.up < 'a' ? "-" : "", static_cast<char>(report.up | 0x20));
    const bool planar = tracks[0].toss.track.planar;
    if (planar && (report.up | 0x20) == 'z') direction = report.up == 'z' ? "y is up" : "-y is up";
    double lean = std::hypot(report.gravity_vector->x(), report.gravity_vector->y()) / g.value;
    if (report.up == 'z' && !planar) {
      direction += fmt::format(", off by {:.2f} deg on average", lean / kDegree);
      if (report.gravity_along)
        direction +=
            fmt::format("; seen along the toss, it leans {:.2f} +- {:.2f} deg forward, {:.2f} +- {:.2f} deg left",
                        -report.gravity_along->value / g.value / kDegree, report.gravity_along->std / g.value / kDegree,
                        -report.gravity_side->value / g.value / kDegree, report.gravity_side->std / g.value / kDegree);
    }
    const Eigen::Vector3d expected = GravityOfScene(scene).value_or(-Eigen::Vector3d::UnitZ());
    const bool as_scene = down.dot(expected.normalized()) > 0.97;
    std::string turn = as_scene ? "" : "Rotate the recording, or set gravity.tilt.";
    if (const auto lean_of = scene != nullptr && as_scene ? LeanFrom(tracks, report, expected) : std::nullopt)
      turn = fmt::format(
          "Gravity leans {:.2f} +- {:.2f} deg from that of the scene: level the axes of the recording, or set the "
          "scene's gravity to {}.",
          lean_of->value / kDegree, lean_of->std / kDegree, VectorText(*report.gravity_vector, planar));
    add({"up", direction, planar ? "y is up" : "z is up", turn.empty() ? CheckLevel::kOk : CheckLevel::kWatch, turn});
  }
  std::vector<Measured> drags;
  for (const ExaminedRecording& entry : report.recordings)
    if (entry.drag) drags.push_back(*entry.drag);
  if (!drags.empty()) {
    const Measured drag = PoolRandomEffects(drags);
    add({"air drag",
         fmt::format("{:.2g} +- {:.1g} m/s^2 per m/s of speed, in {} of {} tracks", drag.value, drag.std, drags.size(),
                     report.recordings.size()),
         "0", CheckLevel::kWatch,
         "The air slows the body, which fits of free bodies do not model: use a heavier body or slower throws."});
  }

  // Scale and geometry.
  if (report.scale_by_gravity && report.unit == "m" && report.up == 'z') {
    std::string found =
        fmt::format("{:.4f} +- {:.4f} by gravity", report.scale_by_gravity->value, report.scale_by_gravity->std);
    bool off = std::abs(report.scale_by_gravity->value - 1) > std::max(0.004, 4 * report.scale_by_gravity->std);
    if (report.scale_by_rest) {
      found += fmt::format(", {:.4f} +- {:.4f} by rest", report.scale_by_rest->value, report.scale_by_rest->std);
      off = off || std::abs(report.scale_by_rest->value - 1) > std::max(0.004, 4 * report.scale_by_rest->std);
    }
    add({"length scale", found, "1", off ? CheckLevel::kWatch : CheckLevel::kOk,
         off && report.scale_by_rest && std::abs(report.scale_by_rest->value - report.scale_by_gravity->value) < 0.01
             ? fmt::format("Gravity and resting height agree: lengths are about {:.1f} % {}.",
                           50 * std::abs(2 - report.scale_by_rest->value - report.scale_by_gravity->value),
                           report.scale_by_gravity->value < 1 ? "short" : "long")
             : ""});
  }
  if (report.rest_height) {
    const double difference = report.rest_height->value - report.rest_height_expected;
    const bool off = std::abs(difference) > std::max(0.5e-3, 4 * report.rest_height->std);
    add({"resting height",
         fmt::format("{:.2f} +- {:.2f} mm ({:+.2f} mm)", 1e3 * report.rest_height->value, 1e3 * report.rest_height->std,
                     1e3 * difference),
         fmt::format("{:.2f} mm (scene)", 1e3 * report.rest_height_expected),
         off ? CheckLevel::kWatch : CheckLevel::kOk,
         off ? fmt::format(
                   "The surface is not where the scene has it, or the body is smaller: move the surface by {:+.1f} mm, "
                   "or correct the size.",
                   1e3 * difference)
             : ""});
  }
  if (report.corner_reach) {
    const bool off = std::abs(report.corner_shortfall) > 1e-3 &&
                     std::abs(1 - report.corner_reach->value) > 4 * report.corner_reach->std;
    add({"corners",
         fmt::format("{:.1f} mm {} ({:.1f} +- {:.1f} % of their reach)", 1e3 * std::abs(report.corner_shortfall),
                     report.corner_shortfall >= 0 ? "short" : "long", 100 * report.corner_reach->value,
                     100 * report.corner_reach->std),
         "0 mm (scene)", off ? CheckLevel::kWatch : CheckLevel::kOk,
         off ? "Corners and edges are rounded, or the body is smaller than the scene's: estimate its size." : ""});
  }
  if (report.lean) {
    const Measured& lean = *report.lean;
    std::string found = fmt::format("leans {:.2f} deg", lean.value / kDegree);
    const bool several = report.lean_along && report.recordings.size() > 2;
    if (several) {
      const double together = std::hypot(report.lean_along->value, report.lean_side->value);
      if (together > 1.5 * report.lean_fixed)
        found += fmt::format(", always alike along the toss: {:.2f} deg forward, {:.2f} deg left",
                             report.lean_along->value / kDegree, report.lean_side->value / kDegree);
      else
        found += ", in the same direction in all recordings";
    }
    const bool off = lean.value > 0.3 * kDegree;
    add({"surface at rest", found, "0 deg", off ? CheckLevel::kWatch : CheckLevel::kOk,
         off ? (several && std::hypot(report.lean_along->value, report.lean_side->value) > 1.5 * report.lean_fixed
                    ? "The surface is tilted, and the recordings are rotated about the vertical relative to each "
                      "other: estimate the tilt per recording, or rotate them to a common direction first."
                    : "The surface is tilted: set its normal, or estimate it.")
             : ""});
  }

  // What happened.
  int flights = 0, contacts = 0, rests = 0;
  std::vector<double> release, contact, rest, impacts;
  for (const ExaminedRecording& entry : report.recordings) {
    flights += entry.acceleration ? 1 : 0;
    if (entry.contact_time && entry.release_time) {
      ++contacts;
      contact.push_back(*entry.contact_time - *entry.release_time);
    }
    if (entry.rest_time) {
      ++rests;
      if (entry.contact_time) rest.push_back(*entry.rest_time - *entry.contact_time);
    }
    impacts.push_back(static_cast<double>(entry.impacts.size()));
  }
  const int moving = static_cast<int>(tracks.size());
  if (flights == 0) {
    add({"events", "no free flight, so gravity and axes are not checked", "", CheckLevel::kOk, ""});
  } else {
    std::string found = fmt::format("{} with flight, {} with contact", flights, contacts);
    if (!contact.empty()) found += fmt::format(" {:.3f} s after release", Median(contact));
    found += fmt::format(", {} with rest", rests);
    if (!rest.empty()) found += fmt::format(" {:.3f} s later", Median(rest));
    const double each = std::round(Median(impacts));
    found += fmt::format("; {:.0f} impact{} each (medians)", each, each == 1 ? "" : "s");
    add({"events", found, "", flights == moving ? CheckLevel::kOk : CheckLevel::kWatch, ""});
  }
}

}  // namespace ricochet
