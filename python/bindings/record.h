// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Plain structs of the library as Python classes: read-only attributes, and a state that pickles, copies and compares.
//
//     Record<Interval>(m, "Interval", "An interval of a parameter.")
//         .Field("lower", &Interval::lower, "Lower end; None: no limit.")
//         .Field("upper", &Interval::upper, "Upper end; None: no limit.");
//
// Every field is declared once. `_fields` lists their names; `__getstate__` and `__setstate__` go through them, so what
// has an attribute is also pickled. ricochet/_base/values.py makes copying, comparing and printing from `_fields`.
#pragma once

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <new>
#include <string>
#include <vector>

#include "ricochet/error.h"

namespace ricochet::python {

namespace nb = nanobind;

/// Declares a struct that has a default constructor.
template <class Struct>
class Record {
 public:
  Record(nb::module_& module, const char* name, const char* doc) : class_(module, name, doc) {
    class_.attr("_fields") = nb::tuple();
    class_.def("__getstate__", [](const Struct& self) {
      nb::dict state;
      for (const Entry& entry : entries()) state[entry.name.c_str()] = entry.get(self);
      return state;
    });
    class_.def("__setstate__", [](Struct& self, const nb::dict& state) {
      new (&self) Struct{};
      for (const Entry& entry : entries()) {
        if (!state.contains(entry.name.c_str()))
          throw InputError({}, entry.name, "the pickle does not have this field.",
                           "Load it with the version of Ricochet that wrote it, or compute the result again.");
        entry.set(self, state[entry.name.c_str()]);
      }
    });
  }

  /// A member, shown as a read-only attribute.
  template <class Member>
  Record& Field(const char* name, Member Struct::*member, const char* doc) {
    class_.def_prop_ro(
        name, [member](const Struct& self) { return self.*member; }, doc);
    entries().push_back({name, [member](const Struct& self) { return nb::cast(self.*member); },
                         [member](Struct& self, nb::handle value) { self.*member = nb::cast<Member>(value); }});
    class_.attr("_fields") = nb::tuple(class_.attr("_fields") + nb::make_tuple(name));
    return *this;
  }

  /// For what a struct has besides fields: functions.
  nb::class_<Struct>& definition() { return class_; }

 private:
  struct Entry {
    std::string name;
    std::function<nb::object(const Struct&)> get;
    std::function<void(Struct&, nb::handle)> set;
  };
  static std::vector<Entry>& entries() {
    static std::vector<Entry> all;
    return all;
  }

  nb::class_<Struct> class_;
};

}  // namespace ricochet::python
