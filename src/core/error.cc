// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/error.h"

#include <utility>

namespace ricochet {
namespace {

/// Whether a problem is a sentence about what stands before it: "is empty."
bool IsPredicate(const std::string& problem) { return problem.starts_with("is ") || problem.starts_with("has "); }

std::string Compose(const SourcePosition& where, const std::string& path, const std::string& problem,
                    const std::string& remedy) {
  std::string text = where.file;
  if (where.line > 0) {
    text.append(text.empty() ? "line " : ":").append(std::to_string(where.line));
    if (where.column > 0) text.append(":").append(std::to_string(where.column));
  }
  const bool predicate = IsPredicate(problem) && (!path.empty() || (!text.empty() && where.line == 0));
  if (!path.empty()) text.append(text.empty() ? "" : ": ").append(predicate ? "`" + path + "`" : path);
  if (!problem.empty()) text.append(text.empty() ? "" : predicate ? " " : ": ").append(problem);
  if (!remedy.empty()) text.append(text.empty() ? "" : " ").append(remedy);
  return text;
}

}  // namespace

InputError::InputError(SourcePosition where, std::string path, std::string problem, std::string remedy)
    : std::runtime_error(Compose(where, path, problem, remedy)),
      where_(std::move(where)),
      path_(std::move(path)),
      problem_(std::move(problem)),
      remedy_(std::move(remedy)) {}

InputError::~InputError() = default;

Cancelled::Cancelled(std::string task, std::string store)
    : std::runtime_error(store.empty() ? task + ": cancelled"
                                       : task + ": cancelled; " + store +
                                             " keeps what is finished, and the same call "
                                             "resumes from it"),
      task_(std::move(task)),
      store_(std::move(store)) {}

Cancelled::~Cancelled() = default;

}  // namespace ricochet
