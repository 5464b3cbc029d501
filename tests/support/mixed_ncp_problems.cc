// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/mixed_ncp_problems.h"

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "math/jet.h"

namespace ricochet {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int kMost = 16;
using J = Jet<kMost>;

/// F as a generic function of (z, F), Jacobian by Jets.
template <class Function>
class FunctionNcp final : public MixedNcp {
 public:
  FunctionNcp(int n, Function function, std::vector<double> lower, std::vector<double> upper)
      : n_(n), function_(function), lower_(std::move(lower)), upper_(std::move(upper)) {}

  int size() const override { return n_; }
  double lower(int i) const override { return lower_[i]; }
  double upper(int i) const override { return upper_[i]; }
  void Evaluate(const Eigen::VectorXd& z, Eigen::VectorXd& F, Eigen::MatrixXd* jacobian) const override {
    if (!jacobian) {
      function_(z.data(), F.data());
      return;
    }
    std::vector<J> x(n_), y(n_);
    for (int first = 0; first < n_; first += kMost) {
      const int count = std::min(kMost, n_ - first);
      for (int i = 0; i < n_; ++i) x[i] = J(z[i]);
      for (int i = 0; i < count; ++i) x[first + i].v[i] = 1;
      function_(x.data(), y.data());
      for (int i = 0; i < n_; ++i) {
        F[i] = y[i].a;
        jacobian->row(i).segment(first, count) = y[i].v.head(count).transpose();
      }
    }
  }

 private:
  int n_;
  Function function_;
  std::vector<double> lower_, upper_;
};

Eigen::VectorXd V(std::initializer_list<double> values) {
  Eigen::VectorXd v(static_cast<long>(values.size()));
  std::copy(values.begin(), values.end(), v.begin());
  return v;
}

class Collection {
 public:
  template <class Function>
  MixedNcpCase& Add(const std::string& name, const std::string& source, int n, Function function,
                    std::vector<double> lower, std::vector<double> upper = {}) {
    if (upper.empty()) upper.assign(n, kInf);
    MixedNcpCase& c = cases.emplace_back();
    c.name = name;
    c.source = source;
    c.problem = std::make_unique<FunctionNcp<Function>>(n, function, std::move(lower), std::move(upper));
    c.starts = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Ones(n)};
    return c;
  }
  /// z >= 0.
  template <class Function>
  MixedNcpCase& Ncp(const std::string& name, const std::string& source, int n, Function function) {
    return Add(name, source, n, function, std::vector<double>(n, 0.0));
  }
  std::vector<MixedNcpCase> cases;
};

/// Bounds of a Karush-Kuhn-Tucker system: x free, then multipliers of inequalities g >= 0.
std::vector<double> KktLower(int x, int inequalities, int equations = 0) {
  std::vector<double> lower(x, -kInf);
  lower.insert(lower.end(), inequalities, 0.0);
  lower.insert(lower.end(), equations, -kInf);
  return lower;
}

