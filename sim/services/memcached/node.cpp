// SPDX-License-Identifier: Apache-2.0
#include "sim/services/memcached/node.hpp"

#include <algorithm>

#include "sim/services/memcached/effects.hpp"
#include "sim/services/memcached/verbs.hpp"

namespace lockproof::sim::memcached {
namespace {

std::int64_t whole_seconds(Duration wall) { return std::chrono::floor<seconds>(wall).count(); }

}  // namespace

Node::Node(const harness::ClockSpec& clock, Duration phase)
    : ticks_((clock.mono + phase).count()), started_s_(whole_seconds(harness::epoch + clock.wall)) {}

NodeAnswer Node::execute(const Request& request) {
  NodeAnswer executed{Reply::nil()};
  const Scene scene{items_, ticks_, started_s_, request.at.mono_us, executed.effects};
  executed.reply = run(scene, request.command);
  if (executed.reply.is_error()) executed.lacks = describe_lack(request.command);
  return executed;
}

NodeAnswer Node::apply(const harness::Fault& fault, const std::string& lock, const ServerTime& at) {
  NodeAnswer done{Reply::nil()};
  const bool all = fault.kind == harness::FaultKind::flush;
  if (!all && fault.kind != harness::FaultKind::evict) return ServiceModel::apply(fault, lock, at);
  const std::int64_t tick = ticks_.at(at.mono_us);
  for (const auto& [key, item] : items_.all()) {
    if ((all || key == lock) && !item.expired(tick)) lost(done.effects, key, all ? "flushed" : "evicted");
  }
  if (all) {
    items_.clear();
  } else {
    items_.erase(lock);
  }
  return done;
}

/// The process keeps no items, however it ends.
std::vector<harness::Effect> Node::stop(bool /*without_warning*/, const ServerTime& at) {
  Effects effects;
  for (const auto& [key, item] : items_.all()) {
    if (!item.expired(ticks_.at(at.mono_us))) lost(effects, key, "flushed");
  }
  items_.forget_all();
  return effects;
}

void Node::restart(const ServerTime& at) {
  ticks_ = Ticks(at.mono_us);
  started_s_ = whole_seconds(milliseconds(at.wall_ms));
}

void Node::go_on(const ServerTime& at) {
  if (ticks_.at(at.mono_us) == ticks_.due_by(at.mono_us)) ticks_.count();
}

std::optional<Duration> Node::due(const HostClocks& clocks) const {
  if (!ticks_.still_at()) return std::nullopt;
  return clocks.when(ticks_.instant_of(*ticks_.still_at() + 1));
}

ServiceModel::OwnActs Node::act(const ServerTime& /*at*/) {
  ticks_.count();
  return {};
}

/// Numbers of items occur in messages, too, where they cannot be told from other numbers: they are written unchanged.
void Node::encode(StateEncoder& into, const std::map<int, int>& /*connections*/, const ServerTime& at,
                  std::int64_t /*over_at_most_ms*/) const {
  const std::int64_t tick = ticks_.at(at.mono_us), due = ticks_.due_by(at.mono_us);
  into.number(ticks_.until(due + 1, at.mono_us).count());
  into.number(due - tick);
  into.number(ticks_.still_at().has_value());
  into.number(items_.unique());
  into.number(static_cast<std::int64_t>(items_.all().size()));
  for (const auto& [key, item] : items_.all()) {
    into.text(key);
    into.value(item.value, at.wall_ms);
    into.number(item.unique);
    into.number(item.ends_at ? std::max<std::int64_t>(*item.ends_at - tick, 0) : -1);
  }
}

void Node::residual(StateEncoder& into, const ServerTime& at, bool with_leased) const {
  for (const auto& [key, item] : items_.all()) {
    if (item.ends_at && (!with_leased || item.expired(ticks_.at(at.mono_us)))) continue;
    into.text(key);
    into.number(item.ends_at.has_value());
  }
}

Duration Node::longest_lease(const ServerTime& at) const {
  Duration longest{};
  for (const auto& [key, item] : items_.all()) {
    if (item.ends_at) longest = std::max(longest, ticks_.until(*item.ends_at, at.mono_us));
  }
  return longest;
}

void Node::each_reading(const HostClocks& clocks, const std::function<void(Duration)>& see) const {
  for (const auto& [key, item] : items_.all()) {
    if (item.ends_at) see(clocks.when(ticks_.instant_of(*item.ends_at)));
  }
}

std::optional<Recurrence> Node::ticks(const HostClocks& clocks, const ServerTime& at) const {
  const std::int64_t tick = ticks_.due_by(at.mono_us);
  const Duration next = clocks.when(ticks_.instant_of(tick + 1));
  return Recurrence{next, clocks.when(ticks_.instant_of(tick + 2)) - next};
}

}  // namespace lockproof::sim::memcached
