// SPDX-License-Identifier: Apache-2.0
// HostFacts: what each host is after some events, for people who look at one state: how far a client is with its locks,
// what is on its way, which keys a server has. Times are told as what is left of them.
#pragma once

#include <string>
#include <vector>

#include "harness/history/history.hpp"

namespace lockproof::harness {

/// Of each host, printable lines. `events` are all since the start.
[[nodiscard]] std::vector<std::vector<std::string>> host_facts(const Header& header, const std::vector<Event>& events,
                                                               Duration now);

}  // namespace lockproof::harness
