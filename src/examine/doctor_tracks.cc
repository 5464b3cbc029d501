// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "examine/doctor_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "dataset/joint_track.h"
#include "dataset/noise.h"
#include "dataset/takes/take_flights.h"
#include "dynamics/spatial_contacts.h"
#include "examine/falls.h"
#include "math/manifold.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kAlongAxis = 0.97;     // cosine of the angle between a fall and an axis of the recording
constexpr double kAlongScene = 0.99;    // and between it and the gravity of the scene
constexpr double kTogether = 0.7;       // of the frames of falls: those that agree with their gravity
constexpr double kKnownGravity = 0.12;  // of gravity: standard deviation of a flight that votes

struct Candidate {
  Eigen::Vector3d acceleration;
  double deviation;
  double weight;  // frames
};

}  // namespace

bool FliesIntoContact(const SpatialTrack& track, const Eigen::Vector3d& gravity) {
  const TakeFlights found = FindTakeFlights(track, gravity);
  return std::any_of(found.flights.begin(), found.flights.end(), [&](const FrameRange& flight) {
    return flight.frames() > 0.8 * track.size() || EndsInContact(track, flight, found.arm, gravity);
  });
}

GravityVote VoteForGravity(const std::vector<DoctorTrack>& tracks, const Scene* scene) {
  GravityVote vote;
  if (const std::optional<Eigen::Vector3d> gravity = GravityOfScene(scene)) vote.gravity = *gravity;
  const double expected = vote.gravity.norm();
  std::vector<Candidate> falling;
  // Parabolas of about this acceleration occur in every motion. They are flights where some of them end in contact.
  const bool flies = std::any_of(tracks.begin(), tracks.end(), [](const DoctorTrack& track) { return track.flies; });
  for (const DoctorTrack& track : tracks)
    for (const PointFlight& flight : track.point_flights)
      if (flies) falling.push_back({flight.gravity, flight.gravity_deviation, double(flight.range.frames())});
  for (const DoctorTrack& track : tracks)
    for (const FrameRange& range : track.toss.stretches) {
      if (range.frames() < 6 || !flies || !track.point_flights.empty()) continue;
      const FlightArc arc =
          FitFlight(track.toss.track, FlightBody{track.body.flight.p_BBcm, {}}, range.first, range.last);
      const double deviation = arc.AccelerationDeviation() * std::max(1.0, arc.ScaleOfPosition());
      if (!IsFlight(arc, vote.gravity) || deviation > kKnownGravity * expected) continue;
      falling.push_back({arc.acceleration, deviation, static_cast<double>(arc.used)});
    }
  if (!falling.empty()) {
    vote.unit = "m";
  } else {
    // Nothing falls as expected. What only free flight makes shows another unit, axis or clock.
    double longest = 0;
    for (const DoctorTrack& track : tracks)
      for (const Fall& fall : FindFalls(track.toss.track, track.body.flight.p_BBcm)) {
        const double size = fall.acceleration.norm();
        const LengthUnit* unit = UnitOfFall(size, expected);
        if (unit == nullptr) unit = UnitOfFall(size, kStandardGravity);
        // Along an axis of the recording; of another size, along the gravity of a scene only.
        const bool along_axis = fall.acceleration.cwiseAbs().maxCoeff() > kAlongAxis * size,
                   as_scene = fall.acceleration.dot(vote.gravity) > kAlongScene * size * expected;
        if (unit == nullptr ? scene == nullptr || !as_scene : !along_axis && !as_scene) continue;
        falling.push_back({fall.acceleration, fall.deviation, static_cast<double>(fall.frames)});
        if (fall.duration <= longest) continue;
        longest = fall.duration;
        vote.unit = unit == nullptr ? "" : unit->name;
        vote.units_per_meter = unit == nullptr ? 1 : unit->per_meter;
      }
    if (falling.empty()) return vote;
  }
  const bool as_expected = vote.unit == "m" && flies;

  // The densest cluster, and its weighted mean.
  const auto near = [](const Candidate& candidate, const Eigen::Vector3d& center) {
    return (candidate.acceleration - center).norm() < 0.12 * center.norm() + 4 * candidate.deviation;
  };
  const auto neighbors = [&](const Eigen::Vector3d& center) {
    double weight = 0;
    for (const Candidate& candidate : falling)
      if (near(candidate, center)) weight += candidate.weight;
    return weight;
  };
  Eigen::Vector3d center = falling[0].acceleration;
  double best = -1;
  const std::size_t step = 1 + falling.size() / 2000;
  for (std::size_t i = 0; i < falling.size(); i += step) {
    const double weight = neighbors(falling[i].acceleration) - falling[i].deviation / center.norm();
    if (weight > best) {
      best = weight;
      center = falling[i].acceleration;
    }
  }
  for (int iteration = 0; iteration < 5; ++iteration) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    double weights = 0;
    for (const Candidate& candidate : falling) {
      if (!near(candidate, center)) continue;
      const double spread = 0.02 * center.norm(),
                   weight = 1 / (candidate.deviation * candidate.deviation + spread * spread);
      sum += candidate.acceleration * weight;
      weights += weight;
    }
    if (weights > 0) center = sum / weights;
  }
  // What falls otherwise than expected must do so together: people and machines accelerate in all directions.
  double all = 0;
  for (const Candidate& candidate : falling) all += candidate.weight;
  if (!as_expected && neighbors(center) < kTogether * all) return {};
  vote.gravity = center;
  vote.found = true;
  return vote;
}

