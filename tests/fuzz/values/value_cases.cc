// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/fuzz/values/value_cases.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <numbers>
#include <regex>

#include "core/random.h"
#include "core/text.h"
#include "tests/support/test_paths.h"

namespace ricochet::testing {
namespace {

constexpr double kMostSeconds = 20;             // of processor time
constexpr long kMostMemory = 2L * 1024 * 1024;  // [KiB]
constexpr double kTau = 2 * std::numbers::pi;

/// Rows of numbers under names; NaN is an empty cell.
struct Rows {
  std::vector<std::string> names;  // the first one is t
  std::vector<std::vector<double>> rows;
};

std::string Text(const Rows& table) {
  std::string text;
  for (std::size_t c = 0; c < table.names.size(); ++c) text += (c > 0 ? "," : "") + table.names[c];
  text += "\n";
  for (const std::vector<double>& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      text += (c > 0 ? "," : "") + (std::isnan(row[c]) ? "" : FormatDouble(row[c]));
    text += "\n";
  }
  return text;
}

/// A kind of experiment: scene, a plausible recording, what to estimate.
struct Experiment {
  const char *name, *scene, *estimate, *grid;
  Rows (*record)(Random& random);
};

/// A hop of height v^2 / 2g: falls, rebounds with half the speed, and rests.
double Hop(double t, double height) {
  constexpr double kGravity = 9.81;
  const double first = std::sqrt(2 * height / kGravity);
  if (t < first) return height - kGravity * t * t / 2;
  const double v = kGravity * first / 2, after = t - first;
  return std::max(0.0, v * after - kGravity * after * after / 2);
}

Rows RecordEllipse(Random& random) {
  Rows out{{"t", "x", "y", "theta"}, {}};
  for (int k = 0; k < 40; ++k) {
    const double t = k / 100.0;
    out.rows.push_back({t, 0.3 * t + 1e-4 * random.Normal(), 0.03 + Hop(t, 0.08) + 1e-4 * random.Normal(),
                        0.2 + 3 * t + 1e-3 * random.Normal()});
  }
  return out;
}

Rows RecordPendulum(Random& random) {
  Rows out{{"t", "hinge.angle"}, {}};
  for (int k = 0; k < 120; ++k) {
    const double t = k / 50.0;
    out.rows.push_back({t, 0.8 * std::exp(-0.1 * t) * std::cos(7 * t) + 1e-3 * random.Normal()});
  }
  return out;
}

Rows RecordBox(Random& random) {
  Rows out{{"t", "x", "y", "z", "qw", "qx", "qy", "qz"}, {}};
  for (int k = 0; k < 60; ++k) {
    const double t = k / 100.0, turn = std::min(t, 0.3) / 0.3 * kTau / 4;
    const auto noise = [&] { return 2e-4 * random.Normal(); };
    out.rows.push_back(
        {t, 0.5 * t + noise(), noise(), 0.05 + Hop(t, 0.2) + noise(), std::cos(turn / 2), 0, std::sin(turn / 2), 0});
  }
  return out;
}

const Experiment kExperiments[] = {
    {"ellipse",
     "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  ellipse:\n    shape: {ellipse: {semi_axes: [0.050, "
     "0.025]}}\n    mass: 0.064\n    inertia: 1.0e-4\nsurfaces:\n  bar: {line: {point: [0, 0], angle: 0}}\ncontact: "
     "{friction: 0.4, restitution: 0.5}\ninitial:\n  ellipse: {pose: [0, 0.11, 0.2], velocity: [0.3, 0], "
     "angular_velocity: 3}\nsimulation: {method: irc, step: 1.0e-3, duration: 0.4}\n",
     "contact.friction, contact.restitution", "contact.friction=0.1:0.5:2", RecordEllipse},
    {"pendulum",
     "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.82]\nbodies:\n  rod:\n    mass: 0.428\n    inertia: [1.0e-4, "
     "0.0039, 0.0039]\njoints:\n  hinge:\n    type: hinge\n    parent: world\n    child: rod\n    parent_frame: "
     "{point: "
     "[0, 0, 0], axis: [0, -1, 0], zero: [0, 0, -1]}\n    child_frame: {point: [-0.192, 0, 0], axis: [0, 1, 0], zero: "
     "[1, 0, 0]}\n    compliance: {linear: 1.0e-8, angular: 1.0e-8}\n    damping: 0.02\n    viscous: 0.0002\n    dry: "
     "{radius: 1, friction: 0.0018, norm: l1}\ninitial:\n  hinge: {angle: 0.8, rate: 0}\nobserve: "
     "[hinge.angle]\nsimulation: {method: spook, step: 1.0e-3, duration: 0.3}\n",
     "joints.hinge.viscous, bodies.rod.inertia", "joints.hinge.viscous=1e-4:1e-3:2", RecordPendulum},
    {"box",
     "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  box:\n    shape: {box: {size: [0.1, 0.1, "
     "0.1]}}\n "
     "   mass: 0.37\n    inertia: [6.2e-4, 6.2e-4, 6.2e-4]\nsurfaces:\n  table: {plane: {point: [0, 0, 0], normal: [0, "
     "0, 1]}}\ncontact: {friction: 0.3, restitution: 0.3}\ninitial:\n  box: {position: [0, 0, 0.25], velocity: [0.5, "
     "0, "
     "0], angular_velocity: [0, 5, 0]}\nsimulation: {method: moreau, step: 2.0e-3, duration: 0.3}\n",
     "contact.friction, contact.restitution", "contact.friction=0.1:0.5:2", RecordBox},
};

const std::vector<double> kAbsurd = {0,     -1,     1e-300, 1e300, -1e300, 1e-12, 1e12,       1e30,  -1e-9,
                                     1e-30, 1e150,  -1e6,   1e6,   1e3,    1e-3,  4.9e-324,   1e308, 3.5e-5,
                                     2e9,   123456, 0.1,    1e-6,  -0.5,   1e16,  0.99999999, 60,    1e5};

/// Changes of a recording. Each returns what it did.
using Change = std::function<std::string(Rows&, Random&)>;

std::string ScaleTimes(Rows& table, Random& random) {
  const double factors[] = {20, 1e3, 1e-3, 1e-6, 1e9, 1e-9, 60, 1e6, -1};
  const double factor = factors[random.Below(std::size(factors))];
  for (auto& row : table.rows) row[0] *= factor;
  if (factor < 0) std::reverse(table.rows.begin(), table.rows.end());
  return fmt::format("times x {:g}", factor);
}

std::string OneGap(Rows& table, Random& random) {
  const double gaps[] = {1e4, 1e5, 1e9, 1e2, 1e300, 3};
  const double gap = gaps[random.Below(std::size(gaps))];
  const std::size_t at = 1 + random.Below(table.rows.size() - 1);
  for (std::size_t k = at; k < table.rows.size(); ++k) table.rows[k][0] += gap;
  return fmt::format("a gap of {:g} s", gap);
}

std::string ShiftTimes(Rows& table, Random& random) {
  const double starts[] = {-100, 1.7e9, 1e15, -1e300, 1e-9};
  const double start = starts[random.Below(std::size(starts))];
  for (auto& row : table.rows) row[0] += start;
  return fmt::format("times from {:g}", start);
}

std::string EqualRows(Rows& table, Random&) {
  for (auto& row : table.rows) std::copy(table.rows[0].begin() + 1, table.rows[0].end(), row.begin() + 1);
  return "all rows equal";
}

std::size_t AnyColumn(const Rows& table, Random& random) { return 1 + random.Below(table.names.size() - 1); }

std::string OneColumn(Rows& table, Random& random) {
  const std::size_t c = AnyColumn(table, random);
  const double value = kAbsurd[random.Below(kAbsurd.size())];
  for (auto& row : table.rows) row[c] = value;
  return fmt::format("{} = {:g}", table.names[c], value);
}

std::string ScaleColumn(Rows& table, Random& random) {
  const std::size_t c = AnyColumn(table, random);
  const double factor = kAbsurd[random.Below(kAbsurd.size())];
  for (auto& row : table.rows) row[c] *= factor;
  return fmt::format("{} x {:g}", table.names[c], factor);
}

std::string OneCell(Rows& table, Random& random) {
  const std::size_t c = AnyColumn(table, random), k = random.Below(table.rows.size());
  const double value = kAbsurd[random.Below(kAbsurd.size())];
  table.rows[k][c] = value;
  return fmt::format("{} = {:g} in row {}", table.names[c], value, k);
}

std::string TinyNoise(Rows& table, Random& random) {
  EqualRows(table, random);
  const double sizes[] = {1e-300, 1e-18, 1e-12, 1e100};
  const double size = sizes[random.Below(std::size(sizes))];
  for (auto& row : table.rows)
    for (std::size_t c = 1; c < row.size(); ++c) row[c] += size * random.Normal();
  return fmt::format("rest with noise of {:g}", size);
}

std::string EmptyCells(Rows& table, Random& random) {
  const std::size_t c = AnyColumn(table, random), what = random.Below(4);
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    if (what == 0) table.rows[k][c] = NAN;
    if (what == 1 && k > 1) std::fill(table.rows[k].begin() + 1, table.rows[k].end(), NAN);
    if (what == 2 && k % 2 == 1) std::fill(table.rows[k].begin() + 1, table.rows[k].end(), NAN);
    if (what == 3) std::fill(table.rows[k].begin() + 1, table.rows[k].end(), NAN);
  }
  const char* const names[] = {"a column is empty", "two rows are left", "every second row is empty", "all is empty"};
  return names[what];
}

std::string FewRows(Rows& table, Random& random) {
  table.rows.resize(1 + random.Below(5));
  return fmt::format("{} rows", table.rows.size());
}

std::string Jumps(Rows& table, Random& random) {
  const std::size_t c = AnyColumn(table, random);
  const double sizes[] = {1e10, 1, 1e-2, 1e200};
  const double size = sizes[random.Below(std::size(sizes))];
  for (std::size_t k = 0; k < table.rows.size(); ++k) table.rows[k][c] += k % 2 == 0 ? size : -size;
  return fmt::format("{} jumps by {:g}", table.names[c], size);
}

std::string RepeatedRows(Rows& table, Random& random) {
  const std::size_t run = 2 + random.Below(10);
  for (std::size_t k = 0; k < table.rows.size(); ++k)
    std::copy(table.rows[k - k % run].begin() + 1, table.rows[k - k % run].end(), table.rows[k].begin() + 1);
  return fmt::format("rows repeated {} times", run);
}

std::string Degrees(Rows& table, Random&) {
  for (auto& row : table.rows) row.back() *= 360 / kTau;
  return "last column x 57.3";
}

/// Replaces one number of a scene.
std::string ChangeScene(std::string& scene, Random& random) {
  static const std::regex kNumber(R"([ \[]-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?(?=[\],}\n]))");
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::sregex_iterator at(scene.begin(), scene.end(), kNumber), end; at != end; ++at)
    if (at->position() > 12) places.emplace_back(at->position() + 1, at->length() - 1);  // behind `ricochet: 1`
  const auto [place, length] = places[random.Below(places.size())];
  const std::size_t line = scene.rfind('\n', place) + 1;
  const std::string key = scene.substr(line, scene.find(':', line) - line);
  const double value = kAbsurd[random.Below(kAbsurd.size())];
  scene.replace(place, length, FormatDouble(value));
  return fmt::format("{} -> {:g}", key.substr(std::min(key.find_first_not_of(' '), key.size())), value);
}

