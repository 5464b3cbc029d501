// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The step is run again in Jets, with contacts and modes held. Kinematics, contact geometry and the free motion are the
// templates of the step itself; the contact problem is differentiated implicitly at its solution
// (friction_contact_sensitivity.h).
#include "steppers/moreau/moreau_derivatives.h"

#include <algorithm>

#include "complementarity/friction/friction_contact_sensitivity.h"
#include "complementarity/friction/soft_contact.h"
#include "dynamics/loads.h"
#include "dynamics/spatial_contacts.h"
#include "math/manifold.h"

namespace ricochet {
namespace {

constexpr int kDirections = MoreauJet::kSize;
using J = MoreauJet;
using ContactJet = FrictionContactJet<kDirections>;

/// State of all bodies with the directions of one group seeded.
struct SeededState {
  std::vector<Quaternion<J>> q;
  std::vector<Vector3<J>> o, v, w;
};

SeededState Seed(const State& state, int first) {
  const int bodies = static_cast<int>(state.v.size()) / 6;
  SeededState s;
  s.q.resize(bodies);
  s.o.resize(bodies);
  s.v.resize(bodies);
  s.w.resize(bodies);
  const auto seed = [&](Vector3<J>& x, int coordinate) {
    for (int k = 0; k < 3; ++k) {
      const int direction = coordinate + k - first;
      if (direction >= 0 && direction < kDirections) x[k].v[direction] = 1;
    }
  };
  for (int b = 0; b < bodies; ++b) {
    s.o[b] = state.q.segment<3>(7 * b).cast<J>();
    s.v[b] = state.v.segment<3>(6 * b).cast<J>();
    s.w[b] = state.v.segment<3>(6 * b + 3).cast<J>();
    seed(s.o[b], 6 * b);
    seed(s.v[b], 6 * bodies + 6 * b);
    seed(s.w[b], 6 * bodies + 6 * b + 3);
    // Rotation increments on the world side: dq = (0, dw / 2) q.
    const Quaternion<double> q = state.q.segment<4>(7 * b + 3);
    s.q[b] = q.cast<J>();
    for (int k = 0; k < 3; ++k) {
      const int direction = 6 * b + 3 + k - first;
      if (direction < 0 || direction >= kDirections) continue;
      Quaternion<double> half = Quaternion<double>::Zero();
      half[1 + k] = 0.5;
      const Quaternion<double> dq = QuaternionProduct<double>(half, q);
      for (int j = 0; j < 4; ++j) s.q[b][j].v[direction] = dq[j];
    }
  }
  return s;
}

/// One step in one group of directions.
class JetStep {
 public:
  JetStep(const SpatialModel<J>& model, const StepResult& step, const StepInputs& inputs, MoreauWorkspace& w, int first)
      : model_(model), step_(step), w_(w), state_(Seed(step.start, first)) {
    const int n = static_cast<int>(model.bodies.size());
    inertia_.resize(n);
    bodies_.resize(n);
    for (int b = 0; b < n; ++b) {
      if (model.bodies[b].fixed) {
        SpatialBodyStep<J>& s = bodies_[b];
        s.q_mid = state_.q[b];
        s.o_mid = state_.o[b];
        s.R_mid = s.R_start = RotationMatrix<J>(s.q_mid);
        continue;
      }
      inertia_[b] = SpatialInertia<J>(model.bodies[b].mass, model.bodies[b].I_BBcm_B);
      Vector6<J> load;
      if (!model.loads.empty()) load = LoadImpulse<J>(model.loads, b, step.start.time, step.h, inputs.fired);
      BeginBodyStep<J>(w.options.rotation, inertia_[b], model.gravity, state_.q[b], state_.o[b], state_.v[b],
                       state_.w[b], step.h, model.loads.empty() ? nullptr : &load, bodies_[b]);
    }
    MakeContacts();
  }

  const std::vector<ContactJet>& contacts() const { return contacts_; }

