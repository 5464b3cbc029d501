// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/mechanism/torque_noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "dynamics/tree/tree_mechanism.h"
#include "math/dense.h"
#include "optimize/covariance.h"
#include "optimize/marquardt.h"

namespace ricochet {
namespace {

constexpr int kIterations = 12;          // of a search
constexpr int kHalvings = 6;             // of a step
constexpr double kSmall = 1e-3;          // half the square of a step in standard deviations that ends a search
constexpr double kNearlySmall = 0.1;     // that ends it well where no step decreases the squares
constexpr double kNoRise = 1e-300;       // a step that leaves the squares as they are counts as falling
constexpr double kLeastDecade = -2, kMostDecade = 2;
constexpr double kDecades = 0.5;          // between levels that are tried first,
constexpr double kFineDecades = 0.125;    // and near the best
constexpr double kWorstCondition = 1e10;  // of the sensitivities: beyond, the start state says nothing about the end
constexpr double kRegular = 1e-8;         // the same, from which elimination is precise
constexpr double kLocalRank = 1e-10, kValueRank = 1e-9;  // relative, below which a direction has no effect
constexpr double kProductRank = 1e-13;                   // of what elimination leaves of a product

/// X of S X = B in place of B, by elimination with rows exchanged. False where S is nearly singular.
bool SolveRegular(TreeRows S, Eigen::MatrixXd& B) {
  const Eigen::Index m = S.rows();
  double largest = 0, least = std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 0; k < m; ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < m; ++i)
      if (std::abs(S(i, k)) > std::abs(S(pivot, k))) pivot = i;
    const double size = std::abs(S(pivot, k));
    largest = std::max(largest, size), least = std::min(least, size);
    if (!(least > kRegular * largest)) return false;
    if (pivot != k) S.row(k).swap(S.row(pivot)), B.row(k).swap(B.row(pivot));
    for (Eigen::Index i = k + 1; i < m; ++i) {
      const double factor = S(i, k) / S(k, k);
      for (Eigen::Index j = k + 1; j < m; ++j) S(i, j) -= factor * S(k, j);
      for (Eigen::Index j = 0; j < B.cols(); ++j) B(i, j) -= factor * B(k, j);
    }
  }
  for (Eigen::Index i = m - 1; i >= 0; --i)
    for (Eigen::Index j = 0; j < B.cols(); ++j) {
      for (Eigen::Index l = i + 1; l < m; ++l) B(i, j) -= S(i, l) * B(l, j);
      B(i, j) /= S(i, i);
    }
  return true;
}

/// None when the motion forgets its start so fast that sensitivities cannot be inverted.
std::optional<std::vector<DisturbanceStep>> StepsOf(const MotionProblem& problem, int block,
                                                    const JointedInstance& instance,
                                                    const std::vector<MotionMark>& marks) {
  const JointedFamily& family = problem.family();
  const JointTrack& track = problem.fit().tracks[static_cast<std::size_t>(block)];
  const int n = family.dof();
  std::vector<DisturbanceStep> out;
  std::vector<double> u(track.inputs.size(), 0.0);
  TreeWorkspace ws;
  TreeRows by_torque(n, n);
  for (const MotionMark& mark : marks) {
    TreeMechanism::Modes modes;
    modes.fill(1);
    for (int k = 0; k < n; ++k) {
      const double rate = mark.r[static_cast<std::size_t>(k)];
      if (family.slides()[static_cast<std::size_t>(k)])
        modes[static_cast<std::size_t>(k)] = rate > 0 ? 1 : rate < 0 ? -1 : 0;
    }
    TreeMechanism::Vector a = mark.a;
    track.inputs.At(mark.end, InputSignal::Side::kBefore, u);
    family.mechanism().Accelerate(instance.constants, mark.x.data(), mark.r.data(), u, modes, a.data(), ws);
    by_torque.setIdentity();
    SolveTreeSystem(ws.Ea, n, by_torque.data(), n);
    for (int k = 0; k < n; ++k)
      if (modes[static_cast<std::size_t>(k)] == 0) by_torque.row(k).setZero(), by_torque.col(k).setZero();
    Eigen::MatrixXd back = Eigen::MatrixXd::Zero(2 * n, n);
    back.bottomRows(n) = by_torque * std::sqrt(mark.end - mark.start);
    // A joint that stuck forgot its start: torques before act on nothing that is left.
    Eigen::MatrixXd regular = back;
    if (SolveRegular(mark.by_start, regular))
      back = std::move(regular);
    else
      back = SolveLeastNorm(mark.by_start, back, 1 / kWorstCondition);
    if (!back.allFinite()) return std::nullopt;
    out.push_back({mark.end, std::move(back)});
  }
  return out;
}

