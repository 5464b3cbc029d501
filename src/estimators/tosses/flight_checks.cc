// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/flight_checks.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "math/dense.h"
#include "math/so3.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kUnlikely = 1e-4;      // probability below which the scene is contradicted
constexpr double kGross = 3;            // ratio of residuals before and after, from which on a mistake is identified
constexpr double kLeastGap = 2e-4;      // of a rest that counts: models of contact leave that much [m]
constexpr double kLeastLean = 2e-3;     // [rad]
constexpr double kStandsOnFace = 0.05;  // [rad]
constexpr double kGrossGap = 0.02;      // of the body's size, and many standard deviations: a mistake is identified
constexpr double kManyDeviations = 20;

/// Rows of all flights for (acceleration, arm), position and velocity of each flight projected out.
struct FlightRows {
  Eigen::MatrixXd by;        // 6 columns
  Eigen::VectorXd residual;  // over the noise
  double freedom = 0;
};

FlightRows RowsOfFlights(const Model& model, const TossSet& set) {
  std::vector<Eigen::MatrixXd> parts;
  FlightRows out;
  for (const int i : set.used()) {
    const PreparedToss& toss = set.tosses()[static_cast<std::size_t>(i)];
    const SpatialTrack& track = toss.toss.track;
    const SpatialBody<double>& body = model.spatial.bodies[static_cast<std::size_t>(toss.body)];
    for (const FlightArc& arc : toss.toss.flights) {
      std::vector<int> frames;
      for (int k = arc.first; k < arc.last; ++k)
        if (!track.outlier[static_cast<std::size_t>(k)]) frames.push_back(k);
      const auto n = static_cast<Eigen::Index>(frames.size());
      if (n < 4) continue;
      Eigen::MatrixXd own = Eigen::MatrixXd::Zero(3 * n, 6), rows(3 * n, 7);
      for (Eigen::Index r = 0; r < n; ++r) {
        const auto k = static_cast<std::size_t>(frames[static_cast<std::size_t>(r)]);
        const double s = track.time[k] - arc.reference;
        const Eigen::Matrix3d R = RotationMatrix<double>(track.rotation[k]);
        own.block<3, 3>(3 * r, 0).setIdentity();
        own.block<3, 3>(3 * r, 3) = s * Eigen::Matrix3d::Identity();
        rows.block<3, 3>(3 * r, 0) = 0.5 * s * s * Eigen::Matrix3d::Identity();
        rows.block<3, 3>(3 * r, 3) = -R;
        rows.block<3, 1>(3 * r, 6) = track.position[k] + R * body.p_BBcm - 0.5 * s * s * model.spatial.gravity;
      }
      parts.emplace_back(BehindColumns(own, rows, 1e-9) / track.noise_position);
      out.freedom += static_cast<double>(3 * n - 6);
    }
  }
  Eigen::Index count = 0;
  for (const Eigen::MatrixXd& part : parts) count += part.rows();
  out.by.resize(count, 6);
  out.residual.resize(count);
  Eigen::Index at = 0;
  for (const Eigen::MatrixXd& part : parts) {
    out.by.middleRows(at, part.rows()) = part.leftCols(6);
    out.residual.segment(at, part.rows()) = part.col(6);
    at += part.rows();
  }
  return out;
}

/// An error of the scene that the recordings show.
struct SceneError {
  Explanation words;
  std::string text;  // what is off, in words
  bool gross = false;
};

std::string PathsOf(const SpatialFamily& family, const std::string& path) {
  std::string paths;
  for (const std::string& each : family.parameters().paths()) paths += each + ", ";
  return fmt::format("option `paths` \"{}{}\"", paths, path);
}

std::string VectorText(const Eigen::Vector3d& value, const Eigen::Vector3d& std, std::string_view unit) {
  std::string out;
  for (int i = 0; i < 3; ++i) out += fmt::format("{}{:.4g} +- {:.2g}", i > 0 ? ", " : "", value[i], std[i]);
  return fmt::format("({}) {}", out, unit);
}

bool IsRequested(const SpatialFamily& family, std::string_view start) {
  const auto& selected = family.selected();
  return std::any_of(selected.begin(), selected.end(),
                     [&](const SelectedParameter& each) { return each.path.starts_with(start); });
}

