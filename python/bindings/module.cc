// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "parts.h"
#include "ricochet/version.h"

NB_MODULE(_core, module) {
  module.doc() = "The public C++ API of Ricochet. Use the package `ricochet`.";
#ifdef NDEBUG
  nanobind::set_leak_warnings(false);  // notebooks keep what cells made until the interpreter ends
#endif
  module.def("version", &ricochet::Version, "Version of the library.");
  module.def("commit", &ricochet::Commit, "Commit that the library was built from.");
  ricochet::python::BindErrors(module);
  ricochet::python::BindRanks(module);
  ricochet::python::BindCall(module);
  ricochet::python::BindScene(module);
  ricochet::python::BindRecording(module);
  ricochet::python::BindImport(module);
  ricochet::python::BindMethods(module);
  ricochet::python::BindSimulate(module);
  ricochet::python::BindSimulator(module);
  ricochet::python::BindRollout(module);
  ricochet::python::BindEstimate(module);
  ricochet::python::BindIdentify(module);
  ricochet::python::BindExamine(module);
  ricochet::python::BindCalibrateFrame(module);
  ricochet::python::BindValidate(module);
  ricochet::python::BindPredict(module);
  ricochet::python::BindSweep(module);
  ricochet::python::BindReport(module);
  ricochet::python::BindReproduce(module);
}
