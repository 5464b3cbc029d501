// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Motion of a rigid mechanism over time, with dry friction switched where it switches, and its derivatives.
//
// Between events the equations are smooth and are integrated by the method of Dormand and Prince of order 8 (Hairer,
// Norsett, Wanner: Solving Ordinary Differential Equations I, sec. II.10, DOP853) with steps of at most `step`, halved
// where the embedded error is above `tolerance`. Pieces end exactly where
//
//     a sliding joint comes to rest (r_k = 0)      it sticks if its bound allows, or slides the other way
//     a sticking joint needs more than its bound   it slides; the Stribeck curve starts at the static value, so that
//                                                  accelerations are continuous there
//     a reaction changes sign (norm: l1)           the bound has a kink, which would cost the method its order
//     an input changes
//
// Between the ends of a piece coordinates are the quintic through values, rates and accelerations (error O(h^6)).
//
// Derivatives S = d(x, r)/d(x_0, r_0, parameters) obey S_x' = S_r, S_r' = A_x S_x + A_r S_r + A_p, integrated by
// Simpson's Runge-Kutta method (order 4) with A at both ends and the middle of each piece: three evaluations in place
// of twelve, at a relative error of about (h w)^5 / 120 for motions of frequency w (1e-6 at 10 ms and 15 rad/s). At
// rest of joint k, where time t* moves by dt* = -S_r[k] / a_k, accelerations jump and S_r += (a_before - a_after) dt*.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>
#include <vector>

#include "dynamics/input_signal.h"
#include "dynamics/tree/tree_mechanism.h"

namespace ricochet {

/// A stretch of smooth motion with what is needed to read it and its derivatives anywhere inside.
struct FlowPiece {
  double start = 0, end = 0;  // [s]
  TreeMechanism::Vector x0{}, r0{}, a0{}, x1{}, r1{}, a1{};
  // dof rows; columns initial x, initial r, parameters. Empty without derivatives.
  TreeRows Sx0, Sr0, Sa0, Sx1, Sr1, Sa1;

  struct Reading {
    double value, rate;
    std::array<double, 6> weights;  // of x0, r0, a0, x1, r1, a1
  };
  Reading Read(int dof, double t) const;
};

struct FlowOptions {
  double step = 0.01;        // [s], largest
  double tolerance = 1e-9;   // [rad], [m] per step
  bool kinks = true;         // pieces end where a reaction changes sign; without, errors of about 1e-5 rad/s each
  std::vector<char> slides;  // per coordinate: dry friction counts (its coefficient is not 0, or is a parameter)
};

/// The steps that a run took. A run from the same state with the same constants, inputs and options repeats them at a
/// sixth of the work: for derivatives by other parameters, or to read the motion at other times.
struct FlowPath {
  struct Step {
    double length = 0;  // [s]
    TreeMechanism::Vector x{}, r{}, a{};
    int event = 0, dof = 0;  // that ends it
  };
  std::vector<Step> steps;
};

class TreeFlow {
 public:
  TreeFlow(const TreeMechanism& mechanism, const TreeConstants<double>& constants,
           std::span<const TreeParameter> parameters, FlowOptions options)
      : mechanism_(mechanism), constants_(constants), parameters_(parameters), options_(std::move(options)) {}

  struct End {
    TreeMechanism::Vector x{}, r{};
    TreeRows Sx, Sr;
    int pieces = 0;
  };

  /// Moves from (x, r) at t0 to t1 > t0; `piece` is called for every piece in order. An empty `path` gets the steps,
  /// any other is repeated. False when the motion cannot be computed (it runs away, or switches without end).
  bool Run(const TreeMechanism::Vector& x, const TreeMechanism::Vector& r, double t0, double t1,
           const InputSignal& inputs, bool derivatives, const std::function<void(const FlowPiece&)>& piece, End& end,
           FlowPath* path = nullptr) const;

 private:
  const TreeMechanism& mechanism_;
  const TreeConstants<double>& constants_;
  std::span<const TreeParameter> parameters_;
  FlowOptions options_;
};

}  // namespace ricochet
