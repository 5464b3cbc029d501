// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// One toss at work: how its rows change with its start and with the parameters, and what they say about both.
//
// Motion with impacts has kinks where their order changes, and jumps on a grid of steps. The slope at a point describes
// one side of them, and standard deviations from slopes are too small. So derivatives are secants over what the data
// leave open, along its principal axes b_j, starts following the parameters:
//
//   secant        A_j = (y(+b_j) - y(-b_j)) / 2
//   unexplained   u, mean square of (y(+b) + y(-b)) / 2 - y over the axes: what secants do not explain of a row, never
//                 less than of the rows before. It counts as noise of the row
//   unknown       U, columns: what other steps and lengths of the motion would change (TossSet::other_motions), one
//                 standard deviation each. Rows are weighted by (1 + u + U U')^-1
//   window        rows that can be predicted from those before (u below a limit) and that the motion follows
//   elimination   of the start from the linear problem of the window, as in block_least_squares.h
//   narrowing     axes become one standard deviation of what the window leaves open, at most threefold narrower at once
//                 and never narrower than the last step was long
//
// Secants are kept as long as they predict the residuals of the next point.
#pragma once

#include <optional>
#include <vector>

#include "estimators/tosses/toss_search.h"
#include "optimize/chain_least_squares.h"

namespace ricochet {

/// Models at values of the family's parameters, and on both sides of them along axes.
struct TossModels {
  struct Axis {
    std::optional<SpatialInstance> up, down;
    double rise = 1, fall = 1;  // parts of the axis, less than 1 at bounds; 0: no such model
    bool moves_start = false;   // the fit of the flight depends on it
  };
  std::optional<SpatialInstance> here;
  std::vector<Axis> axes;
};
TossModels ModelsAlong(const SpatialFamily& family, const Eigen::VectorXd& values, const Eigen::MatrixXd& axes);

/// Secants and the linear problem of one toss. Rows are those behind its start, six entries each.
struct OpenToss {
  /// At the start of its flight, with the axes that the flight leaves open. `toss` indexes set.tosses(); `axes` of the
  /// parameters.
  OpenToss(const TossSet& set, int toss, Eigen::Index axes);

  int index = 0;
  const PreparedToss* toss = nullptr;
  int all = 0, flight = 0;              // rows, rows in flight
  int most = 0;                         // rows that may be compared
  int look = 0, ahead = 0;              // rows that are rolled out, of these behind the window
  int window = 0;                       // rows that are compared
  int predictable = 0;                  // rows, as the answer counts them
  TossStart at;                         // moved from that of the flight
  Eigen::Matrix<double, 12, 12> prior;  // information of the flight's fit
  Eigen::Matrix<double, 12, 12> axes;   // columns: one standard deviation of what is open, at known parameters
  Eigen::MatrixXd follow;               // of the start, along the axes of the parameters
  TossStart taken;                      // last step, along the axes

  // Of the linearization.
  Eigen::VectorXd residuals, predicted, unexplained;  // at the point; as the secants predict them behind a step
  Eigen::MatrixXd by_start, by_common, unknown;
  bool linear = false;             // the secants may hold
  double drift = 0, narrowed = 1;  // since they were taken: steps along the axes, narrowing

  // Of the linear problem of the window.
  std::vector<ChainBlock> chain;              // the start, eliminated
  ChainBorder border;                         // information on the parameters and slope along them, start unknown
  Eigen::Matrix<double, 12, 12> information;  // on the start
  double score = 0;                           // of the rows that are followed
  double cost = 0, ratio = 1, weight = 1;     // squares; residuals over noise, squared; at most 1
  int freedom = 1;
};

/// Linearizes with secants, or with those that it has where they hold; finds the window; solves its linear problem.
/// `whole`: to the end of the recording, with new secants.
void LinearizeToss(const TossSet& set, const TossModels& models, bool whole, OpenToss& open);

/// The linear problem of the window, start eliminated.
void EliminateStart(OpenToss& open);

/// The first rows over their standard deviations, by (1 + u + U U')^-1/2.
Eigen::MatrixXd OverDeviations(const Eigen::VectorXd& unexplained, const Eigen::MatrixXd& unknown,
                               const Eigen::MatrixXd& rows);

/// The cost of residuals of the window and of a start.
double CostOf(const OpenToss& open, const Eigen::VectorXd& residuals, const TossStart& start);

/// Slope of half the cost along the axes of the start, `by_start` over the deviations.
TossStart SlopeOfStart(const OpenToss& open, const Eigen::MatrixXd& by_start, const Eigen::VectorXd& residuals,
                       const TossStart& start);

/// Step of the start along its axes for a step of the parameters along theirs, at most as long as secants may serve.
TossStart StepOfStart(const OpenToss& open, const Eigen::VectorXd& change);

/// Moves to a start, the parameters by `change` along their axes.
void MoveTo(const TossStart& start, const Eigen::VectorXd& change, OpenToss& open);

/// What is open becomes what the window leaves open. `turn`: new axes of the parameters along the old ones.
void NarrowStart(const Eigen::MatrixXd& turn, OpenToss& open);

/// By how much an axis narrows (or widens while steps are long) for its information, residuals and last step.
double NarrowedSize(double information, double ratio, double taken);

/// Rows up to the first whose prediction has more unexplained squares than that.
int PredictableRows(const OpenToss& open, double most);

/// Of the first rows, those that are followed to within what is open, and the score of that.
struct FollowedRows {
  int rows = 0;
  double score = 0;
};
FollowedRows FollowedOf(const OpenToss& open, int rows, double allowance);

/// By how much each unknown error of the motion would change the slope along the parameters if it were not among those
/// that are weighted down.
Eigen::MatrixXd SlopesOfErrors(const OpenToss& open);

/// The toss with its start fitted for the model, in `own` where that differs from the set's.
const PreparedToss& RefittedToss(const TossSet& set, const SpatialInstance& instance, int toss, PreparedToss& own);

/// Residuals over the noise of the first rows, as many as the motion reaches; 0 for outliers.
void RollRows(TossRoller& roller, const PreparedToss& toss, const TossStart& moved, int rows,
              Eigen::VectorXd& residuals);

/// What a fit knows of a toss: where it is, axes of the start, standard deviation of each parameter (0: not known), how
/// the start follows it, per unit, and the linearization there.
struct TossKnowledge {
  Eigen::VectorXd values;
  TossStart moved;
  Eigen::Matrix<double, 12, 12> axes;
  Eigen::VectorXd deviation;
  Eigen::MatrixXd follow;
  Eigen::VectorXd unexplained;
  Eigen::MatrixXd unknown, by_start, by_values;
};

/// One toss (index of set.tosses()) at values of the family's parameters, with its start moved from that of the flight.
struct TossPoint {
  int toss = 0;
  const Eigen::VectorXd& values;
  TossStart moved;
  int rows = 0;  // that are compared
};

/// Residuals, 6 per row, 0 for outliers: over their standard deviations where a fit knows these (`known`, else null),
/// over the noise otherwise. False when the motion cannot be computed.
bool ResidualsOf(const SpatialFamily& family, const TossSet& set, const TossPoint& at, const TossKnowledge* known,
                 Eigen::VectorXd& residuals);

/// The same with secants by the start, along axes of its own, and by each parameter, of which a fit may know the first
/// ones. `tosses`: that determine the parameters together.
bool SecantsOf(const SpatialFamily& family, const TossSet& set, const TossPoint& at, int tosses,
               const TossKnowledge* known, Eigen::VectorXd& residuals, Eigen::MatrixXd& by_start,
               Eigen::MatrixXd& by_values);

}  // namespace ricochet
