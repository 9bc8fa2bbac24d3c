// SPDX-License-Identifier: Apache-2.0
// WatchedLog: the log that a memcached writes for its watchers. It has a line for each look-up of an item and for each
// connection, in the order of one worker thread; it has neither values nor the results of deletions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "real/network/event_loop.hpp"
#include "real/os/descriptor.hpp"
#include "real/services/memcached/log_line.hpp"

namespace lockproof::real {

class WatchedLog : public PinnedObject {
 public:
  struct ReceivedLine {
    LogLine line;
    std::int64_t received_ns = 0;  // machine instant when we received it
  };

  /// Sees everything that happens after the constructor returns. Throws BadEnvironment.
  explicit WatchedLog(int port);
  ~WatchedLog();
  void attach(EventLoop& loop);

  [[nodiscard]] const std::vector<ReceivedLine>& lines() const { return lines_; }
  /// Reads until it has seen a look-up of this key, or the connection's end, for at most some seconds.
  void read_until(const std::string& key);

 private:
  bool read(bool wait);
  void rouse();

  Descriptor socket_, rouser_;
  std::unique_ptr<EventLoop::Watch> watch_;
  std::unique_ptr<EventLoop::Timer> rouse_;
  std::string unread_;
  std::vector<ReceivedLine> lines_;
  bool begun_ = false, ended_ = false;
};

}  // namespace lockproof::real
