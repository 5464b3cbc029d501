// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What an entry of an estimate is in a scene: a parameter, or a sum of parameters. A scene takes a sum by its first
// term, the parameter that the entry sets; its other terms are not identifiable and stay.
#pragma once

#include <string>

#include "ricochet/estimate.h"
#include "ricochet/parameter.h"
#include "ricochet/scene.h"

namespace ricochet {

/// The parameter that an entry sets.
SelectedParameter TargetOf(const Scene& scene, const EstimatedParameter& entry);

/// Value of the entry in a scene.
double ValueIn(const Scene& scene, const EstimatedParameter& entry);

/// Value of the target with which the entry has `value`, where the rest of the sum is as the scene has it.
double TargetValue(const Scene& scene, const EstimatedParameter& entry, double value);

}  // namespace ricochet