void CheckFlights(const SpatialFamily& family, const Model& model, const TossSet& set, std::vector<SceneError>& out) {
  const FlightRows rows = RowsOfFlights(model, set);
  if (rows.freedom < 20) return;
  const std::string& body = family.scene().bodies[static_cast<std::size_t>(family.moving().front())].name;
  const double before = rows.residual.squaredNorm();
  const Eigen::MatrixXd both = BehindColumns(rows.by, rows.residual, 1e-7);
  const double variance = both.squaredNorm() / (rows.freedom - 6);
  for (const bool gravity : {true, false}) {
    if (IsRequested(family, gravity ? "gravity" : "observe.frame") ||
        (!gravity && IsRequested(family, "bodies." + body + ".center_of_mass")))
      continue;
    const Eigen::MatrixXd by = gravity ? rows.by.leftCols(3) : rows.by.rightCols(3);
    const SymmetricEigen eigen = EigenOfSymmetric(by.transpose() * by);
    Eigen::Vector3d change = Eigen::Vector3d::Zero(), squares = Eigen::Vector3d::Zero();
    double gain = 0;
    int tested = 0;
    for (int e = 0; e < 3; ++e) {
      // A direction about which the bodies hardly turn says nothing.
      if (!(eigen.values[e] > 1e-6 * eigen.values[2])) continue;
      const Eigen::Vector3d direction = eigen.vectors.col(e);
      const double along = direction.dot(by.transpose() * rows.residual);
      change += direction * (along / eigen.values[e]);
      squares += direction.cwiseAbs2() * (variance / eigen.values[e]);
      gain += along * along / eigen.values[e];
      ++tested;
    }
    if (tested == 0) continue;
    SceneError error;
    error.words.p_value = TailOfF(gain / tested / variance, tested, rows.freedom - 6);
    if (!(error.words.p_value < kUnlikely)) continue;
    const Eigen::Vector3d std = squares.cwiseSqrt();
    const double after = (before - gain) / rows.freedom;
    error.gross = before / rows.freedom > kGross * kGross * after;
    error.words.path = gravity ? "gravity" : "observe.frame.position";
    error.words.unit = gravity ? "m/s^2" : "m";
    // The recorded point is off by minus the way to the center of mass that it lacks.
    const Eigen::Vector3d value = gravity ? Eigen::Vector3d(model.spatial.gravity + change) : Eigen::Vector3d(-change);
    error.words.value.assign(value.begin(), value.end());
    error.words.std.assign(std.begin(), std.end());
    error.words.residual_over_noise = std::sqrt(after);
    error.words.command = PathsOf(family, error.words.path);
    error.text = gravity
                     ? fmt::format(
                           "the flights fall with {}, the scene has ({:.4g}, {:.4g}, {:.4g}): correct gravity or its "
                           "direction in the recording",
                           VectorText(value, std, "m/s^2"), model.spatial.gravity.x(), model.spatial.gravity.y(),
                           model.spatial.gravity.z())
                     : fmt::format(
                           "in flight the body turns about a point {} from the scene's center of mass: correct "
                           "observe.frame or bodies.{}.center_of_mass",
                           VectorText(change, std, "m"), body);
    out.push_back(std::move(error));
  }
}

/// Mean over the tosses of what each rest shows, and its standard deviation: that of the recorded mean or the scatter.
struct RestMean {
  std::vector<Eigen::VectorXd> values;
  std::vector<double> variances;

  bool Test(Eigen::VectorXd& mean, double& std) const {
    if (values.empty()) return false;
    double weight = 0, scatter = 0;
    mean = Eigen::VectorXd::Zero(values.front().size());
    for (std::size_t k = 0; k < values.size(); ++k) mean += values[k] / variances[k], weight += 1 / variances[k];
    mean /= weight;
    for (std::size_t k = 0; k < values.size(); ++k)
      scatter += (values[k] - mean).squaredNorm() / variances[k] / static_cast<double>(mean.size());
    const auto n = static_cast<double>(values.size());
    std = std::sqrt(std::max(1.0, n > 1 ? scatter / (n - 1) : 1.0) / weight);
    return true;
  }
};