double HalfSampleMode(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::size_t first = 0, count = values.size();
  while (count > 3) {
    const std::size_t half = (count + 1) / 2;
    std::size_t best = first;
    for (std::size_t i = first; i + half <= first + count; ++i)
      if (values[i + half - 1] - values[i] < values[best + half - 1] - values[best]) best = i;
    first = best;
    count = half;
  }
  double sum = 0;
  for (std::size_t i = first; i < first + count; ++i) sum += values[i];
  return sum / static_cast<double>(count);
}

namespace {

/// The longest flight of a point takes the place of those that a toss of a rigid body shows.
void ReportPointFlights(const DoctorTrack& entry, const GravityVote& vote, ExaminedRecording& report) {
  if (entry.point_flights.empty()) return;
  const SpatialTrack& track = entry.toss.track;
  const PointFlight& flight =
      *std::max_element(entry.point_flights.begin(), entry.point_flights.end(),
                        [](const auto& a, const auto& b) { return a.range.frames() < b.range.frames(); });
  report.acceleration = flight.gravity / vote.units_per_meter;
  report.acceleration_std = flight.gravity_deviation / vote.units_per_meter;
  report.flight_frames = flight.range.frames();
  report.noise_position = flight.residual / vote.units_per_meter;
  report.release_time = track.time[flight.range.first];
  report.peak_time.reset();
  report.contact_time.reset();
  if (flight.lands) report.contact_time = track.time[flight.range.last - 1];
  if (flight.drag > 0) report.drag = Measured{flight.drag, flight.drag_deviation};
  const Eigen::Vector3d up = -vote.gravity.normalized();
  const Eigen::Vector3d across = flight.velocity - up * up.dot(flight.velocity);
  if (across.norm() > 0.1 * vote.units_per_meter && std::abs(up[2]) > 0.9)
    report.heading = Eigen::Vector2d(across[0], across[1]).normalized();
}

}  // namespace

