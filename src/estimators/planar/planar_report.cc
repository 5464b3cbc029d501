// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar/planar_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ricochet {

void RefuseMassAlone(const IdentifyRequest& request, const MassRefusal& refusal) {
  if (!refusal.refused || request.parameters.size() > 1) return;
  throw InputError({request.scene.file, 0, 0}, request.parameters[0].path,
                   fmt::format("motion does not determine the mass: without a known force only {} is identifiable.",
                               refusal.combination),
                   fmt::format("Request `{}`, or give a known force in `actions`.", refusal.combination));
}

double LagCorrelation(const Eigen::VectorXd& residuals, int width) {
  double worst = 0;
  for (Eigen::Index k = 0; k < width; ++k) {
    double product = 0, square = 0;
    for (Eigen::Index i = k; i < residuals.size(); i += width) {
      square += residuals[i] * residuals[i];
      if (i + width < residuals.size()) product += residuals[i] * residuals[i + width];
    }
    if (square > 0) worst = std::max(worst, product / square);
  }
  return worst;
}

}  // namespace ricochet
