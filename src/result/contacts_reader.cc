// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "result/contacts_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/text.h"

namespace ricochet {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// Takes the next line off the text; false at its end.
bool NextLine(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  const std::size_t end = std::min(text.find('\n'), text.size());
  line = Trim(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return true;
}

void Split(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    cells.push_back(Trim(line.substr(begin, end - begin)));
    begin = end + 1;
  }
}

bool IsSkipped(std::string_view line) { return line.empty() || line.front() == '#'; }

class ContactsReader {
 public:
  ContactsReader(std::string_view text, std::string name) : rest_(text), name_(std::move(name)) {}

  std::vector<ContactRow> Read() {
    if (!NextRow()) Fail("", "the file is empty.", "Give the contacts of a simulation, unchanged.");
    header_.assign(cells_.begin(), cells_.end());
    const bool spatial = Column("tangential_impulse_x") >= 0;
    const int t = Need("t"), pair = Need("pair"), contact = Need("contact"), gap = Need("gap");
    const int normal = Need("normal_impulse"), mode = Need("mode"), px = Need("px"), py = Need("py");
    const int tx = Need(spatial ? "tangential_impulse_x" : "tangential_impulse");
    const int ty = spatial ? Need("tangential_impulse_y") : -1, pz = spatial ? Need("pz") : -1;
    std::vector<ContactRow> rows;
    while (NextRow()) {
      if (cells_.size() != header_.size())
        Fail("", fmt::format("{} cells where the header has {}.", cells_.size(), header_.size()), "Complete the row.");
      ContactRow& row = rows.emplace_back();
      row.time = Number(t);
      if (rows.size() > 1 && row.time < rows[rows.size() - 2].time)
        Fail("t", "time decreases.", "Sort the rows by time.");
      row.pair = std::string(cells_[pair]);
      row.contact = static_cast<int>(std::clamp(Number(contact), 0.0, 65535.0));
      row.gap = Number(gap);
      row.normal_impulse = Number(normal);
      row.tangential_impulse = {Number(tx), ty >= 0 ? Number(ty) : 0.0};
      row.point = {Number(px), Number(py), pz >= 0 ? Number(pz) : 0.0};
      if (cells_[mode] != "stick" && cells_[mode] != "slide")
        Fail("mode", fmt::format("`{}` is not a contact mode.", Printable(cells_[mode])), "Use stick or slide.");
      row.slides = cells_[mode] == "slide";
    }
    return rows;
  }

 private:
  bool NextRow() {
    std::string_view line;
    while (NextLine(rest_, line)) {
      ++line_;
      if (IsSkipped(line)) continue;
      Split(line, cells_);
      return true;
    }
    return false;
  }
  int Column(std::string_view name) const {
    const auto at = std::find(header_.begin(), header_.end(), name);
    return at == header_.end() ? -1 : static_cast<int>(at - header_.begin());
  }
  int Need(std::string_view name) const {
    const int column = Column(name);
    if (column < 0) Fail(std::string(name), "the column is missing.", "Give the contacts of a simulation, unchanged.");
    return column;
  }
  double Number(int column) const {
    const std::string_view cell = cells_[column];
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
      Fail(header_[column], fmt::format("`{}` is not a finite number.", Printable(cell)), "Correct the cell.");
    return value;
  }
  [[noreturn]] void Fail(const std::string& column, const std::string& problem, const std::string& remedy) const {
    throw InputError({name_, line_, 0}, Printable(column), problem, remedy);
  }

  std::string_view rest_;
  std::string name_;
  int line_ = 0;
  std::vector<std::string_view> cells_;
  std::vector<std::string> header_;
};

}  // namespace

bool LooksLikeContacts(std::string_view text) {
  std::string_view line;
  while (NextLine(text, line)) {
    if (IsSkipped(line)) continue;
    std::vector<std::string_view> cells;
    Split(line, cells);
    return std::find(cells.begin(), cells.end(), "t") != cells.end() &&
           std::find(cells.begin(), cells.end(), "pair") != cells.end();
  }
  return false;
}

std::vector<ContactRow> ParseContacts(std::string_view text, const std::string& name) {
  return ContactsReader(text, name).Read();
}

}  // namespace ricochet
