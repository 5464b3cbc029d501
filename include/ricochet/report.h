// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The report: one self-contained HTML page that shows whether you can rely on a result. It has playback of recorded and
// fitted motion, plots, tables, a summary in sentences, and the provenance of everything.
//
//     const ricochet::Identification result = ricochet::Identify(scene, recordings, "contact.*");
//     ricochet::WriteReport(ricochet::MakeIdentifyReport(scene, recordings, result), "report.html");
//
// ReportData is plain data: fill it yourself, or let the Make functions fill it for what this library computes and
// change it afterwards:
//
//     ricochet::ReportData page = ricochet::MakeIdentifyReport(scene, recordings, result);
//     page.title = "Box 006, session of May 3";
//     page.tables.push_back({.title = "Session", .columns = {{"camera", ""}, {"rate", "Hz"}}, .rows = {{"A", "360"}}});
//     ricochet::WriteReport(page, "session.html");
//
// WriteReport reduces a motion of more than 20000 rows for display. In each interval of rows it keeps the smallest and
// largest value of every channel, and the rows beside every impact. No peak and no impact is lost. Numbers on
// the page have single precision, times double. All text is shown as text, whatever it holds: HTML in a name does not
// become part of the page. The page needs no network and no other file.
//
// The program writes the same pages with `--report FILE` and with `ricochet report`.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/estimate.h"
#include "ricochet/evaluation.h"
#include "ricochet/identify.h"
#include "ricochet/predict.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"
#include "ricochet/simulate.h"
#include "ricochet/sweep.h"
#include "ricochet/validate.h"

