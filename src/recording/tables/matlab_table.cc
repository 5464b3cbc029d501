// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/tables/matlab_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/byte_reader.h"
#include "core/text.h"
#include "recording/file_kind.h"
#include "recording/tables/array_table.h"
#include "recording/tables/inflate.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

const char* const kSave = "Save variables that are arrays of numbers: save('FILE.mat', 't', 'x', '-v7').";
const char* const kCopy = "It is truncated or damaged: copy or save it again.";
constexpr std::size_t kHeader = 128;  // [bytes]
constexpr int kDeepest = 16;          // structures and cells in each other
constexpr std::size_t kMostAxes = 8;
constexpr std::uint64_t kMatrix = 14, kCompressed = 15;  // types of elements

/// Classes of arrays.
enum : std::uint64_t { kCell = 1, kStruct = 2, kObject = 3, kChar = 4, kSparse = 5, kDouble = 6, kUint64 = 15 };

std::string ClassName(std::uint64_t kind) {
  switch (kind) {
    case kChar:
      return "a text";
    case kSparse:
      return "a sparse matrix";
    default:
      return "an object";
  }
}

struct Element {
  std::uint64_t type = 0;
  std::size_t at = 0, size = 0, next = 0;  // of its data; where the next element is
};

/// Elements of a file, or of a part of it that was compressed.
class ElementReader {
 public:
  ElementReader(const ByteReader& bytes, bool big) : bytes_(bytes), big_(big) {}

  const ByteReader& bytes() const { return bytes_; }
  bool big() const { return big_; }
  std::uint64_t Word(std::size_t at, std::size_t size) const {
    return big_ ? bytes_.Big(at, size) : bytes_.Little(at, size);
  }

  /// The element at a place; its data end before `end`.
  Element Read(std::size_t at, std::size_t end, const std::string& field) const {
    Need(at, 8, end, field);
    const std::uint64_t tag = Word(at, 4);
    Element element;
    if (tag >> 16 != 0) {  // up to 4 bytes of data stand in the tag
      element = {tag & 0xFFFF, at + 4, static_cast<std::size_t>(tag >> 16), at + 8};
      if (element.size > 4) bytes_.Fail(at, field, "an element is larger than its place.", kCopy);
      return element;
    }
    element = {tag, at + 8, static_cast<std::size_t>(Word(at + 4, 4)), 0};
    Need(element.at, element.size, end, field);
    const std::size_t padding = tag == kCompressed ? 0 : (8 - element.size % 8) % 8;
    element.next = std::min(element.at + element.size + padding, end);
    return element;
  }

 private:
  void Need(std::size_t at, std::size_t size, std::size_t end, const std::string& field) const {
    bytes_.Need(at, size, field);
    if (at > end || size > end - at) bytes_.Fail(at, field, "an element exceeds the one around it.", kCopy);
  }

  const ByteReader& bytes_;
  bool big_;
};

/// Type of the numbers of an element.
std::optional<ByteReader::Type> TypeOf(std::uint64_t type, bool big) {
  switch (type) {
    case 1:
      return ByteReader::Type{'i', 1, big};
    case 2:
      return ByteReader::Type{'u', 1, big};
    case 3:
      return ByteReader::Type{'i', 2, big};
    case 4:
      return ByteReader::Type{'u', 2, big};
    case 5:
      return ByteReader::Type{'i', 4, big};
    case 6:
      return ByteReader::Type{'u', 4, big};
    case 7:
      return ByteReader::Type{'f', 4, big};
    case 9:
      return ByteReader::Type{'f', 8, big};
    case 12:
      return ByteReader::Type{'i', 8, big};
    case 13:
      return ByteReader::Type{'u', 8, big};
    default:
      return {};
  }
}

class MatlabReader {
 public:
  MatlabReader(const ByteReader& bytes, std::string_view columns)
      : bytes_(bytes), inflater_(bytes), columns_(columns) {}

  NumberTable Read() {
    bytes_.Need(0, kHeader, "header");
    const ElementReader reader(bytes_, bytes_.Text(126, 2) == "MI");
    for (std::size_t at = kHeader; at < bytes_.size();) {
      const Element element = reader.Read(at, bytes_.size(), "variable");
      if (element.type == kCompressed) {
        const std::string inflated = inflater_.Inflate(element.at, element.size, DeflateWrapping::kZlib, "variable");
        const ByteReader inner(inflated, bytes_.file());
        const ElementReader inner_reader(inner, reader.big());
        const Element variable = inner_reader.Read(0, inner.size(), "variable");
        if (variable.type == kMatrix) ReadVariable(inner_reader, variable, "", 0);
      } else if (element.type == kMatrix) {
        ReadVariable(reader, element, "", 0);
      }
      at = element.next;
    }
    DropCommonStructure();
    return TableOfArrays(bytes_.file(), "MATLAB file", arrays_, std::move(left_out_), columns_, kSave);
  }