void CheckRests(const SpatialFamily& family, const Model& model, const TossSet& set, std::vector<SceneError>& out) {
  RestMean gaps, leans;
  int on = -1;
  for (const int i : set.used()) {
    const PreparedToss& toss = set.tosses()[static_cast<std::size_t>(i)];
    const SpatialTrack& track = toss.toss.track;
    const SpatialShape<double>& shape = model.spatial.bodies[static_cast<std::size_t>(toss.body)].shape;
    if (toss.toss.rest < 0 || toss.surface < 0 || shape.type != ShapeType::kBox) continue;
    const SpatialSurface<double>& surface = model.spatial.surfaces[static_cast<std::size_t>(toss.surface)];
    const int frames = track.size() - toss.toss.rest;
    if (surface.velocity.norm() > 0 || frames < 5) continue;
    const SpatialPose<double> rest = RecordedRest(model, toss);
    const Eigen::Vector3d normal = surface.R_WS.col(2);
    const Eigen::Matrix3d R = RotationMatrix<double>(Quaternion<double>(rest.tail<4>()));
    const Eigen::Vector3d down = R.transpose() * normal;
    Eigen::Index axis = 0;
    down.cwiseAbs().maxCoeff(&axis);
    const Eigen::Vector3d face =
        down[axis] > 0 ? Eigen::Vector3d::Unit(axis) : Eigen::Vector3d(-Eigen::Vector3d::Unit(axis));
    const Eigen::Vector3d lean = Eigen::Vector3d(R * face).cross(normal);
    if (lean.norm() > kStandsOnFace) continue;
    on = toss.surface;
    const double gap = normal.dot(rest.head<3>() - surface.point) - 0.5 * shape.size[axis];
    const double count = std::min(frames, 101);
    gaps.values.emplace_back(Eigen::VectorXd::Constant(1, gap));
    gaps.variances.push_back(track.noise_position * track.noise_position / count);
    leans.values.emplace_back(surface.R_WS.leftCols<2>().transpose() * lean);
    leans.variances.push_back(track.noise_angle * track.noise_angle / count);
  }
  if (on < 0) return;
  const std::string surface = "surfaces." + family.scene().surfaces[static_cast<std::size_t>(on)].name;
  if (IsRequested(family, surface) || IsRequested(family, "observe.frame") || IsRequested(family, "bodies")) return;
  for (const bool lean : {false, true}) {
    Eigen::VectorXd mean;
    double std = 0;
    const RestMean& of = lean ? leans : gaps;
    if (!of.Test(mean, std)) continue;
    const auto tosses = static_cast<double>(of.values.size());
    SceneError error;
    // Of few rests the scatter is not known well.
    error.words.p_value = TailOfF(mean.squaredNorm() / (static_cast<double>(mean.size()) * std * std),
                                  static_cast<double>(mean.size()), tosses > 1 ? 4 * tosses : 1e6);
    if (!(error.words.p_value < kUnlikely) || mean.norm() < (lean ? kLeastLean : kLeastGap)) continue;
    error.gross = !lean && mean.norm() > kManyDeviations * std &&
                  mean.norm() > kGrossGap * family.size_of(family.moving().front());
    error.words.path = surface + (lean ? ".plane.normal" : ".plane.point");
    error.words.unit = lean ? "rad" : "m";
    error.words.value.assign(mean.begin(), mean.end());
    error.words.std.assign(static_cast<std::size_t>(mean.size()), std);
    error.words.command = PathsOf(family, error.words.path);
    error.text = lean ? fmt::format(
                            "the faces that boxes rest on lean by {:.3g} +- {:.2g} rad against {}: correct its "
                            "normal, or the rotation of observe.frame",
                            mean.norm(), std, surface)
                      : fmt::format(
                            "boxes rest {:.4g} +- {:.2g} m above {}: correct its point, the size of the body, "
                            "or observe.frame",
                            mean[0], std, surface);
    out.push_back(std::move(error));
  }
}

}  // namespace

void JudgeFlightsAndRests(const SpatialFamily& family, const TossSet& set, Verdict& verdict) {
  const Model model = CompileModel(family.scene());
  std::vector<SceneError> errors;
  CheckFlights(family, model, set, errors);
  // On a grid bodies rest as deep in the surface as a step takes them.
  if (!set.on_grid()) CheckRests(family, model, set, errors);
  std::stable_sort(errors.begin(), errors.end(),
                   [](const SceneError& a, const SceneError& b) { return a.words.p_value < b.words.p_value; });
  for (std::size_t i = errors.size(); i-- > 0;) {
    verdict.Lower(errors[i].gross ? VerdictLevel::kRejected : VerdictLevel::kLimited, errors[i].text);
    verdict.explanations.insert(verdict.explanations.begin(), errors[i].words);
  }
}

}  // namespace ricochet
