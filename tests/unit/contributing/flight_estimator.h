// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The example of CONTRIBUTING.md: a complete estimator, `flight`, which estimates gravity from throws of one planar
// body that touches nothing. With p0 and v0 the place and the velocity of the body at the first frame of a recording:
//
//   p(t) = p0 + v0 t + g t^2 / 2         residuals (p(t_i) - p_i) / sigma
//
// All recordings share g; p0 and v0 are the local unknowns of each. The path may be gravity's vector, magnitude or
// tilt: the compiled model says how g depends on it.
#pragma once

#include <utility>

#include "dataset/planar_track.h"
#include "estimators/assess_fit.h"
#include "estimators/estimate_report.h"
#include "estimators/planar/row_noise.h"
#include "estimators/smooth_search.h"
#include "model/planar_model.h"

namespace ricochet {

/// As the scene has it: close enough to see the noise of frames that follow each other.
inline Eigen::Vector3d SceneGravity(const Scene& scene) {
  return {scene[scene.gravity.vector[0]], scene[scene.gravity.vector[1]], 0};
}

/// The problem: what everything that can be said about a fit (covariance, profile, bootstrap, verdict) requires.
class FlightProblem final : public FitProblem {
 public:
  struct Throw {
    int recording = 0;
    PlanarTrack track;
  };
  FlightProblem(ParameterMap parameters, std::vector<Throw> throws)
      : parameters_(std::move(parameters)), throws_(std::move(throws)) {}

  const ParameterMap& parameters() const override { return parameters_; }
  int blocks() const override { return static_cast<int>(throws_.size()); }
  int recording(int block) const override { return At(block).recording; }
  std::vector<std::string> channels() const override { return {"x", "y"}; }
  std::vector<ChannelNoise> NoiseOf(int block) const override {
    std::vector<ChannelNoise> noise =
        NoiseOfValues(At(block).track, At(block).track, SceneGravity(parameters_.scene()));
    noise.resize(2);  // without the angle
    return noise;
  }

  bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const override {
    const PlanarTrack& track = At(block).track;
    const Eigen::VectorXd& start = at.local[static_cast<std::size_t>(block)];
    const Eigen::Matrix<GravityJet, 2, 1> g = GravityAt(at.values);
    out.residuals.resize(2 * track.size());
    out.labels.clear();
    out.by_local.setZero(derivatives ? 2 * track.size() : 0, 4);
    out.by_values.resize(derivatives ? 2 * track.size() : 0, parameters_.size());
    for (int row = 0; row < 2 * track.size(); ++row) {
      const std::size_t i = static_cast<std::size_t>(row / 2);
      const int axis = row % 2;
      const double t = track.time[i] - track.time[0], weight = 1 / track.noise_position;
      const double place = start[axis] + start[2 + axis] * t + g[axis].a * t * t / 2;
      out.residuals[row] = (place - track.pose[i][axis]) * weight;
      out.labels.push_back({track.time[i], axis});
      if (!derivatives) continue;
      out.by_local(row, axis) = weight;
      out.by_local(row, 2 + axis) = t * weight;
      out.by_values.row(row) = g[axis].v.head(parameters_.size()).transpose() * (t * t / 2 * weight);
    }
    return true;
  }

  Fit Search(const HeldParameters& held = {}, const FitPoint* from = nullptr) override {
    const std::vector<Eigen::VectorXd> starts(throws_.size(), Eigen::VectorXd::Zero(4));
    return SearchSmooth(*this, held, {from ? from->values : parameters_.start(), starts});
  }

  /// Simulated data: the fitted flight with noise.
  std::unique_ptr<FitProblem> Draw(const Fit& fit, Random& random) const override {
    auto drawn = std::make_unique<FlightProblem>(*this);
    for (int block = 0; block < blocks(); ++block) {
      PlanarTrack& track = drawn->throws_[static_cast<std::size_t>(block)].track;
      ResidualBlock out;
      Evaluate(block, fit.point, false, out);
      for (Eigen::Index row = 0; row < out.residuals.size(); ++row)
        track.pose[static_cast<std::size_t>(row / 2)][row % 2] +=
            track.noise_position * (out.residuals[row] + random.Normal());
    }
    return drawn;
  }

  std::unique_ptr<FitProblem> Subset(const std::vector<int>& chosen) const override {
    std::vector<Throw> some;
    for (const int block : chosen) some.push_back(At(block));
    return std::make_unique<FlightProblem>(parameters_, std::move(some));
  }

 private:
  using GravityJet = Jet<8>;

  const Throw& At(int block) const { return throws_[static_cast<std::size_t>(block)]; }

  /// g and its derivatives with respect to the parameters.
  Eigen::Matrix<GravityJet, 2, 1> GravityAt(const Eigen::VectorXd& values) const {
    std::vector<GravityJet> seeded;
    for (int i = 0; i < parameters_.size(); ++i) seeded.push_back(GravityJet::Variable(values[i], i));
    const std::vector<GravityJet> numbers = parameters_.Numbers<GravityJet>(seeded);
    return CompilePlanar<GravityJet>(parameters_.scene(), numbers).gravity;
  }

  ParameterMap parameters_;
  std::vector<Throw> throws_;
};

/// The estimator: what it takes, what it refuses, and the report.
class FlightEstimator final : public Estimator {
 public:
  EstimatorInfo info() const override {
    return {.name = "flight", .summary = "gravity from throws of one planar body", .paper = "Galileo", .planar = true};
  }

  std::string Refusal(const IdentifyRequest& request) const override {
    const Scene& scene = request.scene;
    if (scene.space != Space::kPlanar) return "flight is for planar scenes";
    if (!scene.actions.empty()) return "flight takes gravity for the only force; use trajectory";
    for (const NumberId id : scene.bodies[static_cast<std::size_t>(MovingPlanarBody(scene))].center_of_mass)
      if (scene[id] != 0) return "flight follows the center of mass, which must be the origin of the body";
    for (const SelectedParameter& selected : request.parameters)
      if (!selected.path.starts_with("gravity"))
        return "flight estimates gravity, not " + selected.path + "; use trajectory";
    return "";
  }

  Identification Run(const IdentifyRequest& request) const override {
    Estimate estimate = EmptyEstimate(request, name());
    std::vector<FlightProblem::Throw> throws;
    const auto use = [&](int i, RecordingUse& recording) {
      const int body = MovingPlanarBody(request.scene);
      PlanarTrack track = MakePlanarTrack(request.scene, request.recordings[static_cast<std::size_t>(i)], body);
      EstimateNoise(SceneGravity(request.scene), track);
      recording.used = true;
      recording.noise_position = track.noise_position;
      throws.push_back({i, std::move(track)});
    };
    UseRecordings(request, "Record the body while it flies.", use, estimate);

    FlightProblem problem(ParameterMap(request.scene, request.parameters), std::move(throws));
    const Fit fit = problem.Search();
    estimate.converged = fit.found && fit.converged;
    estimate.cost = fit.cost() / 2;
    if (!estimate.converged) return {estimate, request.scene};
    const Eigen::MatrixXd covariance = AssessFit(problem, fit, request, estimate);
    PlaceEstimates(
        RefuseMass(request),
        FoundParameters(problem.parameters(), fit, covariance, "it has no effect on the recorded flights", estimate),
        covariance, estimate);
    return {estimate, problem.parameters().Apply(fit.point.values)};
  }
};

/// In src/estimators/ this line is in registry.cc, and `identify` takes `--method flight`.
inline const Estimator& Flight() {
  static const FlightEstimator estimator;
  return estimator;
}

}  // namespace ricochet
