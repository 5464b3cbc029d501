// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_rollout.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "dataset/noise.h"
#include "dataset/strange_motion.h"
#include "dynamics/free_rotation.h"
#include "dynamics/kinematics.h"
#include "observation/poses_from_points.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

constexpr int kRestFrames = 101;         // averaged for the rest pose, at most (as the paper's authors do)
constexpr double kSameFace = 0.5;        // smooth and many-sided shapes: angle between the sides that are up [rad]
constexpr double kAngularWeight = 0.1;   // of W in (17) [m]
constexpr int kLeastFlight = 4;          // frames
constexpr double kContactOver = 0.02;    // of the largest impulse of a step, below which soft contact is over
constexpr double kLongestImpact = 0.03;  // [s]
constexpr double kFreedom = 8;           // of Student's density of jumps
constexpr double kLeastVariance = 1e-8;  // of a velocity after an impact [m^2/s^2]
constexpr double kImpactStep = 1e-5;     // of a hard impact by itself [s]

/// The recorded body and its column prefix.
struct RecordedBody {
  int body = 0;
  std::string prefix;
};

/// Its motion as recorded.
struct RecordedMotion {
  int body = 0;
  SpatialTrack track;
};

RecordedBody FindBody(const Scene& scene, const Recording& recording) {
  for (const std::string& prefix : BodiesWithPoses(recording)) {
    if (prefix.empty()) {
      for (int i = 0; i < static_cast<int>(scene.bodies.size()); ++i) {
        if (!scene.bodies[static_cast<std::size_t>(i)].fixed) return {i, prefix};
      }
    } else if (const int i = scene.BodyIndex(prefix); i >= 0 && !scene.bodies[static_cast<std::size_t>(i)].fixed) {
      return {i, prefix};
    }
  }
  throw InputError(
      {recording.file, 1, 0}, "", "the recording has no poses of a moving body of the scene.",
      "The columns are t,x,y,z,qw,qx,qy,qz, with the body's name and a dot in front if several bodies move.");
}

RecordedMotion ReadMotion(const Model& model, const Recording& given) {
  const Recording recording = AddPosesFromPoints(*model.scene, given);
  const RecordedBody found = FindBody(*model.scene, recording);
  RecordedMotion out{.body = found.body, .track = MakeSpatialTrack(recording, found.prefix)};
  if (out.track.planar)
    throw InputError({out.track.name, recording.lines.empty() ? 0 : 1, 0}, "theta",
                     "the recording is planar, but the scene is spatial.",
                     "Give x,y,z,qw,qx,qy,qz (meters), or a planar scene.");
  RefuseStrangeMotion(out.track.name, model.spatial.gravity.norm(), out.track.time, out.track.position);
  return out;
}

SpatialPose<double> PoseOf(const Eigen::Vector3d& p, const Quaternion<double>& q) {
  SpatialPose<double> pose;
  pose << p, q;
  return pose;
}

/// Brings a track to poses of the body frame, in the scene's lengths, from what was undone before.
void UndoObservation(const Scene& scene, int body, SpatialTrack& track, SpatialSensor<double>& undone) {
  const SpatialSensor<double> sensor(FindObservationNumbers(scene).frames[static_cast<std::size_t>(body)], scene);
  if (sensor == undone) return;
  for (int k = 0; k < track.size(); ++k) {
    const auto frame = static_cast<std::size_t>(k);
    const SpatialPose<double> pose =
        sensor.BodyPose(undone.PoseOfBody(PoseOf(track.position[frame], track.rotation[frame])));
    track.position[frame] = pose.head<3>();
    track.rotation[frame] = pose.tail<4>();
  }
  // The error of the rotation moves the body frame about the tracked one: two of three axes with the distance as arm.
  const auto lever = [&](const SpatialSensor<double>& of) {
    return 2.0 / 3.0 * of.place().squaredNorm() * track.noise_angle * track.noise_angle;
  };
  const double variance = track.noise_position * track.noise_position;
  const double recorded = std::sqrt(std::max(variance - lever(undone), 0.01 * variance)) * undone.length_scale();
  track.noise_position = std::sqrt(std::pow(recorded / sensor.length_scale(), 2) + lever(sensor));
  undone = sensor;
}

