// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/mocap/convert_take.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/text.h"
#include "recording/mocap/selection.h"
#include "recording/recording_health.h"

namespace ricochet {
namespace {

[[noreturn]] void Fail(const MocapTake& take, const std::string& field, const std::string& problem,
                       const std::string& remedy) {
  throw InputError({take.file, 0, 0}, field, problem, remedy);
}

/// Step of the last digit that times are written with: the largest power of ten, from 1 to 1e-7, that all of them are
/// multiples of; 0 if there is none.
double DigitOf(const std::vector<double>& time) {
  double digit = 1;
  for (int d = 0; d <= 7; ++d, digit /= 10) {
    const double per_digit = std::pow(10.0, d);
    if (std::all_of(time.begin(), time.end(), [&](double t) {
          const double steps = t * per_digit;
          return std::abs(steps - std::round(steps)) <= 1e-6 + 1e-15 * std::abs(steps);
        }))
      return digit;
  }
  return 0;
}

/// Replaces times that a file rounds by multiples of 1 / rate, where each is as far from one as rounding explains.
/// Returns the digit that they are rounded to; 0: they are left as they are.
double WriteAtRate(const std::vector<double>& in_file, double rate, std::vector<double>& time) {
  const double digit = DigitOf(in_file);
  if (digit == 0) return 0;
  double lowest = 0, highest = 0, before = -1;
  std::vector<double> frames;
  for (const double t : time) {
    const double n = std::round(t * rate);
    if (!(n > before)) return 0;
    before = n;
    frames.push_back(n);
    lowest = std::min(lowest, t - n / rate);
    highest = std::max(highest, t - n / rate);
  }
  // The first time is rounded too, so that all others may be off by a whole digit together.
  if (!(highest - lowest <= 1.01 * digit) || highest - lowest < 1e-9) return 0;
  for (std::size_t k = 0; k < time.size(); ++k) time[k] = frames[k] / rate;
  return digit;
}

/// Columns of a recording from the frames of a take, one after the other.
class TakeConverter {
 public:
  TakeConverter(const MocapTake& take, const ImportOptions& options) : take_(take), options_(options) {
    result_.format = take.format;
    result_.notes = take.notes;
    result_.left_out = take.left_out;
    result_.warnings = take.warnings;
    result_.recording.file = take.file;
  }

  ImportedRecording Convert() {
    ReadUnitAndAxes();
    ReadClock();
    ReadPivot();
    BodySelection selection = SelectBodies(take_, options_, meters_, result_);
    const bool single = selection.bodies.size() == 1 && selection.points.empty();
    for (MocapBody& body : selection.bodies) AddBody(body, single);
    for (MocapMarker& point : selection.points) AddPoint(point);
    if (names_.size() > 1)
      result_.notes.push_back("columns of " + JoinList(names_) + "; choose one with option `body`");
    return std::move(result_);
  }

 private:
  void ReadUnitAndAxes() {
    result_.unit = options_.unit.empty() ? take_.unit : options_.unit;
    if (result_.unit.empty())
      Fail(take_, "unit", "the file does not state its length unit.", "Set option `unit` to m, cm, mm, in or ft.");
    meters_ = MetersPer(result_.unit);
    if (meters_ == 0)
      Fail(take_, "unit", fmt::format("`{}` is not a known length unit.", Printable(result_.unit)),
           "Set option `unit` to m, cm, mm, in or ft.");
    result_.notes.push_back(
        fmt::format("unit: {} ({})", result_.unit, options_.unit.empty() ? "from the file" : "as stated"));
    result_.up = options_.up != 0 ? options_.up : take_.usual_up;
    turn_ = TurnUp(result_.up);
    result_.notes.push_back(options_.up != 0
                                ? fmt::format("up axis: {} (as stated); turned to z up", result_.up)
                                : fmt::format("up axis: {}, {}; turned to z up. Set option `up` if that is wrong",
                                              result_.up, take_.up_reason));
  }

