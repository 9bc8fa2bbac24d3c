// SPDX-License-Identifier: Apache-2.0
#include "sim/world/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "harness/input_error.hpp"
#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::sim {

using harness::EventPlace;
using harness::Fault;
using harness::FaultKind;

namespace {

/// A rate without an end holds from the start, and strikes at no event.
bool is_from_the_start(const Fault& form) { return form.kind == FaultKind::clock_rate && form.lasts == Duration{}; }

/// See Budget::note_late.
bool strikes_late(FaultKind kind) {
  return kind == FaultKind::resend || kind == FaultKind::retry || kind == FaultKind::pool_switch;
}

}  // namespace

Budget::Budget(const harness::Scenario& scenario, const harness::Bounds* bounds)
    : scenario_(scenario), bounds_(bounds), counts_(bounds ? bounds->budget.size() : 0, 0) {
  if (!bounds) return;
  for (const harness::BudgetedFault& entry : bounds->budget) {
    for (const Fault& form : entry.forms) {
      if (!form.least) continue;
      const bool has_by = form.by != Duration{};
      throw harness::InputError(
          scenario.file, form.line,
          fmt::format("{} = \"{}\" is a range, which explore --engine zones searches; list amounts to try these alone",
                      has_by ? "by" : "for", harness::range_text(*form.least, has_by ? form.by : form.lasts)));
    }
  }
}

bool Budget::may_pause(std::string_view host) const {
  if (!bounds_ || bounds_->max_faults == 0) return false;
  return std::ranges::any_of(bounds_->budget, [host](const harness::BudgetedFault& entry) {
    const auto strikes = [host](const Fault& form) { return form.target == host; };
    return stands_still(entry.kind) && entry.most > 0 && std::ranges::any_of(entry.forms, strikes);
  });
}

void Budget::resume(const std::vector<int>& counts) {
  counts_ = counts;
  used_ = std::accumulate(counts.begin(), counts.end(), 0);
}

void Budget::count(const Occasion& o) {
  const auto same = [&](const EventPlace& w) {
    return w.moment == o.moment && w.round == o.round && w.actor == o.actor && w.verb == o.verb &&
           (!o.of_server || w.client == o.client);
  };
  const auto found = std::ranges::find_if(seen_, same);
  latest_ = static_cast<std::size_t>(found - seen_.begin());
  if (found != seen_.end()) {
    ++found->occurrence;
    return;
  }
  EventPlace when{.actor = std::string(o.actor), .moment = o.moment, .verb = std::string(o.verb), .client = {}};
  if (o.of_server) when.client = o.client;
  when.round = o.round;
  seen_.push_back(std::move(when));
}

/// At an event like this one, whichever host is struck.
bool Budget::can_strike(FaultKind kind, const Occasion& o) const {
  const bool before = o.moment == EventPlace::Moment::before, after = o.moment == EventPlace::Moment::after;
  if (before && (o.verb == "enter" || o.verb == "exit")) return stands_still(kind);  // else see `enters`, `exits`
  // A program says that it accesses the resource: that is no message which could be lost or late.
  if (scenario_.program && o.verb == "TOUCH" && harness::row_of(kind).of_message) return false;
  // A connection that nothing is sent over can hold a lock all the same.
  const bool connected = harness::row_of(scenario_.algorithm->service).of_connections;
  if (kind == FaultKind::break_connection && o.moment == EventPlace::Moment::enters) return connected;
  if (kind == FaultKind::break_connection && before && !o.of_server && o.server.empty()) return false;
  const unsigned place = o.of_server ? (before ? harness::server_before : harness::server_after)
                         : before    ? harness::client_before
                         : after     ? harness::client_after
                                     : harness::client_inside;
  return (harness::row_of(kind).places & place) != 0;
}

bool Budget::is_server(std::string_view host) const {
  return std::ranges::find(scenario_.servers, host, &harness::ServerSpec::name) != scenario_.servers.end();
}

/// A service whose locks belong to connections has one: no lock asks several.
const std::string& Budget::a_master() const {
  const auto serves = [](const harness::ServerSpec& server) { return server.replica_of.empty(); };
  return std::ranges::find_if(scenario_.servers, serves)->name;
}