void AddLinear(Collection& to) {
  const auto linear = [](const Eigen::MatrixXd& M, const Eigen::VectorXd& q) {
    return [M, q](const auto* z, auto* F) {
      using T = std::decay_t<decltype(z[0])>;
      for (int i = 0; i < M.rows(); ++i) {
        T sum(q[i]);
        for (int j = 0; j < M.cols(); ++j) {
          if (M(i, j) != 0) sum += M(i, j) * z[j];
        }
        F[i] = sum;
      }
    };
  };
  const int n = 12;
  Eigen::MatrixXd murty = Eigen::MatrixXd::Identity(n, n);
  murty.triangularView<Eigen::StrictlyUpper>().setConstant(2);
  to.Ncp("murty", "Murty 1988, ch. 6: Lemke takes 2^n pivots", n, linear(murty, Eigen::VectorXd::Constant(n, -1)))
      .solutions = {Eigen::VectorXd::Unit(n, n - 1)};
  Eigen::MatrixXd fathi = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) fathi(i, j) = i == j ? 4 * i + 1 : 4 * std::min(i, j) + 2;
  }
  to.Ncp("fathi", "Fathi 1979: positive definite, worst case for pivoting", n,
         linear(fathi, Eigen::VectorXd::Constant(n, -1)))
      .solutions = {Eigen::VectorXd::Unit(n, 0)};
  Eigen::MatrixXd chain = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    chain(i, i) = 4;
    if (i > 0) chain(i, i - 1) = chain(i - 1, i) = -1;
  }
  to.Ncp("tridiagonal", "Geiger and Kanzow 1996: interior solution M z = 1", n,
         linear(chain, Eigen::VectorXd::Constant(n, -1)))
      .solutions = {chain.lu().solve(Eigen::VectorXd::Ones(n))};

  // Loaded string u'' = 32 over the floor u >= 0, u(0) = u(1) = 1: parabolas 16 (x - 1/4)^2, floor in [1/4, 3/4].
  // Second differences are exact for parabolas and 1/4 is a grid point, so the discrete solution is the continuous one.
  const int m = 15;
  const double h2 = 1.0 / 256;
  Eigen::MatrixXd string = Eigen::MatrixXd::Zero(m, m);
  Eigen::VectorXd load = Eigen::VectorXd::Constant(m, 32), string_solution(m);
  for (int i = 0; i < m; ++i) {
    string(i, i) = 2 / h2;
    if (i > 0) string(i, i - 1) = string(i - 1, i) = -1 / h2;
    const double x = (i + 1) / 16.0, d = x < 0.25 ? x - 0.25 : x > 0.75 ? x - 0.75 : 0.0;
    string_solution[i] = 16 * d * d;
  }
  load[0] -= 1 / h2;
  load[m - 1] -= 1 / h2;
  to.Ncp("obstacle", "one-dimensional obstacle problem, closed form", m, linear(string, load)).solutions = {
      string_solution};

  // Costs of the two players A z2 >= 1, B' z1 >= 1; the game of matching pennies (shifted to positive costs).
  Eigen::MatrixXd game = Eigen::MatrixXd::Zero(4, 4);
  game.topRightCorner(2, 2) << 1, 3, 3, 1;
  game.bottomLeftCorner(2, 2) << 3, 1, 1, 3;
  MixedNcpCase& pennies =
      to.Ncp("bimatrix", "Cottle, Pang and Stone 1992, sec. 1.2: matching pennies, equilibrium (1/2, 1/2)", 4,
             linear(game, Eigen::VectorXd::Constant(4, -1)));
  pennies.solutions = {V({0.25, 0.25, 0.25, 0.25})};
  Eigen::MatrixXd circle(3, 3);
  circle << 2, 3, 1, 1, 2, 3, 3, 1, 2;
  to.Ncp("rock-paper-scissors", "symmetric game, equilibrium (1/3, 1/3, 1/3)", 3,
         linear(circle, Eigen::VectorXd::Constant(3, -1)))
      .solutions = {V({1.0 / 6, 1.0 / 6, 1.0 / 6})};
}

