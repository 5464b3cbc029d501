// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dynamics/tree/tree_flow.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace ricochet {
namespace {

#include "dynamics/tree/dormand_prince.inc"

constexpr int kMostAtOnce = 40;       // events without time between them; more is no motion
constexpr double kNoTime = 1e-10;     // [s]
constexpr int kMostHalvings = 12;     // of a step
constexpr double kRestRate = 1e-9;    // [rad/s], slower is rest
constexpr double kKinkPlace = 1e-3;   // of a step
constexpr double kNoReaction = 1e-6;  // of the bound: a smaller component is rounding about zero
constexpr double kFarAway = 1e6;      // [rad], [m], [1/s]

using Vector = TreeMechanism::Vector;
using Modes = TreeMechanism::Modes;
using Side = InputSignal::Side;

struct Point {
  Vector x{}, r{}, a{};
};

/// What happens first in a step.
struct Event {
  enum Kind { kNone, kRest, kRelease, kKink } kind = kNone;
  int dof = 0, part = 0;
  double place = 1;  // guess, of the step
};

/// One run: state, modes and scratch.
class Runner {
 public:
  Runner(const TreeMechanism& mechanism, const TreeConstants<double>& constants,
         std::span<const TreeParameter> parameters, const FlowOptions& options, const InputSignal& inputs)
      : mechanism_(mechanism),
        constants_(constants),
        parameters_(parameters),
        options_(options),
        inputs_(inputs),
        n_(mechanism.dof()) {
    modes_.fill(1);
    int count = 0;
    for (const auto& link : mechanism.links()) count = std::max(count, link.input + 1);
    u_.assign(static_cast<std::size_t>(count), 0.0);
  }

  bool Run(const Vector& x, const Vector& r, double t0, double t1, bool derivatives,
           const std::function<void(const FlowPiece&)>& piece, TreeFlow::End& end, FlowPath* path);

 private:
  /// The next step toward `stop`: its length, its end and the event there, with the workspace at the end. None when
  /// the motion runs away.
  std::optional<double> TakeStep(double t, double stop, const Point& from, double& preferred, Point& to,
                                 Event& located);
  bool Slides(int k) const { return options_.slides[static_cast<std::size_t>(k)] != 0; }
  void Accelerate(double t, Side side, const Vector& x, const Vector& r, const Modes& modes, Vector& a) {
    if (any_linear_) inputs_.At(t, side, u_);
    mechanism_.Accelerate(constants_, x.data(), r.data(), u_, modes, a.data(), ws_);
  }
  void HoldInputs(double t) {
    any_linear_ = inputs_.HasLinear();
    inputs_.At(t, Side::kAfter, u_);
  }
  bool ChooseModes(double t, Point& at);
  bool Settle(double t, int k, Point& at);
  double Step(double t, const Point& from, double h, Point& to);
  Event FirstEvent(const Point& from, const Point& to, const Event& known);
  double Locate(double t, const Event& event, const Point& from, double h, Point& to);
  void Between(const Point& from, const Point& to, double h, double s, Point& at) const;
  double EventValue(const Event& event) const;

