// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/impacts/impact_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/manifold.h"

namespace ricochet {
namespace {

constexpr int kUncertain = 2;  // frames at the outer end of a flight

class Selector {
 public:
  Selector(const SpatialTrack& track, const FlightBody& body, const ImpactGeometry& geometry,
           const Eigen::Vector3d& gravity, const ImpactSelectionOptions& options)
      : track_(track), body_(body), geometry_(geometry), gravity_(gravity), options_(options) {
    for (const Eigen::Vector3d& corner : geometry.corners) {
      heights_.emplace_back();
      for (int k = 0; k < track.size(); ++k)
        heights_.back().push_back(
            geometry.normal.dot(track.position[k] + Rotate<double>(track.rotation[k], corner) - geometry.point));
    }
  }

  ImpactSelection Select(int contact) {
    if (contact >= 0) {
      // The lowest corner at the first contact lies on the surface.
      double lowest = INFINITY;
      for (int k = std::max(0, contact - 1); k <= std::min(track_.size() - 1, contact); ++k)
        for (const std::vector<double>& height : heights_) lowest = std::min(lowest, height[k]);
      result_.surface_shift = lowest;
      for (std::vector<double>& height : heights_)
        for (double& h : height) h -= lowest;
      result_.log.push_back(fmt::format("surface shifted by {:.2f} mm to the first contact", 1e3 * lowest));
    }
    for (std::size_t corner = 0; corner < heights_.size(); ++corner)
      for (int k = 1; k + 1 < track_.size(); ++k)
        if (heights_[corner][k] <= options_.contact_height && IsProminentMinimum(heights_[corner], k))
          candidates_.push_back({static_cast<int>(corner), k});
    for (const Candidate& candidate : candidates_) Consider(candidate.corner, candidate.frame);
    std::sort(result_.impacts.begin(), result_.impacts.end(),
              [](const SelectedImpact& a, const SelectedImpact& b) { return a.frame < b.frame; });
    return std::move(result_);
  }

 private:
  bool IsProminentMinimum(const std::vector<double>& height, int k) const {
    if (!(height[k] < height[k - 1] && height[k] <= height[k + 1])) return false;
    for (const int step : {-1, 1}) {
      double rise = 0;
      for (int i = k + step; i >= 0 && i < track_.size(); i += step) {
        if (height[i] < height[k]) break;
        rise = std::max(rise, height[i] - height[k]);
      }
      if (rise < std::max(options_.prominence, 6 * track_.noise_position)) return false;
    }
    return true;
  }

  void Consider(int corner, int k) {
    const auto refuse = [&](const std::string& why) {
      result_.log.push_back(fmt::format("corner {} at row {}: not used, {}", corner, track_.row[k] + 1, why));
    };
    const int w = options_.window, first = k - w, last = k + w;
    if (first < 2 || last > track_.size() - 2) return refuse("too close to an end of the recording");
    for (int i = first; i < last; ++i)
      if (!track_.Adjacent(i, i + 1)) return refuse("frames are missing in the window");
    for (std::size_t other = 0; other < heights_.size(); ++other) {
      if (static_cast<int>(other) == corner) continue;
      for (int i = first; i <= last; ++i)
        if (heights_[other][i] < options_.other_height - std::min(0.0, result_.surface_shift))
          return refuse(fmt::format("corner {} touches too", other));
    }

    for (const Candidate& other : candidates_)
      if (other.corner != corner && std::abs(other.frame - k) <= w)
        return refuse(fmt::format("corner {} hits within the window", other.corner));

    // Last pose of the flight before, first pose of the flight after.
    int end = first + 3, begin = last - 2;  // arcs [first, end) and [begin, last]
    while (end < k + 1 && Continues(first, end, end)) ++end;
    while (begin > k && Continues(begin, last + 1, begin - 1)) --begin;
    SelectedImpact impact;
    impact.frame = k;
    impact.corner = corner;
    impact.b = k - (end - 2);
    impact.c = begin + 1 - k;
    if (impact.b < 1 || impact.b > w - 1 || impact.c < 1 || impact.c > w - 1)
      return refuse(fmt::format("the window contains no flight (b = {}, c = {})", impact.b, impact.c));
    impact.arc_before = Fit(first, end, track_.time[k - impact.b]);
    impact.arc_after = Fit(begin, last + 1, track_.time[k + impact.c]);
    impact.before = MeanVelocity(first, k - impact.b, k - impact.b);
    impact.after = MeanVelocity(k + impact.c, last, k + impact.c);
    const Eigen::Vector3d arm = Rotate<double>(
        track_.rotation[k], Eigen::Vector3d(geometry_.corners[static_cast<std::size_t>(corner)] - body_.p_BBcm));
    const Eigen::Vector3d touching = impact.arc_before.VelocityAt(track_.time[k]) +
                                     impact.arc_before.angular_velocity.cross(arm) - geometry_.velocity;
    impact.normal_speed = -geometry_.normal.dot(touching);
    if (impact.normal_speed < options_.least_speed)
      return refuse(fmt::format("it hits with only {:.2f} m/s", impact.normal_speed));
    // The flights go on beyond the window.
    impact.flight = {first, end, begin, last + 1};
    GrowFlights(impact.flight);
    impact.jump = FitImpactJump(track_, body_, gravity_, impact.flight[0], end, begin, impact.flight[3]);
    if (!impact.jump.found) return refuse("the flights before and after do not meet");
    result_.log.push_back(fmt::format(
        "corner {} at row {}: used, {:.2f} m/s, b = {}, c = {}, flights of {} and {} frames, chi2/dof {:.2f}", corner,
        track_.row[k] + 1, impact.normal_speed, impact.b, impact.c, end - impact.flight[0], impact.flight[3] - begin,
        impact.jump.chi2 / impact.jump.dof));
    result_.impacts.push_back(impact);
  }

