// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A scene made in code, without a YAML file:
//
//     using namespace ricochet;
//     const Scene scene = SceneBuilder(Space::kPlanar)
//                             .SetGravity({0, -9.81})
//                             .AddBody("disk", {.shape = shapes::Circle(0.05), .mass = 0.1})
//                             .AddSurface("table", {.point = {0, 0}, .angle = 0})
//                             .SetContact({.friction = 0.3, .restitution = 0.5})
//                             .SetInitial("disk", {.pose = {0, 0.4, 0}, .velocity = {1, 0}})
//                             .SetSimulation({.method = "event", .step = 1e-3, .duration = 1})
//                             .Build();
//
// The fields have the names, units and defaults of the keys of a scene file (docs/scene.md). A field that you leave out
// is a key that the file does not have. The reader of scene files builds the scene, so a scene made in code and the
// same scene read from a file agree in every number, path and default, and simulate to the same bits.
//
// Units are SI; angles are in radians. Vectors have two numbers in a planar scene and three in a spatial one.
// Quaternions are w, x, y, z; any length greater than 0 will do.
//
// A spatial scene with a joint, which can also be saved as a file:
//
//     const Scene pendulum =
//         SceneBuilder(Space::kSpatial)
//             .AddBody("rod", {.shape = shapes::Box({0.02, 0.02, 0.4}), .mass = 0.2})
//             .AddJoint("pivot", {.type = JointType::kHinge, .child = "rod",
//                                 .parent_frame = {.point = {0, 0, 1}, .axis = {0, 1, 0}, .zero = {0, 0, 1}},
//                                 .child_frame = {.point = {0, 0, 0.2}, .axis = {0, 1, 0}, .zero = {0, 0, 1}}})
//             .SetInitial("pivot", {.angle = 0.5})
//             .SetSimulation({.method = "spook"})
//             .Build();
//     WriteScene(pendulum, "pendulum.yaml");
#pragma once

#include <Eigen/Core>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ricochet/scene.h"

namespace ricochet {

/// A number or a list of numbers: `0.5`, `{0, 0, 1}`, a std::vector<double> or an Eigen vector. Empty: not given.
class Values {
 public:
  Values() = default;
  Values(std::initializer_list<double> list) : list_(list) {}
  Values(std::vector<double> list) : list_(std::move(list)) {}
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Values(Number number) : list_{static_cast<double>(number)} {}
  template <class Derived>
  Values(const Eigen::DenseBase<Derived>& vector) {
    for (Eigen::Index i = 0; i < vector.size(); ++i) list_.push_back(vector.derived()(i));
  }

  /// The numbers, one for a single number.
  const std::vector<double>& list() const { return list_; }
  bool empty() const { return list_.empty(); }

 private:
  std::vector<double> list_;
};

/// A shape in the frame of its body. The functions of `shapes` make them.
struct ShapeSpec {
  std::string type;                                     // the word of the scene file: "box"
  std::vector<std::pair<std::string, Values>> numbers;  // its keys: {"size", {0.3, 0.2, 0.1}}
  std::vector<Values> vertices;                         // of a polygon or polytope
  std::vector<ShapeSpec> parts;                         // of an intersection
  Values position, orientation;                         // in the body frame; only of a part of an intersection

