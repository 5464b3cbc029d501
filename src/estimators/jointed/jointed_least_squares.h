// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// States and parameters of a mechanism at once, for one cut of the recordings:
//
//     minimize 1/2 sum_i ((x(t_i - delay) + offset - y_i) / sigma_i)^2
//            + 1/2 sum_k |(s_k+1 - Phi_k(s_k, p)) / (c sigma_s)|^2,        lower <= p <= upper
//
// over states s_k = (x, r) at the nodes of each recording and parameters p, where Phi_k is the motion between nodes
// (jointed_motion.h) and c the weight of ties; with c = 0 there is one node per recording.
//
// Levenberg and Marquardt with damping of p and of the information of observations about s, steps accepted on decrease
// (between ties two in a row may rise, because kinks of friction make good steps look bad), bounds by an active set;
// normal equations are block tridiagonal with a border (optimize/chain_least_squares.h). Converged: the undamped step
// would move p by less than 0.2 standard deviations altogether and start states by less than one each.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "estimators/jointed/jointed_motion.h"
#include "optimize/chain_least_squares.h"

namespace ricochet {

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

class JointedLeastSquares {
 public:
  JointedLeastSquares(const JointedFamily& family, std::vector<JointTrack> tracks, JointedFitOptions options);

  const JointedNodes& nodes() const { return nodes_; }
  /// Residuals of a track at a point, with one node or several (`tie`). False when the motion cannot be computed.
  bool Evaluate(int track, const Eigen::VectorXd& values, const std::vector<Eigen::VectorXd>& nodes, bool derivatives,
                JointedRows& out) const;

  /// Sum of squares of the residuals of a track at the fit, infinite when the motion cannot be computed.
  double Deviance(int track) const;
  /// Remembers the motions of a fit of the same recordings by fewer parameters, so that they need not be integrated
  /// again where those have its values and the others those of the scene.
  void TakeMotions(const JointedLeastSquares& other);
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
  double cost = 0;
  int observations = 0;
  int iterations = 0;
  double tie = 0;                     // c, 0: one motion per recording
  std::vector<OptimizerStage> trace;  // one stage per call of Minimize

 protected:
  void MakeSegments(const JointedLevel& level);
  void NodesFromTracks();
  bool Linearize();
  /// Until a step promises and gives less than `least` or this share of the cost; with `until_followed` also until
  /// Follows().
  bool Minimize(double least, double share, bool until_followed = false);
  /// Whether the motions from the first nodes alone stay near the recordings: one motion may be fitted from here, and
  /// repeats them.
  bool Follows();
  /// Noise from residuals (dataset/noise.h).
  void UpdateNoise();
  /// About the parameters with all states unknown, at the linearization; `direct`: the same with states known.
  Eigen::MatrixXd Information(Eigen::MatrixXd* direct = nullptr) const;
  /// What the motions were at `before` they are at the parameters now.
  void KeepMotions(const Eigen::VectorXd& before);
  bool HoldsAll() const;
  /// `fixed_` of the parameters of dry friction as the options have it.
  void ReleaseDryFriction();

  const JointedFamily& family_;
  JointedFitOptions options_;
  JointedMotion motion_;
  JointedLevel level_;
  JointedNodes nodes_;
  std::vector<JointedSegment> segments_;
  int evaluations_ = 0;
  bool deviance_counts_ = false;  // the cost is compared with others: states must be as good as parameters
  bool current_ = false;          // segments_ are the linearization at params and nodes_
  std::vector<char> fixed_;       // per number: held at its start value

 private:
  class Steps;
  struct Promise {
    double all = NAN;      // decrease of the cost; NAN where the step cannot be computed
    double numbers = NAN;  // half of the squared step of p in standard deviations
  };
  struct KnownMotion {
    Eigen::VectorXd values, start;
    FlowPath path;
  };

  bool EvaluateAll(const Eigen::VectorXd& at, const JointedNodes& nodes, bool derivatives,
                   std::vector<JointedSegment>& segments, double& total) const;
  double PriorCost(const Eigen::VectorXd& at) const;
  void Assemble(double lambda, std::vector<std::vector<ChainBlock>>& chains, ChainBorder& border) const;
  /// The step with this damping and what it promises.
  Promise Step(double lambda, Eigen::VectorXd& step, JointedNodes& trial) const;
  /// Whether an undamped step is no longer worth taking.
  bool IsSmall(const Promise& promise, double tolerance) const;
  void BeginStage();

  std::vector<JointedSegment> trial_;
  std::vector<KnownMotion> known_;  // per track, of another fit or of a start; empty: none
};

}  // namespace ricochet
