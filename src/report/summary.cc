// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "core/text.h"

namespace ricochet {
namespace {

constexpr double kTwoSided95 = 1.959964;
constexpr std::size_t kMostNamed = 4;  // recordings in a sentence; all are in the table

/// Probability that at most `hits` of `trials` happen, each with probability p.
double AtMostByChance(std::size_t hits, std::size_t trials, double p) {
  double sum = 0;
  for (std::size_t k = 0; k <= hits; ++k) {
    const auto n = static_cast<double>(trials), i = static_cast<double>(k);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) + i * std::log(p) +
                    (n - i) * std::log1p(-p));
  }
  return std::min(1.0, sum);
}

std::string Count(std::size_t n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

std::string Unit(const std::string& unit) { return unit.empty() || unit == "-" ? "" : " " + unit; }

/// What the verdict rests on.
void AddVerdict(const Verdict& verdict, std::vector<ReportSentence>& out) {
  const Tone tone = verdict.level == VerdictLevel::kGood      ? Tone::kGood
                    : verdict.level == VerdictLevel::kLimited ? Tone::kCaution
                                                              : Tone::kBad;
  for (std::string text : verdict.reasons) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    out.push_back({tone, text + "."});
  }
}

void AddPatterns(const std::vector<ReportMotion>& motions, std::vector<ReportSentence>& out) {
  std::set<std::string> patterned;
  std::size_t tested = 0;
  for (const ReportMotion& motion : motions) {
    const ReportTrack *recorded = nullptr, *fitted = nullptr;
    for (const ReportTrack& track : motion.tracks) (track.kind == TrackKind::kRecorded ? recorded : fitted) = &track;
    if (!recorded || !fitted) continue;
    for (const ResidualPattern& pattern : FindResidualPatterns(*recorded, *fitted)) {
      ++tested;
      if (!pattern.random()) patterned.insert(pattern.channel);
    }
  }
  if (tested == 0) return;
  if (patterned.empty()) {
    out.push_back(
        {Tone::kGood, "The residuals look like noise: neighboring frames show no common trend in any channel."});
    return;
  }
  const std::vector<std::string> names(patterned.begin(), patterned.end());
  out.push_back({Tone::kCaution,
                 fmt::format("The residuals of {} are not random from frame to frame: the model does not explain part "
                             "of the motion (check shape, contact law and camera), or the recording was filtered.",
                             JoinList(names))});
}

/// Excluded recordings, those with one reason in one sentence.
void AddExcluded(const std::vector<RecordingUse>& recordings, std::vector<ReportSentence>& out) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const RecordingUse& r : recordings) {
    if (r.used) continue;
    const auto at = std::find_if(reasons.begin(), reasons.end(), [&](const auto& e) { return e.first == r.reason; });
    (at == reasons.end() ? reasons.emplace_back(r.reason, std::vector<std::string>{}) : *at).second.push_back(r.file);
  }
  for (auto& [reason, files] : reasons) {
    const std::size_t count = files.size();
    if (count == 1) {
      out.push_back({Tone::kCaution, fmt::format("{} was excluded: {}", files.front(), reason)});
      continue;
    }
    if (count > kMostNamed) {
      files.resize(kMostNamed);
      files.push_back(fmt::format("{} more", count - kMostNamed));
    }
    out.push_back(
        {Tone::kCaution, fmt::format("{} recordings were excluded: {} ({})", count, reason, JoinList(files))});
  }
}

/// Half axes of the region (p - center)^T C^-1 (p - center) <= region, the larger first.
std::array<double, 2> HalfAxes(const std::array<double, 3>& covariance, double region) {
  const auto [xx, xy, yy] = covariance;
  const double mean = (xx + yy) / 2, radius = std::hypot((xx - yy) / 2, xy);
  return {std::sqrt(region * (mean + radius)), std::sqrt(region * std::max(0.0, mean - radius))};
}

