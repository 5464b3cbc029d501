// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The scene: bodies, surfaces, joints, contact laws, start, loads and sensors. One YAML file is the whole model;
// docs/scene.md describes the format, and scene_builder.h makes scenes in code.
//
//     ricochet::Scene scene = ricochet::ReadScene("box.yaml");
//     scene.Set("contact.friction", {0.3});            // by path
//     scene.Set(scene.bodies[0].mass, 0.5);            // or by the part that has the parameter
//     ricochet::CheckScene(scene);
//     ricochet::WriteScene(scene, "changed.yaml");     // comments and order of the file are kept
//
// Every parameter of the scene is in one table, `Scene::numbers()`; the typed parts (Body, Surface, ...) hold indices
// into it. So a parameter has exactly one home, one path, one file position, one unit and one set of bounds.
// Setting, sweeping, estimating and differentiating all address the same entry. SI units and radians throughout.
//
// A Scene is a value: copy it to change one and keep the other. Several threads may read one scene; a thread that
// changes it must be alone. Lists of NumberId are empty, and a single NumberId is none, where the scene does not have
// the number; `SceneNumber::given` says whether a parameter was written or is a default.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ricochet/error.h"

namespace ricochet {

/// Index of a parameter in the scene's table. Default constructed: none. Valid for the scene that it comes from and
/// its copies.
struct NumberId {
  int index = -1;  // in Scene::numbers()
  explicit operator bool() const { return index >= 0; }
  friend bool operator==(NumberId, NumberId) = default;
};

/// What kind of quantity a parameter is. Decides its unit, its bounds and the chart used to estimate it (parameter.h).
enum class Quantity {
  kMass,                     // kg, > 0
  kNonNegativeMass,          // kg, >= 0 (a slider motor's moving mass)
  kInertia,                  // kg m^2, > 0 (that the moments fit together is checked on the body)
  kNonNegativeInertia,       // kg m^2, >= 0 (motor.shaft_inertia)
  kProductOfInertia,         // kg m^2, off-diagonal entry of the matrix
  kLength,                   // m, > 0 (semi-axes, radii, sizes)
  kNonNegativeLength,        // m, >= 0 (dry.radius, noise.position)
  kPosition,                 // m
  kDirection,                // no unit, a component of a direction or quaternion
  kAngle,                    // rad
  kNonNegativeAngle,         // rad, >= 0 (noise.angle)
  kVelocity,                 // m/s
  kAngularVelocity,          // rad/s
  kAcceleration,             // m/s^2
  kNonNegativeAcceleration,  // m/s^2, >= 0 (gravity.magnitude)
  kForce,                    // N
  kTorque,                   // N m
  kImpulse,                  // N s
  kAngularImpulse,           // N m s
  kFriction,                 // -, >= 0
  kRestitution,              // -, in [0, 1]
  kTime,                     // s
  kPositiveTime,             // s, > 0 (step)
  kNonNegativeTime,          // s, >= 0 (damping, duration)
  kLinearCompliance,         // m/N, >= 0
  kAngularCompliance,        // rad/(N m), >= 0
  kViscous,                  // N m s, >= 0
  kLinearViscous,            // N s/m, >= 0 (sliders)
  kCoulomb,                  // N m, >= 0 (friction torque that does not depend on the load)
  kLinearCoulomb,            // N, >= 0 (sliders)
  kDrag,                     // N s/m, >= 0 (air drag, linear in the speed)
  kQuadraticDrag,            // N s^2/m^2, >= 0 (air drag, by the square of the speed)
  kStiffness,                // N m/rad, >= 0 (drives)
  kLinearStiffness,          // N/m, >= 0 (drives of sliders)
  kStribeckRate,             // rad/s, > 0
  kLinearStribeckRate,       // m/s, > 0 (sliders)
  kMotorGain,                // N m per unit of input
  kLinearMotorGain,          // N per unit of input (sliders)
  kScale,                    // -, > 0
  kTolerance,                // -, > 0
  kContactCompliance,        // m/N, > 0
  kPositiveSpeed,            // m/s, > 0
  kPlain,                    // -, no bounds
};

/// One parameter of the scene.
struct SceneNumber {
  std::string path;  // "bodies.box.inertia[1]"; unique in the scene
  double value = 0;  // in the quantity's unit
  Quantity quantity = Quantity::kPlain;
  SourcePosition where;  // of the scalar; line 0 when the file does not write it (a default)
  bool given = false;    // written in the file, or set since; false: a default or derived (uniform density) value
};

/// Motion in a plane (x, y, theta) or in space (position and quaternion).
enum class Space { kPlanar, kSpatial };

/// Kinds of shapes with the order of their numbers. All are convex; lengths are in m.
enum class ShapeType {
  kEllipse,    // planar: semi_axes a, b
  kCircle,     // planar: radius
  kRectangle,  // planar: size x, y
  kPolygon,    // planar: vertices x0, y0, x1, y1, ...; convex, counter-clockwise after reading
  kBox,        // size x, y, z
  kSphere,     // radius
  kCylinder,   // radius, length, axis x, y, z (centered on the body frame's origin)
  kEllipsoid,  // semi_axes x, y, z
  kPolytope,   // vertices x0, y0, z0, ...; their convex hull

