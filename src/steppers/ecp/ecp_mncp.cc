// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/ecp/ecp_mncp.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

constexpr int kAtOnce = 8;  // derivatives taken at once

template <class T>
Facet<T> CastFacet(const Facet<double>& facet) {
  Facet<T> out;
  out.kind = facet.kind;
  out.u = facet.u.cast<T>();
  out.c = facet.c.cast<T>();
  out.semi_axes = facet.semi_axes.cast<T>();
  out.size = T(facet.size);
  return out;
}

}  // namespace

EcpMncp::EcpMncp(const EcpProblem<double>& problem, std::vector<int> contacts, std::vector<int> leading)
    : problem_(problem), contacts_(std::move(contacts)), leading_(std::move(leading)) {
  size_ = 6 * problem.moving_count();
  bounded_.assign(size_, 0);
  for (int c = 0; c < static_cast<int>(contacts_.size()); ++c) {
    offsets_.push_back(size_);
    const int inequalities = first_facets(c) + second_facets(c) + 2;
    size_ += 9 + inequalities;
    bounded_.resize(size_ - inequalities, 0);
    bounded_.resize(size_, 1);
  }
}

double EcpMncp::lower(int i) const { return bounded_[i] ? 0.0 : -std::numeric_limits<double>::infinity(); }
double EcpMncp::upper(int) const { return std::numeric_limits<double>::infinity(); }

template <class T>
void EcpMncp::Equations(const T* z, T* F) const {
  using std::sqrt;
  const double h = problem_.h, L = problem_.length, U = problem_.speed, impulse = problem_.mass * problem_.speed;
  const auto end_of = [&](const EcpBody<double>& body) {
    EcpEnd<T> end;
    end.p = body.p.cast<T>();
    end.q = body.q.cast<T>();
    end.v = end.w = Vector3<T>::Zero();
    if (body.offset >= 0) {
      for (int i = 0; i < 3; ++i) {
        end.v[i] = z[body.offset + i] * U;
        end.w[i] = z[body.offset + 3 + i] * (U / L);
      }
      end.p += T(h) * end.v;
      end.q = QuaternionProduct<T>(ExpSO3(Vector3<T>(T(h) * end.w)), end.q);
    }
    end.R = RotationMatrix<T>(end.q);
    return end;
  };
  for (const EcpBody<double>& body : problem_.bodies) {
    if (body.offset < 0) continue;
    const EcpEnd<T> end = end_of(body);
    const Matrix3<T> I = body.inertia.cast<T>();
    const Vector3<T> spin = I * end.w;
    const Vector3<T> linear = T(body.mass) * (end.v - body.v.cast<T>()) - body.impulse.head<3>().cast<T>();
    const Vector3<T> angular =
        I * (end.w - body.w.cast<T>()) - body.impulse.tail<3>().cast<T>() + T(h) * end.w.cross(spin);
    for (int i = 0; i < 3; ++i) {
      F[body.offset + i] = linear[i] / impulse;
      F[body.offset + 3 + i] = angular[i] / (impulse * L);
    }
  }
  for (int c = 0; c < static_cast<int>(contacts_.size()); ++c) {
    const EcpContact<double>& contact = problem_.contacts[contacts_[c]];
    const EcpBody<double>&bf = problem_.bodies[contact.f], &bg = problem_.bodies[contact.g];
    const EcpEnd<T> f_end = end_of(bf), g_end = end_of(bg);
    const int nf = first_facets(c), ng = second_facets(c), k = leading_[c];
    const T* unknown = z + offsets_[c];
    T* out = F + offsets_[c];
    const Vector3<T> a1 = T(L) * Vector3<T>(unknown[0], unknown[1], unknown[2]);
    const Vector3<T> a2 = T(L) * Vector3<T>(unknown[3], unknown[4], unknown[5]);
    const Vector3<T> p = T(impulse) * Vector3<T>(unknown[6], unknown[7], unknown[8] * L);
    const T *l1 = unknown + 9, *l2 = l1 + nf;
    const T p_n = T(impulse) * l2[ng], sigma = T(U) * l2[ng + 1];

    // (13)-(17).
    const Vector3<T> x1 = f_end.R.transpose() * (a1 - f_end.p), x2 = f_end.R.transpose() * (a2 - f_end.p);
    const Vector3<T> y2 = g_end.R.transpose() * (a2 - g_end.p);
    Vector3<T> sum_f = Vector3<T>::Zero(), sum_g = Vector3<T>::Zero();
    T largest = T(0);
    for (int i = 0; i < nf; ++i) {
      const Facet<T> facet = CastFacet<T>(contact.solid_f->facets[i]);
      const T weight = i == k ? T(1) : l1[i];
      sum_f += weight * (f_end.R * facet.Gradient(x1));
      out[9 + i] = -facet.Value(x1) / L;
      const T other = facet.Value(x2);
      if (i == 0 || largest < other) largest = other;
    }
    for (int j = 0; j < ng; ++j) {
      const Facet<T> facet = CastFacet<T>(contact.solid_g->facets[j]);
      sum_g += l2[j] * (g_end.R * facet.Gradient(y2));
      out[9 + nf + j] = -facet.Value(y2) / L;
    }
    for (int i = 0; i < 3; ++i) {
      out[i] = (a1[i] - a2[i]) / L + l1[k] * sum_f[i];
      out[3 + i] = sum_f[i] + sum_g[i];
    }
    out[9 + nf + ng] = largest / L;

    // (9) and the wrench in (7).
    const T length2 = sum_g.squaredNorm();
    const Vector3<T> n = length2 > T(1e-20) ? Vector3<T>(sum_g / sqrt(length2)) : Vector3<T>(Vector3<T>::UnitZ());
    Vector3<T> t = contact.t.cast<T>(), o = contact.o.cast<T>();
    if (!contact.fixed_frame) TangentsOf<T>(n, t, o);
    const Vector3<T> rf = a1 - f_end.p, rg = a1 - g_end.p;
    const Vector3<T> v = f_end.v + f_end.w.cross(rf) - g_end.v - g_end.w.cross(rg) - contact.belt.cast<T>();
    const Vector3<T> slip(t.dot(v), o.dot(v), n.dot(f_end.w - g_end.w));
    T zeta = (contact.mu * p_n) * (contact.mu * p_n);
    for (int i = 0; i < 3; ++i) {
      const double e = contact.e[i], unit = i < 2 ? 1.0 : L;
      out[6 + i] =
          e > 0 ? (T(e * e * contact.mu) * p_n * slip[i] + p[i] * sigma) / (impulse * U * unit) : p[i] / impulse;
      if (e > 0) zeta -= (p[i] / e) * (p[i] / e);
    }
    out[9 + nf + ng + 1] = zeta / (impulse * impulse);
    const Vector3<T> P = p_n * n + p[0] * t + p[1] * o;
    const Vector3<T> tau_f = rf.cross(P) + p[2] * n, tau_g = rg.cross(P) + p[2] * n;
    for (int i = 0; i < 3; ++i) {
      if (bf.offset >= 0) {
        F[bf.offset + i] -= P[i] / impulse;
        F[bf.offset + 3 + i] -= tau_f[i] / (impulse * L);
      }
      if (bg.offset >= 0) {
        F[bg.offset + i] += P[i] / impulse;
        F[bg.offset + 3 + i] += tau_g[i] / (impulse * L);
      }
    }
  }
}

