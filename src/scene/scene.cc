// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "core/text.h"
#include "ricochet/parameter.h"
#include "scene/path_pattern.h"
#include "scene/text/number_text.h"

namespace ricochet {
namespace {

template <class Named>
int IndexOf(const std::vector<Named>& list, std::string_view name) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

bool Contains(const std::vector<NumberId>& ids, NumberId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// Paths a person may have meant: every number, and every list as a whole.
std::vector<std::string> KnownPaths(const std::vector<SceneNumber>& numbers) {
  std::vector<std::string> known;
  for (const SceneNumber& number : numbers) {
    const std::string_view list = ListPath(number.path);
    if (list.size() < number.path.size() && (known.empty() || ListPath(known.back()) != list)) known.emplace_back(list);
    known.push_back(number.path);
  }
  return known;
}

// Whether a pattern names a tracked frame as a whole: `observe.frame`, `observe.frames.NAME`.
bool NamesTrackedFrame(const std::vector<PathStep>& steps) {
  const auto is = [&](std::size_t i, std::string_view name) { return !steps[i].is_index && steps[i].name == name; };
  if (steps.size() == 2) return is(0, "observe") && is(1, "frame");
  return steps.size() == 3 && is(0, "observe") && is(1, "frames") && !steps[2].is_index;
}

}  // namespace

Scene::Scene() = default;
Scene::Scene(const Scene&) = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(const Scene&) = default;
Scene& Scene::operator=(Scene&&) noexcept = default;
Scene::~Scene() = default;

NumberId Scene::Add(SceneNumber number) {
  const NumberId id{static_cast<int>(numbers_.size())};
  [[maybe_unused]] const bool is_new = index_.emplace(number.path, id.index).second;
  assert(is_new && "a path is in the table once");
  numbers_.push_back(std::move(number));
  return id;
}

namespace {

/// The first path of which a pattern is the end (`friction`) or the beginning (`bodies.box.shap`), or nothing.
std::string PathThatEndsOrBegins(std::string_view pattern, const std::vector<std::string>& known) {
  constexpr std::size_t kLeast = 4;
  if (pattern.size() < kLeast) return "";
  for (const std::string& path : known)
    if (path.ends_with("." + std::string(pattern))) return path;
  for (const std::string& path : known)
    if (path.starts_with(pattern)) return path;
  return "";
}

}  // namespace

NumberId Scene::Find(std::string_view path) const {
  const auto found = index_.find(std::string(path));
  return found == index_.end() ? NumberId{} : NumberId{found->second};
}

std::vector<NumberId> Scene::Match(std::string_view pattern) const {
  if (const NumberId exact = Find(pattern)) return {exact};
  const std::string shown = Printable(pattern, 80);
  std::optional<std::vector<PathStep>> steps = SplitPath(pattern);
  if (!steps) {
    throw InputError({}, shown, "this is not a parameter path.",
                     "Write names joined by dots, with indices in brackets: `bodies.box.inertia[0]`, `bodies.*.mass`.");
  }
  if (NamesTrackedFrame(*steps)) steps->push_back({false, "*", 0, 0});
  std::vector<NumberId> matches;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const std::optional<std::vector<PathStep>> path = SplitPath(numbers_[i].path);
    if (path && MatchesPath(*steps, *path)) matches.push_back({static_cast<int>(i)});
  }
  if (!matches.empty()) return matches;
  const std::vector<std::string> known = KnownPaths(numbers_);
  std::string nearest = PathThatEndsOrBegins(pattern, known);
  if (nearest.empty()) nearest = NearestName(pattern, known);
  throw InputError(
      {}, shown, fmt::format("{} has no such parameter.", file.empty() ? "the scene" : file),
      nearest.empty() ? "`ricochet parameters SCENE` lists all paths." : fmt::format("Did you mean `{}`?", nearest));
}

void Scene::Set(NumberId id, double value) {
  SceneNumber& number = numbers_[static_cast<std::size_t>(id.index)];
  if (!IsAllowed(number.quantity, value)) {
    NumberComplaint complaint = ExplainBounds(value, number.quantity);
    throw InputError({}, number.path, std::move(complaint.problem), std::move(complaint.remedy));
  }
  number.value = value;
  MakeIndependent(id);
  UpdateDerivedNumbers(*this);
}

void Scene::Set(std::string_view pattern, const std::vector<double>& values) {
  const std::vector<NumberId> ids = Match(pattern);
  if (values.size() != 1 && values.size() != ids.size()) {
    throw InputError(
        {}, Printable(pattern, 80),
        fmt::format("needs {} value{}, but got {}.", ids.size(), ids.size() == 1 ? "" : "s", values.size()),
        ids.size() == 1 ? "Give one." : fmt::format("Give {} values, or one for all.", ids.size()));
  }
  for (std::size_t i = 0; i < ids.size(); ++i) Set(ids[i], values[values.size() == 1 ? 0 : i]);
}

void Scene::MakeIndependent(NumberId id) {
  const auto mark = [this](const std::vector<NumberId>& ids, bool given) {
    for (NumberId each : ids) numbers_[static_cast<std::size_t>(each.index)].given = given;
  };
  const auto mark_one = [this](NumberId each, bool given) {
    numbers_[static_cast<std::size_t>(each.index)].given = given;
  };
  mark_one(id, true);
  // One entry of a derived inertia or patch makes the whole of it the scene's own.
  for (const Body& body : bodies) {
    if (Contains(body.inertia, id)) mark(body.inertia, true);
  }
  for (const PairLaw& pair : pair_laws) {
    if (Contains(pair.law.patch, id)) mark(pair.law.patch, true);
  }
  // Of gravity's two forms the one last set counts.
  const bool of_vector = Contains(gravity.vector, id);
  const bool of_polar = id == gravity.magnitude || Contains(gravity.tilt, id);
  if (of_vector || of_polar) {
    gravity.polar = of_polar;
    mark(gravity.vector, of_vector);
    mark(gravity.tilt, of_polar);
    mark_one(gravity.magnitude, of_polar);
  }
}

int Scene::BodyIndex(std::string_view name) const { return IndexOf(bodies, name); }
int Scene::SurfaceIndex(std::string_view name) const { return IndexOf(surfaces, name); }
int Scene::JointIndex(std::string_view name) const { return IndexOf(joints, name); }

const ContactLaw& Scene::LawOf(std::string_view a, std::string_view b) const {
  for (const PairLaw& pair : pair_laws) {
    if ((pair.a == a && pair.b == b) || (pair.a == b && pair.b == a)) return pair.law;
  }
  return contact;
}

}  // namespace ricochet
