// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/mass_properties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "math/so3.h"
#include "tests/support/derivative_check.h"
#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Numbers = std::vector<double>;

PlanarMassProperties<double> Planar(ShapeType type, const Numbers& numbers) {
  return UniformPlanar<double>(type, numbers);
}
SpatialMassProperties<double> Spatial(ShapeType type, const Numbers& numbers) {
  return UniformSpatial<double>(type, numbers);
}

// Midpoint rule over a cube of half width `reach` for a solid given by a predicate: volume, centroid and inertia
// straight from their definitions, to a few parts in a thousand.
SpatialMassProperties<double> ByCounting(const std::function<bool(const Vector3d&)>& inside, double reach) {
  constexpr int kCells = 200;
  double count = 0;
  Vector3d first = Vector3d::Zero();
  Matrix3d second = Matrix3d::Zero();
  for (int i = 0; i < kCells; ++i) {
    for (int j = 0; j < kCells; ++j) {
      for (int k = 0; k < kCells; ++k) {
        const Vector3d x = reach * ((Vector3d(i, j, k) + Vector3d::Constant(0.5)) * (2.0 / kCells) - Vector3d::Ones());
        if (!inside(x)) continue;
        count += 1;
        first += x;
        second += x * x.transpose();
      }
    }
  }
  SpatialMassProperties<double> result;
  result.volume = count * std::pow(2 * reach / kCells, 3);
  result.centroid = first / count;
  const Matrix3d C = second / count - result.centroid * result.centroid.transpose();
  result.inertia_per_mass = C.trace() * Matrix3d::Identity() - C;
  return result;
}

void ExpectNear(const SpatialMassProperties<double>& a, const SpatialMassProperties<double>& b, double tolerance) {
  EXPECT_NEAR(a.volume, b.volume, tolerance * b.volume);
  const double length = std::cbrt(b.volume);
  EXPECT_LT((a.centroid - b.centroid).norm(), tolerance * length);
  EXPECT_LT((a.inertia_per_mass - b.inertia_per_mass).norm(), tolerance * b.inertia_per_mass.norm());
}

TEST(MassPropertiesTest, RoundSolidsAgreeWithCounting) {
  const Vector3d axes(0.9, 0.5, 0.7);
  ExpectNear(Spatial(ShapeType::kEllipsoid, {0.9, 0.5, 0.7}),
             ByCounting([&](const Vector3d& x) { return x.cwiseQuotient(axes).norm() < 1; }, 1.0), 5e-3);
  ExpectNear(Spatial(ShapeType::kSphere, {0.8}), ByCounting([&](const Vector3d& x) { return x.norm() < 0.8; }, 1.0),
             5e-3);
  const Vector3d axis = Vector3d(1, -2, 0.5);
  ExpectNear(Spatial(ShapeType::kCylinder, {0.4, 1.2, axis[0], axis[1], axis[2]}),
             ByCounting(
                 [&](const Vector3d& x) {
                   const double along = x.dot(axis.normalized());
                   return std::abs(along) < 0.6 && (x - along * axis.normalized()).norm() < 0.4;
                 },
                 1.0),
             5e-3);
}

TEST(MassPropertiesTest, CylinderHasTheTextbookMomentsAboutEachAxis) {
  const double r = 0.3, l = 1.1, along = r * r / 2, across = (3 * r * r + l * l) / 12;
  for (int k = 0; k < 3; ++k) {
    Numbers numbers = {r, l, 0, 0, 0};
    numbers[2 + k] = 2.5;  // the length of the axis does not matter
    Vector3d expected = Vector3d::Constant(across);
    expected[k] = along;
    EXPECT_LT((Spatial(ShapeType::kCylinder, numbers).inertia_per_mass - Matrix3d(expected.asDiagonal())).norm(),
              1e-16);
  }
}

