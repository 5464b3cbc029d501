// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "model/model_pool.h"

#include <mutex>
#include <utility>
#include <vector>

namespace ricochet {

/// Scenes that no model uses.
struct ModelPool::Spare {
  std::mutex mutex;
  std::vector<std::unique_ptr<Scene>> scenes;

  std::unique_ptr<Scene> Take() {
    const std::lock_guard lock(mutex);
    if (scenes.empty()) return nullptr;
    std::unique_ptr<Scene> out = std::move(scenes.back());
    scenes.pop_back();
    return out;
  }
  void Give(std::unique_ptr<Scene> scene) {
    const std::lock_guard lock(mutex);
    scenes.push_back(std::move(scene));
  }
};

ModelPool::ModelPool() : spare_(std::make_shared<Spare>()) {}

std::optional<Model> ModelPool::Compile(const ParameterMap& map, const Eigen::VectorXd& values) const {
  std::unique_ptr<Scene> scene = spare_->Take();
  if (!scene) scene = std::make_unique<Scene>(map.scene());
  if (!TrySet(map, values, *scene)) {
    spare_->Give(std::move(scene));
    return std::nullopt;
  }
  const auto give_back = [spare = spare_](Scene* unused) { spare->Give(std::unique_ptr<Scene>(unused)); };
  return CompileModel(std::shared_ptr<const Scene>(std::shared_ptr<Scene>(scene.release(), give_back)));
}

}  // namespace ricochet
