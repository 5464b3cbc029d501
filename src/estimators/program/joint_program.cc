// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/program/joint_program.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "math/jet.h"

namespace ricochet {
namespace {

using JointJet = Jet<kJointLocal>;
constexpr int kBefore = 0, kHere = 3, kAfter = 6, kTimes = 9, kNormals = 12;
constexpr int kTangents = kNormals + kJointContacts, kNumbers = kTangents + kJointGroups;
constexpr double kLasting = 1.75;  // steps; nodes further apart have a flight between them

/// A number that depends on the requested ones, as a local Jet.
JointJet Widen(const EventJet& x) {
  JointJet out(x.a);
  out.v.tail<kJointParams>() = x.v.head<kJointParams>();
  return out;
}

}  // namespace

template <class T>
struct JointProgram::Numbers {
  EventBody<T> body;
  std::vector<Load<T>> loads;
  T com_x, com_y;

  EventVector<T> Acceleration(double time) const {
    EventVector<T> a(body.gx, body.gy, T(0.0));
    for (const Load<T>& load : loads) {
      if (time < load.from || time >= load.until) continue;
      a[0] += load.force[0] * body.inverse_mass;
      a[1] += load.force[1] * body.inverse_mass;
      a[2] += load.force[2] * body.inverse_inertia;
    }
    return a;
  }
};

int JointChain::Interval(double t) const {
  int lo = 0, hi = static_cast<int>(nodes.size()) - 1;
  while (hi - lo > 1) {
    const int middle = (lo + hi) / 2;
    (nodes[static_cast<std::size_t>(middle)].time <= t ? lo : hi) = middle;
  }
  return lo;
}

void JointChain::Classify() {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    JointNode& here = nodes[k];
    here.lasts = false;
    if (k + 1 == nodes.size() || nodes[k + 1].time - here.time > kLasting * step) continue;
    for (int i = 0; i < here.contact_count; ++i)
      here.lasts = here.lasts || nodes[k + 1].Touches(here.contacts[static_cast<std::size_t>(i)].candidate);
  }
}

bool JointChain::Isolated(int k) const {
  const JointNode& here = nodes[static_cast<std::size_t>(k)];
  return here.contact_count > 0 && k > 0 && k + 1 < static_cast<int>(nodes.size()) && !Lasts(k) && !Lasts(k - 1);
}

double JointProgram::LengthScale(const PlanarTrack& track, double size) {
  return std::max(std::min(track.noise_position, size * track.noise_angle), 1e-7 * size);
}

JointProgram::JointProgram(const PlanarFamily& family, std::vector<JointChain> chains, const Eigen::VectorXd& params)
    : family_(&family), chains_(std::move(chains)), params_(params), held_(static_cast<std::size_t>(family.size()), 0) {
  Compile();
  Layout();
}

void JointProgram::Compile() {
  const PlanarModel<double> model =
      family_->Compile<double>({params_.data(), static_cast<std::size_t>(params_.size())});
  // Scales of rows stay those of the first numbers, also where the requested ones change the body's size.
  const double size = body_.candidate_count > 0 ? body_.size : 0;
  body_ = MakeEventBody(model, family_->body());
  if (size > 0) body_.size = size;
  loads_.clear();
  for (const Load<double>& load : model.loads)
    if (load.body == family_->body()) loads_.push_back(load);
  com_ = model.bodies[static_cast<std::size_t>(family_->body())].p_BBcm;
}

void JointProgram::Layout() {
  unknowns_ = 0;
  width_ = 0;
  index_.resize(chains_.size());
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    chains_[c].Classify();
    const std::vector<JointNode>& nodes = chains_[c].nodes;
    index_[c].resize(nodes.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      auto& index = index_[c][k];
      index.fill(-1);
      for (std::size_t i = 0; i < 3; ++i) index[i] = unknowns_++;
      if (nodes[k].moves) index[3] = unknowns_++;
      const bool inner = k > 0 && k + 1 < nodes.size();
      for (int i = 0; inner && i < nodes[k].contact_count; ++i) index[static_cast<std::size_t>(4 + i)] = unknowns_++;
      for (int i = 0; inner && i < nodes[k].friction_count; ++i)
        index[static_cast<std::size_t>(4 + kJointContacts + i)] = unknowns_++;
      width_ = std::max(width_, unknowns_ - 1 - index_[c][k >= 2 ? k - 2 : 0][0]);
    }
  }
  equalities_ = 0;
  const Numbers<double> numbers{body_, loads_, com_.x(), com_.y()};
  VisitRows(numbers, [&](JointRowKind kind, double, const auto&) { equalities_ += kind == JointRowKind::kEquality; });
  multipliers_ = Eigen::VectorXd::Zero(equalities_);
}