std::vector<std::string> ChooseCommand(const Experiment& experiment, Random& random, bool quick) {
  const std::vector<std::vector<std::string>> commands = {
      {"identify", "scene.yaml", "a.csv", "--estimate", experiment.estimate, "-o", "estimate.json"},
      {"doctor", "a.csv", "--scene", "scene.yaml"},
      {"doctor", "a.csv", "--repair", "repaired"},
      {"import", "a.csv", "--unit", "mm", "-o", "imported"},
      {"simulate", "scene.yaml", "-o", "out.csv", "--report", "out.html"},
      {"validate", "scene.yaml", "a.csv", "-o", "errors.json"},
      {"predict", "scene.yaml", "a.csv", "--samples", "20"},
      {"sweep", "scene.yaml", "a.csv", "--grid", experiment.grid, "-o", "map.csv"},
      {"parameters", "scene.yaml", "--json"},
      {"identify", "scene.yaml", "a.csv", "a.csv", "--estimate", experiment.estimate, "--scene-out", "out.yaml",
       "--report", "out.html"},
      {"identifiability", "scene.yaml", "a.csv", "--estimate", experiment.estimate},
      {"identify", "scene.yaml", "a.csv", "--estimate", "all"}};
  return commands[random.Below(quick ? 9 : commands.size())];
}

