// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/browser.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace ricochet::testing {
namespace {

using Clock = std::chrono::steady_clock;
double Since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

constexpr double kPatience = 30;  // [s] for an answer, on a machine that does other things too

std::string DecodeBase64(const std::string& text) {
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (value < 0) continue;
    bits = bits << 6 | static_cast<unsigned>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 255);
  }
  return out;
}

}  // namespace

std::string Browser::Find() {
  for (const char* file : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"})
    if (access(file, X_OK) == 0) return file;
  return "";
}

Browser::Browser(bool webgl) {
  const std::string program = Find();
  std::string profile = (std::filesystem::temp_directory_path() / "ricochet_browser_XXXXXX").string();
  if (!mkdtemp(profile.data())) throw std::runtime_error("no folder for the browser");
  profile_ = profile;
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::vector<std::string> words = {program,
                                    "--headless=new",
                                    "--no-sandbox",
                                    "--remote-debugging-pipe",
                                    "--user-data-dir=" + profile_,
                                    "--disable-dev-shm-usage",
                                    "--no-first-run",
                                    "--disable-extensions",
                                    "--disable-background-networking",
                                    "--disable-component-update",
                                    "--hide-scrollbars",
                                    "--window-size=1280,900"};
  if (webgl) {
    words.insert(words.end(), {"--disable-gpu", "--enable-unsafe-swiftshader"});
  } else {
    words.insert(words.end(), {"--disable-gpu", "--disable-3d-apis", "--disable-software-rasterizer"});
  }
  words.emplace_back("about:blank");
  child_ = fork();
  if (child_ < 0) throw std::runtime_error("fork failed");
  if (child_ == 0) {
    setpgid(0, 0);
    // The browser reads from 3 and writes to 4; copies out of the way first.
    const int in = fcntl(to[0], F_DUPFD, 10), out = fcntl(from[1], F_DUPFD, 10);
    dup2(in, 3);
    dup2(out, 4);
    const int nowhere = open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) dup2(nowhere, fd);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  to_ = to[1];
  from_ = from[0];
  std::signal(SIGPIPE, SIG_IGN);

  const Json target = Send("Target.createTarget", {{"url", "about:blank"}, {"newWindow", true}}).at("targetId");
  session_ =
      Send("Target.attachToTarget", {{"targetId", target}, {"flatten", true}}).at("sessionId").get<std::string>();
  for (const char* domain : {"Page", "Runtime", "Network", "Log"}) Send(std::string(domain) + ".enable");
  SetSize(1280, 900);
}

Browser::~Browser() {
  if (child_ > 0) {
    kill(-child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  std::error_code error;
  std::filesystem::remove_all(profile_, error);
}

void Browser::Post(const std::string& method, const Json& parameters, int id) {
  Json message = {{"id", id}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) message["sessionId"] = session_;
  std::string text = message.dump();
  text += '\0';
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t sent = write(to_, text.data() + at, text.size() - at);
    if (sent <= 0) throw std::runtime_error("the browser has gone");
    at += static_cast<std::size_t>(sent);
  }
}

Browser::Json Browser::Receive(double seconds) {
  const auto begin = Clock::now();
  for (;;) {
    if (const std::size_t end = buffer_.find('\0'); end != std::string::npos) {
      Json message = Json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      return message;
    }
    const double left = seconds - Since(begin);
    if (left <= 0) throw std::runtime_error("the browser does not answer");
    pollfd waiting{from_, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(left * 1000) + 1) <= 0) continue;
    std::string part(1 << 16, '\0');
    const ssize_t got = read(from_, part.data(), part.size());
    if (got <= 0) throw std::runtime_error("the browser has gone");
    buffer_.append(part, 0, static_cast<std::size_t>(got));
  }
}

void Browser::Note(const Json& message) {
  const std::string method = message.value("method", "");
  if (method == "Runtime.exceptionThrown") {
    problems_.push_back("exception: " + message["params"]["exceptionDetails"].dump());
  } else if (method == "Runtime.consoleAPICalled") {
    const std::string type = message["params"].value("type", "");
    if (type == "error" || type == "warning" || type == "assert")
      problems_.push_back(type + ": " + message["params"]["args"].dump());
  } else if (method == "Log.entryAdded") {
    const Json& entry = message["params"]["entry"];
    const std::string level = entry.value("level", "");
    // Software rendering is slow and Chromium says so; that is no fault of the page.
    const std::string text = entry.value("text", "");
    if ((level == "error" || level == "warning") && text.find("GPU stall") == std::string::npos)
      problems_.push_back(level + ": " + text);
  } else if (method == "Network.requestWillBeSent") {
    const std::string url = message["params"]["request"].value("url", "");
    if (url.rfind("data:", 0) != 0 && url.rfind("blob:", 0) != 0) requests_.push_back(url);
  } else if (method == "Page.javascriptDialogOpening") {
    problems_.push_back("a dialog opened");
    Post("Page.handleJavaScriptDialog", {{"accept", true}}, next_++);
  }
}

Browser::Json Browser::Send(const std::string& method, const Json& parameters) {
  const int id = next_++;
  Post(method, parameters, id);
  for (;;) {
    Json message = Receive(kPatience);
    if (message.value("id", -1) != id) {
      Note(message);
      continue;
    }
    if (message.contains("error")) throw std::runtime_error(method + ": " + message["error"].dump());
    return message.value("result", Json::object());
  }
}

Browser::Json Browser::Evaluate(const std::string& expression) {
  const Json result =
      Send("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  if (result.contains("exceptionDetails"))
    throw std::runtime_error(expression + ": " + result["exceptionDetails"].dump());
  return result["result"].value("value", Json());
}

bool Browser::WaitFor(const std::string& expression, double seconds) {
  const auto begin = Clock::now();
  for (;;) {
    const Json value = Evaluate(expression);
    if (value.is_boolean() && value.get<bool>()) return true;
    if (Since(begin) > seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

double Browser::Open(const std::string& file) {
  problems_.clear();
  requests_.clear();
  Send("Page.navigate", {{"url", "file://" + std::filesystem::absolute(file).string()}});
  if (!WaitFor("!!(window.ricochet && window.ricochet.ready)", kPatience))
    throw std::runtime_error("the page does not become ready" + (problems_.empty() ? "" : ": " + problems_.front()));
  return Evaluate("(performance.now()) / 1000").get<double>();
}

void Browser::SetSize(int width, int height) {
  Send("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void Browser::SetDark(bool dark) {
  Send("Emulation.setEmulatedMedia",
       {{"features", Json::array({{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}}})}});
}

void Browser::Press(const std::string& key) {
  Json event = {{"key", key}};
  if (key == " ") event["code"] = "Space", event["windowsVirtualKeyCode"] = 32;
  event["type"] = "keyDown";
  Send("Input.dispatchKeyEvent", event);
  event["type"] = "keyUp";
  Send("Input.dispatchKeyEvent", event);
}

void Browser::Click(double x, double y) {
  for (const char* type : {"mouseMoved", "mousePressed", "mouseReleased"})
    Send("Input.dispatchMouseEvent", {{"type", type}, {"x", x}, {"y", y}, {"button", "left"}, {"clickCount", 1}});
}

void Browser::Screenshot(const std::string& file) {
  const Json picture = Send("Page.captureScreenshot", {{"format", "png"}});
  std::ofstream(file, std::ios::binary) << DecodeBase64(picture.at("data").get<std::string>());
}

}  // namespace ricochet::testing
