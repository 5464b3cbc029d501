// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/mocap/marker_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "math/dense.h"

namespace ricochet {
namespace {

constexpr double kLargestError = 0.010;          // [m] of a marker against the template
constexpr double kLargestRelativeError = 0.05;   // of the body's size
constexpr double kSmallestShareOfMarkers = 0.6;  // that a body keeps when loose ones are left out
constexpr int kRounds = 3;
constexpr std::size_t kFramesOfSearch = 300;  // on which loose markers are looked for

/// The places of some markers, frame by frame, and the rigid template that is fitted to them.
class TemplateFit {
 public:
  /// Fits every `stride`-th frame.
  TemplateFit(const MocapTake& take, const std::string& name, const std::vector<int>& markers, std::size_t stride)
      : take_(take), markers_(markers), stride_(stride) {
    result_.body.name = name;
    result_.markers = markers;
  }

  /// The body, or nothing when markers cannot form one; problem() then says why.
  std::optional<MarkerBody> Fit() {
    if (markers_.size() < 3) {
      problem_ =
          fmt::format("{} marker{} not determine a pose.", markers_.size(), markers_.size() == 1 ? " does" : "s do");
      remedy_ = "Name at least three, or one for a point.";
      return std::nullopt;
    }
    if (!ChooseReference()) return std::nullopt;
    for (int round = 0; round < kRounds; ++round)
      if (!FitFrames()) return std::nullopt;
    return std::move(result_);
  }

  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

 private:
  const Eigen::Vector3d& Place(std::size_t m, std::size_t k) const {
    return take_.markers[static_cast<std::size_t>(markers_[m])].position[k];
  }

  /// The first of the frames that show the most markers gives the first template.
  bool ChooseReference() {
    std::size_t best = 0, most = 0;
    for (std::size_t k = 0; k < take_.time.size(); ++k) {
      std::size_t seen = 0;
      for (std::size_t m = 0; m < markers_.size(); ++m) seen += Place(m, k).allFinite() ? 1 : 0;
      if (seen > most) {
        best = k;
        most = seen;
      }
    }
    if (most < 3) {
      problem_ = "no frame shows three of its markers.";
      remedy_ = "Name markers that are seen at once: set option `body` to NAME=label,label,label.";
      return false;
    }
    template_.assign(markers_.size(), Eigen::Vector3d::Constant(kMissing));
    for (std::size_t m = 0; m < markers_.size(); ++m) template_[m] = Place(m, best);
    return true;
  }

  /// Puts the origin in the mean of the template and measures it.
  bool CenterTemplate() {
    Eigen::Vector3d center = Eigen::Vector3d::Zero();
    double known = 0;
    for (const Eigen::Vector3d& p : template_)
      if (p.allFinite()) {
        center += p;
        known += 1;
      }
    center /= known;
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    for (Eigen::Vector3d& p : template_) {
      p -= center;
      if (p.allFinite()) spread += p * p.transpose();
    }
    result_.size = 0;
    for (const Eigen::Vector3d& p : template_)
      for (const Eigen::Vector3d& other : template_)
        if (const double distance = (p - other).norm(); distance > result_.size) result_.size = distance;
    const Eigen::Vector3d widths = DecomposeSingular(spread).values;
    if (widths[1] > 1e-6 * widths[0]) return true;
    problem_ = "its markers lie in a line, so the rotation about that line is undetermined.";
    remedy_ = "Name a marker off that line.";
    return false;
  }

