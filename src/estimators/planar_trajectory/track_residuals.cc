// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_residuals.h"

#include <cmath>

namespace ricochet {

// Far more than a recording can show; they keep the search from following bounces that hardly decay and motions beside
// singular ones. A frame takes about 3 steps of flight, or 10 to 30 of contact.
constexpr int kEventLimit = 400;
constexpr long kWorkPerFrame = 100, kWork = 20000;
constexpr long kDerivativeWork = 4;  // steps without derivatives that take as long as one with them
constexpr double kDelayStep = 1e-5;  // [s]

TrackResiduals::TrackResiduals(const PlanarFamily& family, const PlanarTrack& track)
    : family_(family),
      track_(track),
      observation_(FindObservationNumbers(family.scene())),
      window_(track.size()),
      rejected_(static_cast<std::size_t>(track.size()), 0) {}

/// What a frame shows of the body.
template <class T>
struct TrackResiduals::Sensors {
  PlanarSensor<T> frame;
  std::vector<PlanarSensor<T>> points;
  bool pose_recorded;

  Sensors(const ObservationNumbers& observation, const PlanarTrack& track, int body, std::span<const T> numbers)
      : frame(observation.frames[static_cast<std::size_t>(body)], numbers), pose_recorded(track.pose_recorded) {
    for (const PlanarPointTrack& point : track.points)
      points.emplace_back(observation.points[static_cast<std::size_t>(point.point)], numbers);
  }