int JointProgram::IndexOf(int chain, int k, int what) const {
  return index_[static_cast<std::size_t>(chain)][static_cast<std::size_t>(k)][static_cast<std::size_t>(what)];
}

Eigen::VectorXd JointProgram::State() const {
  Eigen::VectorXd x(unknowns_ + family_->size());
  for (std::size_t c = 0; c < chains_.size(); ++c)
    for (std::size_t k = 0; k < chains_[c].nodes.size(); ++k) {
      const JointNode& node = chains_[c].nodes[k];
      const auto& index = index_[c][k];
      for (int i = 0; i < 3; ++i) x[index[static_cast<std::size_t>(i)]] = node.q[i];
      if (index[3] >= 0) x[index[3]] = node.time;
      for (std::size_t i = 0; i < kJointContacts; ++i)
        if (index[4 + i] >= 0) x[index[4 + i]] = node.contacts[i].impulse;
      for (std::size_t i = 0; i < kJointGroups; ++i)
        if (index[4 + kJointContacts + i] >= 0) x[index[4 + kJointContacts + i]] = node.frictions[i].impulse;
    }
  x.tail(family_->size()) = params_;
  return x;
}

void JointProgram::SetState(const Eigen::VectorXd& x) {
  for (std::size_t c = 0; c < chains_.size(); ++c)
    for (std::size_t k = 0; k < chains_[c].nodes.size(); ++k) {
      JointNode& node = chains_[c].nodes[k];
      const auto& index = index_[c][k];
      for (int i = 0; i < 3; ++i) node.q[i] = x[index[static_cast<std::size_t>(i)]];
      if (index[3] >= 0) node.time = x[index[3]];
      for (std::size_t i = 0; i < kJointContacts; ++i)
        if (index[4 + i] >= 0) node.contacts[i].impulse = x[index[4 + i]];
      for (std::size_t i = 0; i < kJointGroups; ++i)
        if (index[4 + kJointContacts + i] >= 0) node.frictions[i].impulse = x[index[4 + kJointContacts + i]];
    }
  if (params_ != x.tail(family_->size())) {
    params_ = x.tail(family_->size());
    Compile();
  }
}

