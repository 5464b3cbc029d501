// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/cross_validate.h"

#include <fmt/format.h>

#include "ricochet/error.h"

namespace ricochet {

Validation CrossValidate(const Scene& scene, const std::vector<Recording>& recordings, std::string_view paths,
                         int folds, const IdentifyOptions& identify, const ValidateOptions& options) {
  if (folds < 2 || static_cast<int>(recordings.size()) < folds)
    throw InputError({}, "--folds", fmt::format("{} recordings cannot be put into {} folds.", recordings.size(), folds),
                     "Give at least 2 folds and a recording for each.");
  Validation out;
  out.name = fmt::format("{}, {} folds", scene.file, folds);
  out.recordings.resize(recordings.size());
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<Recording> others, own;
    for (std::size_t i = 0; i < recordings.size(); ++i)
      (static_cast<int>(i) % folds == fold ? own : others).push_back(recordings[i]);
    const Identification found = Identify(scene, others, paths, identify);
    FoldEstimate told;
    told.converged = found.estimate.converged;
    out.fold_paths.clear();
    for (const EstimatedParameter& p : found.estimate.parameters) {
      out.fold_paths.push_back(p.path);
      told.values.push_back(p.value.value_or(p.start));
    }
    out.folds.push_back(std::move(told));
    const Validation part = Validate(found.calibrated, own, options);
    std::size_t next = 0;
    for (std::size_t i = 0; i < recordings.size(); ++i)
      if (static_cast<int>(i) % folds == fold) out.recordings[i] = part.recordings[next++];
  }
  Summarise(out);
  return out;
}

}  // namespace ricochet
