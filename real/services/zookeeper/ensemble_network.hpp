// SPDX-License-Identifier: Apache-2.0
// EnsembleNetwork: what lies between the servers of an ensemble. All that they say to each other passes a small process
// of ours, so that faults can hold it. That process is there before the first server starts, when the run's own loop
// does not turn yet.
//
// Servers connect to each other in two ways: each follower to its leader (the quorum port), and any two of them for
// elections. Of two servers the one with the higher number connects to the other for elections; one with a lower number
// only asks it to, and is called back (ZooKeeper 3.8, QuorumCnxManager).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/port/pinned_object.hpp"
#include "real/os/child_process.hpp"
#include "real/os/descriptor.hpp"
#include "real/os/janitor.hpp"

namespace lockproof::real {

class EnsembleNetwork : public PinnedObject {
 public:
  enum class Traffic : int { quorum, elections };
  struct Ports {
    int quorum = 0, elections = 0;
  };

  /// For so many servers, of which none can be reached before it listens. Throws BadEnvironment.
  EnsembleNetwork(int servers, Janitor& janitor);

  [[nodiscard]] std::size_t servers() const { return own_.size(); }
  /// What the configuration of a server, from 0, says of all of them: for itself the ports at which it listens, for
  /// each other one those at which it finds it.
  [[nodiscard]] std::string configuration_of(int server) const;
  /// Throws BadEnvironment if the process has ended: the servers have not heard from each other since then.
  void must_be_there();
  /// Holds, or no longer holds, what goes from one server to another; returns when that is so. Holds are counted.
  void hold(int from, int to, Traffic traffic, bool on);

 private:
  void await_done();

  std::vector<Ports> own_;                 // at which each listens
  std::vector<std::vector<Ports>> found_;  // of each: at which it finds the others
  Descriptor orders_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace lockproof::real
