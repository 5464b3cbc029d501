// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>
#include <cmath>

#include "dynamics/joints/limit_part.h"
#include "steppers/spook/spook_contacts.h"
#include "steppers/spook/spook_workspace.h"

namespace ricochet {

namespace {

void CollectLimits(const Model& model, const SpookOptions& options, double h, const Eigen::VectorXd& v,
                   SpookWorkspace& ws) {
  for (size_t j = 0; j < model.spatial.joints.size(); ++j) {
    const SpatialJoint<double>& joint = model.spatial.joints[j];
    if (!joint.has_limits) continue;
    const JointMotions<double> motions = LimitedMotionsOf<double>(joint, ws.joints[j].frames);
    for (int m = 0; m < std::min(2, motions.count); ++m) {
      const JointMotion<double>& motion = motions.motion[m];
      const double rate = MotionRate(joint, motion, v);
      for (const double sign : {1.0, -1.0}) {
        if (!(sign > 0 ? joint.has_lower : joint.has_upper)[m]) continue;
        const double gap = LimitGap<double>(joint, m, motion.coordinate, sign);
        // Out of reach within two steps, also when the forces of the first one change the rate a good deal.
        if (gap > 2 * h * std::abs(rate) + 0.05) continue;
        SpookUnilateral row;
        row.joint = static_cast<int>(j);
        row.limit_motion = m;
        row.limit_sign = sign;
        row.body_a = joint.child;
        row.body_b = joint.parent;
        row.gap = gap;
        row.restitution = options.limit_restitution;
        row.compliance = LimitCompliance<double>(joint);
        row.damping = joint.damping;
        row.rows_a.col(0) = sign * motion.J_child;
        row.rows_b.col(0) = sign * motion.J_parent;
        ws.unilateral.push_back(row);
      }
    }
  }
}

void CollectContacts(const Model& model, const SpookOptions& options, double h, const Eigen::VectorXd& v,
                     SpookWorkspace& ws) {
  const SpatialModel<double>& spatial = model.spatial;
  const double slack = 2 * spatial.gravity.norm() * h * h + 1e-6;
  for (int pair = 0; pair < static_cast<int>(spatial.pairs.size()); ++pair) {
    const SpatialPair<double>& p = spatial.pairs[pair];
    const int count = ContactCount(spatial, pair, ws.poses, ws.contact_scratch);
    for (int index = 0; index < count; ++index) {
      SpookUnilateral row;
      bool present = true;
      const auto geometry =
          ContactGeometry<double>(spatial, options, h, pair, index, ws.poses[p.body], ParentPose(ws.poses, p.other),
                                  ws.contact_scratch, row.p_WC, present);
      if (!present) continue;
      row.pair = pair;
      row.index = index;
      row.body_a = p.body;
      row.body_b = p.other;
      row.gap = geometry.gap;
      row.friction = geometry.friction;
      row.restitution = geometry.restitution;
      row.compliance = geometry.compliance;
      row.damping = geometry.damping;
      row.rows_a = geometry.rows_a;
      row.rows_b = geometry.rows_b;
      row.bias = geometry.bias;
      // Points that cannot be reached within two steps are left out.
      if (row.gap <= 2 * h * std::abs(row.RateOf(v)[0]) + slack) ws.unilateral.push_back(row);
    }
  }
}

}  // namespace

void CollectUnilateral(const Model& model, const SpookOptions& options, double h, const Eigen::VectorXd& v,
                       SpookWorkspace& ws) {
  ws.unilateral.clear();
  CollectLimits(model, options, h, v, ws);
  CollectContacts(model, options, h, v, ws);
}

}  // namespace ricochet
