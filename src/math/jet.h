// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Forward-mode differentiation: a number that carries its gradient.
//
// A Jet<N> is a + v . e, with N infinitesimals e_0 .. e_(N-1) whose products vanish. Hence f(a + v . e) = f(a) + f'(a)
// v . e: run any function on Jets seeded with the unit vectors of its N inputs and the value and the exact Jacobian
// come out together. Idea and choice of operations follow Ceres Solver, include/ceres/jet.h.
//
//     Jet<2> x = Jet<2>::Variable(3.0, 0), y = Jet<2>::Variable(4.0, 1);
//     Jet<2> r = hypot(x, y);        // r.a = 5, r.v = (0.6, 0.8)
//
// Comparisons look at values only, so a Jet takes the branches that the same code takes with double: the derivative is
// that of the branch. In a template on the scalar write `using std::sqrt;` before `sqrt(x)` and both scalars are found.
//
// Where a function has no derivative (sqrt at 0, hypot at the origin, asin at 1) the gradient is infinite or NaN and
// `isfinite` says so; abs, min and max take the derivative from one side. Templates that pass through such a point
// (a rotation by angle 0) switch to a series there; see so3.h.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <ostream>

namespace ricochet {

template <int N>
struct Jet {
  static_assert(N > 0, "the number of derivatives is fixed and positive");
  static constexpr int kSize = N;
  using Gradient = Eigen::Matrix<double, N, 1>;

  double a;    // value
  Gradient v;  // derivatives

  Jet() : a(0), v(Gradient::Zero()) {}
  Jet(double value) : a(value), v(Gradient::Zero()) {}  // NOLINT(google-explicit-constructor): constants are Jets
  template <class Derived>
  Jet(double value, const Eigen::MatrixBase<Derived>& gradient) : a(value), v(gradient) {}

  /// The independent variable number `index`.
  static Jet Variable(double value, int index) {
    Jet x(value);
    x.v[index] = 1;
    return x;
  }

