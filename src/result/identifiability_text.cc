// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "result/json_number.h"
#include "ricochet/identifiability.h"

namespace ricochet {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string FormatIdentifiability(const Identifiability& result) {
  Json out;
  out["parameters"] = Json::array();
  for (const IdentifiabilityEntry& entry : result.parameters) {
    Json p = {{"path", entry.path},
              {"value", entry.value},
              {"unit", entry.unit},
              {"identifiable", entry.identifiable},
              {"std", entry.std ? Json(*entry.std) : Json(nullptr)}};
    if (entry.lower) p["lower"] = *entry.lower;
    if (!entry.reason.empty()) p["reason"] = entry.reason;
    out["parameters"].push_back(p);
  }
  out["rank"] = result.rank;
  out["size"] = result.size;
  out["null_space"] = result.null_space;
  out["dynamics"] = {{"rank", result.dynamics_rank}, {"unknowns", result.dynamics_columns}};
  out["consistency"] = Json::array();
  for (const ConsistencyEntry& entry : result.consistency)
    out["consistency"].push_back({{"recording", entry.recording},
                                  {"t", entry.time},
                                  {"ratio", JsonNumber(entry.ratio)},
                                  {"std", JsonNumber(entry.std)},
                                  {"deviation", JsonNumber(entry.deviation)},
                                  {"consistent", entry.consistent}});
  out["consistent"] = result.consistent;
  out["consistency_measured"] = result.measured;
  out["notes"] = result.notes;
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string DescribeIdentifiability(const Identifiability& result) {
  std::string out = fmt::format("rank {} of {} requested parameters", result.rank, result.size);
  if (result.dynamics_columns > 0)
    out += fmt::format("; dynamics (Gabiccini eq. 29) rank {} of {} unknowns", result.dynamics_rank,
                       result.dynamics_columns);
  out += "\n";
  for (const IdentifiabilityEntry& entry : result.parameters) {
    out += fmt::format("{:<40} {:>12.6g} {:<6} ", entry.path, entry.value, entry.unit);
    if (entry.std)
      out += fmt::format("identifiable to {:.2g} (standard deviation)", *entry.std);
    else if (entry.lower)
      out += fmt::format("only a lower limit: at least {:.3g}", *entry.lower);
    else
      out += "not identifiable: " + entry.reason;
    out += "\n";
  }
  if (!result.null_space.empty()) out += "null space: " + result.null_space + "\n";
  if (!result.consistency.empty())
    out += fmt::format("inertia / mass of each impact, {} (Gabiccini eq. 31); they {} (eq. 32)\n",
                       result.measured ? "from the flights on both sides" : "of the computed motion",
                       result.consistent ? "agree" : "disagree");
  for (const ConsistencyEntry& entry : result.consistency) {
    out += fmt::format("  {:>9.4f} s  ", entry.time);
    if (entry.ratio)
      out += fmt::format("{:.6g} m^2", *entry.ratio);
    else
      out += "does not turn the body";
    if (entry.std) out += fmt::format(" +- {:.2g}", *entry.std);
    if (entry.std && entry.deviation) out += fmt::format(", {:+.1f} sigma from all", *entry.deviation);
    out += entry.consistent ? "\n" : "  INCONSISTENT\n";
  }
  for (const std::string& note : result.notes) out += "note: " + note + "\n";
  return out;
}

}  // namespace ricochet
