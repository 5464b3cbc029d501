// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "inference/held_tests.h"
#include "inference/information.h"
#include "inference/residual_check.h"
#include "inference/score_scatter.h"
#include "math/statistics.h"
#include "optimize/covariance.h"

namespace ricochet {
namespace {

constexpr double kUnlikely = 1e-3;      // probability below which residuals are larger than the noise
constexpr double kVisible = 1.15;       // ratio to the noise below which nobody cares
constexpr double kNotWhite = 1e-4;      // probability below which residuals are not independent in time
constexpr double kInflated = 1.4;       // inflation below which that changes no interval
constexpr double kBelowNoise = 0.3;     // ratio to the noise below which residuals say nothing about the model
constexpr double kHeldMatters = 0.005;  // probability of the best gain among all that are tested
constexpr double kHeldWidens = 0.05;    // the same, from which on intervals include what it would change
constexpr double kMoves = 1;            // standard deviations by which it must move an estimate to matter
constexpr double kMovesALot = 6;        // the same, where its value is no further from the scene's than is plausible
constexpr double kHidden = 0.02;        // the same of an effect that the scene leaves out, to be worth a word
constexpr double kImitates = 4.0 / 3;   // the same by an effect of one standard deviation of its own, from which on
constexpr double kImitatesWell = 2.5;   // intervals include it if the data suggest it, and if they do not
constexpr double kGross = 3;            // residual over noise from which a mistake can be identified
constexpr double kFarBetter = 0.5;      // of the residual that freeing a parameter must leave then
constexpr double kDetermined = 2;       // standard deviations from the scene's value, to name another
constexpr double kAsGood = 1.02;        // ratio of two residuals that says nothing
constexpr double kGained = 0.05;        // of the decrease that a test promises, to be found by a fit
constexpr double kNearRival = 4;        // deviance: a rival within the data's reach
constexpr double kRivalMoves = 3;       // standard deviations between it and the fit
constexpr std::size_t kRefitted = 3;    // held groups that are fitted from here
constexpr double kDoubtful = 1.5;       // ratio to the noise that few rows may not excuse
constexpr std::size_t kMostExplanations = 5;

/// Largest shift over the standard deviation.
double LargestShift(const Eigen::VectorXd& shift, const Eigen::MatrixXd& covariance) {
  double largest = 0;
  for (Eigen::Index i = 0; i < shift.size(); ++i)
    if (const double std = std::sqrt(covariance(i, i)); std > 0 && std::isfinite(std))
      largest = std::max(largest, std::abs(shift[i]) / std);
  return largest;
}

/// Evidence of one held group, and how the estimates move with it.
struct Explained {
  Explanation words;
  Eigen::VectorXd shift;
  bool plausible = false;   // the scene's value is off by no more than one that a careful person writes
  bool determined = false;  // the data distinguish the value from the scene's
};

/// Whether a careful person may write the scene's value although `value` is right. Not of effects that a scene leaves
/// out.
bool IsPlausible(const FitProblem& problem, const HeldGroup& group, const std::vector<double>& value) {
  if (group.left_out) return false;
  for (std::size_t k = 0; k < group.parameters.size(); ++k) {
    const double written = problem.parameters().scene()[group.parameters[k].numerator];
    if (!(std::abs(value[k] - written) <= group.plausible[k])) return false;
  }
  return true;
}

/// Whether the data distinguish some coordinate of the value from the scene's.
bool IsDetermined(const FitProblem& problem, const HeldGroup& group, const Explanation& words) {
  for (std::size_t k = 0; k < group.parameters.size(); ++k) {
    const double written = problem.parameters().scene()[group.parameters[k].numerator];
    if (std::abs(words.value[k] - written) > kDetermined * words.std[k]) return true;
  }
  return false;
}

/// The test's own prediction, to first order.
Explained FromTest(const FitProblem& problem, const HeldGroup& group, const HeldTest& test,
                   const std::optional<double>& over_noise) {
  Explained out;
  out.words.path = group.path;
  out.words.unit = UnitOf(problem.parameters().scene(), group.parameters.front());
  out.words.value.assign(test.value.begin(), test.value.end());
  out.words.std.assign(test.std.begin(), test.std.end());
  if (over_noise) out.words.residual_over_noise = *over_noise * test.residual;
  out.words.p_value = test.p_value;
  out.shift = test.shift;
  std::string paths;
  for (const std::string& path : problem.parameters().paths()) paths += path + ", ";
  out.words.command = fmt::format("option `paths` \"{}{}\"", paths, group.path);
  return out;
}

/// The group fitted from here: what it really leaves, and the values that it then has. A fit that is grossly off has
/// other contacts than the right one, so where a fit from here does not come near the noise, the whole search follows.
/// False where the fit gains next to nothing of what its test promises: other contacts lie between here and there.
bool Refit(const FitProblem& problem, const Fit& fit, const HeldGroup& group, double promised, bool gross,
           Explained& out) {
  const std::unique_ptr<FitProblem> larger = problem.With(group.parameters);
  const int p = problem.parameters().size(), k = static_cast<int>(group.parameters.size());
  FitPoint from = fit.point;
  from.values.conservativeResize(p + k);
  from.values.tail(k) = larger->parameters().start().tail(k);
  HeldParameters held = fit.held;
  held.resize(static_cast<std::size_t>(held.empty() ? 0 : p + k), 0);
  Fit better = larger->Search(held, &from);
  std::optional<ResidualCheck> left = better.found ? CheckResiduals(*larger, better) : std::nullopt;
  const auto misfit = [](const std::optional<ResidualCheck>& check) {
    return check ? check->over_noise.value_or(INFINITY) : INFINITY;
  };
  bool whole = false;  // its cost may be over another noise than that of the fit
  if (gross && !(misfit(left) < kGross)) {
    Fit afresh = larger->Search(held);
    const std::optional<ResidualCheck> check = afresh.found ? CheckResiduals(*larger, afresh) : std::nullopt;
    whole = misfit(check) < misfit(left);
    if (whole) better = std::move(afresh), left = check;
  }
  if (!better.found) return true;
  if (!whole && !(fit.cost() - better.cost() > kGained * promised)) return false;
  if (!left) return true;
  out.words.residual_over_noise = left->over_noise;
  const auto information = InformationOf(*larger, better.point, held);
  for (int i = 0; i < k; ++i) {
    out.words.value[static_cast<std::size_t>(i)] = better.point.values[p + i];
    if (information && information->determined[static_cast<std::size_t>(p + i)])
      out.words.std[static_cast<std::size_t>(i)] = std::sqrt(information->covariance(p + i, p + i)) * left->scale;
  }
  out.shift = better.point.values.head(p) - fit.point.values;
  return true;
}

/// "31.2 +- 0.2 mm" of each coordinate.
std::string ValueText(const Explanation& explanation) {
  std::string out;
  for (std::size_t i = 0; i < explanation.value.size(); ++i)
    out += fmt::format("{}{:.4g} +- {:.2g}", i > 0 ? ", " : "", explanation.value[i], explanation.std[i]);
  if (explanation.value.size() > 1) out = "(" + out + ")";
  return explanation.unit == "-" ? out : out + " " + explanation.unit;
}

/// Whether an explanation leaves as little as another one.
bool IsAsGood(const Explanation& explanation, const Explanation& as) {
  return explanation.residual_over_noise && as.residual_over_noise &&
         *explanation.residual_over_noise < kAsGood * *as.residual_over_noise;
}

/// What the tests of held parameters say.
struct HeldEvidence {
  std::vector<Explained> explanations;  // that would explain what is left, best first
  std::vector<Explained> others;        // tests without a result, smallest probability first
  std::vector<std::string> assumptions;
  Eigen::VectorXd doubt;  // change of each estimate by the best that may explain something, or that nobody sees
  bool doubted = false;   // something speaks against the fit
};

HeldEvidence NoEvidence(const FitProblem& problem) {
  return {{}, {}, {}, Eigen::VectorXd::Zero(problem.parameters().size()), false};
}

/// What the estimates rest on because the data say nothing about it; empty where it changes none of them noticeably.
std::string AssumptionText(const FitProblem& problem, const HeldGroup& group, const HeldTest& test,
                           const Eigen::MatrixXd& covariance) {
  // An effect that the scene leaves out is worth a word whatever its size.
  const double least = group.left_out ? kHidden : kMoves;
  std::vector<std::string> moved;
  for (int i = 0; i < problem.parameters().size(); ++i)
    if (const double std = std::sqrt(covariance(i, i)); std > 0 && test.assumed[i] > least * std)
      moved.push_back(fmt::format("{} by {:.2g}", problem.parameters().selected(i).path, test.assumed[i]));
  if (moved.empty()) return "";
  const Scene& scene = problem.parameters().scene();
  std::vector<std::string> values, errors;
  for (std::size_t k = 0; k < group.parameters.size(); ++k) {
    values.push_back(fmt::format("{:.6g}", scene[group.parameters[k].numerator]));
    errors.push_back(fmt::format("{:.2g}", group.plausible[k]));
  }
  const std::string unit = UnitOf(scene, group.parameters.front());
  return fmt::format("{} is taken to be {}{}, because the data cannot test it; an error of {} would change {}",
                     group.path, fmt::join(values, ", "), unit == "-" ? "" : " " + unit, fmt::join(errors, ", "),
                     JoinList(moved));
}

/// What the standard deviations include because estimates imitate an effect that the scene leaves out; empty without.
/// `doubt` is raised to it.
std::string UnseenText(const FitProblem& problem, const HeldGroup& group, const HeldTest& test,
                       const Eigen::MatrixXd& covariance, Eigen::VectorXd& doubt) {
  const bool suggested = test.possible && (test.value.array() > test.std.array()).any();
  std::vector<std::string> moved;
  for (int i = 0; i < problem.parameters().size(); ++i) {
    const double std = std::sqrt(covariance(i, i));
    if (!(std > 0) || !(test.blur[i] > (suggested ? kImitates : kImitatesWell) * std)) continue;
    doubt[i] = std::max(doubt[i], test.unseen[i]);
    moved.push_back(problem.parameters().selected(i).path);
  }
  if (moved.empty()) return "";
  return fmt::format("the standard deviation{} of {} include{} that {}, which the scene leaves out, may act: the data "
                     "hardly distinguish it. If it is absent, write it into the scene as 0",
                     moved.size() > 1 ? "s" : "", JoinList(moved), moved.size() > 1 ? "" : "s", group.path);
}

/// Friction and springs of joints change the character of a motion: where one that the scene leaves out is large, the
/// fit without it is so far off that tests at it point elsewhere. Searches with all of a kind free find it. The joint
/// that has most of it explains the misfit.
std::optional<Explained> FindLeftOut(const FitProblem& problem, const Fit& fit, const std::vector<HeldGroup>& groups,
                                     const ResidualCheck& check) {
  for (const std::string_view kind : {".coulomb", ".drive.stiffness"}) {
    std::vector<const HeldGroup*> of_kind;
    std::vector<SelectedParameter> more;
    for (const HeldGroup& group : groups)
      if (group.left_out && group.path.starts_with("joints.") && group.path.ends_with(kind)) {
        of_kind.push_back(&group);
        more.insert(more.end(), group.parameters.begin(), group.parameters.end());
      }
    if (of_kind.empty()) continue;
    const std::unique_ptr<FitProblem> larger = problem.With(more);
    if (!larger) return std::nullopt;
    const int p = problem.parameters().size(), k = static_cast<int>(more.size());
    HeldParameters held = fit.held;
    held.resize(held.empty() ? 0 : static_cast<std::size_t>(p + k), 0);
    const Fit better = larger->Search(held);
    const std::optional<ResidualCheck> left = better.found ? CheckResiduals(*larger, better) : std::nullopt;
    if (!left || !left->over_noise || !(*left->over_noise < kFarBetter * *check.over_noise)) continue;
    std::size_t most = 0;
    double largest = 0;
    for (std::size_t i = 0; i < of_kind.size(); ++i) {
      const Eigen::Index at = p + static_cast<Eigen::Index>(i);
      const double std = std::sqrt(better.covariance(at, at)), size = std::abs(better.point.values[at]);
      if (std > 0 && size / std > largest) largest = size / std, most = i;
    }
    HeldTest test;
    test.value = test.std = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(of_kind[most]->parameters.size()));
    test.shift = Eigen::VectorXd::Zero(p);
    test.p_value = 0;
    Explained out = FromTest(problem, *of_kind[most], test, check.over_noise);
    if (Refit(problem, fit, *of_kind[most], 0, true, out) && out.words.residual_over_noise &&
        *out.words.residual_over_noise < kFarBetter * *check.over_noise)
      return out;
  }
  return std::nullopt;
}

/// Errors of what is held show in the size of the residuals only when they are large; before that, they show in the
/// gains, and before that they hide.
HeldEvidence Explain(const FitProblem& problem, const Fit& fit, const ResidualCheck& check, bool misfit, bool refit_all,
                     const Eigen::MatrixXd& covariance) {
  const std::vector<HeldGroup> groups = HeldGroupsOf(problem.parameters().scene(), problem.parameters().selected());
  const std::vector<HeldTest> tests = TestHeld(problem, fit, groups);
  HeldEvidence out = NoEvidence(problem);
  const auto possible = std::count_if(tests.begin(), tests.end(), [](const HeldTest& test) { return test.possible; });
  const auto by_chance = [&](const HeldTest& test) { return test.p_value * static_cast<double>(possible); };
  const bool gross = misfit && check.over_noise && *check.over_noise > kGross;
  const auto matters = [&](const HeldTest& test) {
    return test.possible && test.value.allFinite() && test.std.allFinite() && by_chance(test) < kHeldMatters;
  };
  // Of a fit that nothing speaks against, the tests say enough.
  out.doubted = misfit || std::any_of(tests.begin(), tests.end(), [&](const HeldTest& test) {
                  return matters(test) && LargestShift(test.shift, covariance) > kMoves;
                });
  Eigen::VectorXd unseen = Eigen::VectorXd::Zero(problem.parameters().size());
  for (const HeldTest& test : tests) {
    const HeldGroup& group = groups[static_cast<std::size_t>(test.group)];
    if (std::string words = UnseenText(problem, group, test, covariance, unseen); !words.empty())
      out.assumptions.push_back(std::move(words));
    else if (words = AssumptionText(problem, group, test, covariance); !words.empty())
      out.assumptions.push_back(std::move(words));
    if (!test.possible || !test.value.allFinite() || !test.std.allFinite()) continue;  // the data say nothing about it
    Explained explained = FromTest(problem, group, test, check.over_noise);
    if (test.group == tests.front().group && by_chance(test) < kHeldWidens) out.doubt = test.shift;
    bool explains = matters(test) && out.explanations.size() < kMostExplanations;
    if (explains && (out.doubted || refit_all) && out.explanations.size() < kRefitted) {
      const double promised = fit.cost() * (1 - test.residual * test.residual);
      // Where nothing else speaks against the fit, the test stands.
      if (!Refit(problem, fit, group, promised, gross, explained) && misfit) explains = false;
    }
    explained.words.shift = LargestShift(explained.shift, covariance);
    explained.plausible = IsPlausible(problem, group, explained.words.value);
    explained.determined = IsDetermined(problem, group, explained.words);
    (explains ? out.explanations : out.others).push_back(std::move(explained));
  }
  // Fits from here may order them otherwise.
  std::vector<Explained>& best = out.explanations;
  std::stable_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(std::min(best.size(), kRefitted)),
                   [](const Explained& a, const Explained& b) {
                     return a.words.residual_over_noise && b.words.residual_over_noise &&
                            *a.words.residual_over_noise < *b.words.residual_over_noise;
                   });
  if (gross && !(!best.empty() && best.front().words.residual_over_noise &&
                 *best.front().words.residual_over_noise < kGross)) {
    if (std::optional<Explained> found = FindLeftOut(problem, fit, groups, check)) {
      found->words.shift = LargestShift(found->shift, covariance);
      std::erase_if(best, [&](const Explained& each) { return each.words.path == found->words.path; });
      best.insert(best.begin(), std::move(*found));
    }
  }
  // Of those that leave the same, the one with fewest coordinates is the simplest.
  for (std::size_t i = 1; i < std::min(best.size(), kRefitted); ++i)
    if (IsAsGood(best[i].words, best.front().words) && best[i].words.value.size() < best.front().words.value.size())
      std::rotate(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(i),
                  best.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  // Of several that explain the same, the best says how far the estimates move.
  if (!best.empty()) out.doubt = best.front().shift;
  out.doubt = out.doubt.cwiseAbs().cwiseMax(unseen);
  return out;
}

std::string LargestText(const FitProblem& problem, const ResidualCheck& check) {
  std::string text = fmt::format("{} at {:.4g} s", check.largest_channel, check.largest_time);
  if (problem.blocks() > 1) text += fmt::format(" of recording {}", check.largest_recording + 1);
  return fmt::format("{} ({:.3g} standard deviations)", text, check.largest);
}

/// Whether estimating a held parameter too would clearly reduce the residuals, which are `misfit` over the noise.
bool ReducesResiduals(const Explanation& words, const std::optional<double>& misfit) {
  return words.residual_over_noise && misfit && *words.residual_over_noise < 0.9 * *misfit;
}

}  // namespace

