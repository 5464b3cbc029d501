// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Results of evaluating a calibrated scene, as the report shows them: cost maps (sweep), errors per recording and rest
// poses (validate, predict), and rest poses over a varied parameter (sensitivity). Plain data with a JSON form.
//
// Fill an Evaluation yourself to show results of your own on a report page:
//
//     const ricochet::CostAxis axis{.path = "contact.friction", .unit = "-", .values = {0.2, 0.3, 0.4}};
//     ricochet::Evaluation mine{.command = "my study"};
//     mine.cost_maps.push_back({.title = "loss", .unit = "m", .axes = {axis}, .cost = {0.012, 0.004, 0.009}});
//     ricochet::WriteReport(ricochet::MakeEvaluationReport(scene, mine), "page.html");
//
// Or write it with WriteEvaluation and give the file to `ricochet report FILE --scene SCENE`. Validate, Predict and
// Sweep have results of their own (validate.h, predict.h, sweep.h); the Make functions of report.h turn these into an
// Evaluation. Nothing here checks what you fill in, except ParseEvaluation.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ricochet {

/// The values of one parameter in a cost map.
struct CostAxis {
  std::string path;                        // of the parameter, or any name: the label of the axis
  std::string unit;                        // "-" or empty for none
  std::vector<double> values;              // finite and strictly ascending, at least one
  std::optional<double> minimum{};         // where the cost is least; none: the grid point with the least cost
  std::optional<double> lower{}, upper{};  // 95 % interval of the parameter, shown as a bar; none: no bar
};

/// Cost over one parameter (a curve) or two (a heat map with contours). Entry [i * axes[1].values.size() + j] of `cost`
/// belongs to axes[0].values[i] and axes[1].values[j]; with one axis, entry [i] to axes[0].values[i].
struct CostMap {
  std::string title;                  // "trajectory"
  std::string unit;                   // of the cost; "-" for none
  std::vector<CostAxis> axes;         // 1 or 2
  std::vector<double> cost;           // one per cell of the grid; NaN where it could not be computed
  std::optional<double> threshold{};  // cost at the border of the joint 95 % region; none: no border is drawn
};

/// Errors of one or several models on the same recordings, so that models can be compared recording by recording.
struct PredictionErrors {
  struct Metric {
    std::string name, unit;  // "rest_position_error", "mm": values are in this unit
  };
  std::vector<Metric> metrics;
  std::vector<std::string> recordings;  // names, usually files
  struct Model {
    std::string name;                         // "box006_trajectory.json"
    std::vector<std::vector<double>> values;  // values[metric][recording]; NaN: none (another face is up)
  };
  std::vector<Model> models;  // empty: no table of errors
};

/// Pose in the plane of the surface on which a body came to rest, seen from above.
struct RestPose {
  double x = 0, y = 0;                              // of the body frame, in the surface's frame [m]
  double yaw = 0;                                   // about the surface's normal [rad]
  std::vector<std::array<double, 2>> outline = {};  // of the body from above, in that frame [m]; empty: the footprint
};

/// Measured and predicted rest pose of one recording (Jongeneel Fig. 13). The region of the prediction is the ellipse
/// { p : (p - predicted)' C^-1 (p - predicted) <= region }, with C = [[xx, xy], [xy, yy]] in m^2.
struct RestComparison {
  std::string recording;                            // its name, usually the file
  std::optional<RestPose> measured;                 // none: the recording ends before the body rests
  std::optional<RestPose> predicted;                // none: there is no prediction
  std::optional<std::array<double, 3>> covariance;  // xx, xy, yy of C [m^2]; none: no region is drawn
  bool face_correct = true;                         // the predicted face is up
  double region = 5.991;                            // 95 % of a normal distribution in the plane (chi-square, 2 dof)
};

/// How likely each face of a body is to be up at rest.
struct FaceForecast {
  std::string recording;              // its name, usually the file
  std::vector<std::string> faces;     // "+x", "-y", ...
  std::vector<double> probabilities;  // one per face, in [0, 1]
  std::string measured;               // the face that was up; empty: not known
};

/// A check of a stated probability on recordings that had no part in it. The summary calls it good if the fraction
/// found is within two standard errors of the stated one.
struct CalibrationCheck {
  std::string what;              // "rest position within the region"
  double stated = 0, found = 0;  // fractions in [0, 1]
  int count = 0;                 // recordings that were checked
};

/// Rest poses of a body over one parameter (Jongeneel Fig. 14): how sensitive the outcome is to it.
struct RestFan {
  std::string recording;             // whose flight the simulations start from
  std::string path, unit;            // of the parameter
  std::vector<double> values;        // of the parameter, ascending
  std::vector<RestPose> poses;       // one per value
  std::optional<RestPose> measured;  // none: the recording ends before the body rests
};

/// What a report shows of an evaluation; empty parts are not shown.
struct Evaluation {
  std::string command;                             // "sweep", "validate", "predict", or a name of your own
  std::vector<CostMap> cost_maps{};                // one plot each
  PredictionErrors errors{};                       // a table, and a plot per metric
  std::vector<std::array<double, 2>> footprint{};  // outline of the body seen from above at yaw 0 [m]
  std::vector<RestComparison> rest{};              // a view from above per recording
  double level = 0.95;                             // probability of the regions in `rest`
  std::vector<RestFan> fans{};                     // a view from above each
  std::vector<FaceForecast> faces{};               // one figure
  std::vector<CalibrationCheck> checks{};          // one figure, and a sentence of the summary each

  /// Whether there is nothing to show.
  bool empty() const {
    return cost_maps.empty() && errors.models.empty() && rest.empty() && fans.empty() && faces.empty();
  }
};

/// JSON text; NaN is null.
std::string FormatEvaluation(const Evaluation& evaluation);

/// The inverse. Throws InputError when sizes do not fit together or the text is not such JSON.
Evaluation ParseEvaluation(const std::string& text, const std::string& name_in_messages);

/// Writes the JSON, whole or not at all. Throws InputError when the file cannot be written.
void WriteEvaluation(const Evaluation& evaluation, const std::string& file);

}  // namespace ricochet