/// The surface with the least height below a point, within its extent.
int SurfaceBelow(const Model& model, const Eigen::Vector3d& p) {
  int nearest = -1;
  double least = 0;
  for (int i = 0; i < static_cast<int>(model.spatial.surfaces.size()); ++i) {
    const SpatialSurface<double>& s = model.spatial.surfaces[static_cast<std::size_t>(i)];
    const Eigen::Vector3d in_frame = s.R_WS.transpose() * (p - s.point);
    if (in_frame.z() < 0) continue;
    if (s.bounded && (in_frame.x() < s.x0 || in_frame.x() > s.x1 || in_frame.y() < s.y0 || in_frame.y() > s.y1))
      continue;
    if (nearest < 0 || in_frame.z() < least) nearest = i, least = in_frame.z();
  }
  return nearest;
}

/// The side of the body that is up, as a direction in its frame.
Eigen::Vector3d UpSide(const SpatialPose<double>& pose, const Eigen::Vector3d& normal) {
  return RotationMatrix<double>(pose.tail<4>()).transpose() * normal;
}

bool SameFace(const SpatialShape<double>& shape, const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  if (shape.type == ShapeType::kBox) {
    Eigen::Index i = 0, j = 0;
    a.cwiseAbs().maxCoeff(&i);
    b.cwiseAbs().maxCoeff(&j);
    return i == j && std::signbit(a[i]) == std::signbit(b[j]);
  }
  return std::atan2(a.cross(b).norm(), a.dot(b)) < kSameFace;
}

}  // namespace

double LengthOf(const SpatialShape<double>& shape) {
  if (!shape.present) return 1;
  switch (shape.type) {
    case ShapeType::kSphere:
      return 2 * shape.radius;
    case ShapeType::kCylinder:
      return shape.length;
    case ShapeType::kEllipsoid:
      return 2 * shape.semi_axes.x();
    default: {
      double lower = 0, upper = 0;
      for (const Eigen::Vector3d& v : shape.vertices) lower = std::min(lower, v.x()), upper = std::max(upper, v.x());
      return upper - lower;
    }
  }
}

void CheckToss(const Model& model, const Recording& recording) { ReadMotion(model, recording); }

PreparedToss PrepareToss(const Model& model, const Recording& recording, const RollStart& start) {
  PreparedToss out = PrepareFlight(model, recording, start);
  if (out.problem.empty() && out.end <= out.start) out.problem = "the recording ends at the start of the rollout";
  return out;
}

PreparedToss PrepareFlight(const Model& model, const Recording& recording, const RollStart& start) {
  const Scene& scene = *model.scene;
  auto [index, track] = ReadMotion(model, recording);
  PreparedToss out;
  out.position_freedom = out.angle_freedom = QuartileFreedom(3 * track.size());
  out.body = index;
  const SpatialBody<double>& body = model.spatial.bodies[static_cast<std::size_t>(index)];
  out.length = LengthOf(body.shape);
  UndoObservation(scene, index, track, out.sensor);
  FlightBody flight_body;
  flight_body.p_BBcm = body.p_BBcm;
  flight_body.inertia = body.I_BBcm_B;
  TossOptions options;
  options.gravity = model.spatial.gravity;
  options.fix_gravity = true;
  for (const SpatialSurface<double>& s : model.spatial.surfaces) {
    if (s.velocity.norm() > options.standstill.surface_velocity.norm())
      options.standstill.surface_velocity = s.velocity;
  }
  out.toss = MakeToss(std::move(track), flight_body, options);
  const FlightArc* flight = out.toss.first_flight();
  if (!flight || flight->used < kLeastFlight) {
    out.problem = "no free flight was found";
    return out;
  }
  out.arc_first = flight->first;
  out.arc_last = flight->last;
  switch (start.kind) {
    case RollStart::Kind::kRelease:
      out.start = flight->first;
      break;
    case RollStart::Kind::kContact:
      out.start = flight->last - 1;
      break;
    case RollStart::Kind::kFirst:
      out.start = 0;
      if (flight->first != 0) {
        out.problem = "its first frame is not in free flight";
        return out;
      }
      break;
    case RollStart::Kind::kBelow: {
      const auto& p = out.toss.track.position;
      int frame = flight->first;
      while (frame < out.toss.track.size() && p[static_cast<std::size_t>(frame)].z() >= start.height) ++frame;
      out.start = frame - 1;
      if (frame == out.toss.track.size() || out.start - flight->first + 1 < 2) {
        out.problem = "its flight does not cross the height of the start";
        return out;
      }
      out.recorded_pose = true;
      out.arc_last = std::min(out.start + 1, flight->last);
      break;
    }
  }
  const bool rests = out.toss.rest > out.start && start.kind != RollStart::Kind::kBelow;
  out.end = rests ? out.toss.rest : out.toss.track.size() - 1;
  out.surface = SurfaceBelow(model, out.toss.track.position[static_cast<std::size_t>(out.end)]);

  RefitStart(model, out);
  if (out.surface >= 0 && !body.shape.vertices.empty()) {
    const SpatialSurface<double>& surface = model.spatial.surfaces[static_cast<std::size_t>(out.surface)];
    const ImpactGeometry geometry{surface.point, surface.R_WS.col(2), surface.velocity, body.shape.vertices};
    out.impacts = SelectImpacts(out.toss.track, flight_body, geometry, model.spatial.gravity, out.toss.contact);
  }
  return out;
}

