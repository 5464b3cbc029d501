// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/covariance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/dense.h"

namespace ricochet {
namespace {

constexpr double kLocalRank = 1e-10;  // relative, below which a direction of local parameters has no effect

}  // namespace

ParameterInformation AnalyzeInformation(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& scale, double tolerance,
                                        double least) {
  const Eigen::Index n = jacobian.cols();
  ParameterInformation out;
  const Eigen::MatrixXd scaled = jacobian * scale.asDiagonal();
  // The decomposition of a tall matrix: first reduce it to its triangular factor.
  const SingularDecomposition svd = DecomposeSingular(scaled);
  out.singular_values = Eigen::VectorXd::Zero(n);
  out.singular_values.head(svd.values.size()) = svd.values;
  const double largest = out.singular_values.size() > 0 ? out.singular_values[0] : 0.0;
  for (Eigen::Index i = 0; i < n; ++i)
    if (out.singular_values[i] > std::max(tolerance * largest, least) && largest > 0) ++out.rank;
  out.null_space = svd.V.rightCols(n - out.rank);
  for (Eigen::Index c = 0; c < out.null_space.cols(); ++c) {
    Eigen::Index at = 0;
    out.null_space.col(c).cwiseAbs().maxCoeff(&at);
    out.null_space.col(c) /= out.null_space(at, c);
  }
  out.determined.assign(static_cast<std::size_t>(n), true);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index c = 0; c < out.null_space.cols(); ++c)
      if (std::abs(out.null_space(i, c)) > 1e-4) out.determined[static_cast<std::size_t>(i)] = false;
  const Eigen::MatrixXd v = scale.asDiagonal() * svd.V.leftCols(out.rank);
  const Eigen::VectorXd inverse = out.singular_values.head(out.rank).cwiseInverse().cwiseAbs2();
  out.covariance = v * inverse.asDiagonal() * v.transpose();
  for (Eigen::Index i = 0; i < n; ++i) {
    if (out.determined[static_cast<std::size_t>(i)]) continue;
    out.covariance.row(i).setConstant(std::numeric_limits<double>::quiet_NaN());
    out.covariance.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  return out;
}

Eigen::MatrixXd BehindLocal(const Eigen::MatrixXd& by_local, const Eigen::MatrixXd& by_common) {
  if (by_local.cols() == 0 || by_local.rows() == 0) return by_common;
  Eigen::MatrixXd local = by_local;
  for (Eigen::Index i = 0; i < local.cols(); ++i)
    if (const double norm = local.col(i).norm(); norm > 0) local.col(i) /= norm;
  return BehindColumns(local, by_common, kLocalRank);
}

Eigen::MatrixXd EliminateLocal(const Eigen::MatrixXd& by_local, const Eigen::MatrixXd& by_common) {
  const Eigen::MatrixXd rest = BehindLocal(by_local, by_common);
  return rest.rows() > rest.cols() ? TriangularFactor(rest) : rest;
}

ArrowInformation AnalyzeArrow(const std::vector<BlockJacobian>& blocks, const Eigen::VectorXd& common_scale,
                              double tolerance) {
  const Eigen::Index p = common_scale.size();
  ArrowInformation out;
  std::vector<Eigen::MatrixXd> reduced;
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(p);
  for (const BlockJacobian& block : blocks) {
    const Eigen::Index m = block.by_local.cols();
    out.local.push_back(AnalyzeInformation(block.by_local, Eigen::VectorXd::Ones(m), kLocalRank));
    out.follow.push_back(p > 0 ? -SolveLeastNorm(block.by_local, block.by_common, kLocalRank) : Eigen::MatrixXd(m, 0));
    const Eigen::MatrixXd& rest = out.rest.emplace_back(block.by_common + block.by_local * out.follow.back());
    if (p > 0) reduced.push_back(rest.rows() > p ? TriangularFactor(rest) : rest);
    squares += block.by_common.colwise().squaredNorm().transpose();
  }
  if (p == 0) return out;
  const double largest = squares.cwiseSqrt().cwiseProduct(common_scale).maxCoeff();
  out.common = AnalyzeInformation(StackRows(reduced, p), common_scale, tolerance, tolerance * largest);
  return out;
}

void EnlargeTo(const Eigen::VectorXd& least_std, Eigen::MatrixXd& covariance) {
  Eigen::VectorXd factor = Eigen::VectorXd::Ones(covariance.rows());
  for (Eigen::Index i = 0; i < factor.size(); ++i)
    if (const double std = std::sqrt(covariance(i, i)); std > 0 && least_std[i] > std && std::isfinite(least_std[i]))
      factor[i] = least_std[i] / std;
  covariance = factor.asDiagonal() * covariance * factor.asDiagonal();
}

Eigen::MatrixXd StackRows(const std::vector<Eigen::MatrixXd>& parts, Eigen::Index columns) {
  Eigen::Index rows = 0;
  for (const Eigen::MatrixXd& part : parts) rows += part.rows();
  Eigen::MatrixXd out(rows, columns);
  rows = 0;
  for (const Eigen::MatrixXd& part : parts) {
    if (part.rows() > 0) out.middleRows(rows, part.rows()) = part;
    rows += part.rows();
  }
  return out;
}

std::string DescribeNullSpace(const ParameterInformation& information, const std::vector<std::string>& names) {
  std::string text;
  for (Eigen::Index c = 0; c < information.null_space.cols(); ++c) {
    std::vector<Eigen::Index> parts;
    for (Eigen::Index i = 0; i < information.null_space.rows(); ++i)
      if (std::abs(information.null_space(i, c)) > 1e-4) parts.push_back(i);
    if (!text.empty()) text += "; ";
    if (parts.size() == 1) {
      text += fmt::format("{} has no effect on the recorded motion", names[static_cast<std::size_t>(parts[0])]);
      continue;
    }
    const double first = information.null_space(parts[0], c);
    bool equal = true;
    for (const Eigen::Index i : parts)
      equal = equal && std::abs(information.null_space(i, c) - first) < 1e-3 * std::abs(first);
    if (equal && parts.size() == 2) {
      text += fmt::format("only {} / {} is identifiable", names[static_cast<std::size_t>(parts[1])],
                          names[static_cast<std::size_t>(parts[0])]);
      continue;
    }
    if (equal) {
      text += "only the ratios of ";
      for (std::size_t k = 0; k < parts.size(); ++k)
        text += (k == 0 ? "" : k + 1 == parts.size() ? " and " : ", ") + names[static_cast<std::size_t>(parts[k])];
      text += " are identifiable";
      continue;
    }
    text += "a common change of ";
    for (std::size_t k = 0; k < parts.size(); ++k)
      text += fmt::format("{}{} by {:+.3g} %",
                          k == 0                  ? ""
                          : k + 1 == parts.size() ? " and "
                                                  : ", ",
                          names[static_cast<std::size_t>(parts[k])], information.null_space(parts[k], c));
    text += " does not change the motion";
  }
  return text;
}

}  // namespace ricochet
