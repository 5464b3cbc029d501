// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/hash.h"

#include <gtest/gtest.h>

#include <fstream>

#include "ricochet/error.h"

namespace ricochet {
namespace {

// Examples of FIPS 180-4 and of the NIST validation suite.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256Hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesDoNotMatter) {
  const std::string text(1000, 'x');
  for (const std::size_t piece : {1, 55, 56, 63, 64, 65, 127}) {
    Sha256 hash;
    for (std::size_t i = 0; i < text.size(); i += piece) hash.Update(std::string_view(text).substr(i, piece));
    EXPECT_EQ(hash.Hex(), Sha256Hex(text)) << piece;
  }
}

TEST(Sha256, OfFile) {
  const std::string file = ::testing::TempDir() + "ricochet_hash_test.txt";
  std::ofstream(file, std::ios::binary) << "abc";
  EXPECT_EQ(Sha256OfFile(file), Sha256Hex("abc"));
  std::remove(file.c_str());
  EXPECT_THROW(Sha256OfFile(file), InputError);
}

}  // namespace
}  // namespace ricochet