  kIntersection,  // no numbers: the common part of `parts`
  kHalfSpace,     // only as a part: point x, y, z, outward normal x, y, z
};

struct ShapePart;

/// A shape is its type and its numbers in the order given at ShapeType. It is placed in the body frame, centered on its
/// origin where its numbers do not say otherwise.
struct Shape {
  ShapeType type{};
  std::vector<NumberId> numbers;  // in the order given at ShapeType
  SourcePosition where;           // in the scene file
  std::vector<ShapePart> parts;   // of kIntersection; empty otherwise
};

/// A convex piece of an intersection, placed in the body frame.
struct ShapePart {
  Shape shape;
  std::vector<NumberId> position;     // 3; empty for a half space
  std::vector<NumberId> orientation;  // quaternion w, x, y, z; empty for what has no direction
};

/// Air drag on a body: the force -(linear + quadratic |v|) v at its center of mass, v the velocity of that point.
struct Drag {
  NumberId linear;     // [N s/m]
  NumberId quadratic;  // [N s^2/m^2]
};

/// A rigid body with its frame B. Poses in scenes and recordings are those of B.
struct Body {
  std::string name;               // unique over bodies, surfaces and joints; the NAME in paths `bodies.NAME....`
  std::optional<Shape> shape;     // in the body frame B; none: the body touches nothing
  NumberId mass;                  // none for a fixed body whose file gives none; so too inertia
  std::vector<NumberId> inertia;  // about Bcm in B's axes. planar: 1; spatial: 3 moments or 6 (xx yy zz xy xz yz).
                                  // Not `given`: uniform density, the values are derived from shape and mass.
  std::vector<NumberId> center_of_mass;  // p_BBcm [m], 2 or 3
  bool fixed = false;                    // an obstacle that never moves
  std::optional<Drag> drag;              // where the file has it, and 0 on moving bodies of scenes with joints
  SourcePosition where;
};

/// Half plane (planar) or half space (spatial) that bodies must not enter: a floor, a wall, a conveyor.
struct Surface {
  std::string name;                // unique over bodies, surfaces and joints
  std::vector<NumberId> point;     // any point of it [m], 2 or 3
  NumberId angle;                  // planar [rad]: tangent (cos, sin), normal (-sin, cos)
  std::vector<NumberId> normal;    // spatial: 3 numbers, any length > 0 (normalized by the model)
  std::vector<NumberId> velocity;  // of the surface's material, world frame [m/s], 2 or 3; the surface itself stays
  std::vector<NumberId> extent;    // [m] lo, hi (planar) or x0, x1, y0, y1 in the surface's frame; empty: endless
  SourcePosition where;
};

/// What happens where two bodies, or a body and a surface, touch: Coulomb friction and Newton's restitution, with
/// refinements that only some steppers have.
struct ContactLaw {
  NumberId friction;                // Coulomb's, [-]
  NumberId restitution;             // Newton's, of the normal velocity, in [0, 1]
  NumberId tangential_restitution;  // of the tangential velocity, in [0, 1]
  std::vector<NumberId> patch;      // empty, or e_t, e_o [-], e_r [m] of the friction ellipsoid (stepper ecp)
  // Refinements of `moreau`; none where the scene does not give them.
  NumberId restitution_low, restitution_speed;  // restitution at speed 0, and the speed over which it changes [m/s]
  NumberId compliance, damping;                 // of a contact point [m/N], and its relaxation time [s]
  NumberId rounding;                            // radius of edges and corners [m]
};

/// Law of one pair of names (body/surface or body/body, either order) in place of the common one. Its numbers are its
/// own; those that the file leaves out have been filled from the common law and are not `given`.
struct PairLaw {
  std::string a, b;  // names of two bodies, or of a body and a surface
  ContactLaw law;
};

/// Kinds of joints, with what they leave free.
enum class JointType {
  kHinge,      // rotation about one axis: one coordinate [rad]
  kSlider,     // translation along one axis: one coordinate [m]
  kBall,       // all rotations
  kFixed,      // nothing
  kUniversal,  // rotations about two axes that are perpendicular to each other: two coordinates [rad]
  kDistance,   // everything but the distance of two points, which is kept, limited or driven [m]
};

/// Attachment of a joint to one of its two bodies, in that body's frame (or the world).
struct JointFrame {
  std::vector<NumberId> point;  // 3 [m]
  std::vector<NumberId> axis;   // 3, or empty where the type needs none
  std::vector<NumberId> zero;   // 3: the directions of both frames that coincide at angle 0; or empty
};

/// How dry friction of a joint combines the components of its load: sum of sizes, or length.
enum class DryNorm { kL1, kEuclidean };

/// Dry friction of a hinge or slider. The friction torque is at most friction * radius * load, where the load is the
/// force that the joint transmits; only the product of the two numbers is identifiable from motion.
struct DryFriction {
  NumberId radius;              // of the bearing [m]
  NumberId friction;            // coefficient [-]
  DryNorm norm = DryNorm::kL1;  // of the load
};

/// Friction that falls from `static_friction` at rest to the dry friction over a rate of about `rate`.
struct Stribeck {
  NumberId static_friction;  // [-]
  NumberId rate;             // [rad/s] or [m/s]
};

/// What an input does between rows of a recording.
enum class InputInterpolation {
  kHold,    // keeps the value of the last row, as a digital controller does
  kLinear,  // runs straight to the value of the next row
};

/// A motor of a hinge or slider: gain times the input is the torque or force along the joint.
struct Motor {
  NumberId gain;           // [N m] or [N] per unit of the input
  NumberId shaft_inertia;  // of the rotor, seen at the joint [kg m^2] or [kg]
  std::string input;       // column of the recording, entry of Simulator inputs
  InputInterpolation interpolation = InputInterpolation::kHold;
};

/// A spring and damper that pull the joint's coordinates to `target` and their rates to `rate`. A universal joint has
/// two coordinates, a ball none: its frames are pulled together.
struct Drive {
  NumberId stiffness;                    // [N m/rad] or [N/m]
  NumberId damping;                      // [N m s] or [N s/m]
  std::array<NumberId, 2> target, rate;  // [rad], [rad/s] or [m], [m/s]
};

/// Of the joint's coordinates: two of a universal joint; of a ball the swing (upper alone) and the twist. What is not
/// given is not limited.
struct JointLimits {
  std::array<NumberId, 2> lower, upper;  // rad or m
};

/// A joint between two bodies, or a body and the world.
struct Joint {
  std::string name;  // unique over bodies, surfaces and joints
  JointType type{};
  std::string parent;                              // "world" or a body
  std::string child;                               // a body
  JointFrame parent_frame, child_frame;            // where it sits on either body
  NumberId compliance_linear, compliance_angular;  // of the constraint [m/N], [rad/(N m)]
  NumberId damping;                                // relaxation time of the constraint [s]
  NumberId viscous;                                // resistance along the joint [N m s] or [N s/m]
  NumberId coulomb;                                // friction independent of the load [N m] or [N]; hinge and slider
  std::optional<DryFriction> dry;                  // hinge and slider only
  std::optional<Stribeck> stribeck;                // only with `dry`
  std::optional<Motor> motor;                      // hinge and slider only
  std::optional<Drive> drive;  // every hinge and slider has one; it acts where a number of it is `given`
  std::optional<JointLimits> limits;
  NumberId length;  // kDistance only [m]; none: only limits and drive act along it
  SourcePosition where;
};

/// Start of one body or joint; bodies and joints that the file does not start have none. A body has its four lists, a
/// joint (hinge or slider) angle and rate; orientation, velocities, angle and rate that are not written are the
/// identity or 0 and not `given`.
struct Initial {
  std::string name;                        // of the body or joint
  std::vector<NumberId> position;          // of the body frame [m]: 2 or 3
  std::vector<NumberId> orientation;       // planar: 1 angle; spatial: quaternion w, x, y, z (normalized by the model)
  std::vector<NumberId> velocity;          // of the center of mass, world frame [m/s]
  std::vector<NumberId> angular_velocity;  // world frame [rad/s], 1 or 3
  NumberId angle, rate;                    // of a hinge [rad], [rad/s] or slider [m], [m/s]
  SourcePosition where;
};

/// `when {quantity, falls_to}`: each time the recording column goes from above to at or below the value.
struct Trigger {
  std::string quantity;  // a column: "cylinder.wz"
  NumberId falls_to;     // in the unit of the column
};

/// Known load on a body, world frame, at the center of mass.
struct Action {
  std::string body;                                // that it acts on
  std::vector<NumberId> force, torque;             // [N], [N m]; empty or 2|3, 1|3; held from `from` until `until`
  std::vector<NumberId> impulse, angular_impulse;  // [N s], [N m s]; `at` a time or `when` an event happens
  NumberId from, until;                            // of force and torque [s]; none: from the start, until the end
  NumberId at;                                     // of an impulse [s]
  std::optional<Trigger> when;                     // of an impulse, in place of `at`
  SourcePosition where;
};

/// An option of the stepper: a word or a number. ListSteppers (methods.h) describes them.
struct SimulationOption {
  std::string name;  // "order"
  std::string word;  // empty when it is a number
  NumberId number;   // none when it is a word
  SourcePosition where;
};

/// How the scene is simulated unless SimulateOptions say otherwise.
struct Simulation {
  std::string method;                     // a stepper by name; empty when not written, which Identify allows
  NumberId step, duration, tolerance;     // 1e-3 s, 1 s, 1e-10 and not `given` when not written
  std::vector<SimulationOption> options;  // those that are written
  SourcePosition method_where;
};

/// What a tracker follows of a body: a frame F fixed to it, X_WF = X_WB X_BF. All 0 and not `given`: the body frame.
struct TrackedFrame {
  std::string body;
  std::vector<NumberId> position;  // p_BF [m], 2 or 3
  std::vector<NumberId> rotation;  // R_BF [rad]: planar an angle, spatial a rotation vector of 3
};

/// A point of a body that is recorded by its position in the columns NAME.x, NAME.y (, NAME.z).
struct ObservedPoint {
  std::string name;          // of the columns
  std::string body;          // that carries it
  std::vector<NumberId> at;  // in the body frame [m], 2 or 3
  SourcePosition where;
};

/// What the sensors record, and how well: a position is recorded as length_scale * position(t - delay) + offset, an
/// angle x of a hinge as scale * x + eccentricity[0] * sin(x) + eccentricity[1] * cos(x) + offset.
struct Observation {
  std::vector<std::string> channels;     // `poses`, a body, or a column: `hinge1.angle`, `box.x`. Empty: poses
  NumberId noise_position, noise_angle;  // standard deviations [m], [rad]; 0 and not `given`: estimate the noise
  NumberId length_scale, delay;          // recorded lengths over true ones [-]; of recorded times [s]
  struct Offset {                        // added to what a channel shows
    std::string channel;                 // a column: `hinge1.angle`
    NumberId value;                      // in the unit of the column
  };
  std::vector<Offset> offsets;
  struct ChannelScale {   // recorded over true value of a joint's column
    std::string channel;  // `hinge1.angle`, `slide.rate`
    NumberId value;       // [-]
  };
  std::vector<ChannelScale> scales;
  struct Eccentricity {           // once per turn error of an encoder
    std::string channel;          // the angle of a hinge
    std::vector<NumberId> value;  // factors of the sine and cosine of the angle [rad]
  };
  std::vector<Eccentricity> eccentricities;
  std::vector<TrackedFrame> frames;  // one per body that moves; none in scenes made without the reader: body frames
  std::vector<ObservedPoint> points;
};

/// Gravity as a vector, or as magnitude and tilt from straight down; each form is derived from the other.
struct Gravity {
  bool polar = false;            // magnitude and tilt count; as written, or as last set
  std::vector<NumberId> vector;  // the 2 or 3 components; derived from magnitude and tilt when polar
  NumberId magnitude;            // derived from the vector when not polar
  std::vector<NumberId> tilt;    // planar: 1 angle a, g (sin a, -cos a); spatial: a, b as in the format's text
};

/// The whole model. ReadScene or SceneBuilder fills it; change parameters with Set. The parts are in the order of the
/// file, and states, recordings and results list bodies in that order.
class Scene {
 public:
  Scene();  // an empty planar scene
  Scene(const Scene&);
  Scene(Scene&&) noexcept;
  Scene& operator=(const Scene&);
  Scene& operator=(Scene&&) noexcept;
  ~Scene();

