// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Profile likelihood of a parameter: it is held at some values, everything else is fitted again at each, and the rise
// of
//
//   D(v) = min over everything else of -2 log likelihood,   parameter = v
//
// above its least is judged against chi^2 of one degree of freedom: D rises by 3.84 at the ends of the 95 % interval
// (Wilks). Where D is a parabola that is the estimate +- 1.96 standard deviations; where it is not, the interval is
// lopsided, and where D stays flat to the end of the parameter's range it is one-sided (a rise of 2.71) or there is
// none: a flat direction.
//
// Costs that are no likelihood (Jongeneel's (18)) are judged by the scatter between recordings, as `sweep` does: with r
// the mean over the recordings of the rise of their costs above those at the best value and s its standard error, D =
// (r / s)^2, over Student's factor squared for few recordings. That is on the safe side. Of a smooth cost r / s is half
// of the distance from the best value over its standard deviation, so that the interval is twice as wide as the scatter
// of the gradients says; but costs of tosses are ragged, the best value is a lucky one, and r is not known better than
// s.
//
// Values go outward from the estimate in steps of 0.7 standard deviations until the limit is passed, then wider ones
// to the end of the range; the limits are found by interpolation of sqrt(D), which is straight for a parabola, with a
// few more fits there. Costs of tosses are ragged: the limits are those beyond which no value is below again, and two
// values in a row must have passed. Each fit begins at the solution of the nearest value; those of a likelihood also
// where the solutions of the two nearest values point, which keeps them on the sequence of contacts that was found.
#pragma once

#include "inference/fit_problem.h"
#include "ricochet/estimate.h"

namespace ricochet {

/// Profile of parameter `index` about a fit of the problem. The fit must have a covariance; where the parameter's
/// variance is not finite, steps are chosen by its usual size.
EstimatedProfile ProfileParameter(FitProblem& problem, const Fit& fit, int index);

}  // namespace ricochet
