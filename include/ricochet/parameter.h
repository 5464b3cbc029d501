// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Parameter paths: every number of a scene has an address, and each kind of number has a unit, bounds and a scale.
//
//     bodies.box.mass                 one number
//     bodies.box.inertia              a list means all its entries
//     bodies.box.inertia[0:2]         entries 0 and 1 (the end is excluded); [1] is one entry, [*] is all
//     bodies.*.mass                   `*` stands for any name, or any part of one: `hinge*`
//     bodies.e.inertia / bodies.e.mass   a ratio, where only the ratio is identifiable
//     joints.j.dry.radius * joints.j.dry.friction   a product, likewise (blanks around `*`)
//
// To list, read and set parameters:
//
//     for (const ricochet::SceneNumber& n : scene.numbers())
//       std::cout << n.path << " = " << n.value << " " << ricochet::InfoOf(n.quantity).unit << "\n";
//     ricochet::SetFromText(scene, "contact.friction=0.3");
//     ricochet::CheckScene(scene);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/scene.h"

namespace ricochet {

/// How an optimizer moves a parameter.
enum class Chart {
  kIdentity,  // the value itself, kept within its bounds (friction may end exactly at 0, restitution at 0 or 1)
  kLog,       // the value plus a step, which is limited so that it stays positive (masses, moments, lengths)
};

/// What is known of a kind of number. Texts are constants that live as long as the program.
struct ParameterInfo {
  std::string_view unit;       // "kg"; "-" for none
  double lower, upper;         // infinite where there is no bound
  bool lower_excluded;         // true: the bound itself is not allowed (a mass is > 0)
  Chart chart;                 // used in estimation
  std::string_view statement;  // "a mass is positive"; empty without bounds
  std::string_view remedy;     // "Give the mass in kilograms."
};

/// Unit, bounds and chart of a quantity.
const ParameterInfo& InfoOf(Quantity quantity);

/// Whether the value is finite and within the quantity's bounds.
bool IsAllowed(Quantity quantity, double value);

/// A parameter to estimate: a number of the scene, or the ratio or product of two.
struct SelectedParameter {
  std::string path;        // as in results: "contact.friction", "bodies.e.inertia/bodies.e.mass"
  NumberId numerator;      // the number itself where it is neither ratio nor product
  NumberId denominator{};  // of a ratio, else none
  NumberId factor{};       // second factor of a product, else none
};

/// Reads a comma list such as `contact.*, bodies.e.inertia / bodies.e.mass`. Patterns give one entry per number. In a
/// ratio or product, a list with one number gives each entry of the list with that number, and lists of equal length go
/// in pairs. Numbers named twice are taken once. Throws InputError naming the nearest known path.
std::vector<SelectedParameter> ParsePathList(const Scene& scene, std::string_view list);

/// The unit of a selected parameter: that of the number, or of the ratio ("kg m^2/kg" is given as "m^2").
std::string UnitOf(const Scene& scene, const SelectedParameter& parameter);

/// Sets parameters by `PATH=VALUE`. The value is a number (`0.3`, `1e-3`, `30 deg` for angles) or a list `[1, 2]`. One
/// number sets all parameters that a pattern matches. Throws InputError. Conditions on several numbers together are
/// not checked: call CheckScene after the last assignment.
void SetFromText(Scene& scene, std::string_view assignment);

}  // namespace ricochet
