// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/stepper.h"

#include <fmt/format.h>

#include <utility>

#include "core/text.h"
#include "model/options.h"
#include "scene/optional_parts.h"

namespace ricochet {
namespace {

/// Every capability with its words.
constexpr std::pair<bool StepperInfo::*, std::string_view> kCapabilities[] = {
    {&StepperInfo::planar, "planar scenes"},
    {&StepperInfo::spatial, "spatial scenes"},
    {&StepperInfo::joints, "joints"},
    {&StepperInfo::body_contacts, "contact between bodies"},
    {&StepperInfo::restitution, "restitution"},
    {&StepperInfo::soft, "compliant joints and contacts"},
    {&StepperInfo::exact, "motion independent of the step"},
    {&StepperInfo::jumps, "contacts that close on the grid of steps"},
    {&StepperInfo::undoes_overlap, "overlap undone within a step"},
    {&StepperInfo::patches, "line and surface contact"},
    {&StepperInfo::intersections, "shapes given by inequalities"},
    {&StepperInfo::refined_laws, "contact laws with compliance, rounding, and restitution by speed"},
    {&StepperInfo::drag, "air drag"}};

void CheckSpace(const StepperInfo& info, const Scene& scene) {
  const bool planar = scene.space == Space::kPlanar;
  if (planar ? info.planar : info.spatial) return;
  const std::string_view is = planar ? "planar" : "spatial", steps = planar ? "spatial" : "planar";
  throw InputError(
      scene.simulation.method_where, "simulation.method",
      fmt::format("{} steps {} scenes, and this one is {}.", info.name, steps, is),
      fmt::format("Use {}.", NamesOfSteppers([&](const StepperInfo& i) { return planar ? i.planar : i.spatial; })));
}

void CheckJoints(const StepperInfo& info, const Scene& scene) {
  if (info.joints || scene.joints.empty()) return;
  const Joint& joint = scene.joints.front();
  throw InputError(
      joint.where, "joints." + joint.name, fmt::format("{} has no joints.", info.name),
      fmt::format("Use method {} in a spatial scene.", NamesOfSteppers([](const StepperInfo& i) { return i.joints; })));
}

void CheckBodies(const StepperInfo& info, const Scene& scene) {
  const Body* first = nullptr;
  for (const Body& body : scene.bodies) {
    if (HasDrag(scene, body) && !info.drag)
      throw InputError(body.where, fmt::format("bodies.{}.drag", body.name),
                       fmt::format("{} does not have it.", info.name),
                       fmt::format("Use method {} in a spatial scene, or leave it out.",
                                   NamesOfSteppers([](const StepperInfo& i) { return i.drag; })));
    if (!body.shape) continue;
    if (body.shape->type == ShapeType::kIntersection && !info.intersections)
      throw InputError(
          body.shape->where, fmt::format("bodies.{}.shape.intersection", body.name),
          fmt::format("{} needs contact points, which an intersection of inequalities does not have.", info.name),
          fmt::format("Use method {}, or give a shape with corners.",
                      NamesOfSteppers([](const StepperInfo& i) { return i.intersections; })));
    if (first && !info.body_contacts)
      throw InputError(body.where, "bodies." + body.name,
                       fmt::format("{} and {} could touch, and {} supports contact only with surfaces.", first->name,
                                   body.name, info.name),
                       fmt::format("Put them in separate scenes, or make the scene spatial and use {}.",
                                   NamesOfSteppers([](const StepperInfo& i) { return i.spatial && i.body_contacts; })));
    first = &body;
  }
}

void CheckLaw(const StepperInfo& info, const Scene& scene, const ContactLaw& law) {
  if (info.refined_laws) return;
  for (const NumberId id : {law.restitution_low, law.compliance, law.rounding}) {
    if (!id) continue;
    const SceneNumber& number = scene.number(id);
    throw InputError(number.where, number.path, fmt::format("{} does not have it.", info.name),
                     fmt::format("Use method {}, or leave it out.",
                                 NamesOfSteppers([](const StepperInfo& i) { return i.refined_laws; })));
  }
}

}  // namespace

void Stepper::Check(const Model& model) const {
  const StepperInfo own = info();
  const Scene& scene = *model.scene;
  CheckSpace(own, scene);
  CheckJoints(own, scene);
  CheckBodies(own, scene);
  CheckLaw(own, scene, scene.contact);
  for (const PairLaw& pair : scene.pair_laws) CheckLaw(own, scene, pair.law);
  CheckOptions(scene, own.name, own.options);
  CheckModel(model);
}

void Stepper::DifferentiateInputs(const Model& model, const StepResult& step, const StepInputs& /*inputs*/,
                                  Workspace& /*workspace*/, Eigen::MatrixXd& end_by_inputs) const {
  end_by_inputs.setZero(2 * step.start.v.size(), static_cast<Eigen::Index>(model.spatial.inputs.size()));
}

const Stepper& FindStepper(std::string_view name, const SourcePosition& where) {
  std::vector<std::string> known;
  for (const Stepper* stepper : AllSteppers()) {
    if (stepper->info().name == name) return *stepper;
    known.emplace_back(stepper->info().name);
  }
  throw InputError(where, "simulation.method", fmt::format("there is no method `{}`.", Printable(name)),
                   SuggestName(name, known));
}

const Stepper& StepperOf(const Scene& scene) {
  const Simulation& simulation = scene.simulation;
  if (!simulation.method.empty()) return FindStepper(simulation.method, simulation.method_where);
  const bool planar = scene.space == Space::kPlanar;
  throw InputError({scene.file, 0, 0}, "simulation.method", "the scene does not name a method.",
                   fmt::format("Add simulation: {{method: NAME, step: ...}}, with one of {}.",
                               NamesOfSteppers([&](const StepperInfo& i) { return planar ? i.planar : i.spatial; })));
}

std::string NamesOfSteppers(const std::function<bool(const StepperInfo&)>& have) {
  std::vector<std::string> names;
  for (const Stepper* stepper : AllSteppers())
    if (have(stepper->info())) names.emplace_back(stepper->info().name);
  return JoinList(names, "or");
}

std::vector<std::string_view> CapabilitiesOf(const StepperInfo& info) {
  std::vector<std::string_view> out;
  for (const auto& [member, words] : kCapabilities)
    if (info.*member) out.push_back(words);
  return out;
}

}  // namespace ricochet
