// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/calibrate_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/context.h"
#include "core/text.h"
#include "dataset/frames/frame_fit.h"
#include "dataset/frames/frame_tracks.h"
#include "math/dense.h"
#include "math/so3.h"
#include "model/spatial_model.h"
#include "ricochet/error.h"
#include "ricochet/split.h"

namespace ricochet {
namespace {

constexpr double kKnownPosition = 5e-3;                     // [m]
constexpr double kKnownAngle = 2 * std::numbers::pi / 180;  // [rad]
constexpr double kDegree = 180 / std::numbers::pi;

int BodyToCalibrate(const Scene& scene, const std::string& name) {
  if (scene.space != Space::kSpatial)
    throw InputError({scene.file, 0, 0}, "space", "the frame is calibrated from tosses in space; this scene is planar.",
                     "Add observe.frame to the parameters that `ricochet identify` estimates.");
  if (!name.empty()) {
    const int index = scene.BodyIndex(name);
    if (index < 0)
      throw InputError({scene.file, 0, 0}, "bodies", fmt::format("there is no body `{}`.", Printable(name)),
                       "Name a body of the scene.");
    return index;
  }
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (!scene.bodies[i].fixed) return static_cast<int>(i);
  throw InputError({scene.file, 0, 0}, "bodies", "no body moves.", "Give the scene of the body that is tossed.");
}

FacedBody FacedBodyOf(const Scene& scene, const SpatialModel<double>& model, int index) {
  const SpatialBody<double>& body = model.bodies[static_cast<std::size_t>(index)];
  if (!body.shape.present || body.shape.hull.faces.empty())
    throw InputError({scene.file, 0, 0},
                     fmt::format("bodies.{}.shape", scene.bodies[static_cast<std::size_t>(index)].name),
                     "only bodies with flat faces rest in poses that show the tracked frame.",
                     "Use a box or a polytope, or estimate observe.frame with the contact law.");
  FacedBody faced;
  faced.faces = body.shape.hull.faces;
  faced.center_of_mass = body.p_BBcm;
  faced.inertia = body.I_BBcm_B;
  for (const int corner : body.shape.hull.corners)
    faced.corners.push_back(body.shape.vertices[static_cast<std::size_t>(corner)]);
  return faced;
}

FramePose PoseOf(const FrameFit& fit) { return {fit.position, LogSO3<double>(fit.rotation)}; }

/// The same pose, seen on the body turned by a symmetry.
FramePose TurnedPose(const FrameFit& fit, const FacedBody& body, const Quaternion<double>& symmetry) {
  FramePose pose;
  pose.position = body.center_of_mass + Rotate<double>(symmetry, Eigen::Vector3d(fit.position - body.center_of_mass));
  pose.rotation = LogSO3<double>(QuaternionProduct<double>(symmetry, fit.rotation));
  return pose;
}

/// Sentences for directions that stay open.
void FindOpenDirections(const FrameFit& fit, FrameCalibration& result) {
  const auto worst = [&](int first, double limit, const char* what) {
    const SymmetricEigen eigen = EigenOfSymmetric(fit.covariance.block(first, first, 3, 3));
    const double deviation = std::sqrt(std::max(0.0, eigen.values[2]));
    if (deviation <= limit) return;
    const Eigen::VectorXd axis = eigen.vectors.col(2);
    result.not_identifiable.push_back(
        fmt::format(fmt::runtime(what), axis[0], axis[1], axis[2], first == 0 ? 1e3 * deviation : kDegree * deviation));
  };
  worst(0, kKnownPosition, "position of the frame along ({:.2f}, {:.2f}, {:.2f}) of the body: +- {:.1f} mm");
  worst(3, kKnownAngle,
        "turn of the frame about ({:.2f}, {:.2f}, {:.2f}) of the body: +- {:.1f} degrees; let the body come to rest on "
        "other faces, or throw it with more spin");
  if (result.surface_lean_std > kKnownAngle)
    result.not_identifiable.push_back(fmt::format("lean of the surface: +- {:.1f} degrees; toss to several places",
                                                  kDegree * result.surface_lean_std));
}

Scene CalibratedScene(Scene scene, const SensorNumbers& numbers, const FrameCalibration& result) {
  const Surface& surface = scene.surfaces[0];
  for (std::size_t k = 0; k < 3; ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    scene.Set(numbers.place[k], result.frame.position[at]);
    scene.Set(numbers.rotation[k], result.frame.rotation[at]);
    scene.Set(surface.point[k], result.surface_point[at]);
    scene.Set(surface.normal[k], result.surface_normal[at]);
  }
  return scene;
}

}  // namespace

FrameCalibration CalibrateFrame(const Scene& scene, const std::vector<Recording>& recordings,
                                const FrameCalibrationOptions& options, const Context& context) {
  const ContextScope scope(context, "calibrate frame");
  const int index = BodyToCalibrate(scene, options.body);
  if (scene.surfaces.empty())
    throw InputError({scene.file, 0, 0}, "surfaces", "there is no surface that the body could rest on.",
                     "Add the plane: surfaces: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}.");
  std::vector<double> values;
  for (const SceneNumber& entry : scene.numbers()) values.push_back(entry.value);
  const SpatialModel<double> model = CompileSpatial<double>(scene, values);
  const FacedBody body = FacedBodyOf(scene, model, index);
  double size = 0;
  for (const Eigen::Vector3d& corner : body.corners) size = std::max(size, (corner - body.center_of_mass).norm());

  FrameCalibration result;
  for (const Recording& recording : recordings)
    for (const std::string& prefix : BodiesWithPoses(recording)) {
      const std::string angle = prefix.empty() ? "theta" : prefix + ".theta";
      if (recording.Find(angle) < 0) continue;
      throw InputError({recording.file, recording.lines.empty() ? 0 : 1, 0}, angle,
                       fmt::format("the recording is planar, but {} is spatial.", scene.file),
                       "Give tosses in space (t,x,y,z,qw,qx,qy,qz). In a planar scene `ricochet identify` estimates "
                       "observe.frame.");
    }
  result.body = scene.bodies[static_cast<std::size_t>(index)].name;
  result.surface = scene.surfaces[0].name;
  auto [tosses, notes] = SplitForScene(scene, recordings, context);
  result.notes = std::move(notes);
  const SensorNumbers numbers = FindObservationNumbers(scene).frames[static_cast<std::size_t>(index)];
  const std::vector<SpatialTrack> tracks = FrameTracks(scene, numbers, tosses);
  if (tracks.empty())
    throw InputError({recordings.empty() ? "" : recordings[0].file, 0, 0}, "",
                     fmt::format("no recording has poses of {}.", result.body),
                     "Columns are t,x,y,z,qw,qx,qy,qz, with the name of the body before each if there are several.");
  const std::optional<FrameEvidence> evidence = GatherFrameEvidence(tracks, model.gravity, size);
  if (!evidence)
    throw NumericsError(
        "calibrate-frame: no flight shows where the tracked frame is on the body; toss it freely, with spin about "
        "several axes");
  if (evidence->rests.empty())
    throw NumericsError("calibrate-frame: no toss comes to rest in its recording; record until the body rests");
  result.tosses = static_cast<int>(tracks.size());
  result.flights = evidence->flights;
  result.rests = static_cast<int>(evidence->rests.size());
  result.impacts = static_cast<int>(evidence->touches.size());

  Eigen::Vector3d stated = Eigen::Vector3d::Zero();
  for (std::size_t k = 0; k < 3; ++k)
    if (numbers.rotation[k]) stated[static_cast<Eigen::Index>(k)] = scene[numbers.rotation[k]];
  const FramePlane plane{model.surfaces[0].point, model.surfaces[0].R_WS.col(2)};
  const std::vector<FrameFit> fits = FitFrame(body, *evidence, ExpSO3(stated), plane);
  const FrameFit& best = fits.front();
  result.frame = PoseOf(best);
  for (int k = 0; k < 3; ++k) {
    result.position_std[k] = std::sqrt(best.covariance(k, k));
    result.rotation_std[k] = std::sqrt(best.covariance(3 + k, 3 + k));
  }
  result.surface_point = best.surface.point;
  result.surface_normal = best.surface.normal;
  result.surface_moved = plane.normal.dot(best.surface.point - plane.point);
  result.surface_moved_std = std::sqrt(best.covariance(6, 6));
  result.surface_lean =
      std::atan2(best.surface.normal.cross(plane.normal).norm(), best.surface.normal.dot(plane.normal));
  result.surface_lean_std = std::sqrt(std::max(best.covariance(7, 7), best.covariance(8, 8)));
  result.residual = best.residual;
  for (const Quaternion<double>& symmetry : SymmetriesOf(body, 1e-3 * size))
    if (std::abs(symmetry[0]) < 1 - 1e-9) result.symmetric.push_back(TurnedPose(best, body, symmetry));
  for (std::size_t i = 1; i < fits.size(); ++i) result.rivals.push_back(PoseOf(fits[i]));
  FindOpenDirections(best, result);
  result.scene = CalibratedScene(scene, numbers, result);
  return result;
}

namespace {

std::string Counted(int count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::string PoseText(const FramePose& pose) {
  const auto text = [](const Eigen::Vector3d& v) { return fmt::format("[{:.5f}, {:.5f}, {:.5f}]", v[0], v[1], v[2]); };
  return fmt::format("{{position: {}, rotation: {}}}", text(pose.position), text(pose.rotation));
}

}  // namespace

std::string DescribeFrameCalibration(const FrameCalibration& calibration) {
  std::string text;
  for (const std::string& note : calibration.notes) text += note + "\n";
  if (!calibration.identifiable())
    text += fmt::format("not identifiable: {} cannot determine the tracked frame of {}; six to ten with spin can\n",
                        Counted(calibration.tosses, "toss", "tosses"), calibration.body);
  text += fmt::format("tracked frame of {} in its body frame: {}\n", calibration.body, PoseText(calibration.frame));
  const Eigen::Vector3d mm = 1e3 * calibration.position_std, degrees = kDegree * calibration.rotation_std;
  text += fmt::format(
      "  standard deviations: position {:.2f}, {:.2f}, {:.2f} mm, turn about x, y, z of the body {:.2f}, "
      "{:.2f}, {:.2f} degrees\n",
      mm[0], mm[1], mm[2], degrees[0], degrees[1], degrees[2]);
  text += fmt::format("surface {}: {:.2f} +- {:.2f} mm from that of the scene, leans by {:.2f} +- {:.2f} degrees\n",
                      calibration.surface, 1e3 * calibration.surface_moved, 1e3 * calibration.surface_moved_std,
                      kDegree * calibration.surface_lean, kDegree * calibration.surface_lean_std);
  text += fmt::format("from {}: {}, {} and {} used; residuals are {:.2f} times the noise\n",
                      Counted(calibration.tosses, "toss", "tosses"), Counted(calibration.flights, "flight", "flights"),
                      Counted(calibration.rests, "rest", "rests"), Counted(calibration.impacts, "impact", "impacts"),
                      calibration.residual);
  for (const std::string& what : calibration.not_identifiable) text += fmt::format("not identifiable: {}\n", what);
  if (!calibration.symmetric.empty()) {
    text += fmt::format(
        "the body looks alike in {} poses; these frames predict the same motion, and the one nearest to the scene's is "
        "taken:\n",
        calibration.symmetric.size() + 1);
    for (const FramePose& pose : calibration.symmetric) text += fmt::format("  {}\n", PoseText(pose));
  }
  if (!calibration.rivals.empty()) {
    text += "not identifiable: these frames explain the tosses as well, but predict other motions:\n";
    for (const FramePose& pose : calibration.rivals) text += fmt::format("  {}\n", PoseText(pose));
  }
  return text;
}

std::string FormatFrameCalibration(const FrameCalibration& calibration) {
  const auto list = [](const Eigen::Vector3d& v) { return nlohmann::ordered_json{v[0], v[1], v[2]}; };
  const auto pose = [&](const FramePose& p) {
    return nlohmann::ordered_json{{"position", list(p.position)}, {"rotation", list(p.rotation)}};
  };
  const auto poses = [&](const std::vector<FramePose>& all) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const FramePose& p : all) out.push_back(pose(p));
    return out;
  };
  const auto texts = [](const std::vector<std::string>& all) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const std::string& text : all) out.push_back(Printable(text, 2000));
    return out;
  };
  nlohmann::ordered_json frame = pose(calibration.frame);
  frame["position_std"] = list(calibration.position_std);
  frame["rotation_std"] = list(calibration.rotation_std);
  const nlohmann::ordered_json json = {{"body", calibration.body},
                                       {"frame", frame},
                                       {"surface",
                                        {{"name", calibration.surface},
                                         {"point", list(calibration.surface_point)},
                                         {"normal", list(calibration.surface_normal)},
                                         {"moved", calibration.surface_moved},
                                         {"moved_std", calibration.surface_moved_std},
                                         {"lean", calibration.surface_lean},
                                         {"lean_std", calibration.surface_lean_std}}},
                                       {"tosses", calibration.tosses},
                                       {"flights", calibration.flights},
                                       {"rests", calibration.rests},
                                       {"impacts", calibration.impacts},
                                       {"residual", calibration.residual},
                                       {"identifiable", calibration.identifiable()},
                                       {"not_identifiable", texts(calibration.not_identifiable)},
                                       {"symmetric", poses(calibration.symmetric)},
                                       {"rivals", poses(calibration.rivals)},
                                       {"notes", texts(calibration.notes)}};
  return json.dump(2) + "\n";
}

}  // namespace ricochet
