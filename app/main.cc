// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/mpi_ranks.h"
#include "app/options.h"
#include "core/signals.h"
#include "core/text.h"
#include "ricochet/error.h"
#include "ricochet/version.h"

namespace {

constexpr int kWrongInput = 2;
constexpr int kNumericsFailed = 3;
constexpr int kInterrupted = 130;  // as shells report Ctrl-C

/// A line on standard error, or nothing where that is closed or full: the exit status remains.
void Complain(const std::string& message) {
  std::fputs(message.c_str(), stderr);
  std::fputs("\n", stderr);
}

constexpr std::string_view kNoMemory = "ricochet: there is not enough memory for this input";

/// What std::terminate does. Where no exception can leave (a destructor that needs memory to take a tree of JSON apart),
/// lack of memory ends the program here, with the words and the status that it has elsewhere.
void Terminate() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    ricochet::RemoveTemporaries();
    for (const std::string_view text : {kNoMemory, std::string_view("\n")})
      if (write(STDERR_FILENO, text.data(), text.size()) < 0) break;
    std::_Exit(kNumericsFailed);
  } catch (...) {
  }
  std::abort();
}

/// Standard streams that are closed would give their numbers to the next file that is opened, and messages would go
/// into it.
void OpenStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY) != stream)
      std::_Exit(kNumericsFailed);
}

/// What is wrong with the first option that the command does not have; empty when it has all. A misspelled option is
/// usually the reason why another one is missing.
std::string UnknownOption(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    for (const CLI::App* inner :
         command->get_subcommands([&](const CLI::App* each) { return each->get_name() == word; }))
      command = inner;
    if (!word.starts_with("--") || word.size() == 2) continue;
    const std::string name = word.substr(0, word.find('='));
    if (command->get_option_no_throw(name) != nullptr) continue;
    std::vector<std::string> known;
    for (const CLI::Option* option : command->get_options())
      for (const std::string& each : option->get_lnames()) known.push_back("--" + each);
    return fmt::format("{} has no option `{}`. {}", command->get_name(), ricochet::Printable(name),
                       ricochet::SuggestName(name, known));
  }
  return "";
}

/// The named command, or all where no command has this name: declaring the options of all takes longer than a short
/// simulation.
void AddCommands(CLI::App& app, std::string_view name) {
  using Add = void (*)(CLI::App&);
  constexpr std::pair<std::string_view, Add> kCommands[] = {{"simulate", ricochet::app::AddSimulate},
                                                            {"parameters", ricochet::app::AddParameters},
                                                            {"methods", ricochet::app::AddMethods},
                                                            {"reproduce", ricochet::app::AddReproduce},
                                                            {"import", ricochet::app::AddImport},
                                                            {"identify", ricochet::app::AddIdentify},
                                                            {"identifiability", ricochet::app::AddIdentifiability},
                                                            {"validate", ricochet::app::AddValidate},
                                                            {"sweep", ricochet::app::AddSweep},
                                                            {"predict", ricochet::app::AddPredict},
                                                            {"doctor", ricochet::app::AddDoctor},
                                                            {"calibrate-frame", ricochet::app::AddCalibrateFrame},
                                                            {"report", ricochet::app::AddReport}};
  const auto* named =
      std::find_if(std::begin(kCommands), std::end(kCommands), [&](const auto& each) { return each.first == name; });
  if (named != std::end(kCommands)) return named->second(app);
  for (const auto& each : kCommands) each.second(app);
}

int Run(int argc, char** argv) {
  CLI::App app{"Ricochet turns recorded motion into a calibrated contact model."};
  app.name("ricochet");
  app.set_version_flag("--version", fmt::format("ricochet {} ({})", ricochet::Version(), ricochet::Commit()));
  app.require_subcommand(1);
  app.footer(
      "`ricochet COMMAND --help` shows options and an example.\nExit status: 0 done, 2 wrong input or command line, 3 "
      "the computation failed, 130 interrupted.");
  AddCommands(app, argc > 1 ? argv[1] : "");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version leave with 0; everything else is a wrong command line.
    const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (!ricochet::app::IsRoot()) return asked ? 0 : kWrongInput;  // the root says it
    if (asked) return app.exit(error);
    std::vector<std::string> known;
    for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
    const std::string first = argc > 1 ? argv[1] : "";
    if (!first.empty() && first[0] != '-' && std::find(known.begin(), known.end(), first) == known.end()) {
      Complain(fmt::format("ricochet: there is no command `{}`. {}", ricochet::Printable(first),
                           ricochet::SuggestName(first, known)));
    } else if (const std::string unknown = UnknownOption(app, argc, argv); !unknown.empty()) {
      Complain("ricochet: " + unknown);
    } else if (const std::vector<std::string> extra = app.remaining(true); !extra.empty()) {
      Complain(fmt::format("ricochet: {} does not take the argument `{}`. See `ricochet {} --help`.", first,
                           ricochet::Printable(extra.front()), first));
    } else if (first.empty()) {
      Complain(fmt::format("ricochet: no command. There are {}. `ricochet --help` describes them.",
                           ricochet::JoinList(known)));
    } else {
      const bool has_command = std::find(known.begin(), known.end(), first) != known.end();
      Complain(fmt::format("ricochet: {}. See `ricochet {}--help`.", error.what(), has_command ? first + " " : ""));
    }
    return kWrongInput;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  OpenStandardStreams();
  std::set_terminate(Terminate);
  const ricochet::app::MpiScope ranks;
  ricochet::InstallSignalHandlers();
  // Of several ranks only the root runs commands that know no ranks.
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (!ricochet::app::IsRoot() && command != "sweep" && command != "identify") return 0;
  const auto fail = [&](const std::string& message, int status) {
    ranks.LetRootSpeak();
    std::fflush(stdout);  // what the message is about comes first
    Complain(message);
    ranks.EndAll(status);
    return status;
  };
  try {
    ricochet::app::SetCommandLine({argv, argv + argc});
    const int status = Run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      return fail("ricochet: cannot write to standard output", kNumericsFailed);
    return status;
  } catch (const ricochet::InputError& error) {
    return fail(error.what(), kWrongInput);
  } catch (const ricochet::Cancelled& error) {
    return fail(error.store().empty()
                    ? fmt::format("ricochet: {} interrupted", error.task())
                    : fmt::format("ricochet: {} interrupted; {} keeps what is finished, and the same command resumes",
                                  error.task(), error.store()),
                kInterrupted);
  } catch (const std::bad_alloc&) {
    return fail(std::string(kNoMemory), kNumericsFailed);
  } catch (const std::length_error&) {
    return fail(std::string(kNoMemory), kNumericsFailed);
  } catch (const std::exception& error) {
    return fail(fmt::format("ricochet: {}", error.what()), kNumericsFailed);
  }
}
