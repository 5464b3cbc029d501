// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What every estimator takes and gives, and the list of them. An estimator that makes no sense for a scene refuses by
// name and says what to use instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/identify.h"
#include "ricochet/parameter.h"

namespace ricochet {

struct IdentifyRequest {
  const Scene& scene;
  const std::vector<Recording>& recordings;
  std::vector<SelectedParameter> wanted;
  IdentifyOptions options;
};

class Estimator {
 public:
  virtual ~Estimator() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view paper() const = 0;
  /// Empty when it can work on this request; otherwise why not and what to use instead.
  virtual std::string Refusal(const IdentifyRequest& request) const = 0;
  /// Whether it obeys an option that not all know, "--bootstrap" for one.
  virtual bool Knows(std::string_view option) const = 0;
  virtual Identification Run(const IdentifyRequest& request) const = 0;
};

/// Planar trajectory (event), trajectory and velocity in space, regression (Fazeli), joint (Gabiccini eq. 27),
/// inverse-dynamics for jointed scenes (Spook).
const Estimator& PlanarTrajectory();
const Estimator& SpatialTrajectory();
const Estimator& SpatialVelocity();
const Estimator& Regression();
const Estimator& PlanarJoint();
const Estimator& InverseDynamics();

/// All estimators; several may share a name where they are for different spaces.
std::vector<const Estimator*> AllEstimators();

/// The body that moves and may touch. Throws InputError unless there is exactly one.
int MovingPlanarBody(const Scene& scene);

/// An estimate with names, units and start values filled in and nothing estimated.
Estimate EmptyEstimate(const IdentifyRequest& request, std::string_view method);

/// Mass cannot be told from motion alone (Gabiccini sec. 5.2.2, Fazeli sec. 4): without a known force, a wanted mass is
/// taken out of `wanted`, a wanted inertia becomes the ratio to the mass, and the reasons go to `refused`.
struct MassRefusal {
  std::vector<SelectedParameter> wanted;  // what is left to estimate
  std::vector<int> index;                 // per wanted number of the request: index into `wanted`, or -1
  bool refused = false;
  std::string combination;  // "bodies.e.inertia/bodies.e.mass"; in space that of the first wanted moment
};
MassRefusal RefuseMass(const IdentifyRequest& request, int body);

/// The same for the one body that moves, wherever it is listed. With several nothing is refused: the null space of the
/// fit shows what their motion determines.
MassRefusal RefuseMass(const IdentifyRequest& request);

}  // namespace ricochet