template <class T, class Emit>
void JointProgram::NodeRows(const Numbers<T>& numbers, const JointChain& chain, int k, const T* z, Emit emit) const {
  const std::vector<JointNode>& nodes = chain.nodes;
  const int last = static_cast<int>(nodes.size()) - 1;
  const JointNode& node = nodes[static_cast<std::size_t>(k)];
  const EventBody<T>& body = numbers.body;
  const double length = LengthScale(chain.track, body.size);
  const int frames = chain.track.size();
  const double speed = length * std::max(1, frames - 1) / (chain.track.time.back() - chain.track.time.front());
  const EventVector<T> q(z[kHere], z[kHere + 1], z[kHere + 2]);
  std::array<EventGap<T>, kJointContacts> gaps;
  for (int i = 0; i < node.contact_count; ++i)
    gaps[static_cast<std::size_t>(i)] = body.Gap(node.contacts[static_cast<std::size_t>(i)].candidate, q);
  if (!node.soft)
    for (int i = 0; i < node.contact_count; ++i)
      emit(JointRowKind::kEquality, gaps[static_cast<std::size_t>(i)].phi * (1.0 / length));
  if (k == 0 || k == last) return;

  // Velocities on both sides.
  const JointNode &previous = nodes[static_cast<std::size_t>(k) - 1], &next = nodes[static_cast<std::size_t>(k) + 1];
  const EventVector<T> qm(z[kBefore], z[kBefore + 1], z[kBefore + 2]), qp(z[kAfter], z[kAfter + 1], z[kAfter + 2]);
  const T hm = z[kTimes + 1] - z[kTimes], hp = z[kTimes + 2] - z[kTimes + 1];
  const EventVector<T> before =
      (q - qm) * (T(1.0) / hm) + numbers.Acceleration(0.5 * (previous.time + node.time)) * (hm * 0.5);
  const EventVector<T> after =
      (qp - q) * (T(1.0) / hp) - numbers.Acceleration(0.5 * (next.time + node.time)) * (hp * 0.5);

  // Impulses and the balance of momentum (eq. 16).
  EventVector<T> wrench(T(node.kick[0]), T(node.kick[1]), T(node.kick[2]));
  std::array<T, kJointGroups> load;
  for (T& sum : load) sum = T(0.0);
  for (int i = 0; i < node.contact_count; ++i) {
    const int candidate = node.contacts[static_cast<std::size_t>(i)].candidate;
    const EventSurface<T>& s =
        body.surfaces[static_cast<std::size_t>(body.candidates[static_cast<std::size_t>(candidate)].group)];
    const T& cn = z[kNormals + i];
    wrench += EventVector<T>(s.nx, s.ny, gaps[static_cast<std::size_t>(i)].r_t) * cn;
    for (int g = 0; g < node.friction_count; ++g)
      if (node.frictions[static_cast<std::size_t>(g)].group ==
          body.candidates[static_cast<std::size_t>(candidate)].group)
        load[static_cast<std::size_t>(g)] += cn;
  }
  const auto contact_of = [&](int g) {
    for (int i = 0; i < node.contact_count; ++i)
      if (body.candidates[static_cast<std::size_t>(node.contacts[static_cast<std::size_t>(i)].candidate)].group ==
          node.frictions[static_cast<std::size_t>(g)].group)
        return i;
    return 0;
  };
  for (int g = 0; g < node.friction_count; ++g) {
    const EventSurface<T>& s =
        body.surfaces[static_cast<std::size_t>(node.frictions[static_cast<std::size_t>(g)].group)];
    wrench += EventVector<T>(s.tx, s.ty, -gaps[static_cast<std::size_t>(contact_of(g))].r_n) * z[kTangents + g];
  }
  emit(JointRowKind::kEquality, (after[0] - before[0] - wrench[0] * body.inverse_mass) * (1.0 / speed));
  emit(JointRowKind::kEquality, (after[1] - before[1] - wrench[1] * body.inverse_mass) * (1.0 / speed));
  emit(JointRowKind::kEquality, (after[2] - before[2] - wrench[2] * body.inverse_inertia) * (body.size / speed));

  // Soft contacts: one-sided penalties and products.
  if (node.soft) {
    const double tau = weights_.gap * weights_.jump, tau_t = weights_.slip * weights_.jump;
    if (node.moves) emit(JointRowKind::kProduct, (z[kTimes + 1] - T(node.grid_time)) * (3 / node.grid));
    for (int i = 0; i < node.contact_count; ++i) {
      const T u = z[kNormals + i] * body.inverse_mass;
      const T& phi = gaps[static_cast<std::size_t>(i)].phi;
      emit(JointRowKind::kPenalty, ValueOf(phi) < 0 ? phi * (1.0 / length) : T(0.0));
      emit(JointRowKind::kPenalty, ValueOf(u) < 0 ? u * (1.0 / speed) : T(0.0));
      emit(JointRowKind::kProduct, u * phi * (1.0 / tau));
    }
    for (int g = 0; g < node.friction_count; ++g) {
      const int i = contact_of(g);
      const EventSurface<T>& s =
          body.surfaces[static_cast<std::size_t>(node.frictions[static_cast<std::size_t>(g)].group)];
      const T u = load[static_cast<std::size_t>(g)] * body.inverse_mass * s.friction;
      const T w = z[kTangents + g] * body.inverse_mass;
      const T vt = body.TangentSpeed(node.contacts[static_cast<std::size_t>(i)].candidate,
                                     gaps[static_cast<std::size_t>(i)], after);
      emit(JointRowKind::kPenalty, ValueOf(w) > ValueOf(u) ? (w - u) * (1.0 / speed) : T(0.0));
      emit(JointRowKind::kPenalty, ValueOf(w) < -ValueOf(u) ? (w + u) * (1.0 / speed) : T(0.0));
      emit(JointRowKind::kProduct, (ValueOf(vt) > 0 ? u + w : u - w) * vt * (1.0 / tau_t));
    }
    return;
  }

  // Closed contacts.
  const bool isolated = chain.Isolated(k);
  for (int g = 0; g < node.friction_count; ++g) {
    const JointFriction& friction = node.frictions[static_cast<std::size_t>(g)];
    const EventSurface<T>& s = body.surfaces[static_cast<std::size_t>(friction.group)];
    const int i = contact_of(g), candidate = node.contacts[static_cast<std::size_t>(i)].candidate;
    if (friction.slip != 0) {
      emit(JointRowKind::kEquality,
           (z[kTangents + g] + s.friction * load[static_cast<std::size_t>(g)] * static_cast<double>(friction.slip)) *
               body.inverse_mass * (1.0 / speed));
    } else if (chain.Lasts(k) && next.Touches(candidate)) {
      EventVector<T> middle = (q + qp) * T(0.5);
      const T r0 = gaps[static_cast<std::size_t>(i)].r_n, r1 = body.Gap(candidate, middle).r_n,
              r2 = body.Gap(candidate, qp).r_n;
      const T moved = s.tx * (qp[0] - q[0]) + s.ty * (qp[1] - q[1]) -
                      (qp[2] - q[2]) * (r0 + T(4.0) * r1 + r2) * (1.0 / 6) - s.surface_vt * hp;
      emit(JointRowKind::kEquality, moved * (1.0 / length));
    } else {
      T vt = body.TangentSpeed(candidate, gaps[static_cast<std::size_t>(i)], after);
      if (isolated)
        vt += s.tangential_restitution * body.TangentSpeed(candidate, gaps[static_cast<std::size_t>(i)], before);
      emit(JointRowKind::kEquality, vt * (1.0 / speed));
    }
  }
  if (isolated && weights_.restitution)
    for (int i = 0; i < node.contact_count; ++i) {
      const int candidate = node.contacts[static_cast<std::size_t>(i)].candidate;
      const EventSurface<T>& s =
          body.surfaces[static_cast<std::size_t>(body.candidates[static_cast<std::size_t>(candidate)].group)];
      const EventGap<T>& gap = gaps[static_cast<std::size_t>(i)];
      emit(JointRowKind::kEquality,
           (body.NormalSpeed(candidate, gap, after) + s.restitution * body.NormalSpeed(candidate, gap, before)) *
               (1.0 / speed));
    }
}