  /// Adds frames outside the window as long as they continue the arcs, no corner is near the surface, and none is
  /// missing. The last of them may have been taken in by the noise and are left out again.
  void GrowFlights(std::array<int, 4>& flight) const {
    const auto usable = [&](int frame, int neighbor) {
      if (frame < 0 || frame >= track_.size() || !track_.Adjacent(std::min(frame, neighbor), std::max(frame, neighbor)))
        return false;
      for (const std::vector<double>& height : heights_)
        if (height[static_cast<std::size_t>(frame)] < options_.other_height) return false;
      return true;
    };
    int first = flight[0], last = flight[3];
    while (flight[1] - first < options_.longest_flight && usable(first - 1, first) &&
           Continues(first, flight[1], first - 1))
      --first;
    while (last - flight[2] < options_.longest_flight && usable(last, last - 1) && Continues(flight[2], last, last))
      ++last;
    flight[0] = std::min(flight[0], first + kUncertain);
    flight[3] = std::max(flight[3], last - kUncertain);
  }

  FlightArc Fit(int first, int last, double reference) const {
    return FitFlight(track_, body_, first, last, {.acceleration = gravity_, .reference = reference});
  }

  /// Whether the pose of `frame` continues the arc through [first, last).
  bool Continues(int first, int last, int frame) const {
    const FlightArc arc = Fit(first, last, track_.time[frame]);
    const Eigen::Vector3d center = track_.position[frame] + Rotate<double>(track_.rotation[frame], body_.p_BBcm);
    const double position = std::sqrt(track_.noise_position * track_.noise_position + arc.position_covariance(0, 0));
    if ((center - arc.position).norm() > options_.departure * position * std::sqrt(3.0)) return false;
    const Eigen::Vector3d turn = BoxMinusRotation<double>(track_.rotation[frame], arc.rotation);
    const double angle = std::sqrt(track_.noise_angle * track_.noise_angle + arc.rotation_covariance(0, 0));
    return turn.norm() < options_.departure * angle * std::sqrt(3.0);
  }

  /// Mean of the gravity-compensated central differences over frames [first, last], brought to frame `at`.
  Vector6<double> MeanVelocity(int first, int last, int at) const {
    Vector6<double> sum = Vector6<double>::Zero();
    int count = 0;
    for (int k = first; k <= last; ++k) {
      const auto velocity = CentralVelocity(track_, k);
      if (!velocity) continue;
      Vector6<double> v = *velocity;
      // The paper's frame is at the center of mass; a body frame elsewhere moves with it.
      v.head<3>() += v.tail<3>().cross(Rotate<double>(track_.rotation[k], body_.p_BBcm));
      v.head<3>() += gravity_ * (track_.time[at] - track_.time[k]);
      sum += v;
      ++count;
    }
    return count > 0 ? Vector6<double>(sum / count) : sum;
  }

  struct Candidate {
    int corner, frame;
  };

  const SpatialTrack& track_;
  const FlightBody& body_;
  const ImpactGeometry& geometry_;
  Eigen::Vector3d gravity_;
  ImpactSelectionOptions options_;
  std::vector<std::vector<double>> heights_;
  std::vector<Candidate> candidates_;
  ImpactSelection result_;
};

}  // namespace

ImpactSelection SelectImpacts(const SpatialTrack& track, const FlightBody& body, const ImpactGeometry& geometry,
                              const Eigen::Vector3d& gravity, int contact, const ImpactSelectionOptions& options) {
  return Selector(track, body, geometry, gravity, options).Select(contact);
}

}  // namespace ricochet
