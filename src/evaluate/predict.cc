// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rollouts from starts drawn from the fit of the flight, with numbers drawn from the estimate's covariance and
// friction and restitution scattered between tosses. What a right model would leave is then widened to what recordings
// that show their rest need: the scatter's scale by the likelihood of their rest positions and faces, the region's size
// by the quantile of their distances (split conformal prediction: Lei et al. 2018). Folds check it on recordings left
// out.
#include "ricochet/predict.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/atomic_file.h"
#include "core/context.h"
#include "core/progress/progress.h"
#include "core/random.h"
#include "core/threads.h"
#include "estimators/tosses/toss_rollout.h"
#include "evaluate/toss_model.h"
#include "math/dense.h"
#include "model/parameter_map.h"
#include "result/estimated_value.h"
#include "ricochet/error.h"
#include "ricochet/parameter.h"

namespace ricochet {
namespace {

using Json = nlohmann::ordered_json;
using Vector12 = Eigen::Matrix<double, 12, 1>;

constexpr double kScales[] = {0, 0.5, 1, 2};  // of the scatter between tosses that are tried
constexpr double kFrictionScatter = 0.15;     // relative, at scale 1
constexpr double kRestitutionScatter = 0.08;  // at scale 1
constexpr double kFaceFloor = 0.02;           // least probability of a face that rollouts never end on, shared
constexpr double kLeastSpread = 1e-4;         // [m]

/// Rest poses of the rollouts of one toss.
struct Cloud {
  std::vector<Eigen::Vector2d> position;
  std::vector<int> face;
};

/// A toss and its clouds, one per scale of the scatter.
struct PredictedToss {
  PreparedToss toss;
  std::vector<Cloud> clouds;
  bool rests = false;
  Eigen::Vector2d recorded = Eigen::Vector2d::Zero();
  int recorded_face = -1;
};

/// Face of a box that is up: 0 .. 5 for +x, -x, +y, -y, +z, -z. Other shapes: the axis of the frame nearest to up.
int FaceUp(const SpatialPose<double>& pose, const Eigen::Vector3d& normal) {
  const Eigen::Vector3d up = RotationMatrix<double>(pose.tail<4>()).transpose() * normal;
  Eigen::Index axis = 0;
  up.cwiseAbs().maxCoeff(&axis);
  return 2 * static_cast<int>(axis) + (up[axis] < 0 ? 1 : 0);
}

std::string FaceName(int face) {
  const std::string axis(1, static_cast<char>('x' + face / 2));
  return (face % 2 ? "-" : "+") + axis;
}

/// Parameters that the estimate has values and standard deviations of, about the scene's values.
class DrawnParameters {
 public:
  DrawnParameters(const Scene& scene, const Estimate& estimate) {
    std::vector<Eigen::Index> known;
    std::vector<SelectedParameter> selected;
    for (std::size_t i = 0; i < estimate.parameters.size(); ++i) {
      const EstimatedParameter& parameter = estimate.parameters[i];
      if (!parameter.value || !parameter.std) continue;
      known.push_back(static_cast<Eigen::Index>(i));
      selected.push_back(TargetOf(scene, parameter));
    }
    map_ = ParameterMap(scene, std::move(selected));
    if (!known.empty()) root_ = EigenOfSymmetric(estimate.covariance(known, known)).Root();
  }

  /// One draw. Values beyond their bounds are at them; where no body has the inertia that was drawn, the draw is taken
  /// along the charts, on which every inertia is possible.
  Scene Draw(Random& random) const {
    Eigen::VectorXd z(map_.size());
    for (double& each : z) each = random.Normal();
    if (z.size() == 0) return map_.scene();
    const Eigen::VectorXd step = root_ * z;
    if (std::optional<Scene> drawn = map_.TryApply(map_.Clamp(map_.start() + step))) return *std::move(drawn);
    return map_.TryApply(map_.Clamp(map_.Move(map_.start(), step))).value_or(map_.scene());
  }

