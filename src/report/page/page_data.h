// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The data of a page: a JSON text with all names, numbers and words, and one block of bytes with all long columns. In
// the JSON a column is {"at": byte, "n": count, "type": "f4" | "f8" | "u1" | "u2"}, little endian, aligned to 8 bytes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ricochet/report.h"

namespace ricochet {

struct PageData {
  std::string json;   // ASCII without <, > and &: safe inside a <script> element
  std::string bytes;  // before base64
};

/// Motions are thinned for display (thinning.h).
PageData MakePageData(const ReportData& data);

/// JSON text made safe for a <script> element: what is not ASCII, and <, > and &, become \uXXXX.
std::string EscapeJson(const std::string& json);

}  // namespace ricochet
