// SPDX-License-Identifier: Apache-2.0
// Supervisor's part that makes one history of what clients, servers and it itself saw.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include "real/client/host_ports.hpp"
#include "real/record/client_record.hpp"
#include "real/run/supervisor.hpp"

namespace lockproof::real {

using harness::Event;
using harness::HostIndex;
using harness::What;

StampedEvent Supervisor::stamped(HostIndex host, Event event) {
  event.host = host;
  event.at = std::max(time_.now(), Duration{});
  event.clocks = clocks_of(host, event.at);
  return {board_.next_sequence(), std::move(event)};
}

std::size_t Supervisor::note(HostIndex host, Event event, const std::string& mark) {
  StampedEvent noted = stamped(host, std::move(event));
  if (mark.empty()) {
    events_.push_back(std::move(noted));
  } else {
    marked_[host].emplace(mark, std::move(noted));
  }
  return events_.size() - 1;
}

harness::Readings Supervisor::clocks_of(HostIndex host, Duration at) const {
  const auto index = static_cast<std::size_t>(host);
  if (host < first_server()) {
    const harness::ClockSpec& spec = scenario_.clients[index].clock;
    const Duration ahead = board_.shared().drift[index].get().at(at);
    return readings(at, spec.wall + Duration(board_.shared().wall_jumped_us[index].load()) + ahead, spec.mono + ahead,
                    faults_->stood(host, at));
  }
  if (host == resource_host() || options_.external) return readings(at, {}, {}, {});
  return servers_[index - scenario_.clients.size()]->clocks(at, faults_->stood(host, at));
}

std::vector<StampedEvent> Supervisor::events_of(HostIndex client) {
  std::vector<StampedEvent> events;
  clients_[static_cast<std::size_t>(client)]->ledger().read([&](std::string_view bytes) {
    ClientRecord record = record_from(bytes);
    if (const auto* late = std::get_if<NotedLateness>(&record))
      return lateness_.add(client, late->due_ns, late->now_ns);
    auto& noted = std::get<NotedEvent>(record);
    const Event& event = noted.event;
    if (event.what == What::send) messages_[{client, event.peer, noted.port, noted.on_connection}] = event.message;
    events.push_back({noted.sequence, std::move(noted.event), noted.port});
  });
  return events;
}

ServerLog Supervisor::log_of(std::size_t server) {
  const HostIndex host = first_server() + static_cast<HostIndex>(server);
  if (options_.external) return ServerLog{.server = host, .executions = {}};
  ServerLog log{host, servers_[server]->executions()};
  std::map<int, int> client_ports;  // a server sees the proxy's ends of its connections
  if (proxy_ && !driver_->watched_at_proxy()) {
    for (const auto& [connection, port] : proxy_->upstream_ports()) {
      if (connection.first == host) client_ports[port] = connection.second;
    }
  }
  for (Execution& execution : log.executions) {
    const auto known = client_ports.find(execution.port);
    if (known != client_ports.end()) execution.port = known->second;
  }
  log.marked = marked_[host];
  for (const auto& [link, port] : master_ports_) {
    if (link.first == host) log.masters[port] = link.second;
  }
  for (std::size_t i = 0; i < public_ports_.size(); ++i) {
    if (i != server) log.masters[public_ports_[i]] = first_server() + static_cast<HostIndex>(i);
  }
  return log;
}

/// A message that passed the proxy, or was swallowed there, is known by its place on its connection, until its sender
/// says which it was.
void Supervisor::add_carried(std::vector<StampedEvent>& events) {
  for (auto& [place, noted] : carried_) {
    noted.event.message = messages_[place];
    events.push_back(std::move(noted));
  }
}

HostIndex Supervisor::header_host(const std::string& name) const {
  const auto found = std::ranges::find(header_.hosts, name, &harness::Host::name);
  return found == header_.hosts.end() ? harness::no_host : static_cast<HostIndex>(found - header_.hosts.begin());
}

harness::History Supervisor::history() {
  std::vector<StampedEvent> noted = std::move(events_);
  for (HostIndex i = 0; i < first_server(); ++i) {
    std::vector<StampedEvent> said = events_of(i);
    for (auto& [mark, unsaid] : marked_[i]) {
      const int fault = unsaid.event.fault;
      const auto is_it = [&](const StampedEvent& s) { return s.event.what == What::strike && s.event.fault == fault; };
      if (std::ranges::none_of(said, is_it)) noted.push_back(std::move(unsaid));
    }
    std::ranges::move(said, std::back_inserter(noted));
  }
  add_carried(noted);
  std::vector<ServerLog> logs;
  for (std::size_t i = 0; i < scenario_.servers.size(); ++i) logs.push_back(log_of(i));

  harness::History history{header_, merge(std::move(noted), logs, end_)};
  for (Event& event : history.events) {
    const bool by_log = event.what == What::execute || event.what == What::replicate || !event.effects.empty();
    if (by_log && event.host != resource_host()) event.clocks = clocks_of(event.host, event.at);
  }
  Event end{.what = What::end};
  end.at = end_;
  end.word = word_;
  history.events.push_back(std::move(end));
  history.header.late_us = lateness_.most_us(history, time_);
  return history;
}

}  // namespace lockproof::real
