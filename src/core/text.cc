// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace ricochet {
namespace {

bool IsLetterOrUnderscore(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string Folded(std::string_view text) {
  std::string folded(text);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return folded;
}

}  // namespace

char* FormatDoubleTo(char* out, double value) {
  if (std::isnan(value)) return std::copy_n("nan", 3, out);
  return std::to_chars(out, out + kDoubleTextSize, value).ptr;
}

std::string FormatDouble(double value) {
  char buffer[kDoubleTextSize];
  return std::string(buffer, FormatDoubleTo(buffer, value));
}

std::string JoinList(std::span<const std::string> items, std::string_view last_word) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0 && i + 1 == items.size()) {
      text.append(" ").append(last_word).append(" ");
    } else if (i > 0) {
      text += ", ";
    }
    text += items[i];
  }
  return text;
}

int EditDistance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: a swap looks two rows back.
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string NearestName(std::string_view name, std::span<const std::string> known) {
  constexpr std::size_t kLongest = 200;
  if (name.empty() || name.size() > kLongest) return {};
  const std::string folded = Folded(name);
  std::string best;
  int best_distance = -1;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongest) continue;
    const int distance = EditDistance(folded, Folded(candidate));
    const int allowed = std::max<int>(1, static_cast<int>(std::max(name.size(), candidate.size()) + 1) / 3);
    // A name of one or two letters has every other such name at distance one: only a change of case is a slip there.
    const bool close = distance == 0 || (distance <= allowed && std::min(name.size(), candidate.size()) > 2);
    if (close && (best_distance < 0 || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string SuggestName(std::string_view name, std::span<const std::string> known) {
  const std::string nearest = NearestName(name, known);
  if (!nearest.empty()) return "Did you mean `" + nearest + "`?";
  if (known.empty()) return {};
  constexpr std::size_t kMost = 12;
  if (known.size() <= kMost) return "Available: " + JoinList(known) + ".";
  std::vector<std::string> shown(known.begin(), known.begin() + kMost);
  shown.push_back(std::to_string(known.size() - kMost) + " more");
  return "Available: " + JoinList(shown) + ".";
}

std::string Printable(std::string_view text, int longest) {
  std::string shown;
  for (char c : text.substr(0, static_cast<std::size_t>(longest))) shown += (c >= ' ' && c <= '~') ? c : '?';
  if (text.size() > static_cast<std::size_t>(longest)) shown += "...";
  return shown;
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool IsName(std::string_view text) {
  if (text.empty() || !IsLetterOrUnderscore(text[0])) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLetterOrUnderscore(c) || (c >= '0' && c <= '9'); });
}

}  // namespace ricochet
