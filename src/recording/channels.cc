// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/channels.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "scene/channel.h"

namespace ricochet {
namespace {

using Names = std::vector<std::string>;

int IndexOf(const Names& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

int FirstMovingBody(const Scene& scene) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (!scene.bodies[i].fixed) return static_cast<int>(i);
  }
  return -1;
}

Names InTicks(const Names& names) {
  Names ticked;
  for (const std::string& name : names) ticked.push_back(fmt::format("`{}`", name));
  return ticked;
}

class Resolver {
 public:
  Resolver(const Recording& recording, const Scene& scene)
      : recording_(recording), scene_(scene), pose_(PoseColumns(scene.space)), velocity_(VelocityColumns(scene.space)) {
    channels_.bodies.resize(scene.bodies.size());
    channels_.joints.resize(scene.joints.size());
    channels_.motor_inputs.assign(scene.joints.size(), -1);
    for (const ObservedPoint& point : scene.observe.points) channels_.points.emplace_back(point.at.size(), -1);
    for (BodyChannels& body : channels_.bodies) {
      body.pose.assign(pose_.size(), -1);
      body.velocity.assign(velocity_.size(), -1);
    }
  }

  Channels Resolve() {
    for (std::size_t i = 0; i < recording_.columns.size(); ++i) Place(static_cast<int>(i));
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      Complete(scene_.bodies[i].name, "pose", pose_, channels_.bodies[i].pose);
      Complete(scene_.bodies[i].name, "velocity", velocity_, channels_.bodies[i].velocity);
    }
    for (std::size_t i = 0; i < channels_.points.size(); ++i) {
      const Names axes(axes_.begin(), axes_.begin() + static_cast<std::ptrdiff_t>(channels_.points[i].size()));
      Complete(scene_.observe.points[i].name, "position", axes, channels_.points[i]);
    }
    const bool has_inputs = std::any_of(channels_.motor_inputs.begin(), channels_.motor_inputs.end(),
                                        [](int column) { return column >= 0; });
    if (!channels_.HasPoses() && !channels_.HasPoints() && !channels_.HasJoints() && !has_inputs) FailOnNothingKnown();
    return std::move(channels_);
  }

