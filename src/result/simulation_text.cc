// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ricochet/simulate.h"

namespace ricochet {
namespace {

using Json = nlohmann::ordered_json;

/// What loads and moving surfaces took, and time stepping in flight, which loses m (g h)^2 / 2 per step [J].
double OtherLoss(const SimulationSummary& s) {
  return s.kinetic_start + s.potential_start - s.kinetic_end - s.potential_end - s.dissipated;
}

}  // namespace

std::string FormatSimulation(const SimulationSummary& s) {
  Json json = {{"method", s.method},
               {"step", s.step},
               {"steps", s.steps},
               {"duration", s.duration},
               {"energy",
                {{"kinetic_start", s.kinetic_start},
                 {"kinetic_end", s.kinetic_end},
                 {"potential_start", s.potential_start},
                 {"potential_end", s.potential_end},
                 {"dissipated", s.dissipated},
                 {"other", OtherLoss(s)},
                 {"gained", s.gained},
                 {"gaining_steps", s.gaining_steps}}},
               {"contact_steps", s.contact_steps},
               {"deepest_penetration", s.deepest_penetration},
               {"largest_residual", s.largest_residual},
               {"retried_steps", s.retried_steps},
               {"failed_steps", s.failed_steps},
               {"first_failure", s.failed_steps > 0 ? Json(s.first_failure) : Json(nullptr)},
               {"seconds", s.seconds}};
  if (s.patches) {
    json["fallbacks"] = {{"enumeration", s.fallbacks[0]},
                         {"continuation", s.fallbacks[1]},
                         {"general", s.fallbacks[2]},
                         {"halved", s.fallbacks[3]}};
    json["contact_kinds"] = {{"point", s.kinds[0]}, {"line", s.kinds[1]}, {"surface", s.kinds[2]}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string DescribeSimulation(const SimulationSummary& s) {
  std::string text = fmt::format("{}: {} steps of {:.6g} s, {:.6g} s simulated in {:.3g} s\n", s.method, s.steps,
                                 s.step, s.duration, s.seconds);
  if (std::isfinite(OtherLoss(s))) {
    text += "energy            start        end\n";
    text += fmt::format("  kinetic    {:10.5g} {:10.5g} J\n", s.kinetic_start, s.kinetic_end);
    text += fmt::format("  potential  {:10.5g} {:10.5g} J\n", s.potential_start, s.potential_end);
    text +=
        fmt::format("  lost to contacts and joints {:.5g} J, to loads, moving surfaces and time stepping {:.3g} J\n",
                    s.dissipated, OtherLoss(s));
  } else {
    text += "the energy exceeds what numbers can hold: check the units of the scene\n";
  }
  text += fmt::format("contact in {} steps, deepest penetration {:.3g} m, largest complementarity residual {:.2g}\n",
                      s.contact_steps, s.deepest_penetration, s.largest_residual);
  if (s.patches) text += fmt::format("contacts: {} point, {} line, {} surface\n", s.kinds[0], s.kinds[1], s.kinds[2]);
  if (s.retried_steps > 0 && s.patches)
    text += fmt::format(
        "{} steps were not solved at the first attempt: {} from other features, {} by continuation in friction, {} by "
        "the general solver, {} in halves\n",
        s.retried_steps, s.fallbacks[0], s.fallbacks[1], s.fallbacks[2], s.fallbacks[3]);
  else if (s.retried_steps > 0)
    text += fmt::format("{} steps were solved by a fallback or in halves\n", s.retried_steps);
  if (s.gaining_steps > 0)
    text += fmt::format("note: in {} steps the contacts added {:.3g} J of energy: {}\n", s.gaining_steps, s.gained,
                        s.patches ? "the normal impulse on a contact point that rolls on, of order h^2 per step"
                                  : "Newton restitution with friction can do that");
  return text;
}

}  // namespace ricochet
