// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/report_samples.h"

#include <fmt/format.h>

#include <cmath>

namespace ricochet::testing {
namespace {

constexpr char kBox[] =
    "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  box: {shape: {box: {size: [0.2, 0.15, 0.1]}}, mass: 0.4}\nsurfaces:\n"
    "  belt: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, velocity: [0.2, 0, 0]}\n"
    "contact: {friction: 0.4, restitution: 0.25}\n";

ReportTrack TossTrack(TrackKind kind, int rows, double noise) {
  ReportTrack track;
  track.kind = kind;
  const std::vector<std::pair<std::string, std::string>> names = {{"x", "m"},  {"y", "m"},  {"z", "m"}, {"qw", "-"},
                                                                  {"qx", "-"}, {"qy", "-"}, {"qz", "-"}};
  for (const auto& [name, unit] : names) track.channels.push_back({name, unit, ChannelGroup::kPose, false, {}});
  for (int i = 0; i < rows; ++i) {
    const double t = i / 360.0, wave = noise * std::sin(17.0 * i), phase = std::fmod(t, 0.4) - 0.2;
    track.time.push_back(t);
    const double turn = 0.5 * t;
    const double pose[7] = {
        0.8 * t + wave, 0.1 * t - wave, 0.05 + 4.9 * (0.04 - phase * phase) + wave, std::cos(turn), 0, 0,
        std::sin(turn)};
    for (int c = 0; c < 7; ++c) track.channels[c].values.push_back(pose[c]);
  }
  track.poses.push_back({0, {0, 1, 2, 3, 4, 5, 6}});
  return track;
}

}  // namespace

ReportData TossReport(int recordings, int rows) {
  ReportData data;
  data.title = "toss";
  data.command = "identify";
  data.scene = ParseScene(kBox, "box.yaml");
  data.pairs = {"box/belt"};
  for (int r = 0; r < recordings; ++r) {
    ReportMotion& motion = data.motions.emplace_back();
    motion.name = fmt::format("toss_{:02}.csv", r);
    motion.tracks = {TossTrack(TrackKind::kRecorded, rows, 1e-3), TossTrack(TrackKind::kFitted, rows, 0)};
    for (double t = 0.4; t < rows / 360.0; t += 0.4) {
      ReportContact& contact = motion.contacts.emplace_back();
      contact.time = t;
      contact.slides = motion.contacts.size() % 2 == 0;
      contact.impact = contact.has_point = true;
      contact.normal = 0.5;
      contact.tangential = {0.1, 0};
      contact.point = {0.8 * t, 0.1 * t, 0};
      contact.impulse = {0.1, 0, 0.5};
    }
  }
  data.summary = {{Tone::kGood, "A sample."}};
  return data;
}

Evaluation SampleEvaluation() {
  Evaluation e;
  e.command = "validate";
  CostMap& map = e.cost_maps.emplace_back();
  map.title = "trajectory";
  map.unit = "m^2";
  map.axes = {{"contact.friction", "-", {}, 0.4, 0.37, 0.43}, {"contact.restitution", "-", {}, 0.25, 0.2, 0.3}};
  for (int i = 0; i <= 20; ++i) map.axes[0].values.push_back(0.05 * i);
  for (int j = 0; j <= 16; ++j) map.axes[1].values.push_back(0.05 * j);
  for (const double mu : map.axes[0].values)
    for (const double en : map.axes[1].values)
      map.cost.push_back(0.01 + std::pow(mu - 0.4, 2) + 0.6 * std::pow(en - 0.25, 2) + 0.5 * (mu - 0.4) * (en - 0.25));
  map.threshold = 0.02;
  e.errors.metrics = {{"rest_position_error", "m"}, {"rest_yaw_error", "rad"}};
  e.errors.models = {{"trajectory.json", {{}, {}}}, {"velocity.json", {{}, {}}}};
  e.footprint = {{-0.1, -0.075}, {0.1, -0.075}, {0.1, 0.075}, {-0.1, 0.075}};
  for (int r = 0; r < 6; ++r) {
    e.errors.recordings.push_back(fmt::format("toss_{:02}.csv", r));
    for (int m = 0; m < 2; ++m) {
      e.errors.models[m].values[0].push_back(0.02 + 0.01 * m + 0.004 * r);
      e.errors.models[m].values[1].push_back(r == 3 ? NAN : 0.1 + 0.05 * m + 0.01 * r);
    }
    const double x = 0.6 + 0.28 * (r % 3), y = 0.3 * (r / 3);
    e.rest.push_back({e.errors.recordings.back(), RestPose{x, y, 0.3 * r}, RestPose{x + 0.02, y - 0.03, 0.3 * r + 0.1},
                      std::array<double, 3>{6e-4, 2e-4, 4e-4}, r != 3});
  }
  e.faces.push_back({"toss_00.csv", {"+z", "-z", "+x"}, {0.7, 0.2, 0.1}, "+z"});
  e.faces.push_back({"toss_01.csv", {"+z", "+y"}, {0.4, 0.6}, "+z"});
  e.checks.push_back({"rest position within the region", 0.95, 0.9, 40});
  RestFan& fan = e.fans.emplace_back();
  fan.recording = "toss_02.csv";
  fan.path = "contact.friction";
  fan.unit = "-";
  for (int i = 0; i < 9; ++i) {
    fan.values.push_back(0.2 + 0.05 * i);
    fan.poses.push_back({1.4 - 0.1 * i, 0.02 * i * i, 0.15 * i});
  }
  fan.measured = RestPose{1.05, 0.2, 0.5};
  return e;
}

std::vector<std::string> HostileTexts() {
  return {"<script>window.pwned=1</script>",
          "</script><script>window.pwned=1</script>",
          "</SCRIPT ><img src=x onerror=window.pwned=1>",
          "<img src=x onerror=\"window.pwned=1\">",
          "<svg onload=window.pwned=1>",
          "\"><script>window.pwned=1</script>",
          "'><script>window.pwned=1</script>",
          "\" onmouseover=\"window.pwned=1\" x=\"",
          "' onfocus='window.pwned=1' autofocus='",
          "javascript:window.pwned=1",
          "<!--<script>window.pwned=1</script>-->",
          "--><script>window.pwned=1</script>",
          "]]><script>window.pwned=1</script>",
          "<iframe srcdoc='<script>parent.pwned=1</script>'></iframe>",
          "<style>body{display:none}</style>",
          "<base href=//example.invalid/>",
          "&lt;script&gt;window.pwned=1&lt;/script&gt; &amp; &#60;b&#62;",
          "${window.pwned=1}`+(window.pwned=1)+`",
          "{{constructor.constructor('window.pwned=1')()}}",
          "\\u003cscript\\u003ewindow.pwned=1\\u003c/script\\u003e",
          "\\\"; window.pwned=1; //",
          "\u202Eright to left override\u202C \u200F mark",
          "line separators \u2028window.pwned=1\u2029 end",
          "=HYPERLINK(\"http://example.invalid\") \t tab",
          "__proto__ constructor \U0001F600 é 文"};
}

ReportData HostileReport(std::vector<std::string>& expected) {
  const std::vector<std::string> texts = HostileTexts();
  const auto hostile = [&](const std::string& field, std::size_t i) {
    expected.push_back(fmt::format("{} {} {}", field, i, texts[i]));
    return expected.back();
  };
  ReportData data = TossReport(static_cast<int>(texts.size()), 40);
  Estimate estimate;
  const Eigen::Index n = static_cast<Eigen::Index>(texts.size());
  estimate.covariance = Eigen::MatrixXd::Identity(n, n);
  estimate.converged = true;
  Evaluation& e = data.evaluation = SampleEvaluation();
  e.rest.clear();
  e.errors.recordings.clear();
  e.errors.metrics.resize(1);
  e.errors.models.clear();
  e.fans.clear();
  e.faces.clear();
  e.checks.clear();
  ReportTrack& first = data.motions[0].tracks[0];
  data.pairs.clear();
  std::string all_scene_text = "# ";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    data.title += " " + hostile("title", i);
    data.motions[i].name = hostile("motion", i);
    data.summary.push_back({Tone::kCaution, hostile("summary", i)});
    data.pairs.push_back(hostile("pair", i));
    ReportContact contact = data.motions[1].contacts.empty() ? ReportContact{} : data.motions[1].contacts[0];
    contact.time = 0.001 * static_cast<double>(i + 1);
    contact.pair = static_cast<int>(i);
    contact.impact = contact.has_point = true;
    contact.normal = 1;
    contact.impulse = {0, 0, 1};
    data.motions[0].contacts.push_back(contact);
    first.channels.push_back({hostile("channel", i), "m", ChannelGroup::kOther, false, std::vector<double>(40, 1.0)});
    first.channels.push_back(
        {"with unit", hostile("unit", i), ChannelGroup::kOther, false, std::vector<double>(40, 1.0)});
    first.channels.back().name += fmt::format(" {}", i);
    EstimatedParameter p;
    p.path = hostile("path", i);
    p.value = 1;
    p.std = 0.1;
    p.unit = hostile("parameter unit", i);
    p.identifiable = i % 2 == 0;
    p.combination = hostile("combination", i);
    estimate.parameters.push_back(p);
    estimate.log.push_back(hostile("log", i));
    estimate.choice += hostile("choice", i);
    data.tables.push_back(
        {hostile("table", i), {{hostile("column", i), hostile("column unit", i)}}, {{hostile("cell", i)}}});
    data.provenance.inputs.push_back({hostile("input", i), hostile("hash", i)});
    data.provenance.options.push_back({hostile("option", i), hostile("option value", i)});
    // Words of the command line are quoted for a shell; those with a quote inside are shown so, too.
    data.provenance.command_line.push_back(fmt::format("word {} {}", i, texts[i]));
    if (texts[i].find('\'') == std::string::npos) expected.push_back(data.provenance.command_line.back());
    all_scene_text += hostile("scene", i) + "\n";
    e.errors.recordings.push_back(hostile("evaluated", i));
    e.rest.push_back(
        {hostile("rest", i), RestPose{0.1 * static_cast<double>(i), 0, 0}, std::nullopt, std::nullopt, true});
    e.faces.push_back({hostile("forecast", i), {hostile("face", i)}, {1.0}, ""});
    e.checks.push_back({hostile("check", i), 0.9, 0.8, 10});
    estimate.trace.push_back({hostile("stage", i), {3, 2}, {0, 1}});
    RestFan fan;
    fan.recording = hostile("fan recording", i);
    fan.path = hostile("fan", i);
    fan.unit = "-";
    fan.values = {1};
    fan.poses = {RestPose{}};
    e.fans.push_back(fan);
  }
  e.errors.metrics[0] = {hostile("metric", 0), hostile("metric unit", 1)};
  e.errors.models.push_back({hostile("model", 2), {std::vector<double>(texts.size(), 0.1)}});
  e.errors.models.push_back({hostile("model", 3), {std::vector<double>(texts.size(), 0.2)}});
  e.cost_maps[0].title = hostile("map", 4);
  data.provenance.scene_text = data.provenance.calibrated_text = all_scene_text;
  data.estimate = estimate;
  return data;
}

}  // namespace ricochet::testing
