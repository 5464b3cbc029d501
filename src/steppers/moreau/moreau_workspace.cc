// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/moreau/moreau_workspace.h"

#include "model/options.h"

namespace ricochet {
namespace {

constexpr std::string_view kRotations[] = {"explicit", "conserving"};
constexpr std::string_view kPenetrations[] = {"none", "recover"};
constexpr std::string_view kSelections[] = {"least-norm", "jacobi"};
constexpr OptionInfo kRotation = {
    .name = "rotation",
    .kind = OptionKind::kWord,
    .words = kRotations,
    .help =
        "explicit: the paper's gyroscopic term; conserving: free rotation that conserves energy and angular momentum"};
constexpr OptionInfo kPenetration = {
    .name = "penetration",
    .kind = OptionKind::kWord,
    .words = kPenetrations,
    .help = "none: keep overlaps; recover: reduce overlaps by a fifth of the depth per step"};
constexpr OptionInfo kSelection = {.name = "selection",
                                   .kind = OptionKind::kWord,
                                   .words = kSelections,
                                   .help = "which impulses to use where several solve the contact problem"};
constexpr OptionInfo kMoreauOptions[] = {kRotation, kPenetration, kSelection};

}  // namespace

std::span<const OptionInfo> MoreauOptionInfos() { return kMoreauOptions; }

MoreauOptions ReadMoreauOptions(const Scene& scene) {
  MoreauOptions options;
  if (WordOption(scene, kRotation) == "conserving") {
    options.rotation = RotationScheme::kConserving;
  }
  options.recover = WordOption(scene, kPenetration) == "recover";
  if (WordOption(scene, kSelection) == "jacobi") {
    options.contact.selection = Selection::kJacobi;
    options.contact.max_sweeps = 100000;
  }
  if (scene.simulation.tolerance && scene.number(scene.simulation.tolerance).given) {
    options.contact.tolerance = scene[scene.simulation.tolerance];
  }
  return options;
}

MoreauWorkspace::MoreauWorkspace(const Model& model) : options(ReadMoreauOptions(*model.scene)) {
  const std::size_t n = model.spatial.bodies.size();
  inertia.resize(n);
  for (SpatialInertia<double>& i : inertia) i.mass = -1;
  bodies.resize(n);
  slot.assign(n, -1);
  problem.body_count = 0;
  for (std::size_t b = 0; b < n; ++b)
    if (!model.spatial.bodies[b].fixed) slot[b] = problem.body_count++;
  for (const SpatialPair<double>& pair : model.spatial.pairs) {
    is_soft = is_soft || pair.law.has_compliance;
    has_torsion = has_torsion || (pair.law.has_patch && pair.surface >= 0);
  }
}

}  // namespace ricochet
