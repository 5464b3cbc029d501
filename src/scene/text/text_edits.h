// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Changes to a YAML text that leave everything else, comments too, as it is.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scene/text/yaml_tree.h"

namespace ricochet {

/// Collects replacements of scalars and additions of keys, by byte ranges of one text, and applies them together.
class TextEdits {
 public:
  /// `root` is the tree of `text`; both must live as long as this.
  TextEdits(const std::string& text, const YamlNode& root) : text_(text), root_(root) {}

  /// Puts another text in place of a scalar.
  void Replace(const YamlNode& scalar, std::string with);

  /// Adds a value at a list of keys, of which the first ones may exist: what is missing is added after the siblings, in
  /// their style. Indices are decimal keys. `value` is text in flow style.
  void AddValue(const std::vector<std::string>& keys, const std::string& value);

  /// Turns the list at a top-level key into a map that has it under `channels`, for keys that are added after. Only for
  /// `observe`, which may be written either way.
  void WrapList(const std::string& key, const std::string& inner_key);

  /// The changed text.
  std::string Apply() const;

 private:
  struct Edit {
    std::size_t begin, end;
    int depth;  // at one place the deeper addition comes first
    std::string text;
  };
  // Keys to be added somewhere: a value, or keys below.
  struct Addition {
    std::string key, value;
    std::vector<Addition> below;
  };
  struct Target {
    int depth = 0;
    bool wrapped = false;  // the node is a list that becomes a map
    std::string inner_key;
    std::vector<Addition> additions;
  };

  static void Insert(std::vector<Addition>& additions, const std::vector<std::string>& keys, std::size_t first,
                     const std::string& value);
  static std::string Render(const std::vector<Addition>& additions, std::string_view quote);
  void AddToMap(const YamlNode& node, const Target& target, std::vector<Edit>& edits) const;
  void AddToList(const YamlNode& node, const Target& target, std::vector<Edit>& edits) const;
  std::size_t LineStart(std::size_t at) const;
  std::size_t LineEnd(std::size_t at) const;
  std::string LineBreak() const;

  const std::string& text_;
  const YamlNode& root_;
  std::vector<Edit> replacements_;
  std::map<const YamlNode*, Target> targets_;
};

}  // namespace ricochet
