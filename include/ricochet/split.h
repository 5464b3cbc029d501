// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Long takes cut into recordings of one motion each.
//
//     const ricochet::SplitTake take = ricochet::SplitRecording(ricochet::ReadRecording("take.csv"));
//     for (const ricochet::TakePiece& toss : take.pieces) std::cout << toss.origin << "\n";
//
// A toss begins at the release: from there the center of mass falls with the acceleration of gravity, wherever the
// tracked frame is on the body. It ends when the body rests. Flights after which the body is caught, carried or thrown
// again are left out. Without any flight, pieces are slides: motion on one level that slows down to rest. Joint angles
// are cut into swings between standstills. Balls and markers, recorded by position only, are cut one by one, and a
// piece has the columns of those that it shows.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// How to cut a take.
struct SplitOptions {
  Eigen::Vector3d gravity = {0, 0, -9.81};  // in the axes of the recording; planar: (x, 0, y) [m/s^2]
  Eigen::Vector3d belt = {0, 0, 0};         // velocity of a running conveyor, on which a body is at rest [m/s]
  double rest = 0.25;                       // how much of the rest at the end a piece keeps [s]
  std::string body{};                       // whose motion decides; empty: the first that flies, slides or swings
};

/// Rows of a take, as a recording from time 0.
struct TakePiece {
  Recording recording;          // Recording::file is "take.csv, toss 3"
  int first_row = 0, rows = 0;  // in the take; from 0
  std::string origin;           // "toss 3 of take.csv, rows 1201 to 1650, from t = 5 s"
};

/// What a take contains.
struct SplitTake {
  std::string kind;                   // "toss", "slide", "swing"; empty: nothing to cut
  std::vector<TakePiece> pieces;      // in order
  std::vector<std::string> left_out;  // motions that are not pieces, and why; one sentence each
};

/// Cuts a take into pieces. Throws InputError for a body that the recording does not have, for a recording without
/// poses, points and joint angles, and for quaternions without a length.
SplitTake SplitRecording(const Recording& recording, const SplitOptions& options = {}, const Context& context = {});

/// Writes the recording of a piece, with its origin in a comment before the header. The file is complete or unchanged.
/// Throws InputError if the folder cannot be written.
void WritePiece(const TakePiece& piece, const std::string& file);

/// What SplitForScene gives.
struct SplitRecordings {
  std::vector<Recording> recordings;  // one motion each, in the order given
  std::vector<std::string> notes;     // one sentence for each recording that was cut
};

/// The recordings of a scene, with every recording of two or more tosses or swings replaced by its pieces. Identify
/// needs one motion per recording. Recordings of a scene with motors stay whole, because a motor can start a motion
/// from a standstill. Throws what SplitRecording throws.
SplitRecordings SplitForScene(const Scene& scene, const std::vector<Recording>& recordings,
                              const Context& context = {});

}  // namespace ricochet
