// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/mocap/trajectory_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/text.h"
#include "recording/column_names.h"
#include "recording/mocap/row_checks.h"
#include "recording/text_table.h"

namespace ricochet {
namespace {

constexpr double kLongestGap = 1e4;  // [s] between two lines; more is another unit
const char* const kWrite = "A line is: timestamp tx ty tz qx qy qz qw.";
const std::vector<std::string> kPose = {"t", "x", "y", "z", "qw", "qx", "qy", "qz"};

/// The line of names may be a comment.
std::string_view WithoutCommentSign(std::string_view line) {
  while (!line.empty() && (line.front() == '#' || line.front() == '%' || IsBlank(line.front()))) line.remove_prefix(1);
  return line;
}

/// The first line that is neither a comment nor empty.
std::string_view FirstLine(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!line.starts_with('#') && line.find_first_not_of(" \t\r") != std::string_view::npos) return line;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

class TrajectoryReader {
 public:
  TrajectoryReader(std::string_view text, const std::string& name, const ImportOptions& options)
      : table_(text, name, FirstLine(text).find(',') != std::string_view::npos ? ',' : ' ', kWrite),
        commas_(FirstLine(text).find(',') != std::string_view::npos),
        options_(options) {
    take_.file = name;
    take_.unit = "m";
    take_.usual_up = 'z';
    take_.up_reason = "the convention of the format";
    take_.bodies.push_back({"body", {}, {}});
  }

  MocapTake Read() {
    std::vector<std::string> names;
    while (table_.Next()) {
      if (table_.IsEmpty()) continue;
      double number = 0;
      const bool comment = table_.Cell(0).starts_with('#');
      if (comment || (!layout_ && !ParseNumber(table_.Cell(0), number) && HasNames())) {
        if (!layout_) names = Names();
        continue;
      }
      if (!layout_) ChooseLayout(names);
      if (table_.cells().size() != width_ && !(further_ && table_.cells().size() > 8))
        table_.Fail(0, "", fmt::format("the line has {} numbers instead of {}.", table_.cells().size(), width_),
                    width_ == 8 ? kWrite : "Every line has the numbers of the first one.");
      if (matrix_) {
        ReadMatrix();
      } else {
        ReadPose();
      }
    }
    if (take_.time.empty()) table_.FailOnFile("", "has no lines of numbers.", kWrite);
    if (repeated_ > 0)
      take_.left_out.push_back(
          fmt::format("{} line{} with the timestamp of the line before", repeated_, repeated_ == 1 ? "" : "s"));
    return std::move(take_);
  }

 private:
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const TableCell& cell : table_.cells())
      if (const std::string_view name = WithoutCommentSign(cell.text); !name.empty()) names.emplace_back(name);
    return names;
  }

  /// Whether the line names what the numbers below it are.
  bool HasNames() const {
    const std::vector<std::string> names = Names();
    return std::count_if(names.begin(), names.end(),
                         [](const std::string& name) { return !GuessColumn(name).quantity.empty(); }) >= 4;
  }

