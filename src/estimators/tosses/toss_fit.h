// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The parts of a fit of tosses, without starting values. With located impacts, windows that grow find the parameters by
// themselves (toss_together.h). On the grid of the scene's step the cost (18) is minimized first (toss_search.h), which
// finds the neighborhood whether or not the model is right; then, from there, the likelihood with every start unknown
// (toss_alone.h), which is sharper by an order of magnitude where the model explains the tosses down to their
// noise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "estimators/tosses/toss_search.h"
#include "estimators/tosses/toss_together.h"

namespace ricochet {

/// The minimum of (18), with an infinite variance of what has no effect on it.
TossMinimum FindLeastCost(const SpatialFamily& family, const TossSet& set, std::uint64_t seed);

/// Whether the model explains most of the tosses down to their noise, far enough after the first contact.
bool Explains(const TossLikelihoodResult& fit);

/// How badly a fit follows the tosses: chi^2, and for every frame that it does not follow what ends a window.
double MisfitOf(const TossSet& set, const TossLikelihoodResult& fit);

/// Whether a fit with located impacts leaves little but noise of most tosses, beyond their first impacts. Later ones
/// may depend on lengths that nobody knows.
bool ExplainsBegin(const TossLikelihoodResult& fit);

/// Part of the predictable rows after the first contacts that the fit does not follow.
double LostRows(const TossSet& set, const TossLikelihoodResult& fit);

/// Whether a fit leaves little but noise of all tosses, through a good part of the rows after the first contacts.
bool ExplainsWell(const TossSet& set, const TossLikelihoodResult& fit);

/// FitTogether, wherever the parameters start: where rows are lost, from other frictions and restitutions too. Of many
/// tosses a part is fitted first, and no more where located motion does not explain it.
TossLikelihoodResult FitLocated(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                                const std::vector<char>& held, std::uint64_t seed);

/// The likelihood from where the cost (18) is least. Of many tosses a part is fitted first, and no more where the model
/// does not explain it. Numbers without effect on the cost stay as the scene has them, in `least` too.
TossLikelihoodResult FitFromLeastCost(const SpatialFamily& family, const TossSet& set, std::uint64_t seed,
                                      TossMinimum& least, std::vector<std::string>& log);

}  // namespace ricochet
