// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/cross_validate.h"

#include <fmt/format.h>

#include "core/context.h"
#include "inference/cross_validation.h"
#include "ricochet/parameter.h"

namespace ricochet {
namespace {

std::vector<Recording> PartOf(const std::vector<Recording>& recordings, const std::vector<int>& part) {
  std::vector<Recording> out;
  for (const int i : part) out.push_back(recordings[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace

Validation CrossValidate(const Scene& given, const std::vector<Recording>& recordings, std::string_view paths,
                         const CrossValidateOptions& options, const Context& context) {
  const ContextScope scope(context, "cross-validate");
  if (ParsePathList(given, paths).empty())
    throw InputError({}, "paths", "cross-validation needs parameters to identify.",
                     "Name them, for example contact.friction,contact.restitution.");
  Scene scene = given;
  if (options.validate.step) scene.Set(scene.simulation.step, *options.validate.step);
  IdentifyOptions identify = options.identify;
  if (options.validate.start.kind != RollStart::Kind::kRelease)
    identify.method_options["start"] = FormatRollStart(options.validate.start);

  Validation out;
  out.name = fmt::format("{}, {} folds", scene.file, options.folds);
  out.recordings.resize(recordings.size());
  for (const Fold& fold : SplitIntoFolds(static_cast<int>(recordings.size()), options.folds)) {
    const std::vector<Recording> others = PartOf(recordings, fold.others), own = PartOf(recordings, fold.left_out);
    const Identification found = Identify(scene, others, paths, identify, context);
    FoldEstimate of_fold;
    of_fold.converged = found.estimate.converged;
    out.fold_paths.clear();
    for (const EstimatedParameter& p : found.estimate.parameters) {
      out.fold_paths.push_back(p.path);
      of_fold.values.push_back(p.value.value_or(p.start));
    }
    out.folds.push_back(std::move(of_fold));
    const Validation part = Validate(found.calibrated, own, options.validate, context);
    for (std::size_t k = 0; k < own.size(); ++k)
      out.recordings[static_cast<std::size_t>(fold.left_out[k])] = part.recordings[k];
  }
  Summarize(out);
  return out;
}

}  // namespace ricochet
