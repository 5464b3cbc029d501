// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/scene.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "parts.h"
#include "record.h"
#include "ricochet/parameter.h"

namespace ricochet::python {
namespace {

/// A number of a scene with what is known of its kind.
struct SceneParameter {
  std::string path;
  double value = 0;
  std::string unit;
  double lower = 0, upper = 0;
  bool given = false;
  int line = 0;
};

SceneParameter ParameterOf(const SceneNumber& number) {
  const ParameterInfo& info = InfoOf(number.quantity);
  return {number.path, number.value, std::string(info.unit), info.lower, info.upper, number.given, number.where.line};
}

/// Parameters that a list of paths means; empty: all of them.
std::vector<SceneParameter> ParametersOf(const Scene& scene, std::string_view paths) {
  std::vector<SceneParameter> out;
  if (paths.empty()) {
    for (const SceneNumber& number : scene.numbers()) out.push_back(ParameterOf(number));
    return out;
  }
  for (const SelectedParameter& selected : ParsePathList(scene, paths)) {
    SceneParameter parameter = ParameterOf(scene.number(selected.numerator));
    parameter.path = selected.path;
    parameter.unit = UnitOf(scene, selected);
    if (selected.denominator) parameter.value /= scene[selected.denominator];
    if (selected.factor) parameter.value *= scene[selected.factor];
    out.push_back(parameter);
  }
  return out;
}

template <class Part>
std::vector<std::string> NamesOf(const std::vector<Part>& parts) {
  std::vector<std::string> names;
  for (const Part& part : parts) names.push_back(part.name);
  return names;
}

}  // namespace

void BindScene(nb::module_& module) {
  Record<SceneParameter>(module, "SceneParameter", "A parameter of a scene.")
      .Field("path", &SceneParameter::path, "Its address: \"contact.friction\".")
      .Field("value", &SceneParameter::value, "In `unit`.")
      .Field("unit", &SceneParameter::unit, "\"-\" for none.")
      .Field("lower", &SceneParameter::lower, "Smallest value that it can have; -inf: no bound.")
      .Field("upper", &SceneParameter::upper, "Largest value that it can have; inf: no bound.")
      .Field("given", &SceneParameter::given, "Written in the scene, or set since; False: a default or derived value.")
      .Field("line", &SceneParameter::line, "Line of the scene file; 0: not in the file.");

  nb::class_<Scene>(module, "Scene", "Bodies, surfaces, joints, contact laws, start, loads and sensors.")
      .def_static("parse", &ParseScene, nb::arg("text"), nb::arg("name") = "")
      .def_static("read", &ReadScene, nb::arg("file"))
      .def("copy", [](const Scene& self) { return Scene(self); })
      .def("parameters", &ParametersOf, nb::arg("paths") = "")
      .def(
          "set",
          [](Scene& self, std::string_view pattern, const std::vector<double>& values) { self.Set(pattern, values); },
          nb::arg("pattern"), nb::arg("values"))
      .def("set_from_text", &SetFromText, nb::arg("assignment"))
      .def("check", &CheckScene)
      .def("format", &FormatScene)
      .def("write", &WriteScene, nb::arg("file"))
      .def_rw("file", &Scene::file)
      .def_prop_ro("planar", [](const Scene& self) { return self.space == Space::kPlanar; })
      .def_prop_ro("method", [](const Scene& self) { return self.simulation.method; })
      .def_prop_ro("bodies", [](const Scene& self) { return NamesOf(self.bodies); })
      .def_prop_ro("surfaces", [](const Scene& self) { return NamesOf(self.surfaces); })
      .def_prop_ro("joints", [](const Scene& self) { return NamesOf(self.joints); });
}

}  // namespace ricochet::python
