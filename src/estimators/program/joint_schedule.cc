// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/program/joint_schedule.h"

#include <algorithm>
#include <cmath>

#include "math/dense.h"

namespace ricochet {
namespace {

constexpr double kJoin = 1.0;                       // steps; flights shorter than this are lasting contact
constexpr double kNearest = 0.4;                    // steps between a landing and the first node of the grid
constexpr double kBounce = 2.0;                     // steps; shorter bounces are lasting contact
constexpr double kUnseen = 0.3, kUnseenSteps = 20;  // of the noise of positions; steps
constexpr double kTouch = 0.02;                     // of the length scale: overlap that counts

void AddContact(JointNode& node, const EventBody<double>& body, int candidate, int slip) {
  if (node.contact_count == kJointContacts || node.Touches(candidate)) return;
  const int group = body.candidates[static_cast<std::size_t>(candidate)].group;
  bool known = false;
  for (int g = 0; g < node.friction_count; ++g)
    known = known || node.frictions[static_cast<std::size_t>(g)].group == group;
  if (!known && node.friction_count == kJointGroups) return;
  node.contacts[static_cast<std::size_t>(node.contact_count++)] = {candidate, 0.0};
  if (!known) node.frictions[static_cast<std::size_t>(node.friction_count++)] = {group, slip, 0.0};
}

void RemoveContact(JointNode& node, const EventBody<double>& body, int which) {
  const int group =
      body.candidates[static_cast<std::size_t>(node.contacts[static_cast<std::size_t>(which)].candidate)].group;
  for (int i = which; i + 1 < node.contact_count; ++i)
    node.contacts[static_cast<std::size_t>(i)] = node.contacts[static_cast<std::size_t>(i) + 1];
  --node.contact_count;
  for (int i = 0; i < node.contact_count; ++i)
    if (body.candidates[static_cast<std::size_t>(node.contacts[static_cast<std::size_t>(i)].candidate)].group == group)
      return;
  for (int g = 0; g < node.friction_count; ++g)
    if (node.frictions[static_cast<std::size_t>(g)].group == group) {
      for (int i = g; i + 1 < node.friction_count; ++i)
        node.frictions[static_cast<std::size_t>(i)] = node.frictions[static_cast<std::size_t>(i) + 1];
      --node.friction_count;
      return;
    }
}

int SlipOf(const JointNode& node, const EventBody<double>& body, int candidate) {
  const int group = body.candidates[static_cast<std::size_t>(candidate)].group;
  for (int g = 0; g < node.friction_count; ++g)
    if (node.frictions[static_cast<std::size_t>(g)].group == group)
      return node.frictions[static_cast<std::size_t>(g)].slip;
  return 0;
}

/// Friction of a node decides the step after it: the slip of the stretch of that contact half a step later, or of an
/// impact the impact's own. `joined` is the stretch that it became a part of.
int SlipAfter(const std::vector<JointStretch>& stretches, const JointStretch& joined, double time, double h) {
  int slip = joined.slip;
  double nearest = INFINITY;
  for (const JointStretch& stretch : stretches) {
    if (stretch.candidate != joined.candidate) continue;
    const double at = joined.to > joined.from ? std::min(time + 0.5 * h, joined.to) : time;
    const double distance = std::max({stretch.from - at, at - stretch.to, 0.0});
    if (distance > nearest) continue;
    nearest = distance;
    slip = stretch.slip;
  }
  return slip;
}

/// Times at which loads begin, end or act at once.
std::vector<double> LoadTimes(const PlanarFamily& family) {
  std::vector<double> times;
  const PlanarModel<double> model =
      family.Compile<double>({family.start().data(), static_cast<std::size_t>(family.size())});
  for (const Load<double>& load : model.loads) {
    if (load.body != family.body()) continue;
    for (const double t : {load.from, load.until, load.at})
      if (std::isfinite(t)) times.push_back(t);
  }
  return times;
}

}  // namespace

void LayNodes(const PlanarFamily& family, std::vector<JointStretch> stretches,
              const std::function<Eigen::Vector3d(double)>& pose, JointChain& chain) {
  const PlanarModel<double> model =
      family.Compile<double>({family.start().data(), static_cast<std::size_t>(family.size())});
  const EventBody<double> body = MakeEventBody(model, family.body());
  const double first = chain.track.time.front(), last = chain.track.time.back(), h = chain.step;

  // Clip to the recording; join what is a step apart.
  std::sort(stretches.begin(), stretches.end(),
            [](const JointStretch& a, const JointStretch& b) { return a.from < b.from; });
  std::vector<JointStretch> joined;
  for (JointStretch stretch : stretches) {
    if (stretch.to < first || stretch.from > last - 0.05 * h) continue;
    stretch.from = std::max(stretch.from, first);
    stretch.to = std::min(stretch.to, last);
    auto same = std::find_if(joined.rbegin(), joined.rend(),
                             [&](const JointStretch& other) { return other.candidate == stretch.candidate; });
    if (same != joined.rend() && stretch.from - same->to < kJoin * h)
      same->to = std::max(same->to, stretch.to);
    else
      joined.push_back(stretch);
  }

  // Times: ends, loads, beginnings of stretches, grids of lasting contact.
  struct Instant {
    double time;
    int rank;  // 0 end or load, 1 beginning, 2 grid
  };
  std::vector<Instant> instants = {{first, 0}, {last, 0}};
  for (const double t : LoadTimes(family))
    if (t > first + 1e-9 && t < last - 1e-9) instants.push_back({t, 0});
  for (const JointStretch& stretch : joined) {
    if (stretch.from > first + 1e-9) instants.push_back({stretch.from, 1});
    const int count = static_cast<int>(std::ceil((stretch.to - stretch.from) / h - kNearest));
    for (int i = 1; i <= count; ++i) instants.push_back({std::min(stretch.from + i * h, last), 2});
  }
  std::sort(instants.begin(), instants.end(),
            [](const Instant& a, const Instant& b) { return a.time != b.time ? a.time < b.time : a.rank < b.rank; });
  std::vector<Instant> kept;
  for (const Instant& instant : instants) {
    if (kept.empty() ||
        instant.time - kept.back().time > (instant.rank == 2 || kept.back().rank == 2 ? kNearest * h : 1e-6 * h)) {
      kept.push_back(instant);
    } else if (instant.rank < kept.back().rank) {
      kept.back() = instant;
    }
  }
  chain.nodes.clear();
  for (const Instant& instant : kept) {
    JointNode node;
    node.time = instant.time;
    node.q = pose(instant.time);
    node.knot = instant.rank == 0;
    node.moves = instant.rank == 1;
    const double slack = instant.rank == 2 ? 0.5 * h : 1e-9;
    for (const JointStretch& stretch : joined)
      if (instant.time >= stretch.from - 1e-9 && instant.time <= stretch.to + slack)
        AddContact(node, body, stretch.candidate, SlipAfter(stretches, stretch, instant.time, h));
    for (const Load<double>& load : model.loads)
      if (load.body == family.body() && std::abs(load.at - instant.time) < 1e-9) node.kick += load.impulse.head<3>();
    chain.nodes.push_back(node);
  }
  chain.Classify();
}

std::vector<JointStretch> StretchesOf(const JointChain& chain) {
  std::vector<JointStretch> out;
  const int n = static_cast<int>(chain.nodes.size());
  for (int k = 0; k < n; ++k) {
    const JointNode& node = chain.nodes[static_cast<std::size_t>(k)];
    for (int i = 0; i < node.contact_count; ++i) {
      const int candidate = node.contacts[static_cast<std::size_t>(i)].candidate;
      const int slip = node.friction_count > 0 ? node.frictions[0].slip : 0;
      bool extended = false;
      if (k > 0 && chain.Lasts(k - 1))
        for (JointStretch& stretch : out)
          if (stretch.candidate == candidate && stretch.to == chain.nodes[static_cast<std::size_t>(k) - 1].time) {
            stretch.to = node.time;
            extended = true;
          }
      if (!extended) out.push_back({node.time, node.time, candidate, slip});
    }
  }
  return out;
}

void SetImpulses(JointProgram& program) {
  const EventBody<double>& body = program.body();
  for (JointChain& chain : program.chains())
    for (int k = 1; k + 1 < static_cast<int>(chain.nodes.size()); ++k) {
      JointNode& node = chain.nodes[static_cast<std::size_t>(k)];
      const int columns = node.contact_count + node.friction_count;
      if (columns == 0) continue;
      const Eigen::Vector3d jump = program.After(chain, k) - program.Before(chain, k);
      const Eigen::Vector3d momentum(jump[0] / body.inverse_mass, jump[1] / body.inverse_mass,
                                     jump[2] / body.inverse_inertia / body.size);
      Eigen::MatrixXd directions(3, columns);
      for (int i = 0; i < node.contact_count; ++i) {
        const int candidate = node.contacts[static_cast<std::size_t>(i)].candidate;
        const EventGap<double> gap = body.Gap(candidate, node.q);
        const int group = body.candidates[static_cast<std::size_t>(candidate)].group;
        const EventSurface<double>& s = body.surfaces[static_cast<std::size_t>(group)];
        directions.col(i) << s.nx, s.ny, gap.r_t / body.size;
        for (int g = 0; g < node.friction_count; ++g)
          if (node.frictions[static_cast<std::size_t>(g)].group == group)
            directions.col(node.contact_count + g) << s.tx, s.ty, -gap.r_n / body.size;
      }
      const Eigen::VectorXd c = SolveLeastNorm(directions, momentum);
      for (int i = 0; i < node.contact_count; ++i) node.contacts[static_cast<std::size_t>(i)].impulse = c[i];
      for (int g = 0; g < node.friction_count; ++g)
        node.frictions[static_cast<std::size_t>(g)].impulse = c[node.contact_count + g];
    }
}

JointChanges ChangeActiveSet(JointProgram& program) {
  JointChanges changes;
  const EventBody<double> body = program.body();
  for (JointChain& chain : program.chains()) {
    const double h = chain.step, length = JointProgram::LengthScale(chain.track, body.size);
    const double impulse_scale = 1e-6 * program.weights().speed / body.inverse_mass;
    std::vector<JointNode> nodes;
    const int n = static_cast<int>(chain.nodes.size());

    // Friction first, on the nodes as they are.
    for (int k = 1; k + 1 < n; ++k) {
      JointNode& node = chain.nodes[static_cast<std::size_t>(k)];
      for (int g = 0; g < node.friction_count; ++g) {
        JointFriction& friction = node.frictions[static_cast<std::size_t>(g)];
        double load = 0;
        int candidate = 0;
        for (int i = 0; i < node.contact_count; ++i) {
          const JointContact& contact = node.contacts[static_cast<std::size_t>(i)];
          if (body.candidates[static_cast<std::size_t>(contact.candidate)].group != friction.group) continue;
          load += contact.impulse;
          candidate = contact.candidate;
        }
        const double bound = body.surfaces[static_cast<std::size_t>(friction.group)].friction * std::max(load, 0.0);
        if (friction.slip == 0 && std::abs(friction.impulse) > bound * (1 + 1e-6) + impulse_scale) {
          friction.slip = friction.impulse > 0 ? -1 : 1;
          ++changes.friction;
        } else if (friction.slip != 0 &&
                   program.Slip(chain, k, candidate) * friction.slip < -1e-6 * program.weights().speed) {
          friction.slip = 0;
          ++changes.friction;
        }
      }
    }

    // Contacts that pull open; flights that enter a surface close.
    for (int k = 0; k < n; ++k) {
      JointNode node = chain.nodes[static_cast<std::size_t>(k)];
      if (k > 0 && k + 1 < n)
        for (int i = node.contact_count - 1; i >= 0; --i)
          if (node.contacts[static_cast<std::size_t>(i)].impulse < -impulse_scale) {
            RemoveContact(node, body, i);
            ++changes.opened;
          }
      const bool landing = node.moves;
      if (node.contact_count > 0 || node.knot) {
        if (node.contact_count == 0) node.moves = false;
        nodes.push_back(node);
      }
      if (k + 1 == n) break;
      const JointNode& next = chain.nodes[static_cast<std::size_t>(k) + 1];
      const double gap_time = next.time - node.time;
      if (chain.Lasts(k)) {
        // The grid after a landing that moved.
        if (landing && gap_time > 1.6 * h && node.contact_count > 0) {
          JointNode extra = node;
          extra.time = node.time + 0.5 * gap_time;
          extra.moves = false;
          extra.knot = false;
          extra.kick.setZero();
          extra.q = program.PoseAt(chain, extra.time);
          for (JointContact& contact : extra.contacts) contact.impulse = 0;
          for (JointFriction& friction : extra.frictions) friction.impulse = 0;
          nodes.push_back(extra);
          ++changes.moved;
        } else if (landing && gap_time < 0.3 * h && k + 2 < n && chain.Lasts(k + 1) && !next.moves && !next.knot &&
                   nodes.size() > 1) {
          ++k;  // the next node is dropped
          ++changes.moved;
        }
        continue;
      }
      const int samples = std::clamp(static_cast<int>(std::ceil(gap_time / (0.25 * h))), 4, 2000);
      for (int candidate = 0; candidate < body.candidate_count; ++candidate) {
        // Intervals of overlap.
        int from = -1;
        for (int i = 1; i <= samples; ++i) {
          const double t = node.time + gap_time * i / samples;
          bool inside = false;
          if (i < samples) {
            const Eigen::Vector3d q = program.PoseAt(chain, t);
            const EventGap<double> gap = body.Gap(candidate, q);
            inside = gap.phi < -kTouch * length && body.WithinExtent(candidate, gap, q);
          }
          if (inside && from < 0) from = i;
          if (inside || from < 0) continue;
          const int to = i - 1;
          const bool left = from == 1 && node.Touches(candidate), right = to == samples - 1 && next.Touches(candidate);
          std::vector<double> times;
          const double begin = node.time + gap_time * from / samples, end = node.time + gap_time * to / samples;
          if (left && right)
            for (int j = 1; j * h < gap_time - kNearest * h; ++j) times.push_back(node.time + j * h);
          else if (left)
            for (int j = 1; node.time + (j - 0.5) * h < end; ++j) times.push_back(node.time + j * h);
          else if (right)
            for (int j = 1; next.time - (j - 0.5) * h > begin; ++j) times.insert(times.begin(), next.time - j * h);
          else
            times.push_back(0.5 * (begin + end));
          for (const double time : times) {
            if (time <= node.time + 0.3 * h || time >= next.time - 0.3 * h) continue;
            JointNode extra;
            extra.time = time;
            extra.q = program.PoseAt(chain, time);
            extra.moves = !left && !right;
            AddContact(extra, body, candidate, SlipOf(node, body, candidate));
            const EventGap<double> gap = body.Gap(candidate, extra.q);
            const EventSurface<double>& s =
                body.surfaces[static_cast<std::size_t>(body.candidates[static_cast<std::size_t>(candidate)].group)];
            extra.q[0] -= s.nx * gap.phi;
            extra.q[1] -= s.ny * gap.phi;
            nodes.push_back(extra);
            ++changes.closed;
          }
          from = -1;
        }
      }
    }
    std::stable_sort(nodes.begin(), nodes.end(),
                     [](const JointNode& a, const JointNode& b) { return a.time < b.time; });
    // Contacts of several candidates that were added beside each other become one node.
    std::vector<JointNode> merged;
    for (const JointNode& node : nodes) {
      if (!merged.empty() && node.time - merged.back().time < 0.2 * h &&
          (node.contact_count == 0 || merged.back().contact_count == 0 ||
           !merged.back().Touches(node.contacts[0].candidate))) {
        JointNode& target = merged.back();
        if (node.knot) {
          target.knot = true;
          target.moves = false;
          target.time = node.time;
          target.kick += node.kick;
        }
        for (int i = 0; i < node.contact_count; ++i)
          AddContact(target, body, node.contacts[static_cast<std::size_t>(i)].candidate,
                     SlipOf(node, body, node.contacts[static_cast<std::size_t>(i)].candidate));
        continue;
      }
      merged.push_back(node);
    }
    chain.nodes = std::move(merged);
    // Every beginning of a contact moves; nothing else does.
    chain.Classify();
    for (std::size_t k = 1; k + 1 < chain.nodes.size(); ++k) {
      JointNode& node = chain.nodes[k];
      bool begins = false;
      for (int i = 0; i < node.contact_count; ++i) {
        const int candidate = node.contacts[static_cast<std::size_t>(i)].candidate;
        begins = begins || !(chain.Lasts(static_cast<int>(k) - 1) && chain.nodes[k - 1].Touches(candidate));
      }
      if (node.moves == (begins && !node.knot)) continue;
      node.moves = !node.moves;
      ++changes.moved;
    }
  }
  if (changes.total() > 0) program.Layout();
  return changes;
}

int CloseUnseen(JointProgram& program) {
  int closed = 0;
  const EventBody<double> body = program.body();
  for (JointChain& chain : program.chains()) {
    std::vector<JointNode> nodes;
    const double h = chain.step;
    for (std::size_t k = 0; k < chain.nodes.size(); ++k) {
      nodes.push_back(chain.nodes[k]);
      if (k + 1 == chain.nodes.size() || chain.nodes[k].lasts || chain.nodes[k].contact_count != 1) continue;
      const JointNode &here = chain.nodes[k], &next = chain.nodes[k + 1];
      const int candidate = here.contacts[0].candidate;
      const double flight = next.time - here.time;
      if (!next.Touches(candidate) || flight > kUnseenSteps * h) continue;
      double highest = 0;
      for (int i = 1; i < 16; ++i)
        highest = std::max(highest, body.Gap(candidate, program.PoseAt(chain, here.time + flight * i / 16)).phi);
      if (highest > kUnseen * chain.track.noise_position) continue;
      const int count = static_cast<int>(std::round(flight / h));
      for (int i = 1; i < count; ++i) {
        JointNode extra;
        extra.time = here.time + flight * i / count;
        extra.q = program.PoseAt(chain, extra.time);
        const EventSurface<double>& s =
            body.surfaces[static_cast<std::size_t>(body.candidates[static_cast<std::size_t>(candidate)].group)];
        const double phi = body.Gap(candidate, extra.q).phi;
        extra.q[0] -= s.nx * phi;
        extra.q[1] -= s.ny * phi;
        AddContact(extra, body, candidate, SlipOf(here, body, candidate));
        nodes.push_back(extra);
      }
      ++closed;
    }
    chain.nodes = std::move(nodes);
    chain.Classify();
    for (std::size_t k = 1; k + 1 < chain.nodes.size(); ++k)
      if (chain.Lasts(static_cast<int>(k) - 1) && chain.nodes[k].contact_count == 1) chain.nodes[k].moves = false;
  }
  if (closed > 0) program.Layout();
  return closed;
}

int OpenBounces(JointProgram& program) {
  int opened = 0;
  const EventBody<double> body = program.body();
  for (JointChain& chain : program.chains()) {
    std::vector<JointNode> nodes;
    const int n = static_cast<int>(chain.nodes.size());
    for (int k = 0; k < n; ++k) {
      const JointNode& node = chain.nodes[static_cast<std::size_t>(k)];
      nodes.push_back(node);
      if (k == 0 || k + 1 >= n || node.contact_count != 1 || !node.moves || !chain.Lasts(k) || chain.Lasts(k - 1))
        continue;
      const int candidate = node.contacts[0].candidate;
      const EventSurface<double>& s =
          body.surfaces[static_cast<std::size_t>(body.candidates[static_cast<std::size_t>(candidate)].group)];
      const EventGap<double> gap = body.Gap(candidate, node.q);
      const Eigen::Vector3d after = program.After(chain, k), a = program.Acceleration(node.time);
      const double approach = body.NormalSpeed(candidate, gap, program.Before(chain, k));
      const double fall = -(s.nx * a[0] + s.ny * a[1] + gap.r_t * a[2] + gap.c * after[2] * after[2]);
      if (approach >= 0 || fall <= 0) continue;
      const double flight = 2 * s.restitution * -approach / fall;
      if (flight < kBounce * chain.step) continue;
      // The nodes during the bounce are left out; the next one is where it lands.
      int next = k + 1;
      while (next + 1 < n && chain.Lasts(next) &&
             chain.nodes[static_cast<std::size_t>(next)].time < node.time + flight &&
             !chain.nodes[static_cast<std::size_t>(next)].knot)
        ++next;
      k = next - 1;
      ++opened;
    }
    if (opened == 0) continue;
    chain.nodes = std::move(nodes);
    chain.Classify();
    for (std::size_t k = 1; k + 1 < chain.nodes.size(); ++k)
      if (chain.nodes[k].contact_count > 0 && !chain.Lasts(static_cast<int>(k) - 1))
        chain.nodes[k].moves = !chain.nodes[k].knot;
  }
  if (opened > 0) program.Layout();
  return opened;
}

}  // namespace ricochet