/// What of a printed text may not be there: numbers that are none, and names from inside the program. Text that it
/// quotes from its input does not count.
std::string ForbiddenWord(const std::string& printed) {
  static const std::regex kQuoted("`[^`]*`");
  static const std::regex kForbidden(
      R"((^|[^A-Za-z_])(-?nan|-?inf|bad_alloc|max_size|json\.exception|std::[a-z_]+|basic_string|vector::|Eigen|assert[a-z]*|__[A-Za-z]+|terminate called)([^A-Za-z_]|$))");
  const std::string text = std::regex_replace(printed, kQuoted, "``");
  std::smatch found;
  return std::regex_search(text, found, kForbidden) ? found[2].str() : "";
}

}  // namespace

ValueCase MakeValueCase(std::uint64_t seed, bool quick) {
  Random random(seed);
  const Experiment& experiment = kExperiments[random.Below(std::size(kExperiments))];
  ValueCase out;
  out.name = experiment.name;
  Rows table = experiment.record(random);
  std::string scene = experiment.scene;
  const Change changes[] = {ScaleTimes, OneGap,     ShiftTimes, EqualRows, OneColumn, ScaleColumn,  OneCell,
                            TinyNoise,  EmptyCells, FewRows,    Jumps,     Degrees,   RepeatedRows, EqualRows};
  for (std::size_t count = 1 + random.Below(2); count > 0; --count) {
    const bool of_scene = random.Below(3) == 0;
    if (!of_scene && table.rows.size() < 6) continue;
    out.name +=
        ", " + (of_scene ? ChangeScene(scene, random) : changes[random.Below(std::size(changes))](table, random));
  }
  out.arguments = ChooseCommand(experiment, random, quick);
  out.name += ": " + out.arguments[0];
  out.files = {{"scene.yaml", scene}, {"a.csv", Text(table)}};
  return out;
}

ValueRun RunValueCase(const ValueCase& value_case) {
  const TemporaryFolder folder;
  for (const auto& [name, text] : value_case.files) std::ofstream(folder.File(name)) << text;
  ValueRun run;
  run.result = RunProgram(value_case.arguments, folder.path(), {static_cast<int>(kMostSeconds) + 1});
  const ProgramResult& result = run.result;
  if (result.cpu_seconds > kMostSeconds) {
    run.fault = fmt::format("takes more than {:g} s", kMostSeconds);
  } else if (result.status != 0 && result.status != 2 && result.status != 3) {
    run.fault = fmt::format("exit {}", result.status);
  } else if (result.peak_memory_kib > kMostMemory) {
    run.fault = fmt::format("{} MiB", result.peak_memory_kib / 1024);
  } else if (result.status != 0 && result.err.empty()) {
    run.fault = fmt::format("exit {} without a message", result.status);
  } else if (const std::string word = ForbiddenWord(result.out + "\n" + result.err); !word.empty()) {
    run.fault = fmt::format("prints `{}`", word);
  }
  return run;
}

}  // namespace ricochet::testing