/// Raises each entry of `effect` to the largest effect of a unit of that level on a row. In coordinates in which all
/// rows together are orthonormal no product is more than that of the lengths, which settles almost all of them: rows
/// and steps come longest first.
void RaiseToEffects(const Eigen::MatrixXd& by_start, const std::vector<DisturbanceStep>& steps,
                    Eigen::VectorXd& effect) {
  const SymmetricEigen eigen = EigenOfSymmetric(by_start.transpose() * by_start);
  const double least = 1e-12 * std::max(eigen.values.maxCoeff(), 1e-300);
  const Eigen::VectorXd size = eigen.values.cwiseMax(least).cwiseSqrt();
  const Eigen::VectorXd lengths =
      (by_start * eigen.vectors * size.cwiseInverse().asDiagonal()).rowwise().norm() * (1 + 1e-6);
  std::vector<Eigen::Index> rows(static_cast<std::size_t>(by_start.rows()));
  std::iota(rows.begin(), rows.end(), 0);
  std::sort(rows.begin(), rows.end(), [&](Eigen::Index a, Eigen::Index b) { return lengths[a] > lengths[b]; });
  for (Eigen::Index j = 0; j < effect.size(); ++j) {
    std::vector<std::pair<double, const DisturbanceStep*>> longest;
    for (const DisturbanceStep& step : steps)
      longest.emplace_back(size.cwiseProduct(eigen.vectors.transpose() * step.by_levels.col(j)).norm(), &step);
    std::sort(longest.begin(), longest.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [length, step] : longest)
      for (const Eigen::Index row : rows) {
        if (lengths[row] * length <= effect[j]) break;
        effect[j] = std::max(effect[j], std::abs(by_start.row(row).dot(step->by_levels.col(j))));
      }
  }
}

/// Residuals over the noise that the rows show by themselves. False where the motion cannot be computed, or is not one.
bool RowsOf(const MotionProblem& problem, int block, const FitPoint& at, ResidualBlock& out,
            std::vector<MotionMark>& marks) {
  if (!problem.EvaluateMarked(block, at, true, out, &marks) || marks.empty()) return false;
  const std::vector<ChannelNoise> noise = problem.NoiseOf(block);
  for (Eigen::Index i = 0; i < out.residuals.size(); ++i) {
    const ChannelNoise& of = noise[static_cast<std::size_t>(out.labels[static_cast<std::size_t>(i)].channel)];
    const double factor = of.rows > 0 ? of.used / of.rows : 1.0;
    out.residuals[i] *= factor;
    out.by_local.row(i) *= factor;
    out.by_values.row(i) *= factor;
  }
  return true;
}

std::vector<double> TimesOf(const ResidualBlock& block, double delay) {
  std::vector<double> times;
  for (const ResidualLabel& label : block.labels) times.push_back(label.time - delay);
  return times;
}

/// Columns that are whitened together.
constexpr Eigen::Index kTogether = 4;
Eigen::Index Padded(Eigen::Index rows) { return (rows + kTogether - 1) / kTogether * kTogether; }

