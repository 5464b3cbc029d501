// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/jointed/jointed_motion.h"

#include <array>
#include <utility>

namespace ricochet {
namespace {

constexpr double kRatePerPlace = 10;       // [1/s], standard deviation of rates over that of positions between nodes
constexpr double kFlowTolerance = 1e-8;    // [rad] per step,
constexpr double kCoarseTolerance = 1e-7;  // and of a start

/// Rows of derivatives on their way to normal equations: many at a time take a fifth of the work.
class RowBuffer {
 public:
  explicit RowBuffer(Eigen::Index size) : rows_(size, kRows), residuals_(kRows) {}

  /// Returns whether it is full.
  bool Add(const Eigen::RowVectorXd& row, double residual) {
    rows_.col(count_) = row;
    residuals_[count_++] = residual;
    return count_ == kRows;
  }
  /// Adds its rows to the normal equations, whose lower half counts.
  void Empty(JointedPart& part) {
    if (count_ == 0) return;
    const auto rows = rows_.leftCols(count_);
    part.H.selfadjointView<Eigen::Lower>().rankUpdate(rows);
    part.g.noalias() += rows * residuals_.head(count_);
    count_ = 0;
  }

 private:
  static constexpr Eigen::Index kRows = 64;
  Eigen::MatrixXd rows_;
  Eigen::VectorXd residuals_;
  Eigen::Index count_ = 0;
};

double SigmaOf(const JointTrack& track, std::size_t observation) {
  const JointChannel& channel = track.channels[static_cast<std::size_t>(track.channel_of[observation])];
  return channel.rounded ? track.observations[observation].sigma : channel.noise;
}

}  // namespace

double JointedSegment::cost() const {
  double sum = 0;
  for (const double squares : channel_squares) sum += 0.5 * squares;
  return sum;
}

std::vector<JointedSegment> SegmentsOf(const JointTrack& track, int of, int count) {
  const double length = track.end - track.start;
  std::vector<JointedSegment> out;
  std::size_t first = 0;
  for (int k = 0; k < count; ++k) {
    JointedSegment segment;
    segment.track = of;
    segment.node = k;
    segment.start = track.start + length * k / count;
    segment.end = k + 1 == count ? track.end : track.start + length * (k + 1) / count;
    segment.first = first;
    while (first < track.observations.size() && (k + 1 == count || track.observations[first].time < segment.end))
      ++first;
    segment.last = first;
    out.push_back(std::move(segment));
  }
  return out;
}

double JointedMotion::StateSigma(const JointTrack& track, int index, double weight) const {
  const int n = family_.dof(), k = index % n;
  double sigma = 1e-3;
  for (const JointChannel& channel : track.channels)
    if (channel.dof == k && !channel.rate) sigma = channel.noise;
  return weight * sigma * (index < n ? 1.0 : kRatePerPlace);
}

void JointedMotion::Evaluate(const JointedInstance& instance, const JointTrack& track, const Eigen::VectorXd& state,
                             const JointedLevel& level, bool derivatives, JointedSegment& segment,
                             std::vector<double>* values, const JointedRowSink* sink,
                             std::vector<MotionMark>* marks) const {
  const int n = family_.dof(), p = family_.size(), m = 2 * n + p;
  const bool by_channel = level.one_motion();
  FlowOptions options;
  options.step = step_;
  options.tolerance = level.coarse ? kCoarseTolerance : kFlowTolerance;
  options.kinks = !level.coarse;
  options.slides = family_.slides();
  const TreeFlow flow(family_.mechanism(), instance.constants, instance.parameters, options);
  TreeMechanism::Vector x{}, r{};
  for (int k = 0; k < n; ++k) x[static_cast<std::size_t>(k)] = state[k], r[static_cast<std::size_t>(k)] = state[n + k];
  segment.channel_squares.assign(track.channels.size(), 0.0);
  segment.residuals.resize(segment.last - segment.first);
  if (derivatives && !sink) {
    segment.parts.resize(by_channel ? track.channels.size() : 1);
    for (JointedPart& part : segment.parts) {
      part.H.setZero(m, m);
      part.g.setZero(m);
    }
  }
  std::vector<RowBuffer> buffers;
  for (std::size_t i = 0; derivatives && !sink && i < segment.parts.size(); ++i) buffers.emplace_back(m);
  const bool late = (instance.delay_by.array() != 0).any();
  std::size_t next = segment.first;
  Eigen::RowVectorXd row(m);
  TreeFlow::End end;
  segment.ok = flow.Run(
      x, r, segment.start, segment.end, track.inputs, derivatives,
      [&](const FlowPiece& piece) {
        const bool last_piece = piece.end >= segment.end - 1e-12;
        for (; next < segment.last; ++next) {
          const JointObservation& observation = track.observations[next];
          const double time = observation.time - instance.delay;
          if (time > piece.end && !last_piece) break;
          const FlowPiece::Reading reading = piece.Read(observation.dof, time);
          const double sigma = SigmaOf(track, next);
          const auto dof = static_cast<std::size_t>(observation.dof);
          const JointSensor<double>& sensor = instance.sensors[dof];
          const double shown = observation.rate ? sensor.Rate(reading.rate) : sensor.Angle(reading.value);
          const double e = (shown - observation.value) / sigma;
          const std::size_t channel = static_cast<std::size_t>(track.channel_of[next]);
          segment.residuals[next - segment.first] = e;
          if (values) (*values)[next] = shown;
          segment.channel_squares[channel] += e * e;
          if (!derivatives) continue;
          const int k = observation.dof;
          if (observation.rate) {
            // The rate between the ends of a piece: linear in time is enough for its derivative.
            const double s = (time - piece.start) / (piece.end - piece.start), factor = sensor.rate_scale / sigma;
            row = ((1 - s) * factor) * piece.Sr0.row(k) + (s * factor) * piece.Sr1.row(k);
            if (late) row.tail(p) -= (((1 - s) * piece.a0[dof] + s * piece.a1[dof]) * factor) * instance.delay_by;
            instance.AddRateBy(k, reading.rate, 1 / sigma, row.tail(p));
          } else {
            std::array<double, 6> w = reading.weights;
            const double factor = sensor.AngleByCoordinate(reading.value) / sigma;
            for (double& each : w) each *= factor;
            row.noalias() = w[0] * piece.Sx0.row(k) + w[1] * piece.Sr0.row(k) + w[2] * piece.Sa0.row(k) +
                            w[3] * piece.Sx1.row(k) + w[4] * piece.Sr1.row(k) + w[5] * piece.Sa1.row(k);
            if (late) row.tail(p) -= (reading.rate * factor) * instance.delay_by;
            instance.AddAngleBy(k, reading.value, 1 / sigma, row.tail(p));
          }
          if (sink) {
            (*sink)(next, e, row);
            continue;
          }
          const std::size_t part = by_channel ? channel : 0;
          if (buffers[part].Add(row, e)) buffers[part].Empty(segment.parts[part]);
        }
        if (marks) {
          MotionMark& mark = marks->emplace_back();
          mark.start = piece.start, mark.end = piece.end;
          mark.x = piece.x1, mark.r = piece.r1, mark.a = piece.a1;
          mark.by_start.resize(2 * n, 2 * n);
          mark.by_start << piece.Sx1.leftCols(2 * n), piece.Sr1.leftCols(2 * n);
        }
      },
      end, &segment.path);
  if (!segment.ok) return;
  segment.end_state.resize(2 * n);
  for (int k = 0; k < n; ++k) {
    segment.end_state[k] = end.x[static_cast<std::size_t>(k)];
    segment.end_state[n + k] = end.r[static_cast<std::size_t>(k)];
  }
  if (!derivatives) return;
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].Empty(segment.parts[i]);
  if (!sink)
    for (JointedPart& part : segment.parts) part.H.triangularView<Eigen::StrictlyUpper>() = part.H.transpose();
  segment.end_jacobian.resize(2 * n, m);
  segment.end_jacobian << end.Sx, end.Sr;
}

