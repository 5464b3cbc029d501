// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/moreau/moreau.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "complementarity/friction/soft_contact.h"
#include "complementarity/friction_one_body/friction_contact_path.h"
#include "dynamics/loads.h"
#include "dynamics/spatial_contacts.h"
#include "steppers/moreau/moreau_derivatives.h"

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Copied in one piece; records made one by one would be zeroed and then set.
const ContactRecord kBlankRecord;

/// A step counts as solved up to this relative residual; what was reached is always reported. Contacts that cannot all
/// stick (friction_contact_small.h) sometimes end between the tolerance and here.
constexpr double kAcceptedResidual = 1e-6;

/// Relative residual required of soft contacts; the few that miss it (friction_contact_soft.h) count up to
/// kAcceptedResidual.
constexpr double kSoftTolerance = 1e-11;

/// Remakes what depends on masses and inertias when they differ from the last step's model.
void UpdateInertia(const SpatialModel<double>& model, MoreauWorkspace& w) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const SpatialBody<double>& body = model.bodies[b];
    if (body.fixed) continue;
    SpatialInertia<double>& inertia = w.inertia[b];
    if (inertia.mass == body.mass && inertia.I == body.I_BBcm_B) continue;
    inertia = SpatialInertia<double>(body.mass, body.I_BBcm_B);
  }
}

/// Pose of a fixed body from the state, so that contacts find it.
void PlaceFixed(const State& start, int b, SpatialBodyStep<double>& step) {
  step.q_mid = start.q.segment<4>(7 * b + 3);
  step.o_mid = start.q.segment<3>(7 * b);
  step.R_mid = step.R_start = RotationMatrix<double>(step.q_mid);
  step.v_start.setZero();
  step.w_start.setZero();
  step.v_free.setZero();
  step.w_free.setZero();
}

/// Closed candidates of a body against a plane at the midpoint pose.
void DetectSurface(const SpatialModel<double>& model, int pair_index, MoreauWorkspace& w) {
  const SpatialPair<double>& pair = model.pairs[pair_index];
  const SpatialBody<double>& body = model.bodies[pair.body];
  const SpatialSurface<double>& surface = model.surfaces[pair.surface];
  const SpatialBodyStep<double>& step = w.bodies[pair.body];
  const Vector3d n = surface.R_WS.col(2);
  const Vector3d d = step.R_mid.transpose() * n;
  // Height of the body frame's origin; nothing to do when even the lowest point of the shape is above the plane.
  const double height = n.dot(step.o_mid - surface.point) - d.dot(body.p_BBcm);
  if (height + LowestPoint<double>(body.shape, d) >= 0) return;
  const int count = CandidateCount(body.shape);
  const bool corners = !body.shape.vertices.empty() && !pair.law.has_rounding;
  for (int index = 0; index < count; ++index) {
    const Vector3d p_BC =
        corners ? body.shape.vertices[index] : ContactCandidate<double>(pair.law, body.shape, index, d);
    const double gap = height + d.dot(p_BC);
    if (!(gap < 0)) continue;
    const Vector3d p = p_BC - body.p_BBcm;
    if (surface.bounded && !WithinExtent<double>(surface, step.o_mid + step.R_mid * p)) continue;
    ClosedContact& c = w.closed.emplace_back(pair_index, index, pair, gap);
    c.p_B = p;
    c.R_WC = surface.R_WS;
  }
}

/// Contacts between two bodies at the midpoint poses.
void DetectBodies(const SpatialModel<double>& model, int pair_index, MoreauWorkspace& w) {
  const SpatialPair<double>& pair = model.pairs[pair_index];
  const SpatialBody<double>&a = model.bodies[pair.body], &b = model.bodies[pair.other];
  const SpatialBodyStep<double>&sa = w.bodies[pair.body], &sb = w.bodies[pair.other];
  const PlacedShape<double> A{&a.shape, sa.R_mid, sa.o_mid - sa.R_mid * a.p_BBcm};
  const PlacedShape<double> B{&b.shape, sb.R_mid, sb.o_mid - sb.R_mid * b.p_BBcm};
  CollideBodies<double>(A, B, w.body_contact);
  if (w.body_contact.points.empty()) return;
  Matrix3d R_WC;
  R_WC.col(2) = w.body_contact.normal;
  R_WC.col(0) = FirstAxisAcross<double>(w.body_contact.normal);
  R_WC.col(1) = R_WC.col(2).cross(R_WC.col(0));
  for (std::size_t k = 0; k < w.body_contact.points.size(); ++k) {
    const BodyContactPoint<double>& point = w.body_contact.points[k];
    ClosedContact& c = w.closed.emplace_back(pair_index, static_cast<int>(k), pair, point.gap);
    c.p_B = sa.R_mid.transpose() * (point.p_W - sa.o_mid);
    c.p_O = sb.R_mid.transpose() * (point.p_W - sb.o_mid);
    c.R_WC = R_WC;
  }
}

