// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <stdexcept>
#include <string>

namespace ricochet {

/// Where something stands in a file a person wrote. Lines and columns count from 1; 0 means "not known".
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;
};

/// Wrong input: a scene, a recording or a command line that cannot be used. Commands print `what()` and exit with 2.
///
/// A message says where, what cannot be and why, and what to do, in the user's words:
///
///     box.yaml:9:14: bodies.box.mass: -1 kg cannot be: a mass is positive. Give the mass in kilograms.
///
/// `path` is the parameter path or column name; file, line, column and path are left out of the text when empty.
class InputError : public std::runtime_error {
 public:
  InputError(SourcePosition where, std::string path, std::string problem, std::string remedy);

  const SourcePosition& where() const { return where_; }
  const std::string& path() const { return path_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

 private:
  SourcePosition where_;
  std::string path_;
  std::string problem_;
  std::string remedy_;
};

/// Numerics that did not reach what was asked. Solvers report failure in their summaries; a command turns a failed
/// summary into this, and exits with 3 after saying what was reached.
class NumericsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ricochet