/// Where the first tosses come to rest, and on which face.
void AddRestPredictions(const Evaluation& evaluation, std::vector<ReportSentence>& out) {
  constexpr std::size_t kShown = 3;
  if (evaluation.command != "predict") return;
  for (std::size_t i = 0; i < std::min(kShown, evaluation.rest.size()); ++i) {
    const RestComparison& rest = evaluation.rest[i];
    if (!rest.predicted) continue;
    std::string text =
        fmt::format("{} comes to rest at ({:.2f}, {:.2f}) m", rest.recording, rest.predicted->x, rest.predicted->y);
    if (i < evaluation.faces.size() && !evaluation.faces[i].probabilities.empty()) {
      const FaceForecast& forecast = evaluation.faces[i];
      const auto likeliest = std::max_element(forecast.probabilities.begin(), forecast.probabilities.end());
      text += fmt::format(", face {} up ({:.0f} %)",
                          forecast.faces[static_cast<std::size_t>(likeliest - forecast.probabilities.begin())],
                          100 * *likeliest);
    }
    text += ".";
    if (rest.covariance) {
      const auto [major, minor] = HalfAxes(*rest.covariance, rest.region);
      text += fmt::format(" {:.0f} % region: {:.0f} × {:.0f} mm.", 100 * evaluation.level, 2e3 * major, 2e3 * minor);
    }
    out.push_back({Tone::kNeutral, text});
  }
}

}  // namespace

std::vector<ResidualPattern> FindResidualPatterns(const ReportTrack& recorded, const ReportTrack& fitted) {
  std::map<double, std::size_t> row_of;
  for (std::size_t i = 0; i < fitted.time.size(); ++i) row_of[fitted.time[i]] = i;
  std::vector<ResidualPattern> out;
  for (const ReportChannel& channel : recorded.channels) {
    if (channel.group != ChannelGroup::kPose && channel.group != ChannelGroup::kJoint) continue;
    const auto twin = std::find_if(fitted.channels.begin(), fitted.channels.end(),
                                   [&](const ReportChannel& c) { return c.name == channel.name; });
    if (twin == fitted.channels.end()) continue;
    std::vector<double> residuals;
    for (std::size_t i = 0; i < recorded.time.size(); ++i) {
      const auto at = row_of.find(recorded.time[i]);
      if (at == row_of.end()) continue;
      const double difference = channel.values[i] - twin->values[at->second];
      const double residual = channel.angle ? std::remainder(difference, 2 * M_PI) : difference;
      if (std::isfinite(residual)) residuals.push_back(residual);
    }
    if (residuals.size() < 20) continue;
    // Single gross errors must not decide: they are cut at three times the median size.
    std::vector<double> sizes;
    for (const double r : residuals) sizes.push_back(std::abs(r));
    std::nth_element(sizes.begin(), sizes.begin() + static_cast<long>(sizes.size() / 2), sizes.end());
    const double cut = 3 * 1.4826 * sizes[sizes.size() / 2];
    double square = 0, product = 0, true_square = 0;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      true_square += residuals[i] * residuals[i];
      const double r = std::clamp(residuals[i], -cut, cut);
      square += r * r;
      if (i > 0) product += r * std::clamp(residuals[i - 1], -cut, cut);
    }
    ResidualPattern pattern;
    pattern.channel = channel.name;
    pattern.unit = channel.unit;
    pattern.count = static_cast<int>(residuals.size());
    pattern.rms = std::sqrt(true_square / pattern.count);
    pattern.correlation = square > 0 ? product / square : 0;
    pattern.limit = 2.326 / std::sqrt(static_cast<double>(pattern.count)) + 0.05;
    out.push_back(pattern);
  }
  return out;
}

std::string WithUncertainty(double value, double std) {
  if (!(std > 0) || !std::isfinite(std)) return fmt::format("{:.6g}", value);
  // Decimals so that the standard deviation has two digits; very small and large numbers share a power of ten.
  const double size = std::max(std::abs(value), std);
  const int power = size < 1e-3 || size >= 1e5 ? static_cast<int>(std::floor(std::log10(size))) : 0;
  const double scale = std::pow(10.0, power);
  const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(std / scale))), 0, 12);
  const std::string text = fmt::format("{:.{}f} ± {:.{}f}", value / scale, decimals, std / scale, decimals);
  if (power == 0) return text;
  constexpr std::array<const char*, 10> kSuperscripts = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string exponent = power < 0 ? "⁻" : "";
  for (const char digit : fmt::format("{}", std::abs(power))) exponent += kSuperscripts[digit - '0'];
  return fmt::format("({}) × 10{}", text, exponent);
}

