// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The fit's way, and the fitted motion read at the rows of a recording.
#include "estimators/mechanism/inverse_dynamics_fit.h"

namespace ricochet {

void JointedFit::BeginStage() {
  const char* name = level_.weight == 0  ? "one motion per recording"
                     : level_.weight < 1 ? "states tied between nodes"
                                         : "states free between nodes";
  trace.push_back({name, {cost}, {0.0}});
}

bool JointedFit::Motion(int track, const std::vector<double>& times, std::vector<EstimatedJoint>& out) const {
  const JointedInstance instance = family_.Compile(params);
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
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    if (segment.track != track) continue;
    const bool last = i + 1 == segments_.size() || segments_[i + 1].track != track;
    const Eigen::VectorXd& state = nodes_[static_cast<std::size_t>(track)][static_cast<std::size_t>(segment.node)];
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
          out[k].angle.push_back(reading.value + instance.offset[k]);
          out[k].rate.push_back(reading.rate);
        }
      }
    };
    TreeFlow::End end;
    if (!flow.Run(x, r, segment.start, segment.end, tracks[static_cast<std::size_t>(track)].inputs, false, read, end))
      return false;
  }
  return next == times.size();
}

}  // namespace ricochet
