// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The program of `joint` (Gabiccini eq. 27): poses, impulses, instants of impacts and the requested parameters at once.
//
// A chain of nodes t_0 < t_1 < ... covers one recording. Between nodes the body flies freely, which is exact:
//
//   v_k^+ = (q_(k+1) - q_k) / h_k - a h_k / 2,     v_(k+1)^- = (q_(k+1) - q_k) / h_k + a h_k / 2,
//
// so poses alone describe the motion (eq. 17 with a second-order rule and velocities eliminated). Impulses act at
// nodes:
//
//   M (v_k^+ - v_k^-) = sum_i N_i(q_k) cn_i + sum_s T_s(q_k) ct_s + known impulse              (eq. 16)
//
// An impact is a node whose time t_k is an unknown itself, so it is not tied to a grid. Lasting contact is a run of
// nodes with closed gap, about one step h apart: for the normal direction this is the SHAKE rule (second order, no
// drift).
//
// Contacts in a node are in one of two forms:
//
//   soft     all inequalities of eq. 27 as one-sided quadratic penalties and the products Gamma (eq. 26) divided by a
//            homotopy parameter, in eq. 26 with lambda eliminated: lambda = |v_t|:
//            (instants of soft nodes are unknowns too, drawn to their grid, so that an impact need not fall on it)
//              cn g / tau,   (mu cn + ct) max(v_t, 0) / tau_t,   (mu cn - ct) max(-v_t, 0) / tau_t
//   closed   the limit tau -> 0 for a given active set, as equalities:
//              g(q_k) = 0;  slides: ct = -s mu cn, s = sign(v_t);  sticks: v_t = 0
//            with v_t = v_t^+ at an impact; in lasting contact v_t is the mean over the step to the next node,
//              (t . (p_(k+1) - p_k) - int r_n dtheta) / h  (Simpson's rule), which keeps the second order.
//              When restitution is requested, impacts also obey v_n^+ = -e v_n^-; otherwise it is free, as in the
//              paper.
//
// All rows carry exact derivatives (Jets). Rows of a node touch its neighbors only, hence the band; numbers of the
// scene are the border (optimize/bordered_band.h).
#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dataset/planar_track.h"
#include "estimators/planar/planar_family.h"
#include "optimize/bordered_band.h"
#include "ricochet/estimate.h"

namespace ricochet {

inline constexpr int kJointContacts = 4;  // closed contacts of a node
inline constexpr int kJointGroups = 2;    // surfaces among them
inline constexpr int kJointParams = 6;    // requested parameters
inline constexpr int kJointLocal = 12 + kJointContacts + kJointGroups + kJointParams;

struct JointContact {
  int candidate = 0;   // of EventBody
  double impulse = 0;  // cn [N s]
};

struct JointFriction {
  int group = 0;       // surface of EventBody
  int slip = 0;        // 0 sticks, +-1 slides that way
  double impulse = 0;  // ct [N s]
};

struct JointNode {
  double time = 0;     // [s]
  bool moves = false;  // time is unknown
  bool knot = false;   // needed without contact: an end, a known impulse, a load that begins or ends
  bool soft = false;
  double grid_time = 0;                         // soft nodes that move are drawn to this time
  double grid = 0;                              // by a third of this, the distance of their neighbors [s]
  bool lasts = false;                           // the next node follows in lasting contact; set by JointChain::Classify
  Eigen::Vector3d q = Eigen::Vector3d::Zero();  // pose of the center of mass
  Eigen::Vector3d kick = Eigen::Vector3d::Zero();  // known impulse
  int contact_count = 0, friction_count = 0;
  std::array<JointContact, kJointContacts> contacts;
  std::array<JointFriction, kJointGroups> frictions;

  bool Touches(int candidate) const {
    for (int i = 0; i < contact_count; ++i)
      if (contacts[static_cast<std::size_t>(i)].candidate == candidate) return true;
    return false;
  }
};

struct JointChain {
  PlanarTrack track;  // poses of the body frame, times and lengths of the scene (observation undone), with the noise
  std::vector<char> rejected;
  std::vector<JointNode> nodes;
  double step = 1e-3;  // of lasting contact [s]