  const TreeMechanism& mechanism_;
  const TreeConstants<double>& constants_;
  std::span<const TreeParameter> parameters_;
  const FlowOptions& options_;
  const InputSignal& inputs_;
  int n_;
  std::vector<double> u_;
  bool any_linear_ = false;
  Modes modes_;
  TreeWorkspace ws_;
  std::array<std::array<double, 5>, kTreeMost> reaction_{};  // at the start of the step
};

void Quintic(double s, double h, std::array<double, 6>& value, std::array<double, 6>& slope) {
  const double s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s;
  value = {
      1 - 10 * s3 + 15 * s4 - 6 * s5, h * (s - 6 * s3 + 8 * s4 - 3 * s5), h * h * 0.5 * (s2 - 3 * s3 + 3 * s4 - s5),
      10 * s3 - 15 * s4 + 6 * s5,     h * (-4 * s3 + 7 * s4 - 3 * s5),    h * h * 0.5 * (s3 - 2 * s4 + s5)};
  slope = {(-30 * s2 + 60 * s3 - 30 * s4) / h,
           1 - 18 * s2 + 32 * s3 - 15 * s4,
           h * 0.5 * (2 * s - 9 * s2 + 12 * s3 - 5 * s4),
           (30 * s2 - 60 * s3 + 30 * s4) / h,
           -12 * s2 + 28 * s3 - 15 * s4,
           h * 0.5 * (3 * s2 - 8 * s3 + 5 * s4)};
}

void Runner::Between(const Point& from, const Point& to, double h, double s, Point& at) const {
  std::array<double, 6> value, slope;
  Quintic(s, h, value, slope);
  for (int k = 0; k < n_; ++k) {
    at.x[k] = value[0] * from.x[k] + value[1] * from.r[k] + value[2] * from.a[k] + value[3] * to.x[k] +
              value[4] * to.r[k] + value[5] * to.a[k];
    at.r[k] = slope[0] * from.x[k] + slope[1] * from.r[k] + slope[2] * from.a[k] + slope[3] * to.x[k] +
              slope[4] * to.r[k] + slope[5] * to.a[k];
  }
}

/// One step; fills `to` (with accelerations) and returns the error over the tolerance.
double Runner::Step(double t, const Point& from, double h, Point& to) {
  std::array<Vector, kStages> kx, kr;  // slopes
  kx[0] = from.r;
  kr[0] = from.a;
  Vector x{}, r{};
  for (int i = 1; i < kStages; ++i) {
    for (int k = 0; k < n_; ++k) {
      double sx = 0, sr = 0;
      for (int j = 0; j < i; ++j) {
        sx += kStage[i][j] * kx[j][k];
        sr += kStage[i][j] * kr[j][k];
      }
      x[k] = from.x[k] + h * sx;
      r[k] = from.r[k] + h * sr;
    }
    kx[i] = r;
    Accelerate(t + kTime[i] * h, Side::kBefore, x, r, modes_, kr[i]);
  }
  double worst = 0;
  for (int k = 0; k < n_; ++k) {
    double sx = 0, sr = 0, x3 = 0, x5 = 0, r3 = 0, r5 = 0;
    for (int j = 0; j < kStages; ++j) {
      sx += kWeight[j] * kx[j][k];
      sr += kWeight[j] * kr[j][k];
      x3 += kError3[j] * kx[j][k];
      x5 += kError5[j] * kx[j][k];
      r3 += kError3[j] * kr[j][k];
      r5 += kError5[j] * kr[j][k];
    }
    to.x[k] = from.x[k] + h * sx;
    to.r[k] = from.r[k] + h * sr;
    const auto estimate = [&](double e3, double e5) {
      const double bottom = std::sqrt(e5 * e5 + 0.01 * e3 * e3);
      return bottom > 0 ? std::abs(h) * e5 * e5 / bottom : 0.0;
    };
    worst = std::max({worst, estimate(x3, x5) / options_.tolerance, 0.1 * estimate(r3, r5) / options_.tolerance});
  }
  // Sticking joints keep their place to the last digit.
  for (int k = 0; k < n_; ++k)
    if (modes_[k] == 0) to.x[k] = from.x[k], to.r[k] = 0;
  to.a = kr[kStages - 1];
  Accelerate(t + h, Side::kBefore, to.x, to.r, modes_, to.a);
  return worst;
}

double Runner::EventValue(const Event& event) const {
  if (event.kind == Event::kKink) return ws_.dof[event.dof].reaction[event.part];
  double torque;
  return mechanism_.StickingSlack(constants_, event.dof, ws_, torque);
}

/// After a step, with the workspace at its end; the event `known` to lie there does not count.
Event Runner::FirstEvent(const Point& from, const Point& to, const Event& known) {
  Event first;
  const auto offer = [&](Event::Kind kind, int dof, int part, double before, double after) {
    if (kind == known.kind && dof == known.dof && part == known.part) return;
    const double place = before == after ? 0.5 : std::clamp(before / (before - after), 0.0, 1.0);
    if (first.kind == Event::kNone || place < first.place) first = {kind, dof, part, place};
  };
  for (int k = 0; k < n_; ++k) {
    if (!Slides(k)) continue;
    if (modes_[k] == 0) {
      double torque;
      if (const double slack = mechanism_.StickingSlack(constants_, k, ws_, torque); slack < 0)
        offer(Event::kRelease, k, 0, 1.0, -1.0);
      continue;
    }
    if (modes_[k] * to.r[k] < 0) offer(Event::kRest, k, 0, from.r[k], to.r[k]);
    if (!options_.kinks || !mechanism_.link_of(k).l1 || !mechanism_.IsDry(constants_, k)) continue;
    const double least = kNoReaction * ws_.dof[k].beta;
    for (int part = 0; part < 5; ++part)
      if ((reaction_[k][part] < 0) != (ws_.dof[k].reaction[part] < 0) &&
          std::max(std::abs(reaction_[k][part]), std::abs(ws_.dof[k].reaction[part])) > least)
        offer(Event::kKink, k, part, reaction_[k][part], ws_.dof[k].reaction[part]);
  }
  return first;
}

/// Length of the step that ends at the event.
double Runner::Locate(double t, const Event& event, const Point& from, double h, Point& to) {
  if (event.kind == Event::kRest) {
    // A first guess on the quintic, then Newton on the step itself.
    double low = 0, high = 1;
    Point at;
    for (int i = 0; i < 50 && high - low > 1e-6; ++i) {
      const double middle = 0.5 * (low + high);
      Between(from, to, h, middle, at);
      (modes_[event.dof] * at.r[event.dof] < 0 ? high : low) = middle;
    }
    double length = high * h;
    for (int i = 0; i < 6; ++i) {
      Step(t, from, length, to);
      const double change = -to.r[event.dof] / to.a[event.dof];
      if (!(std::abs(change) < h)) break;
      if (std::abs(to.r[event.dof]) < 1e-13 || std::abs(change) < 1e-15) break;
      length = std::clamp(length + change, 1e-14, h);
    }
    return length;
  }
  const double precision = event.kind == Event::kKink ? kKinkPlace : 1e-6;
  double low = 0, high = 1, g_low = NAN, g_high = NAN;
  const bool negative_after = event.kind == Event::kRelease || reaction_[event.dof][event.part] >= 0;
  Point at, scratch;
  for (int i = 0; i < 40 && high - low > precision; ++i) {
    double place = 0.5 * (low + high);
    if (std::isfinite(g_low) && std::isfinite(g_high) && i % 3 != 2)
      place = std::clamp(low + (high - low) * g_low / (g_low - g_high) + 0.3 * precision, low + 0.01 * (high - low),
                         high - 0.01 * (high - low));
    else if (i == 0)
      place = std::clamp(event.place, 0.02, 0.98);
    Between(from, to, h, place, at);
    scratch.a = from.a;
    Accelerate(t + place * h, Side::kBefore, at.x, at.r, modes_, scratch.a);
    const double value = EventValue(event);
    const bool after = (value < 0) == negative_after;
    (after ? high : low) = place;
    (after ? g_high : g_low) = value;
  }
  const double length = high * h;
  Step(t, from, length, to);
  return length;
}

/// Whether joint k, at rest, sticks or which way it slides; other modes stay.
bool Runner::Settle(double t, int k, Point& at) {
  at.r[k] = 0;
  modes_[k] = 0;
  Accelerate(t, Side::kAfter, at.x, at.r, modes_, at.a);
  double torque;
  if (mechanism_.StickingSlack(constants_, k, ws_, torque) >= 0) return true;
  modes_[k] = torque > 0 ? 1 : -1;
  Accelerate(t, Side::kAfter, at.x, at.r, modes_, at.a);
  return true;
}

bool Runner::ChooseModes(double t, Point& at) {
  for (int k = 0; k < n_; ++k) {
    modes_[k] = 1;
    if (Slides(k)) modes_[k] = std::abs(at.r[k]) < kRestRate ? 0 : at.r[k] > 0 ? 1 : -1;
  }
  Accelerate(t, Side::kAfter, at.x, at.r, modes_, at.a);
  for (int k = 0; k < n_; ++k)
    if (Slides(k) && modes_[k] == 0) Settle(t, k, at);
  return true;
}

std::optional<double> Runner::TakeStep(double t, double stop, const Point& from, double& preferred, Point& to,
                                       Event& located) {
  for (int k = 0; k < n_; ++k) reaction_[k] = ws_.dof[k].reaction;
  // Equal steps to the stop, so that none is tiny.
  double h = (stop - t) / std::max(1.0, std::ceil((stop - t) / preferred - 1e-9));
  double error = Step(t, from, h, to);
  int halvings = 0;
  while (!(error < 1) && halvings++ < kMostHalvings) {
    h *= 0.5;
    error = Step(t, from, h, to);
  }
  preferred = std::min(options_.step, error < 1e-3 ? 2 * h : std::max(h, 1e-7));
  for (int k = 0; k < n_; ++k)
    if (!(std::abs(to.x[k]) < kFarAway && std::abs(to.r[k]) < kFarAway)) return std::nullopt;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const Event event = FirstEvent(from, to, located);
    if (event.kind == Event::kNone) break;
    h = Locate(t, event, from, h, to);
    located = event;
  }
  return h;
}

