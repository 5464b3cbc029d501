// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/simplex.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ricochet {
namespace {

using Vertex = std::pair<double, Eigen::VectorXd>;

Eigen::VectorXd IntoBox(const Eigen::VectorXd& x) { return x.cwiseMax(0.0).cwiseMin(1.0); }

double Worst(double value) { return std::isnan(value) ? std::numeric_limits<double>::infinity() : value; }

}  // namespace

SimplexResult MinimizeBySimplex(const BatchFunction& function, const Eigen::VectorXd& start,
                                const SimplexOptions& options) {
  const Eigen::Index n = start.size();
  SimplexResult out;
  std::vector<Eigen::VectorXd> points = {IntoBox(start)};
  for (Eigen::Index i = 0; i < n; ++i) {
    // Away from the nearer edge of the box.
    points.push_back(points.front());
    points.back()[i] += points.front()[i] < 0.5 ? options.size : -options.size;
  }
  std::vector<Vertex> simplex;
  const std::vector<double> values = function(points);
  out.evaluations = static_cast<int>(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) simplex.emplace_back(Worst(values[i]), points[i]);
  const auto by_value = [](const Vertex& a, const Vertex& b) { return a.first < b.first; };
  const auto at = [&](const Eigen::VectorXd& x) {
    ++out.evaluations;
    const Eigen::VectorXd inside = IntoBox(x);
    return Vertex(Worst(function({inside}).front()), inside);
  };
  for (;;) {
    std::stable_sort(simplex.begin(), simplex.end(), by_value);
    double extent = 0;
    for (const Vertex& vertex : simplex)
      extent = std::max(extent, (vertex.second - simplex.front().second).cwiseAbs().maxCoeff());
    out.converged = extent < options.tolerance;
    if (out.converged || out.evaluations >= options.evaluations) break;
    Eigen::VectorXd center = Eigen::VectorXd::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i) center += simplex[static_cast<std::size_t>(i)].second / static_cast<double>(n);
    Vertex& last = simplex.back();
    const Eigen::VectorXd away = center - last.second;
    const Vertex reflected = at(center + away);
    if (reflected.first < simplex.front().first) {
      const Vertex expanded = at(center + 2 * away);
      last = expanded.first < reflected.first ? expanded : reflected;
    } else if (reflected.first < simplex[static_cast<std::size_t>(n - 1)].first) {
      last = reflected;
    } else {
      const bool outside = reflected.first < last.first;
      const Vertex contracted = at(center + (outside ? 0.5 : -0.5) * away);
      if (contracted.first < std::min(last.first, reflected.first)) {
        last = contracted;
      } else {
        std::vector<Eigen::VectorXd> shrunk;
        for (std::size_t i = 1; i < simplex.size(); ++i)
          shrunk.emplace_back(0.5 * (simplex[i].second + simplex.front().second));
        const std::vector<double> found = function(shrunk);
        out.evaluations += static_cast<int>(shrunk.size());
        for (std::size_t i = 1; i < simplex.size(); ++i) simplex[i] = {Worst(found[i - 1]), shrunk[i - 1]};
      }
    }
  }
  out.best = simplex.front().second;
  out.value = simplex.front().first;
  return out;
}

}  // namespace ricochet