  Space space = Space::kPlanar;
  Gravity gravity;
  std::vector<Body> bodies;        // at least one
  std::vector<Surface> surfaces;   // may be empty: nothing to fall on
  ContactLaw contact;              // common law of all pairs
  std::vector<PairLaw> pair_laws;  // laws of single pairs, which take precedence
  std::vector<Joint> joints;       // spatial scenes only
  std::vector<Initial> initial;    // of some or all bodies and joints; Identify needs none
  std::vector<Action> actions;     // known loads, by which masses become identifiable
  Simulation simulation;
  Observation observe;

  std::string file;  // as it was named; empty for scenes made in memory
  std::string text;  // the file's text, which calibrated scenes are written into

  /// The table of parameters; a NumberId is an index into it.
  const std::vector<SceneNumber>& numbers() const { return numbers_; }
  /// One entry, and its value. `id` must be of this scene.
  const SceneNumber& number(NumberId id) const { return numbers_[id.index]; }
  double operator[](NumberId id) const { return numbers_[id.index].value; }

  /// Adds a parameter to the table; its path must be new. Used by the reader and by programs that build scenes.
  NumberId Add(SceneNumber number);

  /// The parameter at exactly this path, or none: `if (const NumberId id = scene.Find("contact.friction")) ...`
  NumberId Find(std::string_view path) const;

