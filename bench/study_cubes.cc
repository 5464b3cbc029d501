// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Real tosses of a cube: what each part of the model buys, under cross-validation. The recordings are not part of this
// repository; results are.
//
//   study_cubes FOLDER > bench/study_cubes.csv
//   study_cubes FOLDER 5,9,12,14 docs/images/cubes.svg      these rows only, with a picture of how the errors spread
//
// Yardstick: roll-outs start one row before the centre comes below 90.8 mm, with that row's pose and the velocity of
// the arc up to it, and run to the last row; mean over rows of the distance in % of 104.8 mm and of the angle, then
// over tosses. (a) raw: gravity 9.81, 104.8 mm, inertia 8.1e-4; (b) corrected: 9.65, 98.1 mm, board at +1.7 mm, inertia
// 1.05e-3. Numbers of a row are fitted on four fifths of the tosses by the cost (18) (evolution on at most 80 of them,
// from the values given) and judged on the fifth. The values given for soft contact and the centre of mass come from
// looking at all tosses; the rows started blind have the data sheet's law, the centre of mass in the middle and a wide
// search instead, so that nothing of the fifth has entered their numbers.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "core/atomic_file.h"
#include "estimators/toss_search.h"
#include "report/plot.h"
#include "ricochet/parameter.h"
#include "ricochet/validate.h"