SpatialPose<double> RecordedRest(const Model& model, const PreparedToss& toss) {
  const SpatialTrack& track = toss.toss.track;
  const bool carried =
      toss.surface >= 0 && model.spatial.surfaces[static_cast<std::size_t>(toss.surface)].velocity.norm() > 0;
  const int first = carried ? toss.end : toss.toss.rest;
  const int last = carried ? toss.end + 1 : std::min(track.size(), first + kRestFrames);
  const MeanPose mean = AveragePose(track, first, last);
  return PoseOf(mean.position, mean.rotation);
}

bool MovesStart(std::string_view path) {
  return !path.starts_with("contact") && !path.starts_with("surfaces") && !path.starts_with("simulation");
}

void RefitStart(const Model& model, PreparedToss& toss) {
  SpatialTrack& track = toss.toss.track;
  UndoObservation(*model.scene, toss.body, track, toss.sensor);
  const SpatialBody<double>& body = model.spatial.bodies[static_cast<std::size_t>(toss.body)];
  toss.length = LengthOf(body.shape);
  FlightBody flight_body;
  flight_body.p_BBcm = body.p_BBcm;
  flight_body.inertia = body.I_BBcm_B;
  FlightFitOptions fit;
  fit.acceleration = model.spatial.gravity;
  const std::size_t frame = static_cast<std::size_t>(toss.start);
  fit.reference = track.time[frame];
  const FlightArc arc = FitFlight(track, flight_body, toss.arc_first, toss.arc_last, fit);
  const Eigen::Vector3d p_WB = arc.position - RotationMatrix<double>(arc.rotation) * body.p_BBcm;
  toss.pose = toss.recorded_pose ? PoseOf(track.position[frame], track.rotation[frame]) : PoseOf(p_WB, arc.rotation);
  toss.velocity << arc.velocity, arc.angular_velocity;
  toss.covariance = StateCovariance(arc);
}

void RefitJumps(const Model& model, PreparedToss& toss) {
  UndoObservation(*model.scene, toss.body, toss.toss.track, toss.sensor);
  const SpatialBody<double>& body = model.spatial.bodies[static_cast<std::size_t>(toss.body)];
  FlightBody flight_body;
  flight_body.p_BBcm = body.p_BBcm;
  flight_body.inertia = body.I_BBcm_B;
  for (SelectedImpact& impact : toss.impacts.impacts) {
    const auto& [first, end, begin, last] = impact.flight;
    impact.jump = FitImpactJump(toss.toss.track, flight_body, model.spatial.gravity, first, end, begin, last);
  }
}

State StartState(const Model& model, const PreparedToss& toss) {
  State state = StateAtRest(model);
  SetBodyPose(model, toss.body, {toss.pose.data(), 7}, state);
  state.v.segment<6>(6 * toss.body) = toss.velocity;
  return state;
}

double StepOf(const Model& model, const PreparedToss& toss, double step) {
  if (step > 0) return step;
  const Scene& scene = *model.scene;
  return scene.number(scene.simulation.step).given ? scene[scene.simulation.step] : toss.toss.track.interval;
}

