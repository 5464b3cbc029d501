// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// Layouts of files as programs of several years and makers write them, and what is recognized in them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "recording/file_kind.h"
#include "recording/mocap/convert_take.h"
#include "recording/mocap/motive_import.h"
#include "recording/mocap/trajectory_import.h"
#include "recording/mocap/trc_import.h"
#include "recording/mocap/vicon_import.h"
#include "tests/support/c3d_bytes.h"
#include "tests/support/damaged_import.h"

namespace ricochet {
namespace {

using Names = std::vector<std::string>;
using testing::MessageOf;
using testing::Replaced;

double At(const ImportedRecording& imported, const std::string& column, std::size_t row) {
  const int index = imported.recording.Find(column);
  return index < 0 ? NAN : imported.recording.values.at(static_cast<std::size_t>(index)).at(row);
}

ImportedRecording Trc(const std::string& text) { return ConvertTake(ParseTrc(text, "a.trc"), {}); }

TEST(TrcLayouts, BlanksInThePathLineAndEmptyCellsBetweenValues) {
  const ImportedRecording imported =
      Trc("PathFileType  4\t(X/Y/Z) C:\\data, second try\\\t\t\n"
          "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\n"
          "  100.0\t\t  100.0\t\t    2\t\t 2\t\t mm\t  100.0\n"
          "Frame#\tTime\tA.1\t\t\tB\t\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
          "1\t0.00\t100\t200\t300\t10\t20\t30\n2\t0.01\t110\t200\t300\t50\t60\t70\n");
  EXPECT_EQ(imported.points, (Names{"A_1", "B"}));
  EXPECT_NEAR(At(imported, "A_1.z", 1), 0.2, 1e-12);
  EXPECT_TRUE(imported.warnings.empty());
}

TEST(TrcLayouts, CommasAndCountsThatDoNotFit) {
  const ImportedRecording imported =
      Trc("PathFileType,4,(X/Y/Z),a.trc,,\nDataRate,CameraRate,NumFrames,NumMarkers,Units\n100,100,652,1,m\n"
          "Frame#,Time,A,,\n,,X1,Y1,Z1\n,,,,\n1,0,1,2,3\n2,0.01,1,2,4\n");
  EXPECT_EQ(imported.points, Names{"A"});
  EXPECT_EQ(imported.warnings, Names{"NumFrames is 652, but the file has 2 frames: it may be truncated"});
}

TEST(TrcLayouts, MarkersWithoutNames) {
  const std::string unnamed =
      "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n400.00\t400.00\t4\t0\tmm\n"
      "Frame#\tTime\t\n\t\t\n\n1\t0.000\t\n2\t0.002\t1\t2\t3\t\n3\t0.005\t\t\t\t4\t5\t6\t\n4\t0.007\t\n";
  const ImportedRecording imported = Trc(unnamed);
  EXPECT_EQ(imported.points, (Names{"Unlabeled_1", "Unlabeled_2"}));
  EXPECT_TRUE(std::isnan(At(imported, "Unlabeled_2.x", 1)));
  EXPECT_NEAR(At(imported, "Unlabeled_2.z", 2), 0.005, 1e-12);
  // Times are rounded to milliseconds in the file.
  EXPECT_EQ(imported.rate, 400);
  EXPECT_DOUBLE_EQ(imported.recording.time[3], 3 / 400.0);
}

TEST(TrcLayouts, CoordinatesBeyondTheNamedMarkers) {
  const ImportedRecording imported =
      Trc("PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n100\t100\t2\t1\tmm\n"
          "Frame#\tTime\tA\t\t\n\t\tX1\tY1\tZ1\n\n1\t0.00\t1\t2\t3\n2\t0.01\t1\t2\t3\t7\t8\t9\n");
  EXPECT_EQ(imported.points, Names{"A"});
  EXPECT_EQ(imported.left_out, Names{"1 unlabeled marker; choose them with option `body`"});
}

const std::string kMotive =
    "Format Version,1.21,Take Name,first, second,Capture Frame Rate,360.000000,Export Frame Rate,360.000000,Rotation "
    "Type,Quaternion,Length Units,Meters,Coordinate Space,Global\n\n";

ImportedRecording Motive(const std::string& text, const ImportOptions& options = {}) {
  return ConvertTake(ParseMotive(text, "take.csv", options), options);
}

TEST(MotiveLayouts, HeaderRowsWithoutLabels) {
  const ImportedRecording imported =
      Motive(kMotive +
             ",,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body\n"
             ",,Box 1,Box 1,Box 1,Box 1,Box 1,Box 1,Box 1,Box 1\n,,A1,A1,A1,A1,A1,A1,A1,A1\n"
             ",,Rotation,Rotation,Rotation,Rotation,Position,Position,Position,Error Per Marker\n"
             "Frame,Time,X,Y,Z,W,X,Y,Z,\n0,0.000000,0,0,0,-1,0.1,0.2,0.3,0.001\n1,0.003000,0,0,0,1,0.1,0.25,0.3,0.001\n"
             "2,0.006000,0,0,0,1,0.1,0.3,0.3,0.001\n3,0.008000,0,0,0,1,0.1,0.35,0.3,0.001,,\n");
  EXPECT_EQ(imported.format, "Motive CSV 1.21");
  EXPECT_EQ(imported.bodies, Names{"Box_1"});
  EXPECT_NEAR(At(imported, "z", 1), 0.25, 1e-12);
  EXPECT_EQ(imported.rate, 360);
  EXPECT_DOUBLE_EQ(imported.recording.time[3], 3 / 360.0);
}

/// A ball that the tracker gives another name in its second flight, and one frame with something else.
const std::string kBall = kMotive +
                          ",Type,Marker,Marker,Marker,Marker,Marker,Marker,Marker,Marker,Marker\n"
                          ",Name,Unlabeled 7,Unlabeled 7,Unlabeled 7,Unlabeled 8,Unlabeled 8,Unlabeled 8,Unlabeled 9,"
                          "Unlabeled 9,Unlabeled 9\n,ID,1,1,1,2,2,2,3,3,3\n"
                          ",,Position,Position,Position,Position,Position,Position,Position,Position,Position\n"
                          "Frame,Time (Seconds),X,Y,Z,X,Y,Z,X,Y,Z\n0,0,1,2,3,,,,,,\n1,0.0027777,1.5,2,3,,,,9,9,9\n"
                          "2,0.0055555,,,,,,,,,\n3,0.0083333,,,,4,5,6,,,\n";

TEST(MotiveLayouts, UnlabeledMarkersArePoints) {
  const ImportedRecording imported = Motive(kBall);
  EXPECT_EQ(imported.points, (Names{"Unlabeled_7", "Unlabeled_8", "Unlabeled_9"}));
  EXPECT_EQ(imported.recording.columns.size(), 9u);
  EXPECT_NEAR(At(imported, "Unlabeled_7.z", 1), 2, 1e-12);
  EXPECT_TRUE(std::isnan(At(imported, "Unlabeled_7.z", 3)));
}

TEST(MotiveLayouts, MarkersThatAreNeverSeenAtOnceAreOnePoint) {
  const ImportedRecording imported = Motive(kBall, {.body = "ball=Unlabeled 7,Unlabeled 8"});
  EXPECT_EQ(imported.points, Names{"ball"});
  EXPECT_EQ(imported.recording.columns, (Names{"ball.x", "ball.y", "ball.z"}));
  EXPECT_NEAR(At(imported, "ball.x", 1), 1.5, 1e-12);
  EXPECT_NEAR(At(imported, "ball.x", 3), 4, 1e-12);
  EXPECT_EQ(Motive(kBall, {.body = "Unlabeled 9"}).points, Names{"Unlabeled_9"});
  EXPECT_EQ(MessageOf([] { Motive(kBall, {.body = "ball=Unlabeled 7,Unlabeled 9"}); }),
            "take.csv: body ball: 2 markers do not determine a pose. Name at least three, or one for a point.");
}

TEST(MotiveLayouts, NothingSelectedInTheExporter) {
  EXPECT_EQ(MessageOf([] { Motive(kMotive + ",Type\n,Name\n,ID\n,\nFrame,Time (Seconds)\n0,0.000000\n1,0.003000\n"); }),
            "take.csv has no rigid body and no marker. In Motive 3 the exporter omits rigid bodies unless they are "
            "selected: select Rigid Bodies.");
}

TEST(ViconLayouts, OldNexus) {
  const ImportedRecording imported = ConvertTake(
      ParseVicon("Trial03b\r\nDate:,2014/06/11\r\nNotes:,\"\"\r\n\r\nTRAJECTORIES\r\n120.000000,Hz\r\n"
                 ",LASI,,,RASI\r\nField #,X,Y,Z,X,Y,Z\r\n1,394.5,-12,16.5,-10,-13,16\r\n2,395.5,-12,16.5,,,\r\n\r\n",
                 "trial.csv"),
      {});
  EXPECT_EQ(imported.points, (Names{"LASI", "RASI"}));
  EXPECT_EQ(imported.unit, "mm");
  EXPECT_EQ(imported.rate, 120);
  EXPECT_NEAR(At(imported, "LASI.x", 1), 0.3955, 1e-12);
  EXPECT_TRUE(std::isnan(At(imported, "RASI.x", 1)));
}

const std::string kShogun =
    "\xEF\xBB\xBF"
    "Frame,Sub Frame,\"Reconstruction Position - Unlabeled Track (445)\",,,\"Reconstruction Position - Ball:Top\",,\n"
    ",,\"TX\",\"TY\",\"TZ\",\"TX\",\"TY\",\"TZ\"\nFrames,Frames,\"mm\",\"mm\",\"mm\",\"mm\",\"mm\",\"mm\"\n"
    "1,0,\"1\",\"2\",\"3\",\"4\",\"5\",\"6\"\n2,0,\"1\",\"2\",\"3\",\"4\",\"5\",\"7\"\n";

TEST(ViconLayouts, TracksOfShogun) {
  const ImportOptions options{.rate = 100};
  const ImportedRecording imported = ConvertTake(ParseVicon(kShogun, "trial.csv", options), options);
  EXPECT_EQ(imported.points, Names{"Ball_Top"});
  EXPECT_EQ(imported.left_out, Names{"1 unlabeled marker; choose them with option `body`"});
  EXPECT_NEAR(At(imported, "Ball_Top.z", 1), 0.007, 1e-12);
  EXPECT_EQ(MessageOf([] { ParseVicon(kShogun, "trial.csv"); }),
            "trial.csv: rate: the file has frame numbers, but neither times nor a frame rate. Set option `rate` to the "
            "frames per second of the capture.");
}

TEST(ViconLayouts, VelocitiesAndSectionsOfOtherNames) {
  const MocapTake take = ParseVicon(
      "Trajectories\n100\n,,A,,,,,\nFrame,Sub Frame,X,Y,Z,X',Y',Z'\n,,mm,mm,mm,mm/s,mm/s,mm/s\n1,0,1,2,3,4,5,6\n"
      "2,0,1,2,3,4,5,6\n\nForces\n100\nFrame,Sub Frame,Fx\n1,0,5\n",
      "trial.csv");
  EXPECT_EQ(take.markers.size(), 1u);
  EXPECT_EQ(take.left_out, (Names{"section Forces", "velocities and accelerations of markers"}));
}

ImportedRecording Trajectory(const std::string& text, const ImportOptions& options = {}) {
  return ConvertTake(ParseTrajectory(text, "poses.txt", options), options);
}

TEST(TrajectoryLayouts, RepeatedTimestampsAreLeftOut) {
  const ImportedRecording imported = Trajectory(
      "1403715529.1 1 2 3 0 0 0 1\n1403715529.2 1 2 4 0 0 0 1\n1403715529.2 9 9 9 0 0 0 1\n1403715529.3 1 2 5 0 0 0 "
      "1\n");
  EXPECT_EQ(imported.recording.rows(), 3);
  EXPECT_NEAR(At(imported, "z", 2), 5, 1e-12);
  EXPECT_EQ(imported.left_out, Names{"1 line with the timestamp of the line before"});
}

TEST(TrajectoryLayouts, EurocWithAndWithoutHeader) {
  const std::string rows =
      "1403636579763555584,4.6,-1.7,0.7,0.8,0,0.6,0,0.1,0.2,0.3\n1403636579863555584,4.7,-1.7,0.7,0.8,0,0.6,0,0,0,0\n";
  const std::string header =
      "#timestamp, p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z [], v_RS_R_x [m "
      "s^-1], v_RS_R_y [m s^-1], v_RS_R_z [m s^-1]\n";
  for (const std::string& text : {rows, header + rows}) {
    const ImportedRecording imported = Trajectory(text);
    EXPECT_NEAR(At(imported, "x", 1), 4.7, 1e-12);
    EXPECT_NEAR(At(imported, "qw", 0), 0.8, 1e-12);
    EXPECT_NEAR(At(imported, "qy", 0), 0.6, 1e-12);
    EXPECT_NEAR(imported.recording.time[1], 0.1, 1e-6);
    EXPECT_FALSE(imported.left_out.empty());
  }
}

TEST(TrajectoryLayouts, NamesOfRos) {
  const ImportedRecording imported = Trajectory(
      "time,pose.position.x,pose.position.y,pose.position.z,pose.orientation.x,pose.orientation.y,pose.orientation.z,"
      "pose.orientation.w\n0.5,1,2,3,0,0.6,0,0.8\n0.6,1,2,4,0,0.6,0,0.8\n");
  EXPECT_NEAR(At(imported, "qy", 1), 0.6, 1e-12);
  EXPECT_NEAR(At(imported, "z", 1), 4, 1e-12);
}

TEST(TrajectoryLayouts, KittiNeedsARate) {
  const std::string text = "1 0 0 5 0 1 0 6 0 0 1 7\n0 -1 0 5 1 0 0 6 0 0 1 8\n";
  const ImportedRecording imported = Trajectory(text, {.rate = 10});
  EXPECT_NEAR(imported.recording.time[1], 0.1, 1e-12);
  EXPECT_NEAR(At(imported, "z", 1), 8, 1e-12);
  EXPECT_NEAR(At(imported, "qz", 1), std::sqrt(0.5), 1e-12);
  EXPECT_EQ(MessageOf([&] { Trajectory(text); }),
            "poses.txt: rate: a file of poses without times needs a frame rate. Set option `rate` to the frames per "
            "second of the recording.");
}

/// Markers of a box of 200 mm that slides and turns; `loose` moves against the others.
MocapTake MovingBox(bool subject, bool loose) {
  MocapTake take;
  take.file = "box";
  take.unit = "mm";
  const Eigen::Vector3d corners[] = {{0, 0, 0}, {200, 0, 0}, {0, 100, 0}, {0, 0, 80}, {200, 100, 80}};
  for (int m = 0; m < 5; ++m) take.markers.push_back({fmt::format("{}M{}", subject ? "Box:" : "", m + 1), {}});
  for (int k = 0; k < 50; ++k) {
    take.time.push_back(0.01 * k);
    const Quaternion<double> q = ExpSO3(Eigen::Vector3d(0, 0, 0.02 * k));
    for (std::size_t m = 0; m < 5; ++m) {
      Eigen::Vector3d p = Rotate<double>(q, corners[m]) + Eigen::Vector3d(4.0 * k, 0, 0);
      if (m == 4 && loose) p += Eigen::Vector3d(0, 0, 3.0 * k);
      if (m == 1 && k % 3 == 0) p.setConstant(kMissing);  // no frame shows all of them
      if (m == 2 && k % 3 != 0) p.setConstant(kMissing);
      take.markers[m].position.push_back(p);
    }
  }
  return take;
}

TEST(Markers, ABodyOfMarkersThatAreNeverSeenAllAtOnce) {
  const ImportedRecording imported = ConvertTake(MovingBox(false, false), {});
  EXPECT_EQ(imported.bodies, Names{"body"});
  EXPECT_TRUE(imported.points.empty());
  const double turn = 2 * std::acos(std::abs(At(imported, "qw", 49) * At(imported, "qw", 0) +
                                             At(imported, "qz", 49) * At(imported, "qz", 0)));
  EXPECT_NEAR(turn, 0.02 * 49, 1e-9);
}

TEST(Markers, ALooseMarkerOfASubjectIsLeftOut) {
  const ImportedRecording imported = ConvertTake(MovingBox(true, true), {});
  EXPECT_EQ(imported.bodies, Names{"Box"});
  EXPECT_EQ(imported.left_out, Names{"marker Box:M5: they move against the other markers of Box"});
}

TEST(Markers, LabelsWithoutASubjectArePointsUnlessAllAreRigid) {
  const ImportedRecording imported = ConvertTake(MovingBox(false, true), {});
  EXPECT_TRUE(imported.bodies.empty());
  EXPECT_EQ(imported.points, (Names{"M1", "M2", "M3", "M4", "M5"}));
}

TEST(Markers, ABodyThatIsNotRigidIsRefusedWithItsMarkers) {
  const std::string message = MessageOf([] { ConvertTake(MovingBox(false, true), {.body = "box=M1,M2,M4,M5"}); });
  EXPECT_TRUE(message.starts_with("box: body box: its markers are not rigid: they differ from their places by M1 ("))
      << message;
  EXPECT_NE(message.find("M5 ("), std::string::npos) << message;
  EXPECT_NE(message.find("10 mm is the most for a body of this size. Name markers of one rigid body"),
            std::string::npos)
      << message;
}

TEST(Markers, MarkersThatStandStillArePoints) {
  MocapTake take = MovingBox(false, false);
  for (MocapMarker& marker : take.markers)
    std::fill(marker.position.begin(), marker.position.end(), marker.position[4]);
  EXPECT_TRUE(ConvertTake(take, {}).bodies.empty());
}

TEST(FileKind, ByContent) {
  const auto kind = [](const std::string& content) { return RecognizeContent(content, "file"); };
  EXPECT_EQ(kind(kBall), ImportFormat::kMotive);
  EXPECT_EQ(kind("PathFileType  4\t(X/Y/Z)\n"), ImportFormat::kTrc);
  EXPECT_EQ(kind(kShogun), ImportFormat::kVicon);
  EXPECT_EQ(kind("Trial\nDate:,today\n\nTRAJECTORIES\n120,Hz\n"), ImportFormat::kVicon);
  EXPECT_EQ(kind("# a comment\n1.5 1 2 3 0 0 0 1\n1.6 1 2 3 0 0 0 1\n"), ImportFormat::kTum);
  EXPECT_EQ(kind("1 0 0 5 0 1 0 6 0 0 1 7\n1 0 0 5 0 1 0 6 0 0 1 8\n"), ImportFormat::kTum);
  EXPECT_EQ(kind("<?xml version=\"1.0\"?>\n<!-- a comment -->\n<robot name=\"a\"/>\n"), ImportFormat::kUrdf);
  EXPECT_EQ(kind("t,x,y,theta\n0,1,2,3\n"), ImportFormat::kCsv);
  EXPECT_EQ(kind("\x93NUMPY\x01"), ImportFormat::kNumpy);
  EXPECT_EQ(kind("\x89HDF\r\n\x1a\n"), ImportFormat::kIam);
  EXPECT_EQ(kind(testing::C3dBytes({}).bytes()), ImportFormat::kC3d);
  EXPECT_EQ(kind(std::string(700, '\0') + testing::C3dBytes({}).bytes()), ImportFormat::kC3d);
}

TEST(FileKind, WhatItIsInstead) {
  const auto message = [](const std::string& content) { return MessageOf([&] { RecognizeContent(content, "file"); }); };
  EXPECT_EQ(message(""), "file is empty. Give a file with a recording.");
  EXPECT_EQ(
      message("ricochet: 1\nspace: planar\n"),
      "file is a scene, not a recording. Give a recording (CSV) here; the scene has an argument of its own, as in "
      "`ricochet identify SCENE RECORDING`.");
  EXPECT_TRUE(message("<html></html>").starts_with("file is XML, but not a robot description (URDF). Ricochet imports"));
  EXPECT_TRUE(
      message(std::string("\x7F") + "ELF" + std::string(9, '\0')).starts_with("file is binary, and its format"));
}

// A row of many cells and many short rows: memory stays in proportion to the file.
TEST(Sizes, RowsThatAreMuchShorterThanTheirHeader) {
  std::string text =
      "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n100\t100\t0\t0\tmm\n"
      "Frame#\tTime\t\n\t\t\n\n1\t0.01";
  for (int i = 0; i < 30000; ++i) text += "\t1";
  text += "\n";
  for (int i = 2; i < 5000; ++i) text += fmt::format("{}\t{}\n", i, 0.01 * i);
  EXPECT_NE(MessageOf([&] { ParseTrc(text, "a.trc"); }).find("the rows have far fewer cells than the 30000 values"),
            std::string::npos);
}

}  // namespace
}  // namespace ricochet
