// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/micro_stepping.h"

#include <algorithm>
#include <cmath>

namespace ricochet::testing {
namespace {

constexpr double kClosed = 1e-9;     // [m] gap below which a point touches
constexpr double kNoRebound = 1e-5;  // [m/s]
constexpr double kCounted = 0.02;    // [m/s] approach of an impact that is reported
constexpr double kShortest = 1e-10;  // [s] step in which a second contact is located
constexpr int kMostSweeps = 200;     // of Gauss-Seidel

using Eigen::Vector2d;
using Eigen::Vector3d;

/// A point of the body that may touch a surface.
struct Contact {
  int surface = 0, corner = 0;
  Vector2d normal, tangent, arm;  // arm: from the center of mass
  double gap = 0;
  double pn = 0, pt = 0;  // impulses over the mass
};

class Micro {
 public:
  explicit Micro(const MicroScene& scene) : scene_(scene) {}

  Vector2d CenterOf(const Vector3d& pose) const { return pose.head<2>() + Turned(pose[2], scene_.center_of_mass); }
  Vector3d FrameOf(const Vector3d& q) const {
    const Vector2d p = q.head<2>() - Turned(q[2], scene_.center_of_mass);
    return {p[0], p[1], q[2]};
  }

  int candidates() const {
    return static_cast<int>(scene_.surfaces.size() * std::max<std::size_t>(scene_.corners.size(), 1));
  }

  Contact At(int candidate, const Vector3d& q) const {
    const int corners = std::max<int>(static_cast<int>(scene_.corners.size()), 1);
    Contact c;
    c.surface = candidate / corners;
    c.corner = candidate % corners;
    const MicroSurface& s = scene_.surfaces[static_cast<std::size_t>(c.surface)];
    c.tangent = {std::cos(s.angle), std::sin(s.angle)};
    c.normal = {-c.tangent[1], c.tangent[0]};
    Vector2d local;
    if (scene_.corners.empty()) {
      // The point of an ellipse that is farthest along -normal.
      const Vector2d n = Turned(-q[2], c.normal);
      const Vector2d scaled = scene_.semi_axes.cwiseProduct(n);
      local = -scene_.semi_axes.cwiseProduct(scaled) / scaled.norm();
    } else {
      local = scene_.corners[static_cast<std::size_t>(c.corner)];
    }
    c.arm = Turned(q[2], local - scene_.center_of_mass);
    c.gap = c.normal.dot(q.head<2>() + c.arm - s.point);
    return c;
  }

  double Least(const Vector3d& q) const {
    double least = INFINITY;
    for (int i = 0; i < candidates(); ++i) least = std::min(least, At(i, q).gap);
    return least;
  }

  Vector3d Acceleration(const Vector3d& v) const {
    return Vector3d(scene_.gravity[0], scene_.gravity[1], 0) - scene_.drag * v;
  }

  /// Advances q, v by h.
  void Advance(double t, double h, Vector3d& q, Vector3d& v, std::vector<double>* impacts) const {
    while (h > 0) {
      std::vector<int> closed, open;
      for (int i = 0; i < candidates(); ++i) (At(i, q).gap <= kClosed ? closed : open).push_back(i);
      Rebound(t, closed, q, v, impacts);
      std::erase_if(closed, [&](int i) { return Normal(At(i, q), v) > kNoRebound; });
      double part = h;
      Vector3d q1, v1;
      const auto reach = [&](double dt) {
        Move(closed, dt, q, v, q1, v1);
        for (const int i : open)
          if (At(i, q1).gap < 0) return false;
        return true;
      };
      if (!reach(part)) {
        double free = 0;
        while (part - free > kShortest) {
          const double middle = 0.5 * (free + part);
          (reach(middle) ? free : part) = middle;
        }
        // Just past the touch: the point is closed at the next round.
        Move(closed, part, q, v, q1, v1);
      }
      q = q1;
      v = v1;
      t += part;
      h -= part;
    }
  }

 private:
  static Vector2d Turned(double angle, const Vector2d& p) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {c * p[0] - s * p[1], s * p[0] + c * p[1]};
  }
  static double Normal(const Contact& c, const Vector3d& v) {
    return c.normal.dot(v.head<2>()) + v[2] * Cross(c.arm, c.normal);
  }
  double Slip(const Contact& c, const Vector3d& v) const {
    return c.tangent.dot(v.head<2>()) + v[2] * Cross(c.arm, c.tangent) -
           scene_.surfaces[static_cast<std::size_t>(c.surface)].velocity;
  }
  static double Cross(const Vector2d& a, const Vector2d& b) { return a[0] * b[1] - a[1] * b[0]; }