 private:
  ParameterMap map_;
  Eigen::MatrixXd root_;
};

/// Numbers of the scene, drawn: the estimate's covariance, and the scatter between tosses.
std::vector<Model> DrawModels(const Scene& scene, const Estimate& estimate, double scale,
                              const PredictOptions& options) {
  const DrawnParameters parameters(scene, estimate);
  std::vector<Model> models;
  Random random(CurrentContext().seed, 0x9ed1c7);
  for (int j = 0; j < options.samples; ++j) {
    Scene drawn = parameters.Draw(random);
    const double friction = random.Normal(), restitution = random.Normal();
    const auto set = [&](NumberId id, double value) {
      const ParameterInfo& info = InfoOf(drawn.number(id).quantity);
      value = std::clamp(value, info.lower, info.upper);
      if (IsAllowed(drawn.number(id).quantity, value)) drawn.Set(id, value);
    };
    const auto scatter = [&](const ContactLaw& law) {
      set(law.friction, drawn[law.friction] * std::exp(scale * kFrictionScatter * friction));
      set(law.restitution, drawn[law.restitution] + scale * kRestitutionScatter * restitution);
    };
    scatter(drawn.contact);
    for (const PairLaw& pair : drawn.pair_laws)
      if (drawn.number(pair.law.friction).given) scatter(pair.law);
    models.push_back(CompileModel(drawn));
  }
  return models;
}

Eigen::Vector2d InSurface(const SpatialSurface<double>& surface, const SpatialPose<double>& pose) {
  return (surface.R_WS.transpose() * (pose.head<3>() - surface.point)).head<2>();
}

/// Center and covariance of a cloud. Positions of the likelier half weigh alike; outliers are part of it.
struct Spread {
  Eigen::Vector2d center;
  Eigen::Matrix2d covariance;
};
Spread SpreadOf(const Cloud& cloud, double extra) {
  std::vector<double> x, y;
  for (const Eigen::Vector2d& p : cloud.position) x.push_back(p.x()), y.push_back(p.y());
  const auto median = [](std::vector<double>& v) {
    std::nth_element(v.begin(), v.begin() + static_cast<long>(v.size() / 2), v.end());
    return v[v.size() / 2];
  };
  Spread out{{median(x), median(y)}, Eigen::Matrix2d::Zero()};
  for (const Eigen::Vector2d& p : cloud.position)
    out.covariance += (p - out.center) * (p - out.center).transpose() / static_cast<double>(cloud.position.size());
  out.covariance += Eigen::Matrix2d::Identity() * (extra * extra + kLeastSpread * kLeastSpread);
  return out;
}

double FaceProbabilityOf(const Cloud& cloud, int face) {
  int count = 0;
  for (const int each : cloud.face) count += each == face ? 1 : 0;
  const double part = static_cast<double>(count) / static_cast<double>(cloud.face.size());
  return (1 - kFaceFloor) * part + kFaceFloor / 6;
}

/// Squared distance of the recorded rest in units of the spread.
double Distance2(const PredictedToss& toss, std::size_t scale, double extra) {
  const Spread spread = SpreadOf(toss.clouds[scale], extra);
  const Eigen::Vector2d d = toss.recorded - spread.center;
  return d.dot(spread.covariance.inverse() * d);
}

/// Scatter from recordings that show their rest. `scale` is an index into kScales.
struct FoundScatter {
  std::size_t scale = 2;
  ContactScatter scatter;
};
FoundScatter FindScatter(const std::vector<const PredictedToss*>& tosses, double level) {
  FoundScatter found;
  double best = INFINITY;
  for (std::size_t s = 0; s < std::size(kScales); ++s) {
    // What is left beyond the cloud, by likelihood over a few sizes.
    for (double extra = 1e-3; extra < 0.2; extra *= 1.25) {
      double cost = 0;
      for (const PredictedToss* toss : tosses) {
        const Spread spread = SpreadOf(toss->clouds[s], extra);
        const Eigen::Vector2d d = toss->recorded - spread.center;
        // Student's distribution with 4 degrees of freedom: some end far away.
        cost += 3 * std::log1p(d.dot(spread.covariance.inverse() * d) / 4) +
                0.5 * std::log(spread.covariance.determinant());
        cost -= std::log(FaceProbabilityOf(toss->clouds[s], toss->recorded_face));
      }
      if (cost < best) {
        best = cost;
        found.scale = s;
        found.scatter.scale = kScales[s];
        found.scatter.extra = extra;
      }
    }
  }
  std::vector<double> distances;
  for (const PredictedToss* toss : tosses) distances.push_back(Distance2(*toss, found.scale, found.scatter.extra));
  std::sort(distances.begin(), distances.end());
  const double n = static_cast<double>(distances.size());
  const std::size_t at = std::min(distances.size() - 1, static_cast<std::size_t>(std::ceil(level * (n + 1))) - 1);
  const double usual = -2 * std::log(1 - level);  // of a normal distribution in the plane
  found.scatter.stretch = std::sqrt(distances[at] / usual);
  found.scatter.recordings = static_cast<int>(distances.size());
  return found;
}

void Fill(const PredictedToss& toss, const FoundScatter& found, const PredictOptions& options, TossPrediction& out) {
  const Cloud& cloud = toss.clouds[found.scale];
  const Spread spread = SpreadOf(cloud, found.scatter.extra);
  out.position = spread.center;
  out.covariance = spread.covariance;
  out.region = -2 * std::log(1 - options.level) * found.scatter.stretch * found.scatter.stretch;
  const SymmetricEigen eigen = EigenOfSymmetric(spread.covariance);
  out.semi_axes[0] = std::sqrt(out.region * eigen.values[1]);
  out.semi_axes[1] = std::sqrt(out.region * eigen.values[0]);
  out.direction = std::atan2(eigen.vectors(1, 1), eigen.vectors(0, 1));
  out.faces.clear();
  for (int face = 0; face < 6; ++face) out.faces.push_back({FaceName(face), FaceProbabilityOf(cloud, face)});
  std::stable_sort(out.faces.begin(), out.faces.end(),
                   [](const FaceProbability& a, const FaceProbability& b) { return a.probability > b.probability; });
  if (!toss.rests) return;
  out.recorded = toss.recorded;
  out.covered = Distance2(toss, found.scale, found.scatter.extra) <= out.region;
  out.recorded_face = FaceName(toss.recorded_face);
  out.face_probability = FaceProbabilityOf(cloud, toss.recorded_face);
}

}  // namespace

Prediction Predict(const Scene& given, const std::optional<Estimate>& estimate,
                   const std::vector<Recording>& recordings, const PredictOptions& options, const Context& context) {
  const ContextScope scope(context, "predict");
  const Scene scene = estimate ? Apply(given, *estimate) : given;
  const std::optional<ContactScatter>& scatter = options.scatter;
  if (scene.space != Space::kSpatial)
    throw InputError({scene.file, 0, 0}, "space", "predict supports only tosses in space.",
                     "For a planar scene, give it an initial state and use `simulate`.");
  const TossModel compiled(scene);
  const Model& model = compiled.model;
  // With a given scatter only its own scale is rolled out.
  std::vector<double> scales(std::begin(kScales), std::end(kScales));
  if (scatter) scales = {scatter->scale};
  std::vector<std::vector<Model>> models;
  for (const double scale : scales) models.push_back(DrawModels(scene, estimate.value_or(Estimate()), scale, options));

  std::vector<PredictedToss> tosses(recordings.size());
  Prediction out;
  out.tosses.resize(recordings.size());
  ProgressMeter progress("predict", static_cast<std::int64_t>(recordings.size()));
  ParallelFor(static_cast<int>(recordings.size()), [&](int i) {
    PredictedToss& predicted = tosses[static_cast<std::size_t>(i)];
    TossPrediction& prediction = out.tosses[static_cast<std::size_t>(i)];
    prediction.file = recordings[static_cast<std::size_t>(i)].file;
    predicted.toss = PrepareFlight(model, recordings[static_cast<std::size_t>(i)], options.start);
    PreparedToss& toss = predicted.toss;
    progress.Advance();
    if (!toss.problem.empty()) {
      prediction.reason = toss.problem;
      return;
    }
    if (toss.surface < 0) {
      prediction.reason = "there is no surface below it";
      return;
    }
    prediction.used = true;
    const SpatialSurface<double>& surface = model.spatial.surfaces[static_cast<std::size_t>(toss.surface)];
    const Eigen::Vector3d normal = surface.R_WS.col(2);
    predicted.rests = toss.toss.rest >= 0 && toss.toss.rest <= toss.end;
    if (predicted.rests) {
      const SpatialPose<double> rest = RecordedRest(model, toss);
      predicted.recorded = InSurface(surface, rest);
      predicted.recorded_face = FaceUp(rest, normal);
    }
    const double until = predicted.rests ? toss.toss.track.time[static_cast<std::size_t>(toss.end)] -
                                               toss.toss.track.time[static_cast<std::size_t>(toss.start)]
                                         : options.duration;
    const Eigen::Matrix<double, 12, 12> root = EigenOfSymmetric(toss.covariance).Root();
    for (const std::vector<Model>& drawn : models) {
      Cloud& cloud = predicted.clouds.emplace_back();
      Random random = Random(context.seed, 0x70552).Split(static_cast<std::uint64_t>(i));
      for (const Model& one : drawn) {
        Vector12 z;
        for (double& each : z) each = random.Normal();
        TossRoller roller(one, compiled.stepper);
        const SpatialPose<double> end = roller.PoseAfter(toss, root * z, until);
        if (!end.allFinite()) continue;
        cloud.position.push_back(InSurface(surface, end));
        cloud.face.push_back(FaceUp(end, normal));
      }
      if (cloud.position.empty()) {
        prediction.used = false;
        prediction.reason = "no simulation reached the rest";
        return;
      }
    }
  });

  std::vector<const PredictedToss*> resting;
  std::vector<int> index;
  for (std::size_t i = 0; i < tosses.size(); ++i) {
    if (!out.tosses[i].used || !tosses[i].rests) continue;
    resting.push_back(&tosses[i]);
    index.push_back(static_cast<int>(i));
  }
  FoundScatter found;
  if (scatter) {
    found.scale = 0;
    found.scatter = *scatter;
  } else if (resting.size() >= 10) {
    found = FindScatter(resting, options.level);
  }
  out.scatter = found.scatter;
  for (std::size_t i = 0; i < tosses.size(); ++i)
    if (out.tosses[i].used) Fill(tosses[i], found, options, out.tosses[i]);

  // The check.
  const int folds = scatter ? 1 : options.folds;
  if (static_cast<int>(resting.size()) < 10 * folds || folds < 1) return out;
  int covered = 0, right = 0;
  double probability = 0;
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<const PredictedToss*> others;
    for (std::size_t k = 0; k < resting.size(); ++k)
      if (static_cast<int>(k) % folds != fold) others.push_back(resting[k]);
    const FoundScatter own = scatter ? found : FindScatter(others, options.level);
    for (std::size_t k = 0; k < resting.size(); ++k) {
      if (!scatter && static_cast<int>(k) % folds != fold) continue;
      TossPrediction& prediction = out.tosses[static_cast<std::size_t>(index[k])];
      Fill(*resting[k], own, options, prediction);
      covered += *prediction.covered ? 1 : 0;
      right += prediction.faces.front().face == *prediction.recorded_face ? 1 : 0;
      probability += *prediction.face_probability;
    }
  }
  const double n = static_cast<double>(resting.size());
  out.checked = static_cast<int>(resting.size());
  out.coverage = covered / n;
  out.face_correct = right / n;
  out.mean_face_probability = probability / n;
  return out;
}