  /// All parameters that a pattern means, in table order: `bodies.*.mass`, `bodies.box.inertia`, `...inertia[0:2]`.
  /// A path that names a list means all its entries, and one that names a tracked frame (`observe.frame`) its position
  /// and rotation. Throws InputError naming the nearest known path.
  std::vector<NumberId> Match(std::string_view pattern) const;

  /// Sets a parameter. Throws InputError when the value is out of the quantity's bounds. Parameters derived from it
  /// (inertia of uniform density, gravity's other form, what a pair takes from the common law) follow; a derived one
  /// that is set becomes independent. What several parameters must obey together is checked by CheckScene.
  void Set(NumberId id, double value);
  /// Sets all parameters that a pattern means: one value for all of them, or one for each. Throws InputError for an
  /// unknown path, another number of values, and values out of bounds; those before the bad one are then set.
  void Set(std::string_view pattern, const std::vector<double>& values);

  /// Makes a parameter and those that go with it (all of an inertia, one form of gravity) `given`, as Set does, at the
  /// present values. An estimate of a derived parameter starts with this.
  void MakeIndependent(NumberId id);

  /// Index of the part with this name in `bodies`, `surfaces` or `joints`; -1 when there is none.
  int BodyIndex(std::string_view name) const;
  int SurfaceIndex(std::string_view name) const;
  int JointIndex(std::string_view name) const;

