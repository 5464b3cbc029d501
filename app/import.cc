// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "core/atomic_file.h"
#include "scene/urdf_import.h"

namespace ricochet::app {
namespace {

struct UrdfArguments {
  std::string file, output;
  UrdfOptions options;
};

void AddImportUrdf(CLI::App& import) {
  auto arguments = std::make_shared<UrdfArguments>();
  CLI::App* command = import.add_subcommand("urdf", "A robot description to a scene");
  command->add_option("FILE", arguments->file, "URDF file")->required();
  command->add_option("-o,--output", arguments->output, "Scene file to write (YAML)")->required();
  command->add_flag("--floating", arguments->options.floating,
                    "The root link is a free body instead of standing on the world");
  command->footer("Example:\n  ricochet import urdf robot.urdf -o robot.yaml");
  command->callback([arguments] {
    WriteFileAtomically(arguments->output, ImportUrdf(arguments->file, arguments->options));
    fmt::print("wrote {}\n", arguments->output);
  });
}

}  // namespace

void AddImport(CLI::App& root) {
  CLI::App* command = root.add_subcommand("import", "Files of other programs to scenes and recordings");
  command->require_subcommand(1);
  AddImportUrdf(*command);
}

}  // namespace ricochet::app
