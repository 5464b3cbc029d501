// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Damaged files for importers, and the messages they must give: tests/data/import/KIND_messages.txt has a line per
// case, `name: message`, read and judged by a person. A case whose message changes fails until the line is changed too.
#pragma once

#include <functional>
#include <span>
#include <string>

namespace ricochet::testing {

struct DamagedFile {
  const char* name;
  std::string content;
};

/// `text` with the first `from` replaced; `from` must be there.
std::string Replaced(std::string text, const std::string& from, const std::string& to);

/// What an InputError says; "accepted" when nothing is thrown, "other exception: ..." for anything else.
std::string MessageOf(const std::function<void()>& act);

/// Imports each file and compares what is said with the stored messages; there must be at least 30 of them.
void CheckDamaged(const std::string& kind, std::span<const DamagedFile> files,
                  const std::function<void(const std::string&)>& import);

}  // namespace ricochet::testing