 private:
  /// A variable, or a field of one, whose name is then given.
  void ReadVariable(const ElementReader& reader, const Element& matrix, std::string name, int depth) {
    if (matrix.size == 0) return;  // an empty field
    const std::size_t end = matrix.at + matrix.size;
    const std::string shown = name.empty() ? "variable" : Printable(name);
    const Element flags = reader.Read(matrix.at, end, shown);
    if (flags.size < 8) reader.bytes().Fail(flags.at, shown, "its flags are missing.", kCopy);
    const std::uint64_t kind = reader.Word(flags.at, 4) & 0xFF;
    const bool is_complex = (reader.Word(flags.at, 4) & 0x0800) != 0;
    // Objects of newer classes have no axes: their name comes first.
    const bool opaque = kind > kUint64;
    Element part = flags;
    std::vector<std::size_t> axes;
    if (!opaque) {
      part = reader.Read(part.next, end, shown);
      if (part.size / 4 > kMostAxes) reader.bytes().Fail(part.at, shown, "has too many axes.", kSave);
      for (std::size_t i = 0; i + 4 <= part.size; i += 4)
        axes.push_back(static_cast<std::size_t>(reader.Word(part.at + i, 4)));
    }
    part = reader.Read(part.next, end, shown);
    const std::string own(reader.bytes().Text(part.at, part.size));
    if (name.empty()) name = own;
    if (name.empty()) return;  // MATLAB's own data about objects
    if (kind == kCell) {
      ReadCells(reader, part.next, end, axes, name, depth);
    } else if (kind == kStruct) {
      ReadStructure(reader, part.next, end, axes, name, depth);
    } else if (kind >= kDouble && kind <= kUint64 && !is_complex) {
      ReadNumbers(reader, reader.Read(part.next, end, Printable(name)), std::move(axes), name);
    } else {
      left_out_.push_back(fmt::format("{}: it is {}", Printable(name), is_complex ? "complex" : ClassName(kind)));
    }
  }

  /// How many arrays follow, by the axes of what holds them.
  std::size_t CountOf(const ElementReader& reader, const std::vector<std::size_t>& axes, std::size_t at,
                      const std::string& name, int depth) const {
    if (depth == kDeepest) reader.bytes().Fail(at, name, "has too many structures or cells in each other.", kSave);
    std::size_t count = 1;
    for (const std::size_t axis : axes) count = reader.bytes().Product({count, axis}, at, name);
    return count;
  }

  void ReadCells(const ElementReader& reader, std::size_t at, std::size_t end, const std::vector<std::size_t>& axes,
                 const std::string& name, int depth) {
    const std::string shown = Printable(name);
    const std::size_t count = CountOf(reader, axes, at, shown, depth);
    for (std::size_t i = 0; i < count; ++i) {
      const Element value = reader.Read(at, end, shown);
      if (value.type != kMatrix) reader.bytes().Fail(at, shown, "a cell is no array.", kCopy);
      ReadVariable(reader, value, fmt::format("{}{{{}}}", name, i + 1), depth + 1);
      at = value.next;
    }
  }

  void ReadStructure(const ElementReader& reader, std::size_t at, std::size_t end, const std::vector<std::size_t>& axes,
                     const std::string& name, int depth) {
    const std::string shown = Printable(name);
    const std::size_t count = CountOf(reader, axes, at, shown, depth);
    const Element length = reader.Read(at, end, shown);
    const std::size_t wide = length.size == 4 ? static_cast<std::size_t>(reader.Word(length.at, 4)) : 0;
    const Element names = reader.Read(length.next, end, shown);
    if (wide == 0 || names.size % wide != 0) reader.bytes().Fail(at, shown, "its fields have no names.", kCopy);
    at = names.next;
    const std::size_t fields = names.size / wide;
    for (std::size_t i = 0; i < count * fields; ++i) {
      std::string_view field = reader.bytes().Text(names.at + i % fields * wide, wide);
      field = field.substr(0, field.find('\0'));
      const Element value = reader.Read(at, end, shown);
      if (value.type != kMatrix) reader.bytes().Fail(at, shown, "a field is no array.", kCopy);
      ReadVariable(
          reader, value,
          count == 1 ? fmt::format("{}.{}", name, field) : fmt::format("{}({}).{}", name, i / fields + 1, field),
          depth + 1);
      at = value.next;
    }
  }

  void ReadNumbers(const ElementReader& reader, const Element& data, std::vector<std::size_t> axes,
                   const std::string& name) {
    const std::string shown = Printable(name);
    const std::optional<ByteReader::Type> type = TypeOf(data.type, reader.big());
    if (!type) reader.bytes().Fail(data.at, shown, "its numbers have an unknown type.", kCopy);
    std::size_t count = 1;
    for (const std::size_t axis : axes) count = reader.bytes().Product({count, axis}, data.at, shown);
    if (count != data.size / type->size)
      reader.bytes().Fail(data.at, shown, fmt::format("has {} numbers instead of {}.", data.size / type->size, count),
                          kCopy);
    NamedArray array{name, std::move(axes), {}};
    array.values.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      array.values.push_back(reader.bytes().Number(data.at + i * type->size, *type));
    arrays_.push_back(std::move(array));
  }

  /// `run.t`, `run.x` are `t`, `x` if there is no other variable.
  void DropCommonStructure() {
    if (arrays_.empty()) return;
    const std::string prefix = arrays_[0].name.substr(0, arrays_[0].name.find('.') + 1);
    if (prefix.empty() || !std::all_of(arrays_.begin(), arrays_.end(),
                                       [&](const NamedArray& array) { return array.name.starts_with(prefix); }))
      return;
    for (NamedArray& array : arrays_) array.name.erase(0, prefix.size());
  }

  const ByteReader& bytes_;
  Inflater inflater_;
  std::string_view columns_;
  std::vector<NamedArray> arrays_;
  std::vector<std::string> left_out_;
};

}  // namespace

NumberTable ParseMatlabTable(std::string_view content, const std::string& name_in_messages, std::string_view columns) {
  const ByteReader bytes(content, name_in_messages);
  if (!IsMatlabFile(content)) bytes.Fail(0, "header", "is not a MATLAB file of version 5 to 7.", kSave);
  if (content.substr(124, 2) == std::string_view("\x00\x02", 2))
    throw InputError({name_in_messages, 0, 0}, "", "is a MATLAB file of version 7.3.",
                     "Save it as version 7: load it in MATLAB, then save('FILE.mat', '-v7').");
  return MatlabReader(bytes, columns).Read();
}

}  // namespace ricochet
