// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rollouts beside recorded tosses: the state where one starts is fitted to the free flight, the scene's stepper runs
// on from there, and its poses are read at the recorded frames.
//
//   start     release   first frame of the first free flight
//             contact   last frame of that flight, one before the first touch
//             first     first frame of the recording; it must be part of the flight
//             below     one frame before the body's origin first comes below a height of the world
//   state     that of the arc fitted over the whole flight (dataset/flight_arc.h) at the frame of the start; for
//   `below`
//             the recorded pose of that frame, and the velocity of the arc fitted up to it
//   end       the recorded rest, or the last frame; for `below` the last frame
//   frames    between two steps of the simulation: straight in position, shortest turn in orientation
//
// Recordings are first brought to poses of the body frame in the scene's lengths: `observe: {frame, length_scale,
// offset}` is undone (observation/sensor.h).
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/impacts/impact_selection.h"
#include "dataset/toss.h"
#include "math/manifold.h"
#include "model/model.h"
#include "observation/sensor.h"
#include "ricochet/validate.h"
#include "rollout/rollout.h"

namespace ricochet {

/// A recorded toss, ready to be compared with rollouts.
struct PreparedToss {
  Toss toss;
  int body = 0;                     // of the scene
  int surface = -1;                 // that it comes to rest on: the surface nearest below the rest pose; -1: none
  int start = 0, end = 0;           // frames compared: [start, end]
  int arc_first = 0, arc_last = 0;  // frames [first, last) of flight that the start is fitted to
  bool recorded_pose = false;       // the pose of the start is the recorded one
  SpatialPose<double> pose;         // of the body frame at `start`
  Vector6<double> velocity;         // of the center of mass, world axes
  /// Of (position of the center of mass, rotation increment, velocity, angular velocity) at the start, world axes.
  Eigen::Matrix<double, 12, 12> covariance = Eigen::Matrix<double, 12, 12>::Zero();
  SpatialSensor<double> sensor;                    // what recorded it, which has been undone
  double position_freedom = 0, angle_freedom = 0;  // degrees of freedom behind the noise of its track
  ImpactSelection impacts;                         // for the velocity loss; only with corners and a surface
  double length = 1;    // of the body, by which position errors are divided [m] (Jongeneel 18)
  std::string problem;  // why it cannot be used; empty when it can
};

/// Throws InputError when the recording has no motion of a body of the scene that PrepareToss can look at.
void CheckToss(const Model& model, const Recording& recording);

/// Finds flight, start, rest. Throws as CheckToss does.
PreparedToss PrepareToss(const Model& model, const Recording& recording, const RollStart& start);

/// As above, also for a recording that ends in flight: `end` may be `start`, and the surface is the one nearest below.
PreparedToss PrepareFlight(const Model& model, const Recording& recording, const RollStart& start);

/// Recorded rest pose: the mean over the standstill, or one frame where the surface carries the body along.
SpatialPose<double> RecordedRest(const Model& model, const PreparedToss& toss);

/// Whether the flight before the first contact, and so the start of rollouts, depends on the parameter of this path.
bool MovesStart(std::string_view path);

/// Fits the start again for other numbers of the scene: gravity, inertia, center of mass, scale and offset of the
/// observation. Frames of flight, start and end stay.
void RefitStart(const Model& model, PreparedToss& toss);

/// Fits the jumps of the selected impacts again for other numbers of the scene: gravity, inertia, center of mass.
void RefitJumps(const Model& model, PreparedToss& toss);

/// The length that Jongeneel's (18) divides by: size x of a box, the extent along body x of others [m].
double LengthOf(const SpatialShape<double>& shape);

/// State at the start of the toss, time 0; bodies beside it are where the scene has them.
State StartState(const Model& model, const PreparedToss& toss);

/// Step of the rollouts of a toss [s]: `step` if positive, else the scene's where it is given, else one per recorded
/// frame.
double StepOf(const Model& model, const PreparedToss& toss, double step);

/// Longest step in contact of located motion [s] (steppers/located/located_steps.h), and a step of a grid that comes
/// near it.
inline constexpr double kLocatedStep = 3e-4, kFineStep = 1e-4;

/// Motion of fits, which does not depend on the scene's step.
struct LocatedMotion {
  double step = kLocatedStep;
  double lengths = 1;  // factor on the lengths that impacts are resolved to
};

/// Runs rollouts of one model, one after the other. One thread owns it.
class TossRoller {
 public:
  /// On a grid; `step` [s] as in StepOf.
  TossRoller(const Model& model, const Stepper& stepper, double step = 0);
  /// With exact flights and located impacts; scenes without located motion run on a grid of fine steps.
  TossRoller(const Model& model, const Stepper& stepper, const LocatedMotion& motion);