ContactScatter FindContactScatter(const Scene& scene, const std::optional<Estimate>& estimate,
                                  const std::vector<Recording>& recordings, const PredictOptions& options,
                                  const Context& context) {
  PredictOptions without = options;
  without.scatter.reset();
  const ContactScatter scatter = Predict(scene, estimate, recordings, without, context).scatter;
  if (scatter.recordings == 0)
    throw InputError({recordings.empty() ? "" : recordings.front().file, 0, 0}, "scatter",
                     "fewer than 10 of these recordings show their rest.", "Pass more, or omit it.");
  return scatter;
}

void WritePrediction(const Prediction& prediction, const std::string& file) {
  WriteFileAtomically(file, FormatPrediction(prediction));
}

std::string FormatPrediction(const Prediction& prediction) {
  Json out;
  out["tosses"] = Json::array();
  for (const TossPrediction& t : prediction.tosses) {
    Json entry = {{"file", t.file}, {"used", t.used}, {"reason", t.reason}};
    if (t.used) {
      entry["rest_position"] = {t.position.x(), t.position.y()};
      entry["covariance"] = {{t.covariance(0, 0), t.covariance(0, 1)}, {t.covariance(1, 0), t.covariance(1, 1)}};
      entry["region"] = {{"semi_axes", {t.semi_axes[0], t.semi_axes[1]}}, {"direction", t.direction}};
      for (const FaceProbability& f : t.faces) entry["faces"][f.face] = f.probability;
      entry["recorded_position"] = t.recorded ? Json({t.recorded->x(), t.recorded->y()}) : Json(nullptr);
      entry["covered"] = t.covered ? Json(*t.covered) : Json(nullptr);
      entry["recorded_face"] = t.recorded_face ? Json(*t.recorded_face) : Json(nullptr);
    }
    out["tosses"].push_back(entry);
  }
  out["scatter"] = {{"scale", prediction.scatter.scale},
                    {"extra", prediction.scatter.extra},
                    {"stretch", prediction.scatter.stretch},
                    {"recordings", prediction.scatter.recordings}};
  const auto number = [](const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); };
  out["check"] = {{"recordings", prediction.checked},
                  {"coverage", number(prediction.coverage)},
                  {"face_correct", number(prediction.face_correct)},
                  {"mean_face_probability", number(prediction.mean_face_probability)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string DescribePrediction(const Prediction& prediction) {
  std::string text;
  const bool many = prediction.tosses.size() > 12;
  for (const TossPrediction& t : prediction.tosses) {
    if (!t.used) {
      text += fmt::format("  excluded: {}: {}\n", t.file, t.reason);
      continue;
    }
    if (many) continue;
    text += fmt::format(
        "{}: comes to rest at ({:.3f}, {:.3f}) m; region {:.0f} x {:.0f} mm; face {} up {:.0f} %, {} {:.0f} %\n",
        t.file, t.position.x(), t.position.y(), 2e3 * t.semi_axes[0], 2e3 * t.semi_axes[1], t.faces[0].face,
        100 * t.faces[0].probability, t.faces[1].face, 100 * t.faces[1].probability);
    if (t.recorded)
      text += fmt::format("  recorded: ({:.3f}, {:.3f}) m, {} the region; face {} up\n", t.recorded->x(),
                          t.recorded->y(), *t.covered ? "within" : "outside", *t.recorded_face);
  }
  if (many) text += fmt::format("{} recordings; the JSON has the region and faces of each\n", prediction.tosses.size());
  if (prediction.scatter.recordings > 0)
    text += fmt::format(
        "regions calibrated on {} recordings: scatter scaled by {:.2g}, {:.1f} mm added, region enlarged by {:.2f}\n",
        prediction.scatter.recordings, prediction.scatter.scale, 1e3 * prediction.scatter.extra,
        prediction.scatter.stretch);
  else
    text += "fewer than 10 recordings show their rest: the region assumes that the model is exact\n";
  if (prediction.coverage)
    text += fmt::format(
        "check on {} held-out recordings: {:.1f} % of the rest positions within the region, likeliest face right "
        "{:.1f} %, probability given to the right face {:.2f} on average\n",
        prediction.checked, 100 * *prediction.coverage, 100 * *prediction.face_correct,
        *prediction.mean_face_probability);
  return text;
}

}  // namespace ricochet
