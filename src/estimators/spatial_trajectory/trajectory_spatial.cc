// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `trajectory` for spatial scenes: maximum likelihood of recorded poses on the motion of the scene's own stepper
// (Jongeneel sec. III-C fits friction and restitution this way, with the start state read off the data; here the start
// is fitted too, see docs/theory/trajectory.md). The fit is in spatial_fit.h; this file refuses, chooses words and
// reports.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "dynamics/kinematics.h"
#include "estimators/assess_fit.h"
#include "estimators/estimate_report.h"
#include "estimators/spatial/frame_start.h"
#include "estimators/spatial_trajectory/spatial_fit.h"
#include "estimators/spatial_trajectory/trajectory_spatial.h"
#include "estimators/tosses/toss_identification.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

bool EstimatesDelay(const Scene& scene, const std::vector<SelectedParameter>& parameters) {
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const SelectedParameter& each) { return each.numerator == scene.observe.delay; });
}

constexpr double kSure = 0.2;   // friction with a standard deviation below this part of itself needs no further check
constexpr int kManyRows = 100;  // from which the scatter is known to a few percent,
constexpr double kSuspicious = 1.15;  // so that residuals this much above it mean something
constexpr int kBisections = 6;
constexpr double kGravity = 9.81;    // [m/s^2], for the rise of a rebound,
constexpr double kVisibleRise = 3;   // which must be that many times the noise

std::vector<PoseTracks> TracksOf(const IdentifyRequest& request, const std::vector<int>& bodies) {
  std::vector<PoseTracks> tracks;
  for (const Recording& recording : request.recordings)
    tracks.push_back(MakePoseTracks(request.scene, recording, bodies));
  return tracks;
}

/// A fit with the family that it is of.
struct OwnedFit {
  explicit OwnedFit(const IdentifyRequest& request)
      : family(request.scene, request.parameters), fit(family, TracksOf(request, family.moving())) {}
  SpatialFamily family;
  SpatialFit fit;
};

class SpatialTrajectoryEstimator final : public Estimator {
 public:
  EstimatorInfo info() const override {
    return {
        .name = "trajectory",
        .summary = "maximum likelihood of recorded poses on the motion of the scene's stepper; for tosses, on exact "
                   "flights and located impacts",
        .paper = "Jongeneel sec. III-C; Xie remark 5",
        .spatial = true,
        .points = true,
        .options = kTossOptions};
  }

  std::string Refusal(const IdentifyRequest& request) const override {
    if (request.scene.space != Space::kSpatial) return "this form is for spatial scenes";
    if (!request.scene.joints.empty())
      return "trajectory fits poses of free bodies, and this scene has joints; use inverse-dynamics";
    return "";
  }

  std::string Reason(const IdentifyRequest& request) const override {
    return fmt::format("poses in space: maximum likelihood on the motion of {}", request.scene.simulation.method);
  }

  std::optional<PosedFit> Pose(const IdentifyRequest& request, bool at_scene) const override {
    // Of tosses, derivatives along one sequence of contacts say too little: their fit looks at others, too.
    if (!at_scene) {
      const MassRefusal refusal = RefuseMass(request);
      if (MayBeTosses(request, refusal, SpatialFamily(request.scene, refusal.parameters))) return std::nullopt;
    }
    const auto owned = std::make_shared<OwnedFit>(request);
    SpatialFit& fit = owned->fit;
    if (at_scene)
      fit.TakeMotion(InitialState(CompileModel(request.scene)));
    else if (!fit.Search().found)
      throw InputError({request.recordings.front().file, 0, 0}, "", "no motion of the model follows the recording.",
                       "Check the scene's surfaces, shapes and start.");
    PosedFit posed;
    posed.problem = {owned, &fit};
    if (const StepperInfo info = owned->family.stepper().info(); info.jumps)
      posed.notes.push_back(fmt::format(
          "the motion of {} jumps where a corner closes one step earlier or later: a fit knows the parameters less well "
          "than this",
          info.name));
    posed.point = {fit.point.common, fit.point.local};
    for (const auto& recording : fit.recordings)
      if (!recording->problem.empty()) posed.notes.push_back(recording->track.name + ": " + recording->problem);
    RolloutResult motion;
    for (int k = 0; k < fit.blocks(); ++k) {
      if (!fit.Predict(k, motion)) continue;
      posed.touched = posed.touched || motion.touched;
      posed.slid = posed.slid || motion.slid;
      posed.friction_needed = std::max(posed.friction_needed, motion.friction_needed);
    }
    return posed;
  }

