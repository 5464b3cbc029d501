// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Wrong inputs as users make them: each is answered within a second with what is wrong, and with a command or a step
// that repairs it. Where the message has a command, that command is run, and the next one then accepts the result.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "ricochet/recording.h"
#include "tests/support/array_files.h"
#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::RunProgram;
using testing::SourcePath;
using Arguments = std::vector<std::string>;

struct WrongInput {
  const char* name;
  std::string file, content;           // written before the command; empty: none
  Arguments command;                   // answered with exit 2
  std::vector<std::string> diagnosis;  // parts of the message
  std::vector<Arguments> repair = {};  // commands of the message, and one that takes the result; all exit with 0
};

/// The camera recording of the README, with its columns changed.
std::string Track(const std::string& header,
                  const std::function<Arguments(double t, double x, double y, double a)>& row,
                  const char* separator = ",") {
  static const Recording recording = ReadRecording(SourcePath("examples/recordings/plywood_240fps.csv"));
  std::string text = header + "\n";
  const auto column = [&](const char* name, std::size_t k) {
    return recording.values[static_cast<std::size_t>(recording.Find(name))][k];
  };
  for (std::size_t k = 0; k < recording.time.size(); ++k) {
    const Arguments cells = row(recording.time[k], column("x", k), column("y", k), column("theta", k));
    for (std::size_t c = 0; c < cells.size(); ++c) text += (c > 0 ? separator : "") + cells[c];
    text += "\n";
  }
  return text;
}

std::string Text(double value) { return fmt::format("{:.9g}", value); }
std::string WithComma(double value) {
  std::string text = Text(value);
  if (const std::size_t point = text.find('.'); point != std::string::npos) text[point] = ',';
  return text;
}

const std::string kScene = "scene.yaml";
const char* const kEstimate = "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction, contact.restitution";

Arguments Identify(const std::string& file) { return {"identify", kScene, file, "--estimate", kEstimate}; }
Arguments Doctor(const std::string& file) { return {"doctor", file, "--scene", kScene, "--repair", "repaired"}; }
Arguments Import(const std::string& file) { return {"import", file, "-o", "recordings"}; }