template <class T, class Visit>
void JointProgram::VisitRows(const Numbers<T>& numbers, Visit visit) const {
  using std::cos;
  using std::sin;
  std::array<T, kJointLocal> z;
  std::array<int, kJointLocal> map;
  const auto load = [&](int slot, double value, int index) {
    map[static_cast<std::size_t>(slot)] = index;
    if constexpr (kIsJet<T>)
      z[static_cast<std::size_t>(slot)] = index >= 0 ? T::Variable(value, slot) : T(value);
    else
      z[static_cast<std::size_t>(slot)] = value;
  };
  const auto load_node = [&](std::size_t c, int k, int slot, int time_slot) {
    const std::vector<JointNode>& nodes = chains_[c].nodes;
    if (k < 0 || k >= static_cast<int>(nodes.size())) {
      for (int i = 0; i < 3; ++i) load(slot + i, 0.0, -1);
      load(time_slot, 0.0, -1);
      return;
    }
    const auto& index = index_[c][static_cast<std::size_t>(k)];
    for (int i = 0; i < 3; ++i)
      load(slot + i, nodes[static_cast<std::size_t>(k)].q[i], index[static_cast<std::size_t>(i)]);
    load(time_slot, nodes[static_cast<std::size_t>(k)].time, index[3]);
  };
  for (int i = 0; i < kJointParams; ++i)
    map[static_cast<std::size_t>(kNumbers + i)] =
        i < family_->size() && !held_[static_cast<std::size_t>(i)] ? unknowns_ + i : -1;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const JointChain& chain = chains_[c];
    const int count = static_cast<int>(chain.nodes.size());
    int frame = 0;
    for (int k = 0; k < count; ++k) {
      const JointNode& node = chain.nodes[static_cast<std::size_t>(k)];
      load_node(c, k - 1, kBefore, kTimes);
      load_node(c, k, kHere, kTimes + 1);
      load_node(c, k + 1, kAfter, kTimes + 2);
      const auto& index = index_[c][static_cast<std::size_t>(k)];
      for (int i = 0; i < kJointContacts; ++i)
        load(kNormals + i, node.contacts[static_cast<std::size_t>(i)].impulse, index[static_cast<std::size_t>(4 + i)]);
      for (int i = 0; i < kJointGroups; ++i)
        load(kTangents + i, node.frictions[static_cast<std::size_t>(i)].impulse,
             index[static_cast<std::size_t>(4 + kJointContacts + i)]);
      NodeRows(numbers, chain, k, z.data(), [&](JointRowKind kind, const T& value) { visit(kind, value, map); });

      // Frames between this node and the next.
      if (k + 1 >= count) continue;
      const double end = chain.nodes[static_cast<std::size_t>(k) + 1].time;
      const EventVector<T> a = numbers.Acceleration(0.5 * (node.time + end));
      while (frame < chain.track.size() &&
             (chain.track.time[static_cast<std::size_t>(frame)] < end || k + 2 == count)) {
        const int i = frame++;
        if (chain.rejected[static_cast<std::size_t>(i)]) continue;
        const T h = z[kTimes + 2] - z[kTimes + 1], s = T(chain.track.time[static_cast<std::size_t>(i)]) - z[kTimes + 1];
        const T ratio = s / h, bend = s * (h - s) * 0.5;
        EventVector<T> pose;
        for (int j = 0; j < 3; ++j) pose[j] = z[kHere + j] + (z[kAfter + j] - z[kHere + j]) * ratio - a[j] * bend;
        const T cosine = cos(pose[2]), sine = sin(pose[2]);
        pose[0] -= cosine * numbers.com_x - sine * numbers.com_y;
        pose[1] -= sine * numbers.com_x + cosine * numbers.com_y;
        for (int j = 0; j < 3; ++j)
          visit(JointRowKind::kData,
                (pose[j] - chain.track.pose[static_cast<std::size_t>(i)][j]) * (1 / chain.track.Noise(j)), map);
      }
    }
  }
}

