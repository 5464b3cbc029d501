// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The exact motion of one planar body among lines: free flight, impacts with Newton's restitution and Coulomb friction,
// lasting sliding and rolling, every transition located to rounding. It is what the time-stepping methods tend to as
// their step shrinks.
//
//   flight       q(t) = q0 + v0 t + a t^2 / 2 in closed form. The next impact is found by conservative advancement:
//   with
//                a lower bound -B of phi'' the gap stays open until the root of phi + phi' s - B s^2 / 2, so that no
//                impact can be missed, and near the root the iteration converges as Newton's does.
//   impact       EventContactProblem at the instant; see event_contact.h.
//   contact      the equations of motion with the contact forces of the current modes, by extrapolation of Gragg's
//                modified midpoint rule (order 8), then projected on gap = 0, gap' = 0 and, when it sticks, v_t = 0.
//                Modes end when a normal force would pull, when v_t reaches 0, when friction reaches its bound, when
//                another point touches, or at the end of a bounded line.
//
// Derivatives: T may be a Jet. Event times are roots of smooth functions e(t, x) = 0, so a root t0 found in values is
// completed by one Newton step in Jets, t = t0 - e / e'(t0), which carries dt/dx = -(de/dx) / e'. All that follows is
// evaluated at that t, which yields the saltation terms of every event without a formula of their own. Two events at
// the same instant are no point of differentiability; the derivative is then that of the order in which they were met.
//
// Accumulating bounces (Zeno): after an impact whose approach is slower than `rest_speed` = 1e-6 sqrt(g L) (L the size
// of the body) the normal velocity is set to 0 instead of -e v_n. The bounces left out would last less than
// 2e-6 sqrt(L / g) / (1 - e) and rise less than 1e-12 L. With restitution 1 bounces do not decay and nothing is cut.
#pragma once

#include <span>
#include <vector>

#include "model/load.h"
#include "steppers/event/event_contact.h"

namespace ricochet {

enum class EventKind { kImpact, kContact };

/// One impact, or one stretch of lasting contact between two other events or outputs, at one candidate.
struct EventRecord {
  EventKind kind = EventKind::kImpact;
  double time = 0, duration = 0;  // start [s]
  int candidate = 0;
  double normal_impulse = 0, tangential_impulse = 0;  // [N s]
  double approach = 0;                                // normal velocity before an impact [m/s]
  int slip = 0;                                       // 0 stick, +-1 slide
  double x = 0, y = 0;                                // contact point at the end [m]
};

struct EventSummary {
  int impacts = 0, transitions = 0;
  bool slid = false;           // some contact slid at some time
  double friction_needed = 0;  // largest |tangential| / normal where a contact stuck; less friction would slide
  bool failed = false;         // no consistent contact mode (Painleve), or too many events or steps
};

template <class T>
class EventMotion {
 public:
  using Vector = EventVector<T>;

  EventMotion(const EventBody<T>& body, std::vector<Load<T>> loads = {})
      : body_(body), values_(ValuesOf(body)), loads_(std::move(loads)) {
    const double g = std::hypot(values_.gx, values_.gy);
    rest_speed_ = 1e-6 * std::sqrt((g > 0 ? g : 1.0) * values_.size);
    known_geometry_ = GeometryIsConstant(body_);
  }

  /// Restitution of the first impacts, one by one, in place of the pair's; impacts slower than `above` are not counted.
  void SetRestitutions(std::vector<T> values, double above) {
    restitutions_ = std::move(values);
    restitution_speed_ = above;
  }

  /// Most events before the motion is given up as failed.
  void SetEventLimit(int limit) { event_limit_ = limit; }

  /// Most steps of flight and contact together before the motion is given up as failed: a motion beside a singular one
  /// (Painleve, an endless graze) would otherwise take steps without end.
  void SetWorkLimit(long limit) { work_limit_ = limit; }
  /// Steps taken since Start, in those units.
  long work() const { return work_; }

  /// Keeps a record of every impact and stretch of contact; may be null.
  void RecordInto(std::vector<EventRecord>* records) { records_ = records; }

  void Start(double time, const Vector& q, const Vector& v);

  /// Applies an impulse (world axes, at the center of mass) now.
  void Kick(const Vector& impulse);

  /// Moves on to `time`, which is not before the current time. Impulses that the loads give at exactly that time act at
  /// the beginning of the next advance.
  void AdvanceTo(double time);

  /// Energy that gravity, loads and kicks have given the body since Start [J].
  double supplied() const { return supplied_; }

  const Vector& q() const { return q_; }
  const Vector& v() const { return v_; }
  double time() const { return ValueOf(time_); }
  const EventSummary& summary() const { return summary_; }
  const EventBody<double>& body() const { return values_; }
  /// Candidates in lasting contact, and the slip of their groups (0 stick, +-1).
  std::span<const int> closed() const { return {closed_.data(), static_cast<std::size_t>(closed_count_)}; }
  int slip(int group) const { return slip_[group]; }

