// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Files of NumPy and MATLAB, written by the tests byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ricochet::testing {

/// The bytes of numbers, least significant first.
std::string DoubleBytes(const std::vector<double>& values);

/// A `.npy` file of version 1; `type` such as "<f8", or a list of fields.
std::string NpyFile(const std::string& type, const std::string& shape, const std::string& data, bool fortran = false);

/// A `.npz` file as numpy.savez or numpy.savez_compressed write it.
std::string ZipFile(const std::vector<std::pair<std::string, std::string>>& files, bool compressed = false);

/// A variable of a MATLAB file: double numbers, column by column.
struct MatVariable {
  std::string name;
  std::vector<std::size_t> axes;
  std::vector<double> values;
};
/// Elements of a MATLAB file: an array of numbers, one stored as bytes, a text, a structure, cells.
std::string MatArray(const MatVariable& variable, bool big = false);
std::string MatBytes(const std::string& name, const std::string& values);
std::string MatText(const std::string& name, const std::string& text);
std::string MatStruct(const std::string& name, const std::vector<MatVariable>& fields);
std::string MatCells(const std::string& name, const std::vector<MatVariable>& cells);
/// A compressed element.
std::string MatCompressed(const std::string& element);
/// A whole file of elements.
std::string MatFile(const std::vector<std::string>& elements, bool big = false);

}  // namespace ricochet::testing
