// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/text.h"
#include "result/json_number.h"
#include "ricochet/examine.h"

namespace ricochet {
namespace {

using Json = nlohmann::ordered_json;

const char* Word(CheckLevel verdict) {
  switch (verdict) {
    case CheckLevel::kOk:
      return "ok";
    case CheckLevel::kWatch:
      return "watch";
    case CheckLevel::kBad:
      return "BAD";
    default:
      return "?";
  }
}

/// Breaks text into lines of at most `width` characters at blanks.
std::vector<std::string> Wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines = {""};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    begin = end + 1;
  }
  return lines;
}

std::string NameOf(const ExaminedRecording& entry) {
  const std::string file = std::filesystem::path(entry.file).filename().string();
  return entry.body.empty() ? file : file + " " + entry.body;
}

/// "a; b" of sentences or parts of them.
std::string JoinReasons(const std::vector<std::string>& reasons) {
  std::string text;
  for (const std::string& reason : reasons) {
    if (!text.empty()) text += "; ";
    text += reason.ends_with('.') ? reason.substr(0, reason.size() - 1) : reason;
  }
  return text;
}

Json Of(const std::optional<Measured>& value) {
  return value ? Json{{"value", value->value}, {"std", value->std}} : Json(nullptr);
}

}  // namespace

std::string DescribeExamination(const Examination& report, int most_rows) {
  std::string text;
  const std::size_t count = report.recordings.size();
  int rows = 0;
  for (const ExaminedRecording& entry : report.recordings) rows += entry.rows;
  std::set<std::string> files;
  for (const ExaminedRecording& entry : report.recordings) files.insert(entry.file);
  const bool alone = files.size() == count || report.recordings[0].file.empty();  // one body or point per recording
  const std::size_t recordings = alone ? count : files.size();
  text += fmt::format("{} recording{}{}, {} row{}; {} usable\n\n", recordings, recordings == 1 ? "" : "s",
                      alone ? "" : fmt::format(" with {} bodies or points", count), rows, rows == 1 ? "" : "s",
                      report.usable == static_cast<int>(count) ? (count == 1 ? "it is" : "all are")
                                                               : fmt::format("{} of {}", report.usable, count));
  constexpr std::size_t kWidth = 74;
  for (const Finding& finding : report.findings) {
    std::string shown = finding.found;
    if (!finding.expected.empty() && finding.verdict != CheckLevel::kOk)
      shown += fmt::format("; expected {}", finding.expected);
    const std::vector<std::string> lines = Wrap(shown, kWidth);
    for (std::size_t i = 0; i < lines.size(); ++i)
      text += i == 0 ? fmt::format("  {:<16} {:<6} {}\n", finding.check, Word(finding.verdict), lines[i])
                     : fmt::format("  {:<16} {:<6} {}\n", "", "", lines[i]);
  }
  bool heading = false;
  for (const Finding& finding : report.findings) {
    if (finding.remedy.empty()) continue;
    if (!heading) text += "\nwhat to do\n";
    heading = true;
    const std::vector<std::string> lines = Wrap(finding.remedy, kWidth);
    for (std::size_t i = 0; i < lines.size(); ++i)
      text += fmt::format("  {:<16} {}\n", i == 0 ? finding.check : "", lines[i]);
  }
  // A single recording is listed in full; of many, those that need attention, the unusable first.
  if (count == 1) {
    const ExaminedRecording& entry = report.recordings[0];
    if (entry.release_time || entry.peak_time || entry.contact_time || entry.rest_time || !entry.impacts.empty())
      text += "\nevents\n";
    const auto event = [&](const char* what, const std::optional<double>& time) {
      if (time) text += fmt::format("  {:<16} {:.4f} s\n", what, *time);
    };
    event("release", entry.release_time);
    event("peak", entry.peak_time);
    event("first contact", entry.contact_time);
    int shown = 0;
    for (const ExaminedImpact& impact : entry.impacts) {
      if (++shown > 10) break;
      text += fmt::format("  {:<16} {:.4f} s, falling at {:.2f} m/s", "impact", impact.time, impact.approach_speed);
      if (std::isfinite(impact.velocity_jump))
        text += fmt::format(", velocity jumps by {:.2f} m/s", impact.velocity_jump);
      text += "\n";
    }
    event("rest", entry.rest_time);
  }
  std::vector<const ExaminedRecording*> noted;
  for (const bool usable : {false, true})
    for (const ExaminedRecording& entry : report.recordings)
      if (entry.usable == usable && !entry.reasons.empty()) noted.push_back(&entry);
  if (!noted.empty())
    text += fmt::format("\n{} to look at ({} of {})\n", alone ? "recordings" : "bodies or points", noted.size(), count);
  for (std::size_t i = 0; i < noted.size() && i < static_cast<std::size_t>(most_rows); ++i)
    text += fmt::format("  {:<20} {:<11} {}\n", NameOf(*noted[i]), noted[i]->usable ? "usable" : "NOT USABLE",
                        JoinReasons(noted[i]->reasons));
  if (noted.size() > static_cast<std::size_t>(most_rows))
    text += fmt::format("  ... and {} more\n", noted.size() - static_cast<std::size_t>(most_rows));
  return text;
}

