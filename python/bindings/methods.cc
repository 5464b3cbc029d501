// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/methods.h"

#include "parts.h"
#include "record.h"

namespace ricochet::python {

void BindMethods(nb::module_& module) {
  Record<MethodOption>(module, "MethodOption", "An option of a stepper or estimator.")
      .Field("name", &MethodOption::name, "Name of the option.")
      .Field("help", &MethodOption::help, "What it does, in one line.")
      .Field("unit", &MethodOption::unit, "Of a number; empty for none.")
      .Field("values_text", &MethodOption::values_text, "What it takes, in words.")
      .Field("default_text", &MethodOption::default_text, "Its default, in words.");
  Record<MethodInfo>(module, "MethodInfo", "A stepper or an estimator.")
      .Field("name", &MethodInfo::name, "Name: \"moreau\", \"trajectory\".")
      .Field("summary", &MethodInfo::summary, "What it is for, in one line.")
      .Field("paper", &MethodInfo::paper, "Where it was published.")
      .Field("capabilities", &MethodInfo::capabilities, "What it can handle.")
      .Field("options", &MethodInfo::options, "Its options.");
  module.def("list_steppers", &ListSteppers);
  module.def("list_estimators", &ListEstimators);
  module.def("format_methods", &FormatMethods);
}

}  // namespace ricochet::python
