// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/joint_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dataset/joint_check.h"
#include "dataset/noise.h"
#include "math/statistics.h"
#include "observation/joint_sensor.h"
#include "recording/channels.h"

namespace ricochet {
namespace {

constexpr int kFewRows = 20;
constexpr double kLeastGrid = 2e-3;  // [s] of smoothed values
constexpr double kSlowRows = 0.1;    // [s] between rows, from which on the first cut-off follows the rate
constexpr int kLeastSteps = 8;       // of the grid
constexpr double kLongCount = 0.05;  // [s], a count that stays longer is an observation of its own
constexpr double kMargin = 3;        // of the noise, from a limit

/// Values at uniform times, joined by lines.
std::vector<double> Resample(const std::vector<double>& time, const std::vector<double>& values, double start,
                             double dt, int count) {
  std::vector<double> out;
  std::size_t at = 0;
  for (int i = 0; i < count; ++i) {
    const double t = start + i * dt;
    while (at + 2 < time.size() && time[at + 1] < t) ++at;
    const double s = std::clamp((t - time[at]) / (time[at + 1] - time[at]), 0.0, 1.0);
    out.push_back(values[at] + s * (values[at + 1] - values[at]));
  }
  return out;
}

/// Observations of a rounded channel: edges where the joint is slow, rows where it is fast, long counts.
void AddRounded(const std::vector<double>& time, const std::vector<double>& values, const JointChannel& channel,
                int index, JointTrack& track) {
  const auto smooth = [&](const std::vector<TreeMechanism::Vector>& of, double t) {
    const int at =
        std::clamp(static_cast<int>(std::lround((t - track.start) / track.grid)), 0, static_cast<int>(of.size()) - 1);
    return of[static_cast<std::size_t>(at)][static_cast<std::size_t>(channel.dof)];
  };
  const double D = channel.quantum;
  const auto add = [&](double t, double value, double sigma) {
    track.observations.push_back({t, channel.dof, channel.rate, value, sigma});
    track.channel_of.push_back(index);
  };
  std::size_t since = 0;
  for (std::size_t i = 0; i + 1 < time.size(); ++i) {
    const double dt = time[i + 1] - time[i], middle = 0.5 * (time[i] + time[i + 1]);
    const double rate = smooth(track.r, middle), acceleration = smooth(track.a, middle);
    const bool changes = std::abs(values[i + 1] - values[i]) > 0.5 * D;
    if (std::abs(rate) * dt > 0.7 * D) {
      add(time[i], values[i], D / std::sqrt(12.0));
      since = i + 1;
      continue;
    }
    const bool last = i + 2 == time.size();
    if (changes || last) {
      const std::size_t until = changes ? i : i + 1;
      if (time[until] - time[since] > kLongCount)
        add(0.5 * (time[until] + time[since]), values[until], D / std::sqrt(12.0));
      since = i + 1;
    }
    if (changes && std::abs(values[i + 1] - values[i]) < 1.5 * D)
      add(middle, 0.5 * (values[i] + values[i + 1]),
          std::hypot(rate * dt / std::sqrt(12.0), acceleration * dt * dt / 8, 1e-3 * D));
  }
}

void RefuseStops(const Scene& scene, const TreeMechanism& mechanism, const JointTrack& track,
                 const Recording& recording) {
  for (int k = 0; k < mechanism.dof(); ++k) {
    const Joint& joint = scene.joints[static_cast<std::size_t>(mechanism.joint(k))];
    if (!joint.limits) continue;
    const int column = recording.Find(joint.name + ".angle");
    double noise = 0;
    for (const JointChannel& channel : track.channels)
      if (channel.dof == k && !channel.rate) noise = std::max(channel.noise, channel.quantum);
    for (int i = 0; i < recording.rows(); ++i) {
      const double value = recording.values[static_cast<std::size_t>(column)][static_cast<std::size_t>(i)];
      if (value > scene[joint.limits->lower[0]] + kMargin * noise &&
          value < scene[joint.limits->upper[0]] - kMargin * noise)
        continue;
      if (!std::isfinite(value)) continue;
      throw InputError(
          {recording.file, recording.lines.empty() ? 0 : recording.lines[static_cast<std::size_t>(i)], 0},
          joint.name + ".angle",
          fmt::format(
              "at t = {:.6g} s the joint is at its stop ({:.6g} rad), and inverse-dynamics cannot fit through impacts.",
              recording.time[static_cast<std::size_t>(i)], value),
          "Split the recording at the stop, and pass both parts as recordings.");
    }
  }
}

}  // namespace

JointTrack MakeJointTrack(const Scene& scene, const Model& model, const TreeMechanism& mechanism,
                          const Recording& recording) {
  JointTrack track;
  track.name = recording.file.empty() ? "recording" : recording.file;
  track.rows = recording.rows();
  CheckJointTimes(recording);
  const Channels channels = ResolveChannels(recording, scene);
  track.start = recording.time.front();
  track.end = recording.time.back();
  track.inputs = InputSignal(recording, model, InputSignal::MissingColumn::kZero);
  std::vector<double> gaps;
  for (int i = 1; i < recording.rows(); ++i)
    gaps.push_back(recording.time[static_cast<std::size_t>(i)] - recording.time[static_cast<std::size_t>(i) - 1]);
  const double dt = Median(gaps);
  const int fine = static_cast<int>(std::floor((track.end - track.start) / dt + 1e-6)) + 1;
  const int skip = std::clamp(static_cast<int>(std::lround(kLeastGrid / dt)), 1, std::max(1, (fine - 1) / kLeastSteps));
  track.grid = skip * dt;
  const int count = (fine - 1) / skip + 1;
  track.x.assign(static_cast<std::size_t>(count), {});
  track.r = track.a = track.x;
  const int n = mechanism.dof();
  track.cutoff.assign(static_cast<std::size_t>(n), 0.0);
  const ObservationNumbers sensors = FindObservationNumbers(scene);
  std::vector<std::vector<double>> times, values;
  for (int k = 0; k < n; ++k) {
    const Joint& joint = scene.joints[static_cast<std::size_t>(mechanism.joint(k))];
    const JointChannels& column = channels.joints[static_cast<std::size_t>(mechanism.joint(k))];
    const JointSensor<double> sensor(sensors.joints[static_cast<std::size_t>(mechanism.joint(k))], scene);
    if (column.angle < 0)
      throw InputError(
          {recording.file, 0, 0}, joint.name + ".angle",
          "inverse-dynamics needs the angle of every joint that moves, and this one is not in the recording.",
          fmt::format("Record {}.angle, or fix the joint.", joint.name));
    for (const bool rate : {false, true}) {
      const int index = rate ? column.rate : column.angle;
      if (index < 0) continue;
      JointChannel channel;
      channel.name = recording.columns[static_cast<std::size_t>(index)];
      channel.dof = k;
      channel.rate = rate;
      std::vector<double>&time = times.emplace_back(), &value = values.emplace_back();
      for (int i = 0; i < recording.rows(); ++i) {
        const double number = recording.values[static_cast<std::size_t>(index)][static_cast<std::size_t>(i)];
        if (!std::isfinite(number)) continue;
        time.push_back(recording.time[static_cast<std::size_t>(i)]);
        value.push_back(number);
      }
      if (static_cast<int>(time.size()) < kFewRows)
        throw InputError({recording.file, 0, 0}, channel.name, fmt::format("only {} rows have a value.", time.size()),
                         "Record longer.");
      channel.quantum = FindQuantum(value);
      channel.rounded = channel.quantum > 0 && !rate;
      const NumberId given = joint.type == JointType::kHinge ? scene.observe.noise_angle : scene.observe.noise_position;
      channel.given = !rate && !joint.name.empty() && given && scene[given] > 0;
      channel.noise = channel.rounded ? channel.quantum / std::sqrt(12.0) : NoiseFromSixthDifferences(value);
      if (!channel.rounded) channel.rows_noise = channel.noise;
      const auto [least, most] = std::minmax_element(value.begin(), value.end());
      channel.range = *most - *least;
      if (channel.given) {
        channel.noise = scene[given];
        channel.rounded = false;
      }
      if (!(channel.noise > 0)) channel.noise = 1e-9;
      track.channels.push_back(channel);
      if (rate) continue;
      const std::vector<double> even = Resample(time, value, track.start, dt, fine);
      std::vector<double> smooth;
      for (double cutoff = dt < kSlowRows ? 2.0 : 0.02 / dt; cutoff < 0.45 / dt; cutoff *= 1.25) {
        smooth = FilterZeroPhase(even, dt, cutoff);
        track.cutoff[static_cast<std::size_t>(k)] = cutoff;
        std::vector<double> left;
        for (int i = 0; i < fine; ++i)
          left.push_back(std::abs(even[static_cast<std::size_t>(i)] - smooth[static_cast<std::size_t>(i)]));
        double sum = 0;
        for (const double e : left) sum += e * e;
        if (std::sqrt(sum / fine) < 1.1 * channel.noise) break;
      }
      const double step = track.grid;
      std::vector<double> grid;
      for (int i = 0; i < count; ++i)
        grid.push_back(CoordinateBehind(sensor, smooth[static_cast<std::size_t>(i * skip)]));
      for (int i = 0; i < count; ++i) {
        const std::size_t at = static_cast<std::size_t>(i);
        const std::size_t c = static_cast<std::size_t>(std::clamp(i, 1, count - 2));
        track.x[at][static_cast<std::size_t>(k)] = grid[at];
        const double slope = (grid[c + 1] - grid[c - 1]) / (2 * step);
        const double bend = (grid[c + 1] - 2 * grid[c] + grid[c - 1]) / (step * step);
        track.a[at][static_cast<std::size_t>(k)] = bend;
        track.r[at][static_cast<std::size_t>(k)] =
            slope + bend * step * (static_cast<double>(at) - static_cast<double>(c));
      }
    }
  }
  CheckJointUnits(mechanism, mechanism.Constants<double>(model.spatial), recording, track);
  RefuseStops(scene, mechanism, track, recording);
  for (std::size_t c = 0; c < track.channels.size(); ++c) {
    const JointChannel& channel = track.channels[c];
    if (channel.rounded) {
      AddRounded(times[c], values[c], channel, static_cast<int>(c), track);
      continue;
    }
    for (std::size_t i = 0; i < times[c].size(); ++i) {
      track.observations.push_back({times[c][i], channel.dof, channel.rate, values[c][i], 1.0});
      track.channel_of.push_back(static_cast<int>(c));
    }
  }
  // In the order of time.
  std::vector<std::size_t> order(track.observations.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return track.observations[a].time < track.observations[b].time;
  });
  std::vector<JointObservation> sorted;
  std::vector<int> sorted_channel;
  for (const std::size_t i : order) {
    sorted.push_back(track.observations[i]);
    sorted_channel.push_back(track.channel_of[i]);
    ++track.channels[static_cast<std::size_t>(track.channel_of[i])].observations;
  }
  track.observations = std::move(sorted);
  track.channel_of = std::move(sorted_channel);
  return track;
}

void CheckJointRecording(const Scene& scene, const Recording& recording) {
  const Model model = CompileModel(scene);
  const TreeMechanism mechanism(model);
  MakeJointTrack(scene, model, mechanism, recording);
}

}  // namespace ricochet
