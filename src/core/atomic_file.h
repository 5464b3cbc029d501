// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Output files that are there whole or not at all.
//
// Bytes go to a temporary file beside the target; Commit() makes them durable (fsync) and renames it over the target in
// one step of the file system. Without Commit (an exception, a signal) the target is what it was before. The temporary
// has no name until Commit where the file system allows that, so that even a killed process leaves nothing behind;
// elsewhere it is removed by an exception or a signal. A target that is no regular file (/dev/null, a named pipe)
// cannot be replaced and is written directly.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace ricochet {

class AtomicFile {
 public:
  /// Throws InputError when the directory is missing or not writable, or the target is a directory.
  explicit AtomicFile(std::string target);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends bytes. Throws InputError when the disk is full.
  void Write(std::string_view bytes);

  /// Room for at least `size` more bytes (at most kBufferSize) in the buffer, for writers that format in place; what
  /// was written there is added by Advance.
  char* Reserve(std::size_t size);
  void Advance(std::size_t size) { filled_ += size; }

  /// Puts the file in its place. Nothing can be written afterwards.
  void Commit();

  const std::string& target() const { return target_; }

  static constexpr std::size_t kBufferSize = std::size_t{1} << 18;

 private:
  void OpenTemporary(const std::string& directory);
  void NameTemporary();
  void Flush();
  void Discard() noexcept;
  [[noreturn]] void Fail(int error) const;

  std::string target_;     // as given, for messages
  std::string final_;      // where symbolic links lead
  std::string temporary_;  // name of the temporary; empty: written directly
  bool named_ = false;     // the temporary has that name already
  int fd_ = -1;
  int slot_ = -1;  // in the list of files that a signal removes
  std::unique_ptr<char[]> buffer_;
  std::size_t filled_ = 0;
};

/// Writes a whole file in this way.
void WriteFileAtomically(const std::string& file, std::string_view content);

}  // namespace ricochet
