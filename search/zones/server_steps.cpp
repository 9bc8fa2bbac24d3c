// SPDX-License-Identifier: Apache-2.0
// The part of Successors for what the server and the resource do.
#include <utility>

#include "search/zones/successors.hpp"

namespace lockproof::zones {

void Successors::arrive_at_server(Place place, std::size_t client) {
  if (place.clients[client].of_resource) return answer(std::move(place), client, accepted_);
  const std::string refused = server_->refuses(payloads_.command(place.clients[client].payload));
  if (!refused.empty()) throw Unsuited(refused);
  execute(std::move(place), client, {});
}

/// Asks of each lease whether it is over, and runs the command where all answers can be true.
void Successors::execute(Place place, std::size_t client, std::vector<bool> over) {
  const auto& leases = server_->leases(place.server);
  if (over.size() < leases.size()) {
    const auto& lease = leases[over.size()];
    const TimePoint end{place.leases[static_cast<std::size_t>(lease.name)], lease.after.count()};
    Place runs_on = place;
    over.push_back(true);
    if (place.zone.require_not_after(end, {})) execute(std::move(place), client, over);
    over.back() = false;
    if (runs_on.zone.require_before({}, end)) execute(std::move(runs_on), client, std::move(over));
    return;
  }
  const ServerStep& step = server_step(place.server, place.clients[client].payload, over);
  std::vector<Row> names;
  Row begun = forgotten;
  for (const int name : step.names) {
    const bool is_new = name == sim::SymbolicServer::begins;
    if (is_new && begun == forgotten) begun = place.zone.add(now_row, server_->begin().least, server_->begin().most);
    names.push_back(is_new ? begun : place.leases[static_cast<std::size_t>(name)]);
  }
  place.server = step.state;
  place.leases = std::move(names);
  if (!place.kept.empty() && begun != forgotten) place.kept.push_back(begun);
  answer(std::move(place), client, step.reply);
}

const Successors::ServerStep& Successors::server_step(Id state, Id command, const std::vector<bool>& over) {
  const auto [known, is_new] = server_steps_.try_emplace({state, command, over});
  if (is_new) {
    sim::SymbolicServer::Step step = server_->execute(state, payloads_.command(command), over);
    known->second = {step.state, payloads_.add(step.reply), std::move(step.names)};
  }
  return known->second;
}

void Successors::answer(Place place, std::size_t client, Id reply) {
  ClientPlace& at = place.clients[client];
  at.message = ClientPlace::Message::reply;
  at.payload = reply;
  at.arrives = place.zone.add(now_row, scenario_.network.latency.least, scenario_.network.latency.most);
  finish(std::move(place));
}

}  // namespace lockproof::zones