void ReportToss(const DoctorTrack& entry, const GravityVote& vote, ExaminedRecording& report) {
  const Toss& toss = entry.toss;
  const SpatialTrack& track = toss.track;
  const double meter = vote.units_per_meter;
  report.incomplete_rows = track.incomplete_rows;
  report.sign_flips = track.sign_flips;
  report.norm_error = track.norm_error;
  report.log = toss.log;
  for (int k = 0; k < track.size(); ++k)
    if (track.outlier[k]) report.outlier_rows.push_back(track.row[k] + 1);

  // Rows whose neighbors share their noise; rest and impacts are a part of them only.
  std::vector<double> colors;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> values;
    for (const Eigen::Vector3d& p : track.position) values.push_back(p[axis]);
    if (const std::optional<double> color = NoiseColor(values)) colors.push_back(*color);
  }
  report.filtered = !colors.empty() && Median(colors) < kFiltered;

  // Noise from the residuals of the flights.
  auto [position, rotation, position_dof, rotation_dof] = ResidualsOfFlights(toss);
  if (position_dof >= 9) report.noise_position = track.noise_position * std::sqrt(position / position_dof) / meter;
  if (const FlightArc* first = toss.first_flight(); first != nullptr && first->dof_rotation >= 3) {
    rotation = first->chi2_rotation;  // later flights follow contacts, whose ends the rotation shows late
    rotation_dof = first->dof_rotation;
  }
  if (rotation_dof >= 3) report.noise_angle = track.noise_angle * std::sqrt(rotation / rotation_dof);

  if (const FlightArc* flight = toss.first_flight(); flight != nullptr && vote.found) {
    report.acceleration = flight->acceleration / meter;
    report.acceleration_std = flight->AccelerationDeviation() * std::max(1.0, flight->ScaleOfPosition()) / meter;
    report.flight_frames = flight->frames();
    const Eigen::Vector3d up = -vote.gravity.normalized();
    const Eigen::Vector3d across = flight->velocity - up * up.dot(flight->velocity);
    if (across.norm() > 0.1 * meter && std::abs(up[2]) > 0.9)
      report.heading = Eigen::Vector2d(across[0], across[1]).normalized();
  }
  const auto time_of = [&](int k) { return k >= 0 ? std::optional<double>(track.time[k]) : std::nullopt; };
  report.release_time = time_of(toss.release);
  report.peak_time = time_of(toss.peak);
  report.contact_time = time_of(toss.contact);
  report.rest_time = time_of(toss.rest);
  if (vote.found) ReportPointFlights(entry, vote, report);
  const Eigen::Vector3d down = vote.gravity.normalized();
  for (const VelocityJump& jump : toss.impacts)
    report.impacts.push_back({jump.time, jump.before.dot(down) / meter, jump.jump().norm() / meter});

  // Rest: height, lean, scatter. Heights mean something only when z is up.
  if (toss.rest >= 0) {
    const int last = std::min(track.size(), toss.rest + 60);
    report.standstill = track.time.back() - track.time[toss.rest];
    const MeanPose rest = AveragePose(track, toss.rest, last);
    double squares = 0, turns = 0;
    // Scatter of the settled half.
    const int settled = std::min(last - 2, (toss.rest + last) / 2);
    const MeanPose still = AveragePose(track, settled, last);
    for (int k = settled; k < last; ++k) {
      squares += (track.position[k] - still.position).squaredNorm();
      turns += BoxMinusRotation<double>(track.rotation[k], still.rotation).squaredNorm();
    }
    const double dof = std::max(1, last - settled - 1), axes = track.planar ? 2 : 3, angles = track.planar ? 1 : 3;
    report.rest_noise_position = std::sqrt(squares / (axes * dof)) / meter;
    report.rest_noise_angle = std::sqrt(turns / (angles * dof));
    if (-down[2] > 0.9) {
      const Eigen::Vector3d& up = entry.body.up;
      Eigen::Vector3d upper = Eigen::Vector3d::Zero();
      for (const Eigen::Vector3d& normal : entry.body.normals) {
        const Eigen::Vector3d turned = Rotate<double>(rest.rotation, normal);
        if (turned.dot(up) > upper.dot(up)) upper = turned;
      }
      // The lean of a face: what is left when the surface's normal is taken out. More than 5 degrees is no rest on it.
      const bool flat = !entry.body.shape || entry.body.shape->type == ShapeType::kBox ||
                        entry.body.shape->type == ShapeType::kPolytope;
      const Eigen::Vector3d lean = upper - up * upper.dot(up);
      if (flat && lean.norm() < 0.09) report.lean = Eigen::Vector2d(lean[0], lean[1]);
      report.rest_height = up.dot(rest.position / meter - entry.body.surface_point);
      if (entry.body.shape)
        report.rest_height_expected = -LowestPoint<double>(
            *entry.body.shape, RotateInverse<double>(rest.rotation, upper.norm() > 0 && flat ? upper : up));
    }
  }

  // Usable or not; what all recordings have in common follows in PoolReports.
  const auto say = [&](const std::string& reason) { report.reasons.push_back(reason); };
  if (!vote.found || (toss.flights.empty() && entry.point_flights.empty())) {
    say("no free flight found");
  } else {
    if (!report.contact_time) say("ends in flight: no impact");
    if (report.flight_frames > 0 && report.flight_frames < 10)
      say(fmt::format("only {} frames of free flight", report.flight_frames));
  }
  if (toss.rest < 0) say("does not come to rest");
  if (report.standstill > 0.2) say(fmt::format("{:.1f} s at rest at the end", report.standstill));
  if (!report.frozen_rows.empty())
    say(fmt::format("{} frozen frames, first in row {}", report.frozen_rows.size(), report.frozen_rows.front()));
  if (!report.outlier_rows.empty())
    say(fmt::format("{} outlier{} in flight, row {}", report.outlier_rows.size(),
                    report.outlier_rows.size() > 1 ? "s" : "", report.outlier_rows.front()));
  if (report.dropped_frames > 0) say(fmt::format("{} dropped frames", report.dropped_frames));
  const int lost = report.dropped_frames + report.incomplete_rows + static_cast<int>(report.frozen_rows.size());
  if (lost > 0.2 * report.rows) say("more than a fifth of the frames is missing");
}

