// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/convex_support.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

using Vec = Vector3<double>;

bool IsCylinder(const ConvexSolid<double>& solid) {
  return solid.facets.size() == 3 && solid.facets[0].kind == FacetKind::kTube && !solid.facets[1].curved() &&
         !solid.facets[2].curved() && solid.facets[1].u.dot(solid.facets[0].u) > 1 - 1e-12 &&
         solid.facets[2].u.dot(solid.facets[0].u) < -1 + 1e-12;
}

/// A facet as a function that is convex everywhere, with the same sign as Facet::Value: of the ellipsoid its quadratic
/// form, scaled by the smallest semi-axis; the others are convex as they are.
struct ConvexFacet {
  double value = 0;
  Vec gradient;
  Matrix3<double> hessian;  // of curved facets alone

  ConvexFacet(const Facet<double>& facet, const Vec& x) {
    if (facet.kind == FacetKind::kEllipsoid) {
      const double scale = facet.semi_axes.minCoeff();
      const Vec a = scale * facet.semi_axes.cwiseAbs2().cwiseInverse(), y = x - facet.c;
      gradient = a.cwiseProduct(y);
      value = 0.5 * (y.dot(gradient) - scale);
      hessian = a.asDiagonal();
    } else {
      value = facet.Value(x);
      gradient = facet.Gradient(x);
      if (facet.curved()) hessian = facet.Hessian(x);
    }
  }
};

}  // namespace

Vector3<double> SupportPoint(const ConvexSolid<double>& solid, const Vector3<double>& direction) {
  if (!solid.vertices.empty()) {
    const Vec* best = &solid.vertices.front();
    double farthest = direction.dot(*best);
    for (const Vec& vertex : solid.vertices) {
      const double distance = direction.dot(vertex);
      if (distance > farthest) {
        farthest = distance;
        best = &vertex;
      }
    }
    return *best;
  }
  const Facet<double>& first = solid.facets.front();
  if (solid.facets.size() == 1 && first.kind == FacetKind::kBall) return first.c + first.size * direction.normalized();
  if (solid.facets.size() == 1 && first.kind == FacetKind::kEllipsoid) {
    const Vec scaled = direction.cwiseProduct(first.semi_axes);
    return first.c + first.semi_axes.cwiseProduct(scaled) / scaled.norm();
  }
  if (IsCylinder(solid)) {
    const Facet<double>& end = direction.dot(first.u) >= 0 ? solid.facets[1] : solid.facets[2];
    const Vec radial = direction - first.u * first.u.dot(direction);
    const double length = radial.norm();
    Vec point = first.c + end.u * (end.size - end.u.dot(first.c));
    if (length > 0) point += radial * (first.size / length);
    return point;
  }
  // Any other intersection: the deepest point against half spaces {d.x >= s} pushed outward until they just touch.
  const Vec d = direction.normalized();
  ConvexSolid<double> wall;
  OverlapWorkspace workspace;
  Overlap overlap;
  Vec point = solid.inside;
  double low = d.dot(solid.inside), high = low + solid.radius;
  for (int i = 0; i < 100 && high - low > 1e-13 * solid.radius; ++i) {
    const double middle = 0.5 * (low + high);
    wall.facets = {MakeHalfSpace<double>(-d, d * middle)};
    DeepestPoint({.solid = &solid}, {.solid = &wall}, workspace, overlap);
    if (overlap.depth > 0) {
      low = middle;
      point = overlap.point;
    } else {
      high = middle;
    }
  }
  return point;
}

namespace {

using Vector4 = Eigen::Vector4d;
using Matrix4 = Eigen::Matrix4d;

/// minimize t over (a, t) with c_i(a) <= t, in units of the smaller solid's radius. The point is held in `a` and `t`;
/// values and derivatives at it, slacks and multipliers in the workspace.
class OverlapProblem {
 public:
  OverlapProblem(const PlacedSolid& F, const PlacedSolid& G, OverlapWorkspace& work)
      : F_(F),
        G_(G),
        work_(work),
        nf_(static_cast<int>(F.solid->facets.size())),
        m_(nf_ + static_cast<int>(G.solid->facets.size())) {
    work.value.resize(m_);
    work.slack.resize(m_);
    work.multiplier.resize(m_);
    work.dslack.resize(m_);
    work.dmultiplier.resize(m_);
    work.gradient.resize(m_);
    work.hessian.resize(m_);
    const double rf = F.solid->radius, rg = G.solid->radius;
    scale_ = rf > 0 && rg > 0 ? std::min(rf, rg) : std::max(rf, rg);
  }

  int facets_of_first() const { return nf_; }
  double scale() const { return scale_; }
  const Vec& point() const { return a_; }

