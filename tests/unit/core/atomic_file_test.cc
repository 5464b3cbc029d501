// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "core/input_file.h"
#include "core/signals.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = ::testing::TempDir() + "ricochet_" + info->name() + "_" + std::to_string(getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  int FileCount() const { return static_cast<int>(std::distance(fs::directory_iterator(folder_), {})); }
  std::string MessageFor(const std::string& target) const {
    try {
      AtomicFile file(target);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  std::string folder_;
};

TEST_F(AtomicFileTest, TargetAppearsAtCommit) {
  const std::string target = Path("run.csv");
  AtomicFile file(target);
  file.Write("hello ");
  file.Write("world");
  EXPECT_FALSE(fs::exists(target));
  EXPECT_LE(FileCount(), 1);  // the temporary, where it must have a name
  file.Commit();
  EXPECT_EQ(ReadInputFile(target), "hello world");
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStays) {
  const std::string target = Path("run.csv");
  WriteFileAtomically(target, "old");
  {
    AtomicFile file(target);
    file.Write(std::string(3 * AtomicFile::kBufferSize, 'x'));
  }
  EXPECT_EQ(ReadInputFile(target), "old");
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(AtomicFileTest, PiecesOfAllSizesArriveInOrder) {
  const std::string target = Path("big");
  std::string expected;
  AtomicFile file(target);
  for (const std::size_t size : {1, 100, 262143, 262144, 262145, 1000000, 3}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    expected += piece;
    file.Write(piece);
    char* place = file.Reserve(3);
    std::copy_n("xyz", 3, place);
    file.Advance(3);
    expected += "xyz";
  }
  file.Commit();
  EXPECT_EQ(ReadInputFile(target), expected);
}

TEST_F(AtomicFileTest, MovedFileIsCommittedOnce) {
  const std::string target = Path("run.csv");
  AtomicFile first(target);
  first.Write("abc");
  AtomicFile second(std::move(first));
  second.Write("def");
  second.Commit();
  EXPECT_EQ(ReadInputFile(target), "abcdef");
}

TEST_F(AtomicFileTest, KeepsRightsAndFollowsLinks) {
  const std::string target = Path("real.csv"), link = Path("link.csv");
  WriteFileAtomically(target, "old");
  ASSERT_EQ(chmod(target.c_str(), 0640), 0);
  fs::create_symlink("real.csv", link);
  WriteFileAtomically(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(ReadInputFile(target), "new");
  EXPECT_EQ(fs::status(target).permissions(), static_cast<fs::perms>(0640));
}

TEST_F(AtomicFileTest, ALinkToNothingStaysALink) {
  fs::create_directory(Path("elsewhere"));
  fs::create_symlink("elsewhere/new.csv", Path("first"));
  fs::create_symlink("first", Path("second"));
  WriteFileAtomically(Path("second"), "text");
  EXPECT_TRUE(fs::is_symlink(Path("first")) && fs::is_symlink(Path("second")));
  EXPECT_EQ(ReadInputFile(Path("elsewhere/new.csv")), "text");
  fs::create_symlink("circle", Path("circle"));
  EXPECT_EQ(MessageFor(Path("circle")), Path("circle") + ": cannot be written: Too many levels of symbolic links. "
                                                         "Repair the circle of links, or write to another place.");
  fs::create_symlink("nowhere/new.csv", Path("lost"));
  EXPECT_EQ(MessageFor(Path("lost")), Path("lost") + ": the directory `" + Path("nowhere") +
                                          "` does not exist. Create it, or write to another place.");
}

TEST_F(AtomicFileTest, DevicesAreWrittenDirectly) {
  WriteFileAtomically("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, SaysWhatIsWrongWithTheTarget) {
  EXPECT_EQ(MessageFor(Path("none/run.csv")), Path("none/run.csv") + ": the directory `" + Path("none") +
                                                  "` does not exist. Create it, or write to another place.");
  EXPECT_EQ(MessageFor(folder_), folder_ + " is a directory. Name the file to write in it.");
  EXPECT_EQ(MessageFor(""), "the name of the output file is empty. Name a file.");
  EXPECT_EQ(MessageFor(Path(std::string(300, 'n'))),
            Path(std::string(300, 'n')) + ": cannot be written: File name too long. Choose a shorter name.");
  if (geteuid() != 0) {  // root may write everywhere
    fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_EQ(MessageFor(Path("run.csv")), Path("run.csv") + ": cannot be written: Permission denied. Write to a " +
                                               "directory where you have permission.");
  }
}

TEST_F(AtomicFileTest, AFullDiskIsSaid) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  try {
    WriteFileAtomically("/dev/full", "x");
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "/dev/full: cannot be written: No space left on device. Free some space, or write to another place.");
  }
}

// A child writes half a file and gets the signal: it must die of it and leave nothing behind.
TEST_F(AtomicFileTest, SignalsLeaveNothingBehind) {
  std::vector<int> signals = {SIGINT, SIGTERM};
  {
    const AtomicFile file(Path("run.csv"));
    if (FileCount() == 0) signals.push_back(SIGKILL);  // temporaries have no name here
  }
  for (const int signal : signals) {
    const std::string target = Path("run.csv");
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      InstallSignalHandlers();
      AtomicFile file(target);
      file.Write(std::string(2 * AtomicFile::kBufferSize, 'x'));
      std::raise(signal);
      _exit(99);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_EQ(FileCount(), 0);
  }
}

}  // namespace
}  // namespace ricochet