  /// The recovery's contacts: normals only, bias from the depth. `solution` holds its impulses.
  std::vector<ContactJet> RecoveryContacts(const FrictionContactSolution& solution) const {
    std::vector<ContactJet> recovery = contacts_;
    for (std::size_t i = 0; i < recovery.size(); ++i) {
      const J slack = RecoverySlack<J>(ShapeRadius<J>(model_.bodies[model_.pairs[step_.contacts[i].pair].body].shape));
      recovery[i].mu = J(0.0);
      recovery[i].impulse = solution.impulse[i];
      recovery[i].mode = solution.impulse[i][2] > 0 ? FrictionMode::kSlide : FrictionMode::kOpen;
      recovery[i].b.setZero();
      const J depth = -gaps_[i] - slack;
      if (depth > 0.0) recovery[i].b[2] = depth * (-kRecoveredPerStep / step_.h);
    }
    return recovery;
  }

  /// End state from the change of scaled velocity (and the recovery's) into columns [0, kDirections) of `rows`.
  void Finish(const std::vector<Vector6<J>>& change, const std::vector<Vector6<J>>* recovery, Eigen::MatrixXd& rows) {
    const int n = static_cast<int>(model_.bodies.size());
    rows.setZero(12 * n, kDirections);
    for (int b = 0; b < n; ++b) {
      if (model_.bodies[b].fixed) continue;
      SpatialBodyStep<J>& s = bodies_[b];
      s.v_end = s.v_free;
      s.w_end = s.w_free;
      if (!change.empty()) Unscale(inertia_[b], change[w_.slot[b]], s.v_end, s.w_end);
      const int pair = change.empty() || !w_.has_torsion
                           ? -1
                           : BrakingPair(model_, b, static_cast<int>(step_.contacts.size()),
                                         [&](int i) { return step_.contacts[static_cast<std::size_t>(i)].pair; });
      if (pair < 0) continue;
      const Vector3<J> normal = s.R_mid.transpose() * model_.surfaces[model_.pairs[pair].surface].R_WS.col(2);
      BrakeSpin<J>(model_.pairs[pair].law, inertia_[b], normal, s);
    }
    // What the conserving scheme sets down, as the step does.
    std::vector<J> rise;
    J excess(0.0), lifted(0.0);
    const bool standing = std::all_of(step_.contacts.begin(), step_.contacts.end(), [&](const ContactRecord& c) {
      const int surface = model_.pairs[c.pair].surface;
      return surface < 0 || ValueOf(model_.surfaces[surface].velocity).isZero(0);
    });
    if (w_.options.rotation == RotationScheme::kConserving && !change.empty() && standing) {
      excess = EnergyExcess<J>(bodies_, inertia_, w_.slot, model_.gravity, step_.h, rise);
      for (const J& r : rise) lifted += r;
    }
    for (int b = 0; b < n; ++b) {
      Quaternion<J> q = state_.q[b];
      Vector3<J> o = state_.o[b], v_W = state_.v[b], w_W = state_.w[b];
      if (!model_.bodies[b].fixed) {
        EndBodyStep<J>(w_.options.rotation, inertia_[b], bodies_[b], bodies_[b].v_end, bodies_[b].w_end, step_.h, q, o,
                       v_W, w_W);
        if (excess > 0.0) {
          o += model_.gravity * (excess * rise[b] / (lifted * inertia_[b].mass * model_.gravity.squaredNorm()));
        }
        if (recovery != nullptr) {
          Vector3<J> u = Vector3<J>::Zero(), rate = Vector3<J>::Zero();
          Unscale(inertia_[b], (*recovery)[w_.slot[b]], u, rate);
          MoveByTwist<J>(u, rate, step_.h, RotationMatrix<J>(q), q, o);
        }
      }
      const Eigen::Matrix<double, 3, kDirections> turn = RotationJacobian<kDirections>(q);
      for (int k = 0; k < 3; ++k) {
        rows.row(6 * b + k) = o[k].v.transpose();
        rows.row(6 * b + 3 + k) = turn.row(k);
        rows.row(6 * n + 6 * b + k) = v_W[k].v.transpose();
        rows.row(6 * n + 6 * b + 3 + k) = w_W[k].v.transpose();
      }
    }
  }