  /// The law between two names, in either order: the pair's own, or the common one. The reference is to this scene.
  const ContactLaw& LawOf(std::string_view a, std::string_view b) const;

 private:
  friend void UpdateDerivedNumbers(Scene&);
  std::vector<SceneNumber> numbers_;
  std::unordered_map<std::string, int> index_;  // of a path
};

/// Recomputes the parameters that are not `given` but follow from others. Set does it; call it after adding parameters.
void UpdateDerivedNumbers(Scene& scene);

/// Checks what parameters must obey together: inertia that a body can have, convex polygons, directions of some length,
/// poses that do not overlap. Reading does it; call it after setting parameters. Throws InputError.
void CheckScene(const Scene& scene);

/// Reads a scene and checks all that can be checked without simulating it: keys, units, bounds, and what CheckScene
/// checks. Whether a stepper can simulate it shows when it is simulated. Throws InputError with line and column.
Scene ReadScene(const std::string& file);

/// The same from text that is in memory; `name_in_messages` becomes Scene::file and stands in messages.
Scene ParseScene(const std::string& text, const std::string& name_in_messages);

/// YAML text: the scene's own text with the parameters that changed in their places; comments and order are kept. Keys
/// that the text does not have are added after their siblings. The result is parsed again and compared before it is
/// returned. Throws InputError where the text cannot express the scene. `ricochet identify --scene-out` and `ricochet
/// parameters --set ... -o` write this text.
std::string FormatScene(const Scene& scene);

/// Writes that text, whole or not at all. Throws InputError, also when the file cannot be written.
void WriteScene(const Scene& scene, const std::string& file);

}  // namespace ricochet