/// The filter for M states, a column per row of the recording. Whitens `rows` if there are any, whose number is a
/// multiple of kTogether, and returns the sum of the logarithms of the variances.
template <int M>
double Filter(const std::vector<DisturbanceStep>& steps, const Eigen::VectorXd& levels,
              const std::vector<double>& times, const Eigen::MatrixXd& by_start, Eigen::MatrixXd* rows) {
  const Eigen::Index m = by_start.rows(), parts = rows ? rows->rows() / kTogether : 0;
  using Part = Eigen::Matrix<double, kTogether, M>;
  Eigen::Matrix<double, M, M> P = Eigen::Matrix<double, M, M>::Zero(m, m);
  std::vector<Part> state(static_cast<std::size_t>(parts), Part::Zero(kTogether, m));
  Eigen::Matrix<double, M, 1> gain(m), by(m), moved(m);
  std::size_t next = 0;
  double log_sum = 0, product = 1;  // of variances since the last logarithm
  for (Eigen::Index i = 0; i < by_start.cols(); ++i) {
    for (; next < steps.size() && steps[next].time <= times[static_cast<std::size_t>(i)]; ++next)
      for (Eigen::Index j = 0; j < levels.size(); ++j) {
        if (levels[j] == 0) continue;
        moved = steps[next].by_levels.col(j) * levels[j];
        P.noalias() += moved * moved.transpose();
      }
    if (next == 0) continue;
    by = by_start.col(i);
    gain.noalias() = P * by;
    const double variance = 1 + by.dot(gain);
    product *= variance;
    if (product > 1e200) log_sum += std::log(product), product = 1;
    by = gain;
    gain /= variance;
    P.noalias() -= gain * by.transpose();
    const double scale = 1 / std::sqrt(variance);
    by = by_start.col(i);
    for (Eigen::Index part = 0; part < parts; ++part) {
      Part& at = state[static_cast<std::size_t>(part)];
      Eigen::Map<Eigen::Matrix<double, kTogether, 1>> row(rows->col(i).data() + kTogether * part);
      const Eigen::Matrix<double, kTogether, 1> left = row - at * by;
      at.noalias() += left * gain.transpose();
      row = left * scale;
    }
  }
  return log_sum + std::log(product);
}

double FilterRows(const std::vector<DisturbanceStep>& steps, const Eigen::VectorXd& levels,
                  const std::vector<double>& times, const Eigen::MatrixXd& by_start, Eigen::MatrixXd* rows) {
  switch (by_start.rows()) {
    case 2:
      return Filter<2>(steps, levels, times, by_start, rows);
    case 4:
      return Filter<4>(steps, levels, times, by_start, rows);
    case 6:
      return Filter<6>(steps, levels, times, by_start, rows);
    default:
      return Filter<Eigen::Dynamic>(steps, levels, times, by_start, rows);
  }
}

/// The rows of a recording in a basis that whitening hardly makes worse: derivatives by its start state, then those by
/// the values, are orthonormal over all recordings, and the residuals are what they leave.
struct BasisRows {
  std::vector<double> times;
  Eigen::MatrixXd by_start;  // as the residuals have it, transposed
  Eigen::MatrixXd rows;      // local directions, directions of the values, residual, zeros; a column per row
  Eigen::Index local = 0;    // how many of the first kind,
  Eigen::Index size = 0;     // and of all without zeros
  Eigen::MatrixXd products;  // of what no walk moves, and `rows` leave out
};

/// Rows between two steps see the same walk: of an orthonormal basis of theirs it moves no more than there are start
/// states, and the likelihood of the others is the same whatever the levels are.
void KeepWhatMoves(const std::vector<DisturbanceStep>& steps, BasisRows& of) {
  const Eigen::Index all = of.rows.cols(), m = of.by_start.rows();
  Eigen::MatrixXd still(of.rows.rows(), all), J, Z;
  Eigen::Index kept = 0, unmoved = 0;
  Eigen::VectorXd v, along;
  std::size_t next = 0;
  for (Eigen::Index first = 0, last = 0; first < all; first = last) {
    const auto time = [&](Eigen::Index row) { return of.times[static_cast<std::size_t>(row)]; };
    while (next < steps.size() && steps[next].time <= time(first)) ++next;
    while (last < all && (next == steps.size() || time(last) < steps[next].time)) ++last;
    const Eigen::Index count = last - first, left = std::min(count, m);
    J = of.by_start.middleCols(first, count).transpose();
    Z = of.rows.middleCols(first, count);
    // Reflections that make J upper triangular.
    for (Eigen::Index c = 0; c < m && count > m; ++c) {
      v = J.col(c).tail(count - c);
      const double norm = v.norm();
      if (!(norm > 0)) continue;
      const double end = v[0] > 0 ? -norm : norm;
      v[0] -= end;
      const double factor = 2 / v.squaredNorm();
      for (Eigen::Index d = c; d < m; ++d) {
        auto column = J.col(d).tail(count - c);
        column -= (factor * v.dot(column)) * v;
      }
      along.noalias() = Z.rightCols(count - c) * v;
      Z.rightCols(count - c).noalias() -= (factor * along) * v.transpose();
    }
    of.rows.middleCols(kept, left) = Z.leftCols(left);
    of.by_start.middleCols(kept, left) = J.topRows(left).transpose();
    still.middleCols(unmoved, count - left) = Z.rightCols(count - left);
    std::fill_n(of.times.begin() + kept, left, time(first));
    kept += left, unmoved += count - left;
  }
  of.rows.conservativeResize(Eigen::NoChange, kept);
  of.by_start.conservativeResize(Eigen::NoChange, kept);
  of.times.resize(static_cast<std::size_t>(kept));
  of.products.setZero(still.rows(), still.rows());
  of.products.selfadjointView<Eigen::Lower>().rankUpdate(still.leftCols(unmoved));
}