std::string RemedyOf(const Explanation& explanation, bool determined, const std::optional<double>& misfit,
                     const std::vector<std::string>& equals) {
  const std::optional<double>& left = explanation.residual_over_noise;
  const std::string gain =
      ReducesResiduals(explanation, misfit)
          ? fmt::format("reduce residuals from {:.3g} to {:.3g} times the noise", *misfit, *left)
          : fmt::format("explain the data better and move the estimates by up to {:.2g} standard deviations",
                        explanation.shift);
  if (!determined)
    return fmt::format("another value of {} would {}, but the data do not determine it: measure it, and check the "
                       "other values of the scene",
                       explanation.path, gain);
  const std::string change = fmt::format("{} = {} would {}{}", explanation.path, ValueText(explanation), gain,
                                         equals.empty() ? "" : fmt::format(", and so would {}", JoinList(equals)));
  if (left && *left > kGross)
    return fmt::format("{}, which is not enough: check every value, unit and axis of the scene; to estimate {} as "
                       "well, add {}",
                       change, explanation.path, explanation.command);
  return fmt::format("{}: correct the scene or add {}", change, explanation.command);
}

Verdict JudgeFit(const FitProblem& problem, const Fit& fit, Eigen::MatrixXd& covariance, bool all_tests) {
  Verdict verdict;
  verdict.level = VerdictLevel::kGood;
  if (!fit.found) {
    verdict.Lower(VerdictLevel::kRejected, "the search found no motion that follows the recordings");
    return verdict;
  }
  const std::optional<ResidualCheck> check = CheckResiduals(problem, fit);
  if (!check) {
    verdict.Lower(VerdictLevel::kLimited, "too few data remain to test the fit against its noise");
    return verdict;
  }
  verdict.residual_over_noise = check->over_noise;
  if (check->over_noise) verdict.p_value = check->p_value;

  const bool larger = check->over_noise && check->p_value < kUnlikely &&
                      std::max(*check->over_noise, check->worst_over_noise) > kVisible;
  // Rounding and integration of exact data leave smooth residuals far below any noise.
  const double ratio = check->over_noise.value_or(check->scale);
  const bool correlated = check->white_p_value < kNotWhite && check->inflation > kInflated && ratio > kBelowNoise;
  const HeldEvidence held = ratio > kBelowNoise
                                ? Explain(problem, fit, *check, larger || correlated, all_tests, covariance)
                                : NoEvidence(problem);
  for (const Explained& each : held.explanations) verdict.explanations.push_back(each.words);
  if (all_tests)
    for (const Explained& each : held.others) verdict.explanations.push_back(each.words);

  if (larger)
    verdict.Lower(
        VerdictLevel::kLimited,
        fmt::format("the model does not explain the data: residuals are {:.3g} times the measurement noise{}, "
                    "the largest of {}",
                    *check->over_noise,
                    check->worst_over_noise > 1.2 * *check->over_noise
                        ? fmt::format(" ({:.3g} times in {})", check->worst_over_noise, check->worst_channel)
                        : "",
                    LargestText(problem, *check)));
  // What a held parameter would change. Intervals can cover a small and plausible change.
  std::string covered;
  if (!held.explanations.empty()) {
    const Explanation& words = held.explanations.front().words;
    const bool small = held.explanations.front().plausible && words.shift < kMovesALot;
    const bool gross = larger && std::max(*check->over_noise, check->worst_over_noise) > kGross &&
                       words.residual_over_noise && *words.residual_over_noise < kFarBetter * *check->over_noise;
    std::vector<std::string> equals;
    for (std::size_t i = 1; i < std::min(held.explanations.size(), kRefitted); ++i)
      if (IsAsGood(held.explanations[i].words, words)) equals.push_back(held.explanations[i].words.path);
    if (small && !larger && !correlated && held.doubted && words.shift > kMoves)
      covered = fmt::format("standard deviations include what {} = {} would change: the data show it, and it is "
                            "close to the scene's value",
                            words.path, ValueText(words));
    else if (((larger || correlated) && ReducesResiduals(words, check->over_noise)) ||
             (held.doubted && words.shift > kMoves))
      verdict.Lower(gross ? VerdictLevel::kRejected : VerdictLevel::kLimited,
                    RemedyOf(words, held.explanations.front().determined, check->over_noise, equals));
  }
  if (correlated)
    verdict.Lower(
        VerdictLevel::kLimited,
        fmt::format("residuals are correlated in time, which widens intervals {:.2g} times: the model does not "
                    "explain part of the motion, or the recording was filtered",
                    std::sqrt(check->inflation)));
  // Few rows say little about their noise, so that a misfit may pass for it.
  if (check->over_noise && !larger && *check->over_noise > kDoubtful &&
      TailOfF(4, check->freedom, check->noise_freedom) > kUnlikely)
    verdict.Lower(VerdictLevel::kLimited,
                  fmt::format("residuals are {:.2g} times the measurement noise, but so few rows show the noise only "
                              "roughly: record more rows, or state the noise (observe.noise)",
                              *check->over_noise));
  if (!check->over_noise)
    verdict.Lower(VerdictLevel::kLimited, "only the residuals of this fit show the size of the noise");
  for (const FitRival& rival : fit.rivals)
    if (rival.loss < kNearRival && LargestShift(rival.values - fit.point.values, fit.covariance) > kRivalMoves) {
      verdict.Lower(VerdictLevel::kLimited, "another solution, with different contacts, fits almost as well");
      break;
    }

  // Standard deviations cover what was found.
  Eigen::VectorXd least = covariance.diagonal().cwiseSqrt();
  if (verdict.level == VerdictLevel::kGood) {
    verdict.reasons.push_back(fmt::format(
        "the model explains the data: residuals are {:.2g} times the measurement noise", *check->over_noise));
  } else if (problem.cost_kind() == CostKind::kDeviance) {  // that of a cost is the scatter between recordings already
    least *= std::max(1.0, check->scale);
    if (correlated) least *= std::sqrt(check->inflation);
    if (const auto scatter = ScatterCovariance(problem, fit)) least = least.cwiseMax(scatter->diagonal().cwiseSqrt());
  }
  least = (least.array().square() + held.doubt.array().square()).sqrt();
  EnlargeTo(least, covariance);
  if (!covered.empty()) verdict.reasons.push_back(covered);
  verdict.reasons.insert(verdict.reasons.end(), held.assumptions.begin(), held.assumptions.end());
  return verdict;
}

}  // namespace ricochet
