// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/work/slot_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/hash.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

constexpr std::size_t kHeaderSize = 160;
constexpr std::string_view kMagic = "ricochet slots 1\n";

/// FNV-1a over the slot's number and bytes; never 0, which is what a hole in the file reads as.
std::uint64_t Checksum(std::int64_t slot, std::span<const double> values) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ static_cast<std::uint64_t>(slot);
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (std::size_t i = 0; i < values.size_bytes(); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
  return hash == 0 ? 1 : hash;
}

std::string Header(const std::string& fingerprint, std::int64_t slots, int doubles) {
  std::string header = fmt::format("{}{}\n{} slots of {}\n", kMagic, Sha256Hex(fingerprint), slots, doubles);
  header.resize(kHeaderSize, ' ');
  return header;
}

[[noreturn]] void FailWriting(const std::string& file, const std::string& what) {
  throw InputError({file, 0, 0}, "", fmt::format("{}: {}.", what, std::strerror(errno)),
                   "Choose a writable folder on a disk with free space.");
}

/// Writes all bytes at an offset. A disk that is nearly full takes a part of them and reports its error at the rest.
bool WriteAt(int fd, const void* bytes, std::size_t size, std::int64_t offset) {
  const char* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::pwrite(fd, from, size, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    from += written;
    offset += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

SlotFile::SlotFile(std::string file, const std::string& fingerprint, std::int64_t slots, int doubles_per_slot)
    : file_(std::move(file)), slots_(slots), doubles_(doubles_per_slot) {
  fd_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) FailWriting(file_, "cannot be opened");
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd_);
    throw InputError({file_, 0, 0}, "", "another run is writing it.", "Wait for it, or choose another output.");
  }
  const std::string header = Header(fingerprint, slots_, doubles_);
  std::string found(kHeaderSize, '\0');
  const ssize_t size = ::pread(fd_, found.data(), kHeaderSize, 0);
  if (size == static_cast<ssize_t>(kHeaderSize) && found == header) return;
  if (size > 0 && found.compare(0, kMagic.size(), kMagic) == 0 && size == static_cast<ssize_t>(kHeaderSize)) {
    ::close(fd_);
    throw InputError({file_, 0, 0}, "",
                     "it is a checkpoint with a different hash: its inputs, options or program differ.",
                     "Run the original command to finish it, or delete it.");
  }
  if (size > 0 && std::string_view(found).substr(0, static_cast<std::size_t>(size)) !=
                      std::string_view(header).substr(0, static_cast<std::size_t>(size))) {
    ::close(fd_);
    throw InputError({file_, 0, 0}, "", "a file of this name exists and is not a checkpoint.",
                     "Choose another output, or delete it.");
  }
  if (::ftruncate(fd_, 0) != 0 || !WriteAt(fd_, header.data(), kHeaderSize, 0))
    FailWriting(file_, "cannot be written");
}

SlotFile::~SlotFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::int64_t SlotFile::Offset(std::int64_t slot) const {
  return static_cast<std::int64_t>(kHeaderSize) + slot * static_cast<std::int64_t>(sizeof(double)) * (doubles_ + 1);
}

bool SlotFile::Read(std::int64_t slot, std::span<double> values) const {
  std::vector<double> bytes(static_cast<std::size_t>(doubles_) + 1);
  const std::size_t size = bytes.size() * sizeof(double);
  if (::pread(fd_, bytes.data(), size, Offset(slot)) != static_cast<ssize_t>(size)) return false;
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, bytes.data(), sizeof checksum);
  const std::span<const double> payload(bytes.data() + 1, static_cast<std::size_t>(doubles_));
  if (checksum != Checksum(slot, payload)) return false;
  std::copy(payload.begin(), payload.end(), values.begin());
  return true;
}

bool SlotFile::Has(std::int64_t slot) const {
  std::vector<double> values(static_cast<std::size_t>(doubles_));
  return Read(slot, values);
}

void SlotFile::Write(std::int64_t slot, std::span<const double> values) {
  std::vector<double> bytes(static_cast<std::size_t>(doubles_) + 1, 0.0);
  std::copy(values.begin(), values.end(), bytes.begin() + 1);
  const std::uint64_t checksum = Checksum(slot, std::span<const double>(bytes).subspan(1));
  std::memcpy(bytes.data(), &checksum, sizeof checksum);
  if (!WriteAt(fd_, bytes.data(), bytes.size() * sizeof(double), Offset(slot)))
    FailWriting(file_, "cannot be written");
}

void SlotFile::Remove() {
  ::unlink(file_.c_str());
  ::close(fd_);
  fd_ = -1;
}

}  // namespace ricochet
