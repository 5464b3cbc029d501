// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Motion and residuals at any point, at the rows of a recording; stages of the optimization trace.
#include "estimators/mechanism/inverse_dynamics_fit.h"

namespace ricochet {

void JointedFit::BeginStage() {
  const char* name = level_.weight == 0  ? "one motion per recording"
                     : level_.weight < 1 ? "states tied between nodes"
                                         : "states free between nodes";
  trace.push_back({name, {cost}, {0.0}});
}

bool JointedFit::Motion(int track, const std::vector<double>& times, std::vector<EstimatedJoint>& out) const {
  return MotionAt(params, nodes_[static_cast<std::size_t>(track)], track, times, out);
}

bool JointedFit::MotionAt(const Eigen::VectorXd& values, const std::vector<Eigen::VectorXd>& nodes, int track,
                          const std::vector<double>& times, std::vector<EstimatedJoint>& out) const {
  const JointedInstance instance = family_.Compile(values);
  const int n = family_.dof();
  FlowOptions options;
  options.step = options_.step;
  options.slides = family_.slides();
  const TreeFlow flow(family_.mechanism(), instance.constants, instance.parameters, options);
  out.clear();
  for (int k = 0; k < n; ++k) {
    const Joint& joint = family_.scene().joints[static_cast<std::size_t>(family_.mechanism().joint(k))];
    out.push_back({joint.name, {}, {}});
  }
  std::size_t next = 0;
  FlowPath path = KnownPath(track, values, nodes);
  for (const Segment& segment : SegmentsOf(track, static_cast<int>(nodes.size()))) {
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
    if (!flow.Run(x, r, segment.start, segment.end, tracks[static_cast<std::size_t>(track)].inputs, false, read, end,
                  &path))
      return false;
    path.steps.clear();
  }
  return next == times.size();
}

bool JointedFit::Evaluate(int track, const Eigen::VectorXd& values, const std::vector<Eigen::VectorXd>& nodes,
                          bool derivatives, JointedRows& out) const {
  const JointTrack& of = tracks[static_cast<std::size_t>(track)];
  const Eigen::Index n = 2 * family_.dof(), p = family_.size(), count = static_cast<Eigen::Index>(nodes.size());
  const Eigen::Index observed = static_cast<Eigen::Index>(of.observations.size()), all = observed + n * (count - 1);
  if (!derivatives && count == 1 && current_ && values == params && nodes == nodes_[static_cast<std::size_t>(track)])
    for (const Segment& segment : segments_)
      if (segment.track == track) {
        out.residuals = Eigen::Map<const Eigen::VectorXd>(segment.residuals.data(), observed);
        return out.residuals.allFinite();
      }
  out.residuals.resize(all);
  out.marks.clear();
  if (derivatives) {
    out.by_nodes.setZero(all, n * count);
    out.by_values.setZero(all, p);
  }
  const JointedInstance instance = family_.Compile(values);
  for (Segment segment : SegmentsOf(track, static_cast<int>(nodes.size()))) {
    segment.path = KnownPath(track, values, nodes);
    const Eigen::Index column = n * segment.node;
    const RowSink sink = [&](std::size_t i, double, const Eigen::RowVectorXd& row) {
      out.by_nodes.row(static_cast<Eigen::Index>(i)).segment(column, n) = row.head(n);
      out.by_values.row(static_cast<Eigen::Index>(i)) = row.tail(p);
    };
    EvaluateSegment(instance, nodes[static_cast<std::size_t>(segment.node)], derivatives, segment, nullptr,
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

void JointedFit::TakeMotions(const JointedFit& other) {
  known_.clear();
  for (std::size_t t = 0; t < other.nodes_.size(); ++t)
    known_.push_back(
        {other.params, other.nodes_[t].front(), other.KnownPath(static_cast<int>(t), other.params, other.nodes_[t])});
}

FlowPath JointedFit::KnownPath(int track, const Eigen::VectorXd& values,
                               const std::vector<Eigen::VectorXd>& nodes) const {
  const std::size_t t = static_cast<std::size_t>(track);
  if (nodes.size() != 1 || level_.coarse) return {};
  if (current_ && values == params && nodes == nodes_[t])
    for (const Segment& segment : segments_)
      if (segment.track == track) return segment.path;
  if (t >= known_.size() || nodes.front() != known_[t].start) return {};
  const Eigen::Index own = known_[t].values.size(), more = values.size() - own;
  const bool same =
      more >= 0 && values.head(own) == known_[t].values && values.tail(more) == family_.start().tail(more);
  return same ? known_[t].path : FlowPath{};
}

double JointedFit::Deviance(int track) const {
  JointedRows rows;
  return Evaluate(track, params, nodes_[static_cast<std::size_t>(track)], false, rows) ? rows.residuals.squaredNorm()
                                                                                       : INFINITY;
}

void JointedFit::TakeNoise(const std::vector<JointTrack>& of) {
  tracks = of;
  current_ = false;
}

}  // namespace ricochet