  Jet& operator+=(const Jet& y) {
    a += y.a;
    v += y.v;
    return *this;
  }
  Jet& operator-=(const Jet& y) {
    a -= y.a;
    v -= y.v;
    return *this;
  }
  Jet& operator*=(const Jet& y) { return *this = *this * y; }
  Jet& operator/=(const Jet& y) { return *this = *this / y; }
  Jet& operator+=(double s) {
    a += s;
    return *this;
  }
  Jet& operator-=(double s) {
    a -= s;
    return *this;
  }
  Jet& operator*=(double s) {
    a *= s;
    v *= s;
    return *this;
  }
  Jet& operator/=(double s) { return *this = *this / s; }
};

// --- Arithmetic.

template <int N>
Jet<N> operator+(const Jet<N>& x) {
  return x;
}
template <int N>
Jet<N> operator-(const Jet<N>& x) {
  return {-x.a, -x.v};
}
template <int N>
Jet<N> operator+(const Jet<N>& x, const Jet<N>& y) {
  return {x.a + y.a, x.v + y.v};
}
template <int N>
Jet<N> operator+(const Jet<N>& x, double s) {
  return {x.a + s, x.v};
}
template <int N>
Jet<N> operator+(double s, const Jet<N>& x) {
  return {s + x.a, x.v};
}
template <int N>
Jet<N> operator-(const Jet<N>& x, const Jet<N>& y) {
  return {x.a - y.a, x.v - y.v};
}
template <int N>
Jet<N> operator-(const Jet<N>& x, double s) {
  return {x.a - s, x.v};
}
template <int N>
Jet<N> operator-(double s, const Jet<N>& x) {
  return {s - x.a, -x.v};
}
template <int N>
Jet<N> operator*(const Jet<N>& x, const Jet<N>& y) {
  return {x.a * y.a, x.a * y.v + y.a * x.v};
}
template <int N>
Jet<N> operator*(const Jet<N>& x, double s) {
  return {x.a * s, x.v * s};
}
template <int N>
Jet<N> operator*(double s, const Jet<N>& x) {
  return {s * x.a, s * x.v};
}
// Values are divided as double divides them, so that a Jet's value has the same bits as the double computation.
template <int N>
Jet<N> operator/(const Jet<N>& x, const Jet<N>& y) {
  const double inverse = 1.0 / y.a, quotient = x.a / y.a;
  return {quotient, (x.v - quotient * y.v) * inverse};
}
template <int N>
Jet<N> operator/(const Jet<N>& x, double s) {
  return {x.a / s, x.v / s};
}
template <int N>
Jet<N> operator/(double s, const Jet<N>& y) {
  const double quotient = s / y.a;
  return {quotient, (-quotient / y.a) * y.v};
}

// --- Comparisons, by value.

#define RICOCHET_JET_COMPARISON(op)                    \
  template <int N>                                     \
  bool operator op(const Jet<N>& x, const Jet<N>& y) { \
    return x.a op y.a;                                 \
  }                                                    \
  template <int N>                                     \
  bool operator op(const Jet<N>& x, double s) {        \
    return x.a op s;                                   \
  }                                                    \
  template <int N>                                     \
  bool operator op(double s, const Jet<N>& x) {        \
    return s op x.a;                                   \
  }
RICOCHET_JET_COMPARISON(<)
RICOCHET_JET_COMPARISON(<=)
RICOCHET_JET_COMPARISON(>)
RICOCHET_JET_COMPARISON(>=)
RICOCHET_JET_COMPARISON(==)
RICOCHET_JET_COMPARISON(!=)
#undef RICOCHET_JET_COMPARISON

// --- Elementary functions.

template <int N>
Jet<N> sqrt(const Jet<N>& x) {
  const double root = std::sqrt(x.a);
  return {root, x.v * (0.5 / root)};
}
template <int N>
Jet<N> sin(const Jet<N>& x) {
  return {std::sin(x.a), x.v * std::cos(x.a)};
}
template <int N>
Jet<N> cos(const Jet<N>& x) {
  return {std::cos(x.a), x.v * -std::sin(x.a)};
}
template <int N>
Jet<N> tan(const Jet<N>& x) {
  const double t = std::tan(x.a);
  return {t, x.v * (1.0 + t * t)};
}
template <int N>
Jet<N> asin(const Jet<N>& x) {
  return {std::asin(x.a), x.v / std::sqrt((1.0 - x.a) * (1.0 + x.a))};
}
template <int N>
Jet<N> acos(const Jet<N>& x) {
  return {std::acos(x.a), -x.v / std::sqrt((1.0 - x.a) * (1.0 + x.a))};
}
template <int N>
Jet<N> atan(const Jet<N>& x) {
  return {std::atan(x.a), x.v / (1.0 + x.a * x.a)};
}
template <int N>
Jet<N> atan2(const Jet<N>& y, const Jet<N>& x) {
  const double r2 = x.a * x.a + y.a * y.a;
  return {std::atan2(y.a, x.a), (x.a / r2) * y.v - (y.a / r2) * x.v};
}
template <int N>
Jet<N> atan2(const Jet<N>& y, double x) {
  return {std::atan2(y.a, x), (x / (x * x + y.a * y.a)) * y.v};
}
template <int N>
Jet<N> atan2(double y, const Jet<N>& x) {
  return {std::atan2(y, x.a), (-y / (x.a * x.a + y * y)) * x.v};
}
template <int N>
Jet<N> exp(const Jet<N>& x) {
  const double e = std::exp(x.a);
  return {e, x.v * e};
}
template <int N>
Jet<N> log(const Jet<N>& x) {
  return {std::log(x.a), x.v / x.a};
}
template <int N>
Jet<N> abs(const Jet<N>& x) {
  return std::signbit(x.a) ? -x : x;
}
template <int N>
Jet<N> fabs(const Jet<N>& x) {
  return abs(x);
}
template <int N>
Jet<N> hypot(const Jet<N>& x, const Jet<N>& y) {
  const double r = std::hypot(x.a, y.a);
  return {r, (x.a / r) * x.v + (y.a / r) * y.v};
}

template <int N>
Jet<N> pow(const Jet<N>& x, double p) {
  if (p == 0) return Jet<N>(1.0);  // whatever x, also 0
  return {std::pow(x.a, p), x.v * (p * std::pow(x.a, p - 1.0))};
}
template <int N>
Jet<N> pow(double x, const Jet<N>& p) {
  const double y = std::pow(x, p.a);
  if (x == 0 && p.a > 0) return Jet<N>(0.0);  // 0^p = 0 for all p > 0
  return {y, p.v * (y * std::log(x))};
}
template <int N>
Jet<N> pow(const Jet<N>& x, const Jet<N>& p) {
  if (p.v.isZero(0)) return pow(x, p.a);  // also for x < 0 and whole p, where log(x) does not exist
  return {std::pow(x.a, p.a), pow(x, p.a).v + pow(x.a, p).v};
}

/// The first argument on ties, as std::min and std::max.
template <int N>
Jet<N> min(const Jet<N>& x, const Jet<N>& y) {
  return y.a < x.a ? y : x;
}
template <int N>
Jet<N> min(const Jet<N>& x, double y) {
  return y < x.a ? Jet<N>(y) : x;
}
template <int N>
Jet<N> min(double x, const Jet<N>& y) {
  return y.a < x ? y : Jet<N>(x);
}
template <int N>
Jet<N> max(const Jet<N>& x, const Jet<N>& y) {
  return x.a < y.a ? y : x;
}
template <int N>
Jet<N> max(const Jet<N>& x, double y) {
  return x.a < y ? Jet<N>(y) : x;
}
template <int N>
Jet<N> max(double x, const Jet<N>& y) {
  return x < y.a ? y : Jet<N>(x);
}

/// True when the value and all derivatives are finite.
template <int N>
bool isfinite(const Jet<N>& x) {
  return std::isfinite(x.a) && x.v.allFinite();
}
template <int N>
bool isnan(const Jet<N>& x) {
  return std::isnan(x.a) || x.v.hasNaN();
}
template <int N>
bool isinf(const Jet<N>& x) {
  return !isfinite(x) && !isnan(x);
}
template <int N>
bool signbit(const Jet<N>& x) {
  return std::signbit(x.a);
}

template <int N>
std::ostream& operator<<(std::ostream& out, const Jet<N>& x) {
  return out << '[' << x.a << " ; " << x.v.transpose() << ']';
}

// --- Values and derivatives of scalars and matrices, for code that is written for both scalars.

template <class T>
inline constexpr bool kIsJet = false;
template <int N>
inline constexpr bool kIsJet<Jet<N>> = true;

inline double ValueOf(double x) { return x; }
template <int N>
double ValueOf(const Jet<N>& x) {
  return x.a;
}
/// Matrix of the values.
template <class Derived>
auto ValueOf(const Eigen::MatrixBase<Derived>& x) {
  using T = typename Derived::Scalar;
  using Result = Eigen::Matrix<double, Derived::RowsAtCompileTime, Derived::ColsAtCompileTime, 0,
                               Derived::MaxRowsAtCompileTime, Derived::MaxColsAtCompileTime>;
  return Result(x.unaryExpr([](const T& e) { return ValueOf(e); }));
}

/// Derivatives of a vector of Jets: row i is the gradient of entry i.
template <class Derived>
auto JacobianOf(const Eigen::MatrixBase<Derived>& x) {
  constexpr int kColumns = Derived::Scalar::kSize;
  Eigen::Matrix<double, Derived::RowsAtCompileTime, kColumns, kColumns == 1 ? Eigen::ColMajor : Eigen::RowMajor,
                Derived::MaxRowsAtCompileTime, kColumns>
      jacobian(x.rows(), kColumns);
  for (Eigen::Index i = 0; i < x.rows(); ++i) jacobian.row(i) = x[i].v.transpose();
  return jacobian;
}

/// A vector of independent variables: entry i is variable `first + i`.
template <int N, class Derived>
auto SeedVariables(const Eigen::MatrixBase<Derived>& x, int first = 0) {
  Eigen::Matrix<Jet<N>, Derived::RowsAtCompileTime, 1> seeded(x.rows());
  for (Eigen::Index i = 0; i < x.rows(); ++i) seeded[i] = Jet<N>::Variable(x[i], first + static_cast<int>(i));
  return seeded;
}

}  // namespace ricochet

