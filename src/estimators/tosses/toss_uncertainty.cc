// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_uncertainty.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "estimators/tosses/impact_likelihood.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kVague = 3;        // a number known to no better than this many of its sizes counts as not known,
constexpr double kRounding = 1e-9;  // relative change of a cost that is none
constexpr double kOfTheBox = 0.7;   // and one whose deviation is that part of what any value of the search's box has

}  // namespace

bool IsToldByTosses(const SpatialFamily& family, const Eigen::VectorXd& params, const Eigen::MatrixXd& covariance,
                    int i) {
  const double deviation = std::sqrt(covariance(i, i));
  if (!(deviation < kVague * std::max(family.scale()[i], std::abs(params[i])))) return false;
  const SearchBox box = MakeSearchBox(family);
  if (box.logarithmic[static_cast<std::size_t>(i)]) return true;
  return deviation < kOfTheBox * (box.upper[i] - box.lower[i]) / std::sqrt(12.0);
}

void MarkThoseWithoutEffect(const SpatialFamily& family, const TossCosts& costs, int tosses,
                            const Eigen::VectorXd& params, Eigen::MatrixXd& covariance) {
  const SearchBox box = MakeSearchBox(family);
  std::vector<Eigen::VectorXd> points = {params};
  for (int i = 0; i < family.size(); ++i)
    for (const double end : {box.lower[i], box.upper[i]}) {
      points.push_back(params);
      points.back()[i] = end;
    }
  std::vector<int> all(static_cast<std::size_t>(tosses));
  std::iota(all.begin(), all.end(), 0);
  const Eigen::MatrixXd values = costs(points, all);
  for (int i = 0; i < family.size(); ++i) {
    bool moves = false;
    for (Eigen::Index k = 0; k < values.cols() && !moves; ++k)
      for (const Eigen::Index at : {1 + 2 * i, 2 + 2 * i})
        moves = moves || !(std::abs(values(at, k) - values(0, k)) <= kRounding * std::abs(values(0, k)));
    if (moves) continue;
    covariance.row(i).setZero();
    covariance.col(i).setZero();
    covariance(i, i) = std::numeric_limits<double>::infinity();
  }
}

void TakeTossBootstrap(const IdentifyRequest& request, const SpatialFamily& family, const Eigen::VectorXd& params,
                       const BootstrapResult& repeated, std::string_view kind, Eigen::MatrixXd& covariance,
                       Estimate& estimate) {
  const Eigen::MatrixXd before = covariance;
  TakeBootstrap(request.options, repeated, covariance, estimate, kind);
  for (int i = 0; i < family.size(); ++i) {
    if (IsToldByTosses(family, params, before, i)) continue;
    covariance.row(i) = before.row(i);
    covariance.col(i) = before.col(i);
  }
}

BootstrapResult RepeatImpacts(const IdentifyRequest& request, const SpatialFamily& family, const TossSet& set,
                              const Eigen::VectorXd& params) {
  return BootstrapRecordings(request.options, family.size(), static_cast<int>(set.used().size()), family.size(),
                             [&](int /*k*/, const std::vector<int>& drawn, Eigen::VectorXd& again) {
                               const ImpactRefit refit = RefitImpacts(family, set, drawn, params);
                               again = refit.params;
                               return refit.converged;
                             });
}

BootstrapResult RepeatLikelihood(const IdentifyRequest& request, const TossLikelihoodResult& fit) {
  // Every number is a mean of its own over the tosses.
  return BootstrapRecordings(request.options, static_cast<int>(fit.params.size()), static_cast<int>(fit.told.size()), 1,
                             [&](int /*k*/, const std::vector<int>& drawn, Eigen::VectorXd& params) {
                               std::vector<TossStatement> told;
                               told.reserve(drawn.size());
                               for (const int i : drawn) told.push_back(fit.told[static_cast<std::size_t>(i)]);
                               params = CombineTosses(told);
                               return params.allFinite();
                             });
}

BootstrapResult RepeatSearch(const IdentifyRequest& request, const SpatialFamily& family, const TossSet& set,
                             const TossMinimum& found) {
  const int count = static_cast<int>(set.used().size());
  return BootstrapRecordings(
      request.options, family.size(), count, family.size(),
      [&](int k, const std::vector<int>& drawn, Eigen::VectorXd& params) {
        std::vector<int> distinct, place;  // of each drawn toss among the distinct ones
        for (const int i : drawn) {
          if (distinct.empty() || distinct.back() != i) distinct.push_back(i);
          place.push_back(static_cast<int>(distinct.size()) - 1);
        }
        TossSearchOptions local;
        local.global = false;
        local.start = found.params;
        local.seed = request.options.seed + 1 + static_cast<std::uint64_t>(k);
        const auto costs = [&](const std::vector<Eigen::VectorXd>& points, const std::vector<int>& tosses) {
          const Eigen::MatrixXd own = set.TrajectoryCosts(points, distinct);
          Eigen::MatrixXd out(own.rows(), static_cast<Eigen::Index>(tosses.size()));
          for (std::size_t t = 0; t < tosses.size(); ++t)
            out.col(static_cast<Eigen::Index>(t)) = own.col(place[static_cast<std::size_t>(tosses[t])]);
          return out;
        };
        const TossMinimum again = MinimiseTossCost(family, costs, count, local);
        params = again.params;
        return std::isfinite(again.cost);
      });
}

ProfileTask BeginTossProfile(const SpatialFamily& family, const Eigen::VectorXd& params,
                             const Eigen::MatrixXd& covariance, int i) {
  const SelectedParameter& selected = family.wanted()[static_cast<std::size_t>(i)];
  const SearchBox box = MakeSearchBox(family);
  ProfileTask task;
  task.path = selected.path;
  task.unit = UnitOf(family.scene(), selected);
  task.value = params[i];
  task.deviation = std::sqrt(covariance(i, i));
  task.size = family.scale()[i];
  task.lower = box.lower[i];
  task.upper = box.upper[i];
  return task;
}

EstimatedProfile ProfileOfCost(const SpatialFamily& family, const TossCosts& costs, int tosses,
                               const Eigen::VectorXd& params, const Eigen::MatrixXd& covariance, int i,
                               std::uint64_t seed) {
  ProfileTask task = BeginTossProfile(family, params, covariance, i);
  task.allowance = std::pow(StudentFactor(tosses - family.size()), 2);
  task.fit = [&](double value, const Eigen::VectorXd& start) {
    HeldFit held{{}, start.size() > 0 ? start : params};
    held.solution[i] = value;
    held.costs = MinimiseOtherNumbers(family, costs, tosses, i, seed, held.solution);
    return held;
  };
  return MakeProfile(task);
}

}  // namespace ricochet
