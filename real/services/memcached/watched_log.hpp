// SPDX-License-Identifier: Apache-2.0
// WatchedLog: what a memcached does, seen from the server: the log that it writes for those who watch it. It has a line
// for each look at an item and for each connection, in the order of one worker thread; what it does not have are
// values, and what became of a deletion.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "real/network/event_loop.hpp"
#include "real/os/descriptor.hpp"
#include "real/services/memcached/log_line.hpp"

namespace lockproof::real {

class WatchedLog : public Pinned {
 public:
  struct Seen {
    LogLine line;
    std::int64_t received_ns = 0;  // machine instant when we heard of it
  };

  /// Sees all that happens after this. Throws BadEnvironment.
  explicit WatchedLog(int port);
  ~WatchedLog();
  void attach(EventLoop& loop);

  [[nodiscard]] const std::vector<Seen>& lines() const { return lines_; }
  /// Reads until it has seen somebody look for this key, or the connection's end, at most some seconds.
  void read_until(const std::string& key);

 private:
  bool read(bool wait);
  void rouse();

  Descriptor socket_, rouser_;
  std::unique_ptr<EventLoop::Watch> watch_;
  std::unique_ptr<EventLoop::Timer> rouse_;
  std::string unread_;
  std::vector<Seen> lines_;
  bool begun_ = false, ended_ = false;
};

}  // namespace lockproof::real