template <int N>
struct std::numeric_limits<ricochet::Jet<N>> : std::numeric_limits<double> {};

namespace Eigen {

/// Jets are a real scalar of their own for Eigen.
template <int N>
struct NumTraits<ricochet::Jet<N>> : GenericNumTraits<double> {
  using Real = ricochet::Jet<N>;
  using NonInteger = ricochet::Jet<N>;
  using Nested = ricochet::Jet<N>;
  using Literal = ricochet::Jet<N>;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1 + N,
    AddCost = 1 + N,
    MulCost = 3 + 2 * N,
  };
  static Real epsilon() { return Real(std::numeric_limits<double>::epsilon()); }
  static Real dummy_precision() { return Real(1e-12); }
  static Real highest() { return Real(std::numeric_limits<double>::max()); }
  static Real lowest() { return Real(std::numeric_limits<double>::lowest()); }
  static Real infinity() { return Real(std::numeric_limits<double>::infinity()); }
  static Real quiet_NaN() { return Real(std::numeric_limits<double>::quiet_NaN()); }
  static int digits10() { return NumTraits<double>::digits10(); }
};

template <int N, class BinaryOp>
struct ScalarBinaryOpTraits<ricochet::Jet<N>, double, BinaryOp> {
  using ReturnType = ricochet::Jet<N>;
};
template <int N, class BinaryOp>
struct ScalarBinaryOpTraits<double, ricochet::Jet<N>, BinaryOp> {
  using ReturnType = ricochet::Jet<N>;
};

}  // namespace Eigen
