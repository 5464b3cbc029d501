// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Small text tools that messages and files share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet {

/// Shortest decimal text that reads back to exactly this double; `nan`, `inf`, `-inf` for the others.
std::string FormatDouble(double value);

/// Longest text FormatDoubleTo writes ("-2.2250738585072014e-308" has 24 characters).
inline constexpr int kDoubleTextSize = 32;

/// The same text written to a buffer of at least kDoubleTextSize characters; returns its end.
char* FormatDoubleTo(char* out, double value);

/// `a`, `a and b`, `a, b and c`.
std::string JoinList(std::span<const std::string> items, std::string_view last_word = "and");

/// Number of insertions, deletions, replacements and swaps of neighbors (optimal string alignment) that turn a into b.
int EditDistance(std::string_view a, std::string_view b);

/// The known name that someone who wrote `name` most likely meant, or empty when none is close: about a third of the
/// longer name differs at most, letter case and the difference between `-` and `_` count nothing. Ties go to the first.
std::string NearestName(std::string_view name, std::span<const std::string> known);

/// For the remedy of a message about an unknown name: "Did you mean `mass`?" or, when none is close, "Available: a, b
/// and c." (at most 12 of them are listed).
std::string SuggestName(std::string_view name, std::span<const std::string> known);

/// Text from a file as it can be shown in a message: control characters and bytes that are not ASCII become `?`, long
/// text is cut and ends in `...`.
std::string Printable(std::string_view text, int longest = 40);

/// Letters A to Z count as a to z.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);

/// A space or a tabulator.
inline bool IsBlank(char c) { return c == ' ' || c == '\t'; }

/// Whether it matches [A-Za-z_][A-Za-z0-9_]*, the rule for names in scenes and recordings.
bool IsName(std::string_view text);

}  // namespace ricochet