  /// The same shape as a part of an intersection, placed in the body frame.
  ShapeSpec At(Values new_position, Values new_orientation = {}) const;
};

/// Every shape that a body can have. Planar scenes take the first four, spatial scenes the others.
namespace shapes {

ShapeSpec Ellipse(Values semi_axes);                                 // half lengths along x and y [m]
ShapeSpec Circle(double radius);                                     // [m]
ShapeSpec Rectangle(Values size);                                    // full lengths along x and y [m]
ShapeSpec Polygon(std::vector<Values> vertices);                     // convex, either direction of rotation [m]
ShapeSpec Box(Values size);                                          // full lengths along x, y and z [m]
ShapeSpec Sphere(double radius);                                     // [m]
ShapeSpec Cylinder(double radius, double length, Values axis = {});  // [m]; the axis is z if not given
ShapeSpec Ellipsoid(Values semi_axes);                               // half lengths along x, y and z [m]
ShapeSpec Polytope(std::vector<Values> vertices);                    // the convex hull of the points [m]
/// The common part of convex shapes, each placed by At. Only method `ecp` simulates it; its inertia must be given.
ShapeSpec Intersection(std::vector<ShapeSpec> parts);
/// Only a part of an intersection: what lies behind the plane through `point` with the outward `normal`.
ShapeSpec HalfSpace(Values point, Values normal);

}  // namespace shapes

/// Air drag: the force -(linear + quadratic |v|) v at the center of mass, v its velocity.
struct DragSpec {
  std::optional<double> linear{};     // [N s/m], >= 0; not given: 0
  std::optional<double> quadratic{};  // [N s^2/m^2], >= 0; not given: 0
};

/// A rigid body. A body that moves needs a mass, and a shape or an inertia. A fixed body needs a shape.
struct BodySpec {
  std::optional<ShapeSpec> shape{};
  std::optional<double> mass{};  // [kg], > 0
  Values inertia{};              // about the center of mass [kg m^2]: planar 1; spatial 3 moments, or 6 entries xx, yy,
                                 // zz, xy, xz, yz. Not given: that of uniform density.
  Values center_of_mass{};       // in the body frame [m]; not given: the origin
  std::optional<DragSpec> drag{};
  bool fixed = false;  // an obstacle that never moves
};

/// A half plane (planar) or half space (spatial) that bodies cannot enter.
struct SurfaceSpec {
  Values point{};                 // any point of it [m]
  std::optional<double> angle{};  // planar: of its tangent (cos, sin) [rad]; 0 is level ground
  Values normal{};                // spatial: direction out of the surface, of any length greater than 0
  Values velocity{};              // of its material, as of a conveyor [m/s]
  Values extent{};  // where it ends, along its tangent from `point` [m]: planar lo, hi; spatial x0, x1, y0,
                    // y1 in its frame. Not given: it does not end.
};

/// The law of contact. Restitution and friction that are not given are 0; those of a pair are the common ones.
struct ContactSpec {
  std::optional<double> friction{};                // Coulomb's coefficient, >= 0
  std::optional<double> restitution{};             // Newton's, normal, 0 to 1
  std::optional<double> tangential_restitution{};  // 0 to 1
  Values patch{};                                  // spatial: e_t, e_o [-], e_r [m] of the friction ellipsoid (`ecp`)
  std::optional<double> restitution_low{};         // at impact speed 0; goes with restitution_speed (`moreau`)
  std::optional<double> restitution_speed{};       // over which the restitution changes [m/s], > 0
  std::optional<double> compliance{};              // of a contact point [m/N], > 0 (`moreau`)
  std::optional<double> damping{};                 // its relaxation time [s]; goes with compliance
  std::optional<double> rounding{};                // radius of edges and corners [m] (`moreau`)
};

/// Where a joint sits on one of its bodies, in the frame of that body (of the world for "world").
struct JointFrameSpec {
  Values point{};  // [m]
  Values axis{};   // of a hinge, slider or universal joint; also of a ball with limits or a drive
  Values zero{};   // direction that coincides with that of the other frame at angle 0
};

/// Coulomb friction in a hinge or slider, proportional to the load that it carries.
struct DryFrictionSpec {
  double radius = 0;              // of the bearing [m]
  double friction = 0;            // coefficient, >= 0
  std::optional<DryNorm> norm{};  // of the load; not given: kL1
};

/// Friction that falls from `static_friction` at rest to that of DryFrictionSpec. Goes with dry friction.
struct StribeckSpec {
  double static_friction = 0;  // coefficient, >= 0
  double rate = 0;             // at which it falls [rad/s or m/s], > 0
};

/// Torque gain * u (force for a slider), where u is the input of that name.
struct MotorSpec {
  double gain = 0;                                    // [N m or N per unit of input]
  std::string input{};                                // a name: a column of recordings, an entry of Simulator inputs
  std::optional<double> shaft_inertia{};              // [kg m^2 or kg], >= 0; not given: 0
  std::optional<InputInterpolation> interpolation{};  // between the rows of a recording; not given: kHold
};

/// A spring and damper toward a target.
struct DriveSpec {
  std::optional<double> stiffness{};  // [N m/rad or N/m], >= 0; not given: 0
  std::optional<double> damping{};    // [N m s or N s/m], >= 0; not given: 0
  Values target{};                    // [rad or m]; two numbers for a universal joint; not for a ball
  Values rate{};                      // [rad/s or m/s]; likewise
};

/// Stops. Hinge, slider and universal joint need lower and upper; a ball takes `swing`, or lower and upper of its
/// twist, or all three; a distance takes one or both.
struct JointLimitsSpec {
  Values lower{}, upper{};        // [rad or m]; two numbers each for a universal joint
  std::optional<double> swing{};  // [rad]
};

/// A joint between two bodies, or between the world and a body. Joints need a spatial scene and method `spook`.
struct JointSpec {
  JointType type = JointType::kHinge;
  std::string parent = "world";                  // a body, or "world"
  std::string child{};                           // a body; required
  JointFrameSpec parent_frame{}, child_frame{};  // where it sits on either body
  std::optional<double> compliance_linear{};     // [m/N], >= 0
  std::optional<double> compliance_angular{};    // [rad/(N m)], >= 0
  std::optional<double> damping{};               // relaxation time of the constraint [s], >= 0
  std::optional<double> viscous{};               // [N m s or N s/m], >= 0
  std::optional<double> coulomb{};               // friction independent of the load [N m or N], >= 0; hinge, slider
  std::optional<DryFrictionSpec> dry{};          // of a hinge or slider
  std::optional<StribeckSpec> stribeck{};        // goes with dry friction
  std::optional<MotorSpec> motor{};              // of a hinge or slider
  std::optional<DriveSpec> drive{};              // of every type but kFixed
  std::optional<JointLimitsSpec> limits{};       // of every type but kFixed; not given: no stops
  std::optional<double> length{};                // of a distance joint that keeps it [m]
};

/// Start of a body (`pose`, or `position` and `orientation`, and velocities) or of a hinge or slider (`angle`, `rate`).
struct InitialSpec {
  Values pose{};                  // planar: x, y [m], angle [rad] of the body frame
  Values position{};              // spatial: of the body frame [m]
  Values orientation{};           // spatial: quaternion; not given: the identity
  Values velocity{};              // of the center of mass, world axes [m/s]; not given: 0
  Values angular_velocity{};      // world axes [rad/s]; planar 1, spatial 3; not given: 0
  std::optional<double> angle{};  // of a joint [rad or m]; not given: 0
  std::optional<double> rate{};   // of a joint [rad/s or m/s]; not given: 0
};

/// The moment at which a recorded quantity falls to a value from above.
struct TriggerSpec {
  std::string quantity{};  // a column of a recording: "box.wz"
  double falls_to = 0;     // in the unit of the column
};

/// A known load at the center of mass of a body, world axes. A force or torque acts from `from` until `until`; an
/// impulse acts at the time `at`, or `when` something happens.
struct ActionSpec {
  std::string body{};                     // that it acts on; required
  Values force{}, torque{};               // [N], [N m]; planar torque 1, spatial 3
  Values impulse{}, angular_impulse{};    // [N s], [N m s]
  std::optional<double> from{}, until{};  // [s]; not given: from the start, until the end
  std::optional<double> at{};             // of an impulse [s]
  std::optional<TriggerSpec> when{};      // of an impulse, in place of `at`
};

/// Value of an option of a method: a word or a number.
struct OptionValue {
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  OptionValue(Number value) : number(static_cast<double>(value)) {}
  OptionValue(std::string value) : word(std::move(value)) {}
  OptionValue(const char* value) : word(value) {}

