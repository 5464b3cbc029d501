// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/tables/table_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "core/text.h"
#include "math/se3.h"
#include "recording/column_names.h"
#include "recording/conventions.h"
#include "recording/recording_health.h"
#include "recording/recording_rules.h"
#include "recording/tables/column_terms.h"

namespace ricochet {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
const std::set<std::string, std::less<>> kLengths = {"x", "y", "z"};
const std::set<std::string, std::less<>> kKnown = {"x",  "y",  "z",  "theta", "qw", "qx",    "qy",    "qz",  "vx",
                                                   "vy", "vz", "wx", "wy",    "wz", "omega", "angle", "rate"};

class TableConverter {
 public:
  TableConverter(const NumberTable& table, const ImportOptions& options) : table_(table), options_(options) {
    CheckAngles(options.angles);
    result_.format = table.format;
    result_.left_out = table.left_out;
    result_.notes = table.notes;
    result_.unit = options.unit.empty() ? "m" : options.unit;
    result_.up = options.up == 0 ? 'z' : options.up;
    result_.recording.file = table.file;
    if (!options.body.empty())
      throw InputError({}, "body", "a table of numbers has no bodies to choose from.",
                       "Name its columns: set option `columns` to t=...,x=...");
  }

  ImportedRecording Convert() {
    const std::vector<ColumnTerm> terms =
        options_.columns.empty() ? Guess() : ParseColumnTerms(options_.columns, table_.names);
    ReadTime(terms);
    for (const ColumnTerm& term : terms) {
      if (term.target == "t") continue;
      if (term.scalar()) {
        AddColumn(term.target, Values(term));
      } else {
        AddRotation(term);
      }
      result_.notes.push_back("columns: " + term.text);
    }
    if (result_.recording.columns.empty()) Fail("", "no column of the table is known.", NamesRemedy());
    FinishPoses();
    return std::move(result_);
  }

