// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/ecp/ecp_solver.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "math/dense.h"
#include "steppers/ecp/ecp_mncp.h"

namespace ricochet {
namespace {

using Vec = Vector3<double>;
using Mat = Matrix3<double>;

constexpr int kMaxRounds = 12;        // of closing and opening contacts
constexpr double kConverged = 1e-13;  // scaled residual at which Newton's method stops
constexpr double kTouching = 1e-7;    // gap of a closed contact, in lengths: the deepest point is known to this
constexpr double kStagnated = 1e-11;  // below it a step without progress is the end of what rounding allows

/// n' M^-1 n for a force along n at r from the center of mass.
double Mobility(const EcpBody<double>& body, const Mat& inverse_inertia, const Vec& r, const Vec& n) {
  if (body.offset < 0) return 0;
  const Vec c = r.cross(n);
  return 1 / body.mass + c.dot(inverse_inertia * c);
}

/// True when the body's bounding ball is well within the sides of a bounded plane, whose edges then do not matter.
bool InsideSides(const ConvexSolid<double>& plane, const Vec& center, double radius) {
  for (std::size_t i = 1; i < plane.facets.size(); ++i) {
    if (plane.facets[i].Value(center) > -radius) return false;
  }
  return true;
}

PlacedSolid Place(const ConvexSolid<double>* solid, const EcpEnd<double>& end) { return {solid, end.R, end.p}; }

}  // namespace

void EcpSolver::FreeMotion(const EcpProblem<double>& problem, std::vector<double>& velocities) const {
  velocities.resize(6 * problem.moving_count());
  for (const EcpBody<double>& body : problem.bodies) {
    if (body.offset < 0) continue;
    const Vec v = body.v + body.impulse.head<3>() / body.mass;
    Vec w = body.w;
    double last = 1e300;
    for (int i = 0; i < 20; ++i) {
      const Vec spin = body.inertia * w;
      const Vec r = body.inertia * (w - body.w) - body.impulse.tail<3>() + problem.h * w.cross(spin);
      const double norm = r.norm();
      if (!(norm > 0) || (i > 2 && norm >= last)) break;
      last = norm;
      const Mat D = body.inertia + problem.h * (Skew(w) * body.inertia - Skew(spin));
      w -= D.inverse() * r;
    }
    Eigen::Map<Vec>(velocities.data() + body.offset) = v;
    Eigen::Map<Vec>(velocities.data() + body.offset + 3) = w;
  }
}

double EcpSolver::GapAfter(double h, const EcpProblem<double>& problem, const EcpContact<double>& contact,
                           const double* velocities) {
  const EcpEnd<double> F = EndOf(problem.bodies[contact.f], h, velocities);
  const Vec center = F.R * contact.solid_f->inside + F.p;
  const double radius = contact.solid_f->radius;
  if (contact.plane) {
    const Facet<double>& top = contact.solid_g->facets[0];
    const double height = top.Value(center);
    if (height > radius) return height - radius;
    if (HasFeatures(*contact.solid_f) && InsideSides(*contact.solid_g, center, radius))
      return PlaneGap(*contact.solid_f, F.R, F.p, top);
    for (std::size_t i = 1; i < contact.solid_g->facets.size(); ++i) {
      const double outside = contact.solid_g->facets[i].Value(center) - radius;
      if (outside > 0) return outside;
    }
    DeepestPoint(Place(contact.solid_f, F), {.solid = contact.solid_g}, overlap_work_, overlap_);
    return -overlap_.depth;
  }
  const EcpEnd<double> G = EndOf(problem.bodies[contact.g], h, velocities);
  const double apart = (center - (G.R * contact.solid_g->inside + G.p)).norm() - radius - contact.solid_g->radius;
  if (apart > 0) return apart;
  DeepestPoint(Place(contact.solid_f, F), Place(contact.solid_g, G), overlap_work_, overlap_);
  return -overlap_.depth;
}

bool EcpSolver::Guess(const EcpProblem<double>& problem, int index, const double* velocities, double fraction,
                      EcpClosed& closed) {
  const EcpContact<double>& contact = problem.contacts[index];
  closed = EcpClosed{};
  closed.active.contact = index;
  const double h = fraction * problem.h;
  const EcpEnd<double> F = EndOf(problem.bodies[contact.f], h, velocities);
  const EcpEnd<double> G = EndOf(problem.bodies[contact.g], h, velocities);
  EcpActive& set = closed.active;
  double depth = 0;
  if (contact.plane && HasFeatures(*contact.solid_f) &&
      InsideSides(*contact.solid_g, F.R * contact.solid_f->inside + F.p, contact.solid_f->radius)) {
    // The feature below the plane, dropped onto it.
    const Facet<double>& plane = contact.solid_g->facets[0];
    const EcpFeature feature = GuessFeature(*contact.solid_f, F.R, F.p, plane);
    if (feature.count == 0) return false;
    depth = std::max(0.0, -PlaneGap(*contact.solid_f, F.R, F.p, plane));
    UseFeature(contact, F, feature, closed);
  } else {
    DeepestPoint(Place(contact.solid_f, F), Place(contact.solid_g, G), overlap_work_, overlap_);
    depth = std::max(0.0, 2 * overlap_.depth);
    closed.a = overlap_.point;
    // The facets that decide, the heaviest first, at most three on a side.
    const int nf = static_cast<int>(contact.solid_f->facets.size());
    const int count = static_cast<int>(overlap_.multipliers.size());
    const Vec y = G.R.transpose() * (closed.a - G.p);
    Vec weighted = Vec::Zero();
    for (int side = 0; side < 2; ++side) {
      const int begin = side == 0 ? 0 : nf, end = side == 0 ? nf : count;
      int& size = side == 0 ? set.nf : set.ng;
      std::array<int, kEcpMaxActive>& facets = side == 0 ? set.f : set.g;
      std::array<double, kEcpMaxActive>& weights = side == 0 ? closed.beta : closed.gamma;
      while (size < kEcpMaxActive) {
        int best = -1;
        for (int i = begin; i < end; ++i) {
          if (overlap_.multipliers[i] < 1e-4 || overlap_.multipliers[i] * problem.length < overlap_.slacks[i]) continue;
          const bool taken = std::find(facets.begin(), facets.begin() + size, i - begin) != facets.begin() + size;
          if (!taken && (best < 0 || overlap_.multipliers[i] > overlap_.multipliers[best])) best = i;
        }
        if (best < 0) break;
        weights[size] = overlap_.multipliers[best];
        facets[size++] = best - begin;
      }
    }
    if (set.nf == 0 || set.ng == 0) return false;
    for (int j = 0; j < set.ng; ++j) {
      weighted += closed.gamma[j] * (G.R * contact.solid_g->facets[set.g[j]].Gradient(y));
    }
    const double length = weighted.norm();
    if (!(length > 0)) return false;
    for (double& beta : closed.beta) beta /= length;
    for (double& gamma : closed.gamma) gamma /= length;
  }
  StartImpulse(problem, depth, velocities, closed);
  return true;
}

void EcpSolver::UseFeature(const EcpContact<double>& contact, const EcpEnd<double>& F, const EcpFeature& feature,
                           EcpClosed& closed) const {
  const Facet<double>& plane = contact.solid_g->facets[0];
  EcpActive& set = closed.active;
  set.nf = feature.count;
  set.f = feature.facets;
  set.ng = 1;
  set.g[0] = 0;
  const Vec point = F.R * feature.point + F.p;
  closed.a = point - plane.u * plane.Value(point);
  // Multipliers from n + sum beta u = 0 in the least-squares sense.
  Eigen::Matrix3d U = Eigen::Matrix3d::Zero();
  for (int i = 0; i < set.nf; ++i) U.col(i) = F.R * contact.solid_f->facets[set.f[i]].Gradient(feature.point);
  Eigen::Matrix3d normal = U.transpose() * U;
  for (int i = set.nf; i < 3; ++i) normal(i, i) = 1;
  const Vec beta = normal.inverse() * (U.transpose() * -plane.u);
  for (int i = 0; i < set.nf; ++i) closed.beta[i] = std::isfinite(beta[i]) ? beta[i] : 0;
}

void EcpSolver::StartImpulse(const EcpProblem<double>& problem, double depth, const double* velocities,
                             EcpClosed& closed) const {
  const EcpContact<double>& contact = problem.contacts[closed.active.contact];
  const EcpBody<double>&bf = problem.bodies[contact.f], &bg = problem.bodies[contact.g];
  const EcpEnd<double> F = EndOf(bf, problem.h, velocities), G = EndOf(bg, problem.h, velocities);
  const Vec y = G.R.transpose() * (closed.a - G.p);
  Vec n = Vec::Zero();
  for (int j = 0; j < closed.active.ng; ++j) {
    const Vec w = G.R * contact.solid_g->facets[closed.active.g[j]].Gradient(y);
    n += closed.active.has_gamma() ? Vec(closed.gamma[j] * w) : w;
  }
  Vec t = contact.t, o = contact.o;
  if (!contact.fixed_frame) TangentsOf<double>(n, t, o);
  const Mat If = bf.offset >= 0 ? Mat(bf.inertia.inverse()) : Mat(Mat::Zero());
  const Mat Ig = bg.offset >= 0 ? Mat(bg.inertia.inverse()) : Mat(Mat::Zero());
  const auto mobility = [&](const Vec& direction) {
    return Mobility(bf, If, closed.a - F.p, direction) + Mobility(bg, Ig, closed.a - G.p, direction);
  };
  const double spin = (bf.offset >= 0 ? n.dot(If * n) : 0.0) + (bg.offset >= 0 ? n.dot(Ig * n) : 0.0);
  const Vec e2 = contact.e.cwiseProduct(contact.e);
  const double sum = e2[0] * mobility(t) + e2[1] * mobility(o) + e2[2] * spin;
  closed.active.rho = sum > 0 ? 3 / sum : 1.0;
  closed.p_n = depth / (problem.h * mobility(n));
  closed.q.setZero();
}

void EcpSolver::Pack(const EcpSolution& candidate) {
  z_.assign(candidate.velocities.begin(), candidate.velocities.end());
  sets_.clear();
  for (const EcpClosed& closed : candidate.closed) {
    sets_.push_back(closed.active);
    for (int i = 0; i < 3; ++i) z_.push_back(closed.a[i]);
    for (int i = 0; i < closed.active.nf; ++i) z_.push_back(closed.beta[i]);
    if (closed.active.has_gamma()) {
      for (int j = 0; j < closed.active.ng; ++j) z_.push_back(closed.gamma[j]);
    }
    z_.push_back(closed.p_n);
    for (int i = 0; i < 3; ++i) z_.push_back(closed.q[i]);
  }
}

void EcpSolver::Unpack(EcpSolution& candidate) const {
  std::size_t at = candidate.velocities.size();
  std::copy(z_.begin(), z_.begin() + static_cast<long>(at), candidate.velocities.begin());
  for (std::size_t c = 0; c < candidate.closed.size(); ++c) {
    EcpClosed& closed = candidate.closed[c];
    closed.active.slides = sets_[c].slides;
    for (int i = 0; i < 3; ++i) closed.a[i] = z_[at++];
    for (int i = 0; i < closed.active.nf; ++i) closed.beta[i] = z_[at++];
    if (closed.active.has_gamma()) {
      for (int j = 0; j < closed.active.ng; ++j) closed.gamma[j] = z_[at++];
    }
    closed.p_n = z_[at++];
    for (int i = 0; i < 3; ++i) closed.q[i] = z_[at++];
  }
}

/// Solves jacobian * step = -residual by elimination with row pivoting; where that breaks down (several contacts that
/// share a load in more than one way, parallel edges) the least-squares step of smallest length. False if not finite.
bool EcpSolver::SolveLinear(int n) {
  step_.resize(n);
  elimination_.assign(jacobian_.begin(), jacobian_.begin() + n * n);
  double* A = elimination_.data();
  for (int i = 0; i < n; ++i) step_[i] = -residual_[i];
  bool singular = false;
  for (int k = 0; k < n && !singular; ++k) {
    int pivot = k;
    double largest = std::abs(A[k * n + k]);
    for (int i = k + 1; i < n; ++i) {
      const double value = std::abs(A[i * n + k]);
      if (value > largest) {
        largest = value;
        pivot = i;
      }
    }
    if (!(largest > 1e-13)) {
      singular = true;
      break;
    }
    if (pivot != k) {
      std::swap_ranges(A + k * n + k, A + (k + 1) * n, A + pivot * n + k);
      std::swap(step_[k], step_[pivot]);
    }
    const double inverse = 1 / A[k * n + k];
    for (int i = k + 1; i < n; ++i) {
      const double factor = A[i * n + k] * inverse;
      if (factor == 0) continue;
      for (int j = k + 1; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
      step_[i] -= factor * step_[k];
    }
  }
  if (!singular) {
    for (int i = n - 1; i >= 0; --i) {
      double sum = step_[i];
      for (int j = i + 1; j < n; ++j) sum -= A[i * n + j] * step_[j];
      step_[i] = sum / A[i * n + i];
    }
  } else {
    using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const RowMatrix> J(jacobian_.data(), n, n);
    const Eigen::Map<const Eigen::VectorXd> r(residual_.data(), n);
    Eigen::Map<Eigen::VectorXd>(step_.data(), n) = SolveLeastNormVector(J, -r, 1e-11);
  }
  return std::all_of(step_.begin(), step_.end(), [](double x) { return std::isfinite(x); });
}

namespace {

/// Lets the active facets of one side follow the signs of multipliers and values at the local point x; true when they
/// changed.
bool ChangeSide(const ConvexSolid<double>& solid, const Vec& x, double length, double tolerance,
                std::array<int, kEcpMaxActive>& facets, int& size, std::array<double, kEcpMaxActive>& multipliers) {
  bool changed = false;
  // Leave: the most negative multiplier.
  if (size > 1) {
    const int worst =
        static_cast<int>(std::min_element(multipliers.begin(), multipliers.begin() + size) - multipliers.begin());
    if (multipliers[worst] < -tolerance) {
      for (int i = worst; i + 1 < size; ++i) {
        facets[i] = facets[i + 1];
        multipliers[i] = multipliers[i + 1];
      }
      multipliers[--size] = 0;
      changed = true;
    }
  }
  // Enter: the most violated inequality.
  int entering = -1;
  double largest = tolerance * length;
  for (int i = 0; i < static_cast<int>(solid.facets.size()); ++i) {
    if (std::find(facets.begin(), facets.begin() + size, i) != facets.begin() + size) continue;
    const double value = solid.facets[i].Value(x);
    if (value > largest) {
      largest = value;
      entering = i;
    }
  }
  if (entering < 0) return changed;
  // Its gradient as a combination c of those of the set: independent of them it is added, else exchanged.
  Eigen::Matrix3d U = Eigen::Matrix3d::Zero();
  for (int i = 0; i < size; ++i) U.col(i) = solid.facets[facets[i]].Gradient(x);
  Eigen::Matrix3d normal = U.transpose() * U;
  for (int i = size; i < 3; ++i) normal(i, i) = 1;
  const Vec u = solid.facets[entering].Gradient(x);
  const Vec c = normal.inverse() * (U.transpose() * u);
  const double independence = (u - U * c).norm();
  if (size < kEcpMaxActive && independence > 1e-7) {
    facets[size] = entering;
    multipliers[size++] = 0;
    return true;
  }
  int leaving = -1;
  double ratio = 1e300;
  for (int i = 0; i < size; ++i) {
    if (c[i] > 1e-9 && std::max(multipliers[i], 0.0) / c[i] < ratio) {
      ratio = std::max(multipliers[i], 0.0) / c[i];
      leaving = i;
    }
  }
  if (leaving < 0) return changed;
  for (int i = 0; i < size; ++i) multipliers[i] -= ratio * c[i];
  facets[leaving] = entering;
  multipliers[leaving] = ratio;
  return true;
}

}  // namespace

bool EcpSolver::ChangeSets(const EcpProblem<double>& problem, EcpSolution& candidate, double tolerance) {
  bool changed = false;
  for (EcpClosed& closed : candidate.closed) {
    const EcpContact<double>& contact = problem.contacts[closed.active.contact];
    EcpActive& set = closed.active;
    const EcpEnd<double> F = EndOf(problem.bodies[contact.f], problem.h, candidate.velocities.data());
    changed |= ChangeSide(*contact.solid_f, F.R.transpose() * (closed.a - F.p), problem.length, tolerance, set.f,
                          set.nf, closed.beta);
    if (contact.solid_g->facets.size() == 1) continue;
    const EcpEnd<double> G = EndOf(problem.bodies[contact.g], problem.h, candidate.velocities.data());
    if (!set.has_gamma()) closed.gamma[0] = 1;
    changed |= ChangeSide(*contact.solid_g, G.R.transpose() * (closed.a - G.p), problem.length, tolerance, set.g,
                          set.ng, closed.gamma);
  }
  return changed;
}

bool EcpSolver::RunNewton(const EcpProblem<double>& problem, EcpSolution& candidate, bool change_sets,
                          int max_iterations) {
  double last = 1e300;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    Pack(candidate);
    const int n = static_cast<int>(z_.size());
    residual_.resize(n);
    jacobian_.resize(static_cast<std::size_t>(n) * n);
    EcpLinearize(problem, sets_, z_.data(), residual_.data(), jacobian_.data(), n);
    double norm = 0;
    for (const double r : residual_) norm = std::max(norm, std::isfinite(r) ? std::abs(r) : 1e300);
    if (!(norm < 1e100)) return false;
    if (norm < kConverged || (norm < kStagnated && norm > 0.5 * last)) {
      Unpack(candidate);
      if (!change_sets || !ChangeSets(problem, candidate, 1e-11)) return true;
      last = 1e300;
      continue;
    }
    last = norm;
    ++iterations_;
    if (!SolveLinear(n)) return false;
    double turn = 0;
    for (std::size_t i = 3; i < candidate.velocities.size(); i += 6) {
      turn = std::max(turn, problem.h * Eigen::Map<const Vec>(step_.data() + i).norm());
    }
    const double damping = turn > 0.5 ? 0.5 / turn : 1.0;
    for (int i = 0; i < n; ++i) z_[i] += damping * step_[i];
    Unpack(candidate);
    if (change_sets && iteration < max_iterations / 2 && ChangeSets(problem, candidate, 1e-8)) last = 1e300;
  }
  return false;
}

/// Opens contacts that pull and closes pairs that overlap. False when nothing sensible is left to do.
bool EcpSolver::CloseAndOpen(const EcpProblem<double>& problem, EcpSolution& candidate, bool& changed) {
  changed = false;
  const double pull = -1e-12 * problem.mass * problem.speed;
  for (std::size_t c = candidate.closed.size(); c-- > 0;) {
    if (candidate.closed[c].p_n >= pull) continue;
    candidate.closed.erase(candidate.closed.begin() + static_cast<long>(c));
    changed = true;
  }
  for (int index = 0; index < static_cast<int>(problem.contacts.size()); ++index) {
    const bool closed = std::any_of(candidate.closed.begin(), candidate.closed.end(),
                                    [&](const EcpClosed& c) { return c.active.contact == index; });
    if (closed) continue;
    if (Gap(problem, problem.contacts[index], candidate.velocities.data()) >= -1e-12 * problem.length) continue;
    candidate.closed.emplace_back();
    if (!Guess(problem, index, candidate.velocities.data(), 1, candidate.closed.back())) return false;
    changed = true;
  }
  return true;
}

bool EcpSolver::SolveClosed(const EcpProblem<double>& problem, EcpSolution& candidate) {
  for (int round = 0; round < kMaxRounds; ++round) {
    if (candidate.closed.empty()) candidate.velocities = free_;
    if (!candidate.closed.empty() && !RunNewton(problem, candidate, true, 30)) return false;
    bool changed = false;
    if (!CloseAndOpen(problem, candidate, changed)) return false;
    if (!changed) return true;
  }
  return false;
}

double EcpSolver::Residual(const EcpProblem<double>& problem, EcpSolution& candidate) {
  Pack(candidate);
  residual_.resize(z_.size());
  EcpResidual<double>(problem, sets_, z_.data(), false, residual_.data());
  double worst = 0;
  const auto take = [&](double violation) { worst = std::isfinite(violation) ? std::max(worst, violation) : 1e300; };
  for (const double r : residual_) take(std::abs(r));
  for (const EcpClosed& closed : candidate.closed) {
    const EcpContact<double>& contact = problem.contacts[closed.active.contact];
    take(-closed.p_n / (problem.mass * problem.speed));
    for (int i = 0; i < closed.active.nf; ++i) take(-closed.beta[i]);
    if (closed.active.has_gamma()) {
      for (int j = 0; j < closed.active.ng; ++j) take(-closed.gamma[j]);
    }
    const EcpEnd<double> F = EndOf(problem.bodies[contact.f], problem.h, candidate.velocities.data());
    const EcpEnd<double> G = EndOf(problem.bodies[contact.g], problem.h, candidate.velocities.data());
    take(contact.solid_f->MaxValue(F.R.transpose() * (closed.a - F.p)) / problem.length);
    take(contact.solid_g->MaxValue(G.R.transpose() * (closed.a - G.p)) / problem.length);
  }
  for (int index = 0; index < static_cast<int>(problem.contacts.size()); ++index) {
    const double gap = Gap(problem, problem.contacts[index], candidate.velocities.data());
    take(-gap / problem.length);
    for (EcpClosed& closed : candidate.closed) {
      if (closed.active.contact != index) continue;
      closed.gap = gap;
      take(gap / problem.length - kTouching);
    }
  }
  return worst;
}

/// Whether the contacts create more energy than belts, an overlap at the start and kEcpMostCreated account for. By (7)
/// their impulses change the velocities from those without contact, so that the change of kinetic energy is their work.
bool EcpSolver::CreatesEnergy(const EcpProblem<double>& problem, const EcpSolution& candidate) {
  constexpr double kRounding = 1e-12;
  double with = 0, without = 0;
  for (const EcpBody<double>& body : problem.bodies) {
    if (body.offset < 0) continue;
    const auto kinetic = [&](const std::vector<double>& velocities) {
      const Eigen::Map<const Vec> v(velocities.data() + body.offset), w(velocities.data() + body.offset + 3);
      return 0.5 * (body.mass * v.squaredNorm() + w.dot(body.inertia * w));
    };
    with += kinetic(candidate.velocities);
    without += kinetic(free_);
  }
  double allowed = kEcpMostCreated * without + kRounding * problem.mass * problem.speed * problem.speed;
  for (const EcpClosed& closed : candidate.closed) {
    const EcpContact<double>& contact = problem.contacts[closed.active.contact];
    allowed += closed.p_n * contact.mu * contact.e.head<2>().maxCoeff() * contact.belt.norm();
  }
  if (with <= without + allowed) return false;
  // The gap of two faces in overlap is half of the distance between them.
  for (const EcpClosed& closed : candidate.closed) {
    const double gap = GapAfter(0, problem, problem.contacts[closed.active.contact], free_.data());
    allowed += closed.p_n * 2 * std::max(0.0, -gap) / problem.h;
  }
  return with > without + allowed;
}

/// Keeps the candidate if it passes, or as the best so far.
bool EcpSolver::Accept(const EcpProblem<double>& problem, EcpSolution& candidate) {
  if (CreatesEnergy(problem, candidate)) return false;
  candidate.residual = Residual(problem, candidate);
  if (candidate.residual < best_.residual) best_ = candidate;
  return candidate.residual <= kEcpTolerance;
}

bool EcpSolver::Enumerate(const EcpProblem<double>& problem, EcpSolution& candidate) {
  // From features of poses along the free motion, then, on a plane, from every feature near it.
  for (const double fraction : {0.0, 0.5}) {
    candidate.velocities = free_;
    candidate.closed.clear();
    bool guessed = true;
    for (int index = 0; index < static_cast<int>(problem.contacts.size()) && guessed; ++index) {
      if (Gap(problem, problem.contacts[index], free_.data()) >= 0) continue;
      candidate.closed.emplace_back();
      guessed = Guess(problem, index, free_.data(), fraction, candidate.closed.back());
    }
    if (guessed && SolveClosed(problem, candidate) && Accept(problem, candidate)) return true;
  }
  int only = -1;
  for (int index = 0; index < static_cast<int>(problem.contacts.size()); ++index) {
    if (Gap(problem, problem.contacts[index], free_.data()) >= 0) continue;
    if (only >= 0) return false;
    only = index;
  }
  if (only < 0 || !problem.contacts[only].plane) return false;
  const EcpContact<double>& contact = problem.contacts[only];
  const EcpEnd<double> F = EndOf(problem.bodies[contact.f], problem.h, free_.data());
  const Facet<double>& plane = contact.solid_g->facets[0];
  const double depth = -PlaneGap(*contact.solid_f, F.R, F.p, plane);
  ListFeatures(*contact.solid_f, F.R, F.p, plane, 0.2 * contact.solid_f->radius, features_);
  for (const EcpFeature& feature : features_) {
    candidate.velocities = free_;
    candidate.closed.assign(1, EcpClosed{});
    candidate.closed[0].active.contact = only;
    UseFeature(contact, F, feature, candidate.closed[0]);
    StartImpulse(problem, depth, free_.data(), candidate.closed[0]);
    if (RunNewton(problem, candidate, false, 25) && Accept(problem, candidate)) return true;
  }
  return false;
}

bool EcpSolver::Continue(const EcpProblem<double>& problem, EcpSolution& candidate) {
  scaled_ = problem;
  candidate.velocities = free_;
  candidate.closed.clear();
  double reached = 0, stride = 0.1;
  for (EcpContact<double>& contact : scaled_.contacts) contact.mu = 0;
  if (!SolveClosed(scaled_, candidate)) return false;
  for (int i = 0; i < 100 && reached < 1; ++i) {
    start_ = candidate;
    const double next = std::min(1.0, reached + stride);
    for (std::size_t c = 0; c < scaled_.contacts.size(); ++c) {
      scaled_.contacts[c].mu = next * problem.contacts[c].mu;
    }
    if (SolveClosed(scaled_, candidate)) {
      reached = next;
      stride *= 1.5;
    } else {
      candidate = start_;
      stride *= 0.3;
      if (stride < 1e-4) return false;
    }
  }
  return reached >= 1 && Accept(problem, candidate);
}

bool EcpSolver::Solve(const EcpProblem<double>& problem, EcpSolution& out) {
  iterations_ = 0;
  best_.residual = 1e300;
  FreeMotion(problem, free_);
  bool overlap = false;
  out.velocities = free_;
  out.closed.clear();
  for (const EcpContact<double>& contact : problem.contacts) {
    overlap = overlap || Gap(problem, contact, free_.data()) < 0;
  }
  bool solved = false;
  if (!overlap) {
    out.attempt = EcpAttempt::kFree;
    solved = true;
    out.residual = Residual(problem, out);
  }
  const bool given_up = problem.h > longest_step;
  if (!solved && !given_up && try_newton) {
    out.attempt = EcpAttempt::kNewton;
    solved = SolveClosed(problem, out) && Accept(problem, out);
  }
  if (!solved && !given_up && try_enumeration) {
    out.attempt = EcpAttempt::kEnumeration;
    solved = Enumerate(problem, out);
  }
  if (!solved && !given_up && try_continuation) {
    out.attempt = EcpAttempt::kContinuation;
    solved = Continue(problem, out);
  }
  if (!solved && !given_up && try_general) {
    out.attempt = EcpAttempt::kGeneral;
    solved = SolveGeneral(problem, out);
  }
  if (!solved) {
    if (best_.residual < 1e300) {
      out = best_;
    } else {
      out.velocities = free_;
      out.closed.clear();
      out.residual = 1;
    }
    out.attempt = EcpAttempt::kFailed;
  }
  out.iterations = iterations_;
  return solved;
}

bool EcpSolver::SolveGeneral(const EcpProblem<double>& problem, EcpSolution& candidate) {
  // Start from the features of the free motion; the general solver finds the active sets.
  candidate.velocities = free_;
  candidate.closed.clear();
  for (int index = 0; index < static_cast<int>(problem.contacts.size()); ++index) {
    if (Gap(problem, problem.contacts[index], free_.data()) >= 0) continue;
    candidate.closed.emplace_back();
    if (!Guess(problem, index, free_.data(), 1, candidate.closed.back())) return false;
  }
  EcpMncpPoint point = ToMncp(problem, candidate);
  MixedNcpWorkspace workspace;
  MixedNcpSummary summary = SolveMixedNcp(point.problem, point.z, workspace, {.tolerance = 1e-9, .restarts = 2});
  iterations_ += summary.iterations;
  if (summary.residual > 1e-6) return false;
  // Polished by Newton's method with the active sets held.
  return FromMncp(problem, point, candidate) && SolveClosed(problem, candidate) && Accept(problem, candidate);
}

}  // namespace ricochet