  /// emit(value, what the model shows)
  template <class Emit>
  void Show(const EventVector<T>& pose, Emit emit) const {
    int at = 0;
    if (pose_recorded) {
      const PlanarPose<T> shown = frame.Pose(pose);
      for (; at < 3; ++at) emit(at, shown[at]);
    }
    for (const PlanarSensor<T>& point : points) {
      const auto shown = point.Position(pose);
      for (int k = 0; k < 2; ++k) emit(at++, shown[k]);
    }
  }
};

template <class T, class Emit>
bool TrackResiduals::Run(std::span<const T> z, int frames, EventSummary* summary, std::vector<EventRecord>* records,
                         Emit emit) const {
  const std::size_t params = static_cast<std::size_t>(family_.size());
  const std::vector<T> numbers = family_.parameters().Numbers<T>(z.subspan(kTrackState, params));
  EventMotion<T> motion = family_.MotionOf<T>(numbers);
  if (impact_restitutions_ > 0) {
    const auto values = z.subspan(kTrackState + params);
    motion.SetRestitutions(std::vector<T>(values.begin(), values.end()), impact_speed_);
  }
  if (records) motion.RecordInto(records);
  motion.SetEventLimit(kEventLimit);
  motion.SetWorkLimit(kWork + kWorkPerFrame * frames);

  const Sensors<T> sensors(observation_, track_, family_.body(), std::span<const T>(numbers));

  // The unknown initial state is that at the first frame's own time, so that a delay shifts known loads only.
  const double lag = observation_.delay ? ValueOf(numbers[static_cast<std::size_t>(observation_.delay.index)]) : 0.0;
  EventVector<T> q(z[0], z[1], z[2]), v(z[3], z[4], z[5]);
  motion.Start(track_.time[0] - lag, q, v);
  bool moves = true;
  for (int i = 0; i < frames && moves; ++i) {
    motion.AdvanceTo(track_.time[i] - lag);
    moves = !motion.summary().failed;
    if (moves) emit(i, motion.q(), sensors);
  }
  work_ += (kIsJet<T> ? kDerivativeWork : 1) * (motion.work() + frames);
  if (!moves) return false;
  if (summary) *summary = motion.summary();
  return true;
}

bool TrackResiduals::Evaluate(const Eigen::VectorXd& z, Eigen::VectorXd& residuals, Eigen::MatrixXd* jacobian) const {
  const int width = track_.width();
  residuals.setZero(width * window_);
  // Returns the noise; infinite for what was not seen.
  const auto compare = [&](int i, int value, double predicted) {
    const double recorded = track_.Shown(i, value);
    if (std::isnan(recorded)) return static_cast<double>(INFINITY);
    const double noise = track_.NoiseOf(track_.KindOf(value));
    residuals[width * i + value] = (predicted - recorded) / noise;
    return noise;
  };
  if (!jacobian) {
    return Run<double>({z.data(), static_cast<std::size_t>(z.size())}, window_, nullptr, nullptr,
                       [&](int i, const EventVector<double>& pose, const Sensors<double>& sensors) {
                         if (rejected_[static_cast<std::size_t>(i)]) return;
                         sensors.Show(pose, [&](int value, double shown) { compare(i, value, shown); });
                       });
  }
  jacobian->setZero(width * window_, z.size());
  constexpr int kWidth = EventJet::kSize;
  for (int first = 0; first < z.size(); first += kWidth) {
    std::vector<EventJet> seeded;
    seeded.reserve(static_cast<std::size_t>(z.size()));
    for (int j = 0; j < z.size(); ++j)
      seeded.push_back(j >= first && j < first + kWidth ? EventJet::Variable(z[j], j - first) : EventJet(z[j]));
    const int columns = std::min<int>(kWidth, static_cast<int>(z.size()) - first);
    const bool computed = Run<EventJet>(
        seeded, window_, nullptr, nullptr,
        [&](int i, const EventVector<EventJet>& pose, const Sensors<EventJet>& sensors) {
          if (rejected_[static_cast<std::size_t>(i)]) return;
          sensors.Show(pose, [&](int value, const EventJet& shown) {
            const double noise = compare(i, value, shown.a);
            jacobian->block(width * i + value, first, 1, columns) = shown.v.head(columns).transpose() / noise;
          });
        });
    if (!computed) return false;
  }
  // Times of loads carry no derivatives: where a parameter moves the delay, differences of the exact motion serve.
  const Scene& scene = family_.scene();
  for (int i = 0; i < family_.size() && !scene.actions.empty(); ++i) {
    const SelectedParameter& parameter = family_.parameters().selected(i);
    if (!scene.observe.delay ||
        (parameter.numerator != scene.observe.delay && parameter.denominator != scene.observe.delay &&
         parameter.factor != scene.observe.delay))
      continue;
    const auto at = [&](double shift, Eigen::VectorXd& out) {
      Eigen::VectorXd moved = z;
      moved[kTrackState + i] += shift;
      return Evaluate(moved, out, nullptr);
    };
    Eigen::VectorXd near[2], far[2];
    if (!at(kDelayStep, near[0]) || !at(-kDelayStep, near[1]) || !at(2 * kDelayStep, far[0]) ||
        !at(-2 * kDelayStep, far[1]))
      return false;
    jacobian->col(kTrackState + i) = (8 * (near[0] - near[1]) - (far[0] - far[1])) / (12 * kDelayStep);
  }
  return true;
}

bool TrackResiduals::Show(const Eigen::VectorXd& z, Eigen::VectorXd& values) const {
  const int width = track_.width();
  values.resize(width * track_.size());
  return Run<double>({z.data(), static_cast<std::size_t>(z.size())}, track_.size(), nullptr, nullptr,
                     [&](int i, const EventVector<double>& pose, const Sensors<double>& sensors) {
                       sensors.Show(pose, [&](int value, double shown) { values[width * i + value] = shown; });
                     });
}

bool TrackResiduals::Compare(const Eigen::VectorXd& z, Eigen::VectorXd& residuals) const {
  if (!Show(z, residuals)) return false;
  const int width = track_.width();
  for (int i = 0; i < track_.size(); ++i)
    for (int value = 0; value < width; ++value) {
      const double recorded = track_.Shown(i, value);
      double& residual = residuals[width * i + value];
      residual = std::isnan(recorded) ? 0.0 : (residual - recorded) / track_.NoiseOf(track_.KindOf(value));
    }
  return true;
}

bool TrackResiduals::Predict(const Eigen::VectorXd& z, std::vector<Eigen::Vector3d>& poses, EventSummary* summary,
                             std::vector<EventRecord>* records) const {
  poses.resize(static_cast<std::size_t>(track_.size()));
  return Run<double>({z.data(), static_cast<std::size_t>(z.size())}, track_.size(), summary, records,
                     [&](int i, const EventVector<double>& pose, const Sensors<double>& sensors) {
                       poses[static_cast<std::size_t>(i)] = sensors.frame.Pose(pose);
                     });
}

LeastSquaresOptions TrackSolverOptions(const PlanarFamily& family, int restitutions) {
  const Eigen::Index p = family.size(), n = kTrackState + p + restitutions;
  LeastSquaresOptions out;
  out.scale = Eigen::VectorXd::Ones(n);
  out.scale.segment(kTrackState, p) = family.scale();
  out.lower = Eigen::VectorXd::Constant(n, -INFINITY);
  out.upper = Eigen::VectorXd::Constant(n, INFINITY);
  out.lower.segment(kTrackState, p) = family.lower();
  out.upper.segment(kTrackState, p) = family.upper();
  out.lower.tail(restitutions).setZero();
  out.upper.tail(restitutions).setOnes();
  out.move = [&parameters = family.parameters()](const Eigen::VectorXd& x, const Eigen::VectorXd& step) {
    return parameters.MoveWithin(kTrackState, x, step);
  };
  return out;
}

}  // namespace ricochet
