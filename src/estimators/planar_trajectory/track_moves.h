// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Moves of a fitted start from one sequence of contacts to a neighboring one.
//
// Where a flight passes a surface closely, it may have touched it; where an impact is slight, it may have passed. Both
// differ by the gap phi at one instant t*, and beside it the motion changes like a square root: an impact at approach
// speed v belongs to a flight that would enter by v^2 / (2 phi''). A fit does not find its way across by derivatives.
// With g = d phi(t*) / dz and the covariance C of z from what came before t*, the likeliest change of z that changes
// phi by D is
//
//   dz = C g D / (g^T C g).
//
// Only what the frames before leave open is offered: |D| within 4 standard deviations sqrt(g^T C g). What comes after
// t* is another motion then, to be fitted again.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "estimators/planar_trajectory/track_residuals.h"

namespace ricochet {

struct GrazeMove {
  Eigen::VectorXd z;
  double time = 0;  // t* [s]
};

/// Starts across close passes and slight impacts, at most `most`, the likeliest first. `jacobian` has the rows of all
/// frames at z, 3 each, and after them rows of priors, if any; `scale` are typical sizes of z.
std::vector<GrazeMove> GrazeMoves(const TrackResiduals& residuals, const Eigen::VectorXd& z,
                                  const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& scale, int most);

}  // namespace ricochet
