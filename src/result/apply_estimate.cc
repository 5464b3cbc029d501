// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <Eigen/Core>
#include <algorithm>
#include <utility>
#include <vector>

#include "model/parameter_map.h"
#include "model/possible_moments.h"
#include "result/estimated_value.h"
#include "ricochet/estimate.h"

namespace ricochet {
namespace {

SelectedParameter SelectOne(const Scene& scene, const std::string& path) { return ParsePathList(scene, path).front(); }

}  // namespace

SelectedParameter TargetOf(const Scene& scene, const EstimatedParameter& entry) {
  return SelectOne(scene, entry.terms.empty() ? entry.path : entry.terms.front().path);
}

double ValueIn(const Scene& scene, const EstimatedParameter& entry) {
  if (entry.terms.empty()) return ValueOf(scene, SelectOne(scene, entry.path));
  double sum = 0;
  for (const EstimatedTerm& term : entry.terms) sum += term.factor * ValueOf(scene, SelectOne(scene, term.path));
  return sum;
}

double TargetValue(const Scene& scene, const EstimatedParameter& entry, double value) {
  if (entry.terms.empty()) return value;
  return ValueOf(scene, TargetOf(scene, entry)) + (value - ValueIn(scene, entry)) / entry.terms.front().factor;
}

Scene Apply(const Scene& scene, const Estimate& estimate) {
  std::vector<SelectedParameter> targets;
  std::vector<double> values;
  for (const EstimatedParameter& entry : estimate.parameters) {
    if (!entry.value) continue;
    targets.push_back(TargetOf(scene, entry));
    values.push_back(TargetValue(scene, entry, *entry.value));
  }
  const ParameterMap map(scene, std::move(targets));
  Scene out = map.Apply(Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())));
  const std::vector<NumberId>& pivots = map.pivots();
  Scene possible = out;
  const std::vector<MovedMoments> moved = MakeMomentsPossible(
      [&](NumberId id) { return std::find(pivots.begin(), pivots.end(), id) != pivots.end(); }, possible);
  // Estimates stay; where they are impossible by themselves, the check says so.
  if (std::none_of(moved.begin(), moved.end(), [](const MovedMoments& each) { return each.broken; }))
    out = std::move(possible);
  CheckScene(out);
  return out;
}

}  // namespace ricochet
