// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/text/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_set>
#include <utility>

namespace ricochet {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kAliasProblem = "an alias (`*name`) is not part of the scene format.";
constexpr std::string_view kAliasRemedy = "Write the value out in each place.";

// Lines and columns of byte offsets.
class LineTable {
 public:
  explicit LineTable(std::string_view text) : text_(text) {
    starts_.push_back(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') starts_.push_back(i + 1);
    }
  }

  void Locate(std::size_t offset, int& line, int& column) const {
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    const auto index = std::max<std::ptrdiff_t>(next - starts_.begin() - 1, 0);
    // Nodes come in the order of the text: on a long line, count on from the last one.
    if (index != last_index_ || offset < last_offset_) {
      last_index_ = index;
      last_offset_ = starts_[static_cast<std::size_t>(index)];
      last_column_ = 1;
    }
    for (; last_offset_ < std::min(offset, text_.size()); ++last_offset_) {
      if ((static_cast<unsigned char>(text_[last_offset_]) & 0xC0) != 0x80) ++last_column_;
    }
    line = static_cast<int>(index) + 1;
    column = last_column_;
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
  mutable std::ptrdiff_t last_index_ = -1;
  mutable std::size_t last_offset_ = 0;
  mutable int last_column_ = 1;
};

[[noreturn]] void Refuse(const LineTable& lines, const std::string& file, std::size_t offset, std::string problem,
                         std::string remedy) {
  SourcePosition where{file, 0, 0};
  lines.Locate(offset, where.line, where.column);
  throw InputError(where, "", std::move(problem), std::move(remedy));
}

// Length of the UTF-8 sequence at `i`, or 0 when it is none.
std::size_t Utf8Length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(i);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond Unicode.
  if (first == 0xE0 && byte(i + 1) < 0xA0) return 0;
  if (first == 0xED && byte(i + 1) > 0x9F) return 0;
  if (first == 0xF0 && byte(i + 1) < 0x90) return 0;
  if (first == 0xF4 && byte(i + 1) > 0x8F) return 0;
  return length;
}

void CheckBytes(std::string_view text, const LineTable& lines, const std::string& file) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7F) {
      Refuse(lines, file, i, fmt::format("the byte 0x{:02x} is not allowed in text.", byte),
             "Save the scene as plain UTF-8 text.");
    }
    const std::size_t length = Utf8Length(text, i);
    if (length == 0) {
      Refuse(lines, file, i, fmt::format("the byte 0x{:02x} is not UTF-8.", byte), "Save the scene as UTF-8 text.");
    }
    i += length;
  }
}

// What the parser did not understand, in other words where the cause is plain.
[[noreturn]] void ExplainYamlError(std::string_view text, std::size_t at, const LineTable& lines,
                                   const std::string& file, const std::string& message) {
  if (at < text.size() && text[at] == '*') {
    Refuse(lines, file, at, std::string(kAliasProblem), std::string(kAliasRemedy));
  }
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t tab = text.find_first_not_of(' ', start);
  if (tab != std::string_view::npos && text[tab] == '\t') {
    Refuse(lines, file, tab, "the line is indented with a tab.", "Indent with spaces.");
  }
  Refuse(lines, file, at, fmt::format("this is not valid YAML: {}.", message),
         "Check indentation, brackets, quotes and colons here and in the line above.");
}