namespace ricochet {

/// The section of the plots that a channel belongs to.
enum class ChannelGroup {
  kPose,      // position and orientation; recorded and fitted values are compared
  kVelocity,  // linear and angular
  kJoint,     // angle or position of a joint, and its rate; compared like a pose
  kEnergy,    // [J]
  kInput,     // of a motor
  kOther,     // everything else
  kPlaced,    // poses that follow from recorded joints: used for playback, not plotted
};

/// One quantity over time. Tracks of one motion are compared channel by channel: those with the same name are plotted
/// together, and their difference is the residual.
struct ReportChannel {
  std::string name;  // "x", "box.x", "hinge1.angle"
  std::string unit;  // "m"; empty for none
  ChannelGroup group = ChannelGroup::kOther;
  bool angle = false;          // in radians: differences are taken modulo a full turn
  std::vector<double> values;  // one per time of the track; NaN: missing
};

/// Which channels place a body in the playback. A body that no pose places is not drawn in motion.
struct ReportPose {
  int body = 0;               // index in Scene::bodies of ReportData::scene
  std::vector<int> channels;  // indices in ReportTrack::channels: 3 (x, y, theta) or 7 (x, y, z, qw, qx, qy, qz)
};

/// Where a track comes from. Beside another track, recorded motion is drawn dashed.
enum class TrackKind {
  kRecorded,   // measured
  kFitted,     // the motion of the model that explains the recording best
  kSimulated,  // from the start that the scene gives
  kPredicted,  // from the flight of a recording
};

/// One motion over time, of one or several bodies.
struct ReportTrack {
  TrackKind kind = TrackKind::kRecorded;
  std::vector<double> time;  // [s], increasing
  std::vector<ReportChannel> channels;
  std::vector<ReportPose> poses;  // empty: the track is plotted but not played back
};

/// A contact impulse: a bar in the plots and, where its point is known, an arrow in the playback.
struct ReportContact {
  double time = 0, duration = 0;       // [s]; duration 0: an impact or one step
  int pair = 0;                        // index in ReportData::pairs
  int contact = 0;                     // number of the vertex, from 0; 0 also for shapes without vertices
  bool slides = false;                 // otherwise it sticks; the two have different arrows
  bool impact = false;                 // begins an interval of contact, or is an impact by itself
  double normal = 0;                   // [N s], >= 0
  std::array<double, 2> tangential{};  // along the tangents of the contact [N s]; planar: entry 0
  std::array<double, 3> point{};       // in the world [m]; has no meaning without `has_point`
  std::array<double, 3> impulse{};     // on the pair's first body, world axes [N s]; 0 when the direction is not known
  bool has_point = false;              // false: no arrow
};

/// One recording or simulation: what was recorded and what was fitted or simulated. The page has a menu to choose one.
struct ReportMotion {
  std::string name;                                   // in the menu and in tables: usually the file
  std::string note;                                   // why it is excluded, or what was found; may be empty
  bool used = true;                                   // false: excluded from the fit, shown all the same
  std::optional<double> chi2_per_dof;                 // of this recording; none: not fitted
  std::optional<double> noise_position, noise_angle;  // [m], [rad]: half the band of residual plots; none: no band
  std::vector<ReportTrack> tracks;                    // one per kind at most, recorded first
  std::vector<ReportContact> contacts;                // of the fitted or simulated track, ascending in time
};

/// What a sentence means for the reader. The heading of the page follows the most serious one: bad, caution, good.
enum class Tone {
  kNeutral,  // a fact
  kGood,     // a check that passed
  kCaution,  // usable, with care
  kBad,      // do not use the result yet
};

/// A sentence of the summary at the top of the page.
struct ReportSentence {
  Tone tone = Tone::kNeutral;  // its color and mark
  std::string text;            // plain text, with its period
};

/// A table that the reader can sort, copy and save. Every row has as many cells as there are columns.
struct ReportTable {
  std::string title;
  std::vector<std::pair<std::string, std::string>> columns;  // name, unit; an empty unit is not shown
  std::vector<std::vector<std::string>> rows;                // texts, as they are to be shown
};

/// Where a result came from, so that it can be computed again. Version and commit of the library and the date are
/// added when the page is written.
struct ReportProvenance {
  std::vector<std::string> command_line;                     // empty: not shown
  std::vector<EstimateInput> inputs;                         // names and hashes (HashFiles makes them)
  std::vector<std::pair<std::string, std::string>> options;  // names and values, seeds among them
  std::string scene_text, calibrated_text;                   // YAML before and after; empty: not shown
};

/// Everything that a page shows. Parts that are empty do not appear.
struct ReportData {
  std::string title;                    // of the page and of the browser's tab
  std::string command;                  // "identify", "simulate", "validate", "predict", "sweep": chooses the heading
  Scene scene;                          // whose shapes, surfaces and joints are drawn
  std::vector<ReportSentence> summary;  // in the order in which they are read
  std::vector<std::string> pairs;       // names "body/surface", which contacts refer to
  std::vector<ReportMotion> motions;    // playback and plots
  std::optional<Estimate> estimate;     // table, correlations and optimization trace
  Evaluation evaluation;                // cost maps, errors and rest poses (evaluation.h)
  std::vector<ReportTable> tables;
  ReportProvenance provenance;
};

/// The report of an identification: recorded against fitted motion, residuals, impulses, profiles, and whether the
/// values can be used. `scene` and `recordings` are those that Identify got, in the same order.
ReportData MakeIdentifyReport(const Scene& scene, const std::vector<Recording>& recordings,
                              const Identification& identification);

/// Recordings as they are, without a judgment. `contacts`, which may be empty, are those of the last recording.
ReportData MakeMotionReport(const Scene& scene, const std::vector<Recording>& recordings,
                            const std::vector<ContactRow>& contacts);

/// An evaluation (evaluation.h), with a summary of its costs, errors and predictions. You may add motions.
ReportData MakeEvaluationReport(const Scene& scene, const Evaluation& evaluation);

/// The report of a validation: errors per recording and model, and simulations of `scene` beside the recordings with
/// their rest poses from above. The region of a rest position comes from the errors of the other recordings, of which
/// at least 6 are needed. `validations` has at least one model; `options` are those of the validation. Simulates again,
/// so it throws what Validate throws, and Cancelled.
ReportData MakeValidationReport(const Scene& scene, const std::vector<Recording>& recordings,
                                const ValidationSet& validations, const ValidateOptions& options = {},
                                const Context& context = {});

/// The report of a prediction: regions and recorded rest positions, faces, the check, and one simulation beside each
/// recording. `scene` has the estimate's values (Apply), and `options` are those of the prediction. Throws InputError
/// for scenes that Predict does not take, and Cancelled.
ReportData MakePredictionReport(const Scene& scene, const std::vector<Recording>& recordings,
                                const Prediction& prediction, const PredictOptions& options = {},
                                const Context& context = {});

/// The report of a sweep, from its costs in memory or, where there are too many, from SweepOptions::output. With more
/// than two axes the page shows the planes through the best cell. Throws InputError when that file cannot be read.
ReportData MakeSweepReport(const Scene& scene, const std::vector<SweepAxis>& axes, const SweepOptions& options,
                           const SweepResult& result);

/// What SimulateWithReport gives.
struct ReportedSimulation {
  SimulationSummary summary;
  ReportData report;
};

/// Simulates as SimulateToFiles does and collects the report on the way, in memory that does not grow with the
/// duration. Throws InputError and Cancelled.
ReportedSimulation SimulateWithReport(const Scene& scene, const SimulateOptions& options,
                                      const SimulationFiles& files = {}, const Context& context = {});

/// The report of result files, each known by its content: estimates, validations, evaluations and summaries of
/// simulations (JSON), cost maps, contacts and recordings (CSV), a scene (YAML). An estimate names its scene and
/// recordings. They are searched under these names, then beside the estimate; a file that has changed is reported.
/// `scene_file` may be empty: the scene among the files, or the one that the estimate names.
/// Throws InputError.
ReportData ReadReport(const std::vector<std::string>& files, const std::string& scene_file = {},
                      const Context& context = {});

/// Names and hashes of files, for ReportProvenance::inputs; empty names are left out. Throws InputError for a file that
/// cannot be read.
std::vector<EstimateInput> HashFiles(const std::vector<std::string>& files);

/// Writes the page, whole or not at all. Throws InputError when the file cannot be written.
void WriteReport(const ReportData& data, const std::string& file);

}  // namespace ricochet
