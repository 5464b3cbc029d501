// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/text/yaml_tree.h"

#include <gtest/gtest.h>

namespace ricochet {
namespace {

std::string Shown(const std::string& text, const YamlNode& node) {
  return text.substr(node.begin, node.end - node.begin);
}

std::string MessageOf(const std::string& text, const YamlLimits& limits = {}) {
  try {
    ParseYaml(text, "f.yaml", limits);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(read)";
}

TEST(YamlTree, KeepsByteRangesOfEveryForm) {
  const std::string text = "a: 1.5   # one\nb: {c: [x, 'it''s', \"q\\\"s\" ], d: {}}\ne:\n  - 2\n  - f: 3 # end\n";
  const YamlNode root = ParseYaml(text, "f.yaml");
  ASSERT_EQ(root.kind, YamlNode::Kind::kMap);
  EXPECT_FALSE(root.flow);
  EXPECT_EQ(Shown(text, *root.Get("a")), "1.5");
  const YamlNode& b = *root.Get("b");
  EXPECT_TRUE(b.flow);
  EXPECT_EQ(Shown(text, b), "{c: [x, 'it''s', \"q\\\"s\" ], d: {}}");
  const YamlNode& c = *b.Get("c");
  EXPECT_EQ(Shown(text, c), "[x, 'it''s', \"q\\\"s\" ]");
  EXPECT_EQ(Shown(text, c.items[1]), "'it''s'");
  EXPECT_EQ(c.items[1].scalar, "it's");
  EXPECT_TRUE(c.items[1].quoted);
  EXPECT_EQ(Shown(text, c.items[2]), "\"q\\\"s\"");
  EXPECT_EQ(c.items[2].scalar, "q\"s");
  EXPECT_EQ(Shown(text, *b.Get("d")), "{}");
  const YamlNode& e = *root.Get("e");
  EXPECT_EQ(Shown(text, e), "- 2\n  - f: 3");
  EXPECT_EQ(e.line, 3);  // a block list is shown where its key stands
  EXPECT_EQ(e.items[1].Get("f")->line, 5);
  EXPECT_EQ(e.items[1].Get("f")->column, 8);
}

TEST(YamlTree, SkipsByteOrderMarkAndCarriageReturns) {
  const std::string text =
      "\xEF\xBB\xBF"
      "a: 1\r\nb: 2\r\n";
  const YamlNode root = ParseYaml(text, "f.yaml");
  EXPECT_EQ(Shown(text, *root.Get("a")), "1");
  EXPECT_EQ(root.Get("a")->column, 4);
  EXPECT_EQ(Shown(text, *root.Get("b")), "2");
  EXPECT_EQ(root.Get("b")->line, 2);
}

TEST(YamlTree, CountsCharactersNotBytes) {
  const std::string text = "größe: [ä, 1]";
  const YamlNode root = ParseYaml(text, "f.yaml");
  EXPECT_EQ(root.entries[0].key, "größe");
  EXPECT_EQ(Shown(text, root.entries[0].value.items[1]), "1");
  EXPECT_EQ(root.entries[0].value.items[1].column, 12);
}

TEST(YamlTree, ReadsJson) {
  const YamlNode root = ParseYaml("{\"a\": {\"b\":[1,2.5e-3]},\n \"c\":true}", "f.json");
  EXPECT_EQ(root.Get("a")->Get("b")->items[1].scalar, "2.5e-3");
  EXPECT_EQ(root.Get("c")->scalar, "true");
}

TEST(YamlTree, RefusesWhatASceneDoesNotNeed) {
  EXPECT_EQ(MessageOf(""), "f.yaml: the scene is empty. Start with `ricochet: 1`.");
  EXPECT_EQ(MessageOf("# only a comment\n"), "f.yaml: the scene is empty. Start with `ricochet: 1`.");
  EXPECT_EQ(MessageOf("a: &x {b: 1}\nc: *x\n"),
            "f.yaml:1:4: the anchor `&x` is not part of the scene format. Write the value out in each place.");
  EXPECT_EQ(MessageOf("a: !!str 1"),
            "f.yaml:1:4: the tag `tag:yaml.org,2002:str` is not part of the scene format. Leave the tag out.");
  EXPECT_EQ(MessageOf("a: |\n  text\n"),
            "f.yaml:1:4: text over several lines is not part of the scene format. Write the value on one line.");
  EXPECT_EQ(MessageOf("a: one\n  two\n"),
            "f.yaml:1:4: text over several lines is not part of the scene format. Write the value on one line.");
  EXPECT_EQ(MessageOf("a: 1\n---\nb: 2\n"),
            "f.yaml:3:1: a second document begins here. Write one scene per file, without `---` between parts.");
  EXPECT_EQ(MessageOf("{a: 1, a: 2}"), "f.yaml:1:8: the key `a` occurs twice in one map. Keep one of them.");
  EXPECT_EQ(MessageOf("? {a: 1}\n: 2\n"),
            "f.yaml:1:3: a list or map cannot be a key. Keys are names; check brackets and colons.");
}

TEST(YamlTree, BoundsSizeAndDepth) {
  EXPECT_EQ(
      MessageOf("[[[[1]]]]", {.depth = 3}),
      "f.yaml:1:4: lists and maps are nested more than 3 deep. A scene needs no more than ten; check the brackets.");
  EXPECT_EQ(MessageOf("[[[1]]]", {.depth = 3}), "(read)");
  EXPECT_EQ(MessageOf("abcdef", {.bytes = 5}),
            "f.yaml: the text has 6 bytes, more than the 5 a scene may have. Check that this is the scene and not a "
            "recording.");
}

TEST(YamlTree, RefusesBytesThatAreNoText) {
  EXPECT_EQ(MessageOf(std::string("a: 1\nb: \0", 9)),
            "f.yaml:2:4: the byte 0x00 is not allowed in text. Save the scene as plain UTF-8 text.");
  for (const char* bytes : {"\x80", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80", "\xFF"}) {
    const std::string message = MessageOf(std::string("a: ") + bytes);
    EXPECT_NE(message.find("f.yaml:1:4: the byte 0x"), std::string::npos) << message;
    EXPECT_NE(message.find("is not UTF-8. Save the scene as UTF-8 text."), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace ricochet