Numbers BoxVertices(const Vector3d& size, const Matrix3d& R, const Vector3d& shift) {
  Numbers numbers;
  for (int i = 0; i < 8; ++i) {
    const Vector3d corner(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
    const Vector3d p = shift + R * corner.cwiseProduct(size);
    numbers.insert(numbers.end(), p.data(), p.data() + 3);
  }
  return numbers;
}

TEST(MassPropertiesTest, PolytopeOfABoxIsTheBoxTurnedAndMoved) {
  RandomVectors random(1);
  const Vector3d size(0.117, 0.111, 0.079);
  const auto box = Spatial(ShapeType::kBox, {size[0], size[1], size[2]});
  for (int i = 0; i < 30; ++i) {
    const Matrix3d R = RotationMatrix<double>(random.Rotation());
    const Vector3d shift = random.Vector<3>();
    SpatialMassProperties<double> expected = box;
    expected.centroid = shift;
    expected.inertia_per_mass = R * box.inertia_per_mass * R.transpose();
    ExpectNear(Spatial(ShapeType::kPolytope, BoxVertices(size, R, shift)), expected, 5e-14);
  }
}

TEST(MassPropertiesTest, TetrahedronFromTheSimplexIntegral) {
  // Corners 0, e_x, e_y, e_z: integral of x^2 = 1/60, of x y = 1/120, of x = 1/24, of 1 = 1/6.
  const auto unit = Spatial(ShapeType::kPolytope, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
  EXPECT_NEAR(unit.volume, 1.0 / 6, 1e-16);
  EXPECT_LT((unit.centroid - Vector3d::Constant(0.25)).norm(), 1e-16);
  const double square = 0.1 - 1.0 / 16, product = 0.05 - 1.0 / 16;
  Matrix3d expected = Matrix3d::Constant(-product);
  expected.diagonal().setConstant(2 * square);
  EXPECT_LT((unit.inertia_per_mass - expected).norm(), 1e-15);
}

TEST(MassPropertiesTest, PlanarShapes) {
  const auto ellipse = Planar(ShapeType::kEllipse, {0.07, 0.05});
  EXPECT_NEAR(ellipse.area, std::numbers::pi * 0.07 * 0.05, 1e-17);
  EXPECT_NEAR(ellipse.inertia_per_mass, (0.07 * 0.07 + 0.05 * 0.05) / 4, 1e-18);
  const auto circle = Planar(ShapeType::kCircle, {0.3}), round = Planar(ShapeType::kEllipse, {0.3, 0.3});
  EXPECT_NEAR(circle.area, round.area, 1e-16);
  EXPECT_NEAR(circle.inertia_per_mass, round.inertia_per_mass, 1e-17);

  // A rectangle as a polygon, turned and far from the origin.
  const auto rectangle = Planar(ShapeType::kRectangle, {0.8, 0.3});
  const double c = std::cos(0.7), s = std::sin(0.7);
  Numbers polygon;
  for (const auto& [x, y] : {std::pair(-0.4, -0.15), {0.4, -0.15}, {0.4, 0.15}, {-0.4, 0.15}}) {
    polygon.push_back(10 + c * x - s * y);
    polygon.push_back(-7 + s * x + c * y);
  }
  const auto moved = Planar(ShapeType::kPolygon, polygon);
  EXPECT_NEAR(moved.area, rectangle.area, 2e-14);
  EXPECT_LT((moved.centroid - Eigen::Vector2d(10, -7)).norm(), 1e-14);
  EXPECT_NEAR(moved.inertia_per_mass, rectangle.inertia_per_mass, 2e-14);

  // A triangle: inertia per mass about the centroid is the sum of the squared sides over 36.
  const auto triangle = Planar(ShapeType::kPolygon, {0, 0, 2, 0, 0.5, 1.5});
  EXPECT_NEAR(triangle.area, 1.5, 1e-15);
  EXPECT_NEAR(triangle.inertia_per_mass, (4 + (1.5 * 1.5 + 1.5 * 1.5) + (0.25 + 2.25)) / 36, 1e-15);
}

TEST(MassPropertiesTest, ManySidesApproachTheCircle) {
  constexpr int kSides = 360;
  Numbers polygon;
  for (int i = 0; i < kSides; ++i) {
    polygon.push_back(std::cos(2 * std::numbers::pi * i / kSides));
    polygon.push_back(std::sin(2 * std::numbers::pi * i / kSides));
  }
  const auto result = Planar(ShapeType::kPolygon, polygon);
  // Exact for a regular polygon of circumradius 1: (2 + cos(2 pi / n)) / 6.
  EXPECT_NEAR(result.inertia_per_mass, (2 + std::cos(2 * std::numbers::pi / kSides)) / 6, 1e-14);
  EXPECT_LT(result.centroid.norm(), 1e-15);
}

TEST(MassPropertiesTest, NoVolumeGivesZerosNotNonsense) {
  EXPECT_EQ(Spatial(ShapeType::kPolytope, {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}).volume, 0);
  EXPECT_EQ(Planar(ShapeType::kPolygon, {0, 0, 1, 0, 2, 0}).inertia_per_mass, 0);
}

// Volume, centroid and inertia by Jets against differences, for every shape. One Jet size for all compiles faster.
void ExpectDerivatives(ShapeType type, const Eigen::VectorXd& numbers) {
  constexpr int kMost = 15;
  const int n = static_cast<int>(numbers.size());
  const auto flatten = []<class T>(const SpatialMassProperties<T>& m) {
    Eigen::Matrix<T, 13, 1> all;
    all << m.volume, m.centroid, m.inertia_per_mass.col(0), m.inertia_per_mass.col(1), m.inertia_per_mass.col(2);
    return all;
  };
  const auto f = [&](const Eigen::VectorXd& x) {
    return Eigen::VectorXd(flatten(UniformSpatial<double>(type, std::span<const double>(x.data(), n))));
  };
  std::vector<Jet<kMost>> x;
  for (int i = 0; i < n; ++i) x.push_back(Jet<kMost>::Variable(numbers[i], i));
  const auto jets = flatten(UniformSpatial<Jet<kMost>>(type, x));
  EXPECT_TRUE(IsJacobian(JacobianOf(jets).leftCols(n).eval(), f, numbers, {.tolerance = 1e-11}));
}

TEST(MassPropertiesTest, JetsCarryDerivatives) {
  ExpectDerivatives(ShapeType::kBox, Vector3d(0.4, 0.5, 0.6));
  ExpectDerivatives(ShapeType::kSphere, Eigen::VectorXd::Constant(1, 0.7));
  ExpectDerivatives(ShapeType::kEllipsoid, Vector3d(0.4, 0.5, 0.6));
  Eigen::Matrix<double, 5, 1> cylinder;
  cylinder << 0.3, 0.8, 0.2, -0.4, 1.1;
  ExpectDerivatives(ShapeType::kCylinder, cylinder);
  Eigen::Matrix<double, 15, 1> polytope;  // a pyramid over a triangle and one below: only triangles, so faces stay
  polytope << 1, 0, 0, -0.6, 0.9, 0, -0.5, -0.8, 0.1, 0.1, 0, 1.2, 0, 0.1, -0.9;
  ExpectDerivatives(ShapeType::kPolytope, polytope);

  const Eigen::Matrix<double, 8, 1> polygon =
      (Eigen::Matrix<double, 8, 1>() << 0, 0, 1, 0.1, 1.2, 1, -0.2, 0.8).finished();
  const auto f = [](const Eigen::Matrix<double, 8, 1>& x) {
    const auto m = UniformPlanar<double>(ShapeType::kPolygon, std::span<const double>(x.data(), 8));
    return Eigen::Vector4d(m.area, m.centroid.x(), m.centroid.y(), m.inertia_per_mass);
  };
  const Eigen::Matrix<Jet<8>, 8, 1> x = SeedVariables<8>(polygon);
  const auto m = UniformPlanar<Jet<8>>(ShapeType::kPolygon, std::span<const Jet<8>>(x.data(), 8));
  const Eigen::Matrix<Jet<8>, 4, 1> y(m.area, m.centroid.x(), m.centroid.y(), m.inertia_per_mass);
  EXPECT_TRUE(IsJacobian(JacobianOf(y), f, polygon, {.tolerance = 1e-12}));
}

}  // namespace
}  // namespace ricochet
