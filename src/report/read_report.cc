// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/context.h"
#include "core/hash.h"
#include "core/input_file.h"
#include "report/evaluation_report.h"
#include "report/summary.h"
#include "result/contacts_reader.h"
#include "result/json_number.h"
#include "ricochet/estimate.h"

namespace ricochet {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Results {
  std::string scene_file;
  std::optional<Estimate> estimate;
  std::string estimate_file, validation_file;
  std::optional<Evaluation> evaluation;
  std::optional<ValidationSet> validations;
  std::vector<CostMap> cost_maps;  // of a sweep
  std::vector<Recording> recordings;
  std::vector<ContactRow> contacts;
  std::optional<Json> run;
  std::vector<EstimateInput> inputs;
};

[[noreturn]] void Fail(const std::string& file, const std::string& problem, const std::string& remedy) {
  throw InputError({file, 0, 0}, "", problem, remedy);
}

bool IsScene(const std::string& file, const std::string& text) {
  const std::string extension = fs::path(file).extension().string();
  if (extension == ".yaml" || extension == ".yml") return true;
  return text.rfind("ricochet:", 0) == 0 || text.find("\nricochet:") != std::string::npos;
}

/// Whether the first line ends in the column `cost` and does not begin with time.
bool LooksLikeCostMap(const std::string& text) {
  const std::string line = text.substr(0, text.find_first_of("\r\n"));
  return line.size() > 5 && line.compare(line.size() - 5, 5, ",cost") == 0 && line.rfind("t,", 0) != 0;
}

void ReadJson(const std::string& file, const std::string& text, Results& results) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    Fail(file, fmt::format("this is not a result of Ricochet: {}.", JsonProblem(error)),
         "Use a file that ricochet wrote, unchanged.");
  }
  if (json.contains("parameters")) {
    if (results.estimate) Fail(file, "this is a second estimate.", "Write one report per estimate.");
    results.estimate = ParseEstimate(text, file);
    results.estimate_file = file;
  } else if (json.contains("evaluation")) {
    if (results.evaluation) Fail(file, "this is a second evaluation.", "Write one report per evaluation.");
    results.evaluation = ParseEvaluation(text, file);
  } else if (json.contains("recordings") && json.contains("summary")) {
    if (results.validations) Fail(file, "this is a second validation.", "Write one report per validation.");
    results.validations = ParseValidations(text, file);
    results.validation_file = file;
  } else if (json.contains("steps") && json.contains("energy")) {
    results.run = std::move(json);
  } else {
    Fail(file, "this is not a result of ricochet.", "Give an estimate, an evaluation, or the summary of a run.");
  }
}

void ReadFile(const std::string& file, Results& results) {
  const std::string text = ReadInputFile(file);
  results.inputs.push_back({file, Sha256Hex(text)});
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) Fail(file, "the file is empty.", "Use a file that ricochet wrote.");
  if (text[first] == '{')
    ReadJson(file, text, results);
  else if (LooksLikeContacts(text))
    results.contacts = ParseContacts(text, file);
  else if (LooksLikeCostMap(text))
    results.cost_maps = CostMapsOfSweep(text, file);
  else if (IsScene(file, text))
    results.scene_file = file;
  else
    results.recordings.push_back(ParseRecording(text, file));
}

/// An input of the estimate where it is now.
std::string Locate(const std::string& name, const std::string& estimate_file) {
  std::error_code error;
  if (fs::is_regular_file(name, error)) return name;
  const fs::path folder = fs::path(estimate_file).parent_path();
  for (const fs::path& candidate : {folder / name, folder / fs::path(name).filename()})
    if (fs::is_regular_file(candidate, error)) return candidate.string();
  Fail(estimate_file, fmt::format("the estimate was made from {}, which does not exist.", name),
       "Run where the estimate was made, or put its inputs beside it.");
}

