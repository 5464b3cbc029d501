// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Values that a scene gives in simulation.options to the options that a stepper declares.
#pragma once

#include <span>
#include <string_view>

#include "core/option_info.h"
#include "ricochet/scene.h"

namespace ricochet {

/// The option's value in the scene, or its default. Throws InputError for a value that it cannot have.
double NumberOption(const Scene& scene, const OptionInfo& option);
std::string_view WordOption(const Scene& scene, const OptionInfo& option);

/// Throws InputError when the scene gives an option that is not in the list, naming the nearest, or one a value that it
/// cannot have.
void CheckOptions(const Scene& scene, std::string_view method, std::span<const OptionInfo> options);

}  // namespace ricochet
