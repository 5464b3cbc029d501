// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The report: one self-contained HTML page that shows whether to believe an answer. Playback of recorded and fitted
// motion, plots, tables, a summary in words and where everything came from.
//
// `ReportData` is plain data; whoever fills it gets the page. The Make functions fill it for what this library
// computes. WriteReport thins long motions for display: of each stretch of rows the smallest and largest value of every
// channel is kept, and the rows beside every impact, so that no peak and no impact is lost; numbers on the page are
// single precision, times double. All text is shown as text, whatever it holds.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// What a channel is; channels of one group are plotted together, those that were only placed by joints not at all.
enum class ChannelGroup { kPose, kVelocity, kJoint, kEnergy, kInput, kOther, kPlaced };

struct ReportChannel {
  std::string name, unit;
  ChannelGroup group = ChannelGroup::kOther;
  bool angle = false;  // differences are taken modulo a turn
  std::vector<double> values;
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
  bool impact = false;                 // begins a stretch of contact, or is an impact by itself
  double normal = 0;                   // [N s]
  std::array<double, 2> tangential{};  // [N s]
  std::array<double, 3> point{};       // [m]
  std::array<double, 3> impulse{};     // on the pair's first body [N s]; 0 when the direction is not known
  bool has_point = false;
};

/// One recording or run: what was recorded and what was fitted or simulated.
struct ReportMotion {
  std::string name;
  std::string note;  // why it was set aside, or what was found
  bool used = true;
  std::optional<double> chi2_per_dof, noise_position, noise_angle;
  std::vector<ReportTrack> tracks;
  std::vector<ReportContact> contacts;
};

enum class Tone { kNeutral, kGood, kCaution, kBad };

/// A sentence of the summary.
struct ReportSentence {
  Tone tone = Tone::kNeutral;
  std::string text;
};

struct ReportTable {
  std::string title;
  std::vector<std::pair<std::string, std::string>> columns;  // name, unit
  std::vector<std::vector<std::string>> rows;
};

struct ReportProvenance {
  std::vector<std::string> command_line;
  std::vector<EstimateInput> inputs;                         // names and SHA-256
  std::vector<std::pair<std::string, std::string>> options;  // seeds among them
  std::string scene_text, calibrated_text;
};

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

/// The report of an identification: recorded against fitted motion, residuals, impulses, what the numbers are worth.
ReportData MakeIdentifyReport(const Scene& scene, const std::vector<Recording>& recordings,
                              const Identification& identification);

/// Recordings, and contacts of the last of them, as they stand.
ReportData MakeMotionReport(const Scene& scene, const std::vector<Recording>& recordings,
                            const std::vector<ContactRow>& contacts);

/// Shows an evaluation; motions may be added by the caller.
ReportData MakeEvaluationReport(const Scene& scene, const Evaluation& evaluation);

/// The report of a validation, from what FormatValidations gives: errors per recording and model, and the roll-outs of
/// `scene` beside the recordings with their rest poses from above. The region of a rest position is that of the errors
/// of the other recordings.
ReportData MakeValidationReport(const Scene& scene, const std::vector<Recording>& recordings,
                                const std::string& validation, const ValidateOptions& options);

/// The report of a prediction: regions and recorded rest positions, faces, the check, and one roll-out beside each
/// recording.
ReportData MakePredictionReport(const Scene& scene, const std::vector<Recording>& recordings,
                                const Prediction& prediction, const PredictOptions& options);

/// The report of a sweep, from the file that it wrote.
ReportData MakeSweepReport(const Scene& scene, const std::vector<SweepAxis>& axes, const SweepOptions& options,
                           const SweepSummary& summary);

/// Writes the page, whole or not at all. Throws InputError when the file cannot be written.
void WriteReport(const ReportData& data, const std::string& file);

}  // namespace ricochet