void AddNonlinear(Collection& to) {
  const auto kojima = [](double c2, double c3, double d3) {
    return [=](const auto* x, auto* F) {
      F[0] = 3.0 * x[0] * x[0] + 2.0 * x[0] * x[1] + 2.0 * x[1] * x[1] + x[2] + 3.0 * x[3] - 6.0;
      F[1] = 2.0 * x[0] * x[0] + x[0] + x[1] * x[1] + c2 * x[2] + 2.0 * x[3] - 2.0;
      F[2] = 3.0 * x[0] * x[0] + x[0] * x[1] + 2.0 * x[1] * x[1] + 2.0 * x[2] + c3 * x[3] - d3;
      F[3] = x[0] * x[0] + 3.0 * x[1] * x[1] + 2.0 * x[2] + 3.0 * x[3] - 3.0;
    };
  };
  const double root = std::sqrt(6.0) / 2;
  to.Ncp("kojima-shindo", "Kojima and Shindo 1986; one solution degenerate", 4, kojima(10, 9, 9)).solutions = {
      V({root, 0, 0, 0.5}), V({1, 0, 3, 0})};
  to.Ncp("josephy", "Josephy 1979", 4, kojima(3, 3, 1)).solutions = {V({root, 0, 0, 0.5})};
  MixedNcpCase& mathiesen =
      to.Ncp("mathiesen", "Mathiesen 1987: solutions (a, 0, 0, 0), 0 <= a <= 3", 4, [](const auto* x, auto* F) {
        F[0] = -x[1] + x[2] + x[3];
        F[1] = x[0] - (4.5 * x[2] + 2.7 * x[3]) / (x[1] + 1.0);
        F[2] = 5.0 - x[0] - (0.5 * x[2] + 0.3 * x[3]) / (x[2] + 1.0);
        F[3] = 3.0 - x[0];
      });
  mathiesen.is_solution = [](const Eigen::VectorXd& z) {
    return z.tail(3).norm() < 1e-7 && z[0] > -1e-9 && z[0] < 3 + 1e-7;
  };
  to.Ncp("billups", "Billups 1995: merit functions have a minimum near 1 that is no solution", 1,
         [](const auto* x, auto* F) { F[0] = (x[0] - 1.0) * (x[0] - 1.0) - 1.01; })
      .solutions = {V({1 + std::sqrt(1.01)})};

  // Five firms, Murphy, Sherali and Soyster 1982: F = marginal cost - price - q price'.
  MixedNcpCase& cournot =
      to.Ncp("nash-cournot", "Murphy, Sherali and Soyster 1982, as printed", 5, [](const auto* q, auto* F) {
        using std::pow;
        using T = std::decay_t<decltype(q[0])>;
        const double c[5] = {10, 8, 6, 4, 2}, beta[5] = {1.2, 1.1, 1.0, 0.9, 0.8};
        const double L = 5, gamma = 1.1;
        T total(0.0);
        for (int i = 0; i < 5; ++i) total += q[i];
        const T price = std::pow(5000, 1 / gamma) * pow(total, -1 / gamma);
        for (int i = 0; i < 5; ++i) {
          F[i] = c[i] + pow(T(q[i] * (1.0 / L)), 1 / beta[i]) - price * (1.0 - q[i] / (gamma * total));
        }
      });
  cournot.starts = {Eigen::VectorXd::Constant(5, 10), Eigen::VectorXd::Constant(5, 50)};
  cournot.solutions = {V({36.9318, 41.8175, 43.7060, 42.6588, 39.1786})};
  cournot.accuracy = 5e-2;

  // Braess 1968: 6 units, route flows f1 (up), f2 (down), f3 (bridge); cost of a route - u >= 0; demand.
  to.Add("braess", "Braess 1968: 2 units on each route at cost 92", 4,
         [](const auto* z, auto* F) {
           const auto a = 10.0 * (z[0] + z[2]), b = 50.0 + z[0], c = 50.0 + z[1], d = 10.0 * (z[1] + z[2]),
                      e = 10.0 + z[2];
           F[0] = a + b - z[3];
           F[1] = c + d - z[3];
           F[2] = a + e + d - z[3];
           F[3] = z[0] + z[1] + z[2] - 6.0;
         },
         {0, 0, 0, -kInf})
      .solutions = {V({2, 2, 2, 92})};
  to.Ncp("degenerate-square", "z^2 >= 0: F and its derivative vanish at the solution", 1, [](const auto* x, auto* F) {
      F[0] = x[0] * x[0];
    }).is_solution = [](const Eigen::VectorXd& z) { return std::abs(z[0]) < 1e-4; };

  // A block on a rough floor, pulled by 3 with friction up to 2: slides at (3 - 2) / 4; or held when pulled by 1.
  for (const double pull : {3.0, 1.0}) {
    const double friction = pull > 2 ? -2 : -pull, velocity = (pull + friction) / 4;
    to.Add(pull > 2 ? "friction-slip" : "friction-stick", "Coulomb's law with both bounds", 2,
           [pull](const auto* z, auto* F) {
             F[0] = 4.0 * z[0] - pull - z[1];
             F[1] = z[0];
           },
           {-kInf, -2}, {kInf, 2})
        .solutions = {V({velocity, friction})};
  }
  to.Add("box-bounds", "linear functions ending at the lower bound, inside and at the upper bound", 3,
         [](const auto* z, auto* F) {
           F[0] = z[0] + 5.0;
           F[1] = z[1] - 0.3;
           F[2] = z[2] - 7.0;
         },
         {-1, -1, -1}, {1, 1, 1})
      .solutions = {V({-1, 0.3, 1})};
}

void AddEquations(Collection& to) {
  const std::vector<double> free2(2, -kInf);
  to.Add(
        "rosenbrock", "More, Garbow and Hillstrom 1981, no. 1", 2,
        [](const auto* x, auto* F) {
          F[0] = 10.0 * (x[1] - x[0] * x[0]);
          F[1] = 1.0 - x[0];
        },
        free2)
      .solutions = {V({1, 1})};
  to.Add(
        "freudenstein-roth", "More, Garbow and Hillstrom 1981, no. 2; merit has a minimum at (11.41, -0.8968)", 2,
        [](const auto* x, auto* F) {
          F[0] = -13.0 + x[0] + ((5.0 - x[1]) * x[1] - 2.0) * x[1];
          F[1] = -29.0 + x[0] + ((x[1] + 1.0) * x[1] - 14.0) * x[1];
        },
        free2)
      .solutions = {V({5, 4})};
  to.Add(
        "powell-badly-scaled", "More, Garbow and Hillstrom 1981, no. 3", 2,
        [](const auto* x, auto* F) {
          using std::exp;
          F[0] = 1e4 * x[0] * x[1] - 1.0;
          F[1] = exp(-x[0]) + exp(-x[1]) - 1.0001;
        },
        free2)
      .solutions = {V({1.098159329699759e-5, 9.106146739867318})};
}