/// Whether the form strikes a host that takes part in the event.
bool Budget::is_about(const Fault& form, const Occasion& o) const {
  if (form.kind == FaultKind::break_connection) return form.target == (o.of_server ? o.client : o.actor);
  // It is the service's library that does these: the resource has another one.
  const bool of_library = form.kind == FaultKind::pool_switch || form.kind == FaultKind::retry;
  if (of_library) return form.target == o.actor && is_server(o.server);
  if (form.kind != FaultKind::replication_stall) return form.target == o.actor;
  if (scenario_.ensemble) return o.of_server && is_server(o.actor);
  const auto replica = std::ranges::find(scenario_.servers, form.target, &harness::ServerSpec::name);
  const bool replicates = replica != scenario_.servers.end() && !replica->replica_of.empty();
  return replicates && scenario_.replicate_together(form.target, o.actor);
}

/// A form with a delay strikes behind the event: an outage, when the reply is on its way; the end of a connection at
/// the client, when the command has left.
bool Budget::fits(const Fault& form, const Occasion& o) {
  const bool later = form.delay != Duration{}, before = o.moment == EventPlace::Moment::before;
  if (form.kind == FaultKind::break_connection) return later == (before && !o.of_server);
  return !later || o.moment == EventPlace::Moment::after;
}

/// Of the part of an entry.
bool Budget::is_there(const harness::BudgetedFault& entry, const Occasion& o) {
  if (!entry.spot && entry.elsewhere.empty()) return true;
  const harness::Spot here = harness::spot_of(entry.kind, o.stage, o.verb);
  return entry.spot ? *entry.spot == here : std::ranges::find(entry.elsewhere, here) == entry.elsewhere.end();
}

std::vector<Budget::Offer> Budget::offers(const Occasion& occasion, std::size_t first) const {
  std::vector<Offer> ever, offers;
  if (spent() && !watch_) return offers;
  for (std::size_t i = first; i < bounds_->budget.size(); ++i) {
    const harness::BudgetedFault& entry = bounds_->budget[i];
    const bool left = !spent() && bounds_->left_of(i, counts_) > 0;
    if (!left && !watch_) continue;
    if (!can_strike(entry.kind, occasion) || !is_there(entry, occasion)) continue;
    for (std::size_t form = 0; form < entry.forms.size(); ++form) {
      if (!is_about(entry.forms[form], occasion) || is_from_the_start(entry.forms[form])) continue;
      if (!fits(entry.forms[form], occasion)) continue;
      if (left) offers.push_back({i, form});
      if (watch_) ever.push_back({i, form});
    }
  }
  if (!ever.empty()) watch_(ever, offers);
  return offers;
}

std::vector<Budget::Offer> Budget::initial_offers(std::size_t first) const {
  std::vector<Offer> offers;
  if (spent()) return offers;
  for (std::size_t i = first; i < bounds_->budget.size(); ++i) {
    const harness::BudgetedFault& entry = bounds_->budget[i];
    if (bounds_->left_of(i, counts_) <= 0) continue;
    for (std::size_t form = 0; form < entry.forms.size(); ++form) {
      const bool there = !entry.spot || entry.spot->stage == harness::Stage::any;
      if (there && is_from_the_start(entry.forms[form])) offers.push_back({i, form});
    }
  }
  return offers;
}

void Budget::note_late(const Fault& fault) {
  if (!strikes_late(fault.kind)) return;
  for (std::size_t entry = 0; entry < bounds_->budget.size(); ++entry) {
    const std::vector<Fault>& forms = bounds_->budget[entry].forms;
    for (std::size_t form = 0; form < forms.size(); ++form) {
      const Fault& one = forms[form];
      const bool same_way = one.reply == fault.reply && one.same_connection == fault.same_connection;
      if (one.kind == fault.kind && one.target == fault.target && one.lasts == fault.lasts && same_way) {
        taken_.push_back({entry, form});
      }
    }
  }
}

Fault Budget::take(const Offer& offer, const Occasion* occasion) {
  ++counts_[offer.entry];
  if (!strikes_late(bounds_->budget[offer.entry].kind)) taken_.push_back(offer);
  ++used_;
  Fault fault = bounds_->budget[offer.entry].forms[offer.form];
  if (!occasion) {
    fault.at = Duration{};
    return fault;
  }
  fault.when = seen_[latest_];
  const std::string_view other = occasion->of_server ? occasion->client : occasion->server;
  if (fault.kind == FaultKind::break_connection) {
    fault.peer = occasion->of_server ? occasion->actor : other.empty() ? std::string_view(a_master()) : other;
  }
  if (fault.kind == FaultKind::pool_switch) fault.peer = other;
  if (fault.kind == FaultKind::partition) fault.peer = fault.peer == harness::all_hosts ? std::string_view() : other;
  return fault;
}

}  // namespace lockproof::sim
