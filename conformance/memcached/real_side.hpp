// SPDX-License-Identifier: Apache-2.0
// RealSide: a memcached of our own, at 20 times the speed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "algorithms/port/command.hpp"
#include "real/clock/clock_page.hpp"
#include "real/os/child_process.hpp"
#include "real/os/janitor.hpp"
#include "real/services/memcached/text_client.hpp"

namespace lockproof::conformance::memcached {

class RealSide final : public PinnedObject {
 public:
  /// `program`: the path of a memcached; empty: the one in PATH. Throws real::BadEnvironment.
  explicit RealSide(const std::string& program);

  /// Empties the server; the numbers of items are counted from here on.
  void reset();
  /// Waits for this tick and returns as it begins.
  void await_tick(std::int64_t tick);
  /// Ticks since the server's start.
  [[nodiscard]] std::int64_t tick();
  [[nodiscard]] Reply run(const Command& command);

 private:
  [[nodiscard]] std::int64_t renumbered(std::int64_t number, bool to_real) const {
    return number + (to_real ? numbered_from_ : -numbered_from_);
  }
  real::Janitor janitor_;
  real::ClockPage clock_;
  std::unique_ptr<real::ChildProcess> process_;
  real::TextClient client_;
  std::int64_t numbered_from_ = 0;
};

}  // namespace lockproof::conformance::memcached
