// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The contact problem of one planar body with a few closed contacts, solved exactly by trying the modes one by one.
//
// Unknown are a normal intensity x_i >= 0 per contact and one tangential intensity y_g per surface: all contacts of a
// rigid body with one line have the same tangential velocity and the same arm for tangential forces, so only the sum of
// their friction matters, and it is bounded by mu times the sum of their normal parts. With rows N_i, T_g:
//
//   w_i = b_i + N_i M^-1 (sum_j N_j x_j + sum_g T_g y_g) >= 0,  x_i >= 0,  x_i w_i = 0
//   u_g = d_g + T_g M^-1 (...) :  stick  u_g = 0, |y_g| <= mu sum x   or   slide  y_g = -s mu sum x, s u_g >= 0, s =
//   +-1
//
// Impact: x, y are impulses, b = v_n + e v_n, d = v_t + e_t v_t (Newton's law of restitution, Coulomb's law at the
// instant of impact: the velocity-level LCP of Gabiccini (4), (18) and Fazeli (8)). Lasting contact: x, y are forces,
// b and d the accelerations without contact forces; a surface that slides keeps its s.
//
// Modes are tried with the most closed contacts and with sticking first, so where Newton's law with friction has
// several solutions the sticking one is taken. There may be none for lasting sliding contact with large friction
// (Painleve); `found` is then false.
#pragma once

#include <array>
#include <bit>
#include <cmath>

#include "steppers/event/event_body.h"

namespace ricochet {

/// Gaussian elimination with pivoting by value for the few unknowns of a contact problem; false when singular.
template <class T, int kMax>
bool SolveSmall(int n, std::array<std::array<T, kMax>, kMax>& a, std::array<T, kMax>& b) {
  for (int column = 0; column < n; ++column) {
    int pivot = column;
    for (int row = column + 1; row < n; ++row)
      if (std::abs(ValueOf(a[row][column])) > std::abs(ValueOf(a[pivot][column]))) pivot = row;
    if (std::abs(ValueOf(a[pivot][column])) < 1e-300) return false;
    std::swap(a[pivot], a[column]);
    std::swap(b[pivot], b[column]);
    const T inverse = T(1.0) / a[column][column];
    for (int row = column + 1; row < n; ++row) {
      const T factor = a[row][column] * inverse;
      for (int k = column + 1; k < n; ++k) a[row][k] -= factor * a[column][k];
      b[row] -= factor * b[column];
    }
  }
  for (int row = n - 1; row >= 0; --row) {
    for (int k = row + 1; k < n; ++k) b[row] -= a[row][k] * b[k];
    b[row] = b[row] / a[row][row];
  }
  return true;
}

template <class T>
struct EventContactProblem {
  T inverse_mass{}, inverse_inertia{};
  int contacts = 0, groups = 0;
  std::array<int, kMaxClosedContacts> group_of{};
  std::array<EventVector<T>, kMaxClosedContacts> normal;   // N_i
  std::array<EventVector<T>, kMaxClosedContacts> tangent;  // T_g
  std::array<T, kMaxClosedContacts> b{}, d{}, friction{};

