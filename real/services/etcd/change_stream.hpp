// SPDX-License-Identifier: Apache-2.0
// ChangeStream: a watch of our own on all keys of an etcd: every change in the order of the revisions, also those that
// no client asked for, at the instant at which it came here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "real/network/event_loop.hpp"
#include "real/os/descriptor.hpp"
#include "real/services/etcd/wire.hpp"

namespace lockproof::real {

class ChangeStream : public PinnedObject {
 public:
  /// Watches the server at this port from this revision on, and calls `see` with each change.
  ChangeStream(EventLoop& loop, int port, std::int64_t from, std::function<void(const KeyChange&)> see);

 private:
  void read();

  const EtcdCodec codec_;
  const std::function<void(const KeyChange&)> see_;
  Descriptor socket_;
  std::string unread_;
  std::unique_ptr<EventLoop::Watch> watch_;
};

}  // namespace lockproof::real
