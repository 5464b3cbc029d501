// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/tables/numpy_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/byte_reader.h"
#include "core/text.h"
#include "recording/tables/array_table.h"
#include "recording/tables/inflate.h"
#include "recording/text_table.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

const char* const kSave = "Save arrays of numbers with numpy.save or numpy.savez.";
const char* const kCopy = "It is truncated or damaged: copy it again.";

/// The text behind a key of the header, a Python dictionary: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}.
std::string ValueOf(std::string_view header, const std::string& key) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string_view::npos) return "";
  std::string_view rest = header.substr(at + key.size() + 3);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const std::size_t end = rest.starts_with('(')   ? rest.find(')')
                          : rest.starts_with('[') ? rest.find(']')
                                                  : rest.find(',');
  return std::string(rest.substr(0, end));
}

/// '<f8' without its quotes: byte order, kind, size.
std::optional<ByteReader::Type> TypeOf(std::string_view text) {
  if (text.size() < 3 || text[2] < '1' || text[2] > '9') return {};
  // Dates and durations, `<M8[ns]`, are integers.
  const bool date = (text[1] == 'M' || text[1] == 'm') && text.size() > 3 && text[3] == '[';
  if (text.size() != 3 && !date) return {};
  const char kind = date ? 'i' : text[1] == 'b' ? 'u' : text[1];
  const auto size = static_cast<std::size_t>(text[2] - '0');
  const bool power = size == 1 || size == 2 || size == 4 || size == 8;
  if (!power || (kind == 'f' ? size == 1 : kind != 'i' && kind != 'u')) return {};
  return ByteReader::Type{kind, size, text[0] == '>'};
}

/// A field of the elements of an array; without a name the whole element.
struct Field {
  std::string name;
  ByteReader::Type type;
  std::size_t at = 0;  // in the element [bytes]
};

/// Fields of "'<f8'" or "[('t', '<f8'), ('x', '<f4')"; none if there is another type among them.
std::vector<Field> FieldsOf(std::string_view text) {
  std::vector<std::string_view> words;  // in quotes
  for (std::size_t begin = text.find('\''); begin < text.size();) {
    const std::size_t end = std::min(text.find('\'', begin + 1), text.size());
    words.push_back(text.substr(begin + 1, end - begin - 1));
    begin = end == text.size() ? end : text.find('\'', end + 1);
  }
  const bool structured = text.starts_with('[');
  if (words.empty() || (structured ? words.size() % 2 != 0 : words.size() != 1)) return {};
  // A field that is an array of its own has its shape behind the type.
  if (structured && static_cast<std::size_t>(std::count(text.begin(), text.end(), '(')) != words.size() / 2) return {};
  std::vector<Field> fields;
  std::size_t at = 0;
  for (std::size_t i = structured ? 1 : 0; i < words.size(); i += structured ? 2 : 1) {
    const std::optional<ByteReader::Type> type = TypeOf(words[i]);
    if (!type) return {};
    fields.push_back({structured ? std::string(words[i - 1]) : "", *type, at});
    at += type->size;
  }
  return fields;
}

/// The place of an element in a file that stores the last index fastest.
std::size_t PlaceByRows(std::size_t index, const std::vector<std::size_t>& axes) {
  std::size_t place = 0, stride = 1;
  std::vector<std::size_t> indices;
  for (const std::size_t length : axes) {
    indices.push_back(index % length);
    index /= length;
  }
  for (std::size_t a = axes.size(); a-- > 0; stride *= axes[a]) place += indices[a] * stride;
  return place;
}

/// Adds the array that begins with the bytes, or names it in `left_out` if it has a type that is no number.
void ParseArray(const ByteReader& bytes, const std::string& name, std::vector<NamedArray>& arrays,
                std::vector<std::string>& left_out) {
  const std::string field = name.empty() ? "array" : Printable(name);
  bytes.Need(0, 10, field);
  if (bytes.Text(0, 6) != "\x93NUMPY") bytes.Fail(0, field, "is not a NumPy array.", kSave);
  const std::size_t wide = bytes.Byte(6) == 1 ? 2 : 4;
  bytes.Need(8, wide, field);
  const auto length = static_cast<std::size_t>(bytes.Little(8, wide));
  const std::size_t header_at = 8 + wide;
  bytes.Need(header_at, length, field);
  const std::string_view header = bytes.Text(header_at, length);
  const std::string type = ValueOf(header, "descr"), shape = ValueOf(header, "shape");
  const bool fortran = ValueOf(header, "fortran_order").starts_with("True");
  const std::vector<Field> fields = FieldsOf(type);
  if (fields.empty()) {
    if (name.empty()) bytes.Fail(header_at, field, fmt::format("has the type `{}`.", Printable(type)), kSave);
    left_out.push_back(fmt::format("{}: it has the type {}", field, Printable(type)));
    return;
  }
  std::vector<std::size_t> axes;
  for (std::size_t at = 1; at < shape.size();) {
    const std::size_t end = std::min(shape.find(',', at), shape.size());
    double number = 0;
    if (ParseNumber(shape.substr(at, end - at), number))
      axes.push_back(bytes.Count(number, bytes.size(), header_at, field));
    at = end + 1;
  }
  if (axes.size() > 8) bytes.Fail(header_at, field, fmt::format("has {} axes.", axes.size()), kSave);
  const std::size_t size = fields.back().at + fields.back().type.size, data = header_at + length;
  std::size_t count = 1;
  for (const std::size_t axis : axes) count = bytes.Product({count, axis}, header_at, field);
  bytes.Need(data, bytes.Product({count, size}, header_at, field), field);
  for (const Field& part : fields) {
    NamedArray array{fields.size() == 1 && part.name.empty() ? name
                     : name.empty()                          ? part.name
                                                             : name + "." + part.name,
                     axes,
                     {}};
    array.values.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      array.values.push_back(bytes.Number(data + size * (fortran ? i : PlaceByRows(i, axes)) + part.at, part.type));
    arrays.push_back(std::move(array));
  }
}