std::vector<ReportSentence> SummarizeEstimate(const Estimate& estimate, const std::vector<ReportMotion>& motions) {
  std::vector<ReportSentence> out;
  std::size_t used = 0, rejected = 0, rows = 0;
  for (const RecordingUse& r : estimate.recordings) {
    used += r.used;
    rejected += r.used ? static_cast<std::size_t>(std::max(0, r.rejected_rows)) : 0;
    rows += r.used ? static_cast<std::size_t>(std::max(0, r.rows)) : 0;
  }
  std::size_t identified = 0;
  for (const EstimatedParameter& p : estimate.parameters) identified += p.identifiable && p.value.has_value();
  out.push_back({Tone::kNeutral, fmt::format("{} of {} are estimated from {} ({}) by the method {}.", identified,
                                             Count(estimate.parameters.size(), "requested parameter"),
                                             Count(used, "recording"), Count(rows, "row"), estimate.method)});
  AddVerdict(estimate.verdict, out);
  for (const EstimatedParameter& p : estimate.parameters) {
    if (!p.value || !p.identifiable) continue;
    if (p.std)
      out.push_back({Tone::kNeutral, fmt::format("{} = {}{}; with 95 % confidence between {:.5g} and {:.5g}.", p.path,
                                                 WithUncertainty(*p.value, *p.std), Unit(p.unit),
                                                 *p.value - kTwoSided95 * *p.std, *p.value + kTwoSided95 * *p.std)});
    else
      out.push_back(
          {Tone::kCaution, fmt::format("{} = {:.6g}{}, without an interval.", p.path, *p.value, Unit(p.unit))});
  }
  for (const EstimatedParameter& p : estimate.parameters) {
    if (p.identifiable && p.value) continue;
    std::string text = fmt::format("{} is not identifiable from the data", p.path);
    if (p.lower) text += fmt::format(", except that it is at least {:.4g}{}", *p.lower, Unit(p.unit));
    if (p.upper) text += fmt::format(", except that it is at most {:.4g}{}", *p.upper, Unit(p.unit));
    text += p.combination.empty() ? ". Record a motion that depends on it, or give its value in the scene."
                                  : fmt::format(": {}.", p.combination);
    out.push_back({Tone::kCaution, text});
  }
  AddPatterns(motions, out);
  AddExcluded(estimate.recordings, out);
  if (rejected > 0)
    out.push_back({Tone::kCaution, fmt::format("{} of {} were excluded as outliers.", Count(rejected, "row"), rows)});
  for (const std::string& warning : estimate.warnings) out.push_back({Tone::kCaution, warning});
  return out;
}

std::vector<ReportSentence> SummarizeSimulation(const SimulationSummary& s, const ReportMotion& motion,
                                                const std::vector<std::string>& pairs) {
  std::vector<ReportSentence> out;
  std::size_t impacts = 0;
  const ReportContact* hardest = nullptr;
  for (const ReportContact& contact : motion.contacts) {
    impacts += contact.impact;
    if (!hardest || contact.normal > hardest->normal) hardest = &contact;
  }
  out.push_back({Tone::kNeutral, fmt::format("The scene was simulated for {:.6g} s with {} in {} steps of {:.4g} s.",
                                             s.duration, s.method, s.steps, s.step)});
  if (s.failed_steps > 0)
    out.push_back({Tone::kBad, fmt::format("{} of {} steps were not solved to tolerance, the first at {:.6g} s: do not "
                                           "trust the motion after it. Try another step or stepper.",
                                           s.failed_steps, s.steps, s.first_failure)});
  else
    out.push_back(
        {Tone::kGood, fmt::format("Every contact problem was solved: largest relative residual {:.2g}, deepest "
                                  "penetration {:.2g} m.",
                                  s.largest_residual, s.deepest_penetration)});
  if (hardest)
    out.push_back({Tone::kNeutral,
                   fmt::format("The motion has {}; the largest normal impulse is {:.4g} N s at {:.4g} s ({}).",
                               Count(impacts, "impact"), hardest->normal, hardest->time, pairs[hardest->pair])});
  else
    out.push_back({Tone::kNeutral, "The motion has no contact."});
  const double start = s.kinetic_start + s.potential_start, end = s.kinetic_end + s.potential_end;
  out.push_back(
      {Tone::kNeutral, fmt::format("Mechanical energy went from {:.4g} J to {:.4g} J; contacts and joints took "
                                   "{:.4g} J.",
                                   start, end, s.dissipated)});
  if (s.gaining_steps > 0)
    out.push_back(
        {Tone::kCaution, fmt::format("In {} steps the contacts added {:.3g} J of energy, which Newton's "
                                     "restitution with friction can do.",
                                     s.gaining_steps, s.gained)});
  return out;
}