/// xi at the free twist: what the contact problem calls b.
Vector3d FreeContactVelocity(const SpatialModel<double>& model, const ClosedContact& c, const Matrix3d& R_BC,
                             const MoreauWorkspace& w) {
  const SpatialBodyStep<double>& s = w.bodies[c.body];
  Vector3d free = PointVelocity<double>(R_BC, c.p_B, s.v_free, s.w_free);
  Vector3d before = c.R_WC.transpose() * (s.R_start * (s.v_start + s.w_start.cross(c.p_B)));
  if (c.surface >= 0) {
    const Vector3d moving = c.R_WC.transpose() * model.surfaces[c.surface].velocity;
    free -= moving;
    before -= moving;
  } else {
    const SpatialBodyStep<double>& o = w.bodies[c.other];
    free -= c.R_WC.transpose() * (o.R_mid * (o.v_free + o.w_free.cross(c.p_O)));
    before -= c.R_WC.transpose() * (o.R_start * (o.v_start + o.w_start.cross(c.p_O)));
  }
  return ContactBias<double>(model.pairs[c.pair].law, free, before);
}

/// Fills problem contact `k` of a general problem.
void AssembleContact(const SpatialModel<double>& model, const ClosedContact& c, const MoreauWorkspace& w,
                     FrictionContact& out) {
  const SpatialBodyStep<double>& s = w.bodies[c.body];
  const Matrix3d R_BC = s.R_mid.transpose() * c.R_WC;
  out.body = w.slot[c.body];
  out.mu = model.pairs[c.pair].law.friction;
  out.rows = ScaledContactRows<double>(w.inertia[c.body], R_BC, c.p_B);
  out.bias = FreeContactVelocity(model, c, R_BC, w);
  out.other = c.other >= 0 ? w.slot[c.other] : -1;
  if (out.other < 0) return;
  const Matrix3d R_OC = w.bodies[c.other].R_mid.transpose() * c.R_WC;
  out.other_rows = -ScaledContactRows<double>(w.inertia[c.other], R_OC, c.p_O);
}

/// Twist change of a body from the scaled change of velocity: S^-T.
void Unscale(const SpatialInertia<double>& inertia, const Vector6d& change, Vector3d& v, Vector3d& w) {
  const Matrix3d& L = inertia.L_inverse;
  v += change.head<3>() * inertia.inverse_root_mass;
  w[0] += L(0, 0) * change[3] + L(1, 0) * change[4] + L(2, 0) * change[5];
  w[1] += L(1, 1) * change[4] + L(2, 1) * change[5];
  w[2] += L(2, 2) * change[5];
}

/// Writes down closed contact `i`.
void Record(int i, const Vector3d& impulse, FrictionMode mode, const MoreauWorkspace& w, StepResult& out) {
  const ClosedContact& c = w.closed[i];
  const SpatialBodyStep<double>& s = w.bodies[c.body];
  ContactRecord& record = out.contacts[i];
  record.pair = c.pair;
  record.contact = c.index;
  record.gap = c.gap;
  record.normal_impulse = impulse[2];
  record.tangential_impulse = impulse.head<2>();
  record.p_WC = s.o_mid + s.R_mid * c.p_B;
  record.slip = mode == FrictionMode::kSlide ? SlipState::kSlide : SlipState::kStick;
  out.modes[i] = static_cast<int>(mode);
}