TossRoller::TossRoller(const Model& model, const Stepper& stepper, double step)
    : model_(model), step_(step), at_rest_(StateAtRest(model)), rollout_(stepper, model) {
  for (const SpatialPair<double>& pair : model.spatial.pairs) soft_ = soft_ || pair.law.has_compliance;
}

TossRoller::TossRoller(const Model& model, const Stepper& stepper, const LocatedMotion& motion)
    : TossRoller(model, stepper, kFineStep) {
  if (!LocatedSteps::Supports(model)) return;
  step_in_contact_ = motion.step;
  located_.emplace(stepper, model, RolloutOptions{.located = motion.lengths});
}

void TossRoller::SetSink(StepSink* sink) {
  rollout_.SetSink(sink);
  if (located_) located_->SetSink(sink);
}

void TossRoller::Begin(const PreparedToss& toss, const State& start) {
  if (located_) {
    located_->Start(start, step_in_contact_);
  } else {
    rollout_.Start(start, StepOf(model_, toss, step_));
  }
}

State& TossRoller::Place(const PreparedToss& toss, const SpatialPose<double>& pose, const Vector6<double>& velocity) {
  start_ = at_rest_;
  SetBodyPose(model_, toss.body, {pose.data(), 7}, start_);
  start_.v.segment<6>(6 * toss.body) = velocity;
  return start_;
}

bool TossRoller::Roll(const PreparedToss& toss, std::vector<SpatialPose<double>>& poses) {
  Begin(toss, Place(toss, toss.pose, toss.velocity));
  return Run(toss, poses);
}

bool TossRoller::RollFrom(const PreparedToss& toss, const Eigen::Matrix<double, 12, 1>& moved,
                          std::vector<SpatialPose<double>>& poses) {
  StartFrom(toss, moved);
  return Run(toss, poses);
}

bool TossRoller::RollFrom(const PreparedToss& toss, const Eigen::Matrix<double, 12, 1>& moved,
                          std::vector<SpatialPose<double>>& poses, const Follow& follow) {
  StartFrom(toss, moved);
  return Run(toss, poses, &follow);
}

void TossRoller::StartFrom(const PreparedToss& toss, const Eigen::Matrix<double, 12, 1>& moved) {
  State& start = Place(toss, toss.pose, toss.velocity + moved.tail<6>());
  const Eigen::Index q = 7 * toss.body;
  start.q.segment<3>(q) += moved.head<3>();
  start.q.segment<4>(q + 3) = BoxPlusRotation<double>(start.q.segment<4>(q + 3), Eigen::Vector3d(moved.segment<3>(3)));
  Begin(toss, start);
}

SpatialPose<double> TossRoller::PoseAfter(const PreparedToss& toss, const Eigen::Matrix<double, 12, 1>& moved,
                                          double duration) {
  StartFrom(toss, moved);
  if (located_) {
    SpatialPose<double> pose = SpatialPose<double>::Constant(std::numeric_limits<double>::quiet_NaN());
    if (located_->AdvanceTo(duration)) BodyPose(model_, located_->state(), toss.body, {pose.data(), 7});
    return pose;
  }
  if (!rollout_.AdvanceTo(duration)) return SpatialPose<double>::Constant(std::numeric_limits<double>::quiet_NaN());
  return rollout_.At(rollout_.state().time).FramePose(model_, toss.body);
}

bool TossRoller::Run(const PreparedToss& toss, std::vector<SpatialPose<double>>& poses, const Follow* follow) {
  const std::vector<double>& time = toss.toss.track.time;
  const double t0 = time[static_cast<std::size_t>(toss.start)];
  poses.clear();
  for (int frame = toss.start; frame <= toss.end; ++frame) {
    const double t = time[static_cast<std::size_t>(frame)] - t0;
    if (located_) {
      if (!located_->AdvanceTo(t)) return false;
      BodyPose(model_, located_->state(), toss.body, {poses.emplace_back().data(), 7});
    } else {
      if (!rollout_.AdvanceTo(t)) return false;
      poses.push_back(rollout_.At(t).FramePose(model_, toss.body));
    }
    if (follow && frame > toss.start && !(*follow)(frame - toss.start, poses.back())) return false;
  }
  return true;
}

