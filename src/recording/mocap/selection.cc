// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/mocap/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/text.h"
#include "recording/mocap/marker_body.h"

namespace ricochet {
namespace {

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// "Box" of "Box:1" and, as Motive names markers in C3D files, of "Box_Marker1"; empty for loose labels.
std::string SubjectOf(const std::string& label) {
  if (const std::size_t colon = label.find(':'); colon != std::string::npos) return label.substr(0, colon);
  const std::size_t digits = label.find_last_not_of("0123456789") + 1;
  constexpr std::string_view kMarker = "_Marker";
  if (digits < label.size() && digits > kMarker.size() && label.substr(0, digits).ends_with(kMarker))
    return label.substr(0, digits - kMarker.size());
  return "";
}

/// Whether a marker or a body is there in any frame.
template <class Tracked>
bool IsSeen(const Tracked& tracked) {
  return std::any_of(tracked.position.begin(), tracked.position.end(),
                     [](const Eigen::Vector3d& p) { return p.allFinite(); });
}

class Selector {
 public:
  Selector(const MocapTake& take, const ImportOptions& options, double meters, ImportedRecording& result)
      : take_(take), options_(options), meters_(meters), result_(result) {
    std::vector<std::string> unseen;
    for (std::size_t i = 0; i < take.markers.size(); ++i) {
      if (!IsSeen(take.markers[i])) {
        unseen.push_back(take.markers[i].name);
      } else if (take.markers[i].labeled) {
        groups_[SubjectOf(take.markers[i].name)].push_back(static_cast<int>(i));
      } else {
        unlabeled_.push_back(static_cast<int>(i));
      }
    }
    if (!unseen.empty()) LeaveOut(unseen, "never seen");
  }

  BodySelection Choose() {
    if (const std::size_t equals = options_.body.find('='); equals != std::string::npos) {
      ChooseByLabels(options_.body.substr(0, equals), options_.body.substr(equals + 1));
    } else if (!options_.body.empty()) {
      ChooseByName();
    } else {
      ChooseAll();
    }
    return std::move(selection_);
  }

 private:
  [[noreturn]] void Fail(const std::string& field, const std::string& problem, const std::string& remedy) const {
    throw InputError({take_.file, 0, 0}, field, problem, remedy);
  }
  const MocapMarker& Marker(int index) const { return take_.markers[static_cast<std::size_t>(index)]; }

  void LeaveOut(const std::vector<std::string>& names, const std::string& reason) {
    constexpr std::size_t kMost = 8;
    std::vector<std::string> shown(names.begin(), names.begin() + static_cast<long>(std::min(kMost, names.size())));
    if (names.size() > kMost) shown.push_back(fmt::format("{} more", names.size() - kMost));
    result_.left_out.push_back(fmt::format("marker{} {}: {}", names.size() == 1 ? "" : "s", JoinList(shown), reason));
  }

  void AddBody(MarkerBody fit, const std::vector<int>& candidates) {
    result_.notes.push_back(fmt::format(
        "{}: made of {} markers; they fit a rigid body to {:.3g} {} rms. Its frame is in the middle of the markers; "
        "set option `pivot` to move it",
        fit.body.name, fit.markers.size(), fit.RmsError(), take_.unit.empty() ? "units" : take_.unit));
    std::vector<std::string> loose;
    for (const int m : candidates)
      if (std::find(fit.markers.begin(), fit.markers.end(), m) == fit.markers.end()) loose.push_back(Marker(m).name);
    NoteRarelySeen(fit);
    if (!loose.empty()) LeaveOut(loose, fmt::format("they move against the other markers of {}", fit.body.name));
    selection_.bodies.push_back(std::move(fit.body));
  }

  /// Names the markers of a body that are missing in most frames.
  void NoteRarelySeen(const MarkerBody& fit) {
    std::vector<std::string> rare;
    for (const int m : fit.markers) {
      const auto& places = Marker(m).position;
      const auto seen = std::count_if(places.begin(), places.end(), [](const auto& p) { return p.allFinite(); });
      if (2 * static_cast<std::size_t>(seen) < places.size())
        rare.push_back(fmt::format("{} ({:.0f} % of the frames)", Marker(m).name,
                                   100 * static_cast<double>(seen) / static_cast<double>(places.size())));
    }
    if (!rare.empty()) result_.notes.push_back(fmt::format("{}: rarely seen are {}", fit.body.name, JoinList(rare)));
  }

  [[noreturn]] void RefuseAsNotRigid(const MarkerBody& fit) const {
    Fail("body " + fit.body.name,
         fmt::format("its markers are not rigid: they differ from their places by {}; {:.2g} {} is the most for a body "
                     "of this size.",
                     DescribeMarkers(take_, fit), fit.limit, take_.unit.empty() ? "units" : take_.unit),
         "Name markers of one rigid body: set option `body` to NAME=label,label,label.");
  }