 private:
  static void Unscale(const SpatialInertia<J>& inertia, const Vector6<J>& change, Vector3<J>& v, Vector3<J>& w) {
    v += change.head<3>() * inertia.inverse_root_mass;
    w += inertia.L_inverse.transpose() * change.tail<3>();
  }

  void MakeContacts() {
    BodyContactWorkspace<J> patch;
    int patch_pair = -1;
    for (std::size_t i = 0; i < step_.contacts.size(); ++i) {
      const ContactRecord& record = step_.contacts[i];
      const SpatialPair<J>& pair = model_.pairs[record.pair];
      const SpatialBody<J>& body = model_.bodies[pair.body];
      const SpatialBodyStep<J>& s = bodies_[pair.body];
      ContactJet& c = contacts_.emplace_back();
      Matrix3<J> R_WC;
      Vector3<J> p_B, p_O = Vector3<J>::Zero();
      J gap;
      if (pair.surface >= 0) {
        const SpatialSurface<J>& surface = model_.surfaces[pair.surface];
        R_WC = surface.R_WS;
        const Vector3<J> d = s.R_mid.transpose() * R_WC.col(2);
        p_B = ContactCandidate<J>(pair.law, body.shape, record.contact, d) - body.p_BBcm;
        gap = R_WC.col(2).dot(s.o_mid + s.R_mid * p_B - surface.point);
      } else {
        const SpatialBody<J>& other = model_.bodies[pair.other];
        const SpatialBodyStep<J>& so = bodies_[pair.other];
        if (patch_pair != record.pair) {
          const PlacedShape<J> A{&body.shape, s.R_mid, s.o_mid - s.R_mid * body.p_BBcm};
          const PlacedShape<J> B{&other.shape, so.R_mid, so.o_mid - so.R_mid * other.p_BBcm};
          CollideBodies<J>(A, B, patch);
          patch_pair = record.pair;
        }
        const auto& point = patch.points[std::min<std::size_t>(record.contact, patch.points.size() - 1)];
        R_WC.col(2) = patch.normal;
        R_WC.col(0) = FirstAxisAcross<J>(patch.normal);
        R_WC.col(1) = Vector3<J>(patch.normal).cross(Vector3<J>(R_WC.col(0)));
        p_B = s.R_mid.transpose() * Vector3<J>(point.p_W - s.o_mid);
        p_O = so.R_mid.transpose() * Vector3<J>(point.p_W - so.o_mid);
        gap = point.gap;
      }
      gaps_.push_back(gap);
      const Matrix3<J> R_BC = s.R_mid.transpose() * R_WC;
      c.body = w_.slot[pair.body];
      c.other = pair.other >= 0 ? w_.slot[pair.other] : -1;
      c.mode = static_cast<FrictionMode>(step_.modes[i]);
      c.impulse << record.tangential_impulse, record.normal_impulse;
      c.mu = pair.law.friction;
      c.rows = ScaledContactRows<J>(inertia_[pair.body], R_BC, p_B);
      if (c.other >= 0) {
        const Matrix3<J> R_OC = bodies_[pair.other].R_mid.transpose() * R_WC;
        c.other_rows = -ScaledContactRows<J>(inertia_[pair.other], R_OC, p_O);
      }
      Vector3<J> free = PointVelocity<J>(R_BC, p_B, s.v_free, s.w_free);
      Vector3<J> before = R_WC.transpose() * Vector3<J>(s.R_start * Vector3<J>(s.v_start + s.w_start.cross(p_B)));
      if (pair.surface >= 0) {
        const Vector3<J> moving = R_WC.transpose() * model_.surfaces[pair.surface].velocity;
        free -= moving;
        before -= moving;
      } else if (!model_.bodies[pair.other].fixed) {
        const SpatialBodyStep<J>& so = bodies_[pair.other];
        free -= R_WC.transpose() * Vector3<J>(so.R_mid * Vector3<J>(so.v_free + so.w_free.cross(p_O)));
        before -= R_WC.transpose() * Vector3<J>(so.R_start * Vector3<J>(so.v_start + so.w_start.cross(p_O)));
      }
      c.b = ContactBias<J>(pair.law, free, before);
      if (!pair.law.has_compliance) continue;
      const SoftNormal<J> normal = SoftNormalOf<J>(pair.law.compliance, pair.law.damping, step_.h, gap);
      c.other = w_.problem.body_count + static_cast<int>(i);
      c.other_rows = SoftRows<J>(normal.softness);
      const J rebound = RestitutionAt(pair.law, before[2]) * before[2];
      c.b[2] -= (normal.speed > -rebound ? normal.speed : J(-rebound)) + rebound;
    }
  }