std::vector<BasisRows> MakeBasis(const std::vector<ResidualBlock>& blocks, int values, double delay) {
  std::vector<BasisRows> out(blocks.size());
  std::vector<Eigen::MatrixXd> bases, rests, factors;
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(values);
  for (const ResidualBlock& block : blocks) squares += block.by_values.colwise().squaredNorm().transpose();
  const Eigen::VectorXd size = (squares.array() > 0).select(squares.cwiseSqrt(), 1.0);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const ResidualBlock& block = blocks[k];
    out[k].times = TimesOf(block, delay);
    out[k].by_start = block.by_local.transpose();
    Eigen::MatrixXd local = block.by_local;
    for (Eigen::Index i = 0; i < local.cols(); ++i)
      if (const double norm = local.col(i).norm(); norm > 0) local.col(i) /= norm;
    bases.push_back(OrthonormalBasis(local, kLocalRank));
    out[k].local = bases.back().cols();
    Eigen::MatrixXd rest(block.residuals.size(), values + 1);
    rest << block.by_values * size.cwiseInverse().asDiagonal(), block.residuals;
    for (int round = 0; round < 2; ++round) rest -= bases.back() * (bases.back().transpose() * rest);
    factors.push_back(rest.rows() > rest.cols() ? TriangularFactor(rest) : rest);
    rests.push_back(std::move(rest));
  }
  // What makes the values' columns orthonormal follows from their triangular factor.
  const Eigen::MatrixXd all = StackRows(factors, values + 1);
  const SingularDecomposition svd = DecomposeSingular(all.leftCols(values));
  Eigen::Index rank = 0;
  while (rank < svd.values.size() && svd.values[rank] > kValueRank) ++rank;
  const Eigen::MatrixXd to_basis = svd.V.leftCols(rank) * svd.values.head(rank).cwiseInverse().asDiagonal();
  Eigen::VectorXd along = Eigen::VectorXd::Zero(rank);
  for (const Eigen::MatrixXd& rest : rests) along += (rest.leftCols(values) * to_basis).transpose() * rest.col(values);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const Eigen::MatrixXd directions = rests[k].leftCols(values) * to_basis;
    out[k].size = out[k].local + rank + 1;
    out[k].rows.setZero(Padded(out[k].size), rests[k].rows());
    out[k].rows.topRows(out[k].size) << bases[k].transpose(), directions.transpose(),
        (rests[k].col(values) - directions * along).transpose();
  }
  return out;
}

/// What a symmetric matrix of products leaves behind its first rows and columns; lower halves.
Eigen::MatrixXd ProductsBehind(Eigen::MatrixXd products, Eigen::Index first) {
  const Eigen::VectorXd whole = products.diagonal();
  const Eigen::Index rest = products.rows() - first;
  for (Eigen::Index i = 0; i < first; ++i) {
    if (!(products(i, i) > kProductRank * whole[i])) continue;
    const Eigen::Index below = products.rows() - i - 1;
    const Eigen::VectorXd column = products.col(i).tail(below);
    products.bottomRightCorner(below, below) -= column / products(i, i) * column.transpose();
  }
  return products.bottomRightCorner(rest, rest);
}

}  // namespace