/// R S R^T of a symmetric S.
Matrix3d Turned(const Matrix3d& R, const Matrix3d& S) {
  const Matrix3d RS = R * S;
  Matrix3d out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) out(i, j) = out(j, i) = RS(i, 0) * R(j, 0) + RS(i, 1) * R(j, 1) + RS(i, 2) * R(j, 2);
  return out;
}

/// One body on one plane: the contact problem in the plane's axes. Returns R_CB.
Matrix3d AssemblePlane(const SpatialModel<double>& model, const MoreauWorkspace& w, std::span<const int> contacts,
                       PlaneContactProblem& out) {
  const ClosedContact& first = w.closed[contacts[0]];
  const SpatialBodyStep<double>& s = w.bodies[first.body];
  const SpatialInertia<double>& inertia = w.inertia[first.body];
  const SpatialLaw<double>& law = model.pairs[first.pair].law;
  const Matrix3d R_CB = first.R_WC.transpose() * s.R_mid;
  out.count = static_cast<int>(contacts.size());
  out.mu = law.friction;
  out.mass = inertia.mass;
  out.I = Turned(R_CB, inertia.I);
  out.I_inverse = Turned(R_CB, inertia.I_inverse);
  const Vector3d v_free = R_CB * s.v_free, w_free = R_CB * s.w_free;
  Vector3d moving = Vector3d::Zero();
  if (first.surface >= 0) moving = first.R_WC.transpose() * model.surfaces[first.surface].velocity;
  // The normal part of gamma^- alone is linear in the point.
  const Vector3d n_start = s.R_start.transpose() * first.R_WC.col(2);
  const double approach = n_start.dot(s.v_start) - moving[2];
  const Vector3d turning = n_start.cross(s.w_start);
  for (int i = 0; i < out.count; ++i) {
    const Vector3d& p_B = w.closed[contacts[i]].p_B;
    const Vector3d p = R_CB * p_B;
    out.p[i] = p;
    Vector3d before(0, 0, approach + turning.dot(p_B));
    if (law.tangential_restitution != 0)
      before = first.R_WC.transpose() * (s.R_start * (s.v_start + s.w_start.cross(p_B))) - moving;
    out.b[i] = ContactBias<double>(law, v_free + w_free.cross(p) - moving, before);
  }
  out.FindScale();
  return R_CB;
}

/// Hard contacts of a body that touches no other moving one: its end twist, contacts recorded.
void SolveContactsOfOne(const SpatialModel<double>& model, std::span<const int> contacts, MoreauWorkspace& w,
                        StepResult& out) {
  const int n = static_cast<int>(contacts.size());
  const ClosedContact &first = w.closed[contacts.front()], &last = w.closed[contacts.back()];
  SpatialBodyStep<double>& s = w.bodies[first.body];
  int known_iterations = 0;
  bool modes_known = false;
  if (first.pair == last.pair && w.options.contact.selection == Selection::kLeastNorm) {
    const Matrix3d R_CB = AssemblePlane(model, w, contacts, w.solver.plane);
    PlaneContactSolution& found = w.solver.plane_solution;
    if (SolvePlaneContact(w.solver.plane, w.options.contact.tolerance, found)) {
      for (int i = 0; i < n; ++i) Record(contacts[i], found.impulse[i], found.mode[i], w, out);
      s.v_end = s.v_free + R_CB.transpose() * found.dv;
      s.w_end = s.w_free + R_CB.transpose() * found.dw;
      out.residual = std::max(out.residual, found.residual);
      out.iterations = std::max(out.iterations, found.iterations);
      return;
    }
    known_iterations = found.iterations;
    modes_known = found.modes_known;
  }
  AssembleOneBody(model, w, contacts, w.solver.small);
  SmallContactSolution& found = w.solver.small_solution;
  if (modes_known) {
    found.residual = -1;
    found.iterations = 0;
    for (int i = 0; i < n; ++i) {
      found.mode[i] = w.solver.plane_solution.mode[i];
      found.impulse[i] = w.solver.plane_solution.impulse[i];
    }
    modes_known = PolishSmallContact(w.solver.small, w.options.contact.tolerance, 16, found);
    known_iterations += found.iterations;
  }
  if (!modes_known) SolveOneBody(w.options.contact, w.solver);
  for (int i = 0; i < n; ++i) Record(contacts[i], found.impulse[i], found.mode[i], w, out);
  Unscale(w.inertia[first.body], found.change, s.v_end, s.w_end);
  out.residual = std::max(out.residual, found.residual);
  out.iterations = std::max(out.iterations, known_iterations + found.iterations);
  if (!(found.residual <= kAcceptedResidual)) out.status = StepStatus::kFailed;
}

