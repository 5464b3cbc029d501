// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/page/page_data.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "report/page/thinning.h"
#include "report/scene_view.h"
#include "result/json_number.h"
#include "ricochet/version.h"

namespace ricochet {
namespace {

static_assert(std::endian::native == std::endian::little, "columns are written little endian");

using Json = nlohmann::ordered_json;

/// Columns behind each other.
class Bytes {
 public:
  explicit Bytes(std::string& out) : out_(out) {}

  template <class Stored, class Range, class Get>
  Json Add(const char* type, const Range& range, Get get) {
    out_.resize((out_.size() + 7) / 8 * 8);
    const std::size_t at = out_.size();
    out_.resize(at + std::size(range) * sizeof(Stored));
    char* to = out_.data() + at;
    for (const auto& item : range) {
      const Stored value = static_cast<Stored>(get(item));
      std::memcpy(to, &value, sizeof value);
      to += sizeof value;
    }
    return {{"at", at}, {"n", std::size(range)}, {"type", type}};
  }
  template <class Range, class Get>
  Json Floats(const Range& range, Get get) {
    return Add<float>("f4", range, get);
  }
  Json Floats(const std::vector<double>& values) {
    return Floats(values, [](double value) { return value; });
  }
  Json Doubles(const std::vector<double>& values) {
    return Add<double>("f8", values, [](double value) { return value; });
  }