  Identification Run(const IdentifyRequest& request) const override {
    // Tracked frames that are to be estimated start where flight and rest show them, whatever the scene says.
    const ParameterMap parameters(request.scene, RefuseMass(request).parameters);
    std::vector<std::string> log;
    const Scene started = WithFrameFromRecordings(parameters, request.recordings, log);
    Identification found =
        FitFrom({started, request.recordings, request.parameters, request.options, request.seed, request.fingerprint});
    Estimate& estimate = found.estimate;
    estimate.log.insert(estimate.log.begin(), log.begin(), log.end());
    for (EstimatedParameter& parameter : estimate.parameters)
      for (int i = 0; i < parameters.size(); ++i)
        if (parameters.selected(i).path == parameter.path) parameter.start = parameters.start()[i];
    return found;
  }

 private:
  /// Tosses are fitted by poses, which depend on where the points are, and from the release on, whenever that was.
  static bool MayBeTosses(const IdentifyRequest& request, const MassRefusal& refusal, const SpatialFamily& family) {
    return TakesTosses(family) && !EstimatesPoints(request.scene, refusal.parameters) &&
           !EstimatesDelay(request.scene, refusal.parameters);
  }

  /// From the scene's own values.
  Identification FitFrom(const IdentifyRequest& request) const {
    const auto began = std::chrono::steady_clock::now();
    Estimate estimate = EmptyEstimate(request, name());
    const MassRefusal refusal = RefuseMass(request);
    const SpatialFamily family(request.scene, refusal.parameters);
    ProfiledParameters(request, refusal.parameters);  // those that are not estimated are refused before the search

    if (MayBeTosses(request, refusal, family)) {
      if (std::optional<Identification> found = IdentifyTosses(request, refusal, family)) return std::move(*found);
      estimate.warnings.emplace_back(
          "no recording has a free flight by the scene's gravity: if they are tosses, check with `ricochet doctor` and "
          "the scene whether gravity, units or axes are wrong");
    }
    // Tracks; recordings that cannot be used are excluded by name.
    std::vector<PoseTracks> tracks;
    std::vector<int> recording_of;
    const auto track_of = [&](int i, RecordingUse& use) {
      tracks.push_back(MakePoseTracks(request.scene, request.recordings[static_cast<std::size_t>(i)], family.moving()));
      recording_of.push_back(i);
      use.used = true;
    };
    UseRecordings(request, "See the reason given for each recording.", track_of, estimate);

    if (request.options.method_options.contains(kTossStart.name))
      throw InputError({}, std::string(kTossStart.name), "this fit does not use it: it is for tosses of one body.",
                       "Leave it out.");
    SpatialFit fit(family, tracks);
    const Fit found = fit.Search();
    if (!found.found)
      throw InputError({request.recordings.front().file, 0, 0}, "",
                       fit.recordings.front()->problem.empty() ? "no motion of the model follows the recording."
                                                               : fit.recordings.front()->problem + ".",
                       "Check the scene's surfaces and shapes, the units and the order of the quaternion.");
    ReportRecordings(fit, recording_of, estimate);
    // Corners close on the grid of steps, so that the likelihood is in pieces (docs/trajectory.md).
    if (family.stepper().info().jumps)
      estimate.warnings.push_back(
          fmt::format("the motion of {} jumps where a corner closes one step earlier or later: the fit may be wrong by "
                      "more than its standard deviations. Compare with `ricochet sweep` over many recordings",
                      family.stepper().info().name));
    estimate.cost = fit.cost;
    estimate.chi2_per_dof = 2 * fit.cost / std::max(1, fit.degrees_of_freedom);
    estimate.log.insert(estimate.log.end(), fit.log.begin(), fit.log.end());
    Eigen::MatrixXd covariance = AssessFit(fit, found, request, estimate);
    if (family.stepper().info().jumps) {
      if (fit.converged) WidenByStep(request, refusal, found, std::move(tracks), covariance, estimate);
      estimate.verdict.Lower(VerdictLevel::kLimited,
                             fmt::format("the likelihood is in pieces, because the motion of {} jumps where a corner "
                                         "closes one step earlier or later: another piece may fit better",
                                         family.stepper().info().name));
    }
    ReportParameters(refusal, family, fit, covariance, estimate);
    if (estimate.cross_validation)
      for (HeldOutRecording& each : estimate.cross_validation->recordings)
        each.recording = recording_of[static_cast<std::size_t>(each.recording)];
    ReportMotion(fit, family, recording_of, estimate);
    estimate.iterations = fit.iterations;
    estimate.trace = fit.trace;
    estimate.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return {std::move(estimate), family.Calibrated(fit.point.common)};
  }