  std::string word;              // empty when it is a number
  std::optional<double> number;  // none when it is a word
};

/// How the scene is simulated.
struct SimulationSpec {
  std::string method{};               // a stepper: "event", "moreau", ...; `ricochet methods` lists them
  std::optional<double> step{};       // [s], > 0; not given: 1 ms
  std::optional<double> duration{};   // [s], >= 0; not given: 1 s
  std::optional<double> tolerance{};  // of the contact solver, relative, > 0; not given: 1e-10
  std::vector<std::pair<std::string, OptionValue>> options{};  // of the method: {{"order", 2}}
};

/// The frame that a tracker follows, fixed to a body. Not given: the body frame.
struct TrackedFrameSpec {
  std::string body{};  // required
  Values position{};   // of its origin in the body frame [m]
  Values rotation{};   // planar: angle; spatial: rotation vector of 3 [rad]
};

/// A point of a body whose position is recorded in the columns NAME.x, NAME.y and, in space, NAME.z.
struct ObservedPointSpec {
  std::string name{};  // of the columns; required
  std::string body{};  // may be left empty where only one body moves
  Values at{};         // in the body frame [m]
};

/// What is recorded of the motion, and with which errors.
struct ObserveSpec {
  std::vector<std::string> channels{};     // "poses", a body, a point or a column ("hinge.angle"); empty: poses
  std::optional<double> noise_position{};  // standard deviation [m]; not given: estimated from the recording
  std::optional<double> noise_angle{};     // standard deviation [rad]; likewise
  std::optional<double> length_scale{};    // recorded over true length; not given: 1
  std::optional<double> delay{};           // of the recorded time behind that of the inputs [s]; not given: 0
  std::vector<std::pair<std::string, double>> offset{};  // added to a column, in its unit: {{"hinge.angle", 0.02}}
  std::vector<std::pair<std::string, double>> scale{};   // recorded over true value of a joint's column
  /// Of the angle of a hinge: what sine and cosine of the angle add to it [rad], two numbers.
  std::vector<std::pair<std::string, Values>> eccentricity{};
  std::vector<TrackedFrameSpec> frames{};   // of bodies whose tracked frame is not the body frame
  std::vector<ObservedPointSpec> points{};  // recorded in place of poses, or beside them
};

/// Collects the parts of a scene; each call returns the builder. Nothing is checked before Build, so the order of the
/// calls does not matter, except that bodies, surfaces, joints and actions keep the order in which they are added. A
/// Set function that is called again replaces what it set before. Copies are independent.
class SceneBuilder {
 public:
  /// A scene without bodies, which Build would not accept yet.
  explicit SceneBuilder(Space space);
  SceneBuilder(const SceneBuilder& other);
  SceneBuilder& operator=(const SceneBuilder& other);
  SceneBuilder(SceneBuilder&&) noexcept;
  SceneBuilder& operator=(SceneBuilder&&) noexcept;
  ~SceneBuilder();