// Fills the tree from the parser's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& text, std::size_t offset, const LineTable& lines, const std::string& file,
              const YamlLimits& limits)
      : text_(text), offset_(offset), lines_(lines), file_(file), limits_(limits) {}

  YamlNode TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    Fail(mark, fmt::format("the anchor `&{}` is not part of the scene format.", name),
         "Write the value out in each place.");
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Fail(mark, std::string(kAliasProblem), std::string(kAliasRemedy));
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    YamlNode node = NodeAt(mark, YamlNode::Kind::kNull);
    // `key:` has nothing to show, `key: null` and `key: ~` have a word.
    for (const std::string_view word : {"null", "Null", "NULL", "~"}) {
      if (std::string_view(text_).substr(node.begin).starts_with(word)) node.end = node.begin + word.size();
    }
    Add(std::move(node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    CheckTag(mark, tag);
    YamlNode node = NodeAt(mark, YamlNode::Kind::kScalar);
    node.scalar = value;
    const std::string_view rest = std::string_view(text_).substr(std::min(node.begin, text_.size()));
    const char first = rest.empty() ? '\0' : rest.front();
    node.quoted = first == '"' || first == '\'';
    if (node.quoted) {
      std::size_t i = 1;
      while (i < rest.size() && rest[i] != first) i += first == '"' && rest[i] == '\\' ? 2 : 1;
      while (first == '\'' && i + 1 < rest.size() && rest[i + 1] == '\'') {  // '' is a quote inside
        i += 2;
        while (i < rest.size() && rest[i] != first) ++i;
      }
      node.end = node.begin + std::min(i + 1, rest.size());
    } else {
      node.end = node.begin + value.size();
    }
    if (value.find('\n') != std::string::npos || (!node.quoted && !rest.starts_with(value)) ||
        std::string_view(text_).substr(node.begin, node.end - node.begin).find('\n') != std::string_view::npos) {
      const auto open = std::find_if(levels_.begin(), levels_.end(), [](const Level& l) { return l.node.flow; });
      if (!node.quoted && open != levels_.end())
        Fail(mark, "text over several lines is not part of the scene format.",
             fmt::format("Close the bracket that opens in line {}, or write the value on one line.", open->node.line));
      Fail(mark, "text over several lines is not part of the scene format.", "Write the value on one line.");
    }
    Add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value style) override {
    Open(mark, tag, style, YamlNode::Kind::kList);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value style) override {
    Open(mark, tag, style, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Level {
    YamlNode node;
    bool have_key = false;  // of a map: a key waits for its value
    std::unordered_set<std::string> keys;
  };

  [[noreturn]] void Fail(const YAML::Mark& mark, std::string problem, std::string remedy) const {
    Refuse(lines_, file_, offset_ + static_cast<std::size_t>(mark.pos), std::move(problem), std::move(remedy));
  }

  YamlNode NodeAt(const YAML::Mark& mark, YamlNode::Kind kind) const {
    YamlNode node;
    node.kind = kind;
    node.begin = node.end = offset_ + static_cast<std::size_t>(mark.pos);
    lines_.Locate(node.begin, node.line, node.column);
    return node;
  }

  void CheckTag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!") {
      Fail(mark, fmt::format("the tag `{}` is not part of the scene format.", tag), "Leave the tag out.");
    }
  }

  void Open(const YAML::Mark& mark, const std::string& tag, YAML::EmitterStyle::value style, YamlNode::Kind kind) {
    CheckTag(mark, tag);
    if (static_cast<int>(levels_.size()) >= limits_.depth) {
      Fail(mark, fmt::format("lists and maps are nested more than {} deep.", limits_.depth),
           "A scene needs no more than ten; check the brackets.");
    }
    if (!levels_.empty() && levels_.back().node.kind == YamlNode::Kind::kMap && !levels_.back().have_key) {
      Fail(mark, "a list or map cannot be a key.", "Keys are names; check brackets and colons.");
    }
    Level level;
    level.node = NodeAt(mark, kind);
    level.node.flow = style == YAML::EmitterStyle::Flow;
    levels_.push_back(std::move(level));
  }

  void Close() {
    YamlNode node = std::move(levels_.back().node);
    levels_.pop_back();
    if (!node.items.empty()) node.end = node.items.back().end;
    if (!node.entries.empty()) node.end = node.entries.back().value.end;
    if (node.flow) node.end = AfterBracket(node);
    Add(std::move(node));
  }

  // The byte after the bracket that closes a flow list or map, past blanks, commas and comments.
  std::size_t AfterBracket(const YamlNode& node) const {
    const char bracket = node.kind == YamlNode::Kind::kList ? ']' : '}';
    std::size_t i = std::max(node.end, node.begin + 1);
    bool comment = false;
    for (; i < text_.size(); ++i) {
      if (text_[i] == '\n') comment = false;
      if (text_[i] == '#') comment = true;
      if (!comment && text_[i] == bracket) return i + 1;
    }
    return text_.size();
  }

  void Add(YamlNode node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == YamlNode::Kind::kList) {
      level.node.items.push_back(std::move(node));
    } else if (level.have_key) {
      YamlEntry& entry = level.node.entries.back();
      entry.value = std::move(node);
      if (entry.value.kind != YamlNode::Kind::kScalar && !entry.value.flow) {
        // What has no mark of its own is shown where its key stands.
        entry.value.line = entry.line;
        entry.value.column = entry.column;
      }
      level.have_key = false;
    } else {
      AddKey(level, node);
    }
  }

  void AddKey(Level& level, const YamlNode& key) {
    const auto refuse = [&](std::string problem, std::string remedy) {
      Refuse(lines_, file_, key.begin, std::move(problem), std::move(remedy));
    };
    if (key.kind != YamlNode::Kind::kScalar || key.scalar.empty()) {
      refuse("an empty key is not part of the scene format.", "Keys are names; check colons and braces.");
    }
    if (key.scalar == "<<" && !key.quoted) {
      refuse("the merge key `<<` is not part of the scene format.", "Write the values out in each place.");
    }
    if (!level.keys.insert(key.scalar).second) {
      refuse(fmt::format("the key `{}` occurs twice in one map.", key.scalar), "Keep one of them.");
    }
    level.node.entries.push_back({key.scalar, key.begin, key.line, key.column, {}});
    level.have_key = true;
  }

  const std::string& text_;
  std::size_t offset_;
  const LineTable& lines_;
  const std::string& file_;
  YamlLimits limits_;
  std::vector<Level> levels_;
  YamlNode root_;
};