  const SpatialModel<J>& model_;
  const StepResult& step_;
  MoreauWorkspace& w_;
  SeededState state_;
  std::vector<SpatialInertia<J>> inertia_;
  std::vector<SpatialBodyStep<J>> bodies_;
  std::vector<ContactJet> contacts_;
  std::vector<J> gaps_;
};

/// The recovery problem in values, from the contacts of a step.
void SolveRecovery(std::span<const ContactJet> contacts, MoreauWorkspace& w, FrictionContactSolution& solution) {
  FrictionContactProblem problem;
  problem.body_count = w.problem.body_count;
  problem.free_velocity.assign(problem.body_count, Vector6d::Zero());
  for (const ContactJet& c : contacts) {
    FrictionContact& out = problem.contacts.emplace_back();
    out.body = c.body;
    out.other = c.other;
    out.rows = ValueOf(c.rows);
    out.other_rows = ValueOf(c.other_rows);
    out.bias = ValueOf(c.b);
  }
  SolveFrictionContact(problem, w.options.contact, w.solver, solution);
}

}  // namespace

void DifferentiateMoreau(const Model& model, const StepResult& step, const StepInputs& inputs,
                         std::span<const NumberId> parameters, MoreauWorkspace& w, StepDerivatives& out) {
  const int state_size = 2 * static_cast<int>(step.start.v.size());
  const int total = state_size + static_cast<int>(parameters.size());
  w.jet_models.Prepare(model.scene, parameters, state_size, CompileSpatial<J>);
  out.end_by_start.setZero(state_size, state_size);
  out.end_by_parameters.setZero(state_size, static_cast<int>(parameters.size()));

  FrictionContactSensitivity sensitivity, recovery_sensitivity;
  FrictionContactSolution recovery_solution;
  std::vector<Vector6<J>> change, recovery;
  Eigen::MatrixXd rows;
  for (std::size_t group = 0; group < w.jet_models.size(); ++group) {
    const int first = kDirections * static_cast<int>(group);
    JetStep jets(w.jet_models[group], step, inputs, w, first);
    const bool closed = !step.contacts.empty();
    change.clear();
    if (closed) {
      const int second = w.is_soft ? static_cast<int>(step.contacts.size()) : 0;
      if (group == 0) sensitivity.Factor<kDirections>(w.problem.body_count + second, jets.contacts());
      sensitivity.Solve<kDirections>(jets.contacts(), change);
    }
    const bool recovers = closed && w.options.recover;
    if (recovers) {
      if (group == 0) {
        recovery_solution.impulse.assign(step.contacts.size(), Eigen::Vector3d::Zero());
        SolveRecovery(jets.RecoveryContacts(recovery_solution), w, recovery_solution);
      }
      const std::vector<ContactJet> contacts = jets.RecoveryContacts(recovery_solution);
      if (group == 0) recovery_sensitivity.Factor<kDirections>(w.problem.body_count, contacts);
      recovery_sensitivity.Solve<kDirections>(contacts, recovery);
    }
    jets.Finish(change, recovers ? &recovery : nullptr, rows);
    for (int k = first; k < std::min(first + kDirections, total); ++k) {
      if (k < state_size) {
        out.end_by_start.col(k) = rows.col(k - first);
      } else {
        out.end_by_parameters.col(k - state_size) = rows.col(k - first);
      }
    }
  }
}

}  // namespace ricochet