  /// Acceleration in world axes [m/s^2]. Not set: 9.81 downward along the last axis.
  SceneBuilder& SetGravity(Values vector);
  /// The same by its magnitude [m/s^2] and its tilt [rad]: planar 1 angle, spatial 2 (docs/scene.md). Empty: no tilt.
  SceneBuilder& SetGravity(double magnitude, Values tilt);

  /// Names of bodies, surfaces and joints are unique over all three; they have letters, digits and `_`, do not begin
  /// with a digit, and are not "world".
  SceneBuilder& AddBody(std::string name, BodySpec body);
  SceneBuilder& AddSurface(std::string name, SurfaceSpec surface);
  SceneBuilder& AddJoint(std::string name, JointSpec joint);

  /// The law of every pair that has none of its own.
  SceneBuilder& SetContact(ContactSpec law);
  /// The law of two bodies, or of a body and a surface, in either order.
  SceneBuilder& SetContact(std::string a, std::string b, ContactSpec law);

  /// The start of a body or of a joint. A body that hangs on a joint follows that joint if it has no start of its own.
  SceneBuilder& SetInitial(std::string name, InitialSpec start);

  /// Adds a known load; actions are `actions[0]`, `actions[1]`, ... in paths.
  SceneBuilder& AddAction(ActionSpec action);

  /// Stepper, step and duration. Not set: the scene can be identified, but not simulated without
  /// SimulateOptions::method.
  SceneBuilder& SetSimulation(SimulationSpec simulation);
  /// What recordings contain. Not set: the poses of all bodies.
  SceneBuilder& SetObserve(ObserveSpec observe);

  /// Makes and checks the scene; the builder is unchanged and can go on. Throws InputError for everything that the
  /// reader of scene files rejects: its path() names the field (`bodies.box.inertia[1]`) and it mentions no file.
  /// Scene::text is the YAML text of the scene, so that WriteScene works on it.
  Scene Build() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ricochet