std::optional<Vector6<double>> TossRoller::VelocityBehind(const PreparedToss& toss, const SelectedImpact& impact,
                                                          const Eigen::Matrix<double, 9, 1>& moved) {
  const SpatialBody<double>& body = model_.spatial.bodies[static_cast<std::size_t>(toss.body)];
  const SpatialSurface<double>& surface = model_.spatial.surfaces[static_cast<std::size_t>(toss.surface)];
  const Eigen::Vector3d normal = surface.R_WS.col(2), gravity = model_.spatial.gravity;
  const double h = !located_ ? StepOf(model_, toss, step_) : soft_ ? kFineStep : kImpactStep;
  const Quaternion<double> at_impact = BoxPlusRotation<double>(impact.jump.rotation, Eigen::Vector3d(moved.head<3>()));
  const Vector6<double> before = impact.jump.before + moved.tail<6>();

  // Height of the corner at the instant of the impact: half a step's fall below the surface.
  const Eigen::Vector3d arm = Rotate<double>(
      at_impact, Eigen::Vector3d(body.shape.vertices[static_cast<std::size_t>(impact.corner)] - body.p_BBcm));
  const double fall = std::max(0.0, -normal.dot(before.head<3>() + before.tail<3>().cross(arm) - surface.velocity)) * h;
  Eigen::Vector3d p = impact.jump.position;
  p += normal * (normal.dot(surface.point - p - arm) - 0.5 * fall);

  // One and a half steps earlier.
  const double back = -1.5 * h;
  Quaternion<double> rotation = at_impact;
  Eigen::Vector3d w = before.tail<3>();
  PropagateRotation(body.I_BBcm_B, back, rotation, w);
  Vector6<double> velocity;
  velocity << before.head<3>() + gravity * back, w;
  p += before.head<3>() * back + gravity * (0.5 * back * back);
  rollout_.Start(Place(toss, PoseOf(p - RotationMatrix<double>(rotation) * body.p_BBcm, rotation), velocity), h);

  double largest = 0, last = 0;
  for (int k = 0; k < 2 || largest == 0 || (soft_ && last > kContactOver * largest); ++k) {
    if (k > 2 && static_cast<double>(k) * h > kLongestImpact) return std::nullopt;
    if (!rollout_.Advance()) return std::nullopt;
    last = 0;
    for (const ContactRecord& contact : rollout_.step().contacts) last += contact.normal_impulse;
    largest = std::max(largest, last);
  }
  // Flown back to the instant of the impact.
  const State& state = rollout_.state();
  const double since = back + state.time;
  rotation = state.q.segment<4>(7 * toss.body + 3);
  w = state.v.segment<3>(6 * toss.body + 3);
  PropagateRotation(body.I_BBcm_B, -since, rotation, w);
  velocity << state.v.segment<3>(6 * toss.body) - gravity * since, w;
  return velocity;
}

std::optional<double> TossRoller::VelocityLoss(const PreparedToss& toss) {
  if (toss.impacts.impacts.empty()) return std::nullopt;
  double sum = 0;
  for (const SelectedImpact& impact : toss.impacts.impacts) {
    const std::optional<Vector6<double>> behind = VelocityBehind(toss, impact, Eigen::Matrix<double, 9, 1>::Zero());
    if (!behind) return std::nullopt;
    Vector6<double> error = impact.jump.after - *behind;
    error.tail<3>() *= kAngularWeight;
    sum += error.norm();
  }
  return sum / static_cast<double>(toss.impacts.impacts.size());
}

std::optional<TossRoller::JumpResidual> TossRoller::ResidualBehind(const PreparedToss& toss,
                                                                   const SelectedImpact& impact, double allowance) {
  const auto residual = [&](const Vector15& moved) {
    const std::optional<Vector6<double>> behind = VelocityBehind(toss, impact, moved.head<9>());
    return behind ? Vector6<double>(impact.jump.after + moved.tail<6>() - *behind)
                  : Vector6<double>::Constant(std::numeric_limits<double>::quiet_NaN());
  };
  const Vector6<double> here = residual(Vector15::Zero());
  const Matrix15& root = impact.jump.root;
  Matrix6<double> spread = Matrix6<double>::Zero();
  for (int j = 0; j < 15; ++j) {
    const Vector6<double> up = residual(root.col(j)), down = residual(-root.col(j));
    const Vector6<double> secant = 0.5 * (up - down), beyond = 0.5 * (up + down) - here;
    spread += secant * secant.transpose() + beyond * beyond.transpose();
  }
  if (!here.allFinite() || !spread.allFinite()) return std::nullopt;
  // Angular velocities in m/s, so that the determinant has numbers of one size.
  Vector6<double> scale;
  scale << 1, 1, 1, kAngularWeight, kAngularWeight, kAngularWeight;
  Matrix6<double> matrix = scale.asDiagonal() * spread * scale.asDiagonal();
  matrix.diagonal().array() += kLeastVariance + allowance * allowance;
  const Eigen::LLT<Matrix6<double>> factor(matrix);
  if (factor.info() != Eigen::Success) return std::nullopt;
  JumpResidual out{factor.matrixL().solve(Vector6<double>(scale.cwiseProduct(here))), -6 * std::log(kLeastVariance)};
  for (int j = 0; j < 6; ++j) out.log_determinant += 2 * std::log(factor.matrixLLT()(j, j));
  return out;
}