  /// NAME=label,...: one label is a point, as are several that are never seen at once; three or more make a body.
  void ChooseByLabels(const std::string& name, const std::string& list) {
    std::vector<std::string> labels;
    for (const MocapMarker& marker : take_.markers) labels.push_back(marker.name);
    std::vector<int> markers;
    for (const std::string& label : SplitList(list)) {
      const auto found = std::find(labels.begin(), labels.end(), label);
      if (found == labels.end())
        Fail("body", fmt::format("there is no marker `{}`.", Printable(label)), SuggestName(label, labels));
      markers.push_back(static_cast<int>(found - labels.begin()));
    }
    MocapMarker point{name, std::vector<Eigen::Vector3d>(take_.time.size(), Eigen::Vector3d::Constant(kMissing)), true};
    bool together = false;
    for (const int m : markers)
      for (std::size_t k = 0; k < take_.time.size(); ++k) {
        if (!Marker(m).position[k].allFinite()) continue;
        together = together || point.position[k].allFinite();
        point.position[k] = Marker(m).position[k];
      }
    if (!together) {
      if (markers.size() > 1)
        result_.notes.push_back(
            fmt::format("{}: one point of {} markers that are never seen at once", name, markers.size()));
      selection_.points.push_back(std::move(point));
      return;
    }
    MarkerBody fit = FitMarkers(take_, name, markers, meters_);
    if (!fit.IsRigid()) RefuseAsNotRigid(fit);
    AddBody(std::move(fit), markers);
  }

  void ChooseByName() {
    std::vector<std::string> known;
    for (const MocapBody& body : take_.bodies) {
      if (body.name == options_.body) {
        selection_.bodies.push_back(body);
        return;
      }
      known.push_back(body.name);
    }
    if (const auto group = groups_.find(options_.body); group != groups_.end() && !options_.body.empty()) {
      if (auto fit = FindRigidBody(take_, options_.body, group->second, meters_)) return AddBody(*fit, group->second);
      RefuseAsNotRigid(FitMarkers(take_, options_.body, group->second, meters_));
    }
    for (const auto& [subject, markers] : groups_)
      if (!subject.empty() && markers.size() >= 3) known.push_back(subject);
    for (const MocapMarker& marker : take_.markers) {
      if (marker.name == options_.body) {
        selection_.points.push_back(marker);
        return;
      }
      known.push_back(marker.name);
    }
    Fail("body", fmt::format("there is no body `{}` in the file.", Printable(options_.body)),
         SuggestName(options_.body, known));
  }

  /// Bodies of the file; without one, what labeled markers form; without these, unlabeled ones.
  void ChooseAll() {
    for (const MocapBody& body : take_.bodies) {
      if (take_.bodies.size() == 1 || IsSeen(body)) {
        selection_.bodies.push_back(body);
      } else {
        result_.left_out.push_back(fmt::format("body {}: never seen", body.name));
      }
    }
    if (selection_.bodies.empty() && !take_.bodies.empty()) selection_.bodies.push_back(take_.bodies[0]);
    for (const auto& [subject, markers] : groups_) {
      if (!take_.bodies.empty()) {
        result_.left_out.push_back(fmt::format("{} labeled markers{}: the poses of bodies are used", markers.size(),
                                               subject.empty() ? "" : " of " + subject));
        continue;
      }
      const std::string name = subject.empty() ? "body" : subject;
      if (markers.size() >= 3) {
        const auto fit = FindRigidBody(take_, name, markers, meters_);
        // Labels without a subject may be of anything: all of them must stay rigid while they move.
        if (fit && (!subject.empty() || (fit->markers.size() == markers.size() && fit->Movement() > fit->limit))) {
          AddBody(*fit, markers);
          continue;
        }
        result_.notes.push_back(
            fmt::format("{} do not move as one rigid body, so each is a point; set option `body` to "
                        "NAME=label,label,label for a body",
                        subject.empty() ? "markers" : "markers of " + subject));
      }
      for (const int m : markers) selection_.points.push_back(Marker(m));
    }
    if (!selection_.bodies.empty() || !selection_.points.empty()) {
      if (!unlabeled_.empty())
        result_.left_out.push_back(fmt::format("{} unlabeled marker{}; choose them with option `body`",
                                               unlabeled_.size(), unlabeled_.size() == 1 ? "" : "s"));
      return;
    }
    for (const int m : unlabeled_) selection_.points.push_back(Marker(m));
    if (selection_.points.empty())
      Fail("", "has no rigid body, and no marker is seen in any frame.",
           "Export the rigid bodies or the markers of the take.");
  }

  const MocapTake& take_;
  const ImportOptions& options_;
  double meters_;
  ImportedRecording& result_;
  std::map<std::string, std::vector<int>> groups_;  // seen and labeled markers of each subject
  std::vector<int> unlabeled_;
  BodySelection selection_;
};

}  // namespace

BodySelection SelectBodies(const MocapTake& take, const ImportOptions& options, double meters_per_unit,
                           ImportedRecording& result) {
  return Selector(take, options, meters_per_unit, result).Choose();
}

}  // namespace ricochet