bool JointedMotion::Rows(const JointTrack& of, const Eigen::VectorXd& values, const std::vector<Eigen::VectorXd>& nodes,
                         const JointedLevel& level, double tie, const FlowPath& known, bool derivatives,
                         JointedRows& out) const {
  const Eigen::Index n = 2 * family_.dof(), p = family_.size(), count = static_cast<Eigen::Index>(nodes.size());
  const Eigen::Index observed = static_cast<Eigen::Index>(of.observations.size()), all = observed + n * (count - 1);
  out.residuals.resize(all);
  out.marks.clear();
  if (derivatives) {
    out.by_nodes.setZero(all, n * count);
    out.by_values.setZero(all, p);
  }
  const JointedInstance instance = family_.Compile(values);
  for (JointedSegment segment : SegmentsOf(of, 0, static_cast<int>(nodes.size()))) {
    segment.path = known;
    const Eigen::Index column = n * segment.node;
    const JointedRowSink sink = [&](std::size_t i, double, const Eigen::RowVectorXd& row) {
      out.by_nodes.row(static_cast<Eigen::Index>(i)).segment(column, n) = row.head(n);
      out.by_values.row(static_cast<Eigen::Index>(i)) = row.tail(p);
    };
    Evaluate(instance, of, nodes[static_cast<std::size_t>(segment.node)], level, derivatives, segment, nullptr,
             derivatives ? &sink : nullptr, derivatives && count == 1 ? &out.marks : nullptr);
    if (!segment.ok) return false;
    for (std::size_t i = segment.first; i < segment.last; ++i)
      out.residuals[static_cast<Eigen::Index>(i)] = segment.residuals[i - segment.first];
    if (segment.node + 1 == count) continue;
    const Eigen::VectorXd gap = segment.end_state - nodes[static_cast<std::size_t>(segment.node) + 1];
    for (Eigen::Index j = 0; j < n; ++j) {
      const Eigen::Index row = observed + column + j;
      const double sigma = StateSigma(of, static_cast<int>(j), tie);
      out.residuals[row] = gap[j] / sigma;
      if (!derivatives) continue;
      out.by_nodes.row(row).segment(column, n) = segment.end_jacobian.row(j).head(n) / sigma;
      out.by_nodes(row, column + n + j) = -1 / sigma;
      out.by_values.row(row) = segment.end_jacobian.row(j).tail(p) / sigma;
    }
  }
  return out.residuals.allFinite();
}