JointProgram::Value JointProgram::Evaluate() const { return Collect(nullptr); }

JointProgram::Value JointProgram::Linearize(BorderedBand& system) const {
  system.Reset(unknowns_, width_, family_->size());
  return Collect(&system);
}

JointProgram::Value JointProgram::Collect(BorderedBand* system) const {
  Value out;
  const double penalty = weights_.penalty;
  int equality = 0;
  double factor = 1;  // of the row's derivatives
  const auto weigh = [&](JointRowKind kind, double value) {
    factor = kind == JointRowKind::kEquality || kind == JointRowKind::kPenalty ? penalty : 1.0;
    if (kind == JointRowKind::kData) {
      out.chi2 += value * value;
      ++out.data;
      const double size = std::abs(value), k = weights_.huber;
      if (k > 0 && size > k) {
        // Huber's loss by reweighting: the merit is that of the loss, the derivative that of its slope.
        out.merit += 2 * k * size - k * k;
        factor = std::sqrt(k / size);
        return value * factor;
      }
    } else if (kind == JointRowKind::kEquality) {
      out.violation = std::max(out.violation, std::abs(value));
      value = penalty * value + multipliers_[equality++] / penalty;
    } else if (kind == JointRowKind::kPenalty) {
      value *= penalty;
    }
    out.merit += value * value;
    return value;
  };
  if (!system) {
    const Numbers<double> numbers{body_, loads_, com_.x(), com_.y()};
    VisitRows(numbers, [&](JointRowKind kind, double value, const auto&) { weigh(kind, value); });
    return out;
  }
  VisitJets([&](JointRowKind kind, const JointJet& row, const std::array<int, kJointLocal>& map) {
    const double weighted = weigh(kind, row.a);
    if (factor == 1) {
      system->AddRow(weighted, map, {row.v.data(), static_cast<std::size_t>(kJointLocal)});
    } else {
      const JointJet::Gradient scaled = factor * row.v;
      system->AddRow(weighted, map, {scaled.data(), static_cast<std::size_t>(kJointLocal)});
    }
  });
  return out;
}

void JointProgram::ForEachRow(
    const std::function<void(JointRowKind, double, std::span<const int>, std::span<const double>)>& visit) const {
  VisitJets([&](JointRowKind kind, const JointJet& row, const std::array<int, kJointLocal>& map) {
    visit(kind, row.a, map, {row.v.data(), static_cast<std::size_t>(kJointLocal)});
  });
}