/// What soft contact adds to the normal entry of `bias`: the speed at which the depth is left, or the rebound where
/// that is faster, which the speed at the end of the step is measured from. Returns the softness.
double SoftenBias(const SpatialModel<double>& model, double h, const ClosedContact& c, const MoreauWorkspace& w,
                  Vector3d& bias) {
  const SpatialLaw<double>& law = model.pairs[c.pair].law;
  const SoftNormal<double> normal = SoftNormalOf<double>(law.compliance, law.damping, h, c.gap);
  const SpatialBodyStep<double>& s = w.bodies[c.body];
  const Vector3d moving = model.surfaces[c.surface].velocity;
  const double before = c.R_WC.col(2).dot(s.R_start * (s.v_start + s.w_start.cross(c.p_B)) - moving);
  const double rebound = RestitutionAt(law, before) * before;
  bias[2] -= std::max(normal.speed, -rebound) + rebound;
  return normal.softness;
}

/// Soft contacts of the only moving body. False when they are not solved; nothing is recorded then.
bool SolveSoftContactsOfOne(const SpatialModel<double>& model, double h, MoreauWorkspace& w, StepResult& out) {
  SoftContactProblem& problem = w.solver.soft;
  AssembleOneBody(model, w, w.together, problem.contacts);
  for (int i = 0; i < problem.contacts.count; ++i)
    problem.softness[i] = SoftenBias(model, h, w.closed[i], w, problem.contacts.b[i]);
  SmallContactSolution& found = w.solver.small_solution;
  SolveSoftContact(problem, std::max(w.options.contact.tolerance, kSoftTolerance), found);
  if (!(found.residual >= 0 && found.residual <= kAcceptedResidual)) return false;
  for (int i = 0; i < problem.contacts.count; ++i) Record(i, found.impulse[i], found.mode[i], w, out);
  SpatialBodyStep<double>& s = w.bodies[w.closed[0].body];
  Unscale(w.inertia[w.closed[0].body], found.change, s.v_end, s.w_end);
  out.residual = found.residual;
  out.iterations = std::max(out.iterations, found.iterations);
  return true;
}

/// Contacts of bodies that touch each other, and of all bodies where some contact is soft: `w.together`.
void SolveContactsTogether(const SpatialModel<double>& model, double h, MoreauWorkspace& w, StepResult& out) {
  FrictionContactSolution& solution = w.solution;
  const int n = static_cast<int>(w.together.size());
  const auto soft = [&](int i) { return model.pairs[w.closed[i].pair].law.has_compliance; };
  if (w.problem.body_count == 1 && n <= kMaxSmallContacts && std::all_of(w.together.begin(), w.together.end(), soft) &&
      SolveSoftContactsOfOne(model, h, w, out))
    return;
  w.problem.contacts.resize(n);
  w.problem.free_velocity.assign(w.problem.body_count, Vector6d::Zero());
  for (int k = 0; k < n; ++k) AssembleContact(model, w.closed[w.together[k]], w, w.problem.contacts[k]);
  if (w.is_soft) {
    const int bodies = w.problem.body_count;
    for (int k = 0; k < n; ++k) {
      if (!soft(w.together[k])) continue;
      // The second body of a soft contact (soft_contact.h).
      FrictionContact& contact = w.problem.contacts[k];
      contact.other = bodies + k;
      contact.other_rows = SoftRows<double>(SoftenBias(model, h, w.closed[w.together[k]], w, contact.bias));
    }
    w.problem.body_count += n;
    w.problem.free_velocity.resize(static_cast<std::size_t>(bodies + n), Vector6d::Zero());
    SolveFrictionContact(w.problem, w.options.contact, w.solver, solution);
    w.problem.body_count = bodies;
  } else {
    SolveFrictionContact(w.problem, w.options.contact, w.solver, solution);
  }
  for (int k = 0; k < n; ++k) Record(w.together[k], solution.impulse[k], solution.mode[k], w, out);
  out.residual = std::max(out.residual, solution.residual);
  out.iterations = std::max(out.iterations, solution.iterations);
  if (!(solution.residual <= kAcceptedResidual)) out.status = StepStatus::kFailed;
  for (int i : w.together)
    for (int b : {w.closed[i].body, w.closed[i].other}) {
      if (b < 0 || w.slot[b] < 0) continue;
      SpatialBodyStep<double>& s = w.bodies[b];
      s.v_end = s.v_free;
      s.w_end = s.w_free;
      Unscale(w.inertia[b], solution.velocity[w.slot[b]], s.v_end, s.w_end);
    }
}