double WhitenRows(const std::vector<DisturbanceStep>& steps, const Eigen::VectorXd& levels,
                  const std::vector<double>& times, const Eigen::MatrixXd& by_start, Eigen::MatrixXd& columns) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(Padded(columns.cols()), columns.rows());
  rows.topRows(columns.cols()) = columns.transpose();
  const double log_sum = FilterRows(steps, levels, times, by_start.transpose(), &rows);
  columns = rows.topRows(columns.cols()).transpose();
  return log_sum;
}

DisturbedProblem::DisturbedProblem(std::shared_ptr<const MotionProblem> calm, Eigen::VectorXd levels)
    : calm_(std::move(calm)), levels_(std::move(levels)) {}

bool DisturbedProblem::Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const {
  std::vector<MotionMark> marks;
  if (!RowsOf(*calm_, block, at, out, marks)) return false;
  const JointedInstance instance = calm_->family().Compile(at.values);
  const auto steps = StepsOf(*calm_, block, instance, marks);
  if (!steps) return false;
  Eigen::MatrixXd columns(out.residuals.size(), out.by_local.cols() + out.by_values.cols() + 1);
  columns << out.by_local, out.by_values, out.residuals;
  WhitenRows(*steps, levels_, TimesOf(out, instance.delay), out.by_local, columns);
  out.residuals = columns.rightCols(1);
  if (!derivatives) {
    out.by_local.resize(0, 0);
    out.by_values.resize(0, 0);
    return true;
  }
  out.by_values = columns.middleCols(out.by_local.cols(), out.by_values.cols());
  out.by_local = Eigen::MatrixXd(columns.leftCols(out.by_local.cols()));
  return true;
}

std::vector<ChannelNoise> DisturbedProblem::NoiseOf(int block) const {
  std::vector<ChannelNoise> out = calm_->NoiseOf(block);
  for (ChannelNoise& noise : out) noise.used = noise.rows > 0 ? noise.rows : noise.used;
  return out;
}

/// Undamped steps of the values behind the start states, then of the states, halved until the squares fall. What the
/// rows are divided by follows the point, so that their squares are no measure far from where the derivatives were
/// taken.
class DisturbedProblem::Steps final : public MarquardtProblem, public Damping, public StoppingRule {
 public:
  Steps(const DisturbedProblem& problem, FitPoint start, std::vector<int> free)
      : Damping(0), problem_(problem), free_(std::move(free)), point_(std::move(start)) {}

  bool Linearize() override {
    if (!rows_.empty()) return true;
    rows_.resize(static_cast<std::size_t>(problem_.blocks()));
    cost = Evaluate(point_, rows_);
    return std::isfinite(cost);
  }

  bool Prepare() override {
    const ParameterMap& parameters = problem_.parameters();
    const Eigen::VectorXd &lower = parameters.lower(), &upper = parameters.upper();
    const int p = parameters.size();
    std::vector<Eigen::MatrixXd> parts;
    for (const ResidualBlock& block : rows_) {
      Eigen::MatrixXd columns(block.residuals.size(), p + 1);
      columns << block.by_values, block.residuals;
      parts.push_back(EliminateLocal(block.by_local, columns));
    }
    const Eigen::MatrixXd all = StackRows(parts, p + 1);
    step_ = Eigen::VectorXd::Zero(p);
    std::vector<int> moving = free_;
    for (int round = 0; round <= p && !moving.empty(); ++round) {
      step_.setZero();
      step_(moving) = SolveLeastNormVector(all(Eigen::all, moving), -all.col(p));
      // Values at a bound that would leave it stay.
      const Eigen::VectorXd to = point_.values + step_;
      const auto leaves = std::find_if(moving.begin(), moving.end(),
                                       [&](int i) { return to[i] < lower[i] || to[i] > upper[i]; });
      if (leaves == moving.end()) break;
      const double bound = to[*leaves] < lower[*leaves] ? lower[*leaves] : upper[*leaves];
      if (point_.values[*leaves] != bound) {
        step_ *= 0.9 * (bound - point_.values[*leaves]) / step_[*leaves];
        break;
      }
      moving.erase(leaves);
      step_.setZero();
    }
    promised_ = 0.5 * (all.leftCols(p) * step_).squaredNorm();
    return true;
  }