/// Columns of sensitivities that are integrated together.
constexpr int kBlock = 8;
using Block = std::array<std::array<double, kBlock>, kTreeMost>;

/// Accelerations' derivatives of a block: D (x, r) and what the parameters add, in columns `first` on of D.
void ApplyToBlock(const TreeRows& D, const Block& x, const Block& r, Eigen::Index first, Eigen::Index count, Block& a) {
  const Eigen::Index n = D.rows(), states = 2 * n;
  for (Eigen::Index k = 0; k < n; ++k) {
    std::array<double, kBlock> by_x{}, by_r{};
    for (Eigen::Index j = 0; j < n; ++j) {
      const double dx = D(k, j), dr = D(k, n + j);
      for (std::size_t c = 0; c < kBlock; ++c) by_x[c] += dx * x[j][c];
      for (std::size_t c = 0; c < kBlock; ++c) by_r[c] += dr * r[j][c];
    }
    for (std::size_t c = 0; c < kBlock; ++c) a[k][c] = by_x[c] + by_r[c];
    for (Eigen::Index c = std::max<Eigen::Index>(0, states - first); c < count; ++c) a[k][c] += D(k, first + c);
  }
}

/// Derivatives over a piece by Simpson's Runge-Kutta method, from S*0 to S*1; D in its middle and at its end.
void MoveSensitivities(const TreeRows& middle, const TreeRows& end, double h, FlowPiece& piece) {
  const Eigen::Index n = piece.Sx0.rows(), m = piece.Sx0.cols();
  for (TreeRows* to : {&piece.Sx1, &piece.Sr1, &piece.Sa1}) to->resize(n, m);
  Block x{}, r{}, k1{}, k2, k3, k4, x2{}, r2{}, r3{}, r4{};
  for (Eigen::Index first = 0; first < m; first += kBlock) {
    const Eigen::Index count = std::min<Eigen::Index>(kBlock, m - first);
    const auto load = [&](const TreeRows& from, Block& to) {
      for (Eigen::Index k = 0; k < n; ++k) std::copy_n(&from(k, first), count, to[k].begin());
    };
    const auto combine = [&](const Block& a, double factor, const Block& b, Block& to) {
      for (Eigen::Index k = 0; k < n; ++k)
        for (std::size_t c = 0; c < kBlock; ++c) to[k][c] = a[k][c] + factor * b[k][c];
    };
    load(piece.Sx0, x), load(piece.Sr0, r), load(piece.Sa0, k1);
    combine(x, 0.5 * h, r, x2), combine(r, 0.5 * h, k1, r2);
    ApplyToBlock(middle, x2, r2, first, count, k2);
    combine(x, 0.5 * h, r2, x2), combine(r, 0.5 * h, k2, r3);
    ApplyToBlock(middle, x2, r3, first, count, k3);
    combine(x, h, r3, x2), combine(r, h, k3, r4);
    ApplyToBlock(end, x2, r4, first, count, k4);
    for (Eigen::Index k = 0; k < n; ++k)
      for (std::size_t c = 0; c < kBlock; ++c) {
        x[k][c] += (h / 6) * (r[k][c] + 2 * r2[k][c] + 2 * r3[k][c] + r4[k][c]);
        r[k][c] += (h / 6) * (k1[k][c] + 2 * k2[k][c] + 2 * k3[k][c] + k4[k][c]);
      }
    ApplyToBlock(end, x, r, first, count, k1);
    for (Eigen::Index k = 0; k < n; ++k) {
      std::copy_n(x[k].begin(), count, &piece.Sx1(k, first));
      std::copy_n(r[k].begin(), count, &piece.Sr1(k, first));
      std::copy_n(k1[k].begin(), count, &piece.Sa1(k, first));
    }
  }
}

