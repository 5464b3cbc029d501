// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <nanobind/stl/string.h>

#include <exception>

#include "parts.h"
#include "ricochet/error.h"
#include "socket_ranks.h"

namespace ricochet::python {
namespace {

namespace nb = nanobind;

/// Raises an exception of ricochet/_base/errors.py, whose classes are plain Python.
template <class... Arguments>
void Raise(const char* name, const Arguments&... arguments) {
  const nb::object type = nb::module_::import_("ricochet._base.errors").attr(name);
  const nb::object value = type(arguments...);
  PyErr_SetObject(type.ptr(), value.ptr());
}

void Translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    const SourcePosition& where = error.where();
    Raise("InputError", error.problem(), error.remedy(), error.path(), where.file, where.line, where.column,
          std::string(error.what()));
  } catch (const Cancelled& error) {
    Raise("Cancelled", error.task(), error.store());
  } catch (const NumericsError& error) {
    Raise("NumericsError", std::string(error.what()));
  } catch (const RankLost& error) {
    Raise("WorkerLost", std::string(error.what()));
  }
}

}  // namespace

void BindErrors(nb::module_&) { nb::register_exception_translator(&Translate); }

}  // namespace ricochet::python
