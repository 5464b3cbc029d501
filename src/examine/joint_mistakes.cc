// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "examine/joint_mistakes.h"

#include <algorithm>
#include <optional>

#include "core/threads.h"
#include "dataset/joint_reading.h"

namespace ricochet {
namespace {

bool HoldsJoints(const Scene& scene, const Recording& recording) {
  return std::any_of(scene.joints.begin(), scene.joints.end(),
                     [&](const Joint& joint) { return recording.Find(joint.name + ".angle") >= 0; });
}

/// Whether recordings of joints can be fitted at all: what speaks against it is a matter of the scene.
bool IsTree(const Scene& scene) {
  try {
    const Model model = CompileModel(scene);
    const TreeMechanism mechanism(model);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::vector<Mistake> FindJointMistakes(const Scene& scene, const std::vector<Recording>& recordings) {
  const auto concerns = [&](const Recording& recording) { return HoldsJoints(scene, recording); };
  if (std::none_of(recordings.begin(), recordings.end(), concerns) || !IsTree(scene)) return {};
  std::vector<std::optional<Mistake>> found(recordings.size());
  ParallelFor(static_cast<int>(recordings.size()), [&](int i) {
    const Recording& recording = recordings[static_cast<std::size_t>(i)];
    if (!concerns(recording)) return;
    try {
      CheckJointRecording(scene, recording);
    } catch (const InputError& error) {
      Mistake& mistake = found[static_cast<std::size_t>(i)].emplace();
      mistake.file = recording.file;
      mistake.check = error.path() == "t" ? "times" : error.path().empty() ? "rows" : "angle";
      mistake.field = error.path();
      mistake.problem = error.problem();
      mistake.remedy = error.remedy();
    }
  });
  std::vector<Mistake> out;
  for (std::optional<Mistake>& mistake : found)
    if (mistake) out.push_back(std::move(*mistake));
  return out;
}

}  // namespace ricochet