  /// Facet i of F, then of G.
  const Facet<double>& facet(int i) const { return i < nf_ ? F_.solid->facets[i] : G_.solid->facets[i - nf_]; }

  /// Mehrotra's predictor and corrector; false where it does not converge, which curved facets can cause.
  bool RunPrimalDual();

  /// Newton's method on t / mu - sum log(t - c_i) for falling mu: slower, and convergent for every convex problem.
  void RunBarrier();

 private:
  /// Between the two centers, nearer to the smaller solid; t above all values.
  void Start() {
    const bool f_bounded = F_.solid->radius > 0, g_bounded = G_.solid->radius > 0;
    const Vec cf = F_.R * F_.solid->inside + F_.p, cg = G_.R * G_.solid->inside + G_.p;
    a_ = f_bounded ? cf : cg;
    if (f_bounded && g_bounded) a_ = cf + (cg - cf) * (F_.solid->radius / (F_.solid->radius + G_.solid->radius));
    Evaluate();
    t_ = *std::max_element(work_.value.begin(), work_.value.end()) + 0.5;
  }

  void Evaluate() {
    const Vec x = F_.R.transpose() * (a_ - F_.p), y = G_.R.transpose() * (a_ - G_.p);
    for (int i = 0; i < m_; ++i) {
      const Matrix3<double>& R = i < nf_ ? F_.R : G_.R;
      const ConvexFacet convex(facet(i), i < nf_ ? x : y);
      work_.value[i] = convex.value / scale_;
      work_.gradient[i] = R * convex.gradient;
      if (facet(i).curved()) work_.hessian[i] = scale_ * (R * convex.hessian * R.transpose());
    }
  }

  Vector4 GradientOf(int i) const {
    Vector4 gradient;
    gradient << work_.gradient[i], -1;
    return gradient;
  }