ReportData FromEstimateFile(Results& results, const std::string& scene_file) {
  Estimate& estimate = *results.estimate;
  std::vector<std::string> changed;
  std::string scene_name = scene_file;
  for (std::size_t i = 0; i < estimate.inputs.size(); ++i) {
    const EstimateInput& input = estimate.inputs[i];
    if (i == 0 && !scene_name.empty()) continue;
    const std::string file = Locate(input.name, results.estimate_file);
    if (Sha256OfFile(file) != input.hash) changed.push_back(file);
    if (i == 0)
      scene_name = file;
    else if (results.recordings.size() < i)
      results.recordings.push_back(ReadRecording(file));
  }
  if (scene_name.empty())
    Fail(results.estimate_file, "the estimate does not name its scene.", "Give the scene: option `scene`.");
  const Scene scene = ReadScene(scene_name);
  for (const EstimatedMotion& motion : estimate.motions)
    if (motion.recording < 0 || motion.recording >= static_cast<int>(results.recordings.size()))
      Fail(results.estimate_file,
           fmt::format("it has a motion of recording {}, but there are only {}.", motion.recording,
                       results.recordings.size()),
           "Use a file that ricochet wrote, unchanged.");
  const Identification identification{estimate, Apply(scene, estimate)};
  ReportData data = MakeIdentifyReport(scene, results.recordings, identification);
  for (const std::string& file : changed)
    data.summary.push_back({Tone::kBad, fmt::format("{} has changed since the estimate was made: what is drawn may not "
                                                    "be what was fitted.",
                                                    file)});
  return data;
}

/// Errors as they were written; playback and rest poses of the recordings that are still there.
ReportData FromValidationFile(Results& results, const Scene& scene) {
  if (results.recordings.empty())
    for (const ValidatedRecording& r : results.validations->models.front().recordings)
      results.recordings.push_back(ReadRecording(Locate(r.file, results.validation_file)));
  ReportData data = MakeValidationReport(scene, results.recordings, *results.validations, {}, CurrentContext());
  data.summary.push_back({Tone::kNeutral,
                          "Playback and rest poses are simulated again from the release with the scene given here; the "
                          "errors are those of the file."});
  return data;
}

void AddRun(const Json& run, ReportData& data) {
  ReportTable table{"The run", {{"quantity", ""}, {"value", ""}}, {}};
  const auto add = [&](const std::string& name, const Json& value) {
    table.rows.push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
  };
  for (const auto& [name, value] : run.items()) {
    if (value.is_object())
      for (const auto& [inner, number] : value.items()) add(name + "." + inner, number);
    else
      add(name, value);
  }
  data.tables.push_back(std::move(table));
}

}  // namespace

ReportData ReadReport(const std::vector<std::string>& files, const std::string& scene_file, const Context& context) {
  const ContextScope scope(context, "report");
  Results results;
  for (const std::string& file : files) ReadFile(file, results);
  const std::string& scene = scene_file.empty() ? results.scene_file : scene_file;
  ReportData data;
  if (results.estimate) {
    data = FromEstimateFile(results, scene);
  } else {
    if (scene.empty()) Fail(files.front(), "the scene of this result is unknown.", "Name the scene: option `scene`.");
    const Scene given = ReadScene(scene);
    if (results.validations) data = FromValidationFile(results, given);
    if (!results.cost_maps.empty()) {
      results.evaluation = Evaluation{};
      results.evaluation->command = "sweep";
      results.evaluation->cost_maps = results.cost_maps;
    }
    if (!results.validations && (!results.recordings.empty() || !results.evaluation))
      data = MakeMotionReport(given, results.recordings, results.contacts);
    if (data.motions.empty() && !results.evaluation && !results.validations)
      Fail(files.front(), "there is no motion to show.", "Give a recording: run.csv of `ricochet simulate -o`.");
    data.scene = given;
    data.provenance.scene_text = given.text;
  }
  if (results.evaluation) {
    ReportData evaluation = MakeEvaluationReport(data.scene, *results.evaluation);
    if (data.motions.empty()) {
      data = std::move(evaluation);
    } else {
      data.evaluation = *results.evaluation;
      data.summary.insert(data.summary.begin(), evaluation.summary.begin(), evaluation.summary.end());
    }
  }
  if (results.run) AddRun(*results.run, data);
  for (const EstimateInput& input : results.inputs) {
    const bool there = std::any_of(data.provenance.inputs.begin(), data.provenance.inputs.end(),
                                   [&](const EstimateInput& known) { return known.name == input.name; });
    if (!there) data.provenance.inputs.push_back(input);
  }
  return data;
}

}  // namespace ricochet