  T Inner(const EventVector<T>& x, const EventVector<T>& y) const {
    return inverse_mass * (x[0] * y[0] + x[1] * y[1]) + inverse_inertia * (x[2] * y[2]);
  }
};

/// Which contacts press, and per group whether it sticks (0) or slides along +t or -t (+1, -1).
struct EventModes {
  unsigned pressing = 0;
  std::array<int, kMaxClosedContacts> slip{};
  bool found = false;
};

template <class T>
struct EventContactSolution {
  std::array<T, kMaxClosedContacts> x{}, y{};
};

/// Intensities for given modes. False when the modes leave them undetermined.
template <class T>
bool SolveModes(const EventContactProblem<T>& problem, const EventModes& modes, EventContactSolution<T>& solution) {
  constexpr int kMax = 2 * kMaxClosedContacts;
  std::array<int, kMaxClosedContacts> pressing{}, sticking{};
  int nx = 0, ny = 0;
  std::array<bool, kMaxClosedContacts> loaded{};
  for (int i = 0; i < problem.contacts; ++i) {
    solution.x[i] = T(0.0);
    if (modes.pressing >> i & 1u) {
      pressing[nx++] = i;
      loaded[problem.group_of[i]] = true;
    }
  }
  for (int g = 0; g < problem.groups; ++g) {
    solution.y[g] = T(0.0);
    if (loaded[g] && modes.slip[g] == 0) sticking[ny++] = g;
  }
  if (nx == 0) return true;
  std::array<std::array<T, kMax>, kMax> a;
  std::array<T, kMax> right;
  const auto row = [&](const EventVector<T>& r, int k) {
    for (int j = 0; j < nx; ++j) {
      const int i = pressing[j], g = problem.group_of[i];
      a[k][j] = problem.Inner(r, problem.normal[i]);
      if (modes.slip[g] != 0) a[k][j] -= modes.slip[g] * (problem.friction[g] * problem.Inner(r, problem.tangent[g]));
    }
    for (int j = 0; j < ny; ++j) a[k][nx + j] = problem.Inner(r, problem.tangent[sticking[j]]);
  };
  for (int j = 0; j < nx; ++j) {
    row(problem.normal[pressing[j]], j);
    right[j] = -problem.b[pressing[j]];
  }
  for (int j = 0; j < ny; ++j) {
    row(problem.tangent[sticking[j]], nx + j);
    right[nx + j] = -problem.d[sticking[j]];
  }
  if (!SolveSmall<T, kMax>(nx + ny, a, right)) return false;
  for (int j = 0; j < nx; ++j) {
    const int i = pressing[j], g = problem.group_of[i];
    solution.x[i] = right[j];
    if (modes.slip[g] != 0) solution.y[g] -= modes.slip[g] * (problem.friction[g] * right[j]);
  }
  for (int j = 0; j < ny; ++j) solution.y[sticking[j]] = right[nx + j];
  return true;
}

/// Finds modes that satisfy all conditions to rounding. `sliding[g]` = +-1 prescribes that group's slip (lasting
/// contact that slides); 0 leaves it open. `scale` is the size of b that counts as 1.
inline EventModes FindModes(const EventContactProblem<double>& problem,
                            const std::array<int, kMaxClosedContacts>& sliding, double scale) {
  const double tolerance = 1e-11 * scale;
  EventModes modes;
  EventContactSolution<double> solution;
  const unsigned all = (1u << problem.contacts) - 1u;
  int slips = 1;
  for (int g = 0; g < problem.groups; ++g) slips *= 3;
  for (int closed = problem.contacts; closed >= 0; --closed) {
    for (unsigned pressing = 0; pressing <= all; ++pressing) {
      if (std::popcount(pressing) != closed) continue;
      for (int code = 0; code < slips; ++code) {
        bool admissible = true;
        for (int g = 0, rest = code; g < problem.groups; ++g, rest /= 3) {
          const int option = rest % 3;  // 0 stick, 1 and 2 slide
          modes.slip[g] = option == 0 ? 0 : option == 1 ? 1 : -1;
          if (sliding[g] != 0 && modes.slip[g] != sliding[g]) admissible = false;
        }
        modes.pressing = pressing;
        if (!admissible || !SolveModes(problem, modes, solution)) continue;
        // Check every inequality.
        EventVector<double> wrench = EventVector<double>::Zero();
        std::array<double, kMaxClosedContacts> load{};
        for (int i = 0; i < problem.contacts; ++i) {
          wrench += problem.normal[i] * solution.x[i];
          load[problem.group_of[i]] += solution.x[i];
          const double unit = problem.Inner(problem.normal[i], problem.normal[i]);
          if (solution.x[i] * unit < -tolerance) admissible = false;
        }
        for (int g = 0; g < problem.groups; ++g) wrench += problem.tangent[g] * solution.y[g];
        for (int i = 0; i < problem.contacts && admissible; ++i)
          if (problem.b[i] + problem.Inner(problem.normal[i], wrench) < -tolerance) admissible = false;
        for (int g = 0; g < problem.groups && admissible; ++g) {
          const double u = problem.d[g] + problem.Inner(problem.tangent[g], wrench);
          const double unit = problem.Inner(problem.tangent[g], problem.tangent[g]);
          if (modes.slip[g] == 0 && (std::abs(solution.y[g]) - problem.friction[g] * load[g]) * unit > tolerance)
            admissible = false;
          if (modes.slip[g] != 0 && sliding[g] == 0 && modes.slip[g] * u < -tolerance) admissible = false;
        }
        if (!admissible) continue;
        modes.found = true;
        return modes;
      }
    }
  }
  modes = {};
  return modes;
}

}  // namespace ricochet
