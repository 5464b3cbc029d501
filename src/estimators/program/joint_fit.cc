// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/program/joint_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "dataset/noise.h"
#include "estimators/planar/planar_family.h"
#include "estimators/planar/row_noise.h"
#include "estimators/program/joint_active_set.h"
#include "estimators/program/joint_schedule.h"
#include "estimators/program/joint_slip.h"
#include "estimators/program/joint_solve.h"
#include "estimators/program/joint_start.h"

namespace ricochet {

namespace {

constexpr double kFinest = 2e-5;    // noise that discretization allows, of the size of the body and in rad
constexpr int kDense = 40;          // frames; fewer leave the contacts between them open, and both starts are tried
constexpr double kAccept = 1.15;    // chi^2 per datum of a soft start that is taken at once
constexpr double kSettled = 0.005;  // relative change of the noise that needs no further solve

/// Information in the positions (0) and the angle (1) of a chain.
struct ChainInformation {
  Eigen::Vector2d freedom = Eigen::Vector2d::Zero();  // degrees of freedom left to the noise: rows minus leverages
  std::array<Eigen::VectorXd, 2> variance;            // their shares in the variances of the numbers
};

std::vector<ChainInformation> InformationOf(const JointProgram& program) {
  JointProgram copy = program;
  BorderedBand system;
  const Eigen::Index p = program.family().size();
  ChainInformation nothing;
  nothing.variance.fill(Eigen::VectorXd::Zero(p));
  std::vector<ChainInformation> information(program.chains().size(), nothing);
  const bool factored = FactorInformation(copy, system);
  std::size_t chain = 0;
  int row = 0, rows = 0;
  const auto rows_of = [&](const JointChain& c) {
    return 3 * static_cast<int>(std::count(c.rejected.begin(), c.rejected.end(), 0));
  };
  rows = rows_of(program.chains()[0]);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(system.size() + system.border());
  copy.ForEachRow([&](JointRowKind kind, double, std::span<const int> index, std::span<const double> derivative) {
    if (kind != JointRowKind::kData) return;
    while (row == rows && chain + 1 < program.chains().size()) {
      row = 0;
      rows = rows_of(program.chains()[++chain]);
    }
    const std::size_t group = row % 3 == 2;
    ++row;
    double leverage = 0;
    if (factored) {
      right.setZero();
      for (std::size_t i = 0; i < index.size(); ++i)
        if (index[i] >= 0) right[index[i]] += derivative[i];
      const Eigen::VectorXd influence = system.Solve(right);
      leverage = std::clamp(right.dot(influence), 0.0, 1.0);
      information[chain].variance[group] += influence.tail(p).cwiseAbs2();
    }
    information[chain].freedom[static_cast<Eigen::Index>(group)] += 1 - leverage;
  });
  return information;
}

/// Noise from the residuals; returns its largest relative change.
double UpdateNoise(JointProgram& program) {
  double change = 0;
  const std::vector<ChainInformation> information = InformationOf(program);
  const double size = program.body().size;
  for (std::size_t c = 0; c < program.chains().size(); ++c) {
    JointChain& chain = program.chains()[c];
    if (chain.track.noise_given) continue;
    const Eigen::VectorXd r = JointResiduals(program, chain);
    ResidualSquares place{0, information[c].freedom[0]}, turn{0, information[c].freedom[1]};
    for (Eigen::Index i = 0; i < r.size(); ++i) (i % 3 == 2 ? turn : place).sum += r[i] * r[i];
    const double position = chain.track.noise_position, angle = chain.track.noise_angle;
    // Below a millionth of the body the second-order rule of lasting contact is what is seen, not noise.
    chain.track.noise_position = place.Noise(position, 1e-6 * size, 2);
    chain.track.noise_angle = turn.Noise(angle, 1e-6, 2);
    change = std::max(
        {change, std::abs(chain.track.noise_position / position - 1), std::abs(chain.track.noise_angle / angle - 1)});
  }
  return change;
}

/// Rejects the worst frame beyond the limit.
bool RejectWorst(JointProgram& program, std::vector<std::string>& log) {
  double worst = kOutlier;
  JointChain* chain = nullptr;
  std::size_t frame = 0;
  for (JointChain& candidate : program.chains()) {
    const std::ptrdiff_t rejected = std::count(candidate.rejected.begin(), candidate.rejected.end(), 1);
    if (rejected >= std::max(1, candidate.track.size() / 8)) continue;
    const Eigen::VectorXd r = JointResiduals(program, candidate);
    for (Eigen::Index i = 0; i < r.size(); ++i)
      if (std::abs(r[i]) > worst) {
        worst = std::abs(r[i]);
        chain = &candidate;
        frame = static_cast<std::size_t>(i / 3);
      }
  }
  if (!chain) return false;
  chain->rejected[frame] = 1;
  log.push_back(RejectedFrame(chain->track, frame, worst));
  return true;
}

/// Closes what cannot be seen and keeps it when the fit is as good. Where impacts obey the law of restitution nothing
/// is closed: a rebound too small to be seen is still informative.
bool Simplify(JointProgram& program, bool converged, int& iterations) {
  if (program.weights().restitution) return converged;
  for (int round = 0; round < 3; ++round) {
    JointProgram closed = program;
    if (CloseUnseen(closed) == 0) break;
    const bool solved = SolveActiveSet(closed, iterations);
    if ((converged && !solved) || JointScore(closed) > JointScore(program)) break;
    program = closed;
    converged = solved;
  }
  return converged;
}

}  // namespace

double JointScore(const JointProgram& program) {
  double score = 2.0 * (program.unknowns() - program.equalities() + program.family().size());
  for (const JointChain& chain : program.chains()) {
    const Eigen::VectorXd r = JointResiduals(program, chain);
    double sum[2] = {0, 0};
    for (Eigen::Index i = 0; i < r.size(); ++i) {
      const double size = std::min(std::abs(r[i]), 8.0);
      sum[i % 3 == 2] += size * size;
    }
    const int n = chain.track.size();
    score += chain.track.noise_given ? sum[0] + sum[1]
                                     : 2 * n * std::log(sum[0] / (2 * n) + 1e-12) + n * std::log(sum[1] / n + 1e-12);
  }
  return score;
}

void DescribeFit(JointFit& fit) {
  fit.residuals.clear();
  fit.chi2 = 0;
  fit.degrees_of_freedom = 0;
  for (const JointChain& chain : fit.program->chains()) {
    fit.residuals.push_back(JointResiduals(*fit.program, chain));
    fit.chi2 += fit.residuals.back().squaredNorm();
  }
  const std::vector<ChainInformation> information = InformationOf(*fit.program);
  for (const ChainInformation& chain : information) fit.degrees_of_freedom += chain.freedom.sum();
  // Welch, Satterthwaite: as for `trajectory` (track_together.h).
  const Eigen::Index p = fit.program->family().size();
  fit.student = Eigen::VectorXd::Ones(p);
  for (Eigen::Index i = 0; i < p; ++i) {
    double sum = 0, squares = 0;
    for (std::size_t c = 0; c < information.size(); ++c)
      for (std::size_t g = 0; g < 2; ++g) {
        const double share = information[c].variance[g][i];
        sum += share;
        if (!fit.program->chains()[c].track.noise_given)
          squares += share * share / std::max(information[c].freedom[static_cast<Eigen::Index>(g)], 1.0);
      }
    if (!(squares > 0)) continue;
    const double nu = std::max(sum * sum / squares, 3.0);
    fit.student[i] = std::sqrt(nu / (nu - 2));
  }
}

namespace {

/// One start on its way to a solution.
struct Attempt {
  std::string name;
  std::shared_ptr<JointProgram> program;
  double speed = 1;  // typical [m/s]
  int iterations = 0;
  bool converged = false;

