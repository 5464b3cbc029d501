// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "reproduce/fazeli_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/context.h"
#include "core/random.h"
#include "estimators/regression/find_impacts.h"
#include "ricochet/simulate.h"

namespace ricochet {
namespace {

constexpr int kImpacts = 3;
constexpr double kStep = 1e-3;  // [s]

Scene MakeScene(FazeliBody body, double inertia, const std::string& initial) {
  return ParseScene(
      fmt::format("ricochet: 1\nspace: planar\ngravity: [0, -9.81]\n"
                  "bodies:\n  body: {{shape: {}, mass: 1, inertia: {}}}\n"
                  "surfaces:\n  ground: {{line: {{point: [0, 0], angle: 0}}}}\n"
                  "contact: {{friction: 0.7, restitution: 0.6}}\n{}"
                  "simulation: {{method: lcp, step: {}, duration: 3}}\n",
                  body == FazeliBody::kBlock ? "{rectangle: {size: [1, 1]}}" : "{ellipse: {semi_axes: [2, 1]}}",
                  inertia, initial, kStep),
      "fazeli.yaml");
}

}  // namespace

double FazeliRatio(FazeliBody body) { return body == FazeliBody::kBlock ? 6.0 : 0.8; }

Scene FazeliScene(FazeliBody body, bool true_inertia) {
  return MakeScene(body, (true_inertia ? 1.0 : 1.5) / FazeliRatio(body), "");
}

FazeliThrow MakeFazeliThrow(FazeliBody body, int run) {
  Random random(2017, 2 * static_cast<std::uint64_t>(run) + (body == FazeliBody::kEllipse));
  const double y = random.Uniform(2, 4), vx = random.Uniform(-2, 2), vy = random.Uniform(-1, 1),
               angle = random.Uniform(-std::numbers::pi, std::numbers::pi), rate = random.Uniform(-4, 4);
  const Scene scene =
      MakeScene(body, 1 / FazeliRatio(body),
                fmt::format("initial:\n  body: {{pose: [0, {}, {}], velocity: [{}, {}], angular_velocity: {}}}\n", y,
                            angle, vx, vy, rate));
  const SimulationResult result = Simulate(scene, {}, CurrentContext());
  FazeliThrow out{result.recording, {}};
  // An impact is a step with an impulse beyond that of resting contact, at one point.
  for (std::size_t i = 0; i < result.contacts.size(); ++i) {
    const ContactRow& contact = result.contacts[i];
    const auto same_step = [&](std::size_t other) {
      return other < result.contacts.size() && result.contacts[other].time == contact.time;
    };
    if (contact.normal_impulse < 0.1 || same_step(i + 1) || (i > 0 && same_step(i - 1))) continue;
    if (static_cast<int>(out.impact_rows.size()) < kImpacts)
      out.impact_rows.push_back(static_cast<int>(std::lround(contact.time / kStep)) - 1);
  }
  return out;
}

FazeliEstimate EstimateFazeli(FazeliBody body, const FazeliThrow& thrown, int run, double snr) {
  FazeliEstimate out;
  Recording noisy = thrown.recording;
  Random random(40 + static_cast<std::uint64_t>(snr),
                2 * static_cast<std::uint64_t>(run) + (body == FazeliBody::kEllipse));
  const double sigma = std::pow(10.0, -snr / 20);
  for (auto& column : noisy.values)
    for (double& value : column) value += sigma * random.Normal();
  const Scene scene = FazeliScene(body, false);
  const PlanarFamily family(scene, {}, 0);
  const PlanarTrack track = MakePlanarTrack(scene, noisy, 0);
  std::vector<ImpactSample> rows;
  for (const int row : thrown.impact_rows) rows.push_back(ImpactBetweenRows(family, track, row));
  out.plain = PlainRatio(rows);
  out.impacts = FindImpacts(family, track, kImpacts).impacts;
  out.corrected = CorrectedRatio(out.impacts);
  return out;
}

FazeliCell MakeFazeliCell(FazeliBody body, double snr, int runs) {
  FazeliCell cell;
  cell.runs = runs;
  double plain = 0, plain2 = 0, sum = 0, sum2 = 0;
  for (int run = 0; run < runs; ++run) {
    const FazeliEstimate estimate = EstimateFazeli(body, MakeFazeliThrow(body, run), run, snr);
    const double a = 100 * (estimate.plain.value / FazeliRatio(body) - 1);
    plain += a;
    plain2 += a * a;
    if (!estimate.corrected.found) continue;
    const double b = 100 * (estimate.corrected.value / FazeliRatio(body) - 1);
    ++cell.found;
    sum += b;
    sum2 += b * b;
    cell.pulls += std::pow((estimate.corrected.value - FazeliRatio(body)) / estimate.corrected.std, 2);
  }
  const auto spread = [](double total, double squares, int n) {
    return n > 1 ? std::sqrt(std::max(0.0, squares - total * total / n) / (n - 1)) : 0.0;
  };
  cell.plain_mean = plain / runs;
  cell.plain_std = spread(plain, plain2, runs);
  if (cell.found == 0) return cell;
  cell.mean = sum / cell.found;
  cell.std = spread(sum, sum2, cell.found);
  cell.standard_error = cell.std / std::sqrt(cell.found);
  cell.pulls = std::sqrt(cell.pulls / cell.found);
  return cell;
}

double FazeliCell::AllowedMean(double limit) const { return std::max(limit, 2.5 * standard_error); }

}  // namespace ricochet