  MarquardtStep Propose(double lambda) override {
    const double part = 1 / (1 + lambda);
    trial_ = point_;
    trial_.values += part * step_;
    for (std::size_t k = 0; k < rows_.size(); ++k)
      trial_.local[k] +=
          part * SolveLeastNormVector(rows_[k].by_local, -rows_[k].residuals - rows_[k].by_values * step_);
    return {.predicted = promised_};
  }

  double TrialCost() override {
    there_.assign(rows_.size(), {});
    return Evaluate(trial_, there_);
  }

  double Take() override {
    point_ = std::move(trial_);
    rows_ = std::move(there_);
    return std::sqrt(2 * promised_);
  }

  void Succeed(double /*gain*/) override { lambda_ = 0; }
  bool Fail() override {
    lambda_ = 2 * lambda_ + 1;
    return true;
  }

  bool AfterStep(const MarquardtStep& /*step*/, const MarquardtProgress& at) override {
    return promised_ < kSmall || at.decrease < kSmall;
  }
  LeastSquaresEnd WithoutStep(const MarquardtStep& /*step*/, const MarquardtProgress& /*at*/) override {
    return promised_ < kNearlySmall ? LeastSquaresEnd::kConverged : LeastSquaresEnd::kStalled;
  }

  const FitPoint& point() const { return point_; }
  const std::vector<ResidualBlock>& rows() const { return rows_; }

 private:
  double Evaluate(const FitPoint& at, std::vector<ResidualBlock>& rows) const {
    double sum = 0;
    for (int k = 0; k < problem_.blocks(); ++k) {
      ResidualBlock& block = rows[static_cast<std::size_t>(k)];
      if (!problem_.Evaluate(k, at, true, block)) return std::numeric_limits<double>::infinity();
      sum += block.residuals.squaredNorm();
    }
    return sum;
  }

  const DisturbedProblem& problem_;
  std::vector<int> free_;
  FitPoint point_, trial_;
  std::vector<ResidualBlock> rows_, there_;
  Eigen::VectorXd step_;  // of the values
  double promised_ = 0;   // half the square of the step in standard deviations
};

Fit DisturbedProblem::Search(const HeldParameters& held, const FitPoint* from) {
  FitPoint start;
  HeldParameters stays = held;
  if (from && !from->local.empty()) {
    start = *from;
  } else {
    std::vector<int> all(static_cast<std::size_t>(blocks()));
    std::iota(all.begin(), all.end(), 0);
    const Fit calm = calm_->Subset(all)->Search(held, from);
    if (!calm.found) return calm;
    start = calm.point;
    if (held.empty()) stays = calm.held;
  }
  const int p = parameters().size();
  std::vector<int> free;
  for (int i = 0; i < p; ++i)
    if (stays.empty() || !stays[static_cast<std::size_t>(i)]) free.push_back(i);
  Steps steps(*this, std::move(start), free);
  const LeastSquaresSummary summary = RunMarquardt(
      steps, steps, steps, {.max_iterations = kIterations, .max_attempts = kHalvings, .rounding = kNoRise});
  Fit fit;
  fit.held = stays;
  fit.point = steps.point();
  fit.found = summary.end != LeastSquaresEnd::kFailed;
  fit.converged = summary.converged();
  if (!fit.found) return fit;
  std::vector<Eigen::MatrixXd> parts;
  for (const ResidualBlock& block : steps.rows()) {
    fit.costs.push_back(block.residuals.squaredNorm());
    parts.push_back(EliminateLocal(block.by_local, block.by_values));
  }
  const Eigen::MatrixXd J = StackRows(parts, p);
  fit.covariance.setZero(p, p);
  if (!free.empty()) fit.covariance(free, free) = PseudoInverse(J(Eigen::all, free).transpose() * J(Eigen::all, free));
  return fit;
}

std::unique_ptr<FitProblem> DisturbedProblem::Draw(const Fit& /*fit*/, Random& /*random*/) const { return nullptr; }

std::unique_ptr<FitProblem> DisturbedProblem::Subset(const std::vector<int>& blocks) const {
  std::shared_ptr<FitProblem> some = calm_->Subset(blocks);
  return std::make_unique<DisturbedProblem>(std::static_pointer_cast<const MotionProblem>(some), levels_);
}