bool JointedMotion::Read(const JointTrack& track, const Eigen::VectorXd& values,
                         const std::vector<Eigen::VectorXd>& nodes, FlowPath path, const std::vector<double>& times,
                         std::vector<EstimatedJoint>& out) const {
  const JointedInstance instance = family_.Compile(values);
  const int n = family_.dof();
  FlowOptions options;
  options.step = step_;
  options.slides = family_.slides();
  const TreeFlow flow(family_.mechanism(), instance.constants, instance.parameters, options);
  out.clear();
  for (int k = 0; k < n; ++k) {
    const Joint& joint = family_.scene().joints[static_cast<std::size_t>(family_.mechanism().joint(k))];
    out.push_back({joint.name, {}, {}});
  }
  std::size_t next = 0;
  for (const JointedSegment& segment : SegmentsOf(track, 0, static_cast<int>(nodes.size()))) {
    const bool last = static_cast<std::size_t>(segment.node) + 1 == nodes.size();
    const Eigen::VectorXd& state = nodes[static_cast<std::size_t>(segment.node)];
    TreeMechanism::Vector x{}, r{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
      x[k] = state[static_cast<Eigen::Index>(k)];
      r[k] = state[n + static_cast<Eigen::Index>(k)];
    }
    const auto read = [&](const FlowPiece& piece) {
      const bool last_piece = piece.end >= segment.end - 1e-12;
      for (; next < times.size() && (last || times[next] < segment.end); ++next) {
        const double time = times[next] - instance.delay;
        if (time > piece.end && !last_piece) return;
        for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
          const FlowPiece::Reading reading = piece.Read(static_cast<int>(k), time);
          out[k].angle.push_back(instance.sensors[k].Angle(reading.value));
          out[k].rate.push_back(instance.sensors[k].Rate(reading.rate));
        }
      }
    };
    TreeFlow::End end;
    if (!flow.Run(x, r, segment.start, segment.end, track.inputs, false, read, end, &path))
      return false;
    path.steps.clear();
  }
  return next == times.size();
}

}  // namespace ricochet
