// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/tables/column_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/text.h"
#include "recording/column_names.h"
#include "recording/conventions.h"
#include "recording/recording_rules.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

const char* const kWrite = "Write terms such as t=frame/240,x=px*0.9mm,theta=angle*deg.";

[[noreturn]] void Fail(const std::string& problem, const std::string& remedy = kWrite) {
  throw InputError({}, "columns", problem, remedy);
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

/// Parts between commas that are in neither parentheses nor quotes.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0 && quote == 0)) {
      parts.push_back(Trim(text.substr(begin, i - begin)));
      begin = i + 1;
    } else if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      --depth;
    }
  }
  return parts;
}

/// One term: a cursor over its text.
class TermParser {
 public:
  TermParser(std::string_view term, const std::vector<std::string>& names) : names_(names) {
    term_.text = std::string(term);
    const std::size_t equals = term.find('=');
    if (equals == std::string_view::npos) Fail(fmt::format("`{}` has no `=`.", Printable(term)));
    term_.target = std::string(Trim(term.substr(0, equals)));
    rest_ = Trim(term.substr(equals + 1));
    if (!IsColumnName(term_.target))
      Fail(fmt::format("`{}` is not the name of a column.", Printable(term_.target)), std::string(kColumnNameRemedy));
  }

  ColumnTerm Parse() {
    if (rest_.starts_with('-')) {
      term_.factor = -1;
      rest_ = Trim(rest_.substr(1));
    }
    if (const std::size_t open = rest_.find('('); open != std::string_view::npos && IsFunction(rest_.substr(0, open))) {
      term_.function = std::string(rest_.substr(0, open));
      const std::size_t close = rest_.find(')', open);
      if (close == std::string_view::npos) Fail(fmt::format("`{}` has no `)`.", Printable(term_.text)));
      for (std::string_view part : SplitTerms(rest_.substr(open + 1, close - open - 1))) {
        std::string_view left = part;
        term_.sources.push_back(TakeSource(left));
        if (!Trim(left).empty()) Fail(fmt::format("`{}` is not a column.", Printable(part)));
      }
      rest_ = Trim(rest_.substr(close + 1));
      CheckFunction();
    } else {
      term_.sources.push_back(TakeSource(rest_));
    }
    while (!(rest_ = Trim(rest_)).empty()) TakeOperation();
    return term_;
  }

 private:
  static bool IsFunction(std::string_view name) {
    if (name == "xyzw" || name == "wxyz" || name == "matrix" || name == "unwrap") return true;
    if (!name.starts_with("euler-")) return false;
    std::string letters(name.substr(6));
    std::sort(letters.begin(), letters.end());
    return letters == "xyz";
  }

  void CheckFunction() {
    const bool scalar = term_.function == "unwrap";
    const std::size_t expected = scalar                                ? 1
                                 : term_.function == "matrix"          ? 9
                                 : term_.function.starts_with("euler") ? 3
                                                                       : 4;
    if (term_.sources.size() != expected)
      Fail(fmt::format("`{}` has {} columns instead of {}.", Printable(term_.text), term_.sources.size(), expected));
    if (!scalar && term_.target != "q" && !term_.target.ends_with(".q"))
      Fail(fmt::format("`{}` is a rotation, but the column is `{}`.", term_.function, term_.target),
           "Write q=... or NAME.q=...");
  }

  /// The longest name of a column at the beginning of the text, in quotes or not.
  std::size_t TakeSource(std::string_view& text) {
    if (text.starts_with('"') || text.starts_with('\'')) {
      const std::size_t end = text.find(text.front(), 1);
      if (end == std::string_view::npos) Fail(fmt::format("`{}` has an open quote.", Printable(term_.text)));
      const std::string_view name = text.substr(1, end - 1);
      text.remove_prefix(end + 1);
      return Find(name);
    }
    std::size_t best = names_.size(), longest = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string_view after = text.starts_with(names_[i]) ? Trim(text.substr(names_[i].size())) : "?";
      const bool ends = after.empty() || std::string_view("*/+-").find(after[0]) != std::string_view::npos;
      if (ends && names_[i].size() > longest) {
        best = i;
        longest = names_[i].size();
      }
    }
    if (best == names_.size()) return Find(Trim(text.substr(0, text.find_first_of("*/+"))));
    text.remove_prefix(longest);
    return best;
  }

  std::size_t Find(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end())
      Fail(fmt::format("there is no column `{}`.", Printable(name)), SuggestName(name, names_));
    return static_cast<std::size_t>(found - names_.begin());
  }

  /// * or / and a number, a unit or both; + or - and a number.
  void TakeOperation() {
    const char operation = rest_[0];
    if (std::string_view("*/+-").find(operation) == std::string_view::npos)
      Fail(fmt::format("`{}` is not understood in `{}`.", Printable(rest_), Printable(term_.text)));
    rest_ = Trim(rest_.substr(1));
    const std::size_t begin_of_next = rest_.find_first_of("*/");
    std::string_view operand = Trim(rest_.substr(0, begin_of_next));
    double value = 1;
    const char* const end = operand.data() + operand.size();
    const auto [stop, error] = std::from_chars(operand.data(), end, value);
    const bool has_number = error == std::errc();
    // An offset may follow a factor: 0.9mm+0.1.
    std::string_view unit = has_number ? operand.substr(static_cast<std::size_t>(stop - operand.data())) : operand;
    const std::size_t sign = unit.find_first_of("+-");
    std::size_t used = operand.size();
    if (sign != std::string_view::npos) {
      used -= unit.size() - sign;
      unit = unit.substr(0, sign);
    }
    unit = Trim(unit);
    double scale = 1;
    if (!unit.empty()) {
      scale = MetersPer(unit);
      if (scale == 0) scale = SecondsPer(unit);
      if (scale == 0) scale = RadiansPer(unit);
    }
    if (scale == 0 || (!has_number && unit.empty()) || !std::isfinite(value) || (operation == '/' && value == 0))
      Fail(fmt::format("`{}` is not a factor in `{}`.", Printable(operand), Printable(term_.text)),
           "Use numbers and the units m, cm, mm, in, ft, s, ms, us, ns, min, rad, deg, turn.");
    rest_ = rest_.substr(static_cast<std::size_t>(operand.data() - rest_.data()) + used);
    if (operation == '*') {
      term_.factor *= value * scale;
      term_.offset *= value * scale;
    } else if (operation == '/') {
      term_.factor /= value * scale;
      term_.offset /= value * scale;
    } else {
      term_.offset += (operation == '-' ? -1 : 1) * value * scale;
    }
  }

  const std::vector<std::string>& names_;
  std::string_view rest_;
  ColumnTerm term_;
};

}  // namespace

std::vector<ColumnTerm> ParseColumnTerms(std::string_view text, const std::vector<std::string>& names) {
  std::vector<ColumnTerm> terms;
  for (const std::string_view part : SplitTerms(text)) {
    terms.push_back(TermParser(part, names).Parse());
    for (std::size_t i = 0; i + 1 < terms.size(); ++i)
      if (terms[i].target == terms.back().target) Fail(fmt::format("`{}` is given twice.", terms[i].target));
  }
  return terms;
}

}  // namespace ricochet
