// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/report.h"

#include <utility>

#include "call.h"
#include "parts.h"
#include "record.h"

namespace ricochet::python {

void BindReport(nb::module_& module) {
  nb::class_<ReportData>(module, "ReportData", "Everything that a report page shows.")
      .def_rw("title", &ReportData::title)
      .def("write", [](const ReportData& self, const std::string& file) { WriteReport(self, file); })
      .def("set_options", [](ReportData& self, std::vector<std::pair<std::string, std::string>> options) {
        self.provenance.options = std::move(options);
      });
  module.def("identify_report", &MakeIdentifyReport, nb::arg("scene"), nb::arg("recordings"), nb::arg("result"));
  module.def("motion_report", &MakeMotionReport, nb::arg("scene"), nb::arg("recordings"), nb::arg("contacts"));
  module.def("sweep_report", &MakeSweepReport, nb::arg("scene"), nb::arg("axes"), nb::arg("options"),
             nb::arg("result"));
  module.def(
      "validation_report",
      [](const Scene& scene, const std::vector<Recording>& recordings, const ValidationSet& set,
         const ValidateOptions& options, const CallSettings& call) {
        return RunCall(call, [&](const Context& context) {
          return MakeValidationReport(scene, recordings, set, options, context);
        });
      },
      nb::arg("scene"), nb::arg("recordings"), nb::arg("validations"), nb::arg("options"), nb::arg("call"));
  module.def(
      "prediction_report",
      [](const Scene& scene, const std::vector<Recording>& recordings, const Prediction& prediction,
         const PredictOptions& options, const CallSettings& call) {
        return RunCall(call, [&](const Context& context) {
          return MakePredictionReport(scene, recordings, prediction, options, context);
        });
      },
      nb::arg("scene"), nb::arg("recordings"), nb::arg("prediction"), nb::arg("options"), nb::arg("call"));
  module.def(
      "read_report",
      [](const std::vector<std::string>& files, const std::string& scene_file, const CallSettings& call) {
        return RunCall(call, [&](const Context& context) { return ReadReport(files, scene_file, context); });
      },
      nb::arg("files"), nb::arg("scene_file"), nb::arg("call"));
}

}  // namespace ricochet::python