namespace {

using namespace ricochet;

constexpr double kInterval = 0.0067427;  // of the recordings [s]
constexpr int kFolds = 5, kTrained = 80;

struct Row {
  const char* name;
  bool raw;              // (a)
  int steps;             // per row of the recording
  const char* settings;  // beside friction and restitution
  const char* estimate;  // numbers fitted; empty: none
  int average = 0;       // roll-outs that the prediction is the mean of
  bool blind = false;    // wide search
};

constexpr const char* kLaw = "contact.friction=0.18,contact.restitution=0.125";
constexpr const char* kLawFitted = "contact.friction,contact.restitution";
constexpr const char* kSoft =
    "contact.friction=0.175,contact.restitution=0,contact.compliance=2.0e-5,contact.damping=2.6e-3";
constexpr const char* kSoftFitted = "contact.friction,contact.compliance,contact.damping";
constexpr const char* kSoftCentre =
    "contact.friction=0.175,contact.restitution=0,contact.compliance=2.0e-5,contact.damping=2.6e-3,"
    "bodies.cube.center_of_mass[2]=0.0062";
constexpr const char* kSoftCentreFitted =
    "contact.friction,contact.compliance,contact.damping,bodies.cube.center_of_mass[2]";
constexpr const char* kAll =
    "contact.friction,contact.compliance,contact.damping,bodies.cube.center_of_mass[2],bodies.cube.shape.box.size,"
    "surfaces.board.plane.point[2],bodies.cube.inertia";

const Row kRows[] = {
    {"friction and restitution as the data sheet has them", true, 1, kLaw, ""},
    {"friction and restitution", true, 1, kLaw, kLawFitted},
    {"friction and restitution", true, 2, kLaw, kLawFitted},
    {"friction and restitution", true, 4, kLaw, kLawFitted},
    {"friction and restitution as the data sheet has them", false, 1, kLaw, ""},
    {"friction and restitution", false, 1, kLaw, kLawFitted},
    {"friction and restitution", false, 2, kLaw, kLawFitted},
    {"friction and restitution", false, 4, kLaw, kLawFitted},
    {"friction, compliance, damping", true, 4, kSoft, kSoftFitted},
    {"friction, compliance, damping", false, 4, kSoft, kSoftFitted},
    {"friction, compliance, damping", false, 8, kSoft, kSoftFitted},
    {"friction, restitution, centre of mass", true, 4,
     "contact.friction=0.175,contact.restitution=0.1,bodies.cube.center_of_mass[2]=0.0062",
     "contact.friction,contact.restitution,bodies.cube.center_of_mass[2]"},
    {"friction, restitution, centre of mass", false, 4,
     "contact.friction=0.175,contact.restitution=0.1,bodies.cube.center_of_mass[2]=0.0062",
     "contact.friction,contact.restitution,bodies.cube.center_of_mass[2]"},
    {"friction, compliance, damping, centre of mass", true, 4, kSoftCentre, kSoftCentreFitted},
    {"friction, compliance, damping, centre of mass", false, 4, kSoftCentre, kSoftCentreFitted},
    {"friction, compliance, damping, centre of mass", false, 8, kSoftCentre, kSoftCentreFitted},
    {"the same, mean of 20 roll-outs over the start's uncertainty", false, 8, kSoftCentre, kSoftCentreFitted, 20},
    {"the same with one tangential restitution more", false, 4, kSoftCentre,
     "contact.friction,contact.compliance,contact.damping,bodies.cube.center_of_mass[2],contact.tangential_"
     "restitution"},
    {"the same with rounded corners", false, 4,
     "contact.friction=0.175,contact.restitution=0,contact.compliance=2.0e-5,contact.damping=2.6e-3,"
     "bodies.cube.center_of_mass[2]=0.0062,contact.rounding=0.0015,bodies.cube.shape.box.size=0.099",
     "contact.friction,contact.compliance,contact.damping,bodies.cube.center_of_mass[2],contact.rounding"},
    {"the same with size, board and inertia", false, 4, kSoftCentre, kAll},
    {"started blind: friction, restitution, centre of mass", false, 4, kLaw,
     "contact.friction,contact.restitution,bodies.cube.center_of_mass[2]", 0, true},
    {"started blind: friction, compliance, damping, centre of mass", false, 4,
     "contact.friction=0.18,contact.restitution=0,contact.compliance=1.0e-5,contact.damping=1.0e-3", kSoftCentreFitted,
     0, true},
    {"started blind: friction, compliance, damping, centre of mass", true, 4,
     "contact.friction=0.18,contact.restitution=0,contact.compliance=1.0e-5,contact.damping=1.0e-3", kSoftCentreFitted,
     0, true},
    {"friction, restitution, centre of mass and torsion", false, 4,
     "contact.friction=0.175,contact.restitution=0.1,bodies.cube.center_of_mass[2]=0.0062,contact.patch[2]=0.003",
     "contact.friction,contact.restitution,bodies.cube.center_of_mass[2],contact.patch[2]"},
    {"friction, restitution, centre of mass and tilt of the board", false, 4,
     "contact.friction=0.175,contact.restitution=0.1,bodies.cube.center_of_mass[2]=0.0062",
     "contact.friction,contact.restitution,bodies.cube.center_of_mass[2],surfaces.board.plane.normal[0],"
     "surfaces.board.plane.normal[1]"},
    {"friction, centre of mass, restitution that depends on speed", false, 4,
     "contact.friction=0.175,contact.restitution=0.1,bodies.cube.center_of_mass[2]=0.0062,contact.restitution_low=0.1,"
     "contact.restitution_speed=0.5",
     "contact.friction,contact.restitution,contact.restitution_low,contact.restitution_speed,"
     "bodies.cube.center_of_mass[2]"},
};

Scene MakeScene(const Row& row) {
  const std::string settings = row.settings;
  std::string law = "friction: 0, restitution: 0";
  for (const char* name : {"compliance", "damping", "rounding", "restitution_low", "restitution_speed"}) {
    if (settings.find(fmt::format("contact.{}=", name)) != std::string::npos) law += fmt::format(", {}: 1.0e-3", name);
  }
  if (settings.find("contact.patch[2]=") != std::string::npos) law += ", patch: [1, 1, 1.0e-3]";
  const double edge = row.raw ? 0.1048 : 0.0981, inertia = row.raw ? 8.1e-4 : 1.05e-3;
  Scene scene = ParseScene(fmt::format("ricochet: 1\nspace: spatial\ngravity: [0, 0, {}]\n"
                                       "bodies:\n  cube:\n    shape: {{box: {{size: [{}, {}, {}]}}}}\n    mass: 0.37\n"
                                       "    inertia: [{}, {}, {}]\n    center_of_mass: [0, 0, 0]\n"
                                       "surfaces:\n  board: {{plane: {{point: [0, 0, {}], normal: [0, 0, 1]}}}}\n"
                                       "contact: {{{}}}\nsimulation: {{method: moreau, step: {:.17g}}}\n",
                                       row.raw ? -9.81 : -9.65, edge, edge, edge, inertia, inertia, inertia,
                                       row.raw ? 0.0 : 0.0017, law, kInterval / row.steps),
                           "cube.yaml");
  for (std::size_t at = 0; at <= settings.size();) {
    const std::size_t comma = std::min(settings.find(',', at), settings.size());
    SetFromText(scene, settings.substr(at, comma - at));
    at = comma + 1;
  }
  return scene;
}

/// The scene with the numbers that predict these recordings best.
Scene Fit(const Scene& scene, const std::vector<Recording>& recordings, const char* paths, bool blind,
          Eigen::VectorXd& found) {
  const SpatialFamily family(scene, ParsePathList(scene, paths));
  std::vector<Recording> part;
  const std::size_t count = std::min<std::size_t>(kTrained, recordings.size());
  for (std::size_t i = 0; i < count; ++i) part.push_back(recordings[i * recordings.size() / count]);
  const TossSet set(family, part, {RollStart::Kind::kBelow, 0.0908});
  std::vector<int> tosses(set.used().size());
  for (std::size_t i = 0; i < tosses.size(); ++i) tosses[i] = static_cast<int>(i);
  const SearchBox box = MakeSearchBox(family);
  EvolutionOptions options;
  options.evaluations = (blind ? 4 : 1) * (30 + 12 * family.size());
  options.spread = blind ? 0.15 : 0.03;
  options.tolerance = 0.002;
  const EvolutionResult result = MinimiseByEvolution(
      [&](const std::vector<Eigen::VectorXd>& units) {
        std::vector<Eigen::VectorXd> params;
        for (const Eigen::VectorXd& unit : units) params.push_back(box.FromUnit(unit));
        const Eigen::MatrixXd costs = set.TrajectoryCosts(params, tosses);
        std::vector<double> means;
        for (Eigen::Index r = 0; r < costs.rows(); ++r) means.push_back(costs.row(r).mean());
        return means;
      },
      box.ToUnit(family.start()), options);
  found = box.FromUnit(result.mean);
  return family.Calibrated(found);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "study_cubes FOLDER [ROW,ROW...] [PICTURE]\n");
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Recording> recordings;
  for (const std::filesystem::path& file : files) recordings.push_back(ReadRecording(file.string()));
  std::vector<int> wanted;
  if (argc > 2) {
    std::istringstream list(argv[2]);
    for (std::string word; std::getline(list, word, ',');) wanted.push_back(std::atoi(word.c_str()));
  } else {
    for (int k = 0; k < static_cast<int>(std::size(kRows)); ++k) wanted.push_back(k);
  }
  std::vector<Plot> plots(2);
  plots[0].x_label = "position error [% of 104.8 mm]";
  plots[1].x_label = "rotation error [deg]";
  for (Plot& plot : plots) plot.y_label = "tosses below [%]";
  fmt::print(
      "row,geometry,steps_per_row,numbers,tosses,position_mean_percent,position_median_percent,position_std_percent,"
      "rotation_mean_deg,rotation_median_deg,rotation_std_deg,rest_mean_mm,right_face_percent,seconds,values\n");
  for (const int k : wanted) {
    if (k < 0 || k >= static_cast<int>(std::size(kRows))) continue;
    const Row& row = kRows[k];
    const auto began = std::chrono::steady_clock::now();
    const Scene scene = MakeScene(row);
    ValidateOptions options;
    options.start = {RollStart::Kind::kBelow, 0.0908};
    options.average = row.average;
    Validation all;
    std::string values;
    if (*row.estimate == 0) {
      all = Validate(scene, recordings, options);
    } else {
      for (int fold = 0; fold < kFolds; ++fold) {
        std::vector<Recording> others, own;
        for (std::size_t i = 0; i < recordings.size(); ++i)
          (static_cast<int>(i) % kFolds == fold ? own : others).push_back(recordings[i]);
        Eigen::VectorXd found;
        const Validation part = Validate(Fit(scene, others, row.estimate, row.blind, found), own, options);
        all.recordings.insert(all.recordings.end(), part.recordings.begin(), part.recordings.end());
        for (Eigen::Index i = 0; i < found.size(); ++i) values += fmt::format("{}{:.4g}", i == 0 ? "" : " ", found[i]);
        if (fold + 1 < kFolds) values += "; ";
      }
      Summarise(all);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    const auto of = [&](const char* name) {
      return *std::find_if(all.summary.begin(), all.summary.end(), [&](const auto& s) { return s.name == name; });
    };
    constexpr double kPercent = 100 / 0.1048, kDegrees = 180 / 3.14159265358979323846;
    const ErrorSummary position = of("trajectory_position_error"), rotation = of("trajectory_rotation_error");
    fmt::print("{},{},{},\"{}\",{},{:.2f},{:.2f},{:.2f},{:.2f},{:.2f},{:.2f},{:.1f},{:.1f},{:.0f},\"{}\"\n", k,
               row.raw ? "a" : "b", row.steps, row.name, position.count, position.mean * kPercent,
               position.median * kPercent, position.std * kPercent, rotation.mean * kDegrees,
               rotation.median * kDegrees, rotation.std * kDegrees, 1e3 * of("rest_position_error").mean,
               100 * of("rest_face_correct").mean, seconds, values);
    std::fflush(stdout);
    for (std::size_t p = 0; p < 2; ++p) {
      PlotSeries series;
      series.label = fmt::format("({}), dt/{}: {}", row.raw ? "a" : "b", row.steps, row.name);
      for (const ValidatedRecording& r : all.recordings)
        if (r.used)
          series.x.push_back(p == 0 ? r.errors.trajectory_position_error * kPercent
                                    : r.errors.trajectory_rotation_error * kDegrees);
      std::sort(series.x.begin(), series.x.end());
      for (std::size_t i = 0; i < series.x.size(); ++i)
        series.y.push_back(100.0 * static_cast<double>(i + 1) / static_cast<double>(series.x.size()));
      plots[p].series.push_back(std::move(series));
    }
  }
  if (argc > 3) WriteFileAtomically(argv[3], RenderSvg(plots));
}
