// SPDX-License-Identifier: Apache-2.0
// ShimProcess: a program that runs under the shim, at one of its waits. It goes on when it is given an order, until it
// would wait again. Copies of it are processes of their own; all of them end with the last of these objects, and with
// lockproof, whatever ends that.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/pinned_object.hpp"
#include "real/os/descriptor.hpp"
#include "real/program/keeper.hpp"

namespace lockproof::programs {

struct Record {
  char kind = 0;  // see shim/wire.h
  std::uint32_t connection = 0;
  std::string bytes;
};

/// What it did until it would wait.
struct Frame {
  char kind = 0;
  std::int64_t value = 0;
  std::uint32_t threads = 0;  // see lockproof_frame
  std::vector<Record> records;
  std::string bytes;  // all of the above as it came, to compare
};

struct Order {
  char kind = 0;
  std::int64_t mono_ns = 0, wall_ns = 0, boot_ns = 0;
  std::uint32_t connection = 0;
  std::string bytes{};
  [[nodiscard]] std::string to_bytes() const;
};

/// Where its random numbers and its clocks begin, and where it can be paused.
struct Origin {
  std::uint64_t seed = 0;
  std::int64_t mono_ns = 0, wall_ns = 0;
  bool pauses_at_sends = false;  // see harness::ProgramPauses
  /// Files that were written later than this, by the machine's clock, are the program's.
  std::int64_t files_from_ns = std::numeric_limits<std::int64_t>::max();
  std::string drawn_name{};  // in the path of its folder, another one in each run of lockproof; empty: there is none
};

class ShimProcess final : public PinnedObject {
 public:
  /// Starts the program with the shim, and returns when it waits for the first time. Throws BadEnvironment.
  ShimProcess(real::Start start, const Origin& origin);
  /// Another process in the same state.
  [[nodiscard]] std::unique_ptr<ShimProcess> copy();

  [[nodiscard]] const Frame& frame() const { return frame_; }
  /// One step. Throws BadEnvironment if it does not wait again within some seconds of the machine, and
  /// harness::Stopped when long operations must end.
  const Frame& feed(const Order& order);
  /// What it and its copies have written to standard error; the first part, if that was much.
  [[nodiscard]] const std::string& errors();

 private:
  struct KeeperEnds;
  ShimProcess(std::shared_ptr<KeeperEnds> kept, real::Descriptor control, Frame frame);
  void send(const Order& order, int with = -1);
  Frame receive(int seconds_most, const char* what);
  [[nodiscard]] bool has_frame_within(int seconds_most);
  [[noreturn]] void never_begins();

  std::shared_ptr<KeeperEnds> kept_;
  real::Descriptor control_;  // the process ends when this is closed
  Frame frame_;
};

}  // namespace lockproof::programs
