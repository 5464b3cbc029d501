// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/sweep.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>

#include "call.h"
#include "parts.h"
#include "record.h"

namespace ricochet::python {

void BindSweep(nb::module_& module) {
  Record<NumberId>(module, "NumberId", "Index of a number of a scene.")
      .Field("index", &NumberId::index, "In the table of the scene.");
  using A = SweepAxis;
  Record<A>(module, "SweepAxis", "One parameter of the grid.")
      .Field("path", &A::path, "Of the parameter.")
      .Field("numbers", &A::numbers, "All parameters that the path means.")
      .Field("lower", &A::lower, "First value.")
      .Field("upper", &A::upper, "Last value.")
      .Field("count", &A::count, "Number of values.")
      .definition()
      .def_prop_ro(
          "values",
          [](const SweepAxis& self) {
            std::vector<double> values;
            for (int i = 0; i < self.count; ++i) values.push_back(self.Value(i));
            return values;
          },
          "All values, ascending.");
  using I = SweepInterval;
  Record<I>(module, "SweepInterval", "Values of one axis that the data do not distinguish from the best.")
      .Field("best", &I::best, "Of the best cell.")
      .Field("lower", &I::lower, "Lowest value of the grid.")
      .Field("upper", &I::upper, "Highest value of the grid.")
      .Field("at_edge", &I::at_edge, "The interval reaches the end of the grid: widen it.");
  using R = SweepResult;
  Record<R>(module, "SweepResult", "What a sweep found.")
      .Field("cells", &R::cells, "Product of the axes' counts.")
      .Field("resumed_cells", &R::resumed_cells, "Of them, found in the part file.")
      .Field("unsolved", &R::unsolved, "Simulations of the best cell that failed.")
      .Field("recordings", &R::recordings, "Given.")
      .Field("used", &R::used, "Not excluded.")
      .Field("excluded", &R::excluded, "\"file: reason\"")
      .Field("least_cost", &R::least_cost, "In the unit of the cost.")
      .Field("intervals", &R::intervals, "One per axis.")
      .Field("seconds", &R::seconds, "Computing time.")
      .Field("cost", &R::cost, "Of every cell, last axis fastest.");
  nb::class_<SweepOptions>(module, "SweepOptions", "How to sweep.")
      .def(
          "__init__",
          [](SweepOptions* self, const std::string& cost, const std::string& start, std::optional<double> step,
             const std::string& output) {
            new (self) SweepOptions{ParseSweepCost(cost), ParseRollStart(start), step, output};
          },
          nb::arg("cost"), nb::arg("start"), nb::arg("step").none(), nb::arg("output"));
  module.def("make_sweep_axis", &MakeSweepAxis, nb::arg("scene"), nb::arg("path"), nb::arg("lower"), nb::arg("upper"),
             nb::arg("count"));
  module.def("parse_sweep_axis", &ParseSweepAxis, nb::arg("scene"), nb::arg("text"));
  module.def(
      "sweep",
      [](const Scene& scene, const std::vector<Recording>& recordings, const std::vector<SweepAxis>& axes,
         const SweepOptions& options, const CallSettings& call) {
        return RunCall(call, [&](const Context& context) { return Sweep(scene, recordings, axes, options, context); });
      },
      nb::arg("scene"), nb::arg("recordings"), nb::arg("axes"), nb::arg("options"), nb::arg("call"));
  module.def(
      "sweep_files",
      [](const Scene& scene, const std::vector<std::string>& files, const std::vector<SweepAxis>& axes,
         const SweepOptions& options, const CallSettings& call) {
        const RecordingSource source = RecordingsInFiles(files);
        return RunCall(call, [&](const Context& context) { return Sweep(scene, source, axes, options, context); });
      },
      nb::arg("scene"), nb::arg("files"), nb::arg("axes"), nb::arg("options"), nb::arg("call"));
  module.def("format_sweep", &FormatSweep);
  module.def("describe_sweep", &DescribeSweep);
}

}  // namespace ricochet::python