  /// Standard deviations include what half the scene's step changes.
  static void WidenByStep(const IdentifyRequest& request, const MassRefusal& refusal, const Fit& found,
                          std::vector<PoseTracks> tracks, Eigen::MatrixXd& covariance, Estimate& estimate) {
    Scene halved = request.scene;
    const double step = halved[halved.simulation.step] / 2;
    halved.Set(halved.simulation.step, step);
    const SpatialFamily family(halved, refusal.parameters);
    SpatialFit fit(family, std::move(tracks));
    const Fit finer = fit.Search();
    if (!finer.found) return;
    const Eigen::VectorXd change = finer.point.values - found.point.values;
    EnlargeTo((covariance.diagonal().array() + change.array().square()).sqrt(), covariance);
    estimate.log.push_back(
        fmt::format("a step of {:.3g} s changes the estimates by {:.2g}; the standard deviations include this", step,
                    fmt::join(change.begin(), change.end(), ", ")));
  }

  static void ReportRecordings(const SpatialFit& fit, const std::vector<int>& recording_of, Estimate& estimate) {
    estimate.converged = fit.converged;
    for (std::size_t k = 0; k < fit.recordings.size(); ++k) {
      const SpatialRecordingFit& recording = *fit.recordings[k];
      RecordingUse& use = estimate.recordings[static_cast<std::size_t>(recording_of[k])];
      use.used = recording.usable;
      use.reason = recording.problem;
      if (!recording.usable) continue;
      use.rejected_rows =
          static_cast<int>(std::count(recording.rollout->rejected.begin(), recording.rollout->rejected.end(), 1));
      use.chi2_per_dof = recording.chi2 / std::max(1, recording.degrees_of_freedom);
      use.noise_position = recording.place_noise();
      use.noise_angle = recording.place_kind() == ShownKind::kPosition ? recording.track.noise_angle : 0;
      const double excess = recording.NoiseOverScatter();
      if (recording.problem.empty() && recording.track.rows() >= kManyRows && excess > kSuspicious &&
          !recording.track.noise_given)
        estimate.warnings.push_back(
            fmt::format("{}: residuals are {:.3g} times the scatter of the rows: another sequence of contacts may fit "
                        "better; the standard deviations do not include this",
                        recording.track.name, excess));
      if (recording.problem.empty()) continue;
      estimate.converged = false;
      estimate.warnings.push_back(fmt::format("{}: {}", recording.track.name, recording.problem));
    }
    if (!fit.converged) estimate.warnings.emplace_back("the fit reached its limit of iterations");
  }

  /// What the data say about one number.
  static EstimatedParameter Describe(const SpatialFamily& family, SpatialFit& fit, const Eigen::MatrixXd& covariance,
                                     const std::string& null_space, int i, Estimate& estimate) {
    const SelectedParameter& selected = family.selected()[static_cast<std::size_t>(i)];
    EstimatedParameter out = UnidentifiedParameter(family.scene(), selected, family.start()[i]);
    const double value = fit.point.common[i];
    const bool determined = fit.information.determined[static_cast<std::size_t>(i)];
    const double deviation = determined ? std::sqrt(fit.information.covariance(i, i)) : INFINITY;
    const bool friction = family.quantity(i) == Quantity::kFriction && !selected.denominator;
    if (friction && !(deviation < kSure * value) && !FrictionFromAbove(fit, i, value)) {
      const double lower = FrictionFromBelow(fit, i);
      if (lower > 0) {
        out.lower = lower;
        out.combination =
            fmt::format("the contacts stick: friction is at least {:.3g}, and the data set no upper limit", lower);
      } else {
        out.combination = "no contact slides or would slide with less: friction has no effect on the recorded motion";
      }
      return out;
    }
    if (family.quantity(i) == Quantity::kRestitution && !selected.denominator)
      if (std::string reason = NoImpact(fit); !reason.empty()) {
        out.combination = std::move(reason);
        return out;
      }
    if (!determined) {
      out.combination = null_space.empty() ? "it has no effect of its own on the recorded motion" : null_space;
      return out;
    }
    if (!fit.IsIdentified(i)) {
      out.combination = fmt::format("the recorded motion determines it only to {:.2g} {}", deviation, out.unit);
      return out;
    }
    GiveValue(value, std::sqrt(covariance(i, i)), family.lower()[i], family.upper()[i], out, estimate);
    return out;
  }

