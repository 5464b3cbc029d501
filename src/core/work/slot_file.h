// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Results of numbered chunks of work, stored as they finish, so that work that was killed goes on where it was.
//
// The file has a header (magic, fingerprint of the work, size) and one slot of fixed size per chunk, at a place that
// follows from its number: a checksum and the chunk's doubles. A slot is written by one call; whatever a kill or a
// power failure leaves of it has a wrong checksum, and its chunk is computed again. Slots need no order, no index and
// no rewriting, and memory does not grow with their number; that is why this is not a table of a data base.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace ricochet {

class SlotFile {
 public:
  /// Opens the file for this work, or makes it. Throws InputError when it belongs to other work, or cannot be opened.
  SlotFile(std::string file, const std::string& fingerprint, std::int64_t slots, int doubles_per_slot);
  ~SlotFile();
  SlotFile(const SlotFile&) = delete;
  SlotFile& operator=(const SlotFile&) = delete;

  /// The values of a slot; false when it has not been stored whole. Threads may call it at once.
  bool Read(std::int64_t slot, std::span<double> values) const;

  bool Has(std::int64_t slot) const;

  /// Stores a slot. Threads may call it for different slots at once. Throws InputError when the disk is full.
  void Write(std::int64_t slot, std::span<const double> values);

  /// Removes the file; nothing can be read or written afterwards.
  void Remove();

  const std::string& file() const { return file_; }

 private:
  std::int64_t Offset(std::int64_t slot) const;

  std::string file_;
  std::int64_t slots_;
  int doubles_;
  int fd_ = -1;
};

}  // namespace ricochet