namespace {

/// Leaves of ascending numbers those in runs of at least `least`.
void KeepRuns(std::size_t least, std::vector<int>& rows) {
  std::vector<int> kept;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    if (end - i >= least)
      kept.insert(kept.end(), rows.begin() + static_cast<std::ptrdiff_t>(i),
                  rows.begin() + static_cast<std::ptrdiff_t>(end));
    i = end;
  }
  rows = std::move(kept);
}

}  // namespace

void ReportJoints(const Recording& recording, const std::vector<int>& columns, ExaminedRecording& report) {
  std::vector<double> noises;
  int counted = 0;
  for (const int column : columns) {
    const std::vector<double>& z = recording.values[static_cast<std::size_t>(column)];
    std::vector<double> third, second(z.size(), 0);
    int wraps = 0;
    if (FindQuantum(z) > 0) {
      ++counted;
    } else if (const std::optional<double> color = NoiseColor(z)) {
      report.filtered = report.filtered || *color < kFiltered;
    }
    for (std::size_t k = 1; k < z.size(); ++k)
      if (std::abs(std::abs(z[k] - z[k - 1]) - 2 * std::numbers::pi) < 1) ++wraps;
    for (std::size_t k = 0; k + 3 < z.size(); ++k) {
      const double d = ThirdDifference(z[k], z[k + 1], z[k + 2], z[k + 3]);
      if (std::isfinite(d)) third.push_back(std::abs(d));
    }
    if (wraps > 0)
      report.reasons.push_back(
          fmt::format("{} jumps by a whole turn {} times", recording.columns[static_cast<std::size_t>(column)], wraps));
    if (third.empty()) continue;
    const double noise = std::max(MedianDeviation(third), 1e-9);
    noises.push_back(noise);
    // A single bad frame leaves (-1/2, 1, -1/2) in the second differences.
    for (std::size_t k = 1; k + 1 < z.size(); ++k) second[k] = z[k] - 0.5 * (z[k - 1] + z[k + 1]);
    for (std::size_t k = 2; k + 2 < z.size(); ++k) {
      const double peak = second[k];
      const int row = static_cast<int>(k) + 1;
      if (!(std::abs(peak) > 8 * noise) || std::count(report.frozen_rows.begin(), report.frozen_rows.end(), row) > 0)
        continue;
      if (std::abs(second[k - 1] / peak + 0.5) < 0.2 && std::abs(second[k + 1] / peak + 0.5) < 0.2)
        report.outlier_rows.push_back(row);
    }
  }
  for (int row = 0; row < recording.rows(); ++row)
    report.incomplete_rows +=
        std::any_of(
            columns.begin(), columns.end(),
            [&](int column) {
              return std::isnan(recording.values[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)]);
            })
            ? 1
            : 0;
  if (!noises.empty()) report.noise_angle = Median(noises);
  if (counted > 0) report.frozen_rows.clear();  // counts of an encoder repeat
  // A fast logger repeats values that are not renewed yet, once or twice, again and again; a sensor that hangs repeats
  // one for longer.
  constexpr std::size_t kHanging = 3, kSeldom = 4;
  if (report.frozen_rows.size() > kSeldom) KeepRuns(kHanging, report.frozen_rows);
  // Faults are rare. What happens in every hundredth row is the noise of the sensor.
  if (static_cast<double>(report.outlier_rows.size()) > 0.01 * report.rows) report.outlier_rows.clear();
  if (report.rows < 20) {
    report.usable = false;
    report.reasons.push_back("fewer than 20 rows");
  }
  if (!report.outlier_rows.empty())
    report.reasons.push_back(
        fmt::format("{} outliers, first in row {}", report.outlier_rows.size(), report.outlier_rows.front()));
  if (!report.frozen_rows.empty())
    report.reasons.push_back(
        fmt::format("{} frozen frames, first in row {}", report.frozen_rows.size(), report.frozen_rows.front()));
  if (report.dropped_frames > 0) report.reasons.push_back(fmt::format("{} dropped frames", report.dropped_frames));
}

}  // namespace ricochet
