// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "core/byte_reader.h"
#include "core/text.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

const char* const kExpected = "Give a triangle mesh as STL or OBJ.";
constexpr std::size_t kStlHeader = 84, kStlTriangle = 50;  // [bytes]

/// A binary STL states how many triangles follow its header; one that is text may begin with the same word.
bool IsBinaryStl(std::string_view content, const ByteReader& bytes) {
  if (content.size() < kStlHeader) return false;
  return bytes.Little(80, 4) * kStlTriangle + kStlHeader == content.size() ||
         content.substr(0, 1024).find('\0') != std::string_view::npos;
}

std::vector<Eigen::Vector3d> ReadBinaryStl(const ByteReader& bytes) {
  const auto count = static_cast<std::size_t>(bytes.Little(80, 4));
  bytes.Need(kStlHeader, bytes.Product({count, kStlTriangle}, 80, "triangles"), "triangles");
  std::vector<Eigen::Vector3d> corners;
  for (std::size_t i = 0; i < count; ++i) {
    // A normal, then three corners.
    for (std::size_t corner = 1; corner <= 3; ++corner) {
      Eigen::Vector3d& place = corners.emplace_back();
      for (std::size_t axis = 0; axis < 3; ++axis)
        place[static_cast<int>(axis)] =
            bytes.Number(kStlHeader + kStlTriangle * i + 12 * corner + 4 * axis, {'f', 4, false});
      if (!place.allFinite())
        bytes.Fail(kStlHeader + kStlTriangle * i + 12 * corner, "triangles", "a corner is not finite.", kExpected);
    }
  }
  return corners;
}

/// Lines `vertex x y z` (STL) or `v x y z` (OBJ).
std::vector<Eigen::Vector3d> ReadText(std::string_view text, const std::string& file) {
  std::vector<Eigen::Vector3d> corners;
  for (int line_number = 1; !text.empty(); ++line_number) {
    std::string_view line = text.substr(0, std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto next = [&] {
      while (!line.empty() && (IsBlank(line.front()) || line.front() == '\r')) line.remove_prefix(1);
      const std::string_view word = line.substr(0, std::min(line.find_first_of(" \t\r"), line.size()));
      line.remove_prefix(word.size());
      return word;
    };
    const std::string_view key = next();
    if (key != "v" && key != "vertex") continue;
    Eigen::Vector3d& place = corners.emplace_back();
    for (int axis = 0; axis < 3; ++axis) {
      std::string_view word = next();
      if (word.starts_with('+')) word.remove_prefix(1);
      const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), place[axis]);
      if (error != std::errc() || stop != word.data() + word.size() || !std::isfinite(place[axis]))
        throw InputError({file, line_number, 0}, std::string(key),
                         fmt::format("`{}` is not a finite number.", Printable(word)), kExpected);
    }
  }
  return corners;
}

}  // namespace

std::vector<Eigen::Vector3d> ParseMeshCorners(std::string_view content, const std::string& name_in_messages) {
  const ByteReader bytes(content, name_in_messages);
  std::vector<Eigen::Vector3d> corners =
      IsBinaryStl(content, bytes) ? ReadBinaryStl(bytes) : ReadText(content, name_in_messages);
  // Triangles repeat their corners.
  std::vector<std::size_t> order(corners.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](std::size_t i) { return std::array{corners[i][0], corners[i][1], corners[i][2]}; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  order.erase(std::unique(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) == key(b); }),
              order.end());
  std::sort(order.begin(), order.end());
  std::vector<Eigen::Vector3d> once;
  once.reserve(order.size());
  for (const std::size_t i : order) once.push_back(corners[i]);
  if (once.size() < 4)
    throw InputError({name_in_messages, 0, 0}, "", fmt::format("has {} corners of triangles.", once.size()), kExpected);
  return once;
}

}  // namespace ricochet
