// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/recording.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "parts.h"
#include "ricochet/recording_check.h"

namespace ricochet::python {
namespace {

namespace nb = nanobind;

using Array = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using View = nb::ndarray<nb::numpy, const double, nb::ndim<1>>;

std::span<const double> SpanOf(const Array& array) { return {array.data(), array.shape(0)}; }

std::vector<RecordingColumn> ColumnsOf(const std::vector<std::string>& names, const std::vector<Array>& values) {
  std::vector<RecordingColumn> columns;
  for (std::size_t i = 0; i < names.size(); ++i) columns.push_back({names[i], SpanOf(values.at(i))});
  return columns;
}

/// Values that belong to a recording, which lives as long as the view.
View ViewOf(const std::vector<double>& values, nb::handle recording) {
  return View(values.data(), {values.size()}, recording);
}

}  // namespace

void BindRecording(nb::module_& module) {
  nb::class_<Recording>(module, "Recording", "A table of measurements over time.")
      .def_static("read", &ReadRecording, nb::arg("file"))
      .def_static("parse", &ParseRecording, nb::arg("text"), nb::arg("name") = "")
      .def_static(
          "from_columns",
          [](const Array& time, const std::vector<std::string>& names, const std::vector<Array>& values,
             std::string file) {
            Recording recording = Recording::FromColumns(SpanOf(time), ColumnsOf(names, values));
            recording.file = std::move(file);
            return recording;
          },
          nb::arg("time"), nb::arg("names"), nb::arg("values"), nb::arg("file") = "")
      .def_static(
          "check_columns",
          [](const Array& time, const std::vector<std::string>& names, const std::vector<Array>& values) {
            CheckColumns(SpanOf(time), ColumnsOf(names, values));
          },
          nb::arg("time"), nb::arg("names"), nb::arg("values"))
      .def("format", &FormatRecording)
      .def("write", &WriteRecording, nb::arg("file"))
      .def_rw("file", &Recording::file)
      .def_rw("lines", &Recording::lines)
      .def_ro("columns", &Recording::columns)
      .def("time_view",
           [](nb::handle_t<Recording> self) { return ViewOf(nb::cast<const Recording&>(self).time, self); })
      .def("column_view", [](nb::handle_t<Recording> self, std::size_t column) {
        return ViewOf(nb::cast<const Recording&>(self).values.at(column), self);
      });
}

}  // namespace ricochet::python