 private:
  std::string& out_;
};

template <class Enum, std::size_t N>
const char* Name(const std::array<const char*, N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}
constexpr std::array<const char*, 7> kGroups = {"pose", "velocity", "joint", "energy", "input", "other", "placed"};
constexpr std::array<const char*, 4> kKinds = {"recorded", "fitted", "simulated", "predicted"};
constexpr std::array<const char*, 4> kTones = {"neutral", "good", "caution", "bad"};

Json TrackJson(const ReportTrack& whole, std::span<const double> impacts, Bytes& bytes) {
  const std::vector<int> rows = RowsToKeep(whole, impacts);
  const bool thinned = rows.size() < whole.time.size();
  const ReportTrack track = thinned ? KeepRows(whole, rows) : whole;
  Json out = {{"kind", Name(kKinds, track.kind)}, {"rows", whole.time.size()}, {"time", bytes.Doubles(track.time)}};
  out["channels"] = Json::array();
  for (const ReportChannel& channel : track.channels)
    out["channels"].push_back({{"name", channel.name},
                               {"unit", channel.unit},
                               {"group", Name(kGroups, channel.group)},
                               {"angle", channel.angle},
                               {"data", bytes.Floats(channel.values)}});
  out["poses"] = Json::array();
  for (const ReportPose& pose : track.poses) out["poses"].push_back({{"body", pose.body}, {"channels", pose.channels}});
  return out;
}

Json ContactsJson(const std::vector<ReportContact>& all, Bytes& bytes) {
  const std::vector<ReportContact> contacts = ThinContacts(all);
  using C = ReportContact;
  Json out = {{"rows", all.size()}};
  out["time"] = bytes.Add<double>("f8", contacts, [](const C& c) { return c.time; });
  out["duration"] = bytes.Floats(contacts, [](const C& c) { return c.duration; });
  out["pair"] = bytes.Add<std::uint16_t>("u2", contacts, [](const C& c) { return c.pair; });
  out["contact"] = bytes.Add<std::uint16_t>("u2", contacts, [](const C& c) { return c.contact; });
  out["flags"] = bytes.Add<std::uint8_t>(
      "u1", contacts, [](const C& c) { return (c.slides ? 1 : 0) | (c.impact ? 2 : 0) | (c.has_point ? 4 : 0); });
  out["normal"] = bytes.Floats(contacts, [](const C& c) { return c.normal; });
  for (int i = 0; i < 2; ++i)
    out["tangential"].push_back(bytes.Floats(contacts, [i](const C& c) { return c.tangential[i]; }));
  for (int i = 0; i < 3; ++i) out["point"].push_back(bytes.Floats(contacts, [i](const C& c) { return c.point[i]; }));
  for (int i = 0; i < 3; ++i)
    out["impulse"].push_back(bytes.Floats(contacts, [i](const C& c) { return c.impulse[i]; }));
  return out;
}

Json MotionJson(const ReportMotion& motion, Bytes& bytes) {
  Json out = {{"name", motion.name},
              {"note", motion.note},
              {"used", motion.used},
              {"chi2_per_dof", JsonNumber(motion.chi2_per_dof)},
              {"noise_position", JsonNumber(motion.noise_position)},
              {"noise_angle", JsonNumber(motion.noise_angle)}};
  std::vector<double> impacts;
  for (const ReportContact& contact : motion.contacts)
    if (contact.impact) impacts.push_back(contact.time);
  out["tracks"] = Json::array();
  for (const ReportTrack& track : motion.tracks) out["tracks"].push_back(TrackJson(track, impacts, bytes));
  out["contacts"] = ContactsJson(motion.contacts, bytes);
  return out;
}

Json EstimateJson(const Estimate& estimate, Bytes& bytes) {
  Json trace = Json::array();
  for (const OptimizerStage& stage : estimate.trace)
    trace.push_back({{"name", stage.name}, {"cost", bytes.Doubles(stage.cost)}, {"step", bytes.Floats(stage.step)}});
  Json parameters = Json::array();
  for (const EstimatedParameter& p : estimate.parameters)
    parameters.push_back({{"path", p.path},
                          {"unit", p.unit},
                          {"start", JsonNumber(p.start)},
                          {"value", JsonNumber(p.value)},
                          {"std", JsonNumber(p.std)},
                          {"lower", JsonNumber(p.lower)},
                          {"upper", JsonNumber(p.upper)},
                          {"identifiable", p.identifiable},
                          {"combination", p.combination}});
  std::vector<double> correlation;
  const Eigen::MatrixXd& c = estimate.covariance;
  for (Eigen::Index i = 0; i < c.rows(); ++i)
    for (Eigen::Index j = 0; j < c.cols(); ++j)
      correlation.push_back(i == j ? (c(i, i) > 0 ? 1.0 : NAN) : c(i, j) / std::sqrt(c(i, i) * c(j, j)));
  return {{"parameters", parameters},
          {"correlation", bytes.Floats(correlation)},
          {"method", estimate.method},
          {"choice", estimate.choice},
          {"verdict", NameOf(estimate.verdict.level)},
          {"converged", estimate.converged},
          {"cost", JsonNumber(estimate.cost)},
          {"chi2_per_dof", JsonNumber(estimate.chi2_per_dof)},
          {"iterations", estimate.iterations},
          {"seconds", JsonNumber(estimate.seconds)},
          {"warnings", estimate.warnings},
          {"log", estimate.log},
          {"trace", trace}};
}

Json ProvenanceJson(const ReportProvenance& provenance) {
  Json inputs = Json::array(), options = Json::array();
  for (const EstimateInput& input : provenance.inputs) inputs.push_back({{"name", input.name}, {"sha256", input.hash}});
  for (const auto& [name, value] : provenance.options) options.push_back({name, value});
  const std::time_t now = std::time(nullptr);
  std::array<char, 32> written{};
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::strftime(written.data(), written.size(), "%Y-%m-%d %H:%M UTC", &utc);
  return {{"version", Version()},
          {"commit", Commit()},
          {"written", written.data()},
          {"command_line", provenance.command_line},
          {"inputs", inputs},
          {"options", options},
          {"scene_text", provenance.scene_text},
          {"calibrated_text", provenance.calibrated_text}};
}

}  // namespace

std::string EscapeJson(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
  return out;
}

PageData MakePageData(const ReportData& data) {
  PageData page;
  Bytes bytes(page.bytes);
  Json out = {{"format", 1}, {"title", data.title}, {"command", data.command}};
  out["summary"] = Json::array();
  for (const ReportSentence& sentence : data.summary)
    out["summary"].push_back({{"tone", Name(kTones, sentence.tone)}, {"text", sentence.text}});
  out["scene"] = SceneView(data.scene);
  out["pairs"] = data.pairs;
  out["motions"] = Json::array();
  for (const ReportMotion& motion : data.motions) out["motions"].push_back(MotionJson(motion, bytes));
  out["estimate"] = data.estimate ? EstimateJson(*data.estimate, bytes) : Json(nullptr);
  out["evaluation"] = Json::parse(FormatEvaluation(data.evaluation));
  out["tables"] = Json::array();
  for (const ReportTable& table : data.tables) {
    Json columns = Json::array();
    for (const auto& [name, unit] : table.columns) columns.push_back({{"name", name}, {"unit", unit}});
    out["tables"].push_back({{"title", table.title}, {"columns", columns}, {"rows", table.rows}});
  }
  out["provenance"] = ProvenanceJson(data.provenance);
  // Only ASCII: line separators and marks of direction are written as \uXXXX; bytes that are no UTF-8 as U+FFFD.
  page.json = EscapeJson(out.dump(-1, ' ', true, Json::error_handler_t::replace));
  return page;
}

}  // namespace ricochet
