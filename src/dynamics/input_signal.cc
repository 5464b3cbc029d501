// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dynamics/input_signal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/error.h"

namespace ricochet {
namespace {

constexpr double kSameInstant = 1e-9;  // relative above 1 s, [s] below

/// Values of a column, those that are missing filled in; all 0 without a column.
std::vector<double> CompleteColumn(const Recording& recording, const std::string& name,
                                   InputSignal::MissingColumn missing) {
  const int column = recording.Find(name);
  if (column < 0 && missing == InputSignal::MissingColumn::kRefuse)
    throw InputError({recording.file, 1, 0}, name,
                     fmt::format("the recording has no column {} for the motor's input.", name),
                     "Add the column, or name another one in the joint's motor.input.");
  if (column < 0) return std::vector<double>(recording.time.size(), 0.0);
  std::vector<double> values = recording.values[static_cast<std::size_t>(column)];
  const auto first = std::find_if(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  if (first == values.end() && !values.empty())
    throw InputError({recording.file, 1, 0}, name, fmt::format("the column {} of the motor's input is empty.", name),
                     "Fill it in, or remove the motor from the scene.");
  double last = values.empty() ? 0 : *first;
  for (double& value : values) last = value = std::isfinite(value) ? value : last;
  return values;
}

}  // namespace

InputSignal::InputSignal(std::vector<double> time, std::vector<std::vector<double>> rows,
                         std::vector<Interpolation> between)
    : time_(std::move(time)), rows_(std::move(rows)), between_(std::move(between)) {}

InputSignal::InputSignal(const Recording& recording, const Model& model, MissingColumn missing) {
  const std::vector<std::string>& names = model.spatial.inputs;
  between_.assign(names.size(), Interpolation::kHold);
  for (const auto& joint : model.spatial.joints)
    if (joint.motor_input >= 0 && joint.motor_interpolation == InputInterpolation::kLinear)
      between_[static_cast<std::size_t>(joint.motor_input)] = Interpolation::kLinear;
  std::vector<std::vector<double>> columns;
  for (const std::string& name : names) columns.push_back(CompleteColumn(recording, name, missing));
  if (names.empty()) return;
  const bool every_row = HasLinear();
  for (std::size_t i = 0; i < recording.time.size(); ++i) {
    std::vector<double> row;
    for (const std::vector<double>& column : columns) row.push_back(column[i]);
    if (!every_row && !rows_.empty() && row == rows_.back()) continue;
    time_.push_back(recording.time[i]);
    rows_.push_back(std::move(row));
  }
}

bool InputSignal::HasLinear() const {
  return std::find(between_.begin(), between_.end(), Interpolation::kLinear) != between_.end();
}

void InputSignal::At(double t, Side side, std::span<double> u) const {
  if (time_.empty()) {
    std::fill(u.begin(), u.end(), 0.0);
    return;
  }
  const double slack = kSameInstant * std::max(1.0, std::abs(t));
  const auto found = side == Side::kAfter ? std::upper_bound(time_.begin(), time_.end(), t + slack)
                                          : std::lower_bound(time_.begin(), time_.end(), t - slack);
  const std::size_t row = found == time_.begin() ? 0 : static_cast<std::size_t>(found - time_.begin()) - 1;
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = rows_[row][i];
    if (between_[i] == Interpolation::kLinear && row + 1 < time_.size() && t > time_[row])
      u[i] += (rows_[row + 1][i] - u[i]) * (t - time_[row]) / (time_[row + 1] - time_[row]);
  }
}

void InputSignal::Over(double t, double h, std::span<double> at_start, std::span<double> at_end) const {
  At(t, Side::kAfter, at_start);
  At(t + h, Side::kBefore, at_end);
  for (std::size_t i = 0; i < at_end.size(); ++i)
    if (i >= between_.size() || between_[i] == Interpolation::kHold) at_end[i] = at_start[i];
}

}  // namespace ricochet
