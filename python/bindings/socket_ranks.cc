// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "socket_ranks.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "parts.h"

namespace ricochet::python {
namespace {

// A message is the number of its doubles, then these; an answer is one number.
using Length = std::uint64_t;

constexpr double kEnded = -1;  // what a rank sends when it has ended

template <class Value>
std::span<const std::byte> BytesOf(const Value& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

SocketRanks::SocketRanks(int rank, int count, std::vector<int> sockets)
    : rank_(rank),
      count_(count),
      sockets_(std::move(sockets)),
      open_(sockets_.size(), true),
      announced_(sockets_.size(), false) {}

void SocketRanks::Lose(std::size_t connection) {
  open_[connection] = false;
  lost_ = true;
  if (rank_ == 0) token_.Cancel();
}

bool SocketRanks::WriteTo(std::size_t connection, std::span<const std::byte> bytes) {
  while (open_[connection] && !bytes.empty()) {
    const ssize_t sent = send(sockets_[connection], bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0)
      Lose(connection);
    else
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return open_[connection];
}

bool SocketRanks::ReadFrom(std::size_t connection, std::span<std::byte> bytes) {
  while (open_[connection] && !bytes.empty()) {
    const ssize_t got = recv(sockets_[connection], bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      Lose(connection);
    else
      bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return open_[connection];
}

void SocketRanks::Send(std::span<const double> message) {
  const Length length = message.size();
  if (!WriteTo(0, BytesOf(length)) || !WriteTo(0, std::as_bytes(message)))
    throw RankLost("the process that shares out the work has ended");
}

std::int64_t SocketRanks::Receive() {
  std::int64_t part = -1;
  if (!ReadFrom(0, std::as_writable_bytes(std::span(&part, 1))))
    throw RankLost("the process that shares out the work has ended");
  return part;
}

bool SocketRanks::Poll(int& from, std::vector<double>& message) {
  for (std::size_t i = 0; i < sockets_.size(); ++i) {
    pollfd one{sockets_[i], POLLIN, 0};
    if (open_[i] && poll(&one, 1, 0) > 0) {
      Length length = 0;
      if (ReadFrom(i, std::as_writable_bytes(std::span(&length, 1)))) message.resize(length);
      if (open_[i] && ReadFrom(i, std::as_writable_bytes(std::span(message)))) {
        from = static_cast<int>(i) + 1;
        return true;
      }
    }
    if (!open_[i] && !announced_[i]) {
      announced_[i] = true;
      from = static_cast<int>(i) + 1;
      message.assign(1, kEnded);
      return true;
    }
  }
  return false;
}

void SocketRanks::Answer(int to, std::int64_t part) { WriteTo(static_cast<std::size_t>(to - 1), BytesOf(part)); }

void SocketRanks::Broadcast(std::span<double> values) {
  if (rank_ != 0) {
    if (!ReadFrom(0, std::as_writable_bytes(values))) throw RankLost("the process that shares out the work has ended");
    return;
  }
  for (std::size_t i = 0; i < sockets_.size() && !lost_; ++i) WriteTo(i, std::as_bytes(values));
  if (lost_) throw RankLost("a process that shares the work has ended");
}

void BindRanks(nanobind::module_& module) {
  namespace nb = nanobind;
  nb::class_<SocketRanks>(module, "SocketRanks", "Processes that share the work of a call.")
      .def(nb::init<int, int, std::vector<int>>(), nb::arg("rank"), nb::arg("count"), nb::arg("sockets"))
      .def_prop_ro("lost", &SocketRanks::lost);
}

}  // namespace ricochet::python