  /// The node before time t, such that t lies between it and the next.
  int Interval(double t) const;
  /// Decides which nodes follow each other in lasting contact: a common contact at most 1.75 steps later.
  void Classify();
  bool Lasts(int k) const { return k >= 0 && nodes[static_cast<std::size_t>(k)].lasts; }
  /// Flight on both sides: an impact by itself.
  bool Isolated(int k) const;
};

struct JointWeights {
  double penalty = 1000;     // of equalities and one-sided rows, in units of the noise
  double gap = 0;            // [m]: tau = gap * jump; soft nodes only
  double slip = 0;           // [m/s]: tau_t = slip * jump; soft nodes only
  double jump = 1;           // velocity change that one step of the soft grid cannot distinguish from none [m/s]
  double speed = 1;          // typical velocity change of an impact [m/s]
  double huber = 0;          // data beyond this many sigma count linearly; 0: never
  bool restitution = false;  // impacts obey Newton's law
};

enum class JointRowKind {
  kData,      // (pose - recorded) / noise
  kProduct,   // Gamma / tau
  kEquality,  // 0 at a solution, in units of what the noise leaves open
  kPenalty    // one-sided, the same units
};

class JointProgram {
 public:
  JointProgram(const PlanarFamily& family, std::vector<JointChain> chains, const Eigen::VectorXd& params);

  std::vector<JointChain>& chains() { return chains_; }
  const std::vector<JointChain>& chains() const { return chains_; }
  const PlanarFamily& family() const { return *family_; }
  JointWeights& weights() { return weights_; }
  const JointWeights& weights() const { return weights_; }
  /// Held numbers do not change in a solve.
  std::vector<char>& held() { return held_; }

  /// Numbers the unknowns; to be called after nodes were changed. Multipliers are set to 0.
  void Layout();
  int unknowns() const { return unknowns_; }
  int equalities() const { return equalities_; }
  const Eigen::VectorXd& params() const { return params_; }
  Eigen::VectorXd& multipliers() { return multipliers_; }

  std::vector<OptimizerStage> trace;  // of the solves that led to the present state; the cost is half the merit

  Eigen::VectorXd State() const;  // unknowns, then numbers
  void SetState(const Eigen::VectorXd& x);

  /// Sum of squares of all rows at the present state; data part and largest equality (in units of its scale) apart.
  struct Value {
    double merit = 0, chi2 = 0, violation = 0;
    int data = 0;
  };
  Value Evaluate() const;
  /// The same with the normal equations.
  Value Linearize(BorderedBand& system) const;
  /// All rows with their dense gradients, for tests and leverages.
  void ForEachRow(const std::function<void(JointRowKind kind, double value, std::span<const int> index,
                                           std::span<const double> derivative)>& visit) const;
  /// After convergence: y += penalty^2 c.
  void UpdateMultipliers();

  /// The state after the largest fraction of a step that keeps the order of nodes; numbers move as the map does, within
  /// their bounds.
  Eigen::VectorXd Advance(const Eigen::VectorXd& x, const Eigen::VectorXd& step) const;

  /// Pose of the center of mass at time t.
  Eigen::Vector3d PoseAt(const JointChain& chain, double t) const;
  /// Velocities before and after node k; one of them where it is an end.
  Eigen::Vector3d Before(const JointChain& chain, int k) const;
  Eigen::Vector3d After(const JointChain& chain, int k) const;
  /// Slip velocity that decides friction of a closed node (mean over the step where contact lasts).
  double Slip(const JointChain& chain, int k, int candidate) const;
  const EventBody<double>& body() const { return body_; }
  Eigen::Vector3d Acceleration(double time) const;
  /// Index of an unknown of node k: 0..2 pose, 3 time, 4.. normal, 4 + kJointContacts.. tangential; -1 if not unknown.
  int IndexOf(int chain, int k, int what) const;
  /// Scale of lengths: what the noise leaves open [m].
  static double LengthScale(const PlanarTrack& track, double size);

 private:
  template <class T>
  struct Numbers;
  template <class T, class Visit>
  void VisitRows(const Numbers<T>& numbers, Visit visit) const;
  template <class Visit>
  void VisitJets(Visit visit) const;
  template <class T, class Emit>
  void NodeRows(const Numbers<T>& numbers, const JointChain& chain, int k, const T* z, Emit emit) const;
  Value Collect(BorderedBand* system) const;
  void Compile();

  const PlanarFamily* family_;
  std::vector<JointChain> chains_;
  Eigen::VectorXd params_;
  std::vector<char> held_;
  JointWeights weights_;
  std::vector<std::vector<std::array<int, 4 + kJointContacts + kJointGroups>>> index_;
  int unknowns_ = 0, width_ = 0, equalities_ = 0;
  Eigen::VectorXd multipliers_;
  EventBody<double> body_;
  std::vector<Load<double>> loads_;
  Eigen::Vector2d com_ = Eigen::Vector2d::Zero();
};

}  // namespace ricochet