/// Solves the contact problem of the step: end twists of all bodies that are touched, contacts recorded.
void SolveContacts(const SpatialModel<double>& model, double h, MoreauWorkspace& w, StepResult& out) {
  const int n = static_cast<int>(w.closed.size());
  out.contacts.resize(n, kBlankRecord);
  out.modes.resize(n);
  const auto moves = [&](int b) { return b >= 0 && w.slot[b] >= 0; };
  const auto touches_moving = [&](const ClosedContact& c) { return moves(c.other); };
  w.order.resize(n);
  std::iota(w.order.begin(), w.order.end(), 0);
  if (w.problem.body_count == 1 && !w.is_soft && n <= kMaxSmallContacts &&
      std::none_of(w.closed.begin(), w.closed.end(), touches_moving))
    return SolveContactsOfOne(model, w.order, w, out);
  w.alone.assign(w.bodies.size(), !w.is_soft);
  for (const ClosedContact& c : w.closed)
    if (touches_moving(c)) w.alone[c.body] = w.alone[c.other] = false;
  w.together.clear();
  if (w.problem.body_count > 1)
    std::sort(w.order.begin(), w.order.end(),
              [&](int i, int j) { return std::pair(w.closed[i].body, i) < std::pair(w.closed[j].body, j); });
  for (auto own = w.order.begin(); own != w.order.end();) {
    const int body = w.closed[*own].body;
    const auto end = std::find_if(own, w.order.end(), [&](int i) { return w.closed[i].body != body; });
    if (w.alone[body] && end - own <= kMaxSmallContacts) {
      SolveContactsOfOne(model, {own, end}, w, out);
    } else {
      w.together.insert(w.together.end(), own, end);
    }
    own = end;
  }
  if (!w.together.empty()) SolveContactsTogether(model, h, w, out);
}

/// Moves poses out of penetration: the smallest motion u with J_N u >= 0.2 depth at every closed contact, without
/// friction, applied to the end poses.
void Recover(const SpatialModel<double>& model, double h, MoreauWorkspace& w, StepResult& out) {
  const int n = static_cast<int>(w.closed.size());
  w.problem.contacts.resize(n);
  w.problem.free_velocity.assign(w.problem.body_count, Vector6d::Zero());
  bool deep = false;
  for (int i = 0; i < n; ++i) {
    FrictionContact& contact = w.problem.contacts[i];
    AssembleContact(model, w.closed[i], w, contact);
    const double slack = RecoverySlack(BoundingRadius(model.bodies[w.closed[i].body].shape));
    const double depth = std::max(0.0, -w.closed[i].gap - slack);
    deep = deep || depth > 0;
    contact.bias = Vector3d(0, 0, -kRecoveredPerStep * depth / h);
    contact.mu = 0;
  }
  if (!deep) return;
  SolveFrictionContact(w.problem, w.options.contact, w.solver, w.solution);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    if (w.slot[b] < 0) continue;
    Vector3d v = Vector3d::Zero(), rate = Vector3d::Zero();
    Unscale(w.inertia[b], w.solution.velocity[w.slot[b]], v, rate);
    Quaternion<double> q = out.end.q.segment<4>(7 * b + 3);
    Vector3d o = out.end.q.segment<3>(7 * b);
    MoveByTwist<double>(v, rate, h, RotationMatrix<double>(q), q, o);
    out.end.q.segment<3>(7 * b) = o;
    out.end.q.segment<4>(7 * b + 3) = q;
  }
}

