// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/work/slot_file.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "ricochet/error.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using Values = std::array<double, 3>;

TEST(SlotFile, KeepsWhatWasStoredAcrossRuns) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.File("work.part");
  Values values{};
  {
    SlotFile slots(file, "work", 5, 3);
    EXPECT_FALSE(slots.Read(4, values));
    slots.Write(4, Values{1, 2, 3});
    slots.Write(0, Values{-1, 0, 1e300});
  }
  SlotFile slots(file, "work", 5, 3);
  EXPECT_TRUE(slots.Read(4, values));
  EXPECT_EQ(values, (Values{1, 2, 3}));
  EXPECT_TRUE(slots.Read(0, values));
  EXPECT_EQ(values, (Values{-1, 0, 1e300}));
  EXPECT_FALSE(slots.Read(1, values));  // a hole
  slots.Remove();
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(SlotFile, ComputesAgainWhatWasTornOrDamaged) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.File("work.part");
  {
    SlotFile slots(file, "work", 2, 3);
    slots.Write(0, Values{1, 2, 3});
    slots.Write(1, Values{4, 5, 6});
  }
  const auto size = std::filesystem::file_size(file);
  std::filesystem::resize_file(file, size - 4);
  Values values{};
  {
    SlotFile slots(file, "work", 2, 3);
    EXPECT_TRUE(slots.Read(0, values));
    EXPECT_FALSE(slots.Read(1, values));
  }
  {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(-40, std::ios::end);
    bytes.put('x');
  }
  SlotFile slots(file, "work", 2, 3);
  EXPECT_FALSE(slots.Read(0, values));
}

TEST(SlotFile, RefusesOtherWorkAndForeignFiles) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.File("work.part");
  { SlotFile slots(file, "work", 2, 3); }
  EXPECT_THROW(SlotFile(file, "other work", 2, 3), InputError);
  EXPECT_THROW(SlotFile(file, "work", 3, 3), InputError);
  const SlotFile open(file, "work", 2, 3);
  EXPECT_THROW(SlotFile(file, "work", 2, 3), InputError);  // another run is writing it

  const std::string foreign = folder.File("notes.txt");
  std::ofstream(foreign) << "do not lose me";
  EXPECT_THROW(SlotFile(foreign, "work", 2, 3), InputError);
  EXPECT_EQ(std::filesystem::file_size(foreign), 14u);
  EXPECT_THROW(SlotFile(folder.File("no/such/folder"), "work", 2, 3), InputError);
}

}  // namespace
}  // namespace ricochet