  const PlacedSolid &F_, &G_;
  OverlapWorkspace& work_;
  int nf_, m_;
  double scale_ = 1;
  Vec a_;
  double t_ = 0;
};

bool OverlapProblem::RunPrimalDual() {
  Start();
  for (int i = 0; i < m_; ++i) {
    work_.slack[i] = t_ - work_.value[i];
    work_.multiplier[i] = 1.0 / m_;
  }
  // Unknown step (da / scale, dt); slacks and multipliers are eliminated.
  for (int iteration = 0; iteration < 60; ++iteration) {
    double mu = 0, primal = 0;
    Vector4 dual(0, 0, 0, 1);
    Matrix4 K = Matrix4::Zero();
    for (int i = 0; i < m_; ++i) {
      mu += work_.slack[i] * work_.multiplier[i];
      primal = std::max(primal, std::abs(work_.value[i] - t_ + work_.slack[i]));
      const Vector4 g = GradientOf(i);
      dual += work_.multiplier[i] * g;
      K.noalias() += (work_.multiplier[i] / work_.slack[i]) * g * g.transpose();
      if (facet(i).curved()) K.topLeftCorner<3, 3>() += work_.multiplier[i] * work_.hessian[i];
    }
    mu /= m_;
    if (mu < 1e-14 && primal < 1e-12 && dual.head<3>().norm() < 1e-9) return true;
    K.diagonal().array() += 1e-13 * K.trace();
    const Eigen::LDLT<Matrix4> factor(K);
    // Predictor (target 0), then corrector with the predictor's second-order term.
    double target = 0;
    for (int pass = 0; pass < 2; ++pass) {
      struct Row {
        double residual, complementarity;
        Vector4 gradient;
      };
      const auto row = [&](int i) {
        Row of{work_.value[i] - t_ + work_.slack[i], work_.slack[i] * work_.multiplier[i] - target, GradientOf(i)};
        if (pass == 1) of.complementarity += work_.dslack[i] * work_.dmultiplier[i];
        return of;
      };
      Vector4 rhs = -dual;
      for (int i = 0; i < m_; ++i) {
        const auto [residual, complementarity, g] = row(i);
        rhs -= g * ((work_.multiplier[i] * residual - complementarity) / work_.slack[i]);
      }
      const Vector4 step = factor.solve(rhs);
      double longest_primal = 1, longest_dual = 1;
      for (int i = 0; i < m_; ++i) {
        const auto [residual, complementarity, g] = row(i);
        const double ds = -residual - g.dot(step);
        const double dl = (-complementarity - work_.multiplier[i] * ds) / work_.slack[i];
        work_.dslack[i] = ds;
        work_.dmultiplier[i] = dl;
        if (ds < 0) longest_primal = std::min(longest_primal, -work_.slack[i] / ds);
        if (dl < 0) longest_dual = std::min(longest_dual, -work_.multiplier[i] / dl);
      }
      if (pass == 0) {
        double after = 0;
        for (int i = 0; i < m_; ++i) {
          after += (work_.slack[i] + longest_primal * work_.dslack[i]) *
                   (work_.multiplier[i] + longest_dual * work_.dmultiplier[i]);
        }
        const double ratio = after / (m_ * mu);
        target = mu * ratio * ratio * ratio;
        continue;
      }
      longest_primal = std::min(1.0, 0.99 * longest_primal);
      longest_dual = std::min(1.0, 0.99 * longest_dual);
      a_ += longest_primal * scale_ * step.head<3>();
      t_ += longest_primal * step[3];
      for (int i = 0; i < m_; ++i) {
        work_.slack[i] += longest_primal * work_.dslack[i];
        work_.multiplier[i] += longest_dual * work_.dmultiplier[i];
      }
    }
    Evaluate();
    // Curvature makes the linearized slack wrong: take the true one where that is inside.
    for (int i = 0; i < m_; ++i) {
      if (t_ - work_.value[i] > 0.1 * work_.slack[i]) work_.slack[i] = t_ - work_.value[i];
    }
  }
  return false;
}

void OverlapProblem::RunBarrier() {
  constexpr double kLastMu = 1e-12;  // the depth is then known to m mu of the scale
  constexpr int kMostSteps = 30, kMostHalvings = 50;
  Start();
  const auto barrier = [&](double mu) {
    double sum = t_ / mu;
    for (int i = 0; i < m_; ++i) sum -= t_ > work_.value[i] ? std::log(t_ - work_.value[i]) : -INFINITY;
    return sum;
  };
  for (double mu = 1; mu > 0.5 * kLastMu; mu *= 0.1) {
    for (int count = 0; count < kMostSteps; ++count) {
      Vector4 gradient(0, 0, 0, 1 / mu);
      Matrix4 K = Matrix4::Zero();
      for (int i = 0; i < m_; ++i) {
        const double inverse = 1 / (t_ - work_.value[i]);
        const Vector4 g = inverse * GradientOf(i);
        gradient += g;
        K.noalias() += g * g.transpose();
        if (facet(i).curved()) K.topLeftCorner<3, 3>() += inverse * work_.hessian[i];
      }
      K.diagonal().array() += 1e-15 * K.trace();
      const Vector4 step = Eigen::LDLT<Matrix4>(K).solve(-gradient);
      const double decrement = -gradient.dot(step);  // twice what a whole step would gain
      if (!(decrement > 1e-6)) break;
      const Vec from = a_;
      const double from_t = t_, before = barrier(mu);
      double length = 1;
      for (int halving = 0; halving < kMostHalvings; ++halving, length *= 0.5) {
        a_ = from + length * scale_ * step.head<3>();
        t_ = from_t + length * step[3];
        Evaluate();
        if (barrier(mu) < before - 0.1 * length * decrement) break;
      }
    }
    for (int i = 0; i < m_; ++i) {
      work_.slack[i] = t_ - work_.value[i];
      work_.multiplier[i] = mu / work_.slack[i];
    }
  }
}

}  // namespace

void DeepestPoint(const PlacedSolid& F, const PlacedSolid& G, OverlapWorkspace& work, Overlap& out) {
  OverlapProblem problem(F, G, work);
  if (!problem.RunPrimalDual()) problem.RunBarrier();

  out.point = problem.point();
  out.depth = -std::max(F.solid->MaxValue(F.R.transpose() * (out.point - F.p)),
                        G.solid->MaxValue(G.R.transpose() * (out.point - G.p)));
  const std::size_t m = work.multiplier.size();
  out.multipliers.resize(m);
  out.slacks.resize(m);
  Vec normal = Vec::Zero();
  double sum = 0;
  for (std::size_t i = 0; i < m; ++i) {
    const int index = static_cast<int>(i);
    out.slacks[i] = work.slack[i] * problem.scale();
    if (index >= problem.facets_of_first()) normal += work.multiplier[i] * work.gradient[i];
    // Multipliers of the facets themselves, whose gradients have length 1 at the surface.
    const bool rescaled = problem.facet(index).kind == FacetKind::kEllipsoid;
    out.multipliers[i] = work.multiplier[i] * (rescaled ? work.gradient[i].norm() : 1.0);
    sum += out.multipliers[i];
  }
  for (double& multiplier : out.multipliers) multiplier /= sum;
  const double length = normal.norm();
  out.normal = length > 0 ? Vec(normal / length) : Vec(Vec::UnitZ());
}

}  // namespace ricochet