std::vector<WrongInput> WrongInputs() {
  const auto good = [](double t, double x, double y, double a) {
    return Arguments{Text(t), Text(x), Text(y), Text(a)};
  };
  const std::string spatial_header = "time,x,y,z,";
  std::string utf16 = "\xFF\xFE";
  for (const char c : std::string("t,x,y,theta\n0,1,2,3\n")) utf16 += std::string{c, '\0'};
  std::string mat73 = testing::MatFile({});
  mat73[125] = 2;
  const std::string mat =
      testing::MatFile({testing::MatArray({"t", {3, 1}, {0, 0.1, 0.2}}), testing::MatArray({"x", {3, 1}, {0, 1, 2}}),
                        testing::MatArray({"y", {3, 1}, {0, 1, 2}})});
  const std::string npz = testing::ZipFile({{"t.npy", testing::NpyFile("<f8", "(2,)", testing::DoubleBytes({0, 1}))},
                                            {"x.npy", testing::NpyFile("<f8", "(2,)", testing::DoubleBytes({0, 1}))},
                                            {"y.npy", testing::NpyFile("<f8", "(2,)", testing::DoubleBytes({0, 1}))}},
                                           true);
  const std::string urdf =
      "<robot name='rod'><link name='rod'><inertial><mass value='0.2'/><inertia ixx='1e-3' iyy='1e-3' "
      "izz='1e-4'/></inertial></link></robot>";
  const std::string trc =
      "PathFileType\t4\t(X/Y/Z)\tball.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n100\t100\t2\t1\tmm\n"
      "Frame#\tTime\tA\t\t\n\t\tX1\tY1\tZ1\n\n1\t0.00\t1\t2\t3\n2\t0.01\t1\t2\t4\n";
  const std::string pixels = Track("frame,px,py", [k = 0](double, double x, double y, double) mutable {
    return Arguments{std::to_string(k++), Text(x / 9e-4), Text(-y / 9e-4)};
  });
  return {
      {"SwappedArguments",
       "a.csv",
       Track("t,x,y,theta", good),
       {"identify", "a.csv", kScene, "--estimate", kEstimate},
       {"a.csv", "this is a recording (CSV), not a scene.", "Give the scene (YAML) first"},
       {Identify("a.csv")}},
      {"SceneAsRecording", "", "", Identify(kScene), {"is a scene, not a recording.", "Give a recording (CSV) here"}},
      {"Millimeters",
       "a.csv",
       Track("t,x,y,theta",
             [](double t, double x, double y, double a) {
               return Arguments{Text(t), Text(1000 * x), Text(1000 * y), Text(a)};
             }),
       Identify("a.csv"),
       {"positions are in millimeters", "ricochet doctor a.csv --scene scene.yaml --repair repaired"},
       {Doctor("a.csv"), Identify("repaired/a.csv")}},
      {"Degrees",
       "a.csv",
       Track("t,x,y,theta",
             [](double t, double x, double y, double a) {
               return Arguments{Text(t), Text(x), Text(y), Text(a * 180 / M_PI)};
             }),
       Identify("a.csv"),
       {"the angle is in degrees", "ricochet doctor a.csv --scene scene.yaml --repair repaired"},
       {Doctor("a.csv"), Identify("repaired/a.csv")}},
      {"Milliseconds",
       "a.csv",
       Track("t,x,y,theta",
             [](double t, double x, double y, double a) {
               return Arguments{Text(1000 * t), Text(x), Text(y), Text(a)};
             }),
       Identify("a.csv"),
       {"times are in milliseconds", "ricochet doctor a.csv --scene scene.yaml --repair repaired"},
       {Doctor("a.csv"), Identify("repaired/a.csv")}},
      {"FrameNumbers",
       "a.csv",
       Track("t,x,y,theta",
             [](double t, double x, double y, double a) {
               return Arguments{Text(std::round(240 * t)), Text(x), Text(y), Text(a)};
             }),
       Identify("a.csv"),
       {"times seem to be milliseconds or frame numbers",
        "ricochet import a.csv --columns t=t/240,x=x,y=y,theta=theta -o repaired, and use repaired/a.csv"},
       {{"import", "a.csv", "--columns", "t=t/240,x=x,y=y,theta=theta", "-o", "repaired"}, Identify("repaired/a.csv")}},
      {"OpenBracket",
       "a.yaml",
       "ricochet: 1\nspace: planar\nbodies: {disk: {mass: 1, center_of_mass: [1, 2\n  text\n",
       {"simulate", "a.yaml"},
       {"Close the bracket that opens in line 3"}},
      {"RecordingAsEstimate",
       "a.csv",
       Track("t,x,y,theta", good),
       {"validate", SourcePath("examples/box006_toss.yaml"), SourcePath("examples/recordings/box006/toss_00.csv"),
        "--with", "a.csv"},
       {"a.csv: this is not an estimate: line 1, column 2 is not JSON.", "`ricochet identify -o`"}},
      {"PlanarRecordingForAFrameInSpace",
       "a.csv",
       Track("t,x,y,theta", good),
       {"calibrate-frame", SourcePath("examples/box006_toss.yaml"), "a.csv"},
       {"a.csv:1: theta: the recording is planar, but",
        "In a planar scene `ricochet identify` estimates observe.frame."}},
      {"NameWithoutItsPath",
       "",
       "",
       {"parameters", kScene, "friction"},
       {"has no such parameter. Did you mean `contact.friction`?"},
       {{"parameters", kScene, "contact.friction"}}},
      {"YDown",
       "a.csv",
       Track("t,x,y,theta",
             [](double t, double x, double y, double a) {
               return Arguments{Text(t), Text(x), Text(-y), Text(-a)};
             }),
       Identify("a.csv"),
       {"the y axis seems to point down", "ricochet doctor a.csv --scene scene.yaml --repair repaired"},
       {Doctor("a.csv"), Identify("repaired/a.csv")}},
      {"Semicolons",
       "a.csv",
       Track(
           "t;x;y;theta",
           [](double t, double x, double y, double a) {
             return Arguments{WithComma(t), WithComma(x), WithComma(y), WithComma(a)};
           },
           ";"),
       Identify("a.csv"),
       {"a.csv:1:1: the header has no commas.", "ricochet import a.csv -o recordings"},
       {Import("a.csv"), Identify("recordings/a.csv")}},
      {"OtherNames",
       "a.csv",
       Track("time,pos_x,pos_y,angle", good),
       Identify("a.csv"),
       {"there is no column `t`", "ricochet import a.csv -o recordings"},
       {Import("a.csv"), Identify("recordings/a.csv")}},
      {"Pixels",
       "a.csv",
       pixels,
       Import("a.csv"),
       {"positions are in pixels.", "--columns 't=frame/240,x=px*0.9mm,y=-py*0.9mm'"},
       {{"import", "a.csv", "--columns", "t=frame/240,x=px*0.9mm,y=-py*0.9mm", "-o", "recordings"}}},
      {"FramesWithoutARate",
       "a.csv",
       "frame,x,y\n0,1,2\n1,1,3\n",
       Import("a.csv"),
       {"column `frame` counts rows, and nothing states their rate.", "--rate 240"},
       {{"import", "a.csv", "--rate", "240", "-o", "recordings"}}},
      {"UnknownNames",
       "a.csv",
       "clock,width\n0,1\n1,2\n2,2\n",
       Import("a.csv"),
       {"no column is known to be the time.", "The table has clock and width", "--columns 't=clock*ms,x=width*mm'"},
       {{"import", "a.csv", "--columns", "t=clock*ms,x=width*mm", "-o", "recordings"}}},
      {"AnglesWithoutOrder",
       "a.csv",
       spatial_header + "roll,pitch,yaw\n0,0,0,1,0,0,0\n0.1,0,0,1,0,0,0\n",
       Import("a.csv"),
       {"the table does not state the order of the three angles.", "--angles to euler-zyx"},
       {{"import", "a.csv", "--angles", "euler-zyx", "-o", "recordings"}}},
      {"MissingColumn",
       "a.csv",
       "time,x,y\n0,1,2\n1,1,3\n",
       {"import", "a.csv", "--columns", "t=time,x=X", "-o", "recordings"},
       {"--columns: there is no column `X`.", "Did you mean `x`?"},
       {{"import", "a.csv", "--columns", "t=time,x=x", "-o", "recordings"}}},
      {"MatlabAsRecording",
       "a.mat",
       mat,
       Identify("a.mat"),
       {"a.mat is a MATLAB file, not a recording.", "ricochet import a.mat -o recordings"},
       {Import("a.mat")}},
      {"MatlabCutOff",
       "a.mat",
       "MATLAB 5.0 MAT-file, Platfo",
       Import("a.mat"),
       {"begins like a MATLAB file, but ends after 27 bytes.", "save('FILE.mat', '-v7')"}},
      {"MatlabOfVersion73",
       "a.mat",
       mat73,
       Import("a.mat"),
       {"is a MATLAB file of version 7.3.", "save('FILE.mat', '-v7')"}},
      {"NumpyAsRecording",
       "a.npz",
       npz,
       Identify("a.npz"),
       {"a.npz is a NumPy file, not a recording.", "ricochet import a.npz -o recordings"},
       {Import("a.npz")}},
      {"TrcAsRecording",
       "a.trc",
       trc,
       Identify("a.trc"),
       {"a.trc is a TRC file, not a recording.", "ricochet import a.trc -o recordings"},
       {Import("a.trc")}},
      {"TrcAsScene",
       "a.trc",
       trc,
       {"simulate", "a.trc"},
       {"this is a file of motion capture, not a scene.", "ricochet import a.trc -o recordings"},
       {Import("a.trc")}},
      {"UrdfAsScene",
       "a.urdf",
       urdf,
       {"simulate", "a.urdf"},
       {"this is XML, not a scene.", "ricochet import a.urdf -o scenes"},
       {{"import", "a.urdf", "-o", "scenes"}, {"simulate", "scenes/a.yaml", "--duration", "0.01"}}},
      {"ResultAsScene",
       "a.json",
       "{\"parameters\": []}\n",
       {"simulate", "a.json"},
       {"this is JSON, as results are, not a scene.", "`ricochet report` shows results."}},
      {"Workbook",
       "a.xlsx",
       testing::ZipFile({{"[Content_Types].xml", "<Types/>"}, {"xl/workbook.xml", ""}}),
       Import("a.xlsx"),
       {"is an Excel workbook.", "Save it as CSV."}},
      {"RosBag",
       "a.bag",
       "#ROSBAG V2.0\n",
       Import("a.bag"),
       {"is a ROS bag.", "rostopic echo -b FILE -p /TOPIC > topic.csv"}},
      {"Utf16", "a.csv", utf16, Import("a.csv"), {"this is UTF-16 text.", "Save or export it as UTF-8."}},
      {"Video",
       "a.mp4",
       std::string("\0\0\0\x18"
                   "ftypmp42",
                   12) +
           std::string(200, '\0'),
       Import("a.mp4"),
       {"is a video.", "Track the body in it first"}},
  };
}

class WrongInputsTest : public ::testing::TestWithParam<WrongInput> {};

TEST_P(WrongInputsTest, AreDiagnosedAndRepaired) {
  const WrongInput& wrong = GetParam();
  const testing::TemporaryFolder folder;
  std::filesystem::copy_file(SourcePath("examples/plywood_blind.yaml"), folder.File(kScene));
  if (!wrong.file.empty()) std::ofstream(folder.File(wrong.file), std::ios::binary) << wrong.content;
  const auto result = RunProgram(wrong.command, folder.path());
  EXPECT_EQ(result.status, 2) << result.out;
  EXPECT_LT(result.cpu_seconds, 1);
  for (const std::string& part : wrong.diagnosis) EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  for (const Arguments& command : wrong.repair) {
    const auto repaired = RunProgram(command, folder.path());
    EXPECT_EQ(repaired.status, 0) << command[0] << ": " << repaired.out << repaired.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, WrongInputsTest, ::testing::ValuesIn(WrongInputs()),
                         [](const auto& wrong) { return std::string(wrong.param.name); });

}  // namespace
}  // namespace ricochet
