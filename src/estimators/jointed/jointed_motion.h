// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The motion of a mechanism beside joint recordings: residuals of the observations with derivatives by start states and
// parameters, and the fitted joints at any time.
//
// A recording is one motion, or cut into segments with a start state each, its nodes. What is left open between the
// motion from one node and the next node counts as a residual there (jointed_least_squares.h).
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <vector>

#include "dataset/joint_track.h"
#include "dynamics/tree/tree_flow.h"
#include "estimators/jointed/jointed_family.h"
#include "ricochet/estimate.h"

namespace ricochet {

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

/// How recordings are cut and how firmly their segments are tied.
struct JointedLevel {
  double node_spacing = INFINITY;  // [s]; infinite: one node
  double weight = 0;               // c, of what is open between nodes; 0: none
  bool coarse = false;             // integrated to the precision of a start only

  bool one_motion() const { return !std::isfinite(node_spacing); }
};

/// Normal equations of some observations, (state, p).
struct JointedPart {
  Eigen::MatrixXd H;
  Eigen::VectorXd g;
};
struct JointedSegment {
  int track = 0, node = 0;
  double start = 0, end = 0;
  std::size_t first = 0, last = 0;  // observations
  std::vector<JointedPart> parts;   // per channel where c = 0, so that its noise can change; else one for all
  Eigen::VectorXd end_state;
  Eigen::MatrixXd end_jacobian;
  std::vector<double> residuals;        // per observation
  std::vector<double> channel_squares;  // per channel: sum of squared residuals
  FlowPath path;                        // the motion; where there is one, an evaluation repeats it
  bool ok = true;

  double cost() const;
};

/// Called for every observation with its residual and row of derivatives (state, p), in place of adding it to the
/// parts of its segment.
using JointedRowSink = std::function<void(std::size_t, double, const Eigen::RowVectorXd&)>;

/// A track, number `of`, cut into `count` pieces of equal length.
std::vector<JointedSegment> SegmentsOf(const JointTrack& track, int of, int count);

class JointedMotion {
 public:
  /// `step` [s]: largest of the integration. The family must outlive it.
  JointedMotion(const JointedFamily& family, double step) : family_(family), step_(step) {}

  /// Residuals of a segment from its start state and, where requested, its parts; `values`: the fitted coordinates
  /// beside them; `marks`: the ends of its steps are added.
  void Evaluate(const JointedInstance& instance, const JointTrack& track, const Eigen::VectorXd& state,
                const JointedLevel& level, bool derivatives, JointedSegment& segment,
                std::vector<double>* values = nullptr, const JointedRowSink* sink = nullptr,
                std::vector<MotionMark>* marks = nullptr) const;

  /// Residuals of a track with one node or several, tied by `tie`. `known`: its motion from one node, where that is
  /// known. False when the motion cannot be computed.
  bool Rows(const JointTrack& track, const Eigen::VectorXd& values, const std::vector<Eigen::VectorXd>& nodes,
            const JointedLevel& level, double tie, const FlowPath& known, bool derivatives, JointedRows& out) const;

  /// The joints at some increasing times, as the track's sensors show them. False when they cannot be computed.
  bool Read(const JointTrack& track, const Eigen::VectorXd& values, const std::vector<Eigen::VectorXd>& nodes,
            FlowPath known, const std::vector<double>& times, std::vector<EstimatedJoint>& out) const;

  /// Of the gap between a motion and the next node, in coordinate or rate `index`, for ties of this weight.
  double StateSigma(const JointTrack& track, int index, double weight) const;

 private:
  const JointedFamily& family_;
  double step_;
};

}  // namespace ricochet