/// Karush-Kuhn-Tucker systems of problems of Hock and Schittkowski 1981: x, multipliers of g >= 0, then of equations.
void AddOptimization(Collection& to) {
  // The first unknown is the root of 2 x^3 + x = 5 (printed as 1.234773, 1.524664).
  to.Add(
        "hs11", "Hock and Schittkowski 11", 3,
        [](const auto* z, auto* F) {
          F[0] = 2.0 * (z[0] - 5.0) + 2.0 * z[2] * z[0];
          F[1] = 2.0 * z[1] - z[2];
          F[2] = z[1] - z[0] * z[0];
        },
        KktLower(2, 1))
      .solutions = {V({1.234772825053297, 1.5246639294901, 3.0493278589802})};
  to.Add("hs21", "Hock and Schittkowski 21, bounds on both sides", 3,
         [](const auto* z, auto* F) {
           F[0] = 0.02 * z[0] - 10.0 * z[2];
           F[1] = 2.0 * z[1] + z[2];
           F[2] = 10.0 * z[0] - z[1] - 10.0;
         },
         {2, -50, 0}, {50, 50, kInf})
      .solutions = {V({2, 0, 0})};
  to.Add("hs35", "Hock and Schittkowski 35 (Beale)", 4,
         [](const auto* z, auto* F) {
           F[0] = -8.0 + 4.0 * z[0] + 2.0 * z[1] + 2.0 * z[2] + z[3];
           F[1] = -6.0 + 2.0 * z[0] + 4.0 * z[1] + z[3];
           F[2] = -4.0 + 2.0 * z[0] + 2.0 * z[2] + 2.0 * z[3];
           F[3] = 3.0 - z[0] - z[1] - 2.0 * z[2];
         },
         {0, 0, 0, 0})
      .solutions = {V({4.0 / 3, 7.0 / 9, 4.0 / 9, 2.0 / 9})};
  MixedNcpCase& rosen = to.Add(
      "hs43", "Hock and Schittkowski 43 (Rosen and Suzuki)", 7,
      [](const auto* z, auto* F) {
        const auto *x = z, *l = z + 4;
        F[0] = 2.0 * x[0] - 5.0 + l[0] * (2.0 * x[0] + 1.0) + l[1] * (2.0 * x[0] - 1.0) + l[2] * (4.0 * x[0] + 2.0);
        F[1] = 2.0 * x[1] - 5.0 + l[0] * (2.0 * x[1] - 1.0) + l[1] * 4.0 * x[1] + l[2] * (2.0 * x[1] - 1.0);
        F[2] = 4.0 * x[2] - 21.0 + l[0] * (2.0 * x[2] + 1.0) + l[1] * 2.0 * x[2] + l[2] * 2.0 * x[2];
        F[3] = 2.0 * x[3] + 7.0 + l[0] * (2.0 * x[3] - 1.0) + l[1] * (4.0 * x[3] - 1.0) - l[2];
        F[4] = 8.0 - x[0] * x[0] - x[1] * x[1] - x[2] * x[2] - x[3] * x[3] - x[0] + x[1] - x[2] + x[3];
        F[5] = 10.0 - x[0] * x[0] - 2.0 * x[1] * x[1] - x[2] * x[2] - 2.0 * x[3] * x[3] + x[0] + x[3];
        F[6] = 5.0 - 2.0 * x[0] * x[0] - x[1] * x[1] - x[2] * x[2] - 2.0 * x[0] + x[1] + x[3];
      },
      KktLower(4, 3));
  rosen.solutions = {V({0, 1, 2, -1, 1, 0, 2})};
  MixedNcpCase& hs66 = to.Add("hs66", "Hock and Schittkowski 66", 5,
                              [](const auto* z, auto* F) {
                                using std::exp;
                                F[0] = -0.8 + z[3] * exp(z[0]);
                                F[1] = -z[3] + z[4] * exp(z[1]);
                                F[2] = 0.2 - z[4];
                                F[3] = z[1] - exp(z[0]);
                                F[4] = z[2] - exp(z[1]);
                              },
                              {0, 0, 0, 0, 0}, {100, 100, 10, kInf, kInf});
  hs66.is_solution = [](const Eigen::VectorXd& z) {
    return (z.head(3) - V({0.1841264879, 1.202167873, 3.327322322})).norm() < 1e-7;
  };
  MixedNcpCase& hs71 = to.Add("hs71", "Hock and Schittkowski 71: bounds, an inequality and an equation", 6,
                              [](const auto* z, auto* F) {
                                const auto *x = z, *l = z + 4;
                                F[0] =
                                    x[3] * (2.0 * x[0] + x[1] + x[2]) - l[0] * x[1] * x[2] * x[3] + 2.0 * l[1] * x[0];
                                F[1] = x[0] * x[3] - l[0] * x[0] * x[2] * x[3] + 2.0 * l[1] * x[1];
                                F[2] = x[0] * x[3] + 1.0 - l[0] * x[0] * x[1] * x[3] + 2.0 * l[1] * x[2];
                                F[3] = x[0] * (x[0] + x[1] + x[2]) - l[0] * x[0] * x[1] * x[2] + 2.0 * l[1] * x[3];
                                F[4] = x[0] * x[1] * x[2] * x[3] - 25.0;
                                F[5] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] - 40.0;
                              },
                              {1, 1, 1, 1, 0, -kInf}, {5, 5, 5, 5, kInf, kInf});
  hs71.starts = {V({1, 5, 5, 1, 0, 0}), V({1, 4, 4, 2, 1, 0})};
  hs71.is_solution = [](const Eigen::VectorXd& z) {
    return (z.head(4) - V({1, 4.7429994, 3.8211503, 1.3794082})).norm() < 1e-6;
  };
  MixedNcpCase& hs76 = to.Add(
      "hs76", "Hock and Schittkowski 76", 7,
      [](const auto* z, auto* F) {
        const auto *x = z, *l = z + 4;
        F[0] = 2.0 * x[0] - x[2] - 1.0 + l[0] + 3.0 * l[1];
        F[1] = x[1] - 3.0 + 2.0 * l[0] + l[1] - l[2];
        F[2] = 2.0 * x[2] - x[0] + x[3] + 1.0 + l[0] + 2.0 * l[1] - 4.0 * l[2];
        F[3] = x[3] + x[2] - 1.0 + l[0] - l[1];
        F[4] = 5.0 - x[0] - 2.0 * x[1] - x[2] - x[3];
        F[5] = 4.0 - 3.0 * x[0] - x[1] - 2.0 * x[2] + x[3];
        F[6] = x[1] + 4.0 * x[2] - 1.5;
      },
      std::vector<double>(7, 0.0));
  hs76.is_solution = [](const Eigen::VectorXd& z) {
    return (z.head(4) - V({3.0 / 11, 23.0 / 11, 0, 6.0 / 11})).norm() < 1e-7;
  };
  // The point of the ellipsoid x^2 + 4 y^2 + 9 z^2 <= 1 nearest to (2, 0, 0), and that of the simplex nearest to (1,
  // 0.6, -1).
  to.Add(
        "ellipsoid-projection", "closed form (1, 0, 0), multiplier 1", 4,
        [](const auto* z, auto* F) {
          F[0] = 2.0 * (z[0] - 2.0) + 2.0 * z[3] * z[0];
          F[1] = 2.0 * z[1] + 8.0 * z[3] * z[1];
          F[2] = 2.0 * z[2] + 18.0 * z[3] * z[2];
          F[3] = 1.0 - z[0] * z[0] - 4.0 * z[1] * z[1] - 9.0 * z[2] * z[2];
        },
        KktLower(3, 1))
      .solutions = {V({1, 0, 0, 1})};
  to.Add("simplex-projection", "closed form (0.7, 0.3, 0), multiplier -0.3", 4,
         [](const auto* z, auto* F) {
           F[0] = z[0] - 1.0 - z[3];
           F[1] = z[1] - 0.6 - z[3];
           F[2] = z[2] + 1.0 - z[3];
           F[3] = z[0] + z[1] + z[2] - 1.0;
         },
         {0, 0, 0, -kInf})
      .solutions = {V({0.7, 0.3, 0, -0.3})};
}

}  // namespace

std::vector<MixedNcpCase> MixedNcpCases() {
  Collection collection;
  AddLinear(collection);
  AddNonlinear(collection);
  AddEquations(collection);
  AddOptimization(collection);
  return std::move(collection.cases);
}

}  // namespace ricochet