/// Arrays of a ZIP archive, by the directory at its end.
class ArchiveReader {
 public:
  explicit ArchiveReader(const ByteReader& bytes) : bytes_(bytes), inflater_(bytes) {}

  void Read(std::vector<NamedArray>& arrays, std::vector<std::string>& left_out) {
    const std::size_t end = FindEnd();
    const auto count = static_cast<std::size_t>(bytes_.Little(end + 10, 2));
    std::size_t at = static_cast<std::size_t>(bytes_.Little(end + 16, 4));
    for (std::size_t i = 0; i < count; ++i) at = ReadEntry(at, arrays, left_out);
  }

 private:
  /// The record at the end, behind which a comment may stand.
  std::size_t FindEnd() const {
    constexpr std::size_t kRecord = 22, kLongestComment = 65535;
    for (std::size_t back = kRecord; back <= std::min(bytes_.size(), kRecord + kLongestComment); ++back)
      if (bytes_.Little(bytes_.size() - back, 4) == 0x06054b50) return bytes_.size() - back;
    bytes_.Fail(bytes_.size(), "archive", "the directory at the end of the archive is missing.", kCopy);
  }

  /// Reads one entry of the directory and its file; returns where the next one is.
  std::size_t ReadEntry(std::size_t at, std::vector<NamedArray>& arrays, std::vector<std::string>& left_out) {
    bytes_.Need(at, 46, "archive");
    if (bytes_.Little(at, 4) != 0x02014b50) bytes_.Fail(at, "archive", "its directory is damaged.", kCopy);
    const std::size_t name_size = bytes_.Little(at + 28, 2), extra = bytes_.Little(at + 30, 2),
                      comment = bytes_.Little(at + 32, 2);
    bytes_.Need(at + 46, name_size + extra + comment, "archive");
    std::string name(bytes_.Text(at + 46, name_size));
    std::uint64_t packed = bytes_.Little(at + 20, 4), size = bytes_.Little(at + 24, 4),
                  place = bytes_.Little(at + 42, 4);
    // ZIP64: numbers that do not fit stand in an extra field, in this order.
    for (std::size_t e = at + 46 + name_size; e + 4 <= at + 46 + name_size + extra;) {
      const std::size_t field = bytes_.Little(e + 2, 2);
      std::size_t value = e + 4;
      for (std::uint64_t* number : {&size, &packed, &place})
        if (bytes_.Little(e, 2) == 1 && *number == 0xFFFFFFFF && value + 8 <= e + 4 + field &&
            value + 8 <= bytes_.size()) {
          *number = bytes_.Little(value, 8);
          value += 8;
        }
      e += 4 + field;
    }
    const std::size_t next = at + 46 + name_size + extra + comment;
    if (!name.ends_with(".npy")) {
      left_out.push_back(fmt::format("{}: it is no array", Printable(name)));
      return next;
    }
    name.resize(name.size() - 4);
    const std::string shown = Printable(name);
    if (packed > bytes_.size() || place > bytes_.size()) bytes_.Fail(at, shown, "its size exceeds the file.", kCopy);
    const auto local = static_cast<std::size_t>(place);
    bytes_.Need(local, 30, shown);
    if (bytes_.Little(local, 4) != 0x04034b50) bytes_.Fail(local, shown, "is not where the directory says.", kCopy);
    const std::size_t data = local + 30 + bytes_.Little(local + 26, 2) + bytes_.Little(local + 28, 2);
    bytes_.Need(data, static_cast<std::size_t>(packed), shown);
    const std::uint64_t method = bytes_.Little(at + 10, 2);
    if ((bytes_.Little(at + 8, 2) & 1) != 0 || (method != 0 && method != 8))
      bytes_.Fail(at, shown, "is encrypted, or compressed by another method than deflate.", kSave);
    std::string inflated;
    if (method == 8)
      inflated = inflater_.Inflate(data, static_cast<std::size_t>(packed), DeflateWrapping::kNone, shown);
    const std::string_view array = method == 8 ? std::string_view(inflated) : bytes_.Text(data, packed);
    CheckSum(array, at, shown);
    ParseArray(ByteReader(array, bytes_.file()), name, arrays, left_out);
    return next;
  }

  void CheckSum([[maybe_unused]] std::string_view array, [[maybe_unused]] std::size_t at,
                [[maybe_unused]] const std::string& name) const {
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    if (Crc32(array) != bytes_.Little(at + 16, 4)) bytes_.Fail(at, name, "its checksum is wrong.", kCopy);
#endif
  }

  const ByteReader& bytes_;
  Inflater inflater_;
};

}  // namespace

NumberTable ParseNumpyTable(std::string_view content, const std::string& name_in_messages, std::string_view columns) {
  const ByteReader bytes(content, name_in_messages);
  const bool archive = content.starts_with("PK");
  std::vector<NamedArray> arrays;
  std::vector<std::string> left_out;
  if (archive) {
    ArchiveReader(bytes).Read(arrays, left_out);
  } else {
    ParseArray(bytes, "", arrays, left_out);
  }
  return TableOfArrays(name_in_messages, archive ? "NumPy archive" : "NumPy array", arrays, std::move(left_out),
                       columns, kSave);
}

}  // namespace ricochet
