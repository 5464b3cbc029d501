// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_one_body/friction_contact_plane.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "complementarity/friction/friction_contact_local.h"
#include "complementarity/friction/small_dense.h"
#include "complementarity/friction_one_body/friction_contact_line.h"
#include "complementarity/friction_one_body/friction_contact_pivot.h"

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr int kMax = kMaxSmallContacts;
constexpr double kTouches = 1e-10;  // normal velocity of a contact that does not part, relative
constexpr double kHeld = 20;        // slips of a body that is held, in tolerances
constexpr double kOnALine = 1e-9;   // determinant of the points' spread, relative

/// Number of contacts, known to the compiler (N > 0) or not.
template <int N>
struct Count {
  explicit Count(int) {}
  constexpr operator int() const { return N; }
};
template <>
struct Count<0> {
  explicit Count(int count) : value(count) {}
  operator int() const { return value; }
  int value;
};

template <int N>
class PlaneContact {
 public:
  PlaneContact(const PlaneContactProblem& problem, double tolerance, PlaneContactSolution& out)
      : o_(problem), out_(out), n_(problem.count), mu_(problem.mu), tolerance_(tolerance) {}

  bool Solve() {
    unsigned approached = 0;
    for (int i = 0; i < n_; ++i) approached |= (o_.b[i][2] < 0 ? 1u : 0u) << i;
    if (approached == 0) return TakeZero();
    if (n_ == 1) return SolveAlone();
    if (n_ == 2) return SolveLineContact(o_, tolerance_, out_);
    return (approached != All() && KeepOnly(approached)) || SolveClosed();
  }

 private:
  bool SolveClosed() {
    FindCentroid();
    if (!SpreadIsPlane()) return false;
    const bool sliding = GuessSlide();
    if (!sliding && (Stick() || Edge())) return true;
    if (!FixNormals()) return false;
    t_.setZero();
    const bool held = !sliding && inside_ == n_;  // but for creep
    if (!held && Slide()) return true;
    const int parts = lightest_;
    if (parts >= 0 && KeepOnly(All() & ~(1u << parts))) return true;
    if (sliding && (Stick() || Edge())) return true;
    if (inside_ == n_ && (Settle() || Hold())) return true;
    if (lightest_ >= 0 && lightest_ != parts && KeepOnly(All() & ~(1u << lightest_))) return true;
    return SolvePivot(o_, motion_, tolerance_, All(), out_) || Follow();
  }

  unsigned All() const { return (1u << n_) - 1; }

  // --- Contacts that leave.

  /// Solves with the contacts in `keep` (bits) alone: right when the others part. Where they stay in touch they may
  /// have to share the load.
  bool KeepOnly(unsigned keep) {
    PlaneContactProblem kept;
    int at[kMax];
    kept.count = 0;
    kept.mu = mu_;
    kept.mass = o_.mass;
    kept.I = o_.I;
    kept.I_inverse = o_.I_inverse;
    for (int i = 0; i < n_; ++i) {
      if (!(keep >> i & 1)) continue;
      at[kept.count] = i;
      kept.p[kept.count] = o_.p[i];
      kept.b[kept.count++] = o_.b[i];
    }
    kept.FindScale();
    PlaneContactSolution found;
    const bool solved = SolvePlaneContact(kept, tolerance_, found);
    out_.iterations += found.iterations;
    out_.modes_known = false;
    if (!solved) return false;
    for (int i = 0; i < n_; ++i) {
      out_.impulse[i].setZero();
      out_.mode[i] = FrictionMode::kOpen;
      if (!(keep >> i & 1) &&
          !(o_.b[i][2] + found.dv[2] + found.dw[0] * o_.p[i][1] - found.dw[1] * o_.p[i][0] > kTouches * o_.scale))
        return false;
    }
    for (int k = 0; k < kept.count; ++k) {
      out_.impulse[at[k]] = found.impulse[k];
      out_.mode[at[k]] = found.mode[k];
    }
    return Verify();
  }

  /// Notes the contact with the most negative load.
  void NoteLoads(const double* load) {
    const double* least = std::min_element(load, load + n_);
    lightest_ = *least < 0 ? static_cast<int>(least - load) : -1;
  }

  // --- Answers and their verification.

