// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Access to the scene's simulation.options.
#pragma once

#include <initializer_list>
#include <string_view>

#include "ricochet/scene.h"

namespace ricochet {

/// The option's number, or the fallback where the scene does not give it.
double NumberOption(const Scene& scene, std::string_view name, double fallback);

/// The option's word, or the first of `choices` where the scene does not give it. Throws InputError for another word.
std::string_view WordOption(const Scene& scene, std::string_view name, std::initializer_list<std::string_view> choices);

/// Throws InputError when the scene gives an option the method does not know, naming the nearest.
void CheckOptionNames(const Scene& scene, std::string_view method, std::initializer_list<std::string_view> known);

/// Throws InputError for a body whose shape is an intersection of inequalities, which `method` cannot touch with.
void RefuseIntersections(const Scene& scene, std::string_view method);

/// Throws InputError for numbers of a contact law that only `moreau` has: compliance, damping, rounding, a restitution
/// that depends on speed.
void RefuseLawRefinements(const Scene& scene, std::string_view method);

}  // namespace ricochet
