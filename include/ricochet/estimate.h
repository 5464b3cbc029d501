// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// An estimate: parameters with their covariance, the states and impulses behind them, and the evidence. It is what
// `estimate.json` holds and what the other commands take.
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ricochet {

struct EstimatedParameter {
  std::string path;             // "contact.friction", "bodies.e.inertia/bodies.e.mass"
  std::optional<double> value;  // none where the data cannot tell
  std::optional<double> std;    // standard deviation
  std::string unit;
  bool identifiable = false;
  std::optional<double> lower, upper;  // one-sided statements, at 95 %
  std::string combination;             // what can be told instead
  double start = 0;                    // value in the scene that was given
};

struct RecordingUse {
  std::string file;
  bool used = false;
  std::string reason;  // why it was set aside; or what was found in it
  int rows = 0, rejected_rows = 0;
  std::optional<double> chi2_per_dof;
  std::optional<double> noise_position, noise_angle;  // [m], [rad], as used
};

/// One impact or stretch of contact of the fitted motion.
struct EstimatedImpulse {
  int recording = 0;
  double time = 0, duration = 0;  // [s]; duration 0: an impact
  std::string pair;
  int contact = 0;
  double normal = 0, tangential = 0;  // [N s]; for the scene's mass where only ratios can be told
  bool slides = false;
  std::optional<std::array<double, 2>> tangential_xy{};  // spatial, where known: in the axes of the surface [N s]
  std::optional<std::array<double, 3>> point{};          // spatial, where known: of the contact, in the scene [m]
};

/// Restitution of one impact, where each has its own (option impact_restitutions of trajectory).
struct ImpactRestitution {
  int recording = 0;
  std::optional<double> time;        // [s]; none when the fitted motion has fewer impacts
  std::optional<double> value, std;  // none where the data cannot tell
};

/// A joint of the fitted motion, at the times of the motion and as a sensor shows it: with offset and delay.
struct EstimatedJoint {
  std::string name;
  std::vector<double> angle, rate;  // [rad], [rad/s]; of a slider [m], [m/s]
};

/// Fitted motion at the rows of a recording: planar x, y, theta; spatial x, y, z, qw, qx, qy, qz per moving body; or
/// the joints of a mechanism.
struct EstimatedMotion {
  int recording = 0;
  std::vector<double> time;
  std::vector<std::vector<double>> pose;
  std::vector<EstimatedJoint> joints{};
};

/// Profile of one number: it is held at some values and everything else is fitted anew at each.
struct EstimatedProfile {
  std::string path, unit;
  std::vector<double> value;     // ascending
  std::vector<double> deviance;  // by how much twice the negative log-likelihood exceeds its least there
  // 95 % interval (deviance 3.84). One of them alone is one-sided (2.71): beyond the other the curve stays flat.
  std::optional<double> lower, upper;
  std::string words;
};

/// What the residuals of a fit say about the parameters with every other unknown free.
struct EstimatedInformation {
  int rank = 0, size = 0;  // of the parameters' effect on the residuals
  std::string null_space;  // directions without effect, in words; empty when there are none
};

/// A recording that a fold of the cross-validation left out.
struct HeldOutRecording {
  int recording = 0, fold = 0;
  std::optional<double> residual_over_noise;  // root mean square; none where no motion was found
};

/// k-fold cross-validation: how well parameters from the other folds explain each recording.
struct EstimatedCrossValidation {
  int folds = 0;
  std::optional<double> residual_over_noise;  // root mean square over all recordings left out
  std::vector<std::string> paths;             // parameters that each fold estimates
  std::vector<std::vector<double>> values;    // theirs, per fold; empty where the search failed
  std::vector<HeldOutRecording> recordings;
};

/// The optimiser's way through one stage of the fit: its start, then every step that it took.
struct OptimizerStage {
  std::string name;          // what was fitted: "toss_01.csv, first 31 rows", "all rows", "together"
  std::vector<double> cost;  // of the stage; half of chi^2 for least squares
  std::vector<double> step;  // length, 0 first: in standard deviations of the noise for least squares; of a search
                             // without derivatives by how much of the search's box its centre moved
};

struct EstimateInput {
  std::string name, hash;
};

struct Estimate {
  std::vector<EstimatedParameter> parameters;
  Eigen::MatrixXd covariance;  // in the order of `parameters`; NaN where there is no value
  std::string method;
  std::string choice;  // why this method
  bool converged = false;
  double cost = 0;
  std::optional<double> chi2_per_dof;
  int iterations = 0;
  double seconds = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> log;  // every choice made on the way
  std::vector<RecordingUse> recordings;
  std::vector<EstimateInput> inputs;
  std::string version;
  std::vector<EstimatedImpulse> impulses;
  std::vector<ImpactRestitution> impact_restitutions;
  std::vector<EstimatedProfile> profiles;           // of the numbers asked for
  std::optional<EstimatedInformation> information;  // where IdentifyOptions::information requests it
  std::optional<EstimatedCrossValidation> cross_validation;
  std::vector<EstimatedMotion> motions;
  std::vector<OptimizerStage> trace;  // of the fit that won, not of all that were tried
};

/// JSON text with the fields of the format; numbers that do not exist are null.
std::string FormatEstimate(const Estimate& estimate);

/// The inverse, for commands that take `--with estimate.json`. Throws InputError.
Estimate ReadEstimate(const std::string& file);
Estimate ParseEstimate(const std::string& text, const std::string& name_in_messages);

/// A page for the terminal.
std::string DescribeEstimate(const Estimate& estimate);

/// One sentence: how well recordings left out are explained, and the range of each parameter over the folds.
std::string DescribeCrossValidation(const EstimatedCrossValidation& validation);

}  // namespace ricochet