std::vector<ReportSentence> SummarizeEvaluation(const Evaluation& evaluation) {
  std::vector<ReportSentence> out;
  for (const CostMap& map : evaluation.cost_maps) {
    const auto least = std::min_element(map.cost.begin(), map.cost.end(),
                                        [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
    if (least == map.cost.end() || std::isnan(*least)) {
      out.push_back({Tone::kBad, fmt::format("No cost of the map {} could be computed.", map.title)});
      continue;
    }
    std::size_t index = static_cast<std::size_t>(least - map.cost.begin());
    std::string text = fmt::format("The {}{} is least, {:.4g}{}, at ", map.title,
                                   evaluation.command == "validate" ? "" : " cost", *least, Unit(map.unit));
    bool border = false;
    for (std::size_t a = map.axes.size(); a-- > 0;) {
      const CostAxis& axis = map.axes[a];
      const std::size_t i = index % axis.values.size();
      index /= axis.values.size();
      border = border || ((i == 0 || i + 1 == axis.values.size()) && axis.values.size() > 1 && !axis.minimum);
      text += fmt::format("{} = {:.4g}{}{}", axis.path, axis.minimum.value_or(axis.values[i]), Unit(axis.unit),
                          a > 0 ? ", " : ".");
    }
    out.push_back({Tone::kNeutral, text});
    if (border) out.push_back({Tone::kCaution, "The least cost is at the edge of the grid: widen the grid."});
  }
  AddRestPredictions(evaluation, out);
  const PredictionErrors& errors = evaluation.errors;
  for (const PredictionErrors::Model& model : errors.models) {
    for (std::size_t m = 0; m < errors.metrics.size(); ++m) {
      double sum = 0, square = 0;
      int count = 0;
      for (const double value : model.values[m]) {
        if (std::isnan(value)) continue;
        sum += value;
        square += value * value;
        ++count;
      }
      if (count == 0) continue;
      const double mean = sum / count;
      const double deviation = count > 1 ? std::sqrt(std::max(0.0, (square - count * mean * mean) / (count - 1))) : 0;
      out.push_back({Tone::kNeutral, fmt::format("{}: {} is {:.3g}{} on average (standard deviation {:.2g}) over {}.",
                                                 model.name, errors.metrics[m].name, mean, Unit(errors.metrics[m].unit),
                                                 deviation, Count(static_cast<std::size_t>(count), "recording"))});
    }
  }
  std::size_t compared = 0, inside = 0, with_region = 0, wrong_face = 0;
  for (const CalibrationCheck& check : evaluation.checks)
    out.push_back({std::abs(check.found - check.stated) <=
                           2 * std::sqrt(check.stated * (1 - check.stated) / std::max(1, check.count))
                       ? Tone::kGood
                       : Tone::kCaution,
                   fmt::format("{}: stated {:.0f} %, found {:.1f} % of {} held-out recordings.", check.what,
                               100 * check.stated, 100 * check.found, check.count)});
  for (const RestComparison& rest : evaluation.rest) {
    wrong_face += !rest.face_correct;
    if (!rest.measured || !rest.predicted) continue;
    ++compared;
    if (!rest.covariance) continue;
    const auto [xx, xy, yy] = *rest.covariance;
    const double dx = rest.measured->x - rest.predicted->x, dy = rest.measured->y - rest.predicted->y;
    const double det = xx * yy - xy * xy;
    if (!(det > 0)) continue;
    ++with_region;
    inside += (yy * dx * dx - 2 * xy * dx * dy + xx * dy * dy) / det <= rest.region;
  }
  if (with_region > 0)
    out.push_back({AtMostByChance(inside, with_region, evaluation.level) > 0.05 ? Tone::kGood : Tone::kCaution,
                   fmt::format("{} of {} measured rest positions lie in their {:.0f} % region.", inside, with_region,
                               100 * evaluation.level)});
  if (wrong_face > 0)
    out.push_back({Tone::kCaution,
                   fmt::format("In {} of {} cases the predicted face is wrong.", wrong_face, evaluation.rest.size())});
  if (compared == 0 && out.empty())
    out.push_back({Tone::kNeutral, "No recording shows its rest, so the prediction cannot be checked."});
  return out;
}

}  // namespace ricochet