  /// From the names above the numbers, or by how many there are.
  void ChooseLayout(const std::vector<std::string>& names) {
    width_ = table_.cells().size();
    layout_ = std::map<std::string, std::size_t>();
    if (names.size() == width_) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        const ColumnMeaning meaning = GuessColumn(names[i]);
        if (meaning.quantity.empty() || !layout_->emplace(meaning.quantity, i).second) continue;
        if (meaning.quantity == "t") stated_unit_ = SecondsPer(meaning.unit);
      }
      if (std::all_of(kPose.begin(), kPose.end(), [&](const std::string& q) { return layout_->contains(q); })) {
        take_.format = layout_->at("qx") == 4 && layout_->at("qw") == 7 ? "TUM trajectory" : "trajectory";
        take_.notes.emplace_back("columns: by their names; lengths in meters, as the format requires");
        LeaveOutOthers(names);
        return;
      }
      layout_->clear();
    }
    if (width_ == 12) {
      matrix_ = true;
      take_.format = "KITTI trajectory";
      if (!(options_.rate > 0))
        table_.FailOnFile("rate", "a file of poses without times needs a frame rate.",
                          "Set option `rate` to the frames per second of the recording.");
      take_.rate = options_.rate;
      take_.notes.emplace_back("rotations: matrices; lengths in meters, as the format requires");
      return;
    }
    if (width_ < 8) table_.Fail(0, "", fmt::format("the line has {} numbers instead of 8.", width_), kWrite);
    const bool nanoseconds = UnitOfStamps(table_.Number(0, "timestamp")) == 1e-9;
    const bool w_first = commas_ && (width_ > 8 || nanoseconds);
    if (w_first) {
      take_.format = "EuRoC trajectory";
      further_ = true;
      take_.notes.emplace_back(
          "rotations: quaternions w, x, y, z in the file; lengths in meters, as the format requires");
      if (width_ > 8) take_.left_out.push_back(fmt::format("{} further numbers of each line", width_ - 8));
    } else {
      take_.format = "TUM trajectory";
      width_ = 8;
      take_.notes.emplace_back(
          "rotations: quaternions x, y, z, w in the file; lengths in meters, as the format requires");
    }
    for (std::size_t i = 0; i < 4; ++i) {
      (*layout_)[kPose[i]] = i;
      (*layout_)[kPose[4 + i]] = w_first ? 4 + i : 4 + (i + 3) % 4;
    }
  }

  void LeaveOutOthers(const std::vector<std::string>& names) {
    std::vector<std::string> others;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (std::none_of(kPose.begin(), kPose.end(), [&](const std::string& q) { return layout_->at(q) == i; }))
        others.push_back(Printable(names[i]));
    if (!others.empty()) take_.left_out.push_back("columns " + JoinList(others));
  }

  void ReadPose() {
    const auto number = [&](std::size_t i) {
      return table_.Number(layout_->at(kPose[i]),
                           std::vector<std::string>{"timestamp", "tx", "ty", "tz", "qw", "qx", "qy", "qz"}[i]);
    };
    double t = number(0);
    if (!stamp_unit_) {
      stamp_unit_ = stated_unit_ > 0 ? stated_unit_ : UnitOfStamps(t);
      if (*stamp_unit_ != 1) take_.notes.push_back(fmt::format("time: stamps in units of {:g} s", *stamp_unit_));
    }
    t *= *stamp_unit_;
    const std::size_t time_cell = layout_->at("t");
    if (!take_.time.empty() && t == take_.time.back()) {
      ++repeated_;
      return;
    }
    CheckLater(table_, time_cell, take_.time, t);
    if (!take_.time.empty() && t - take_.time.back() > kLongestGap)
      table_.Fail(time_cell, "timestamp",
                  fmt::format("it is {:.4g} s later than the line before.", t - take_.time.back()),
                  "Timestamps are in seconds, or count ms, us or ns from 1970.");
    const Eigen::Vector3d p(number(1), number(2), number(3));
    const Quaternion<double> q(number(4), number(5), number(6), number(7));
    const char* const whole = "Write nan in all of them where the body is not seen.";
    const std::size_t q_cell = std::min(layout_->at("qw"), layout_->at("qx"));
    CheckWhole(table_, layout_->at("x"), "tx, ty, tz", p, whole);
    CheckWhole(table_, q_cell, "qx, qy, qz, qw", q, whole);
    if (q.allFinite() && !(std::abs(q.norm() - 1) < 0.02))
      table_.Fail(q_cell, "qx", fmt::format("the quaternion has length {:.4g}, not 1.", q.stableNorm()), kWrite);
    take_.time.push_back(t);
    take_.bodies[0].position.push_back(p);
    take_.bodies[0].rotation.push_back(q / q.norm());
  }

  void ReadMatrix() {
    Eigen::Matrix<double, 3, 4> X;
    for (std::size_t i = 0; i < 12; ++i)
      X(static_cast<int>(i / 4), static_cast<int>(i % 4)) = table_.Number(i, "matrix");
    const Eigen::Matrix3d R = X.leftCols<3>();
    if (!X.allFinite() || !((R * R.transpose() - Eigen::Matrix3d::Identity()).norm() < 0.02) || R.determinant() < 0)
      table_.Fail(0, "matrix", "the first three columns are not a rotation matrix.",
                  "A line has the 12 numbers of a pose (3 x 4), row by row.");
    take_.time.push_back(static_cast<double>(take_.time.size()) / *take_.rate);
    take_.bodies[0].position.emplace_back(X.col(3));
    take_.bodies[0].rotation.push_back(QuaternionFromMatrix<double>(R).normalized());
  }

  TextTable table_;
  bool commas_ = false;
  ImportOptions options_;
  MocapTake take_;
  std::optional<std::map<std::string, std::size_t>> layout_;  // cell of each quantity, once it is known
  std::size_t width_ = 8;                                     // cells of a line
  bool matrix_ = false, further_ = false;
  double stated_unit_ = 0;  // of timestamps [s], by their name; 0: not stated
  std::optional<double> stamp_unit_;
  int repeated_ = 0;
};

}  // namespace

MocapTake ParseTrajectory(std::string_view text, const std::string& name_in_messages, const ImportOptions& options) {
  return TrajectoryReader(text, name_in_messages, options).Read();
}

}  // namespace ricochet
