// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The report: one self-contained HTML page that shows whether to believe a result. Playback of recorded and fitted
// motion, plots, tables, a summary in words and the provenance of everything.
//
//     const ricochet::Identification result = ricochet::Identify(scene, recordings, "contact.*");
//     ricochet::WriteReport(ricochet::MakeIdentifyReport(scene, recordings, result), "report.html");
//
// ReportData is plain data: fill it yourself, or let the Make functions fill it for what this library computes and
// change it afterwards. WriteReport thins long motions for display: in each interval of rows it keeps the smallest and
// largest value of every channel, and the rows beside every impact, so that no peak and no impact is lost. Numbers on
// the page have single precision, times double. All text is shown as text, whatever it holds.
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

/// What a channel is. Channels of one group are plotted together; kPlaced ones, which only follow from joints, are not
/// plotted at all.
enum class ChannelGroup { kPose, kVelocity, kJoint, kEnergy, kInput, kOther, kPlaced };

/// One quantity over time.
struct ReportChannel {
  std::string name, unit;
  ChannelGroup group = ChannelGroup::kOther;
  bool angle = false;          // differences are taken modulo a turn
  std::vector<double> values;  // one per time of the track
};

/// A body's pose: indices of the 3 (x, y, theta) or 7 (x, y, z, qw, qx, qy, qz) channels that hold it.
struct ReportPose {
  int body = 0;  // of the scene
  std::vector<int> channels;
};

enum class TrackKind { kRecorded, kFitted, kSimulated, kPredicted };

/// One motion over time.
struct ReportTrack {
  TrackKind kind = TrackKind::kRecorded;
  std::vector<double> time;  // [s], increasing
  std::vector<ReportChannel> channels;
  std::vector<ReportPose> poses;
};

/// A contact impulse, in world axes.
struct ReportContact {
  double time = 0, duration = 0;  // [s]; duration 0: an impact or one step
  int pair = 0;                   // of ReportData::pairs
  int contact = 0;                // number of the vertex, or 0
  bool slides = false;
  bool impact = false;                 // begins an interval of contact, or is an impact by itself
  double normal = 0;                   // [N s]
  std::array<double, 2> tangential{};  // [N s]
  std::array<double, 3> point{};       // [m]; of no meaning without `has_point`
  std::array<double, 3> impulse{};     // on the pair's first body [N s]; 0 when the direction is not known
  bool has_point = false;
};

/// One recording or simulation: what was recorded and what was fitted or simulated.
struct ReportMotion {
  std::string name;
  std::string note;  // why it is excluded, or what was found
  bool used = true;
  std::optional<double> chi2_per_dof, noise_position, noise_angle;  // [-], [m], [rad]
  std::vector<ReportTrack> tracks;
  std::vector<ReportContact> contacts;
};

enum class Tone { kNeutral, kGood, kCaution, kBad };

/// A sentence of the summary, and how it is colored.
struct ReportSentence {
  Tone tone = Tone::kNeutral;
  std::string text;
};

/// A table; every row has as many cells as there are columns.
struct ReportTable {
  std::string title;
  std::vector<std::pair<std::string, std::string>> columns;  // name, unit
  std::vector<std::vector<std::string>> rows;
};

/// Where a result came from.
struct ReportProvenance {
  std::vector<std::string> command_line;                     // empty: not shown
  std::vector<EstimateInput> inputs;                         // names and hashes
  std::vector<std::pair<std::string, std::string>> options;  // names and values, seeds among them
  std::string scene_text, calibrated_text;                   // YAML
};

/// Everything that a page shows.
struct ReportData {
  std::string title;
  std::string command;  // identify, simulate, ...
  Scene scene;          // whose shapes are drawn
  std::vector<ReportSentence> summary;
  std::vector<std::string> pairs;  // names "body/surface"
  std::vector<ReportMotion> motions;
  std::optional<Estimate> estimate;
  Evaluation evaluation;
  std::vector<ReportTable> tables;
  ReportProvenance provenance;
};

/// The report of an identification: recorded against fitted motion, residuals, impulses, what the values are worth.
ReportData MakeIdentifyReport(const Scene& scene, const std::vector<Recording>& recordings,
                              const Identification& identification);

/// Recordings, and contacts of the last of them, as they are.
ReportData MakeMotionReport(const Scene& scene, const std::vector<Recording>& recordings,
                            const std::vector<ContactRow>& contacts);

/// An evaluation; you may add motions.
ReportData MakeEvaluationReport(const Scene& scene, const Evaluation& evaluation);

/// The report of a validation: errors per recording and model, and simulations of `scene` beside the recordings with
/// their rest poses from above. The region of a rest position is that of the errors of the other recordings.
ReportData MakeValidationReport(const Scene& scene, const std::vector<Recording>& recordings,
                                const ValidationSet& validations, const ValidateOptions& options = {},
                                const Context& context = {});

/// The report of a prediction: regions and recorded rest positions, faces, the check, and one simulation beside each
/// recording. `scene` has the estimate's values (Apply).
ReportData MakePredictionReport(const Scene& scene, const std::vector<Recording>& recordings,
                                const Prediction& prediction, const PredictOptions& options = {},
                                const Context& context = {});

/// The report of a sweep, from its costs in memory or, where there are too many, from the file that it wrote.
ReportData MakeSweepReport(const Scene& scene, const std::vector<SweepAxis>& axes, const SweepOptions& options,
                           const SweepResult& result);

/// A simulation with its report, collected while it is streamed to files, in memory that does not grow with the
/// duration.
struct ReportedSimulation {
  SimulationSummary summary;
  ReportData report;
};
ReportedSimulation SimulateWithReport(const Scene& scene, const SimulateOptions& options,
                                      const SimulationFiles& files = {}, const Context& context = {});

/// The report of result files, each known by its content: an estimate, a validation, an evaluation or the summary of a
/// simulation (JSON), a cost map, contacts, recordings (CSV), a scene (YAML). An estimate names the scene and the
/// recordings that it came from; they are searched under these names, then beside the estimate, and a file that has
/// changed since is reported. `scene_file` may be empty: the scene among the files, or the one that the estimate names.
/// Throws InputError.
ReportData ReadReport(const std::vector<std::string>& files, const std::string& scene_file = {},
                      const Context& context = {});

/// Names and hashes of files, for ReportProvenance::inputs; empty names are left out. Throws InputError for a file that
/// cannot be read.
std::vector<EstimateInput> HashFiles(const std::vector<std::string>& files);

/// Writes the page, whole or not at all. Throws InputError when the file cannot be written.
void WriteReport(const ReportData& data, const std::string& file);

}  // namespace ricochet
