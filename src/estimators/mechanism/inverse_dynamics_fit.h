// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Maximum likelihood of joint recordings on the rigid motion of a mechanism: states and parameters at once.
//
//     minimize 1/2 sum_i ((x(t_i - delay) + offset - y_i) / sigma_i)^2
//            + 1/2 sum_k |(s_k+1 - Phi_k(s_k, p)) / (c sigma_s)|^2,        lower <= p <= upper
//
// over states s_k = (x, r) at nodes of each recording and parameters p, where Phi_k is the motion between nodes
// (dynamics/tree/tree_flow.h: order 8, friction switched exactly). This is Spook (3.15) with two changes: the residual
// between states is that of the motion itself, not of one step of the stepper, so that neither step nor compliance can
// enter the parameters; and c, which plays the part of the paper's weight kappa, falls to 0 in levels, so that nobody
// has to choose it:
//
//     start   states from the filtered recording (Spook 4.4); p by least squares on the equations of motion at the
//             filtered coordinates, rates and accelerations, which are linear in most numbers: no start value matters
//     c = 1e-3, nodes every 0.1 s (where that fails c = 1 comes first), until the motions from the first nodes alone
//     follow the recordings; then c = 0: one node per recording, which is maximum likelihood
//
// An iteration is a step that was taken, each from a linearization of its own; steps of all levels count.
//
// Levenberg and Marquardt with damping of p and of the information of observations about s, steps accepted on decrease
// (between ties two in a row may rise, because kinks of friction make good steps look bad), bounds by an active set;
// normal equations are block tridiagonal with a border (optimize/chain_least_squares.h). Converged: the undamped step
// would move p by less than 0.2 standard deviations altogether and start states by less than one each. If a recording
// is so unstable that c = 0 cannot be reached, the fit stays at c = 1e-4, or 1e-3, and says so. Evaluations are
// limited, so that a wrong model is reported soon.
//
// Covariance: inverse of the information about p with all states unknown. Where residuals are not white (Ljung and
// Box), scores are summed over blocks of time and the sandwich H^-1 (sum b b') H^-1 replaces it if larger.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "dataset/joint_track.h"
#include "dynamics/tree/tree_flow.h"
#include "estimators/mechanism/inverse_dynamics_family.h"
#include "optimize/chain_least_squares.h"
#include "ricochet/estimate.h"

namespace ricochet {

/// A direction without information in the data: the pivot is held, and what moves with it is named.
struct HeldNumber {
  int pivot = 0;
  std::vector<std::pair<int, double>> moves;  // others, and their change per unit of the pivot
};

struct JointedFitOptions {
  int iterations = 40;    // of one level
  int evaluations = 200;  // of all levels: a model that fits needs 5 to 20, and a wrong one should be reported soon
  bool equation_start = true;
  bool frictionless = false;  // dry friction is held at 0 until the motion is found, then released
  Eigen::VectorXd start;      // of the parameters; empty: the scene's values
  std::vector<char> held;     // parameters that stay at the start; empty: none
  double step = 0.025;        // [s], largest of the integration
  bool brief = false;         // a search from a point ends where a first one does, converged or not
};

/// States at the nodes of each track: one where the fit reached c = 0.
using JointedNodes = std::vector<std::vector<Eigen::VectorXd>>;

/// The motion at the end of a step, and its derivatives by the state at its start.
struct MotionMark {
  double start = 0, end = 0;  // [s], of the step
  TreeMechanism::Vector x{}, r{}, a{};
  TreeRows by_start;  // (x, r) rows and columns
};

/// Residuals over their standard deviations: observations in the order of their time, then what is left open between
/// nodes.
struct JointedRows {
  Eigen::VectorXd residuals;
  Eigen::MatrixXd by_nodes, by_values;  // derivatives; empty unless requested,
  std::vector<MotionMark> marks;        // and of one motion, all its steps
};

class JointedFit {
 public:
  JointedFit(const JointedFamily& family, std::vector<JointTrack> tracks, JointedFitOptions options = {});

  /// False when no motion of the mechanism follows the recordings.
  bool Run();

  /// The last level alone, from a point that another fit of the family found, with its noise: one node per track, or
  /// many tied by `weight`. Parameters that the data do not identify are not looked for. False when the motion cannot
  /// be computed there.
  bool RunFrom(const Eigen::VectorXd& values, JointedNodes nodes, double weight);

  const JointedNodes& nodes() const { return nodes_; }
  /// Residuals of a track at a point, with one node or several (`tie`). False when the motion cannot be computed.
  bool Evaluate(int track, const Eigen::VectorXd& values, const std::vector<Eigen::VectorXd>& nodes, bool derivatives,
                JointedRows& out) const;

  /// Sum of squares of the residuals of a track at the fit, infinite when the motion cannot be computed.
  double Deviance(int track) const;
  /// Remembers the motions of a fit of the same recordings by fewer parameters, so that they need not be integrated
  /// again where those have its values and the others those of the scene.
  void TakeMotions(const JointedFit& other);
  /// The motion of a track from one node at these values, where it is known; empty otherwise.
  FlowPath KnownPath(int track, const Eigen::VectorXd& values, const std::vector<Eigen::VectorXd>& nodes) const;
  /// Goes on with the noise of other tracks of the same recordings.
  void TakeNoise(const std::vector<JointTrack>& of);

  /// Residuals of a track over their standard deviations, in the order of its observations; the fitted coordinates
  /// beside them.
  bool Predict(int track, std::vector<double>& residuals, std::vector<double>* values = nullptr) const;