void EcpMncp::Evaluate(const Eigen::VectorXd& z, Eigen::VectorXd& F, Eigen::MatrixXd* jacobian) const {
  if (!jacobian) {
    Equations<double>(z.data(), F.data());
    return;
  }
  using J = Jet<kAtOnce>;
  std::vector<J> seeded(size_), value(size_);
  for (int first = 0; first < size_; first += kAtOnce) {
    for (int i = 0; i < size_; ++i) seeded[i] = J(z[i]);
    const int count = std::min(kAtOnce, size_ - first);
    for (int i = 0; i < count; ++i) seeded[first + i].v[i] = 1;
    Equations<J>(seeded.data(), value.data());
    for (int row = 0; row < size_; ++row) {
      F[row] = value[row].a;
      for (int i = 0; i < count; ++i) (*jacobian)(row, first + i) = value[row].v[i];
    }
  }
}

EcpMncpPoint ToMncp(const EcpProblem<double>& problem, const EcpSolution& solution) {
  std::vector<int> contacts, leading;
  for (const EcpClosed& closed : solution.closed) {
    contacts.push_back(closed.active.contact);
    const auto heaviest = std::max_element(closed.beta.begin(), closed.beta.begin() + closed.active.nf);
    leading.push_back(closed.active.f[static_cast<int>(heaviest - closed.beta.begin())]);
  }
  EcpMncpPoint out{EcpMncp(problem, contacts, leading), {}};
  const double L = problem.length, U = problem.speed, impulse = problem.mass * problem.speed;
  out.z.setZero(out.problem.size());
  for (std::size_t i = 0; i < solution.velocities.size(); ++i) {
    out.z[static_cast<long>(i)] = solution.velocities[i] / (i % 6 < 3 ? U : U / L);
  }
  for (std::size_t c = 0; c < solution.closed.size(); ++c) {
    const EcpClosed& closed = solution.closed[c];
    const EcpContact<double>& contact = problem.contacts[closed.active.contact];
    const int at = out.problem.offset(static_cast<int>(c));
    const int nf = out.problem.first_facets(static_cast<int>(c)), ng = out.problem.second_facets(static_cast<int>(c));
    out.z.segment<3>(at) = out.z.segment<3>(at + 3) = closed.a / L;
    for (int i = 0; i < 3; ++i) out.z[at + 6 + i] = contact.e[i] * closed.q[i] / (impulse * (i < 2 ? 1 : L));
    // The paper's multipliers: scaled so that the leading one is 1; its own unknown is the distance, 0.
    const double heaviest = *std::max_element(closed.beta.begin(), closed.beta.begin() + closed.active.nf);
    for (int i = 0; i < closed.active.nf; ++i) {
      if (closed.active.f[i] != leading[c]) out.z[at + 9 + closed.active.f[i]] = closed.beta[i] / heaviest;
    }
    for (int j = 0; j < closed.active.ng; ++j) {
      out.z[at + 9 + nf + closed.active.g[j]] = (closed.active.has_gamma() ? closed.gamma[j] : 1.0) / heaviest;
    }
    out.z[at + 9 + nf + ng] = closed.p_n / impulse;
    // sigma = |s| where the contact slides.
    const EcpEnd<double> F = EndOf(problem.bodies[contact.f], problem.h, solution.velocities.data());
    const EcpEnd<double> G = EndOf(problem.bodies[contact.g], problem.h, solution.velocities.data());
    const Vector3<double> y = G.R.transpose() * (closed.a - G.p);
    Vector3<double> n = Vector3<double>::Zero();
    for (int j = 0; j < closed.active.ng; ++j) {
      n += (closed.active.has_gamma() ? closed.gamma[j] : 1.0) *
           (G.R * contact.solid_g->facets[closed.active.g[j]].Gradient(y));
    }
    Vector3<double> t = contact.t, o = contact.o;
    if (!contact.fixed_frame) TangentsOf<double>(n, t, o);
    const Vector3<double> v = F.v + F.w.cross(closed.a - F.p) - G.v - G.w.cross(closed.a - G.p) - contact.belt;
    const Vector3<double> s(contact.e[0] * t.dot(v), contact.e[1] * o.dot(v), contact.e[2] * n.dot(F.w - G.w));
    out.z[at + 9 + nf + ng + 1] = closed.active.slides ? s.norm() / U : 0.0;
  }
  return out;
}