bool Runner::Run(const Vector& x, const Vector& r, double t0, double t1, bool derivatives,
                 const std::function<void(const FlowPiece&)>& piece, TreeFlow::End& end, FlowPath* path) {
  const int m = 2 * n_ + static_cast<int>(parameters_.size());
  FlowPiece out;  // its start is the state
  Point from, to;
  from.x = x;
  from.r = r;
  TreeRows D, at_end;
  if (derivatives) {
    out.Sx0.setZero(n_, m);
    out.Sr0.setZero(n_, m);
    out.Sx0.leftCols(n_).setIdentity();
    out.Sr0.middleCols(n_, n_).setIdentity();
  }
  const auto differentiate = [&](const Point& at, TreeRows& by) {
    mechanism_.Differentiate(constants_, at.x.data(), at.r.data(), at.a.data(), u_, modes_, parameters_, ws_, by);
  };
  const auto accelerations = [&] {
    differentiate(from, D);
    out.Sa0.noalias() = D.leftCols(n_).lazyProduct(out.Sx0) + D.middleCols(n_, n_).lazyProduct(out.Sr0);
    out.Sa0.rightCols(m - 2 * n_) += D.rightCols(m - 2 * n_);
  };

  const bool repeats = path && !path->steps.empty();
  std::array<TreeWorkspace::Dof, kTreeMost> loads;  // at the end of a step
  double t = t0, preferred = options_.step;
  int at_once = 0;
  end.pieces = 0;
  const std::vector<double>& changes = inputs_.changes();
  std::size_t next =
      static_cast<std::size_t>(std::upper_bound(changes.begin(), changes.end(), t0 + 1e-12) - changes.begin());
  bool fresh = true;  // modes and accelerations must be computed again
  HoldInputs(t);
  while (t < t1 - 1e-12) {
    double stop = t1;
    bool at_input = false;
    if (next < changes.size() && changes[next] < t1 - 1e-12) stop = changes[next], at_input = true;
    if (fresh) {
      ChooseModes(t, from);
      if (derivatives) {
        // A joint that sticks stops whatever small rate it was given.
        for (int k = 0; k < n_; ++k)
          if (modes_[k] == 0) out.Sr0.row(k).setZero();
        accelerations();
      }
      fresh = false;
    }
    Event located;
    double h = 0;
    if (repeats) {
      if (static_cast<std::size_t>(end.pieces) == path->steps.size()) return false;
      const FlowPath::Step& known = path->steps[static_cast<std::size_t>(end.pieces)];
      h = known.length;
      to = {known.x, known.r, known.a};
      located.kind = static_cast<Event::Kind>(known.event);
      located.dof = known.dof;
      if (derivatives) Accelerate(t + h, Side::kBefore, to.x, to.r, modes_, to.a);
    } else {
      const std::optional<double> length = TakeStep(t, stop, from, preferred, to, located);
      if (!length) return false;
      h = *length;
      if (path) path->steps.push_back({h, to.x, to.r, to.a, located.kind, located.dof});
    }
    at_once = h < kNoTime ? at_once + 1 : 0;
    if (at_once > kMostAtOnce) return false;

    // The piece and its derivatives.
    out.start = t;
    out.end = t + h;
    out.x0 = from.x, out.r0 = from.r, out.a0 = from.a;
    out.x1 = to.x, out.r1 = to.r, out.a1 = to.a;
    ++end.pieces;
    if (derivatives) {
      std::copy_n(ws_.dof.begin(), n_, loads.begin());
      differentiate(to, at_end);
      Point middle;
      Between(from, to, h, 0.5, middle);
      middle.a = from.a;
      Accelerate(t + 0.5 * h, Side::kBefore, middle.x, middle.r, modes_, middle.a);
      differentiate(middle, D);
      MoveSensitivities(D, at_end, h, out);
      // The loads of the end are where the next step starts.
      std::copy_n(loads.begin(), n_, ws_.dof.begin());
    }
    if (piece) piece(out);
    t += h;
    from = to;
    out.Sx0.swap(out.Sx1), out.Sr0.swap(out.Sr1), out.Sa0.swap(out.Sa1);
    if (located.kind == Event::kRest || located.kind == Event::kRelease) {
      const int k = located.dof;
      const Vector before = from.a;
      Settle(t, k, from);
      if (derivatives) {
        if (located.kind == Event::kRest && std::abs(before[k]) > 1e-9) {
          const Eigen::RowVectorXd shift = -out.Sr0.row(k) / before[k];
          for (int j = 0; j < n_; ++j) out.Sr0.row(j) += (before[j] - from.a[j]) * shift;
        }
        accelerations();
        Accelerate(t, Side::kAfter, from.x, from.r, modes_, from.a);
      }
    }
    if (at_input && t >= stop - 1e-12) {
      ++next;
      t = stop;
      HoldInputs(t);
      fresh = true;
    }
  }
  end.x = from.x;
  end.r = from.r;
  if (derivatives) end.Sx = std::move(out.Sx0), end.Sr = std::move(out.Sr0);
  return true;
}

}  // namespace

FlowPiece::Reading FlowPiece::Read(int dof, double t) const {
  Reading out{};
  std::array<double, 6> slope;
  const double h = end - start;
  Quintic((t - start) / h, h, out.weights, slope);
  const std::array<double, 6> numbers = {x0[dof], r0[dof], a0[dof], x1[dof], r1[dof], a1[dof]};
  for (int i = 0; i < 6; ++i) {
    out.value += out.weights[i] * numbers[i];
    out.rate += slope[i] * numbers[i];
  }
  return out;
}

bool TreeFlow::Run(const Vector& x, const Vector& r, double t0, double t1, const InputSignal& inputs, bool derivatives,
                   const std::function<void(const FlowPiece&)>& piece, End& end, FlowPath* path) const {
  Runner runner(mechanism_, constants_, parameters_, options_, inputs);
  const bool known = path && !path->steps.empty();
  const bool found = runner.Run(x, r, t0, t1, derivatives, piece, end, path);
  if (path && !known && !found) path->steps.clear();
  return found;
}

}  // namespace ricochet