std::optional<TossRoller::JumpCost> TossRoller::VelocityCost(const PreparedToss& toss, double allowance) {
  if (toss.impacts.impacts.empty()) return std::nullopt;
  JumpCost out;
  for (const SelectedImpact& impact : toss.impacts.impacts) {
    const std::optional<JumpResidual> residual = ResidualBehind(toss, impact, allowance);
    if (!residual) return std::nullopt;
    const double distance = residual->over_noise.squaredNorm();
    out.chi2 += distance;
    out.cost += 0.5 * residual->log_determinant;
    out.cost += allowance > 0 ? 0.5 * distance : 0.5 * (kFreedom + 6) * std::log1p(distance / kFreedom);
  }
  return out;
}

Vector6<double> PoseResidual(const PreparedToss& toss, int i, const SpatialPose<double>& pose) {
  const SpatialTrack& track = toss.toss.track;
  const std::size_t frame = static_cast<std::size_t>(toss.start + i);
  Vector6<double> difference = BoxMinus<double>(pose, PoseOf(track.position[frame], track.rotation[frame]));
  difference.head<3>() /= track.noise_position;
  difference.tail<3>() /= track.noise_angle;
  return difference;
}

TossErrors CompareToss(const Model& model, const PreparedToss& toss, const std::vector<SpatialPose<double>>& poses) {
  const SpatialTrack& track = toss.toss.track;
  TossErrors errors;
  int count = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const std::size_t frame = static_cast<std::size_t>(toss.start) + i;
    if (track.outlier[frame]) continue;
    const Vector6<double> difference = BoxMinus<double>(poses[i], PoseOf(track.position[frame], track.rotation[frame]));
    errors.trajectory_position_error += difference.head<3>().norm();
    errors.trajectory_rotation_error += difference.tail<3>().norm();
    ++count;
  }
  if (count > 0) errors.trajectory_position_error /= count, errors.trajectory_rotation_error /= count;
  errors.trajectory_loss = errors.trajectory_position_error / toss.length + errors.trajectory_rotation_error;

  const bool whole = static_cast<int>(poses.size()) == toss.end - toss.start + 1;
  if (!whole || toss.toss.rest < 0 || toss.toss.rest > toss.end || toss.surface < 0) return errors;
  const SpatialSurface<double>& surface = model.spatial.surfaces[static_cast<std::size_t>(toss.surface)];
  const Eigen::Vector3d normal = surface.R_WS.col(2);
  const SpatialPose<double> measured = RecordedRest(model, toss);
  const Vector6<double> difference = BoxMinus<double>(poses.back(), measured);
  errors.rest_position_error = (surface.R_WS.transpose() * difference.head<3>()).head<2>().norm();
  errors.rest_rotation_error = difference.tail<3>().norm();
  const SpatialShape<double>& shape = model.spatial.bodies[static_cast<std::size_t>(toss.body)].shape;
  errors.rest_face_correct = SameFace(shape, UpSide(poses.back(), normal), UpSide(measured, normal));
  if (*errors.rest_face_correct) {
    // Turn about the normal that remains when the tilt between the two is taken out.
    const Quaternion<double> q =
        QuaternionProduct<double>(poses.back().tail<4>(), QuaternionConjugate<double>(measured.tail<4>()));
    errors.rest_yaw_error = std::abs(WrapAngle(2 * std::atan2(q.tail<3>().dot(normal), q[0])));
  }
  return errors;
}

}  // namespace ricochet