template <class Visit>
void JointProgram::VisitJets(Visit visit) const {
  std::vector<EventJet> seeded;
  for (int i = 0; i < family_->size(); ++i) seeded.push_back(EventJet::Variable(params_[i], i));
  const PlanarModel<EventJet> model = family_->Compile<EventJet>(seeded);
  const EventBody<EventJet> narrow = MakeEventBody(model, family_->body());
  auto numbers = std::make_unique<Numbers<JointJet>>();
  ConvertBody(narrow, Widen, numbers->body);
  numbers->body.size = body_.size;  // a scale of rows, without derivatives
  for (const Load<EventJet>& load : model.loads) {
    if (load.body != family_->body()) continue;
    Load<JointJet>& out = numbers->loads.emplace_back();
    for (int i = 0; i < 3; ++i) out.force[i] = Widen(load.force[i]);
    out.from = load.from;
    out.until = load.until;
  }
  const auto& com = model.bodies[static_cast<std::size_t>(family_->body())].p_BBcm;
  numbers->com_x = Widen(com.x());
  numbers->com_y = Widen(com.y());
  VisitRows(*numbers, visit);
}

void JointProgram::UpdateMultipliers() {
  int equality = 0;
  const double square = weights_.penalty * weights_.penalty;
  const Numbers<double> numbers{body_, loads_, com_.x(), com_.y()};
  VisitRows(numbers, [&](JointRowKind kind, double value, const auto&) {
    if (kind == JointRowKind::kEquality) multipliers_[equality++] += square * value;
  });
}

Eigen::VectorXd JointProgram::Advance(const Eigen::VectorXd& x, const Eigen::VectorXd& step) const {
  double fraction = 1;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const std::vector<JointNode>& nodes = chains_[c].nodes;
    for (std::size_t k = 0; k + 1 < nodes.size(); ++k) {
      const int here = index_[c][k][3], next = index_[c][k + 1][3];
      const double left = here >= 0 ? step[here] : 0, right = next >= 0 ? step[next] : 0;
      const double room = nodes[k + 1].time - nodes[k].time;
      if (left - right > 0.6 * room) fraction = std::min(fraction, 0.6 * room / (left - right));
    }
  }
  const ParameterMap& parameters = family_->parameters();
  Eigen::VectorXd out = parameters.MoveWithin(unknowns_, x, fraction * step);
  out.tail(parameters.size()) = parameters.Clamp(out.tail(parameters.size()));
  return out;
}

Eigen::Vector3d JointProgram::Acceleration(double time) const {
  return Numbers<double>{body_, loads_, com_.x(), com_.y()}.Acceleration(time);
}

Eigen::Vector3d JointProgram::PoseAt(const JointChain& chain, double t) const {
  const std::size_t k = static_cast<std::size_t>(chain.Interval(t));
  const JointNode &a = chain.nodes[k], &b = chain.nodes[k + 1];
  const double h = b.time - a.time, s = t - a.time;
  return a.q + (b.q - a.q) * (s / h) - Acceleration(0.5 * (a.time + b.time)) * (0.5 * s * (h - s));
}

Eigen::Vector3d JointProgram::Before(const JointChain& chain, int k) const {
  const JointNode &a = chain.nodes[static_cast<std::size_t>(k) - 1], &b = chain.nodes[static_cast<std::size_t>(k)];
  const double h = b.time - a.time;
  return (b.q - a.q) / h + Acceleration(0.5 * (a.time + b.time)) * (0.5 * h);
}

Eigen::Vector3d JointProgram::After(const JointChain& chain, int k) const {
  const JointNode &a = chain.nodes[static_cast<std::size_t>(k)], &b = chain.nodes[static_cast<std::size_t>(k) + 1];
  const double h = b.time - a.time;
  return (b.q - a.q) / h - Acceleration(0.5 * (a.time + b.time)) * (0.5 * h);
}

double JointProgram::Slip(const JointChain& chain, int k, int candidate) const {
  const JointNode& node = chain.nodes[static_cast<std::size_t>(k)];
  const Eigen::Vector3d after = After(chain, k);
  if (!chain.Lasts(k)) return body_.TangentSpeed(candidate, body_.Gap(candidate, node.q), after);
  const JointNode& next = chain.nodes[static_cast<std::size_t>(k) + 1];
  const Eigen::Vector3d middle = 0.5 * (node.q + next.q), mean = (next.q - node.q) / (next.time - node.time);
  EventGap<double> gap = body_.Gap(candidate, middle);
  gap.r_n = (body_.Gap(candidate, node.q).r_n + 4 * gap.r_n + body_.Gap(candidate, next.q).r_n) / 6;
  return body_.TangentSpeed(candidate, gap, mean);
}

}  // namespace ricochet
