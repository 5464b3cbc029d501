// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ricochet/error.h"

namespace ricochet {
namespace {

constexpr std::size_t kMostFromPipe = std::size_t{1} << 30;   // [bytes] an endless device must not fill the memory
constexpr std::size_t kMostFromFile = std::size_t{16} << 30;  // [bytes]

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void FailReading(const std::string& file, const std::string& problem, const std::string& remedy) {
  throw InputError({.file = file}, "", problem, remedy);
}

}  // namespace

std::string ReadInputFile(const std::string& file) {
  const Descriptor in(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      FailReading(file, "there is no such file.", "Check the name and the folder.");
    if (errno == ELOOP)
      FailReading(file, "is a circle of symbolic links.", "Name the file itself, or repair the links.");
    FailReading(file, std::string("cannot be opened: ") + std::strerror(errno) + ".", "Check its permissions.");
  }
  struct stat status {};
  if (fstat(in.get(), &status) != 0)
    FailReading(file, std::string("cannot be read: ") + std::strerror(errno) + ".", "");
  if (S_ISDIR(status.st_mode)) FailReading(file, "is a directory.", "Name the file in it.");

  const bool regular = S_ISREG(status.st_mode);
  const std::size_t most = regular ? kMostFromFile : kMostFromPipe;
  const std::size_t expected = regular ? static_cast<std::size_t>(status.st_size) : 0;
  if (expected > most) FailReading(file, "is larger than 16 GiB.", "Split it into several files.");
  std::string content(expected, '\0');
  std::size_t size = 0;
  while (true) {
    // One byte more than expected detects the end of the file without growing the buffer.
    char probe = 0;
    const bool full = size == content.size();
    char* target = full ? &probe : content.data() + size;
    const ssize_t got = read(in.get(), target, full ? 1 : content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      FailReading(file, std::string("cannot be read: ") + std::strerror(errno) + ".", "Check its permissions.");
    if (got == 0) break;
    if (full) {
      if (size >= most) FailReading(file, "has more than 1 GiB.", "Write it to a file and split that.");
      content.resize(std::max<std::size_t>(std::size_t{1} << 16, content.size() * 2));
      content[size] = probe;
    }
    size += static_cast<std::size_t>(got);
  }
  content.resize(size);
  return content;
}

}  // namespace ricochet
