// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/reproduce.h"

#include "call.h"
#include "parts.h"
#include "record.h"

namespace ricochet::python {

void BindReproduce(nb::module_& module) {
  Record<ExperimentInfo>(module, "ExperimentInfo", "An experiment of a paper.")
      .Field("name", &ExperimentInfo::name, "\"gabiccini-drop\"")
      .Field("title", &ExperimentInfo::title, "What it shows and where it is in the paper.");
  Record<Comparison>(module, "Comparison", "A number of a paper beside Ricochet's.")
      .Field("quantity", &Comparison::quantity, "What is compared, with its unit.")
      .Field("paper", &Comparison::paper, "As the paper prints it.")
      .Field("ours", &Comparison::ours, "Ricochet's.")
      .Field("remark", &Comparison::remark, "Why they differ; empty where there is nothing to say.");
  module.def("find_experiments", &FindExperiments, nb::arg("names"));
  module.def("format_comparisons", &FormatComparisons, nb::arg("comparisons"));
  module.def(
      "reproduce",
      [](const std::string& name, const std::string& directory, const CallSettings& call) {
        return RunCall(call, [&](const Context& context) { return Reproduce(name, directory, context); });
      },
      nb::arg("name"), nb::arg("directory"), nb::arg("call"));
}

}  // namespace ricochet::python
