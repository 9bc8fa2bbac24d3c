// SPDX-License-Identifier: Apache-2.0
#include "harness/history/history.hpp"

#include <algorithm>

namespace lockproof::harness {

HostIndex History::host_named(std::string_view name) const {
  const auto found = std::ranges::find(header.hosts, name, &Host::name);
  return found == header.hosts.end() ? no_host : static_cast<HostIndex>(found - header.hosts.begin());
}

}  // namespace lockproof::harness
