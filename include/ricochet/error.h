// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What the library throws.
//
//     try {
//       const ricochet::Scene scene = ricochet::ReadScene("box.yaml");
//       ...
//     } catch (const ricochet::InputError& error) {   // something that you passed in cannot be used
//       std::cerr << error.what() << "\n";             // says where, what and what to do
//     } catch (const ricochet::Cancelled&) {           // the token of the Context was cancelled
//     }
//
// Numerics that fail do not throw: results say so (Estimate::converged, SimulationSummary::failed_steps) and hold what
// was reached.
#pragma once

#include <stdexcept>
#include <string>

namespace ricochet {

/// A place in a file that a person wrote. Lines and columns count from 1; 0 means "not known".
struct SourcePosition {
  std::string file;  // as it was named in the call; empty: the input is not from a file
  int line = 0;      // 0: the message is about the file as a whole
  int column = 0;    // in bytes of the line
};

/// Wrong input: a scene, a recording, a parameter path or an option that cannot be used.
///
/// The message says where the mistake is, what is wrong and why, and what to do, in the user's words:
///
///     box.yaml:9:11: bodies.box.mass: -1 kg is not valid: mass must be positive. Give the mass in kilograms.
///
/// A message about an argument names the field of the options struct: `path()` is "bootstrap" when
/// IdentifyOptions::bootstrap cannot have its value, and texts write "option `bootstrap`".
class InputError : public std::runtime_error {
 public:
  /// what() joins the parts: "FILE:LINE:COLUMN: PATH: PROBLEM REMEDY", without those that are empty.
  InputError(SourcePosition where, std::string path, std::string problem, std::string remedy);
  ~InputError() override;

  /// The file and the place in it; an empty file where the input did not come from one.
  const SourcePosition& where() const { return where_; }

  /// Parameter path, column of a recording, or name of an option; empty when there is none.
  const std::string& path() const { return path_; }

  /// What is wrong, and what to do about it: sentences. A problem that begins with "is" or "has" is about path(), or
  /// about the file.
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

 private:
  SourcePosition where_;
  std::string path_;
  std::string problem_;
  std::string remedy_;
};

/// The token of the Context was cancelled (context.h). What can be resumed has been stored.
class Cancelled : public std::runtime_error {
 public:
  /// `store` is the file to resume from.
  explicit Cancelled(std::string task, std::string store = {});
  ~Cancelled() override;

  /// What was going on: "identify", "sweep".
  const std::string& task() const { return task_; }

  /// File that keeps the finished part: the same call resumes from it. Empty when nothing was stored.
  const std::string& store() const { return store_; }

 private:
  std::string task_;
  std::string store_;
};

/// Numerics that did not reach what a caller cannot do without, such as a sweep in which no simulation can be compared.
/// what() is one sentence. Fits and simulations that fail do not throw it: their results say so.
class NumericsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ricochet
