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

std::string FollowLinks(const std::string& file) {
  std::error_code error;
  const std::filesystem::path end = std::filesystem::weakly_canonical(file, error);
  return error ? file : end.string();
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
  // A name that no other process and no other file of this process uses.
  static std::atomic<unsigned> count{0};
  for (int attempt = 0; attempt < 100 && fd_ < 0; ++attempt) {
    temporary_ = final_ + ".partial-" + std::to_string(getpid()) + "-" + std::to_string(count.fetch_add(1));
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) {
    const int error = errno;
    temporary_.clear();
    Fail(error);
  }
  slot_ = RememberTemporary(temporary_);
  // The rights of the file it replaces are kept where the file system allows it.
  if (exists) fchmod(fd_, status.st_mode & 07777);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      final_(std::move(other.final_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)),
      slot_(std::exchange(other.slot_, -1)),
      buffer_(std::move(other.buffer_)),
      filled_(std::exchange(other.filled_, 0)) {}

AtomicFile::~AtomicFile() { Discard(); }

void AtomicFile::Discard() noexcept {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
  ForgetTemporary(std::exchange(slot_, -1));
}

void AtomicFile::Fail(int error) const {
  const char* remedy = "Check the folder and its permissions.";
  if (error == EACCES || error == EPERM || error == EROFS) remedy = "Write to a directory where you have permission.";
  if (error == ENOSPC || error == EDQUOT) remedy = "Free some space, or write to another place.";
  if (error == ENAMETOOLONG) remedy = "Choose a shorter name.";
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
  if (!temporary_.empty() && fsync(fd_) != 0) Fail(errno);
  if (close(std::exchange(fd_, -1)) != 0) Fail(errno);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), final_.c_str()) != 0) Fail(errno);
  temporary_.clear();
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
