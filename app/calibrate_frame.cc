// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/calibrate_frame.h"

#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "app/options.h"

namespace ricochet::app {
namespace {

struct CalibrateFrameArguments {
  std::string scene, scene_output;
  std::vector<std::string> recordings;
  FrameCalibrationOptions options;
  ContextFlags context;
  bool json = false;
};

void RunCalibrateFrame(const CalibrateFrameArguments& arguments) {
  std::vector<std::string> inputs = arguments.recordings;
  inputs.push_back(arguments.scene);
  RefuseOverwriting(inputs, {arguments.scene_output});
  const Scene scene = ReadScene(arguments.scene);
  const std::vector<Recording> recordings = ReadRecordings(arguments.recordings);
  const FrameCalibration found = CallLibrary(arguments.context, [&](const Context& context) {
    return CalibrateFrame(scene, recordings, arguments.options, context);
  });
  if (!arguments.scene_output.empty()) WriteScene(found.scene, arguments.scene_output);
  if (arguments.json) {
    fmt::print("{}", FormatFrameCalibration(found));
  } else {
    fmt::print("{}", WithFlags(DescribeFrameCalibration(found)));
    if (!arguments.scene_output.empty()) fmt::print("calibrated scene in {}\n", arguments.scene_output);
  }
  if (!found.identifiable())
    throw NumericsError("calibrate-frame: the pose of the tracked frame is not fully identifiable from these tosses");
}

}  // namespace

void AddCalibrateFrame(CLI::App& root) {
  auto arguments = std::make_shared<CalibrateFrameArguments>();
  CLI::App* command = root.add_subcommand(
      "calibrate-frame", "Find the tracked frame of a body and the surface from tosses, with uncertainty");
  command->add_option("SCENE", arguments->scene, "Scene file (YAML): size and mass of the body, one surface")
      ->required();
  command->add_option("RECORDING", arguments->recordings, "Recordings of tosses (CSV); long takes are split")
      ->required();
  command->add_option("--body", arguments->options.body, "Body whose frame is tracked, if several move");
  command->add_option("--scene-out", arguments->scene_output,
                      "Scene with the frame and the surface as found; comments are kept (YAML)");
  AddThreads(*command, arguments->context);
  command->add_flag("--json", arguments->json, "Print only what was found, as JSON");
  command->footer(
      "The body needs flat faces (a box, a polytope). Six to ten tosses with spin, until rest, are enough.\n"
      "Example:\n  ricochet calibrate-frame box.yaml tosses/*.csv --scene-out calibrated.yaml\n"
      "  ricochet identify calibrated.yaml tosses/*.csv --estimate contact.friction,contact.restitution");
  command->callback([arguments] { RunCalibrateFrame(*arguments); });
}

}  // namespace ricochet::app
