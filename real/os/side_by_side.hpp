// SPDX-License-Identifier: Apache-2.0
// Several runs at the same time, each in a process of its own: a real run forks, and its children must not hold another
// run's descriptors. The processes end with this one, and each cleans up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace lockproof::real {

/// A process ended without a result: by a signal, as after a fault of ours.
class WorkerDeath : public std::runtime_error {
 public:
  WorkerDeath(std::size_t number, const std::string& how) : std::runtime_error(how), number_(number) {}
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::size_t number_;
};

/// What becomes of the processes that run when no more may be started.
enum class UnfinishedPolicy : std::uint8_t {
  awaited,  // they end as they will
  ended,    // they are killed, and have no results
};

/// Does `work` for 0 to count - 1, at most `jobs` at once. `done` gets each result in this process, in the order of the
/// numbers. Rethrows BadEnvironment; throws std::runtime_error for another exception, and WorkerDeath.
/// `may_start` is asked often, at least each half second; when it says no, no further process is started.
void side_by_side(std::size_t count, unsigned jobs, const std::function<std::string(std::size_t)>& work,
                  const std::function<void(std::size_t, std::string)>& done,
                  const std::function<bool()>& may_start = {}, UnfinishedPolicy unfinished = UnfinishedPolicy::awaited);

}  // namespace lockproof::real
