// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Motor inputs over time, for simulations and for fits alike.
//
// Rows of a recording say what the inputs are. A joint's `motor.interpolation` says what they are in between:
//
//     hold      the value of a row holds from its instant on
//     linear    the straight line to the next row
//
// Before the first row its value holds, after the last row that one's. A missing value is that of the row before; at
// the beginning it is the first value of the column. At the instant of a row a held input jumps, so that a reader says
// which side it means. Times within a relative 1e-9 of a row are at that row: a step that should begin there begins
// there up to rounding.
#pragma once

#include <span>
#include <vector>

#include "model/model.h"
#include "ricochet/recording.h"

namespace ricochet {

class InputSignal {
 public:
  enum class Interpolation : char { kHold, kLinear };
  enum class Side { kBefore, kAfter };
  enum class MissingColumn { kRefuse, kZero };

  /// No inputs, or none that are not 0.
  InputSignal() = default;
  /// One row per time, one value per input in each.
  InputSignal(std::vector<double> time, std::vector<std::vector<double>> rows, std::vector<Interpolation> between);
  /// The inputs of a model (SpatialModel::inputs) from the columns of these names. Throws InputError for a column that
  /// has no value at all and, unless an input without a column is 0, for a column that is missing.
  InputSignal(const Recording& recording, const Model& model, MissingColumn missing);

  /// Number of inputs; 0 when none was given.
  std::size_t size() const { return between_.size(); }
  bool HasLinear() const;
  /// Instants at which something changes [s], increasing. Between them every input is constant or a straight line.
  const std::vector<double>& changes() const { return time_; }

  /// Values at an instant. All 0 when there are no rows.
  void At(double t, Side side, std::span<double> u) const;
  /// Values at both ends of a step: on the line, or as held from its start on.
  void Over(double t, double h, std::span<double> at_start, std::span<double> at_end) const;

 private:
  std::vector<double> time_;
  std::vector<std::vector<double>> rows_;
  std::vector<Interpolation> between_;
};

}  // namespace ricochet