 private:
  [[noreturn]] void Fail(const std::string& field, const std::string& problem, const std::string& remedy,
                         std::size_t row = 0, bool has_row = false) const {
    throw InputError({table_.file, has_row && row < table_.lines.size() ? table_.lines[row] : 0, 0}, field, problem,
                     remedy);
  }
  std::string NamesRemedy() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min<std::size_t>(12, table_.names.size()); ++i)
      names.push_back(Printable(table_.names[i]));
    if (table_.names.size() > names.size()) names.push_back(fmt::format("{} more", table_.names.size() - names.size()));
    const auto named_time = std::find_if(table_.names.begin(), table_.names.end(),
                                         [](const std::string& name) { return name.find("ime") != std::string::npos; });
    const std::string& time = named_time == table_.names.end() ? table_.names.front() : *named_time;
    return fmt::format("The table has {}: state what they are, for example option `columns` 't={}*ms,x={}*mm'.",
                       JoinList(names), Source(time), Source(table_.names.back()));
  }
  /// The name of a column as a term of option `columns` has it: in quotes if it has blanks or operators.
  static std::string Source(const std::string& name) {
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    });
    return plain ? name : "\"" + Printable(name) + "\"";
  }
  /// Terms that make lengths of pixels, for a message: they run as they are.
  [[noreturn]] void FailOnPixels() const {
    std::string terms;
    for (const std::string& name : table_.names) {
      const ColumnMeaning meaning = GuessColumn(name);
      const std::string part = name.substr(name.rfind('.') + 1);
      const bool flipped = meaning.quantity == "y" || part == "y";
      if (meaning.quantity == "t") terms += (terms.empty() ? "" : ",") + fmt::format("t={}", Source(name));
      if (meaning.quantity == "frame" && terms.empty()) terms += fmt::format("t={}/240", Source(name));
      if (meaning.quantity == "theta") terms += fmt::format("{}theta={}*deg", terms.empty() ? "" : ",", Source(name));
      if (meaning.quantity == "x" || meaning.quantity == "y" || part == "x" || part == "y")
        terms += fmt::format("{}{}={}{}*0.9mm", terms.empty() ? "" : ",",
                             meaning.quantity.empty() ? name : meaning.quantity, flipped ? "-" : "", Source(name));
    }
    Fail("", "positions are in pixels.",
         fmt::format("State the rate, the size of a pixel and that y is down, for example option `columns` '{}'.",
                     terms));
  }

  /// Terms by the names of the columns.
  std::vector<ColumnTerm> Guess() {
    std::vector<ColumnTerm> terms;
    std::vector<std::string> others;
    std::map<std::string, std::size_t> angles;
    const auto has = [&](const char* name) {
      return std::find(table_.names.begin(), table_.names.end(), name) != table_.names.end();
    };
    if (has("px") && has("py") && !has("pz")) FailOnPixels();
    for (std::size_t c = 0; c < table_.names.size(); ++c) {
      const std::string& name = table_.names[c];
      const std::size_t dot = name.rfind('.');
      const ColumnMeaning meaning = table_.named ? GuessColumn(name) : ColumnMeaning{};
      std::string target = meaning.quantity;
      // Our own names, NAME.x of a body or point, NAME.angle of a joint; a name alone is an input.
      if (table_.named && target.empty() && IsColumnName(name))
        target = dot == std::string::npos || kKnown.contains(std::string_view(name).substr(dot + 1)) ? name : "";
      if (target.empty() || HasTarget(terms, target)) {
        others.push_back(Printable(name));
        continue;
      }
      if (target == "roll" || target == "pitch" || target == "yaw") {
        angles[target] = c;
        continue;
      }
      terms.push_back({target, "", {c}, Scale(target, meaning.unit, name), 0, target + "=" + Printable(name)});
    }
    GuessRotation(terms, angles);
    GuessTime(terms);
    if (!others.empty()) result_.left_out.push_back("columns " + JoinList(others) + ": their names are not known");
    return terms;
  }

  static bool HasTarget(const std::vector<ColumnTerm>& terms, const std::string& target) {
    return std::any_of(terms.begin(), terms.end(), [&](const ColumnTerm& term) { return term.target == target; });
  }

  double Scale(const std::string& target, const std::string& unit, const std::string& name) {
    const std::string quantity = target.substr(target.rfind('.') + 1);
    if (kLengths.contains(quantity)) {
      if (unit.starts_with("px") || unit.starts_with("pixel") || table_.format == "CSV of DeepLabCut") FailOnPixels();
      const std::string& stated = !options_.unit.empty() ? options_.unit : unit;
      const double meters = stated.empty() ? 1 : MetersPer(stated);
      if (meters == 0)
        Fail(name, fmt::format("`{}` is not a known length unit.", Printable(stated)),
             "Set option `unit` to m, cm, mm, in or ft.");
      if (!stated.empty()) result_.unit = stated;
      return meters;
    }
    if (target == "t") return unit.empty() ? 0 : SecondsPer(unit);
    return unit.empty() || RadiansPer(unit) == 0 ? 1 : RadiansPer(unit);
  }

  /// Roll, pitch and yaw are a rotation if their order is stated; a yaw alone is the planar angle.
  void GuessRotation(std::vector<ColumnTerm>& terms, const std::map<std::string, std::size_t>& angles) {
    if (angles.empty()) return;
    const auto unit = [&](std::size_t c) { return Scale("theta", GuessColumn(table_.names[c]).unit, table_.names[c]); };
    if (angles.size() == 1 && angles.begin()->first == "yaw" && !HasTarget(terms, "theta")) {
      const std::size_t c = angles.begin()->second;
      terms.push_back({"theta", "", {c}, unit(c), 0, "theta=" + Printable(table_.names[c])});
      return;
    }
    if (angles.size() < 3) return;
    std::string order = options_.angles.starts_with("euler-") ? options_.angles.substr(6) : "";
    std::string sorted = order;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != "xyz")
      Fail("roll, pitch, yaw", "the table does not state the order of the three angles.",
           "Set option `angles` to euler-zyx (yaw first, then pitch, then roll) or another order.");
    ColumnTerm term{"q", "euler-" + order, {}, unit(angles.at("roll")), 0, "q=" + options_.angles};
    for (const char axis : order)
      term.sources.push_back(angles.at(axis == 'x' ? "roll" : axis == 'y' ? "pitch" : "yaw"));
    terms.push_back(term);
  }

  /// A time, or the number of a frame and a rate.
  void GuessTime(std::vector<ColumnTerm>& terms) {
    const auto frame =
        std::find_if(terms.begin(), terms.end(), [](const ColumnTerm& t) { return t.target == "frame"; });
    if (frame == terms.end()) return;
    if (HasTarget(terms, "t") || !(options_.rate > 0)) {
      terms.erase(frame);
    } else {
      frame->target = "t";
      frame->factor = 1 / options_.rate;
      frame->text = fmt::format("t={}/{:g}", Printable(table_.names[frame->sources[0]]), options_.rate);
    }
  }

  /// Adds whole turns so that no angle jumps by more than half a turn.
  static void Unwrap(std::vector<double>& angles) {
    constexpr double kTurn = 2 * std::numbers::pi;
    double turns = 0, before = NAN;
    for (double& angle : angles) {
      if (std::isnan(angle)) continue;
      if (!std::isnan(before)) turns -= std::round((angle - before) / kTurn);
      before = angle;
      angle += turns * kTurn;
    }
  }

  std::vector<double> Values(const ColumnTerm& term) const {
    std::vector<double> values;
    values.reserve(rows_.size());
    for (const std::size_t row : rows_)
      values.push_back(table_.values[term.sources[0]][row] * term.factor + term.offset);
    if (term.function == "unwrap") Unwrap(values);
    return values;
  }

  void ReadTime(const std::vector<ColumnTerm>& terms) {
    const auto term = std::find_if(terms.begin(), terms.end(), [](const ColumnTerm& t) { return t.target == "t"; });
    const std::size_t count = table_.values.empty() ? 0 : table_.values[0].size();
    if (term == terms.end() && !(options_.rate > 0)) {
      for (const std::string& name : table_.names)
        if (table_.named && options_.columns.empty() && GuessColumn(name).quantity == "frame")
          Fail("t", fmt::format("column `{}` counts rows, and nothing states their rate.", Printable(name)),
               "Set option `rate` to the rows per second, for example option `rate` 240.");
      Fail("t", "no column is known to be the time.",
           "Set option `rate` to the rows per second, or name the time. " + NamesRemedy());
    }
    std::vector<double>& time = result_.recording.time;
    std::size_t repeated = 0;
    double first = 0, factor = 1;
    for (std::size_t row = 0; row < count; ++row) {
      double t = static_cast<double>(row) / options_.rate;
      if (term != terms.end()) {
        const double raw = table_.values[term->sources[0]][row];
        if (std::isnan(raw)) Fail("t", std::string(kTimeMissing), "Give every row its time.", row, true);
        if (row == 0) {
          // Stamps that count from 1970 show their unit by their size.
          factor = term->factor != 0 ? term->factor : UnitOfStamps(raw);
          first = raw;
          result_.notes.push_back(fmt::format("columns: {}, in units of {:g} s", term->text, factor));
        }
        t = (raw - first) * factor;
        if (!std::isfinite(t))
          Fail("t", fmt::format("{:g} is not a time.", raw), "Times are finite numbers.", row, true);
      }
      if (!time.empty() && t == time.back()) {
        ++repeated;
        continue;
      }
      if (!time.empty() && !(t > time.back()))
        Fail("t", fmt::format("{:g} s is not later than {:g} s before.", t, time.back()), std::string(kTimeOrderRemedy),
             row, true);
      time.push_back(t);
      rows_.push_back(row);
    }
    if (repeated > 0)
      result_.left_out.push_back(
          fmt::format("{} row{} with the time of the row before", repeated, repeated == 1 ? "" : "s"));
    if (time.size() > 1) result_.rate = CheckClock(time).rate;
    constexpr double kSlow = 2;  // [Hz]; nothing that moves is recorded less often
    if (term != terms.end() && term->factor == 0 && time.size() >= 10 && result_.rate < kSlow)
      result_.warnings.push_back(
          fmt::format("rows are {:.3g} s apart; if the times are in ms, state it: option `columns` '{}'",
                      1 / result_.rate, TermsInMilliseconds(terms)));
  }

  /// The guessed terms as a user would write them, with times in ms.
  std::string TermsInMilliseconds(const std::vector<ColumnTerm>& terms) const {
    std::string text;
    for (const ColumnTerm& term : terms) {
      const std::string& name = table_.names[term.sources[0]];
      std::string source = Source(name);
      if (!term.function.empty()) {
        source = term.function + "(" + source;
        for (std::size_t i = 1; i < term.sources.size(); ++i) source += "," + Source(table_.names[term.sources[i]]);
        source += ")";
      }
      const std::string unit = term.target == "t" ? "ms"
                               : term.factor == 1 ? ""
                               : !options_.unit.empty() && term.factor == MetersPer(options_.unit)
                                   ? options_.unit
                                   : GuessColumn(name).unit;
      text += fmt::format("{}{}={}{}{}", text.empty() ? "" : ",", term.target, source, unit.empty() ? "" : "*", unit);
    }
    return text;
  }

  void AddColumn(const std::string& name, std::vector<double> values) {
    for (double& value : values)
      if (std::isinf(value)) value = kNothing;
    result_.recording.columns.push_back(name);
    result_.recording.values.push_back(std::move(values));
  }

  void AddRotation(const ColumnTerm& term) {
    std::vector<std::vector<double>> q(4);
    for (const std::size_t row : rows_) {
      const auto value = [&](std::size_t i) { return table_.values[term.sources[i]][row]; };
      Quaternion<double> rotation = Quaternion<double>::Constant(kNothing);
      if (term.function == "xyzw") {
        rotation = {value(3), value(0), value(1), value(2)};
      } else if (term.function == "wxyz") {
        rotation = {value(0), value(1), value(2), value(3)};
      } else if (term.function == "matrix") {
        Eigen::Matrix3d R;
        for (std::size_t i = 0; i < 9; ++i) R(static_cast<int>(i / 3), static_cast<int>(i % 3)) = value(i);
        if (R.allFinite()) {
          if (!((R * R.transpose() - Eigen::Matrix3d::Identity()).norm() < 0.02) || R.determinant() < 0)
            Fail(term.target, "the nine numbers are not a rotation matrix.", "Give them row by row.", row, true);
          rotation = QuaternionFromMatrix<double>(R);
        }
      } else {
        const Eigen::Vector3d angles(value(0), value(1), value(2));
        if (angles.allFinite()) rotation = FromEuler(term.function.substr(6), angles * term.factor);
      }
      for (std::size_t i = 0; i < 4; ++i) q[i].push_back(rotation[static_cast<int>(i)]);
    }
    const std::string prefix = term.target.substr(0, term.target.size() - 1);
    const char* const names[] = {"qw", "qx", "qy", "qz"};
    for (std::size_t i = 0; i < 4; ++i) AddColumn(prefix + names[i], std::move(q[i]));
  }

  /// Unit quaternions of one sign, and the vertical along z, for each body and point.
  void FinishPoses() {
    Recording& recording = result_.recording;
    std::set<std::string> prefixes;
    for (const std::string& column : recording.columns) prefixes.insert(column.substr(0, column.rfind('.') + 1));
    for (const std::string& prefix : prefixes) {
      const auto find = [&](const char* name) { return recording.Find(prefix + name); };
      const int p[3] = {find("x"), find("y"), find("z")}, q[4] = {find("qw"), find("qx"), find("qy"), find("qz")};
      const bool has_p = p[0] >= 0 && p[1] >= 0 && p[2] >= 0;
      const bool has_q = q[0] >= 0 && q[1] >= 0 && q[2] >= 0 && q[3] >= 0;
      const std::string name = prefix.empty() ? "body" : prefix.substr(0, prefix.size() - 1);
      if (has_q || find("theta") >= 0) result_.bodies.push_back(name);
      if (!has_q && find("theta") < 0 && p[0] >= 0 && p[1] >= 0) result_.points.push_back(name);
      if (has_p && has_q) TurnPose(p, q);
      if (has_p && !has_q) TurnPose(p, nullptr);
    }
  }

  void TurnPose(const int* p, const int* q) {
    auto& values = result_.recording.values;
    const auto at = [&](int column) -> std::vector<double>& { return values[static_cast<std::size_t>(column)]; };
    const Quaternion<double> turn = TurnUp(result_.up);
    Quaternion<double> before = IdentityQuaternion<double>();
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const Eigen::Vector3d place = Rotate<double>(turn, Eigen::Vector3d(at(p[0])[k], at(p[1])[k], at(p[2])[k]));
      for (int i = 0; i < 3; ++i) at(p[i])[k] = place[i];
      if (q == nullptr) continue;
      Quaternion<double> rotation(at(q[0])[k], at(q[1])[k], at(q[2])[k], at(q[3])[k]);
      if (rotation.allFinite() && !(std::abs(rotation.norm() - 1) < 0.02))
        Fail("qw", fmt::format("the quaternion has length {:.4g}, not 1.", rotation.stableNorm()),
             "Check which columns are the quaternion.", rows_[k], true);
      rotation = QuaternionProduct<double>(turn, Quaternion<double>(rotation / rotation.norm()));
      if (rotation.dot(before) < 0) rotation = -rotation;
      if (rotation.allFinite()) before = rotation;
      for (int i = 0; i < 4; ++i) at(q[i])[k] = rotation[i];
    }
  }

  const NumberTable& table_;
  const ImportOptions& options_;
  ImportedRecording result_;
  std::vector<std::size_t> rows_;  // of the table that the recording has
};

}  // namespace

ImportedRecording ConvertTable(const NumberTable& table, const ImportOptions& options) {
  return TableConverter(table, options).Convert();
}

}  // namespace ricochet