  void Push(const Contact& c, double pn, double pt, Vector3d& v) const {
    v.head<2>() += pn * c.normal + pt * c.tangent;
    v[2] += (pn * Cross(c.arm, c.normal) + pt * Cross(c.arm, c.tangent)) / scene_.inertia_over_mass;
  }

  /// Impulses at the contacts so that each has the normal velocity `least` or more, with Coulomb's friction.
  void Solve(std::vector<Contact>& contacts, const std::vector<double>& least, Vector3d& v) const {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      double change = 0, size = 1e-12;
      for (std::size_t i = 0; i < contacts.size(); ++i) {
        Contact& c = contacts[i];
        const double mu = scene_.surfaces[static_cast<std::size_t>(c.surface)].friction;
        const double n = Cross(c.arm, c.normal), t = Cross(c.arm, c.tangent), k = scene_.inertia_over_mass;
        const double nn = 1 + n * n / k, tt = 1 + t * t / k, nt = n * t / k;
        const double old_n = c.pn, old_t = c.pt;
        Push(c, -c.pn, -c.pt, v);
        const double want_n = least[i] - Normal(c, v), want_t = -Slip(c, v);
        c.pn = c.pt = 0;
        if (want_n > 0 || (want_n * tt - nt * want_t > 0)) {
          // Sticking, else sliding against the slip.
          const double determinant = nn * tt - nt * nt;
          double pn = (tt * want_n - nt * want_t) / determinant, pt = (nn * want_t - nt * want_n) / determinant;
          if (std::abs(pt) > mu * pn) {
            const double sign = pt > 0 ? 1 : -1;
            pn = want_n / (nn + sign * mu * nt);
            pt = sign * mu * pn;
          }
          if (pn > 0) {
            c.pn = pn;
            c.pt = pt;
          }
        }
        Push(c, c.pn, c.pt, v);
        change = std::max({change, std::abs(c.pn - old_n), std::abs(c.pt - old_t)});
        size = std::max({size, c.pn, std::abs(c.pt)});
      }
      if (change < 1e-13 * size) return;
    }
  }

  void Rebound(double t, const std::vector<int>& closed, const Vector3d& q, Vector3d& v,
               std::vector<double>* impacts) const {
    std::vector<Contact> contacts;
    std::vector<double> least;
    double fastest = 0;
    for (const int i : closed) {
      contacts.push_back(At(i, q));
      const double speed = Normal(contacts.back(), v);
      const double e = scene_.surfaces[static_cast<std::size_t>(contacts.back().surface)].restitution;
      least.push_back(speed < -kNoRebound ? -e * speed : 0);
      fastest = std::max(fastest, -speed);
    }
    if (fastest <= kNoRebound) return;
    if (impacts && fastest > kCounted) impacts->push_back(t);
    Solve(contacts, least, v);
  }

  void Move(const std::vector<int>& closed, double h, const Vector3d& q, const Vector3d& v, Vector3d& q1,
            Vector3d& v1) const {
    if (closed.empty()) {
      const Vector3d a = Acceleration(v + 0.5 * h * Acceleration(v));
      q1 = q + h * v + 0.5 * h * h * a;
      v1 = v + h * a;
      return;
    }
    const Vector3d middle = q + 0.5 * h * v;
    v1 = v + h * Acceleration(v);
    std::vector<Contact> contacts;
    for (const int i : closed) contacts.push_back(At(i, middle));
    const std::vector<double> least(contacts.size(), 0);
    Solve(contacts, least, v1);
    q1 = q + 0.5 * h * (v + v1);
    // Drift of third order is removed.
    for (const int i : closed)
      if (const Contact c = At(i, q1); c.gap < 0) q1.head<2>() -= c.gap * c.normal;
  }

  const MicroScene& scene_;
};

}  // namespace

std::vector<Vector3d> MicroMotion(const MicroScene& scene, const Vector3d& pose, const Vector3d& velocity,
                                  const std::vector<double>& times, double step, std::vector<double>* impacts) {
  const Micro micro(scene);
  Vector3d q = pose, v = velocity;
  q.head<2>() = micro.CenterOf(pose);
  std::vector<Vector3d> out = {pose};
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double span = times[i] - times[i - 1];
    const int steps = std::max(1, static_cast<int>(std::ceil(span / step)));
    for (int k = 0; k < steps; ++k) micro.Advance(times[i - 1] + span * k / steps, span / steps, q, v, impacts);
    out.push_back(micro.FrameOf(q));
  }
  return out;
}

double MicroGap(const MicroScene& scene, const Vector3d& pose) {
  const Micro micro(scene);
  Vector3d q = pose;
  q.head<2>() = micro.CenterOf(pose);
  return micro.Least(q);
}

}  // namespace ricochet::testing
