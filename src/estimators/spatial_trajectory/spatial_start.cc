// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial_trajectory/spatial_start.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "dynamics/kinematics.h"
#include "math/dense.h"
#include "rollout/rollout.h"

namespace ricochet {
namespace {

constexpr int kLayingSteps = 40;
constexpr int kForgettingSteps = 5;  // after which what contact undoes is gone
constexpr double kForgotten = 1e-3;  // directions that shrink below this part of the largest are held
constexpr double kWithinNoise = 8;   // sigma that laying down may move a body
constexpr double kAmpleFriction = 10;

/// The tracks of the body frames that the recorded poses show.
PoseTracks BodyTracks(const SpatialFamily& family, PoseTracks track, const SpatialInstance& instance) {
  for (int row = 0; row < track.rows(); ++row) {
    for (std::size_t m = 0; m < family.moving().size(); ++m) {
      const std::size_t at = track.At(row, static_cast<int>(m));
      if (track.present[at])
        track.pose[at] = instance.frames[static_cast<std::size_t>(family.moving()[m])].BodyPose(track.pose[at]);
    }
  }
  return track;
}

/// Poses of fixed bodies as the scene has them, moving ones as the first rows say.
State FirstState(const SpatialFamily& family, const PoseTracks& track, const SpatialInstance& instance, int& rows) {
  const Model& model = instance.model;
  State state = StateAtRest(model);
  state.time = track.time[0];
  const PoseTracks bodies = BodyTracks(family, track, instance);
  rows = track.rows();
  for (std::size_t m = 0; m < family.moving().size(); ++m) {
    const int body = family.moving()[m];
    const SpatialStart start =
        FitSpatialStart(bodies, static_cast<int>(m), model.spatial.bodies[static_cast<std::size_t>(body)].p_BBcm);
    state.q.segment<7>(7 * body) = start.pose;
    state.v.segment<6>(6 * body) = start.velocity;
    rows = std::min(rows, start.rows);
  }
  return state;
}

/// The model without loads, belts and with other friction, for laying down.
Model StillModel(const Model& model, double friction) {
  Model still = model;
  still.spatial.loads.clear();
  still.triggers.clear();
  for (SpatialSurface<double>& surface : still.spatial.surfaces) surface.velocity.setZero();
  for (SpatialPair<double>& pair : still.spatial.pairs)
    if (pair.law.has_patch) pair.law.friction = friction;
  return still;
}

/// The state laid down in contact, if it is there within the noise.
std::optional<State> LayDown(const SpatialFamily& family, const PoseTracks& track, const Model& model,
                             const State& recorded) {
  const double g = model.spatial.gravity.norm();
  if (!(g > 0)) return std::nullopt;
  double size = 0;
  for (const int body : family.moving()) size = std::max(size, family.size_of(body));
  const double reach = kWithinNoise * (track.noise_position + size * track.noise_angle) + 1e-7 * size;
  const double h = std::sqrt(reach / g);
  const Model still = StillModel(model, kAmpleFriction);
  Rollout laying(family.stepper(), still);
  State state = recorded;
  state.v.setZero();
  int resting = 0;
  for (int k = 0; k < kLayingSteps && resting < 2; ++k) {
    laying.Start(state, h);
    if (!laying.Advance()) return std::nullopt;
    const double moved = (laying.state().q - state.q).norm();
    resting = !laying.step().contacts.empty() && moved < 1e-9 * (1 + size) ? resting + 1 : 0;
    state.q = laying.state().q;
  }
  if (resting < 2) return std::nullopt;
  for (const int body : family.moving()) {
    const SpatialPose<double> now = state.q.segment<7>(7 * body), was = recorded.q.segment<7>(7 * body);
    const Vector6<double> change = BoxMinus<double>(now, was);
    if (change.head<3>().norm() + family.size_of(body) * change.tail<3>().norm() > 2 * reach) return std::nullopt;
  }
  // Velocities without what leads into the surface.
  const Model smooth = StillModel(model, 0);
  Rollout sliding(family.stepper(), smooth);
  state.v = recorded.v;
  sliding.Start(state, std::min(h, family.step()));
  if (!sliding.Advance() || sliding.step().contacts.empty()) return std::nullopt;
  state.v = sliding.state().v;
  return state;
}

/// Directions of the start that the first steps do not forget.
Eigen::MatrixXd RememberedDirections(const SpatialFamily& family, const SpatialRollout& rollout,
                                     const SpatialInstance& instance) {
  const Eigen::MatrixXd transition = rollout.Transition(instance, kForgettingSteps);
  if (transition.size() == 0) return rollout.FullBasis();
  Eigen::VectorXd scale(transition.rows());
  const double tau = kForgettingSteps * family.step();
  for (std::size_t m = 0; m < family.moving().size(); ++m) {
    const double size = family.size_of(family.moving()[m]);
    auto part = scale.segment<12>(12 * static_cast<Eigen::Index>(m));
    part.segment<3>(0).setConstant(size);
    part.segment<3>(3).setOnes();
    part.segment<3>(6).setConstant(size / tau);
    part.segment<3>(9).setConstant(1 / tau);
  }
  const Eigen::MatrixXd scaled = scale.cwiseInverse().asDiagonal() * transition * scale.asDiagonal();
  const SingularDecomposition svd = DecomposeSingular(scaled);
  Eigen::Index rank = 0;
  while (rank < scaled.cols() && svd.values[rank] > kForgotten * svd.values[0]) ++rank;
  return scale.asDiagonal() * svd.V.leftCols(rank);
}

}  // namespace

std::vector<SpatialStartGuess> ListStarts(const SpatialFamily& family, const PoseTracks& track,
                                          const SpatialInstance& instance, int& rows) {
  std::vector<SpatialStartGuess> guesses;
  SpatialRollout rollout(family, track);
  const State first = FirstState(family, track, instance, rows);
  guesses.push_back({{first, rollout.FullBasis()}, false});
  if (!family.stepper().info().undoes_overlap) return guesses;
  if (const std::optional<State> laid = LayDown(family, track, instance.model, first)) {
    rollout.reference.state = *laid;
    guesses.push_back({{*laid, RememberedDirections(family, rollout, instance)}, true});
  }
  return guesses;
}

}  // namespace ricochet