  /// Poses of all frames for the template, then the template averaged in the frames' axes.
  bool FitFrames() {
    if (!CenterTemplate()) return false;
    const std::size_t frames = take_.time.size(), count = markers_.size();
    result_.body.position.assign(frames, Eigen::Vector3d::Constant(kMissing));
    result_.body.rotation.assign(frames, Quaternion<double>::Constant(kMissing));
    std::vector<Eigen::Vector3d> sum(count, Eigen::Vector3d::Zero());
    std::vector<double> squares(count, 0), fitted(count, 0), seen_in(count, 0);
    Quaternion<double> before = IdentityQuaternion<double>();
    for (std::size_t k = 0; k < frames; k += stride_) {
      std::vector<std::size_t> seen;
      for (std::size_t m = 0; m < count; ++m)
        if (Place(m, k).allFinite() && template_[m].allFinite()) seen.push_back(m);
      if (seen.size() < 3) continue;
      Eigen::Vector3d mean = Eigen::Vector3d::Zero(), mean_template = Eigen::Vector3d::Zero();
      for (const std::size_t m : seen) {
        mean += Place(m, k) / static_cast<double>(seen.size());
        mean_template += template_[m] / static_cast<double>(seen.size());
      }
      Eigen::Matrix3d cross = Eigen::Matrix3d::Zero();
      for (const std::size_t m : seen) cross += (Place(m, k) - mean) * (template_[m] - mean_template).transpose();
      const SingularDecomposition svd = DecomposeSingular(cross);
      if (!(svd.values[1] > 1e-9 * svd.values[0])) continue;
      const double sign = Eigen::Matrix3d(svd.U * svd.V.transpose()).determinant() < 0 ? -1 : 1;
      const Eigen::Matrix3d R = svd.U * Eigen::Vector3d(1, 1, sign).asDiagonal() * svd.V.transpose();
      Quaternion<double> q = QuaternionFromMatrix<double>(R);
      if (q.dot(before) < 0) q = -q;
      before = q;
      result_.body.rotation[k] = q;
      result_.body.position[k] = mean - R * mean_template;
      for (std::size_t m = 0; m < count; ++m) {
        if (!Place(m, k).allFinite()) continue;
        const Eigen::Vector3d in_body = R.transpose() * (Place(m, k) - result_.body.position[k]);
        sum[m] += in_body;
        seen_in[m] += 1;
        if (!template_[m].allFinite()) continue;
        squares[m] += (in_body - template_[m]).squaredNorm();
        fitted[m] += 1;
      }
    }
    result_.error.assign(count, 0);
    for (std::size_t m = 0; m < count; ++m) {
      if (fitted[m] > 0) result_.error[m] = std::sqrt(squares[m] / fitted[m]);
      if (seen_in[m] > 0) template_[m] = sum[m] / seen_in[m];
    }
    return true;
  }

  const MocapTake& take_;
  const std::vector<int>& markers_;
  std::size_t stride_;
  std::vector<Eigen::Vector3d> template_;  // NaN: not known yet
  MarkerBody result_;
  std::string problem_, remedy_;
};

std::optional<MarkerBody> WithLimit(std::optional<MarkerBody> fit, double meters_per_unit) {
  if (fit) fit->limit = std::min(kLargestError / meters_per_unit, kLargestRelativeError * fit->size);
  return fit;
}

}  // namespace

bool MarkerBody::IsRigid() const {
  return std::all_of(error.begin(), error.end(), [&](double e) { return e <= limit; });
}

double MarkerBody::Movement() const {
  double farthest = 0;
  std::size_t first = body.position.size();
  for (std::size_t k = 0; k < body.position.size(); ++k) {
    if (!body.position[k].allFinite()) continue;
    first = std::min(first, k);
    const double turn = 2 * std::acos(std::min(1.0, std::abs(body.rotation[k].dot(body.rotation[first]))));
    farthest = std::max(farthest, (body.position[k] - body.position[first]).norm() + 0.5 * size * turn);
  }
  return farthest;
}

double MarkerBody::RmsError() const {
  double squares = 0;
  for (const double e : error) squares += e * e;
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, error.size())));
}

MarkerBody FitMarkers(const MocapTake& take, const std::string& name, const std::vector<int>& markers,
                      double meters_per_unit) {
  TemplateFit fit(take, name, markers, 1);
  std::optional<MarkerBody> result = WithLimit(fit.Fit(), meters_per_unit);
  if (!result) throw InputError({take.file, 0, 0}, "body " + name, fit.problem(), fit.remedy());
  return *std::move(result);
}

std::optional<MarkerBody> FindRigidBody(const MocapTake& take, const std::string& name, const std::vector<int>& markers,
                                        double meters_per_unit) {
  std::vector<int> kept = markers;
  const double fewest = std::max(3.0, kSmallestShareOfMarkers * static_cast<double>(markers.size()));
  const std::size_t stride = std::max<std::size_t>(1, take.time.size() / kFramesOfSearch);
  while (static_cast<double>(kept.size()) >= fewest) {
    std::optional<MarkerBody> fit = WithLimit(TemplateFit(take, name, kept, stride).Fit(), meters_per_unit);
    if (fit && fit->IsRigid() && stride > 1) fit = WithLimit(TemplateFit(take, name, kept, 1).Fit(), meters_per_unit);
    if (!fit) return std::nullopt;
    if (fit->IsRigid()) return fit;
    kept.erase(kept.begin() + (std::max_element(fit->error.begin(), fit->error.end()) - fit->error.begin()));
  }
  return std::nullopt;
}

std::string DescribeMarkers(const MocapTake& take, const MarkerBody& body) {
  std::vector<std::string> parts;
  for (std::size_t m = 0; m < body.markers.size(); ++m)
    parts.push_back(fmt::format("{} ({:.2g} {})", take.markers[static_cast<std::size_t>(body.markers[m])].name,
                                body.error[m], take.unit.empty() ? "units" : take.unit));
  return JoinList(parts);
}

}  // namespace ricochet
