// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A headless Chromium, driven over a pipe with the DevTools protocol (--remote-debugging-pipe: messages are JSON texts
// that end in a zero byte). Needs Debian's `chromium` and nothing else.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ricochet::testing {

class Browser {
 public:
  using Json = nlohmann::json;

  /// Where Chromium is, or empty.
  static std::string Find();

  /// Starts it with one empty page. `webgl` false: a browser without WebGL. Throws std::runtime_error.
  explicit Browser(bool webgl = true);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  /// Opens a file and waits until the page says that it is ready; returns the seconds from the start of navigation.
  double Open(const std::string& file);

  /// Value of a JavaScript expression; promises are awaited. Throws std::runtime_error when it throws.
  Json Evaluate(const std::string& expression);

  /// Waits until an expression is true; false after `seconds`.
  bool WaitFor(const std::string& expression, double seconds = 10);

  void SetSize(int width, int height);
  void SetDark(bool dark);
  void Press(const std::string& key);
  void Click(double x, double y);
  /// One command of the protocol.
  Json Send(const std::string& method, const Json& parameters = Json::object());
  void Screenshot(const std::string& file);

  /// Console messages of level error or warning, uncaught exceptions, and violations of the page's policy.
  const std::vector<std::string>& problems() const { return problems_; }
  /// Addresses that were requested, other than data: and blob:.
  const std::vector<std::string>& requests() const { return requests_; }

 private:
  void Post(const std::string& method, const Json& parameters, int id);
  Json Receive(double seconds);
  void Note(const Json& message);

  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
  int next_ = 1;
  std::string session_, buffer_, profile_;
  std::vector<std::string> problems_, requests_;
};

}  // namespace ricochet::testing