std::unique_ptr<FitProblem> DisturbedProblem::With(const std::vector<SelectedParameter>& more) const {
  std::shared_ptr<FitProblem> larger = calm_->With(more);
  return std::make_unique<DisturbedProblem>(std::static_pointer_cast<const MotionProblem>(larger), levels_);
}

std::optional<TorqueLevels> FindTorqueLevels(const MotionProblem& problem, const Fit& fit) {
  const int n = problem.family().dof(), p = problem.parameters().size();
  std::vector<ResidualBlock> rows(static_cast<std::size_t>(problem.blocks()));
  std::vector<std::vector<DisturbanceStep>> steps;
  Eigen::VectorXd effect = Eigen::VectorXd::Zero(n);  // largest of a unit of a level on a row
  const JointedInstance instance = problem.family().Compile(fit.point.values);
  for (int k = 0; k < problem.blocks(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    std::vector<MotionMark> marks;
    if (!RowsOf(problem, k, fit.point, rows[at], marks)) return std::nullopt;
    auto found = StepsOf(problem, k, instance, marks);
    if (!found) return std::nullopt;
    steps.push_back(std::move(*found));
    RaiseToEffects(rows[at].by_local, steps.back(), effect);
  }
  if (!(effect.maxCoeff() > 0)) return std::nullopt;
  std::vector<BasisRows> basis = MakeBasis(rows, p, instance.delay);
  for (std::size_t k = 0; k < basis.size(); ++k) KeepWhatMoves(steps[k], basis[k]);
  const Eigen::Index values = basis.front().size - basis.front().local - 1;
  Eigen::MatrixXd whitened;
  // Minus twice the logarithm of the likelihood, start states and values at their best to first order, is a sum of the
  // logarithms of the variances and of the squares.
  const auto logarithms = [&](const Eigen::VectorXd& levels) {
    double sum = 0;
    for (std::size_t k = 0; k < basis.size(); ++k)
      sum += FilterRows(steps[k], levels, basis[k].times, basis[k].by_start, nullptr);
    return sum;
  };
  const auto squares = [&](const Eigen::VectorXd& levels) {
    Eigen::MatrixXd left = Eigen::MatrixXd::Zero(values + 1, values + 1);
    for (std::size_t k = 0; k < basis.size(); ++k) {
      whitened = basis[k].rows;
      FilterRows(steps[k], levels, basis[k].times, basis[k].by_start, &whitened);
      Eigen::MatrixXd products = basis[k].products;
      products.selfadjointView<Eigen::Lower>().rankUpdate(whitened);
      left += ProductsBehind(products.topLeftCorner(basis[k].size, basis[k].size), basis[k].local);
    }
    return ProductsBehind(left, values)(0, 0);
  };
  TorqueLevels out{Eigen::VectorXd::Zero(n), 0};
  const double calm = squares(out.levels);
  double best = calm;
  for (int j = 0; j < n; ++j) {
    if (!(effect[j] > 0)) continue;
    // A larger level raises every variance: the logarithms grow with it and the squares fall. So where the logarithms
    // at a level and the squares at a larger one are not below the best, that level is no better, and needs no more.
    double least = 0;
    const auto attempt = [&](double decade) {
      Eigen::VectorXd levels = out.levels;
      levels[j] = std::pow(10, decade) / effect[j];
      const double log_sum = logarithms(levels);
      if (log_sum + least >= best) return;
      const double left = squares(levels);
      least = std::max(least, left);
      if (log_sum + left < best) best = log_sum + left, out.levels[j] = levels[j];
    };
    // From a single torque that moves a row by a hundred times the noise to one that moves it by a hundredth. All of
    // them: where the least lowers the likelihood, a larger one may still raise it.
    for (double decade = kMostDecade; decade >= kLeastDecade; decade -= kDecades) attempt(decade);
    if (!(out.levels[j] > 0)) continue;
    const double found = std::log10(out.levels[j] * effect[j]);
    least = 0;
    for (double off = kDecades - kFineDecades; off > -kDecades; off -= kFineDecades)
      if (off != 0) attempt(found + off);
  }
  out.gain = calm - best;
  return out;
}

}  // namespace ricochet