  void ReadClock() {
    std::vector<double>& time = result_.recording.time;
    for (const double t : take_.time) time.push_back(t - take_.time.front());
    if (time.empty()) Fail(take_, "", "has no frames.", "Export the whole take.");
    if (take_.time.front() != 0)
      result_.notes.push_back(
          fmt::format("time: starts at {} s in the file, at 0 here", FormatDouble(take_.time.front())));
    if (time.size() < 2) {
      result_.warnings.push_back("a single frame shows no motion");
      return;
    }
    for (std::size_t k = 1; k < time.size(); ++k)
      if (!(time[k] > time[k - 1]))
        Fail(take_, "time",
             fmt::format("{:g} s and {:g} s are too far apart for a clock.", take_.time[0], take_.time[k]),
             "Times are in seconds; correct them.");
    if (take_.rate) {
      if (const double digit = WriteAtRate(take_.time, *take_.rate, time); digit > 0)
        result_.notes.push_back(
            fmt::format("time: rounded to {:g} s in the file, written at {:g} Hz", digit, *take_.rate));
    }
    const ClockHealth clock = CheckClock(time);
    result_.rate = clock.rate;
    result_.notes.push_back(fmt::format("rate: {:.6g} Hz from the times{}", clock.rate,
                                        take_.rate ? fmt::format(", {:.6g} Hz stated", *take_.rate) : ""));
    if (take_.rate && std::abs(*take_.rate * clock.interval - 1) > 2e-3)
      result_.warnings.push_back(fmt::format(
          "the file states {:.6g} Hz, but its times are at {:.6g} Hz; the times are used", *take_.rate, clock.rate));
    if (clock.dropped_frames > 0)
      result_.notes.push_back(fmt::format("dropped frames: {} in {} gaps", clock.dropped_frames, clock.gaps));
  }

  void ReadPivot() {
    const std::array<double, 7>& given = options_.pivot;
    pivot_q_ = Quaternion<double>(given[3], given[4], given[5], given[6]);
    if (!(std::abs(pivot_q_.norm() - 1) < 1e-2))
      throw InputError({}, "pivot", "its quaternion does not have the length 1.", "Write x,y,z or x,y,z,qw,qx,qy,qz.");
    pivot_q_ /= pivot_q_.norm();
    pivot_p_ = Eigen::Vector3d(given[0], given[1], given[2]);
  }

  /// New columns PREFIX.NAME of the take's length, all missing; returns the index of the first.
  std::size_t AddColumns(const std::string& name, bool prefixed, std::initializer_list<const char*> columns) {
    std::string unique = LegalName(name);
    while (std::find(names_.begin(), names_.end(), unique) != names_.end()) unique += "_";
    names_.push_back(unique);
    Recording& recording = result_.recording;
    for (const char* column : columns) recording.columns.push_back(prefixed ? unique + "." + column : column);
    recording.values.resize(recording.columns.size(), std::vector<double>(take_.time.size(), kMissing));
    return recording.columns.size() - columns.size();
  }