std::string FormatExamination(const Examination& report) {
  Json json;
  json["usable"] = report.usable;
  json["unit"] = report.unit.empty() ? Json(nullptr) : Json(report.unit);
  json["up"] = report.up == 0 ? Json(nullptr)
                              : Json(std::string(report.up < 'a' ? "-" : "") + static_cast<char>(report.up | 0x20));
  json["gravity"] = {{"magnitude", Of(report.gravity)},
                     {"expected", report.gravity_expected},
                     {"vector", report.gravity_vector ? Json{(*report.gravity_vector)[0], (*report.gravity_vector)[1],
                                                             (*report.gravity_vector)[2]}
                                                      : Json(nullptr)},
                     {"along_toss", Of(report.gravity_along)},
                     {"left_of_toss", Of(report.gravity_side)}};
  json["length_scale"] = {{"by_gravity", Of(report.scale_by_gravity)}, {"by_rest_height", Of(report.scale_by_rest)}};
  json["rest_height"] = {{"found", Of(report.rest_height)},
                         {"expected", report.rest_height ? Json(report.rest_height_expected) : Json(nullptr)}};
  json["corners"] = {{"reach", Of(report.corner_reach)},
                     {"shortfall", report.corner_reach ? Json(report.corner_shortfall) : Json(nullptr)}};
  json["surface_tilt"] = {{"angle", Of(report.lean)},
                          {"along_toss", Of(report.lean_along)},
                          {"left_of_toss", Of(report.lean_side)},
                          {"fixed_in_recordings", report.lean ? Json(report.lean_fixed) : Json(nullptr)}};
  json["findings"] = Json::array();
  for (const Finding& finding : report.findings)
    json["findings"].push_back({{"check", finding.check},
                                {"found", finding.found},
                                {"expected", finding.expected},
                                {"verdict", finding.verdict == CheckLevel::kBad ? "bad" : Word(finding.verdict)},
                                {"remedy", finding.remedy}});
  json["mistakes"] = Json::array();
  for (const Mistake& mistake : report.mistakes)
    json["mistakes"].push_back({{"file", mistake.file},
                                {"check", mistake.check},
                                {"field", mistake.field},
                                {"problem", mistake.problem},
                                {"remedy", mistake.remedy},
                                {"repairable", mistake.change.has_value()}});
  json["recordings"] = Json::array();
  for (const ExaminedRecording& entry : report.recordings) {
    Json one;
    one["file"] = entry.file;
    one["body"] = entry.body;
    one["kind"] = entry.kind;
    one["usable"] = entry.usable;
    one["reasons"] = entry.reasons;
    one["rows"] = entry.rows;
    one["duration"] = entry.duration;
    one["rate"] = entry.rate;
    one["jitter"] = entry.jitter;
    one["dropped_frames"] = entry.dropped_frames;
    one["incomplete_rows"] = entry.incomplete_rows;
    one["frozen_rows"] = entry.frozen_rows;
    one["outlier_rows"] = entry.outlier_rows;
    one["filtered"] = entry.filtered;
    one["sign_flips"] = entry.sign_flips;
    one["norm_error"] = entry.norm_error;
    one["acceleration"] = entry.acceleration
                              ? Json{(*entry.acceleration)[0], (*entry.acceleration)[1], (*entry.acceleration)[2]}
                              : Json(nullptr);
    one["acceleration_std"] = entry.acceleration ? Json(entry.acceleration_std) : Json(nullptr);
    one["flight_frames"] = entry.flight_frames;
    one["drag"] = Of(entry.drag);
    one["noise_position"] = JsonNumber(entry.noise_position);
    one["noise_angle"] = JsonNumber(entry.noise_angle);
    one["rest_noise_position"] = JsonNumber(entry.rest_noise_position);
    one["rest_noise_angle"] = JsonNumber(entry.rest_noise_angle);
    one["release_time"] = JsonNumber(entry.release_time);
    one["peak_time"] = JsonNumber(entry.peak_time);
    one["contact_time"] = JsonNumber(entry.contact_time);
    one["rest_time"] = JsonNumber(entry.rest_time);
    one["rest_height"] = JsonNumber(entry.rest_height);
    one["rest_height_expected"] = JsonNumber(entry.rest_height_expected);
    one["tilt"] = entry.lean ? Json(entry.lean->norm()) : Json(nullptr);
    one["standstill"] = entry.standstill;
    one["impacts"] = Json::array();
    for (const ExaminedImpact& impact : entry.impacts)
      one["impacts"].push_back(
          {{"time", impact.time}, {"approach_speed", impact.approach_speed}, {"velocity_jump", impact.velocity_jump}});
    one["log"] = entry.log;
    json["recordings"].push_back(std::move(one));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ricochet