  /// Why no impact of the motion shows restitution: even a full rebound from the largest jump of velocity would not
  /// rise above the noise. Empty where one does.
  static std::string NoImpact(SpatialFit& fit) {
    double jump = 0, noise = std::numeric_limits<double>::infinity();
    RolloutResult motion;
    for (std::size_t k = 0; k < fit.used.size(); ++k) {
      if (!fit.Predict(static_cast<int>(k), motion)) continue;
      jump = std::max(jump, motion.largest_jump);
      noise = std::min(noise, fit.recordings[static_cast<std::size_t>(fit.used[k])]->place_noise());
    }
    const double rise = jump * jump / (2 * kGravity);
    if (rise > kVisibleRise * noise) return "";
    return fmt::format(
        "no impact shows it: the largest jump of velocity, {:.2g} m/s, would let the body rise by {:.2g} m", jump,
        rise);
  }

  /// With much more friction, so that everything sticks, the data fit worse.
  static bool FrictionFromAbove(SpatialFit& fit, int i, double value) {
    return fit.Rise(i, 1.5 * value + 0.1) > kChi2OneSided;
  }

  /// Smallest friction that the data allow: chi^2 rises by kChi2OneSided there. 0 when they allow any.
  static double FrictionFromBelow(SpatialFit& fit, int i) {
    double needed = 0;
    bool touched = false;
    RolloutResult motion;
    for (std::size_t k = 0; k < fit.used.size(); ++k) {
      if (!fit.Predict(static_cast<int>(k), motion)) continue;
      needed = std::max(needed, motion.slid ? fit.point.common[i] : motion.friction_needed);
      touched = touched || motion.touched;
    }
    if (!touched || needed <= 0 || fit.Rise(i, 0.0) < kChi2OneSided) return 0;
    double allowed = needed, excluded = 0;
    for (int k = 0; k < kBisections; ++k) {
      const double middle = 0.5 * (allowed + excluded);
      (fit.Rise(i, middle) < kChi2OneSided ? allowed : excluded) = middle;
    }
    return allowed;
  }

  static void ReportParameters(const MassRefusal& refusal, const SpatialFamily& family, SpatialFit& fit,
                               const Eigen::MatrixXd& covariance, Estimate& estimate) {
    const int p = family.size();
    std::vector<std::string> names;
    for (const SelectedParameter& selected : family.selected()) names.push_back(selected.path);
    const std::string null_space = DescribeNullSpace(fit.information, names);
    std::vector<EstimatedParameter> found;
    for (int i = 0; i < p; ++i) found.push_back(Describe(family, fit, covariance, null_space, i, estimate));
    PlaceEstimates(refusal, found, covariance, estimate);
  }

  static void ReportMotion(SpatialFit& fit, const SpatialFamily& family, const std::vector<int>& recording_of,
                           Estimate& estimate) {
    const Model model = CompileModel(family.scene());
    RolloutResult result;
    for (std::size_t k = 0; k < fit.used.size(); ++k) {
      if (!fit.Predict(static_cast<int>(k), result)) continue;
      const SpatialRecordingFit& recording = *fit.recordings[static_cast<std::size_t>(fit.used[k])];
      const int index = recording_of[static_cast<std::size_t>(fit.used[k])];
      EstimatedMotion motion{index, recording.track.time, {}};
      for (int row = 0; row < recording.track.rows(); ++row) {
        std::vector<double>& pose = motion.pose.emplace_back();
        for (int m = 0; m < static_cast<int>(family.moving().size()); ++m)
          for (const double number : result.poses[recording.track.At(row, m)]) pose.push_back(number);
      }
      estimate.motions.push_back(std::move(motion));
      AddImpulses(model, result.contacts, index, 0, estimate);
    }
  }
};

}  // namespace

const Estimator& SpatialTrajectory() {
  static const SpatialTrajectoryEstimator estimator;
  return estimator;
}

}  // namespace ricochet
