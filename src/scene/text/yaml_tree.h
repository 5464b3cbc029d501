// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A YAML text as a tree of nodes that know where they stand.
//
// The scene reader needs three things that a general YAML library's own tree does not give together: the line, column
// and byte range of every scalar (messages point there, and calibrated scenes are written there), repeated keys (an
// error here), and a bound on what a hostile text may cost. So the events of yaml-cpp's parser fill this small tree.
//
// What a scene does not need is rejected with a message: anchors and aliases (hence no exponential expansion), merge
// keys, tags, several documents in a file, keys that are not plain words, text over several lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/error.h"

namespace ricochet {

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  bool quoted = false;             // scalar in quotes: text, never a number
  bool flow = false;               // list or map in brackets
  std::string scalar;              // the value, without quotes
  std::vector<YamlNode> items;     // of a list
  std::vector<YamlEntry> entries;  // of a map, in the order of the text
  std::size_t begin = 0;           // byte range in the text; `end` is that of the last part for block lists and maps
  std::size_t end = 0;
  int line = 0, column = 0;  // from 1, in characters, for messages; of the key for block lists and maps

  /// Value of a key, or null.
  const YamlNode* Get(std::string_view key) const;
};

struct YamlEntry {
  std::string key;
  std::size_t key_begin = 0;
  int line = 0, column = 0;  // of the key
  YamlNode value;
};

struct YamlLimits {
  std::size_t bytes = 1u << 20;  // of the text
  int depth = 32;                // of nested lists and maps
};

/// Parses one document. Throws InputError with file, line and column. A byte-order mark at the start is skipped; byte
/// ranges count from the start of `text` including it.
YamlNode ParseYaml(const std::string& text, const std::string& name_in_messages, const YamlLimits& limits = {});

/// The text of a tree, which parses to the same tree: the two outer levels of maps in block style, one entry per line,
/// and everything below in flow style. Scalars that are not `quoted` are written as they are and must be plain words or
/// numbers.
std::string FormatYaml(const YamlNode& root);

/// Position of a node for messages.
SourcePosition PositionOf(const YamlNode& node, const std::string& file);

}  // namespace ricochet
