// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Files of other programs as scenes and recordings: motion capture (Motive, Vicon, C3D, TRC, TUM), tables (CSV, NumPy,
// MATLAB), robot descriptions (URDF) and archives of the Impact-Aware Robotics database (HDF5).
//
//     const ricochet::ImportedRecording take =
//         ricochet::ImportRecording("take.csv", ricochet::ImportFormat::kRecognize, {.up = 'y', .body = "box"});
//     std::cout << ricochet::DescribeImport(take);
//     ricochet::WriteRecording(take.recording, "box.csv");
//
// Recordings are in meters and seconds, with z up and time from 0. The import uses what the file states. What the file
// leaves out comes from an option or from the convention of the format, and the notes say which. Missing samples stay
// missing (NaN).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// Formats of files.
enum class ImportFormat {
  kRecognize,  // by the content of the file
  kMotive,     // OptiTrack Motive CSV; y is up by convention
  kVicon,      // Vicon CSV of Nexus or Tracker; z is up
  kC3d,        // C3D markers or rotations; the file may state the up axis
  kTrc,        // TRC markers (OpenSim); y is up
  kTum,        // trajectories of TUM, EuRoC and KITTI: a pose per line; z is up
  kCsv,        // any table of numbers; see ImportOptions::columns
  kNumpy,      // arrays of NumPy (.npy, .npz), as a table
  kMatlab,     // variables of MATLAB (.mat of versions 5 to 7), as a table
  kUrdf,       // robot description: ImportUrdf
  kIam,        // archive of the Impact-Aware Robotics database: ImportIam
};

/// The format of a file by its content, never kRecognize. Throws InputError for a file that has none of the formats,
/// with what it is instead where that is known.
ImportFormat RecognizeFormat(const std::string& file);

/// Name of a format as the command line has it: "motive"; empty for kRecognize.
std::string_view FormatName(ImportFormat format);

/// What the file does not state, or states wrongly.
struct ImportOptions {
  std::string unit{};  // length unit of the file: m, cm, mm, in, ft; empty: as the file states
  char up = 0;         // axis of the file that points up: x, y, z; 0: the format's convention
  std::string body{};  // only this body or marker; "NAME=marker,marker,..." makes a body of three or more markers, and
                       // a point of one, or of several that are never seen at once. Empty: all

  /// Pose of the scene's body frame in the tracked frame: x, y, z [m], qw, qx, qy, qz.
  std::array<double, 7> pivot = {0, 0, 0, 1, 0, 0, 0};

  std::string angles{};   // what three angles mean: "euler-xyz" in any order of axes; Vicon also "helical"
  std::string columns{};  // CSV: what the columns are, "t=frame/240,x=px*0.9mm,theta=angle*deg" (docs/import.md);
                          // empty: by their names. Motive without header: names after frame and time,
                          // "qx,qy,qz,qw,x,y,z"; "-" for one to leave out
  double rate = 0;        // frames per second of a file that has neither times nor a rate; 0: as the file states
};

/// A recording with what was found and assumed on the way.
struct ImportedRecording {
  Recording recording;              // Recording::file is the imported file
  std::string format;               // "Motive CSV 1.23"
  double rate = 0;                  // of the rows [Hz]; 0 for a single row
  std::vector<std::string> bodies;  // with poses, as the columns name them; a single one has columns without a name
  std::vector<std::string> points;  // with positions only: columns NAME.x, NAME.y, NAME.z
  std::string unit;                 // of lengths in the file
  char up = 'z';                    // axis that points up in the file

  // One sentence each.
  std::vector<std::string> notes;     // what was found and assumed
  std::vector<std::string> left_out;  // what of the file is not in the recording, and why
  std::vector<std::string> warnings;  // what may be wrong
};

/// Imports one file of motion capture or a table. If the motion has free flight, a note says whether it confirms unit
/// and up axis. Throws InputError with the place in the file: for another format, for a unit that neither file nor
/// options state, for a body that is not in the file, and for options that the format does not have.
ImportedRecording ImportRecording(const std::string& file, ImportFormat format, const ImportOptions& options = {},
                                  const Context& context = {});

/// What was imported in a few lines: frames, rate, bodies, unit, axis, what was left out and why, warnings.
std::string DescribeImport(const ImportedRecording& imported);
/// The same as JSON, with all notes; `output` is the file that it was written to.
std::string FormatImport(const ImportedRecording& imported, const std::string& output = {});

/// How to import a robot description.
struct UrdfOptions {
  bool floating = false;  // the root link is a free body; otherwise it is fixed to the world
};

/// Imports a robot description (URDF): links become bodies, joints stay joints. Meshes (STL, OBJ) beside the file
/// become convex hulls. What a scene cannot express (mimic joints, transmissions) is left out and named in comments at
/// the head of Scene::text. Throws InputError with the line in the file.
Scene ImportUrdf(const std::string& file, const UrdfOptions& options = {});

/// How to import an archive.
struct IamOptions {
  std::string body{};            // object to take; empty: the only one there is
  std::string surface{};         // tracked surface that poses are relative to; empty: the first known conveyor
  std::array<double, 3> belt{};  // velocity of a running conveyor in its own axes [m/s]
};

/// The recordings of an archive and the scene that they belong to.
struct ImportedArchive {
  std::string body;  // name of the object, as the scene has it
  Scene scene;       // the object, and the conveyor as the plane z = 0
  struct Entry {
    std::string name;  // of the group in the archive, made legal for a file name
    Recording recording;
  };
  std::vector<Entry> recordings;   // in the order of the archive
  std::vector<std::string> notes;  // what was found and assumed, one sentence each
};

/// Imports an archive (.h5). Throws InputError, also when the library was built without HDF5.
ImportedArchive ImportIam(const std::string& file, const IamOptions& options = {});

}  // namespace ricochet
