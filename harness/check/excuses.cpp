// SPDX-License-Identifier: Apache-2.0
#include "harness/check/excuses.hpp"

#include <algorithm>

#include "harness/check/lock_key.hpp"

namespace lockproof::check {

using harness::Change;
using harness::Event;
using harness::HostIndex;
using harness::HostKind;
using harness::What;

bool Excuses::may_explain(std::string_view property, const Finding& finding) const {
  const auto& shown = finding.events;
  if (property == "exercised" || finding.kind == "false-alarm") return true;
  if (property == "mutual-exclusion") return of_overlap(shown.at(0), shown.at(1));
  if (property == "resource-safety") return of_access(shown.at(0), shown.at(1));
  if (property == "owner-release") return of_giving_back(shown.at(0));
  if (property == "grant-is-valid") return of_grant(finding);
  if (property == "fencing-order") return of_lacking(event(shown.at(1)).host, shown.at(1));
  if (property == "once-per-period") return of_second_begin(shown.at(0), shown.at(1));
  if (property == "re-entrancy") return of_time_out(shown.at(0));
  return false;  // survives depends on nobody's time
}

/// The one that was there first may have left too late, and the one that came without the lock may have come too late.
bool Excuses::of_overlap(std::size_t earlier, std::size_t later) const {
  const HostIndex first = event(earlier).host, second = event(later).host;
  const auto left = next(first, What::exit, earlier);
  if (left && late_.could_come_by(*left, event(later).at)) return true;
  const auto second_left = next(second, What::exit, later);
  const bool came_without = history_.header.sees_servers && loss_of(second, later);
  if (came_without && second_left && late_.could_come_by(*second_left, event(earlier).at)) return true;
  return of_lacking(first, later) || of_lacking(second, later);
}

bool Excuses::of_access(std::size_t other, std::size_t access) const {
  if (event(other).what != What::execute) return true;
  if (late_.could_come_by(access, event(other).at)) return true;
  return of_lacking(event(access).peer, access) || of_lacking(event(other).peer, other);
}

/// What one client's command did to a lock that is another's.
bool Excuses::of_giving_back(std::size_t execution) const {
  const HostIndex client = event(execution).peer;
  const auto loss = loss_of(client, execution);
  if (!loss || (loss->by && event(*loss->by).what == What::strike)) return false;
  return late_.could_come_by(execution, loss->at) || of_lacking(client, execution);
}

bool Excuses::of_grant(const Finding& finding) const {
  const std::size_t position = finding.events.at(0);
  const Event& granted = event(position);
  if (finding.kind == "expired") return late_.could_come_by(position, granted.at + granted.left->time);
  const auto loss = loss_of(granted.host, position);
  const auto attempt = last(granted.host, What::attempt, position);
  if (!loss || (attempt && loss->at < event(*attempt).at)) return false;
  if (loss->by && event(*loss->by).what == What::strike) return false;
  return late_.could_come_by(position, loss->at) || of_lacking(granted.host, position);
}

/// The second one may have asked too late for the lock that the first one had.
bool Excuses::of_second_begin(std::size_t first, std::size_t second) const {
  const auto left = next(event(first).host, What::exit, first);
  if (!left || *left > second) return of_overlap(first, second);
  const auto attempt = last(event(second).host, What::attempt, second);
  const auto loss = history_.header.sees_servers ? loss_of(event(first).host, second) : std::nullopt;
  const Duration free = loss ? loss->at : event(*left).at;
  const bool asked_later = attempt && event(*attempt).at > free;
  return (asked_later && late_.could_come_by(*attempt, free)) || of_lacking(event(first).host, *left);
}

std::optional<Excuses::Loss> Excuses::loss_of(HostIndex client, std::size_t position) const {
  LockKey key(history_.header, scenario_);
  std::optional<Loss> loss;
  bool had = false;
  for (std::size_t i = 0; i <= position; ++i) {
    const Event& now = event(i);
    const auto expired = key.not_held_since(client, now.at);
    if (had && expired) loss = Loss{*expired, {}}, had = false;
    if (i == position) break;
    key.see(now);
    const bool has = !key.not_held_since(client, now.at);
    if (had && !has) loss = Loss{now.at, i};
    if (has) loss.reset();
    had = has;
  }
  return loss;
}

bool Excuses::of_lacking(HostIndex client, std::size_t position) const {
  if (!history_.header.sees_servers) return of_lacking_unseen(client, position);
  const auto loss = loss_of(client, position);
  const auto attempt = last(client, What::attempt, position + 1);
  if (!loss || !attempt || loss->at < event(*attempt).at) return false;
  if (loss->by) {
    const Event& taken = event(*loss->by);
    if (taken.what == What::strike) return false;
    const bool removed = std::ranges::any_of(taken.effects, [&](const harness::Effect& effect) {
      return effect.key == scenario_.lock && effect.change == Change::released;
    });
    if (removed && taken.peer != client && of_giving_back(*loss->by)) return true;
  }
  if (waited_in_vain(client, *attempt, position)) return true;
  for (std::size_t i = *attempt; i < history_.events.size(); ++i) {
    const Event& one = event(i);
    if (i > position && one.what == What::start && one.host == client) break;
    const bool of_it = one.what == What::execute
                           ? one.peer == client && history_.host_kind(one.host) == HostKind::server
                           : one.host == client && is_to_server(one);
    if (of_it && one.at > loss->at && late_.could_come_by(i, loss->at)) return true;
  }
  return false;
}

/// When it lost the lock is not known: some time between its grant and the event. A client that sent nothing to a
/// server then, or soon afterwards, was not late in renewing.
bool Excuses::of_lacking_unseen(HostIndex client, std::size_t position) const {
  const auto granted = last(client, What::granted, position + 1);
  if (!granted) return false;
  if (waited_in_vain(client, *granted, position)) return true;
  for (std::size_t i = *granted + 1; i < history_.events.size(); ++i) {
    const Event& one = event(i);
    if (i > position && one.what == What::start && one.host == client) break;
    if (one.host != client || !is_to_server(one)) continue;
    if (one.at <= event(position).at || late_.could_come_by(i, event(position).at)) return true;
  }
  return false;
}

/// A call that timed out while no fault was at work did so because the machine was slow.
bool Excuses::waited_in_vain(HostIndex client, std::size_t from, std::size_t until) const {
  for (std::size_t i = from; i < until; ++i) {
    const Event& one = event(i);
    const bool in_vain = one.what == What::time_out || one.what == What::renewal_failed;
    if (in_vain && one.host == client && !late_.struck_between(event(begin_of(i)).at, one.at)) return true;
  }
  return false;
}

/// Where what ended in vain had begun: a command's sending, or a renewal.
std::size_t Excuses::begin_of(std::size_t end) const {
  const Event& ended = event(end);
  if (ended.what == What::renewal_failed) return last(ended.host, What::renew, end).value_or(end);
  for (std::size_t i = end; i-- > 0;) {
    const Event& one = event(i);
    const bool same = one.host == ended.host && one.peer == ended.peer && one.message == ended.message;
    if (one.what == What::send && same) return i;
  }
  return end;
}

/// What a client does with its own lock depends on no other client's time, but a call of its own may have timed out.
bool Excuses::of_time_out(std::size_t position) const {
  const Event& one = event(position);
  const HostIndex client = one.what == What::execute ? one.peer : one.host;
  return waited_in_vain(client, last(client, What::start, position).value_or(0), position);
}

std::optional<std::size_t> Excuses::last(HostIndex host, What what, std::size_t before) const {
  for (std::size_t i = before; i-- > 0;) {
    if (event(i).host == host && event(i).what == what) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> Excuses::next(HostIndex host, What what, std::size_t after) const {
  for (std::size_t i = after; i < history_.events.size(); ++i) {
    if (event(i).host == host && event(i).what == what) return i;
  }
  return std::nullopt;
}

bool Excuses::is_to_server(const Event& one) const {
  return one.what == What::send && one.peer != harness::no_host && history_.host_kind(one.peer) == HostKind::server;
}

}  // namespace lockproof::check
