// SPDX-License-Identifier: Apache-2.0
#include "real/record/lateness.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "harness/check/late_steps.hpp"
#include "harness/scenario/fault.hpp"

namespace lockproof::real {
namespace {

using check::FaultSpan;
using harness::Event;
using harness::History;
using harness::HostIndex;
using harness::What;

using Id = std::tuple<HostIndex, HostIndex, int>;  // client, server, number

/// The longest that a message took, one way, while no fault was at work. `waiting`: in their servers.
Duration slowest_message(const History& history, const std::vector<FaultSpan>& faults, const std::set<Id>& waiting) {
  std::map<Id, Duration> left;
  Duration most{};
  const auto arrived = [&](const Id& id, Duration at) {
    const auto found = left.find(id);
    if (found == left.end()) return;
    const Duration sent = found->second;
    const bool struck =
        std::ranges::any_of(faults, [&](const FaultSpan& f) { return f.from <= at && f.until >= sent; });
    if (!struck) most = std::max(most, at - sent);
  };
  for (const Event& event : history.events) {
    if (event.what == What::send) {
      left[{event.host, event.peer, event.message}] = event.at;
    } else if (event.what == What::execute) {
      const Id id{event.peer, event.host, event.message};
      if (!waiting.contains(id)) arrived(id, event.at);
      left[id] = event.at;
      if (event.command && event.command->verb() == "WAIT") left.erase(id);  // its answer may wait
    } else if (event.what == What::receive || event.what == What::discard) {
      arrived({event.host, event.peer, event.message}, event.at);
    }
  }
  return most;
}

}  // namespace

void Lateness::add(HostIndex host, std::int64_t due_ns, std::int64_t now_ns) {
  if (now_ns - due_ns < least_ns) return;
  late_.push_back({host, due_ns, now_ns});
  so_far_ns_ = std::max(so_far_ns_, now_ns - due_ns);
}

std::int64_t Lateness::most_us(const History& history, const WorldTime& time) const {
  const std::vector<FaultSpan> faults = check::faults_in(history);
  std::int64_t most_ns = time.machine_ns_of(slowest_message(history, faults, waiting_));
  for (const LatenessRecord& late : late_) {
    const auto stopped_it = [&](const FaultSpan& fault) {
      return fault.host == late.host && harness::stands_still(fault.kind) &&
             time.machine_at(fault.from) <= late.now_ns && time.machine_at(fault.until) >= late.due_ns;
    };
    if (std::ranges::none_of(faults, stopped_it)) most_ns = std::max(most_ns, late.now_ns - late.due_ns);
  }
  return most_ns / 1000;
}

}  // namespace lockproof::real
