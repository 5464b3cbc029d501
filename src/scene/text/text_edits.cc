// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/text/text_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ricochet {
namespace {

const YamlNode* Child(const YamlNode& node, const std::string& key) {
  if (node.kind != YamlNode::Kind::kList) return node.Get(key);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  const bool good = error == std::errc() && end == key.data() + key.size() && index < node.items.size();
  return good ? &node.items[index] : nullptr;
}

}  // namespace

void TextEdits::Replace(const YamlNode& scalar, std::string with) {
  replacements_.push_back({scalar.begin, scalar.end, 0, std::move(with)});
}

void TextEdits::WrapList(const std::string& key, const std::string& inner_key) {
  const YamlNode* node = root_.Get(key);
  if (node == nullptr || node->kind != YamlNode::Kind::kList) return;
  Target& target = targets_[node];
  target.depth = 1;
  target.wrapped = true;
  target.inner_key = inner_key;
}

void TextEdits::AddValue(const std::vector<std::string>& keys, const std::string& value) {
  const YamlNode* node = &root_;
  std::size_t known = 0;
  while (known + 1 < keys.size() && !targets_[node].wrapped) {
    const YamlNode* next = Child(*node, keys[known]);
    if (next == nullptr) break;
    node = next;
    ++known;
  }
  Target& target = targets_[node];
  target.depth = static_cast<int>(known);
  Insert(target.additions, keys, known, value);
}

void TextEdits::Insert(std::vector<Addition>& additions, const std::vector<std::string>& keys, std::size_t first,
                       const std::string& value) {
  auto found =
      std::find_if(additions.begin(), additions.end(), [&](const Addition& a) { return a.key == keys[first]; });
  if (found == additions.end()) found = additions.insert(additions.end(), {keys[first], {}, {}});
  if (first + 1 == keys.size()) {
    found->value = value;
  } else {
    Insert(found->below, keys, first + 1, value);
  }
}

std::string TextEdits::Render(const std::vector<Addition>& additions, std::string_view quote) {
  std::string text;
  for (const Addition& addition : additions) {
    if (!text.empty()) text += ", ";
    const std::string value = addition.below.empty() ? addition.value : "{" + Render(addition.below, quote) + "}";
    text += fmt::format("{0}{1}{0}: {2}", quote, addition.key, value);
  }
  return text;
}

std::size_t TextEdits::LineStart(std::size_t at) const {
  const std::size_t before = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
  const std::size_t first = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  return before == std::string::npos ? first : before + 1;
}

std::size_t TextEdits::LineEnd(std::size_t at) const {
  const std::size_t end = std::min(text_.find('\n', at), text_.size());
  return end > at && text_[end - 1] == '\r' ? end - 1 : end;
}

std::string TextEdits::LineBreak() const { return text_.find("\r\n") != std::string::npos ? "\r\n" : "\n"; }

void TextEdits::AddToMap(const YamlNode& node, const Target& target, std::vector<Edit>& edits) const {
  // Keys are quoted where the siblings' are, so that JSON stays JSON.
  const bool quoted = !node.entries.empty() && text_[node.entries[0].key_begin] == '"';
  const std::string_view quote = quoted ? "\"" : "";
  if (node.flow) {
    const bool empty = node.entries.empty();
    const std::size_t at = empty ? node.begin + 1 : node.entries.back().value.end;
    edits.push_back({at, at, target.depth, (empty ? "" : ", ") + Render(target.additions, quote)});
    return;
  }
  const std::size_t key = node.entries[0].key_begin;
  const std::string indent(key - LineStart(key), ' ');
  const std::size_t at = LineEnd(node.end);
  std::string lines;
  for (const Addition& addition : target.additions) {
    lines += LineBreak() + indent + Render({addition}, quote);
  }
  edits.push_back({at, at, target.depth, lines});
}

void TextEdits::AddToList(const YamlNode& node, const Target& target, std::vector<Edit>& edits) const {
  if (node.flow) {
    edits.push_back({node.begin, node.begin, target.depth, fmt::format("{{{}: ", target.inner_key)});
    edits.push_back({node.end, node.end, target.depth, ", " + Render(target.additions, "") + "}"});
    return;
  }
  // Dashes may stand right below the key; then the list has to move in.
  const std::size_t first = LineStart(node.begin), last = LineEnd(node.end);
  const std::size_t dash = node.begin - first;
  const std::string shift = dash == 0 ? "  " : "";
  const std::string indent = shift + std::string(dash, ' ');
  edits.push_back({first, first, target.depth, indent + target.inner_key + ":" + LineBreak() + shift});
  for (std::size_t at = text_.find('\n', first); !shift.empty() && at < last; at = text_.find('\n', at + 1)) {
    edits.push_back({at + 1, at + 1, target.depth, shift});
  }
  std::string lines;
  for (const Addition& addition : target.additions) lines += LineBreak() + indent + Render({addition}, "");
  edits.push_back({last, last, target.depth, lines});
}

std::string TextEdits::Apply() const {
  std::vector<Edit> edits = replacements_;
  for (const auto& [node, target] : targets_) {
    if (target.additions.empty()) continue;
    if (target.wrapped) {
      AddToList(*node, target, edits);
    } else {
      AddToMap(*node, target, edits);
    }
  }
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.depth > b.depth;
  });
  // From last to first, so that the ranges before stay right.
  std::string result = text_;
  for (std::size_t i = edits.size(); i-- > 0;) {
    result.replace(edits[i].begin, edits[i].end - edits[i].begin, edits[i].text);
  }
  return result;
}

}  // namespace ricochet