  bool TakeZero() {
    for (int i = 0; i < n_; ++i) {
      out_.impulse[i].setZero();
      out_.mode[i] = FrictionMode::kOpen;
    }
    out_.dv.setZero();
    out_.dw.setZero();
    out_.residual = 0;
    return true;
  }

  bool SolveAlone() {
    ++out_.iterations;
    const Vector3d& p = o_.p[0];
    // D = I / m - [p] I^-1 [p], with the arms p x e.
    const Vector3d arm[3] = {{0, p[2], -p[1]}, {-p[2], 0, p[0]}, {p[1], -p[0], 0}};
    Matrix3d D;
    for (int k = 0; k < 3; ++k) {
      const Vector3d turned = Times3(o_.I_inverse, arm[k]);
      for (int l = 0; l < 3; ++l) D(l, k) = arm[l].dot(turned);
      D(k, k) += 1 / o_.mass;
    }
    const LocalSolution local = SolveLocalContact(D, o_.b[0], mu_);
    out_.impulse[0] = local.impulse;
    out_.mode[0] = local.mode;
    return Verify();
  }

  bool Verify() { return VerifyPlaneContact(o_, tolerance_, out_); }

  // --- All stick.

  void FindCentroid() {
    motion_.centroid = o_.p[0];
    for (int i = 1; i < n_; ++i) motion_.centroid += o_.p[i];
    motion_.centroid *= 1.0 / n_;
    double xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < n_; ++i) {
      motion_.r[i] = o_.p[i] - motion_.centroid;
      xx += motion_.r[i][0] * motion_.r[i][0];
      xy += motion_.r[i][0] * motion_.r[i][1];
      yy += motion_.r[i][1] * motion_.r[i][1];
    }
    sxx_ = xx, sxy_ = xy, syy_ = yy;
  }

  bool SpreadIsPlane() const {
    const double size = sxx_ + syy_;
    return sxx_ * syy_ - sxy_ * sxy_ > kOnALine * size * size;
  }

  bool GuessSlide() const {
    return std::all_of(o_.b.begin(), o_.b.begin() + n_, [&](const Vector3d& b) { return WouldSlide(b, mu_); });
  }

  bool Stick() {
    ++out_.iterations;
    Vector3d mean = o_.b[0], turn = Cross3(o_.b[0], motion_.r[0]);
    for (int i = 1; i < n_; ++i) {
      mean += o_.b[i];
      turn += Cross3(o_.b[i], motion_.r[i]);
    }
    double xz = 0, yz = 0, zz = 0;
    for (int i = 0; i < n_; ++i) {
      xz += motion_.r[i][0] * motion_.r[i][2];
      yz += motion_.r[i][1] * motion_.r[i][2];
      zz += motion_.r[i][2] * motion_.r[i][2];
    }
    Matrix3d G, inverse;
    G << syy_ + zz, -sxy_, -xz, -sxy_, sxx_ + zz, -yz, -xz, -yz, sxx_ + syy_;
    if (!Invert3(G, inverse)) return false;
    const Vector3d dw = Times3(inverse, turn);
    const Vector3d dv = mean * (-1.0 / n_) - Cross3(dw, motion_.centroid);
    force_ = dv * o_.mass;
    torque_ = Times3(o_.I, dw) - Cross3(motion_.centroid, force_);
    const Vector3d share = force_ * (1.0 / n_), y = Times3(inverse, torque_);
    inside_ = 0;
    for (int i = 0; i < n_; ++i) {
      const Vector3d P = share + Cross3(y, motion_.r[i]);
      out_.impulse[i] = P;
      const double limit = mu_ * P[2];
      const bool inside = P[2] >= 0 && P[0] * P[0] + P[1] * P[1] <= limit * limit * (1 + 2e-12);
      out_.mode[i] = inside ? FrictionMode::kStick : FrictionMode::kSlide;
      inside_ += inside;
      load_[i] = P[2];
    }
    NoteLoads(load_);
    return inside_ == n_ && Verify();
  }

  /// The twist as found by Stick; contacts outside the cone there take friction of its length.
  bool Edge() {
    for (int round = 0; round < 2; ++round) {
      if (inside_ < 2 || inside_ == n_) return false;
      ++out_.iterations;
      std::array<Vector2d, kMax> u;
      unsigned stick = 0;
      for (int i = 0; i < n_; ++i) {
        const Vector2d P = out_.impulse[i].head<2>();
        const double length = P.norm();
        if (out_.mode[i] == FrictionMode::kStick) {
          stick |= 1u << i;
        } else if (length > 0) {
          u[i] = -P / length;
        } else {
          return false;
        }
      }
      if (!MixedImpulses(o_, motion_, stick, u, force_, torque_, out_)) return false;
      bool changed = false;
      for (int i = 0; i < n_; ++i) {
        const Vector3d& P = out_.impulse[i];
        const double limit = mu_ * P[2];
        if (out_.mode[i] == FrictionMode::kSlide || P[0] * P[0] + P[1] * P[1] <= limit * limit * (1 + 2e-12)) continue;
        out_.mode[i] = FrictionMode::kSlide;
        --inside_;
        changed = true;
      }
      if (!changed) return Verify();
    }
    return false;
  }

  // --- All slide.

  /// Twist across the plane from the normals. False when they contradict each other.
  bool FixNormals() {
    double mean = 0, along_x = 0, along_y = 0;
    for (int i = 0; i < n_; ++i) {
      const double b = o_.b[i][2];
      mean += b;
      along_x += b * motion_.r[i][0];
      along_y += b * motion_.r[i][1];
    }
    mean /= n_;
    const double inverse = 1 / (sxx_ * syy_ - sxy_ * sxy_);
    const double gx = -(syy_ * along_x - sxy_ * along_y) * inverse, gy = -(sxx_ * along_y - sxy_ * along_x) * inverse;
    if (n_ > 3)
      for (int i = 0; i < n_; ++i)
        if (std::abs(o_.b[i][2] - mean + gx * motion_.r[i][0] + gy * motion_.r[i][1]) >
            std::max(tolerance_, 1e-14) * o_.scale)
          return false;
    const double wx = gy, wy = -gx;
    const double vz = -mean - gx * motion_.centroid[0] - gy * motion_.centroid[1];
    for (int i = 0; i < n_; ++i) {
      motion_.base[i] = {o_.b[i][0] + wy * o_.p[i][2], o_.b[i][1] - wx * o_.p[i][2]};
    }
    motion_.known[0] = o_.mass * vz;
    motion_.known[1] = o_.I(0, 0) * wx + o_.I(0, 1) * wy;
    motion_.known[2] = o_.I(0, 1) * wx + o_.I(1, 1) * wy;
    motion_.known[3] = o_.I(0, 2) * wx + o_.I(1, 2) * wy;
    return true;
  }

  /// What the motion t in the plane is at contact i.
  Vector2d AtContact(const Vector3d& t, int i) const {
    return Vector2d(t[0], t[1]) + t[2] * Vector2d(-o_.p[i][1], o_.p[i][0]);
  }

  /// Slips at t_; the shortest, squared.
  double Slips() {
    double least = 1e300;
    for (int i = 0; i < n_; ++i) {
      // Spelled out: base and shift cancel where slips are short, before the spin is added.
      slip_[i] = motion_.base[i] + Vector2d(t_[0], t_[1]) + t_[2] * Vector2d(-o_.p[i][1], o_.p[i][0]);
      least = std::min(least, slip_[i].squaredNorm());
    }
    return least;
  }

  /// Loads a_ that balance the momentum across the plane for friction N q; A_inverse_ and C_ on the way. The mean load
  /// carries the normal momentum alone, as X and Y are from the centroid: two equations are left.
  bool Loads() {
    Vector2d A[3] = {Vector2d::Zero(), Vector2d::Zero(), Vector2d::Zero()};  // columns by a: moments about x and y
    Vector2d C[3] = {Vector2d::Zero(), Vector2d::Zero(), Vector2d::Zero()};  // friction in the plane
    Vector3d spin = Vector3d::Zero();                                        // and its moment about z
    for (int i = 0; i < n_; ++i) {
      const Vector3d& p = o_.p[i];
      const double X = motion_.r[i][0], Y = motion_.r[i][1];
      const Vector2d q = q_[i], e(p[1] + p[2] * q[1], -p[0] - p[2] * q[0]);
      const double turn = p[0] * q[1] - p[1] * q[0];
      A[0] += e;
      A[1] += e * X;
      A[2] += e * Y;
      C[0] += q;
      C[1] += q * X;
      C[2] += q * Y;
      spin += turn * Vector3d(1, X, Y);
    }
    for (int k = 0; k < 3; ++k) C_.col(k) << C[k], spin[k];
    const double determinant = A[1][0] * A[2][1] - A[2][0] * A[1][1];
    if (!(std::abs(determinant) > 0)) return false;
    const double d = 1 / determinant, mean = motion_.known[0] / n_;
    A_inverse_[0] = Vector2d(A[2][1], -A[1][1]) * d;
    A_inverse_[1] = Vector2d(-A[2][0], A[1][0]) * d;
    const double rest1 = motion_.known[1] + o_.I(0, 2) * t_[2] - A[0][0] * mean;
    const double rest2 = motion_.known[2] + o_.I(1, 2) * t_[2] - A[0][1] * mean;
    const Vector2d slope = A_inverse_[0] * rest1 + A_inverse_[1] * rest2;
    a_ = {mean, slope[0], slope[1]};
    for (int i = 0; i < n_; ++i) load_[i] = a_[0] + a_[1] * motion_.r[i][0] + a_[2] * motion_.r[i][1];
    NoteLoads(load_);
    return true;
  }

  /// How friction at a contact changes with its slip: a symmetric matrix, by columns.
  struct Stiffness {
    Vector2d x, y;
  };

  /// Newton step in t for friction that changes by k per slip: dt, and the change of a_[1], a_[2].
  bool Step(const Stiffness* k, Vector3d& dt, Vector2d& da) const {
    // Friction and its moment about z, and the moments of friction about x and y, by the three entries of t.
    Vector2d force[3] = {{o_.mass, 0}, {0, o_.mass}, {0, 0}};
    double spin = o_.I(2, 2);
    Vector2d lifted[3] = {{0, 0}, {0, 0}, {o_.I(1, 2), -o_.I(0, 2)}};  // by the height of the contact
    for (int i = 0; i < n_; ++i) {
      const double x = o_.p[i][0], y = o_.p[i][1], z = o_.p[i][2];
      const Vector2d turn = k[i].y * x - k[i].x * y;
      force[0] += k[i].x;
      force[1] += k[i].y;
      force[2] += turn;
      spin += x * turn[1] - y * turn[0];
      lifted[0] += z * k[i].x;
      lifted[1] += z * k[i].y;
      lifted[2] += z * turn;
    }
    Vector2d AB[3];
    for (int c = 0; c < 3; ++c) AB[c] = A_inverse_[0] * lifted[c][1] - A_inverse_[1] * lifted[c][0];
    // D - C A^-1 B, column by column.
    Vector3d D[3] = {{force[0][0], force[0][1], force[2][0]},
                     {force[1][0], force[1][1], force[2][1]},
                     {force[2][0], force[2][1], spin}};
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) D[c][r] -= C_(r, 1) * AB[c][0] + C_(r, 2) * AB[c][1];
    Vector3d G = Times3(C_, a_);
    G[0] += o_.mass * t_[0];
    G[1] += o_.mass * t_[1];
    G[2] += o_.I(2, 2) * t_[2] + motion_.known[3];
    const Vector3d across0 = Cross3(D[1], D[2]);
    const double determinant = D[0].dot(across0);
    if (!(std::abs(determinant) > 0)) return false;
    const double d = -1 / determinant;
    dt = {d * across0.dot(G), d * Cross3(D[2], D[0]).dot(G), d * Cross3(D[0], D[1]).dot(G)};
    da = -(AB[0] * dt[0] + AB[1] * dt[1] + AB[2] * dt[2]);
    return true;
  }

  /// Takes the step dt: t_, and friction and loads as the linear model has them, which balance the momentum to rounding
  /// even where slips are so small that their directions are lost. The largest change of a slip, squared.
  double Advance(const Stiffness* k, const Vector3d& dt, const Vector2d& da) {
    t_ += dt;
    double change2 = 0;
    for (int i = 0; i < n_; ++i) {
      const Vector2d change = AtContact(dt, i);
      load_[i] += da[0] * motion_.r[i][0] + da[1] * motion_.r[i][1];
      friction_[i] = load_[i] * q_[i] + k[i].x * change[0] + k[i].y * change[1];
      change2 = std::max(change2, change.squaredNorm());
    }
    return change2;
  }

  /// Newton from t_ with friction against the slips.
  bool Slide() {
    for (int round = 0; round < 8; ++round) {
      const double least2 = Slips();
      if (!(least2 > 0)) return false;
      double over_slip[kMax];
      Stiffness k[kMax];
      for (int i = 0; i < n_; ++i) {
        over_slip[i] = 1 / std::sqrt(slip_[i].squaredNorm());
        q_[i] = mu_ * slip_[i] * over_slip[i];
      }
      ++out_.iterations;
      if (!Loads()) return false;
      for (int i = 0; i < n_; ++i) {
        const Vector2d u = slip_[i] * over_slip[i], stiff = mu_ * load_[i] * over_slip[i] * u;
        const double mixed = -stiff[0] * u[1];
        k[i] = {{stiff[1] * u[1], mixed}, {mixed, stiff[0] * u[0]}};
      }
      Vector3d dt;
      Vector2d da;
      if (!Step(k, dt, da)) return false;
      // Friction is then off by about the square of the angle that the slips turned by.
      const bool settled = Advance(k, dt, da) <= 1e-13 * least2;
      if (settled && TakeFriction(0)) return true;
      if ((settled && lightest_ >= 0) || AllReverse(dt)) return false;
    }
    return false;
  }

  /// Whether no contact would go on in the direction it slid in: friction does more than stop the body.
  bool AllReverse(const Vector3d& dt) const {
    for (int i = 0; i < n_; ++i)
      if (slip_[i].dot(slip_[i] + AtContact(dt, i)) > 0) return false;
    return true;
  }

  /// Impulses from loads and friction; contacts that do not stick get friction of the cone's length.
  bool TakeFriction(int stick) {
    for (int i = 0; i < n_; ++i) {
      if (load_[i] < 0) return false;
      Vector2d friction = friction_[i];
      const bool sticks = stick >> i & 1;
      const double length = friction.norm();
      if (!sticks && length > 0) friction *= mu_ * load_[i] / length;
      out_.impulse[i] = {-friction[0], -friction[1], load_[i]};
      out_.mode[i] = sticks ? FrictionMode::kStick : FrictionMode::kSlide;
    }
    return Verify();
  }

  // --- Smoothed friction.

  /// Slips too short to determine their directions: the body is held.
  bool Hold() {
    Stick();
    return out_.residual <= kHeld * tolerance_;
  }

  /// Friction could hold all contacts, but their free velocities are not quite those of one rigid body (restitution
  /// that differs between the corners), and each creeps. Starts from the motion with the shortest slips. Most often the
  /// body turns about one of the two contacts that slip least there.
  bool Settle() {
    Vector2d sum = Vector2d::Zero();
    double turn = 0;
    for (int i = 0; i < n_; ++i) {
      sum += motion_.base[i];
      turn += motion_.r[i][0] * motion_.base[i][1] - motion_.r[i][1] * motion_.base[i][0];
    }
    const double spin = -turn / (sxx_ + syy_);
    t_ = {-sum[0] / n_ + spin * motion_.centroid[1], -sum[1] / n_ - spin * motion_.centroid[0], spin};
    Slips();
    double s = 0, length[kMax];
    int least = 0, second = 1;
    for (int i = 0; i < n_; ++i) {
      length[i] = std::hypot(slip_[i][0], slip_[i][1]);
      s = std::max(s, length[i]);
      friction_[i] = -out_.impulse[i].template head<2>();
      if (length[i] < length[least]) {
        second = least, least = i;
      } else if (i != least && (second == least || length[i] < length[second])) {
        second = i;
      }
    }
    for (const int pivot : {least, second})
      if (SolvePivot(o_, motion_, tolerance_, 1u << pivot, out_)) return true;
    return Follow(s);
  }

  /// Takes the smoothing down until it is clear which contacts slide; then sharp friction. That all stick is known not
  /// to be the answer: slips that vanish with s are followed down to where they stop, however small.
  bool Follow() {
    t_.setZero();
    Slips();
    double s = 0;
    for (int i = 0; i < n_; ++i) {
      s = std::max(s, std::hypot(slip_[i][0], slip_[i][1]));
      friction_[i].setZero();
    }
    return Follow(0.3 * s);
  }

  bool Follow(double s) {
    int last_stick = -1;
    double last_slip2[kMax] = {};
    for (int round = 0; round < 60 && s > 1e-15 * o_.scale; ++round) {
      Stiffness k[kMax];
      double inverse_rho[kMax];
      for (int i = 0; i < n_; ++i) {
        inverse_rho[i] = 1 / std::sqrt(slip_[i].squaredNorm() + s * s);
        q_[i] = mu_ * slip_[i] * inverse_rho[i];
      }
      ++out_.iterations;
      if (!Loads()) return false;
      for (int i = 0; i < n_; ++i) {
        const Vector2d u = slip_[i] * inverse_rho[i], f = friction_[i];
        const double limit = mu_ * std::max(0.0, load_[i]);
        const double mixed = -0.5 * (f[0] * u[1] + f[1] * u[0]) * inverse_rho[i];
        k[i] = {{(limit - f[0] * u[0]) * inverse_rho[i], mixed}, {mixed, (limit - f[1] * u[1]) * inverse_rho[i]}};
      }
      Vector3d dt;
      Vector2d da;
      if (!Step(k, dt, da)) return false;
      const double change2 = Advance(k, dt, da);
      Slips();
      if (change2 <= 0.1 * s * s) {
        if (*std::min_element(load_, load_ + n_) < 0) return false;
        const int stick = Sticking(s, last_slip2);
        if (stick > 0 && std::has_single_bit(static_cast<unsigned>(stick)) && stick != last_stick &&
            SolvePivot(o_, motion_, tolerance_, static_cast<unsigned>(stick), out_))
          return true;
        const bool again = stick == last_stick, all = stick == static_cast<int>(All());
        last_stick = stick;
        if (stick == 0) {
          if (TakeFriction(0)) return true;
          const Vector3d t = t_;
          if (Slide()) return true;
          t_ = t;
          Slips();
        } else if (stick > 0 && again && !all) {
          for (int i = 0; i < n_; ++i) {
            out_.mode[i] = stick >> i & 1 ? FrictionMode::kStick : FrictionMode::kSlide;
            out_.impulse[i] = {-friction_[i][0], -friction_[i][1], std::max(0.0, load_[i])};
          }
          out_.modes_known = true;
        }
        s *= 0.1;
      }
      // The next slope is taken with friction inside the cone.
      for (int i = 0; i < n_; ++i) {
        const double limit = mu_ * std::max(0.0, load_[i]);
        const double length = friction_[i].norm();
        if (length > limit) friction_[i] *= limit / length;
      }
    }
    return false;
  }

  /// Bits of the contacts that stick: they slip less than s, or a third of what they did in the stage before at ten
  /// times this s. -1 when a slip is neither that nor far above s.
  int Sticking(double s, double* last_slip2) const {
    int stick = 0;
    bool clear = true;
    for (int i = 0; i < n_; ++i) {
      const double slip2 = slip_[i].squaredNorm();
      if (slip2 < s * s || slip2 < 0.1 * last_slip2[i]) {
        stick |= 1 << i;
      } else if (slip2 < 100 * s * s) {
        clear = false;
      }
      last_slip2[i] = slip2;
    }
    return clear ? stick : -1;
  }

  const PlaneContactProblem& o_;
  PlaneContactSolution& out_;
  const Count<N> n_;
  const double mu_;
  const double tolerance_;  // relative

  PlaneMotion motion_;
  double sxx_ = 0, sxy_ = 0, syy_ = 0;  // their second moments in the plane
  Vector3d force_, torque_;             // that bring the body to the sticking twist; torque about the centroid
  int inside_ = 0;                      // sticking contacts inside the cone
  int lightest_ = -1;                   // the contact with the most negative load in what was tried last

  Vector2d slip_[kMax], q_[kMax], friction_[kMax];
  double load_[kMax];
  Vector3d t_;             // dv_x, dv_y, dw_z
  Vector3d a_;             // loads: a . (1, X, Y)
  Vector2d A_inverse_[2];  // columns
  Matrix3d C_;
};

}  // namespace

bool SolvePlaneContact(const PlaneContactProblem& problem, double tolerance, PlaneContactSolution& solution) {
  solution.residual = -1;
  solution.iterations = 0;
  solution.modes_known = false;
  switch (problem.count) {
    case 3:
      return PlaneContact<3>(problem, tolerance, solution).Solve();
    case 4:
      return PlaneContact<4>(problem, tolerance, solution).Solve();
    default:
      return PlaneContact<0>(problem, tolerance, solution).Solve();
  }
}

}  // namespace ricochet
