// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// An estimate: parameters with their covariance, the states and impulses behind them, and the evidence. It is what
// Identify returns, what `estimate.json` holds, and what Validate, Predict and the report take.
//
//     const ricochet::Estimate estimate = ricochet::ReadEstimate("estimate.json");
//     const ricochet::EstimatedParameter& friction = estimate.at("contact.friction");
//     const ricochet::Interval interval = estimate.interval("contact.friction", 0.9);
//     const ricochet::Scene calibrated = ricochet::Apply(scene, estimate);
//     if (estimate.verdict.level == ricochet::VerdictLevel::kRejected) std::cerr << estimate.verdict.reasons.front();
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet {

class Scene;  // ricochet/scene.h

/// One term of a sum. The data can identify a sum without identifying its terms.
struct EstimatedTerm {
  std::string path;   // of the scene, a ratio or a product
  double factor = 1;  // that it is multiplied by, as the data determine it
};

/// One estimated parameter: one of the scene, a ratio, a product, or a sum of these.
struct EstimatedParameter {
  std::string path;                    // "contact.friction", "bodies.e.inertia/bodies.e.mass"; of a sum only its name
  std::vector<EstimatedTerm> terms{};  // of a sum; empty otherwise. A scene takes the sum by its first term, whose
                                       // factor is 1; the others stay
  std::optional<double> value;         // in `unit`; none where the data do not identify it
  std::optional<double> std;           // standard deviation
  std::string unit;
  bool identifiable = false;
  std::optional<double> lower, upper;  // one-sided limits, at 95 %
  std::string combination;             // what is identifiable instead, or why this is not
  double start = 0;                    // value in the scene that was given
};

/// An interval of a parameter. One end alone is a one-sided limit; none: the data do not limit the parameter.
struct Interval {
  std::optional<double> lower, upper;
};

/// How the fit used one recording.
struct RecordingUse {
  std::string file;
  bool used = false;
  std::string reason;                                 // why it is excluded, or what was found in it
  int rows = 0, rejected_rows = 0;                    // rejected as outliers
  std::optional<double> chi2_per_dof;                 // 1 where the model explains the recording up to noise
  std::optional<double> noise_position, noise_angle;  // [m], [rad], as used
};

/// One impact or interval of contact of the fitted motion.
struct EstimatedImpulse {
  int recording = 0;
  double time = 0, duration = 0;      // [s]; duration 0: an impact
  std::string pair;                   // "body/surface"
  int contact = 0;                    // number of the vertex, or 0
  double normal = 0, tangential = 0;  // [N s]; for the scene's mass where only ratios are identifiable
  bool slides = false;
  std::optional<std::array<double, 2>> tangential_xy{};  // spatial, where known: in the axes of the surface [N s]
  std::optional<std::array<double, 3>> point{};          // spatial, where known: of the contact, in the scene [m]
};

/// Restitution of one impact, where each has its own (option impact_restitutions of trajectory).
struct ImpactRestitution {
  int recording = 0;
  std::optional<double> time;        // [s]; none when the fitted motion has fewer impacts
  std::optional<double> value, std;  // none where it is not identifiable
};

/// A joint of the fitted motion, at the times of the motion and as a sensor shows it: with offset and delay.
struct EstimatedJoint {
  std::string name;
  std::vector<double> angle, rate;  // [rad], [rad/s]; of a slider [m], [m/s]
};

/// Fitted motion at the rows of a recording.
struct EstimatedMotion {
  int recording = 0;
  std::vector<double> time;               // [s]
  std::vector<std::vector<double>> pose;  // per row: planar x, y, theta; spatial x, y, z, qw, qx, qy, qz per moving
                                          // body. Empty for mechanisms
  std::vector<EstimatedJoint> joints{};   // of a mechanism
};

/// Profile likelihood of one parameter: the parameter is held at several values, and everything else is fitted at each.
struct EstimatedProfile {
  std::string path, unit;
  std::vector<double> value;     // ascending
  std::vector<double> deviance;  // twice the negative log-likelihood at the value, above its minimum
  // 95 % interval (deviance 3.84). One of them alone is one-sided (2.71): beyond the other the profile is flat.
  std::optional<double> lower, upper;
  std::string words;  // one sentence
};

/// What the residuals of a fit say about the parameters with every other unknown free.
struct EstimatedInformation {
  int rank = 0, size = 0;  // of the parameters' effect on the residuals
  std::string null_space;  // directions without effect, in words; empty when there are none
};

/// Repetitions of the bootstrap that gave a fit: their scatter is the uncertainty. Of recordings drawn with replacement
/// it is a little small; the covariance of the estimate corrects that.
struct EstimatedBootstrap {
  std::string kind;                         // "a parametric bootstrap", "a bootstrap over recordings"
  std::vector<std::string> paths;           // parameters that each repetition estimates
  std::vector<std::vector<double>> values;  // theirs, per repetition
};

/// A recording that a fold of the cross-validation holds out.
struct HeldOutRecording {
  int recording = 0, fold = 0;
  std::optional<double> residual_over_noise;  // root mean square; none where no motion was found
};

/// k-fold cross-validation: how well parameters from the other folds explain each recording.
struct EstimatedCrossValidation {
  int folds = 0;
  std::optional<double> residual_over_noise;  // root mean square over all held-out recordings
  std::vector<std::string> paths;             // parameters that each fold estimates
  std::vector<std::vector<double>> values;    // theirs, per fold; empty where the search failed
  std::vector<HeldOutRecording> recordings;
};

/// A held parameter that would explain residuals of the fit if it were estimated.
struct Explanation {
  std::string path;                // "observe.frame.position", "gravity.tilt"
  std::vector<double> value, std;  // that it would have; one entry per coordinate, in `unit`
  std::string unit;
  std::optional<double> residual_over_noise;  // that would be left; none where the noise is not known
  double p_value = 1;                         // of an improvement that large by chance
  double shift = 0;                           // largest change of an estimated parameter, in its standard deviations
  std::string command;                        // what to request to estimate it: option `paths` of Identify; the program
                                              // writes its flag
};

/// How far an estimate can be trusted.
enum class VerdictLevel {
  kGood,      // residuals agree with the noise and nothing tested contradicts the model: intervals mean what they say
  kLimited,   // the model does not reproduce the data to within the noise, or a held parameter would explain more: the
              // standard deviations are enlarged to cover that
  kRejected,  // do not use the values: the search failed, a mistake was found, or there are too few data
};

/// Whether you can rely on an estimate, and why.
struct Verdict {
  VerdictLevel level = VerdictLevel::kLimited;
  std::vector<std::string> reasons;           // the first is the headline
  std::optional<double> residual_over_noise;  // root mean square of the residuals over the noise that the rows show by
                                              // themselves; 1 where the model explains the data
  std::optional<double> p_value;              // of residuals that large by chance
  std::vector<Explanation> explanations;      // held parameters that would explain the residuals, best first

  /// Lowers the level to `to` if it is better, and gives the reason.
  void Lower(VerdictLevel to, std::string reason);
};

/// "good", "limited", "rejected".
std::string_view NameOf(VerdictLevel level);

/// The optimization trace of one stage of the fit: its start, then every step.
struct OptimizerStage {
  std::string name;          // what was fitted: "toss_01.csv, first 31 rows", "all rows", "together"
  std::vector<double> cost;  // of the stage; half of chi^2 for least squares
  std::vector<double> step;  // length, 0 first: in standard deviations of the noise for least squares; of a search
                             // without derivatives by how much of the search's box its center moved
};

/// A file or recording that a result was computed from.
struct EstimateInput {
  std::string name;  // of the file; "recording 2" for one in memory
  std::string hash;  // SHA-256 of its content
};

/// Everything that identification found.
struct Estimate {
  Estimate();  // without parameters
  Estimate(const Estimate&);
  Estimate(Estimate&&) noexcept;
  Estimate& operator=(const Estimate&);
  Estimate& operator=(Estimate&&) noexcept;
  ~Estimate();

  std::vector<EstimatedParameter> parameters;  // in the order in which they were requested
  Eigen::MatrixXd covariance;                  // in that order; NaN where there is no value
  std::string method;                          // the estimator
  std::string choice;                          // why this one
  Verdict verdict;                             // whether to believe the values
  bool converged = false;                      // the optimizer reached a minimum; says nothing about the model
  double cost = 0;                             // at the end of the search
  std::optional<double> chi2_per_dof;          // 1 where the model explains the data up to noise
  int iterations = 0;
  double seconds = 0;                 // computing time
  std::vector<std::string> warnings;  // what to know before using the values
  std::vector<std::string> log;       // every choice made on the way
  std::vector<RecordingUse> recordings;
  std::vector<EstimateInput> inputs;  // the scene, then the recordings
  std::string version;                // of the library
  std::vector<EstimatedImpulse> impulses;
  std::vector<ImpactRestitution> impact_restitutions;
  std::optional<EstimatedBootstrap> bootstrap;               // where IdentifyOptions::bootstrap requests it
  std::vector<EstimatedProfile> profiles;                    // where IdentifyOptions::profiles requests them
  std::optional<EstimatedInformation> information;           // where IdentifyOptions::information requests it
  std::optional<EstimatedCrossValidation> cross_validation;  // where IdentifyOptions::folds requests it
  std::vector<EstimatedMotion> motions;
  std::vector<OptimizerStage> trace;  // of the fit that won, not of all that were tried

  /// The parameter with this path; blanks around `/` and `*` do not matter. Throws InputError naming the nearest path.
  const EstimatedParameter& at(std::string_view path) const;

  /// The interval that covers the parameter with probability `level`, in (0, 1).
  ///
  /// At level 0.95 it is that of the profile likelihood where there is one, and one-sided limits where only these are
  /// known. Otherwise it is value +- z std with the quantile z of the normal distribution, without ends where the
  /// parameter has no standard deviation. Throws InputError for an unknown path or another level.
  Interval interval(std::string_view path, double level = 0.95) const;
};

/// The scene with the estimate's values, ratios, products and sums included, in any order. Parameters that are not
/// identifiable stay as the scene has them, and a sum sets its first term. Throws InputError for a path that the scene
/// does not have, a value out of its bounds, or values that no scene can have together.
Scene Apply(const Scene& scene, const Estimate& estimate);

/// JSON text; numbers that do not exist are null. ParseEstimate is its inverse and throws InputError.
std::string FormatEstimate(const Estimate& estimate);
Estimate ParseEstimate(const std::string& text, const std::string& name_in_messages);

/// The same with files. Writing replaces the file whole or not at all. Throw InputError.
Estimate ReadEstimate(const std::string& file);
void WriteEstimate(const Estimate& estimate, const std::string& file);

/// A page for the terminal.
std::string DescribeEstimate(const Estimate& estimate);

/// A table of Verdict::explanations for the terminal: value, what would be left, how unlikely by chance.
std::string DescribeExplanations(const Verdict& verdict);

/// One sentence: how well recordings left out are explained, and the range of each parameter over the folds.
std::string DescribeCrossValidation(const EstimatedCrossValidation& validation);

}  // namespace ricochet
