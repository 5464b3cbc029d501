// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar/frame_start.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "dataset/takes/flight_arm.h"
#include "observation/sensor.h"

namespace ricochet {
namespace {

constexpr int kAngles = 180;    // all around
constexpr double kSame = 1e-6;  // relative difference of scores that rounding makes
constexpr int kOffered = 3;     // least angles that become starts

/// The way b from the center of mass to F, in the axes of F, from flight; none when the body does not turn enough.
std::optional<Eigen::Vector2d> ArmOf(const PlanarTrack& track, const Eigen::Vector3d& acceleration) {
  TurningFrames<2> frames;
  frames.time = track.time;
  for (const Eigen::Vector3d& pose : track.pose) {
    frames.rotation.emplace_back(Eigen::Rotation2Dd(pose[2]));
    frames.position.emplace_back(pose.head<2>());
  }
  return ArmFromFlight<2>({frames}, acceleration.head<2>());
}

/// Sum of squares of overlaps in all frames and of clearances where the path of the center of mass breaks.
double Misfit(const EventBody<double>& body, const PlanarTrack& centers, const std::vector<BallisticArc>& arcs,
              double angle) {
  const auto gap = [&](int i) {
    Eigen::Vector3d pose = centers.pose[i];
    pose[2] -= angle;
    return LeastGap(body, pose);
  };
  double sum = 0;
  for (int i = 0; i < centers.size(); ++i) sum += std::pow(std::min(gap(i), 0.0), 2);
  for (std::size_t k = 1; k < arcs.size(); ++k) {
    const int i = arcs[k].first;
    if (arcs[k].frames() < 3 || arcs[k - 1].frames() < 3) continue;
    const double reach = 0.5 * (centers.time[i] - centers.time[i - 1]) *
                         (arcs[k].velocity.head<2>().norm() + body.size * std::abs(arcs[k].velocity[2]));
    sum += std::pow(std::max(std::min(gap(i), gap(i - 1)) - reach, 0.0), 2);
  }
  return sum;
}

}  // namespace

std::vector<Eigen::VectorXd> GuessFrames(const PlanarFamily& family, const PlanarTrack& recorded,
                                         const Eigen::Vector3d& acceleration) {
  const Scene& scene = family.scene();
  const SensorNumbers numbers = FindObservationNumbers(scene).frames[static_cast<std::size_t>(family.body())];
  const auto index_of = [&](NumberId id) { return id ? family.parameters().IndexOf(id) : -1; };
  const std::array<int, 2> place = {index_of(numbers.place[0]), index_of(numbers.place[1])};
  const int rotation = index_of(numbers.rotation[0]);
  if (place[0] < 0 && place[1] < 0 && rotation < 0) return {family.start()};

  // Recorded lengths and offsets undone, the frame left in: poses of F.
  SensorNumbers bare = numbers;
  bare.place = bare.center_of_mass = {};
  bare.rotation = {};
  const PlanarSensor<double> sensor(bare, scene), whole(numbers, scene);
  PlanarTrack track = recorded;
  for (Eigen::Vector3d& pose : track.pose) pose = sensor.BodyPose(pose);
  track.noise_position /= sensor.length_scale();

  const Eigen::Vector2d center(scene[numbers.center_of_mass[0]], scene[numbers.center_of_mass[1]]);
  const double own_angle = scene[numbers.rotation[0]];
  Eigen::Vector2d b = Eigen::Rotation2Dd(-own_angle) * (whole.place() - center);
  if (place[0] >= 0 || place[1] >= 0)
    if (const std::optional<Eigen::Vector2d> found = ArmOf(track, acceleration)) b = *found;
  for (Eigen::Vector3d& pose : track.pose) pose.head<2>() -= Eigen::Rotation2Dd(pose[2]) * b;

  std::vector<double> angles = {own_angle};
  if (rotation >= 0) {
    const std::vector<BallisticArc> arcs = CutIntoArcs(track, acceleration);
    const EventMotion<double> motion =
        family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())});
    std::array<double, kAngles> misfit{};
    const double step = 2 * std::numbers::pi / kAngles;
    for (int k = 0; k < kAngles; ++k)
      misfit[static_cast<std::size_t>(k)] = Misfit(motion.body(), track, arcs, own_angle + k * step);
    // Local minima, least first; of equal ones (a body with symmetries) the one nearest to the scene's.
    std::vector<std::pair<double, double>> minima;
    for (int k = 0; k < kAngles; ++k) {
      const auto at = [&](int i) { return misfit[static_cast<std::size_t>((i + kAngles) % kAngles)]; };
      const double away = step * (2 * k > kAngles ? k - kAngles : k);
      if (at(k) <= at(k - 1) && at(k) <= at(k + 1)) minima.emplace_back(at(k), away);
    }
    const double least = std::min_element(minima.begin(), minima.end())->first;
    const double tie = least + std::pow(track.noise_position, 2) * track.size();
    std::sort(minima.begin(), minima.end(), [&](const auto& x, const auto& y) {
      const bool low_x = x.first <= tie, low_y = y.first <= tie;
      if (low_x != low_y) return low_x;
      return low_x ? std::abs(x.second) < std::abs(y.second) : x.first < y.first;
    });
    angles.clear();
    // A symmetric outline repeats its scores: of such angles one is enough.
    std::vector<double> scores;
    for (const auto& [score, away] : minima) {
      if (static_cast<int>(angles.size()) == kOffered) break;
      const auto same = [score = score](double other) { return std::abs(score - other) <= kSame * (score + other); };
      if (std::any_of(scores.begin(), scores.end(), same)) continue;
      scores.push_back(score);
      angles.push_back(own_angle + away);
    }
  }
  std::vector<Eigen::VectorXd> out;
  for (const double angle : angles) {
    Eigen::VectorXd values = family.start();
    const Eigen::Vector2d position = center + Eigen::Rotation2Dd(angle) * b;
    for (int k = 0; k < 2; ++k)
      if (place[static_cast<std::size_t>(k)] >= 0) values[place[static_cast<std::size_t>(k)]] = position[k];
    if (rotation >= 0) values[rotation] = angle;
    out.push_back(values);
  }
  return out;
}

}  // namespace ricochet