 private:
  template <class S>
  struct Point {
    EventVector<S> q, v;
  };
  template <class S>
  struct Forces {
    EventVector<S> acceleration;
    EventContactSolution<S> intensity;
  };
  using DoubleVector = EventVector<double>;
  // Angle and rate at the start of a step, 1 / inertia, friction; the length H of the step where that has derivatives.
  template <class H>
  using LocalJet = Jet<kIsJet<H> ? 5 : 4>;

  template <class S>
  const EventBody<S>& BodyOf() const {
    if constexpr (std::is_same_v<S, T>)
      return body_;
    else
      return values_;
  }
  template <class S>
  EventVector<S> FreeAcceleration() const {
    if constexpr (std::is_same_v<S, T>)
      return free_;
    else
      return free_value_;
  }

  void UpdateLoads(double time);
  void ApplyDueKicks();
  void Supply(const Vector& before, const Vector& after);
  double NextLoadChange(double time) const;
  void ResetFlight();
  void Fly(double end);
  void MoveInFlight(const T& time);
  void Impact();
  void Settle(const std::array<int, kMaxClosedContacts>& touching, int count);
  void MoveInContact(double end);

  template <class S>
  EventContactProblem<S> MakeProblem(std::span<const int> contacts, const EventVector<S>& q, const EventVector<S>& v,
                                     bool impact, std::span<const S> restitution) const;
  template <class S>
  EventGap<S> GapOf(int candidate, const EventVector<S>& q) const {
    if constexpr (kIsJet<S>)
      if (known_geometry_) return values_.Lift(candidate, q);
    return BodyOf<S>().Gap(candidate, q);
  }
  template <class S, class N>
  static Forces<S> OneContactForces(const EventSurface<N>& s, int slip, const EventGap<S>& gap,
                                    const EventVector<N>& free, const S& rate, const N& inverse_mass,
                                    const S& inverse_inertia, const S& friction);
  template <class S>
  Forces<S> ContactForces(const Point<S>& at) const;
  template <class S, class H, class Acceleration>
  Point<S> Extrapolate(const Point<S>& start, const H& h, double* error, Acceleration acceleration) const;
  template <class S>
  Point<S> Integrate(const Point<S>& start, const S& h, double* error) const;
  Point<T> Follow(const Point<T>& start, const T& h, const Point<double>& reached,
                  const Point<Jet<4>>* local = nullptr) const;
  bool OneSimpleContact() const { return known_geometry_ && known_loads_ && closed_count_ == 1; }
  template <class H>
  Point<LocalJet<H>> IntegrateOneContact(const Point<T>& start, const H& h, double* error) const;
  template <class H>
  Point<T> Chain(const Point<T>& start, const H& h, const Point<LocalJet<H>>& end) const;
  template <class S>
  void Project(Point<S>& point) const;
  double Violation(const Point<double>& at, int which) const;
  int ViolationCount() const { return 3 * closed_count_ + body_.candidate_count; }
  T EventFunction(const Point<T>& at, int which) const;
  void RecordContact(const Point<T>& before, const Point<T>& after, double start, double h);

  EventBody<T> body_;
  EventBody<double> values_;
  bool known_geometry_ = true;  // gaps have derivatives by the pose alone,
  bool known_loads_ = true;     // and the acceleration without contacts has none
  std::vector<Load<T>> loads_;
  std::vector<T> restitutions_;
  double restitution_speed_ = 0, rest_speed_ = 0;
  std::vector<EventRecord>* records_ = nullptr;

  T time_{};
  Vector q_, v_;
  Vector free_ = Vector::Zero();  // acceleration without contacts
  DoubleVector free_value_ = DoubleVector::Zero();
  std::array<int, kMaxClosedContacts> closed_{};
  int closed_count_ = 0;
  std::array<int, kMaxEventSurfaces> slip_{};
  double clear_until_ = 0;   // no impact before this time
  int lifted_ = -1;          // candidate that has just left by its force going to 0,
  double lifted_until_ = 0;  // whose gap is below rounding until then
  int counted_impacts_ = 0;
  int event_limit_ = 200000;
  long work_ = 0, work_limit_ = 50'000'000;
  double kicked_until_ = 0;  // impulses of loads up to this time have acted
  double supplied_ = 0;
  double step_ = 8e-3;  // step of lasting contact that the error allows [s]
  EventSummary summary_;
};

/// The scalar in which derivatives are taken; more than 9 directions are taken in turns.
using EventJet = Jet<9>;

// event_motion.cc instantiates the two; members are in the .inl files that it includes.
extern template class EventMotion<double>;
extern template class EventMotion<EventJet>;

}  // namespace ricochet