 private:
  void Place(int column) {
    const std::string& name = recording_.columns[static_cast<std::size_t>(column)];
    bool is_input = false;
    for (std::size_t j = 0; j < scene_.joints.size(); ++j) {
      if (!scene_.joints[j].motor || scene_.joints[j].motor->input != name) continue;
      channels_.motor_inputs[j] = column;
      is_input = true;
    }
    if (is_input) return;
    if (const std::optional<PointColumn> of = FindPointColumn(scene_, name)) {
      PlaceOnce(column, channels_.points[static_cast<std::size_t>(of->point)][static_cast<std::size_t>(of->axis)],
                fmt::format("`{0}.x` and `{1}.{0}.x` are the same column: remove or rename one.",
                            scene_.observe.points[static_cast<std::size_t>(of->point)].name,
                            scene_.observe.points[static_cast<std::size_t>(of->point)].body));
      return;
    }

    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) {
      const int body = FirstMovingBody(scene_);
      if (body >= 0 && PlaceInBody(column, body, name)) return;
      FailOnOtherSpace(name, name);
      channels_.others.push_back(column);
      return;
    }
    const std::string prefix = name.substr(0, dot), quantity = name.substr(dot + 1);
    if (const int body = scene_.BodyIndex(prefix); body >= 0) {
      if (PlaceInBody(column, body, quantity)) return;
      FailOnOtherSpace(name, quantity);
      Names known = pose_;
      known.insert(known.end(), velocity_.begin(), velocity_.end());
      Fail(name, fmt::format("a {} body has no `{}`.", SpaceName(), quantity), SuggestName(quantity, known));
    }
    if (const int joint = scene_.JointIndex(prefix); joint >= 0) {
      JointChannels& channels = channels_.joints[static_cast<std::size_t>(joint)];
      if (!ChannelQuantity(scene_, name)) {
        const Names known = ChannelQuantity(scene_, prefix + ".angle") ? Names{"angle", "rate"} : Names{};
        Fail(name, fmt::format("the joint `{}` has no `{}`.", prefix, quantity),
             known.empty() ? "Only hinges and sliders are recorded by angle and rate." : SuggestName(quantity, known));
      }
      (quantity == "angle" ? channels.angle : channels.rate) = column;
      return;
    }
    Names known;
    for (const Body& body : scene_.bodies) known.push_back(body.name);
    for (const Joint& joint : scene_.joints) known.push_back(joint.name);
    for (const ObservedPoint& point : scene_.observe.points) known.push_back(point.name);
    if (std::any_of(scene_.observe.points.begin(), scene_.observe.points.end(),
                    [&](const ObservedPoint& point) { return point.name == prefix; }))
      Fail(name, fmt::format("a point of a {} scene has no `{}`.", SpaceName(), quantity),
           fmt::format("Its columns are {}.", scene_.space == Space::kPlanar ? "x and y" : "x, y and z"));
    Fail(name,
         fmt::format("the scene has no body{} `{}`.", scene_.observe.points.empty() ? " or joint" : ", joint or point",
                     prefix),
         SuggestName(prefix, known));
  }

  bool PlaceInBody(int column, int body, std::string_view quantity) {
    BodyChannels& channels = channels_.bodies[static_cast<std::size_t>(body)];
    int* place = nullptr;
    if (const int i = IndexOf(pose_, quantity); i >= 0) place = &channels.pose[static_cast<std::size_t>(i)];
    if (const int i = IndexOf(velocity_, quantity); i >= 0) place = &channels.velocity[static_cast<std::size_t>(i)];
    if (place == nullptr) return false;
    PlaceOnce(column, *place,
              fmt::format("Columns without a prefix belong to `{}`: remove or rename one.",
                          scene_.bodies[static_cast<std::size_t>(body)].name));
    return true;
  }

  void PlaceOnce(int column, int& place, const std::string& remedy) const {
    if (place >= 0) {
      Fail(recording_.columns[static_cast<std::size_t>(column)],
           fmt::format("this is the same quantity as `{}`.", recording_.columns[static_cast<std::size_t>(place)]),
           remedy);
    }
    place = column;
  }

  // All, or none, which empties the list.
  void Complete(const std::string& owner, const char* what, const Names& names, std::vector<int>& columns) const {
    Names missing, present;
    for (std::size_t i = 0; i < names.size(); ++i) (columns[i] < 0 ? missing : present).push_back(names[i]);
    if (present.empty()) columns.clear();
    if (present.empty() || missing.empty()) return;

    std::string remedy = fmt::format("Give all of {}.", JoinList(names));
    for (const int other : channels_.others) {
      const std::string& name = recording_.columns[static_cast<std::size_t>(other)];
      const std::string meant = NearestName(name, missing);
      if (!meant.empty()) remedy = fmt::format("Should `{}` be `{}`?", name, meant);
    }
    Fail(owner, fmt::format("its {} has {} but not {}.", what, JoinList(InTicks(present)), JoinList(InTicks(missing))),
         remedy);
  }

  // A planar scene with a spatial recording, or the reverse.
  void FailOnOtherSpace(const std::string& column, std::string_view quantity) const {
    const Space other = scene_.space == Space::kPlanar ? Space::kSpatial : Space::kPlanar;
    if (IndexOf(PoseColumns(other), quantity) < 0) return;
    Fail(column,
         fmt::format("the scene is {}, but this column belongs to a {} recording.", SpaceName(),
                     other == Space::kPlanar ? "planar" : "spatial"),
         fmt::format("A {} pose has {}.", SpaceName(), JoinList(pose_)));
  }

  [[noreturn]] void FailOnNothingKnown() const {
    const Names columns = InTicks(recording_.columns);
    const std::string found = columns.empty() ? "only `t`" : JoinList(columns);
    std::string expected = JoinList(pose_);
    for (const Joint& joint : scene_.joints) {
      const std::string angle = joint.name + ".angle";
      if (ChannelQuantity(scene_, angle)) expected.append(", or ").append(angle);
    }
    for (const ObservedPoint& point : scene_.observe.points)
      expected.append(", or ").append(point.name).append(".x ...");
    Fail("", fmt::format("no column belongs to a body or joint of the scene: there is {}.", found),
         fmt::format("Name the columns {}.", expected));
  }

  const char* SpaceName() const { return scene_.space == Space::kPlanar ? "planar" : "spatial"; }

  [[noreturn]] void Fail(const std::string& column, const std::string& problem, const std::string& remedy) const {
    throw InputError({.file = recording_.file}, column, problem, remedy);
  }

  const Recording& recording_;
  const Scene& scene_;
  const Names& pose_;
  const Names& velocity_;
  const Names axes_ = {"x", "y", "z"};
  Channels channels_;
};

}  // namespace

bool Channels::HasPoses() const {
  return std::any_of(bodies.begin(), bodies.end(), [](const BodyChannels& body) { return !body.pose.empty(); });
}

bool Channels::HasPoints() const {
  return std::any_of(points.begin(), points.end(), [](const std::vector<int>& point) { return !point.empty(); });
}

bool Channels::HasJoints() const {
  return std::any_of(joints.begin(), joints.end(), [](const JointChannels& joint) { return joint.angle >= 0; });
}

const std::vector<std::string>& PoseColumns(Space space) {
  static const Names planar = {"x", "y", "theta"};
  static const Names spatial = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  return space == Space::kPlanar ? planar : spatial;
}

const std::vector<std::string>& VelocityColumns(Space space) {
  static const Names planar = {"vx", "vy", "omega"};
  static const Names spatial = {"vx", "vy", "vz", "wx", "wy", "wz"};
  return space == Space::kPlanar ? planar : spatial;
}

std::vector<std::string> BodyColumns(const Scene& scene, bool velocities) {
  Names moving;
  for (const Body& body : scene.bodies) {
    if (!body.fixed) moving.push_back(body.name);
  }
  Names columns;
  for (const std::string& body : moving) {
    const std::string prefix = moving.size() > 1 ? body + "." : std::string();
    for (const std::string& name : PoseColumns(scene.space)) columns.push_back(prefix + name);
    if (!velocities) continue;
    for (const std::string& name : VelocityColumns(scene.space)) columns.push_back(prefix + name);
  }
  return columns;
}

Channels ResolveChannels(const Recording& recording, const Scene& scene) {
  return Resolver(recording, scene).Resolve();
}

}  // namespace ricochet