  /// Gets every step from here on, with times from the start of its rollout; null for none.
  void SetSink(StepSink* sink);

  /// Poses of the body frame at frames toss.start ... toss.end. False when a step failed; poses up to there are right.
  bool Roll(const PreparedToss& toss, std::vector<SpatialPose<double>>& poses);

  /// The same from a start that is moved by (position, rotation increment, velocity, angular velocity) of the center of
  /// mass, world axes.
  bool RollFrom(const PreparedToss& toss, const Eigen::Matrix<double, 12, 1>& moved,
                std::vector<SpatialPose<double>>& poses);

  /// The same as long as `follow` returns true for the number of a frame after the start and its pose; false also when
  /// it was ended so.
  using Follow = std::function<bool(int, const SpatialPose<double>&)>;
  bool RollFrom(const PreparedToss& toss, const Eigen::Matrix<double, 12, 1>& moved,
                std::vector<SpatialPose<double>>& poses, const Follow& follow);

  /// Pose of the body frame `duration` after such a start, or at the step after it. Not finite when a step failed.
  SpatialPose<double> PoseAfter(const PreparedToss& toss, const Eigen::Matrix<double, 12, 1>& moved, double duration);

  /// Velocity after an impact at the jump's instant (impact_jump.h), predicted from the pose and velocity before,
  /// moved by `moved` (rotation increment, before). The body is placed so that the corner reaches the surface at the
  /// middle of a step, half a step's fall deep, which no error of the surface's height disturbs; it flies on after the
  /// impact until soft contact is over. None when a step failed or nothing was hit.
  std::optional<Vector6<double>> VelocityBehind(const PreparedToss& toss, const SelectedImpact& impact,
                                                const Eigen::Matrix<double, 9, 1>& moved);

  /// Jongeneel's (17), mean over the selected impacts, W = diag(1, 1, 1, 0.1 m, 0.1 m, 0.1 m). None without impacts.
  std::optional<double> VelocityLoss(const PreparedToss& toss);

  /// (17) with weights from the noise of the flights, sum over the selected impacts of
  ///
  ///   -log t_nu(r; S),   r = v^+ - f(R, v^-),   S = sum_j A_j A_j^T + B_j B_j^T,
  ///
  /// with f the prediction, A_j the secants of r along the principal axes of what the flights leave open of (R, v^-,
  /// v^+), B_j what the secants do not explain (where sticking turns into sliding), and Student's density with nu = 8
  /// in place of the normal one, so that an impact that the model does not explain cannot decide. `allowance` [m/s]
  /// above 0 is added to the standard deviations, and the density is the normal one. None without impacts.
  struct JumpCost {
    double cost = 0, chi2 = 0;  // chi2: sum of r^T S^-1 r
  };
  /// r of one impact over its standard deviations, L^-1 r with S = L L^T.
  struct JumpResidual {
    Vector6<double> over_noise;
    double log_determinant = 0;  // of S over that of the least S
  };
  std::optional<JumpResidual> ResidualBehind(const PreparedToss& toss, const SelectedImpact& impact,
                                             double allowance = 0);
  std::optional<JumpCost> VelocityCost(const PreparedToss& toss, double allowance = 0);

 private:
  /// The state of a rollout's start, to be moved.
  State& Place(const PreparedToss& toss, const SpatialPose<double>& pose, const Vector6<double>& velocity);
  void StartFrom(const PreparedToss& toss, const Eigen::Matrix<double, 12, 1>& moved);
  void Begin(const PreparedToss& toss, const State& start);
  bool Run(const PreparedToss& toss, std::vector<SpatialPose<double>>& poses, const Follow* follow = nullptr);

  const Model& model_;
  double step_, step_in_contact_ = 0;  // of the grid, of located motion [s]
  bool soft_ = false;  // some contact has compliance
  State at_rest_;      // every body where the scene has it
  State start_;
  Rollout rollout_;
  std::optional<Rollout> located_;
};

/// Predicted minus recorded pose of frame `start + i` (position, rotation increment) over the noise.
Vector6<double> PoseResidual(const PreparedToss& toss, int i, const SpatialPose<double>& pose);

/// Errors of a rollout against the recording; lengths in meters, angles in radians.
TossErrors CompareToss(const Model& model, const PreparedToss& toss, const std::vector<SpatialPose<double>>& poses);

}  // namespace ricochet
