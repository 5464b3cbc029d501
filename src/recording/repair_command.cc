// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/repair_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ricochet {

std::string RepairByImport(const Recording& recording, const std::map<std::string, std::string>& terms) {
  std::string list;
  if (recording.file.empty()) {
    for (const auto& [column, term] : terms) list += fmt::format("{}{}={}", list.empty() ? "" : ",", column, term);
    return "convert its columns: " + list;
  }
  const auto add = [&](const std::string& column) {
    const auto found = terms.find(column);
    list += fmt::format("{}{}={}", list.empty() ? "" : ",", column, found == terms.end() ? column : found->second);
  };
  add("t");
  for (const std::string& column : recording.columns) add(column);
  // Shells have a meaning for these.
  if (list.find_first_of("*()") != std::string::npos) list = "'" + list + "'";
  return fmt::format("run: ricochet import {} option `columns` {} -o repaired, and use repaired/{}", recording.file,
                     list, std::filesystem::path(recording.file).filename().replace_extension(".csv").string());
}

}  // namespace ricochet
