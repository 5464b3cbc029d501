// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/mechanism/identifiable_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.h"

namespace ricochet {

bool IdentifiableSum::Names(int parameter) const {
  return leading == parameter ||
         std::any_of(held.begin(), held.end(), [&](const auto& term) { return term.first == parameter; });
}

double IdentifiableSum::Value(const Eigen::VectorXd& values) const {
  double sum = values[leading];
  for (const auto& [parameter, factor] : held) sum += factor * values[parameter];
  return sum;
}

std::vector<EstimatedTerm> IdentifiableSum::Terms(const std::vector<std::string>& paths) const {
  std::vector<EstimatedTerm> terms = {{paths[static_cast<std::size_t>(leading)], 1}};
  for (const auto& [parameter, factor] : held) terms.push_back({paths[static_cast<std::size_t>(parameter)], factor});
  return terms;
}

std::string IdentifiableSum::Text(const std::vector<std::string>& paths) const {
  constexpr double kOne = 0.02;
  std::string out = paths[static_cast<std::size_t>(leading)];
  for (const auto& [parameter, factor] : held) {
    const double size = std::abs(factor);
    out +=
        fmt::format(" {} {}{}", factor < 0 ? "-" : "+", std::abs(size - 1) < kOne ? "" : fmt::format("{:.3g} ", size),
                    paths[static_cast<std::size_t>(parameter)]);
  }
  return out;
}

std::vector<IdentifiableSum> IdentifiableSums(const std::vector<HeldNumber>& held) {
  std::vector<IdentifiableSum> sums;
  for (const HeldNumber& entry : held)
    for (const std::pair<int, double>& move : entry.moves) {
      auto sum = std::find_if(sums.begin(), sums.end(), [&](const auto& each) { return each.leading == move.first; });
      if (sum == sums.end()) sum = sums.insert(sums.end(), {move.first, {}});
      sum->held.emplace_back(entry.pivot, -move.second);
    }
  return sums;
}

std::string DescribeSums(const std::vector<IdentifiableSum>& sums, int parameter,
                         const std::vector<std::string>& paths) {
  std::vector<std::string> texts;
  for (const IdentifiableSum& sum : sums)
    if (sum.Names(parameter)) texts.push_back(sum.Text(paths));
  if (texts.empty()) return "";
  return fmt::format("only {} {} identifiable", JoinList(texts), texts.size() == 1 ? "is" : "are");
}

}  // namespace ricochet
