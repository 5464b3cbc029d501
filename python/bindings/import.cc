// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/import.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "call.h"
#include "parts.h"
#include "record.h"

namespace ricochet::python {
namespace {

/// The format with this name; empty: the one that the file has.
ImportFormat FormatOf(const std::string& name, const std::string& file) {
  if (name.empty()) return RecognizeFormat(file);
  std::string known;
  for (int i = 1; i <= static_cast<int>(ImportFormat::kIam); ++i) {
    const auto format = static_cast<ImportFormat>(i);
    if (FormatName(format) == name) return format;
    known += (known.empty() ? "" : ", ") + std::string(FormatName(format));
  }
  throw InputError({}, "format", "`" + name + "` is not a format.", "Formats are " + known + ".");
}

char AxisOf(const std::string& word) {
  if (word.size() > 1)
    throw InputError({}, "up", "`" + word + "` is not an axis.",
                     "Give x, y or z, the axis of the file that points up.");
  return word.empty() ? '\0' : word.front();
}

}  // namespace

void BindImport(nb::module_& module) {
  nb::class_<ImportedRecording>(module, "ImportedRecording", "A recording with what was found and assumed on the way.")
      .def_ro("recording", &ImportedRecording::recording)
      .def_ro("format", &ImportedRecording::format)
      .def_ro("rate", &ImportedRecording::rate)
      .def_ro("bodies", &ImportedRecording::bodies)
      .def_ro("points", &ImportedRecording::points)
      .def_ro("unit", &ImportedRecording::unit)
      .def_prop_ro("up", [](const ImportedRecording& self) { return std::string(1, self.up); })
      .def_ro("notes", &ImportedRecording::notes)
      .def_ro("left_out", &ImportedRecording::left_out)
      .def_ro("warnings", &ImportedRecording::warnings)
      .def("describe", &DescribeImport)
      .def("format_json", [](const ImportedRecording& self) { return FormatImport(self); });
  module.def(
      "recognize_format", [](const std::string& file) { return std::string(FormatName(RecognizeFormat(file))); },
      nb::arg("file"));
  module.def(
      "import_recording",
      [](const std::string& file, const std::string& format, const std::string& unit, const std::string& up,
         const std::string& body, const std::array<double, 7>& pivot, const std::string& angles,
         const std::string& columns, double rate, const CallSettings& call) {
        const ImportOptions options{unit, AxisOf(up), body, pivot, angles, columns, rate};
        return RunCall(call, [&](const Context& context) {
          return ImportRecording(file, FormatOf(format, file), options, context);
        });
      },
      nb::arg("file"), nb::arg("format"), nb::arg("unit"), nb::arg("up"), nb::arg("body"), nb::arg("pivot"),
      nb::arg("angles"), nb::arg("columns"), nb::arg("rate"), nb::arg("call"));
  module.def(
      "import_urdf", [](const std::string& file, bool floating) { return ImportUrdf(file, {floating}); },
      nb::arg("file"), nb::arg("floating"));

  nb::class_<ImportedArchive::Entry>(module, "ArchiveEntry", "A recording of an archive.")
      .def_ro("name", &ImportedArchive::Entry::name)
      .def_ro("recording", &ImportedArchive::Entry::recording);
  nb::class_<ImportedArchive>(module, "ImportedArchive", "The recordings of an archive and their scene.")
      .def_ro("body", &ImportedArchive::body)
      .def_ro("scene", &ImportedArchive::scene)
      .def_ro("recordings", &ImportedArchive::recordings)
      .def_ro("notes", &ImportedArchive::notes);
  module.def(
      "import_iam",
      [](const std::string& file, const std::string& body, const std::string& surface,
         const std::array<double, 3>& belt) {
        return ImportIam(file, {body, surface, belt});
      },
      nb::arg("file"), nb::arg("body"), nb::arg("surface"), nb::arg("belt"));
}

}  // namespace ricochet::python
