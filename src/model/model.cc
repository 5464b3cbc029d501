// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "model/model.h"

#include <utility>

namespace ricochet {

std::string Model::PairName(int pair) const {
  if (space == Space::kPlanar) return ricochet::PairName(*scene, planar.pairs[static_cast<std::size_t>(pair)]);
  const auto& p = spatial.pairs[pair];
  const std::string& other = p.surface >= 0 ? scene->surfaces[p.surface].name : scene->bodies[p.other].name;
  return scene->bodies[p.body].name + "/" + other;
}

Model CompileModel(Scene scene) { return CompileModel(std::make_shared<const Scene>(std::move(scene))); }

Model CompileModel(std::shared_ptr<const Scene> given) {
  Model model;
  model.scene = std::move(given);
  const Scene& scene = *model.scene;
  model.space = scene.space;
  std::vector<double> numbers;
  numbers.reserve(scene.numbers().size());
  for (const SceneNumber& number : scene.numbers()) numbers.push_back(number.value);
  if (scene.space == Space::kPlanar) {
    model.planar = CompilePlanar<double>(scene, numbers);
  } else {
    model.spatial = CompileSpatial<double>(scene, numbers);
  }
  model.triggers = CompileTriggers(scene);
  return model;
}

}  // namespace ricochet