bool FromMncp(const EcpProblem<double>& problem, const EcpMncpPoint& point, EcpSolution& candidate) {
  const double L = problem.length, U = problem.speed, impulse = problem.mass * problem.speed;
  for (std::size_t i = 0; i < candidate.velocities.size(); ++i) {
    candidate.velocities[i] = point.z[static_cast<long>(i)] * (i % 6 < 3 ? U : U / L);
  }
  for (std::size_t c = candidate.closed.size(); c-- > 0;) {
    EcpClosed& closed = candidate.closed[c];
    const EcpContact<double>& contact = problem.contacts[closed.active.contact];
    const int at = point.problem.offset(static_cast<int>(c)), nf = point.problem.first_facets(static_cast<int>(c));
    const int ng = point.problem.second_facets(static_cast<int>(c));
    closed.p_n = point.z[at + 9 + nf + ng] * impulse;
    if (closed.p_n <= 1e-12 * impulse) {
      candidate.closed.erase(candidate.closed.begin() + static_cast<long>(c));
      continue;
    }
    closed.a = point.z.segment<3>(at) * L;
    for (int i = 0; i < 3; ++i) {
      closed.q[i] = contact.e[i] > 0 ? point.z[at + 6 + i] * impulse * (i < 2 ? 1 : L) / contact.e[i] : 0.0;
    }
    double scale = 0;
    closed.active.nf = closed.active.ng = 0;
    const auto take = [](int facet, double weight, int& count, std::array<int, kEcpMaxActive>& facets,
                         std::array<double, kEcpMaxActive>& weights) {
      if (weight < 1e-7 || count == kEcpMaxActive) return;
      facets[count] = facet;
      weights[count++] = weight;
    };
    for (int i = 0; i < nf; ++i) {
      const bool leads = i == point.problem.leading(static_cast<int>(c));
      take(i, leads ? 1.0 : point.z[at + 9 + i], closed.active.nf, closed.active.f, closed.beta);
    }
    Vector3<double> n = Vector3<double>::Zero();
    const EcpEnd<double> G = EndOf(problem.bodies[contact.g], problem.h, candidate.velocities.data());
    for (int j = 0; j < ng; ++j) {
      take(j, point.z[at + 9 + nf + j], closed.active.ng, closed.active.g, closed.gamma);
      n += point.z[at + 9 + nf + j] * (G.R * contact.solid_g->facets[j].Gradient(G.R.transpose() * (closed.a - G.p)));
    }
    scale = n.norm();
    if (!(scale > 0) || closed.active.ng == 0) return false;
    for (double& beta : closed.beta) beta /= scale;
    for (double& gamma : closed.gamma) gamma /= scale;
  }
  return true;
}

}  // namespace ricochet