/// True when no surface touched in this step moves.
bool OnStandingSurfaces(const SpatialModel<double>& model, const std::vector<ClosedContact>& closed) {
  return std::all_of(closed.begin(), closed.end(), [&](const ClosedContact& c) {
    return c.surface < 0 || model.surfaces[c.surface].velocity.isZero(0);
  });
}

/// Throws InputError where the law's refinements do not go with the bodies.
void CheckRefinements(const Model& model) {
  const Scene& scene = *model.scene;
  const auto number_of = [&](int pair, NumberId ContactLaw::*member) -> const SceneNumber& {
    const std::string name = model.PairName(pair);
    for (const PairLaw& own : scene.pair_laws)
      if (own.a + "/" + own.b == name || own.b + "/" + own.a == name) return scene.number(own.law.*member);
    return scene.number(scene.contact.*member);
  };
  for (std::size_t i = 0; i < model.spatial.pairs.size(); ++i) {
    const SpatialPair<double>& pair = model.spatial.pairs[i];
    const int at = static_cast<int>(i);
    const SpatialShape<double>& shape = model.spatial.bodies[pair.body].shape;
    if (pair.law.has_compliance && (pair.surface < 0 || ReadMoreauOptions(scene).recover)) {
      const SceneNumber& number = number_of(at, &ContactLaw::compliance);
      throw InputError(
          number.where, number.path,
          pair.surface < 0 ? "contact between two bodies is hard."
                           : "soft contact recovers its depth without `penetration: recover`.",
          pair.surface < 0 ? "Name the pair of a body and a surface under `pairs`." : "Leave one of the two out.");
    }
    if (!pair.law.has_rounding) continue;
    const SceneNumber& number = number_of(at, &ContactLaw::rounding);
    if (pair.surface < 0 || shape.type != ShapeType::kBox)
      throw InputError(number.where, number.path, "rounding supports only edges and corners of boxes on surfaces.",
                       "Name the pair of a box and a surface under `pairs`.");
    if (pair.law.rounding > 0.5 * shape.size.minCoeff())
      throw InputError(number.where, number.path, "the radius is more than half of the box's shortest side.",
                       "Give a smaller radius.");
  }
}

class MoreauStepper final : public Stepper {
 public:
  StepperInfo info() const override {
    return {.name = "moreau",
            .summary = "tossed bodies: hard contact at corners, friction on the true cone, Newton's restitution",
            .paper = "Jongeneel sec. II",
            .spatial = true,
            .body_contacts = true,
            .restitution = true,
            .jumps = true,
            .refined_laws = true,
            .options = MoreauOptionInfos()};
  }

  std::unique_ptr<Workspace> MakeWorkspace(const Model& model) const override {
    return std::make_unique<MoreauWorkspace>(model);
  }