// Text in double quotes, control characters escaped.
std::string Quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Keys are names, or have points and slashes: `hinge.angle`, `box/floor`.
std::string FormatKey(const std::string& key) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '/';
  };
  const bool is_plain = !key.empty() && std::all_of(key.begin(), key.end(), plain) && !(key[0] >= '0' && key[0] <= '9');
  return is_plain ? key : Quote(key);
}

void FormatFlow(const YamlNode& node, std::string& out) {
  const char* separator = "";
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      out += '~';
      break;
    case YamlNode::Kind::kScalar:
      out += node.quoted ? Quote(node.scalar) : node.scalar;
      break;
    case YamlNode::Kind::kList:
      out += '[';
      for (const YamlNode& item : node.items) {
        out += std::exchange(separator, ", ");
        FormatFlow(item, out);
      }
      out += ']';
      break;
    case YamlNode::Kind::kMap:
      out += '{';
      for (const YamlEntry& entry : node.entries) {
        out += std::exchange(separator, ", ");
        out += FormatKey(entry.key) + ": ";
        FormatFlow(entry.value, out);
      }
      out += '}';
      break;
  }
}

}  // namespace

std::string FormatYaml(const YamlNode& root) {
  std::string out;
  for (const YamlEntry& section : root.entries) {
    out += FormatKey(section.key) + ":";
    const bool block = section.value.kind == YamlNode::Kind::kMap && !section.value.entries.empty() &&
                       section.value.entries.front().value.kind == YamlNode::Kind::kMap;
    if (!block) {
      out += ' ';
      FormatFlow(section.value, out);
    } else {
      for (const YamlEntry& entry : section.value.entries) {
        out += "\n  " + FormatKey(entry.key) + ": ";
        FormatFlow(entry.value, out);
      }
    }
    out += '\n';
  }
  return out;
}

const YamlNode* YamlNode::Get(std::string_view key) const {
  for (const YamlEntry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

SourcePosition PositionOf(const YamlNode& node, const std::string& file) { return {file, node.line, node.column}; }

YamlNode ParseYaml(const std::string& text, const std::string& name_in_messages, const YamlLimits& limits) {
  const SourcePosition whole{name_in_messages, 0, 0};
  if (text.size() > limits.bytes) {
    throw InputError(
        whole, "", fmt::format("the text has {} bytes, more than the {} a scene may have.", text.size(), limits.bytes),
        "Check that this is the scene and not a recording.");
  }
  const LineTable lines(text);
  CheckBytes(text, lines, name_in_messages);
  const std::size_t offset = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  try {
    std::istringstream stream(text.substr(offset));
    YAML::Parser parser(stream);
    TreeBuilder builder(text, offset, lines, name_in_messages, limits);
    if (!parser.HandleNextDocument(builder)) {
      throw InputError(whole, "", "the scene is empty.", "Start with `ricochet: 1`.");
    }
    YamlNode root = builder.TakeRoot();
    TreeBuilder rest(text, offset, lines, name_in_messages, limits);
    if (parser.HandleNextDocument(rest)) {
      YamlNode second = rest.TakeRoot();
      throw InputError(PositionOf(second, name_in_messages), "", "a second document begins here.",
                       "Write one scene per file, without `---` between parts.");
    }
    return root;
  } catch (const YAML::Exception& error) {
    const std::size_t at = error.mark.is_null() ? offset : offset + static_cast<std::size_t>(error.mark.pos);
    ExplainYamlError(text, std::min(at, text.size()), lines, name_in_messages, error.msg);
  }
}

}  // namespace ricochet
