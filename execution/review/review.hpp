// SPDX-License-Identifier: Apache-2.0
// Review: what a reviewer knows of a job that takes a lock, before anybody has chosen the lock: the service, the
// servers that compete, how long things take, and what may go wrong. docs/reference/review.md describes the file.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algorithms/port/service.hpp"
#include "harness/report/answers/reviewed.hpp"
#include "harness/scenario/algorithm_ref.hpp"
#include "harness/scenario/scenario.hpp"
#include "harness/scenario/window.hpp"

namespace lockproof::execution {

struct Review {
  std::string file, name, title;

  Service service = Service::redis;
  int masters = 1;
  int replicas = 0;  // of each master
  harness::Persistence persistence = harness::Persistence::none;
  std::optional<Duration> down_after;  // a Sentinel watches the master, and promotes a replica after so long

  int competitors = 2;
  std::optional<Duration> period;  // the job is done once in each; nothing: whenever somebody wants it
  harness::Window start{};         // how much later than the first one the others begin
  harness::Window work{seconds(1), seconds(1)};
  std::optional<Duration> lease;  // nothing: to be found
  int attempts = 1;               // of one server, for one period

  std::optional<Duration> pause;       // the longest of a client's host
  std::optional<Duration> clock_jump;  // of a client's or a server's wall clock, in either direction
  std::int64_t clock_rate_ppb = 0;     // by which any clock may be fast or slow
  std::optional<Duration> network;     // the longest that a host is cut off, or a message late
  Duration outage = seconds(60);       // the longest of a server
  bool evicts = false;                 // the servers evict keys when memory is short
  bool crashes = true;                 // of clients
  bool failovers = true;               // somebody makes a replica the master by hand

  std::set<harness::Concern> must_not{harness::Concern::two_at_once, harness::Concern::runs_twice,
                                      harness::Concern::stuck, harness::Concern::data_lost};
  std::vector<harness::AlgorithmRef> own;    // locks of their own
  std::vector<harness::AlgorithmRef> locks;  // all that are to be reviewed: the catalogue's and these
};

}  // namespace lockproof::execution
