// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/scenario/scenario.hpp"
#include "real/network/endpoint.hpp"
#include "real/options.hpp"
#include "real/record/board.hpp"
#include "real/record/ledger.hpp"

namespace lockproof::real {

/// Everything that a client process needs. Its references point into memory that fork copied.
struct ClientSetup {
  const harness::Scenario& scenario;
  Options options;
  int index;  // the client's
  Board& board;
  Ledger& ledger;                 // where this client records its events
  std::vector<Endpoint> servers;  // by their order in the header; the resource is the last
  std::vector<int> masters;       // the servers that the algorithm sees
  int to_supervisor = -1;         // descriptor: lines, see client_link.hpp
  int from_supervisor = -1;       // descriptor: a byte for the start, and one for each strike that was asked for
};

}  // namespace lockproof::real