  /// Residuals like noise.
  bool Fits() const {
    const JointProgram::Value value = program->Evaluate();
    return converged && value.chi2 < kAccept * value.data;
  }
};

/// First solution. Restitution is free at every impact unless it is requested and the start has a value for it (`law`).
Attempt Begin(const PlanarFamily& family, const JointStart& start, std::string name, bool law) {
  Attempt out{std::move(name), nullptr, start.speed, start.iterations, false};
  out.program = std::make_shared<JointProgram>(family, std::vector<JointChain>{start.chain}, start.params);
  out.program->weights().speed = start.speed;
  out.program->weights().huber = 4;
  out.program->weights().restitution = law && family.Find(PlanarRole::kRestitution) >= 0;
  out.program->Layout();
  SetImpulses(*out.program);
  out.converged = SolveActiveSet(*out.program, out.iterations);
  return out;
}

/// Contacts that cannot be seen, and the law of restitution where it is requested, from the impacts that were found.
void Finish(const PlanarFamily& family, Attempt& attempt) {
  JointProgram& program = *attempt.program;
  if (program.weights().restitution) return;
  attempt.converged = Simplify(program, attempt.converged, attempt.iterations);
  const int restitution = family.Find(PlanarRole::kRestitution);
  if (restitution < 0) return;
  std::vector<double> ratios;
  const JointChain& chain = program.chains()[0];
  for (int k = 1; k + 1 < static_cast<int>(chain.nodes.size()); ++k) {
    if (!chain.Isolated(k)) continue;
    const JointNode& node = chain.nodes[static_cast<std::size_t>(k)];
    const int candidate = node.contacts[0].candidate;
    const EventGap<double> gap = program.body().Gap(candidate, node.q);
    const double before = program.body().NormalSpeed(candidate, gap, program.Before(chain, k));
    const double after = program.body().NormalSpeed(candidate, gap, program.After(chain, k));
    if (before < -0.1 * attempt.speed) ratios.push_back(std::clamp(-after / before, 0.0, 1.0));
  }
  Eigen::VectorXd state = program.State();
  std::sort(ratios.begin(), ratios.end());
  state[program.unknowns() + restitution] = ratios.empty() ? 0.3 : ratios[ratios.size() / 2];
  program.SetState(state);
  program.weights().restitution = true;
  program.Layout();
  attempt.converged = SolveActiveSet(program, attempt.iterations);
}

/// Twice the log-likelihood of exact motion, with these noises and this chi^2, above that of the program.
double ExactGain(const JointFit& fit, const Eigen::Vector3d& exact, double size) {
  if (!fit.noise_estimated) return fit.chi2 - exact[2];
  const JointChain& chain = fit.program->chains()[0];
  const double rows = static_cast<double>(std::count(chain.rejected.begin(), chain.rejected.end(), 0));
  // Noise below the discretization of the program says nothing.
  return 2 * rows *
         (2 * std::log(chain.track.noise_position / std::max(exact[0], kFinest * size)) +
          std::log(chain.track.noise_angle / std::max(exact[1], kFinest)));
}

}  // namespace

JointFit FitJoint(const PlanarFamily& family, const PlanarTrack& recorded, const JointFitOptions& options) {
  JointFit best;
  PlanarTrack track = recorded;
  EstimateNoise(FreeAcceleration(family), track);
  const double size =
      family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;
  track.noise_position = std::max(track.noise_position, 1e-6 * size);
  track.noise_angle = std::max(track.noise_angle, 1e-6);
  best.log = track.log;
  double best_score = INFINITY;
  const auto finish = [&](Attempt& attempt) {
    Finish(family, attempt);
    const double score = JointScore(*attempt.program);
    best.iterations += attempt.iterations;
    best.log.push_back(fmt::format("{}: {} start: {} nodes, {}, score {:.2f}", track.name, attempt.name,
                                   attempt.program->chains()[0].nodes.size(),
                                   attempt.converged ? "solved" : "not solved", score));
    if (!(score < best_score) && !(attempt.converged && !best.converged && score < best_score + 10)) return;
    best_score = score;
    best.program = attempt.program;
    best.converged = attempt.converged;
    best.start = attempt.name;
  };
  bool done = false;
  std::optional<Eigen::Vector3d> exact;
  if (options.rollout)
    if (const std::optional<JointStart> start = RolloutStart(family, track, options.seed)) {
      exact = start->exact;
      Attempt attempt = Begin(family, *start, "rollout", true);
      finish(attempt);
      // Residuals like noise: no other start is needed.
      done = track.size() >= kDense && attempt.Fits();
    }
  if (options.soft && !done)
    if (const std::optional<JointStart> start = SoftStart(family, track)) {
      Attempt attempt = Begin(family, *start, "soft", false);
      // One that leads nowhere beside another is not followed to its end.
      if (!best.program || !best.converged || attempt.converged) finish(attempt);
    }
  if (!best.program) {
    best.problem = "no impact found: no contact with a surface is seen in the recording";
    return best;
  }

  // Contacts that stick may have to slide.
  const int friction = family.Find(PlanarRole::kFriction);
  if (friction >= 0) {
    JointProgram slides = *best.program;
    int iterations = 0;
    if (LetSlide(slides, friction, iterations) && JointScore(slides) < best_score) {
      best.log.push_back(fmt::format("{}: contacts slide, score {:.2f}", track.name, JointScore(slides)));
      *best.program = std::move(slides);
      best.converged = true;
    }
    best.iterations += iterations;
  }

  // Outliers and noise.
  JointProgram& program = *best.program;
  program.weights().huber = 0;
  program.Layout();
  for (int round = 0; round < 4 + track.size() / 8; ++round) {
    best.converged = Simplify(program, SolveActiveSet(program, best.iterations), best.iterations);
    const double change = UpdateNoise(program);
    if (RejectWorst(program, best.log)) continue;
    if (change < kSettled || round >= 3) break;
  }
  best.noise_estimated = !track.noise_given;
  best.usable = true;
  DescribeFit(best);
  if (exact) best.exact_gain = ExactGain(best, *exact, size);
  return best;
}

bool Agree(const JointFit& fit) {
  constexpr double kSurely = 6;  // standard deviations of chi^2
  return fit.chi2 <= fit.degrees_of_freedom + kSurely * std::sqrt(2 * std::max(1.0, fit.degrees_of_freedom));
}

JointFit FitJointly(const PlanarFamily& family, const std::vector<JointFit>& fits) {
  std::vector<JointChain> separate;
  for (const JointFit& fit : fits) separate.push_back(fit.program->chains()[0]);
  const auto from = [&](const std::vector<JointChain>& chains, const Eigen::VectorXd& params, const char* name,
                        bool impulses) {
    JointFit out;
    out.program = std::make_shared<JointProgram>(family, chains, params);
    out.program->weights() = fits[0].program->weights();
    out.program->Layout();
    if (impulses) SetImpulses(*out.program);
    out.converged = SolveActiveSet(*out.program, out.iterations);
    out.start = name;
    out.noise_estimated = fits[0].noise_estimated;
    out.usable = true;
    DescribeFit(out);
    return out;
  };
  Eigen::VectorXd params(family.size());
  for (int i = 0; i < family.size(); ++i) {
    std::vector<double> values;
    for (const JointFit& fit : fits) values.push_back(fit.program->params()[i]);
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    params[i] = values[values.size() / 2];
  }
  JointFit best = from(separate, params, "separate solutions", false);
  const auto consider = [&](JointFit other) {
    other.iterations += best.iterations;
    if (other.converged > best.converged || (other.converged == best.converged && other.chi2 < best.chi2))
      best = std::move(other);
  };
  // Recordings that fit alone and not together: a false minimum, if another start leads to a lower one. First the
  // contacts of motions that have common numbers, then the numbers of each.
  if (!best.converged || !Agree(best)) {
    std::vector<PlanarTrack> tracks;
    for (const JointChain& chain : separate) tracks.push_back(chain.track);
    std::vector<JointChain> chains;
    const std::vector<JointStart> starts = RolloutStarts(family, tracks, 0);
    for (std::size_t k = 0; k < starts.size(); ++k) {
      chains.push_back(starts[k].chain);
      chains.back().rejected = separate[k].rejected;
    }
    if (!starts.empty()) consider(from(chains, starts[0].params, "motions with common parameters", true));
  }
  for (const JointFit& fit : fits) {
    if (best.converged && Agree(best)) break;
    consider(from(separate, fit.program->params(), "separate solutions", false));
  }
  return best;
}

JointFit RefitJoint(const JointFit& fit, const JointProgram& program) {
  JointFit out;
  out.program = std::make_shared<JointProgram>(program);
  out.program->Layout();
  out.converged = SolveActiveSet(*out.program, out.iterations);
  out.noise_estimated = fit.noise_estimated;
  out.usable = true;
  for (const JointChain& chain : out.program->chains()) {
    out.residuals.push_back(JointResiduals(*out.program, chain));
    out.chi2 += out.residuals.back().squaredNorm();
  }
  out.degrees_of_freedom = fit.degrees_of_freedom;
  return out;
}

}  // namespace ricochet
