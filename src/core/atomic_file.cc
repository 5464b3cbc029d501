// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/signals.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

std::string DirectoryOf(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : file.substr(0, slash);
}

/// Where symbolic links lead, whether or not a file is there.
std::string FollowLinks(const std::string& file) {
  constexpr int kMost = 40;  // links in a row, as in Linux
  std::filesystem::path at = file;
  std::error_code error;
  for (int links = 0; links < kMost && std::filesystem::is_symlink(at, error); ++links)
    at = at.parent_path() / std::filesystem::read_symlink(at, error);
  return at.string();
}

/// A file in the directory that has no name yet; -1 where the system has none, or no way to name it later.
int OpenUnnamed([[maybe_unused]] const std::string& directory) {
#ifdef O_TMPFILE
  if (access("/proc/self/fd", X_OK) == 0) return open(directory.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
#endif
  return -1;
}

bool WriteAll(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(fd, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

AtomicFile::AtomicFile(std::string target) : target_(std::move(target)), final_(target_) {
  if (target_.empty()) throw InputError({}, "", "the name of the output file is empty.", "Name a file.");
  struct stat status {};
  const bool exists = stat(target_.c_str(), &status) == 0;
  if (!exists && errno == ELOOP) Fail(errno);
  if (exists && S_ISDIR(status.st_mode)) {
    throw InputError({.file = target_}, "", "is a directory.", "Name the file to write in it.");
  }
  buffer_ = std::make_unique_for_overwrite<char[]>(kBufferSize);

  if (exists && !S_ISREG(status.st_mode)) {
    fd_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) Fail(errno);
    return;
  }

  struct stat link {};
  if (lstat(target_.c_str(), &link) == 0 && S_ISLNK(link.st_mode)) final_ = FollowLinks(target_);
  const std::string directory = DirectoryOf(final_);
  struct stat folder {};
  if (stat(directory.c_str(), &folder) != 0 || !S_ISDIR(folder.st_mode)) {
    throw InputError({.file = target_}, "", "the directory `" + directory + "` does not exist.",
                     "Create it, or write to another place.");
  }
  OpenTemporary(directory);
  // The rights of the file it replaces are kept where the file system allows it.
  if (exists) fchmod(fd_, status.st_mode & 07777);
}

void AtomicFile::OpenTemporary(const std::string& directory) {
  // A name that no other process and no other file of this process uses.
  static std::atomic<unsigned> count{0};
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_ = final_ + ".partial-" + std::to_string(getpid()) + "-" + std::to_string(count.fetch_add(1));
    struct stat status {};
    if (lstat(temporary_.c_str(), &status) == 0) continue;
    if (errno != ENOENT) break;
    fd_ = OpenUnnamed(directory);
    if (fd_ >= 0) return;
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ >= 0) {
      named_ = true;
      slot_ = RememberTemporary(temporary_);
      return;
    }
    if (errno != EEXIST) break;
  }
  const int error = errno;
  temporary_.clear();
  Fail(error);
}

void AtomicFile::NameTemporary() {
  if (named_) return;
  slot_ = RememberTemporary(temporary_);
  const std::string unnamed = "/proc/self/fd/" + std::to_string(fd_);
  if (linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) Fail(errno);
  named_ = true;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      final_(std::move(other.final_)),
      temporary_(std::exchange(other.temporary_, {})),
      named_(std::exchange(other.named_, false)),
      fd_(std::exchange(other.fd_, -1)),
      slot_(std::exchange(other.slot_, -1)),
      buffer_(std::move(other.buffer_)),
      filled_(std::exchange(other.filled_, 0)) {}

AtomicFile::~AtomicFile() { Discard(); }

void AtomicFile::Discard() noexcept {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
  if (std::exchange(named_, false)) unlink(temporary_.c_str());
  temporary_.clear();
  ForgetTemporary(std::exchange(slot_, -1));
}

void AtomicFile::Fail(int error) const {
  const char* remedy = "Check the folder and its permissions.";
  if (error == EACCES || error == EPERM || error == EROFS) remedy = "Write to a directory where you have permission.";
  if (error == ENOSPC || error == EDQUOT) remedy = "Free some space, or write to another place.";
  if (error == ENAMETOOLONG) remedy = "Choose a shorter name.";
  if (error == ELOOP) remedy = "Repair the circle of links, or write to another place.";
  throw InputError({.file = target_}, "", std::string("cannot be written: ") + std::strerror(error) + ".", remedy);
}

void AtomicFile::Flush() {
  if (!WriteAll(fd_, buffer_.get(), filled_)) Fail(errno);
  filled_ = 0;
}

char* AtomicFile::Reserve(std::size_t size) {
  if (filled_ + size > kBufferSize) Flush();
  return buffer_.get() + filled_;
}

void AtomicFile::Write(std::string_view bytes) {
  if (bytes.size() > kBufferSize) {
    Flush();
    if (!WriteAll(fd_, bytes.data(), bytes.size())) Fail(errno);
    return;
  }
  std::memcpy(Reserve(bytes.size()), bytes.data(), bytes.size());
  Advance(bytes.size());
}

void AtomicFile::Commit() {
  Flush();
  if (!temporary_.empty()) {
    if (fsync(fd_) != 0) Fail(errno);
    NameTemporary();
  }
  if (close(std::exchange(fd_, -1)) != 0) Fail(errno);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), final_.c_str()) != 0) Fail(errno);
  temporary_.clear();
  named_ = false;
  ForgetTemporary(std::exchange(slot_, -1));
  // The new name itself is durable only when the directory is.
  const int directory = open(DirectoryOf(final_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    fsync(directory);
    close(directory);
  }
}

void WriteFileAtomically(const std::string& file, std::string_view content) {
  AtomicFile out(file);
  out.Write(content);
  out.Commit();
}

}  // namespace ricochet