  /// The fitted joints at some increasing times of a track, as its sensors show them. False when it cannot be computed.
  bool Motion(int track, const std::vector<double>& times, std::vector<EstimatedJoint>& out) const;
  /// The same at any point.
  bool MotionAt(const Eigen::VectorXd& values, const std::vector<Eigen::VectorXd>& nodes, int track,
                const std::vector<double>& times, std::vector<EstimatedJoint>& out) const;

  std::vector<JointTrack> tracks;
  Eigen::VectorXd params;
  Eigen::MatrixXd information;      // about p, no prior
  Eigen::MatrixXd covariance;       // of the numbers that are not held; zero rows for held ones
  Eigen::VectorXd enlargement;      // of each standard deviation over what `information` says; 1 for held ones
  std::vector<HeldNumber> held;     // not identifiable
  std::vector<double> chi2;         // per track
  std::vector<double> correlation;  // per track: largest lag-one correlation of a channel
  double cost = 0;
  int observations = 0;
  int iterations = 0;
  bool converged = false;
  bool exact = false;  // c = 0 was reached,
  double tie = 0;      // or this c
  bool white = true;
  bool lost = false;  // residuals are large beside noise and motion: the model is rejected
  double misfit = 1;  // largest noise from residuals over that from differences of rows, of all channels
  std::vector<std::string> log;
  std::vector<OptimizerStage> trace;  // one stage per call of Minimize

 private:
  struct Level {
    double node_spacing;  // [s]; infinite: one node
    double weight;        // c; 0: none
    bool coarse = false;  // integrated to the precision of a start only
  };
  /// Normal equations of some observations, (state, p).
  struct Part {
    Eigen::MatrixXd H;
    Eigen::VectorXd g;
  };
  struct Segment {
    int track = 0, node = 0;
    double start = 0, end = 0;
    std::size_t first = 0, last = 0;  // observations
    std::vector<Part> parts;          // per channel where c = 0, so that its noise can change; else one for all
    Eigen::VectorXd end_state;
    Eigen::MatrixXd end_jacobian;
    std::vector<double> residuals;        // per observation
    std::vector<double> channel_squares;  // per channel: sum of squared residuals
    FlowPath path;                        // the motion; where there is one, an evaluation repeats it
    bool coarse = false;                  // to the precision of a start
    bool ok = true;

    double cost() const;
  };
  /// Called for every observation with its residual and row of derivatives (state, p), in place of adding it to the
  /// parts of its segment.
  using RowSink = std::function<void(std::size_t, double, const Eigen::RowVectorXd&)>;

  bool RunOnce();
  /// Takes over the result of another fit of the same recordings.
  void Adopt(JointedFit&& other);
  void CheckMisfit();
  double Misfit() const;
  void StartFromEquations();
  bool Tie();
  bool Linearize();
  /// A track cut into as many pieces as it has nodes.
  std::vector<Segment> SegmentsOf(int track, int count) const;
  void MakeSegments(const Level& level);
  void NodesFromTracks();
  bool EvaluateAll(const Eigen::VectorXd& at, const JointedNodes& nodes, bool derivatives,
                   std::vector<Segment>& segments, double& total) const;
  void EvaluateSegment(const JointedInstance& instance, const Eigen::VectorXd& state, bool derivatives,
                       Segment& segment, std::vector<double>* values, const RowSink* sink,
                       std::vector<MotionMark>* marks = nullptr) const;
  double PriorCost(const Eigen::VectorXd& at) const;
  void Assemble(double lambda, std::vector<std::vector<ChainBlock>>& chains, ChainBorder& border) const;
  /// Until a step promises and gives less than `least` or this share of the cost; with `until_followed` also until
  /// Follows().
  bool Minimize(double least, double share, bool until_followed = false);
  class Steps;
  /// Whether the motions from the first nodes alone stay near the recordings: one motion may be fitted from here, and
  /// repeats them.
  bool Follows();
  /// One motion per recording. False when that was not reached (`tied`: cost before); then nodes and numbers are as
  /// before.
  bool Single(double tied);
  void Firm(double weight);
  struct Promise {
    double all = NAN;      // decrease of the cost; NAN where the step cannot be computed
    double numbers = NAN;  // half of the squared step of p in standard deviations
  };
  /// The step with this damping and what it promises.
  Promise Step(double lambda, Eigen::VectorXd& step, JointedNodes& trial) const;
  /// Whether an undamped step is no longer worth taking.
  bool IsSmall(const Promise& promise, double tolerance) const;
  void BeginStage();
  /// Step of the parameters within their bounds.
  Eigen::VectorXd SolveParameters(const ChainBorder& border) const;
  bool HoldsAll() const;
  /// `fixed_` of the parameters of dry friction as the options have it.
  void ReleaseDryFriction();
  void UpdateNoise();
  /// Holds parameters that `information` leaves vague. True if there are any.
  bool Hold(double slack);
  bool HoldVague(double slack);
  void Analyze();
  void RobustCovariance(const std::vector<int>& kept);
  double Sigma(const JointTrack& track, std::size_t observation) const;
  /// Of the gap between a motion and the next node, in coordinate or rate `index`, for ties of this weight.
  double StateSigma(const JointTrack& track, int index, double weight) const;

  const JointedFamily& family_;
  JointedFitOptions options_;
  Level level_{INFINITY, 0.0, false};
  JointedNodes nodes_;
  std::vector<Segment> segments_, trial_;
  struct KnownMotion {
    Eigen::VectorXd values, start;
    FlowPath path;
  };
  std::vector<KnownMotion> known_;  // per track, of another fit or of a start; empty: none
  int evaluations_ = 0;
  bool deviance_counts_ = false;  // the cost is compared with others: states must be as good as parameters
  bool current_ = false;          // segments_ are the linearization at params and nodes_
  std::vector<char> fixed_;       // per number: held at its start value
};

}  // namespace ricochet
