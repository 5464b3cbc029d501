// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/page/thinning.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ricochet {

std::vector<int> RowsToKeep(const ReportTrack& track, std::span<const double> impacts, int most) {
  const int rows = static_cast<int>(track.time.size());
  std::vector<char> keep(rows, rows <= most);
  if (rows > most) {
    const int channels = std::max<int>(1, static_cast<int>(track.channels.size()));
    const long stretches = std::max(50, most / (2 * channels));
    for (long s = 0; s < stretches; ++s) {
      const int begin = static_cast<int>(rows * s / stretches), end = static_cast<int>(rows * (s + 1) / stretches);
      if (begin >= end) continue;
      keep[begin] = 1;
      for (const ReportChannel& channel : track.channels) {
        // NaN compares false, so that a missing value is never an extreme while there are others.
        int least = -1, largest = -1;
        for (int i = begin; i < end; ++i) {
          const double value = channel.values[i];
          if (value != value) continue;
          if (least < 0 || value < channel.values[least]) least = i;
          if (largest < 0 || value > channel.values[largest]) largest = i;
        }
        if (least >= 0) keep[least] = keep[largest] = 1;
      }
    }
    keep[rows - 1] = 1;
    for (const double time : impacts) {
      const int after =
          static_cast<int>(std::lower_bound(track.time.begin(), track.time.end(), time) - track.time.begin());
      for (int i = std::max(0, after - 1); i <= std::min(rows - 1, after + 1); ++i) keep[i] = 1;
    }
  }
  std::vector<int> out;
  for (int i = 0; i < rows; ++i)
    if (keep[i]) out.push_back(i);
  return out;
}

ReportTrack KeepRows(const ReportTrack& track, std::span<const int> rows) {
  ReportTrack out;
  out.kind = track.kind;
  out.poses = track.poses;
  out.time.reserve(rows.size());
  for (const int row : rows) out.time.push_back(track.time[row]);
  for (const ReportChannel& channel : track.channels) {
    ReportChannel& kept = out.channels.emplace_back();
    kept.name = channel.name;
    kept.unit = channel.unit;
    kept.group = channel.group;
    kept.angle = channel.angle;
    kept.values.reserve(rows.size());
    for (const int row : rows) kept.values.push_back(channel.values[row]);
  }
  return out;
}

std::vector<ReportContact> ThinContacts(const std::vector<ReportContact>& contacts, int most) {
  if (contacts.size() <= static_cast<std::size_t>(most)) return contacts;
  double first = contacts.front().time, last = first;
  std::map<std::pair<int, int>, int> places;
  for (const ReportContact& contact : contacts) {
    first = std::min(first, contact.time);
    last = std::max(last, contact.time);
    places.emplace(std::pair(contact.pair, contact.contact), 0);
  }
  const long stretches = std::max<long>(50, most / static_cast<long>(places.size()));
  std::map<std::tuple<int, int, long>, std::size_t> largest;
  std::vector<char> keep(contacts.size(), 0);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ReportContact& contact = contacts[i];
    if (contact.impact) keep[i] = 1;
    const long stretch =
        last > first ? static_cast<long>((contact.time - first) / (last - first) * (stretches - 1)) : 0;
    const auto [at, fresh] = largest.try_emplace({contact.pair, contact.contact, stretch}, i);
    if (!fresh && contact.normal > contacts[at->second].normal) at->second = i;
  }
  for (const auto& [key, index] : largest) keep[index] = 1;
  std::vector<ReportContact> out;
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (keep[i]) out.push_back(contacts[i]);
  return out;
}

}  // namespace ricochet