  /// Makes frames that the tracker repeated missing. `values` are the raw columns.
  void RemoveFrozen(const std::string& name, std::vector<std::vector<double>> values,
                    std::vector<Eigen::Vector3d>& position) {
    Recording raw;
    raw.time = take_.time;
    raw.values = std::move(values);
    std::vector<int> all(raw.values.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    const std::vector<int> frozen = FindFrozenRows(raw, all);
    for (const int k : frozen) position[static_cast<std::size_t>(k)].setConstant(kMissing);
    if (!frozen.empty())
      result_.notes.push_back(
          fmt::format("{}: {} frozen frames (exact repeats while it moves, first in frame {}) become missing values",
                      name, frozen.size(), frozen.front() + 1));
  }

  void NoteMissing(const std::string& name, std::size_t missing) {
    if (missing > 0)
      result_.notes.push_back(fmt::format("{}: {} of {} frames are missing", name, missing, take_.time.size()));
  }

  void AddBody(MocapBody& body, bool single) {
    std::vector<std::vector<double>> raw(7);
    for (std::size_t k = 0; k < take_.time.size(); ++k) {
      for (int i = 0; i < 3; ++i) raw[static_cast<std::size_t>(i)].push_back(body.position[k][i]);
      for (int i = 0; i < 4; ++i) raw[static_cast<std::size_t>(3 + i)].push_back(body.rotation[k][i]);
    }
    RemoveFrozen(body.name, std::move(raw), body.position);
    const std::size_t base = AddColumns(body.name, !single, {"x", "y", "z", "qw", "qx", "qy", "qz"});
    result_.bodies.push_back(names_.back());
    Quaternion<double> before = IdentityQuaternion<double>();
    std::size_t missing = 0, flips = 0;
    for (std::size_t k = 0; k < take_.time.size(); ++k) {
      if (!body.position[k].allFinite() || !body.rotation[k].allFinite()) {
        ++missing;
        continue;
      }
      const Quaternion<double> q_WP = QuaternionProduct<double>(turn_, body.rotation[k]);
      const Eigen::Vector3d p_WP = Rotate<double>(turn_, Eigen::Vector3d(body.position[k] * meters_));
      const Eigen::Vector3d p = p_WP + Rotate<double>(q_WP, pivot_p_);
      Quaternion<double> q = QuaternionProduct<double>(q_WP, pivot_q_);
      q /= q.norm();
      if (q.dot(before) < 0) {
        q = -q;
        flips += k > 0 ? 1 : 0;
      }
      before = q;
      for (int i = 0; i < 3; ++i) result_.recording.values[base + static_cast<std::size_t>(i)][k] = p[i];
      for (int i = 0; i < 4; ++i) result_.recording.values[base + 3 + static_cast<std::size_t>(i)][k] = q[i];
    }
    if (missing == take_.time.size())
      Fail(take_, "body " + body.name, "is missing in every frame.",
           "Reconstruct and solve the take before exporting it, or choose another with option `body`.");
    NoteMissing(body.name, missing);
    if (flips > 0)
      result_.notes.push_back(fmt::format("{}: {} sign changes of the quaternion removed", body.name, flips));
  }

  void AddPoint(MocapMarker& point) {
    std::vector<std::vector<double>> raw(3);
    for (const Eigen::Vector3d& p : point.position)
      for (int i = 0; i < 3; ++i) raw[static_cast<std::size_t>(i)].push_back(p[i]);
    RemoveFrozen(point.name, std::move(raw), point.position);
    const std::size_t base = AddColumns(point.name, true, {"x", "y", "z"});
    result_.points.push_back(names_.back());
    std::size_t missing = 0;
    for (std::size_t k = 0; k < take_.time.size(); ++k) {
      if (!point.position[k].allFinite()) {
        ++missing;
        continue;
      }
      const Eigen::Vector3d p = Rotate<double>(turn_, Eigen::Vector3d(point.position[k] * meters_));
      for (int i = 0; i < 3; ++i) result_.recording.values[base + static_cast<std::size_t>(i)][k] = p[i];
    }
    NoteMissing(point.name, missing);
  }

  const MocapTake& take_;
  const ImportOptions& options_;
  ImportedRecording result_;
  double meters_ = 1;
  Quaternion<double> turn_ = IdentityQuaternion<double>(), pivot_q_ = IdentityQuaternion<double>();
  Eigen::Vector3d pivot_p_ = Eigen::Vector3d::Zero();
  std::vector<std::string> names_;  // of bodies and points so far
};

}  // namespace

ImportedRecording ConvertTake(const MocapTake& take, const ImportOptions& options) {
  return TakeConverter(take, options).Convert();
}

}  // namespace ricochet
