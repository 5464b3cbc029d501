// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The parts of the module, one source each. Later ones use the classes of earlier ones.
#pragma once

#include <nanobind/nanobind.h>

namespace ricochet::python {

void BindErrors(nanobind::module_& module);          // exceptions
void BindRanks(nanobind::module_& module);           // processes that share work
void BindCall(nanobind::module_& module);            // how a call runs
void BindScene(nanobind::module_& module);           // scenes and their parameters
void BindRecording(nanobind::module_& module);       // recordings
void BindImport(nanobind::module_& module);          // files of other programs
void BindMethods(nanobind::module_& module);         // steppers and estimators
void BindSimulate(nanobind::module_& module);        // simulations from start to end
void BindSimulator(nanobind::module_& module);       // simulations step by step, with derivatives
void BindRollout(nanobind::module_& module);         // many simulations at once
void BindEstimate(nanobind::module_& module);        // estimates
void BindIdentify(nanobind::module_& module);        // identify, identifiability
void BindExamine(nanobind::module_& module);         // doctor
void BindCalibrateFrame(nanobind::module_& module);  // calibrate_frame
void BindValidate(nanobind::module_& module);        // validate, sensitivity, cross-validation
void BindPredict(nanobind::module_& module);         // predict
void BindSweep(nanobind::module_& module);           // sweep
void BindReport(nanobind::module_& module);          // report pages
void BindReproduce(nanobind::module_& module);       // experiments of the papers

}  // namespace ricochet::python