  void Step(const Model& model, const State& start, const StepInputs& inputs, double h, Workspace& workspace,
            StepResult& out) const override {
    auto& w = static_cast<MoreauWorkspace&>(workspace);
    const SpatialModel<double>& m = model.spatial;
    const RotationScheme scheme = w.options.rotation;
    BeginResult(start, h, out);

    // 1, 3. Midpoint poses and free twists.
    UpdateInertia(m, w);
    const int bodies = static_cast<int>(m.bodies.size());
    for (int b = 0; b < bodies; ++b) {
      if (m.bodies[b].fixed) {
        PlaceFixed(start, b, w.bodies[b]);
        continue;
      }
      Vector6d load;
      if (!m.loads.empty()) load = LoadImpulse<double>(m.loads, b, start.time, h, inputs.fired);
      BeginBodyStep<double>(scheme, w.inertia[b], m.gravity, start.q.segment<4>(7 * b + 3), start.q.segment<3>(7 * b),
                            start.v.segment<3>(6 * b), start.v.segment<3>(6 * b + 3), h,
                            m.loads.empty() ? nullptr : &load, w.bodies[b]);
    }

    // 2. Closed contacts.
    w.closed.clear();
    for (int k = 0; k < static_cast<int>(m.pairs.size()); ++k) {
      if (m.pairs[k].surface >= 0) {
        DetectSurface(m, k, w);
      } else {
        DetectBodies(m, k, w);
      }
    }

    // 4. Impulses, which add to the free twists.
    for (SpatialBodyStep<double>& s : w.bodies) s.v_end = s.v_free, s.w_end = s.w_free;
    if (!w.closed.empty()) SolveContacts(m, h, w, out);
    if (w.has_torsion && !w.closed.empty()) {
      for (int b = 0; b < bodies; ++b) {
        const int pair = BrakingPair(m, b, static_cast<int>(w.closed.size()), [&](int i) { return w.closed[i].pair; });
        if (pair < 0) continue;
        const Vector3d normal = w.bodies[b].R_mid.transpose() * m.surfaces[m.pairs[pair].surface].R_WS.col(2);
        BrakeSpin<double>(m.pairs[pair].law, w.inertia[b], normal, w.bodies[b]);
      }
    }

    // 5. End poses.
    for (int b = 0; b < bodies; ++b) {
      if (m.bodies[b].fixed) continue;
      SpatialBodyStep<double>& s = w.bodies[b];
      if (w.closed.empty()) continue;
      // Energy the contacts took: kinetic energy from the free twist to the end twist.
      const Vector3d I_mean = w.inertia[b].I * (s.w_free + s.w_end);
      out.dissipated -=
          0.5 * (w.inertia[b].mass * (s.v_end - s.v_free).dot(s.v_end + s.v_free) + (s.w_end - s.w_free).dot(I_mean));
    }
    double excess = 0;
    if (scheme == RotationScheme::kConserving && !w.closed.empty() && OnStandingSurfaces(m, w.closed)) {
      excess = EnergyExcess<double>(w.bodies, w.inertia, w.slot, m.gravity, h, w.rise);
    }
    double lifted = 0;
    if (excess > 0)
      for (double rise : w.rise) lifted += rise;
    for (int b = 0; b < bodies; ++b) {
      if (m.bodies[b].fixed) {
        out.end.q.segment<7>(7 * b) = start.q.segment<7>(7 * b);
        out.end.v.segment<6>(6 * b) = start.v.segment<6>(6 * b);
        continue;
      }
      const SpatialBodyStep<double>& s = w.bodies[b];
      Quaternion<double> q;
      Vector3d o, v_W, w_W;
      EndBodyStep<double>(scheme, w.inertia[b], s, s.v_end, s.w_end, h, q, o, v_W, w_W);
      if (excess > 0) o += m.gravity * (excess * w.rise[b] / (lifted * w.inertia[b].mass * m.gravity.squaredNorm()));
      out.end.q.segment<3>(7 * b) = o;
      out.end.q.segment<4>(7 * b + 3) = q;
      out.end.v.segment<3>(6 * b) = v_W;
      out.end.v.segment<3>(6 * b + 3) = w_W;
    }
    if (w.options.recover && !w.closed.empty()) Recover(m, h, w, out);
  }

  void Differentiate(const Model& model, const StepResult& step, const StepInputs& inputs,
                     std::span<const NumberId> parameters, Workspace& workspace, StepDerivatives& out) const override {
    DifferentiateMoreau(model, step, inputs, parameters, static_cast<MoreauWorkspace&>(workspace), out);
  }

 private:
  void CheckModel(const Model& model) const override { CheckRefinements(model); }
};

}  // namespace

void AssembleOneBody(const SpatialModel<double>& model, const MoreauWorkspace& w, std::span<const int> contacts,
                     SmallContactProblem& out) {
  const int body = w.closed[contacts[0]].body;
  const SpatialBodyStep<double>& s = w.bodies[body];
  const SpatialInertia<double>& inertia = w.inertia[body];
  out.count = static_cast<int>(contacts.size());
  for (int i = 0; i < out.count; ++i) {
    const ClosedContact& c = w.closed[contacts[i]];
    const Matrix3d R_BC = s.R_mid.transpose() * c.R_WC;
    out.rows[i] = ScaledContactRows<double>(inertia, R_BC, c.p_B);
    out.b[i] = FreeContactVelocity(model, c, R_BC, w);
    out.mu[i] = model.pairs[c.pair].law.friction;
  }
}

const Stepper& Moreau() {
  static const MoreauStepper stepper;
  return stepper;
}

}  // namespace ricochet
