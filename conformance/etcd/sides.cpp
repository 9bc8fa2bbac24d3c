// SPDX-License-Identifier: Apache-2.0
#include "conformance/etcd/sides.hpp"

#include <algorithm>
#include <charconv>

#include "algorithms/etcd/requests.hpp"
#include "conformance/core/shown.hpp"
#include "real/clock/world_time.hpp"
#include "real/services/server_program.hpp"

namespace lockproof::conformance::etcd {
namespace {

namespace client_of = lockproof::etcd;

constexpr std::int64_t second_ns = 1'000'000'000, scan_ns = second_ns / 2, margin_ns = 20'000'000;
constexpr std::int64_t short_ns = 10 * second_ns;  // leases that are shorter end while somebody waits for it
constexpr std::int64_t ends_ns_max = 10 * second_ns, tells_ns_max = 5 * second_ns, election_ns = second_ns;
constexpr std::int64_t stands_ns = 3 * scan_ns;
constexpr std::int64_t no_such_lease = 77;

std::int64_t number(const Value& digits) {
  std::int64_t n = 0;
  std::from_chars(digits.bytes().data(), digits.bytes().data() + digits.bytes().size(), n);
  return n;
}

std::string shown_names(std::vector<std::string> names) {
  std::ranges::sort(names);
  std::string all;
  for (const std::string& name : names) all += " " + name;
  return all.empty() ? "nobody is told" : "told of" + all;
}

bool has_revision(const Command& command) {
  return command.verb() == "LAST-BEFORE" || command.verb() == "DELETE-IF" || command.verb() == "WATCH";
}
bool has_lease(const Command& command) {
  return command.verb().starts_with("LEASE-") && command.verb() != "LEASE-GRANT";
}

}  // namespace

std::int64_t Sides::now_ns() const { return real::machine_ns() - began_ns_; }
void Sides::sleep_until(std::int64_t ns) const {
  while (now_ns() < ns) real::nap();
}

void Sides::reset() {
  const std::int64_t revision = real_.reset();
  model_ = std::make_unique<sim::etcd::Server>("q");
  ahead_ = revision - model_->keyspace().revision();
  began_ns_ = real::machine_ns();
  clients_ = {};
  for (Client& client : clients_) client.connection = ++connections_;
  leases_.clear();
  places_ = {};
  shown_.clear();
  late_ = false;
}

Sides::Lease* Sides::lease_at(int place) {
  if (place == 0) return nullptr;
  const auto index = places_.at(static_cast<std::size_t>(place - 1));
  return index ? &leases_[*index] : nullptr;
}

Differ Sides::run(const Step& step) {
  last_.reset();
  if (auto differ = wait_out()) return differ;
  switch (step.kind) {
    case Step::Kind::watch: return watch(step.client, static_cast<std::size_t>(step.back));
    case Step::Kind::reconnect: disconnect(step.client); return std::nullopt;
    case Step::Kind::stand: sleep_until(now_ns() + stands_ns); return look();
    case Step::Kind::knock: return knock(step.lease);
    case Step::Kind::sustain: return sustain(step.lease);
    case Step::Kind::outlive: return outlive(step);
    case Step::Kind::restart: return restart(step);
    case Step::Kind::request: break;
  }
  Lease* const lease = lease_at(step.lease);
  const Value id = Value::number(lease ? lease->simulated : step.lease == 0 ? client_of::no_lease : no_such_lease);
  const Value revision = Value::number(std::max<std::int64_t>(model_->keyspace().revision() - step.back, 2));
  std::vector<Value> words{Value(step.verb)};
  if (!step.name.empty()) words.emplace_back(step.name);
  if (step.verb == "LEASE-GRANT") words.push_back(Value::number(step.seconds));
  if (step.verb == "LEASE-REVOKE" || step.verb == "LEASE-KEEPALIVE" || step.verb == "PUT-IF-ABSENT")
    words.push_back(id);
  if (step.verb == "LAST-BEFORE" || step.verb == "DELETE-IF") words.push_back(revision);
  if (!step.prefix.empty()) words.emplace_back(step.prefix);
  asked_place_ = step.lease;
  return request(step.client, std::move(words), lease);
}

Command Sides::as_real(const Command& command) const {
  auto words = command.args();
  const auto real_id = [&](const Value& simulated) {
    const auto known = std::ranges::find(leases_, number(simulated), &Lease::simulated);
    return known == leases_.end() ? simulated : Value::number(known->real);
  };
  if (has_lease(command)) words.at(1) = real_id(words.at(1));
  if (command.verb() == "PUT-IF-ABSENT") words.at(2) = real_id(words.at(2));
  if (has_revision(command)) words.at(2) = Value::number(number(words.at(2)) + ahead_);
  return Command(std::move(words));
}

/// The real reply with the simulated server's revisions, and the id that this has given to a lease.
Reply Sides::as_simulated(const Command& command, const Reply& real) {
  if (real.kind() != Reply::Kind::array) return real;
  std::vector<Reply> items = real.items();
  if (command.verb() == "LEASE-GRANT") {
    items.at(0) = Reply::integer(model_->keyspace().granted());
    return Reply::array(std::move(items));
  }
  for (std::size_t i = 1; i < items.size(); ++i) {
    const std::int64_t revision = items[i].integer();
    if (revision != 0) items[i] = Reply::integer(revision - ahead_);
  }
  return Reply::array(std::move(items));
}

void Sides::push(const std::vector<sim::Push>& pushes) {
  for (const sim::Push& one : pushes) {
    const auto to = std::ranges::find(clients_, one.connection, &Client::connection);
    if (to != clients_.end()) to->to_be_told.push_back(one.message.items().at(1).value().bytes());
  }
}

void Sides::act() {
  const std::int64_t later_ns = mutant_ ? mutant_->ends_later.count() * 1'000'000 : 0;
  const auto acted = model_->act(time(std::max<std::int64_t>(now_ns() - later_ns, 0)));
  if (!mutant_ || !mutant_->tells_nobody_of_end) push(acted.pushes);
}

Reply Sides::simulate(int client, const Command& command) {
  act();
  const sim::Request request{clients_.at(static_cast<std::size_t>(client - 1)).connection, command, time(now_ns()),
                             client};
  const sim::NodeAnswer executed = mutant_ ? mutant_->execute(*model_, request) : model_->execute(request);
  push(executed.pushes);
  if (!executed.waits) return executed.reply;
  sleep_until(now_ns() + scan_ns);
  act();
  const auto answers = model_->on_timer(time(now_ns()));
  return answers.empty() ? Reply::error("no answer") : answers.front().reply;
}

void Sides::refresh(Lease& lease, std::int64_t left_ns) {
  const std::int64_t answered_ns = now_ns();
  lease.safe_ns = left_ns + lease.ttl_ns;
  lease.over_ns = answered_ns + lease.ttl_ns;
  lease.scanned_ns = answered_ns + lease.ttl_ns + scan_ns;
}

Differ Sides::request(int client, std::vector<Value> words, Lease* lease) {
  const Command command(std::move(words));
  const std::int64_t left_ns = now_ns();
  const auto real = real_.ask(client, as_real(command));
  const auto over = [&](const Lease& one) { return !one.ended && now_ns() > one.safe_ns - margin_ns; };
  late_ = std::ranges::any_of(leases_, over);
  if (late_) return std::nullopt;
  const Reply simulated = simulate(client, command);
  const Reply answer = real ? as_simulated(command, *real) : Reply::error("no answer");
  last_ = answer;
  if (simulated != answer) return Mismatch{conformance::shown(simulated), conformance::shown(answer)};
  keep(command, *real, simulated, left_ns, lease);
  return compare_told(false);
}

/// What later steps may name.
void Sides::keep(const Command& command, const Reply& real, const Reply& simulated, std::int64_t left_ns,
                 Lease* lease) {
  const std::string_view verb = command.verb();
  const bool is_list = simulated.kind() == Reply::Kind::array;
  if (verb == "LEASE-GRANT" && is_list) {
    Lease granted{
        real.items()[0].integer(), simulated.items()[0].integer(), simulated.items()[1].integer() * second_ns, 0, 0, 0};
    refresh(granted, left_ns);
    leases_.push_back(granted);
    if (asked_place_ != 0) places_.at(static_cast<std::size_t>(asked_place_ - 1)) = leases_.size() - 1;
  }
  if (verb == "LEASE-KEEPALIVE" && lease && !simulated.is_integer(0)) refresh(*lease, left_ns);
  if (verb == "LEASE-REVOKE" && lease) lease->ended = true;
  if (!is_list) return;
  if (verb == "PUT-IF-ABSENT") shown_.push_back({command.args()[1].bytes(), simulated.items()[3].integer()});
  if (verb == "GET" || verb == "LAST-BEFORE") {
    shown_.push_back({simulated.items()[0].value().bytes(), simulated.items()[2].integer()});
  }
}

Differ Sides::watch(int client, std::size_t back) {
  if (shown_.empty()) return std::nullopt;
  const KeyVersion shown = shown_[shown_.size() - 1 - std::min(back, shown_.size() - 1)];
  return request(client, {"WATCH", Value(shown.key), Value::number(shown.revision)}, nullptr);
}

/// The messages that are to come may take a while; that none comes that should not is only seen at the end.
Differ Sides::compare_told(bool all) {
  for (int client = 1; client <= clients; ++client) {
    Client& one = clients_.at(static_cast<std::size_t>(client - 1));
    const std::int64_t give_up = now_ns() + tells_ns_max;
    do {
      for (std::string& name : real_.told(client)) one.was_told.push_back(std::move(name)), ++told_;
      if (one.was_told.size() < one.to_be_told.size()) real::nap();
    } while (one.was_told.size() < one.to_be_told.size() && now_ns() < give_up);
    const std::string simulated = shown_names(one.to_be_told), real = shown_names(one.was_told);
    if (simulated != real) return Mismatch{simulated, real};
    one.to_be_told.clear();
    one.was_told.clear();
  }
  if (all) sleep_until(now_ns() + margin_ns);
  return all ? compare_told(false) : std::nullopt;
}

Differ Sides::rest() {
  if (auto differ = wait_out()) return differ;
  act();
  return compare_told(true);
}

/// Leases that may be over by now, or soon: waits until they have ended on both sides.
Differ Sides::wait_out() {
  for (Lease& lease : leases_) {
    if (lease.ended || now_ns() < lease.safe_ns - 2 * margin_ns) continue;
    if (auto differ = await_end(lease)) return differ;
  }
  return std::nullopt;
}

Differ Sides::await_end(Lease& lease) {
  const std::int64_t give_up = lease.over_ns + ends_ns_max;
  const bool sees_it_end = now_ns() < lease.safe_ns;
  while (real_.lives(lease.real)) {
    if (now_ns() > give_up) return Mismatch{"the lease has ended", "the lease lives"};
    real::nap();
  }
  if (sees_it_end) outlived_ns_ = std::max(outlived_ns_, now_ns() - lease.safe_ns);
  if (now_ns() < lease.safe_ns) return Mismatch{"the lease lives", "the lease has ended"};
  sleep_until(lease.scanned_ns);
  act();
  lease.ended = true;
  ++ended_;
  return compare_told(false);
}

Differ Sides::knock(int place) {
  Lease* const lease = lease_at(place);
  if (!lease || lease->ended || lease->ttl_ns > short_ns) return std::nullopt;
  sleep_until(lease->over_ns + margin_ns);
  lease->ended = true;
  ++ended_;
  auto differ = request(1, {"LEASE-KEEPALIVE", Value::number(lease->simulated)}, nullptr);
  sleep_until(lease->scanned_ns);
  act();
  return differ ? differ : compare_told(false);
}

/// A lease that the first of them had not given its whole time would not live to see the second.
Differ Sides::sustain(int place) {
  for (int i = 0; i < 2; ++i) {
    Lease* const lease = lease_at(place);
    if (!lease || lease->ended || lease->ttl_ns > short_ns) return std::nullopt;
    sleep_until(lease->safe_ns - 4 * margin_ns);
    if (auto differ = wait_out()) return differ;
    if (lease->ended) return std::nullopt;
    auto differ = request(1, {"LEASE-KEEPALIVE", Value::number(lease->simulated)}, lease);
    if (differ || late_) return differ;
  }
  ++sustained_;
  return std::nullopt;
}

Differ Sides::outlive(const Step& step) {
  Lease* const lease = lease_at(step.lease);
  if (!lease || lease->ended || lease->ttl_ns > short_ns || now_ns() > lease->safe_ns - 4 * margin_ns) return {};
  auto differ =
      request(step.client, {"PUT-IF-ABSENT", step.name, Value::number(lease->simulated), step.prefix}, nullptr);
  if (differ || late_) return differ;
  if (differ = watch(step.client, 0); differ || late_) return differ;
  sleep_until(lease->safe_ns);
  return wait_out();
}

void Sides::disconnect(int client) {
  Client& one = clients_.at(static_cast<std::size_t>(client - 1));
  real_.disconnect(client);
  if (!mutant_ || !mutant_->forgets_ends) model_->disconnected(one.connection);
  if (!mutant_ || !mutant_->forgets_ends) one.connection = ++connections_;
}

/// A lease whose time begins now, with a key that was not there before.
Differ Sides::put_with_new_lease(const Step& step) {
  if (auto differ = request(step.client, {"DELETE", step.name}, nullptr); differ || late_) return differ;
  asked_place_ = step.lease;
  auto differ = request(step.client, {"LEASE-GRANT", Value::number(step.seconds)}, nullptr);
  if (differ || late_) return differ;
  const Value id = Value::number(leases_.back().simulated);
  return request(step.client, {"PUT-IF-ABSENT", step.name, id, step.prefix}, nullptr);
}

/// The new leader has given all leases their time and that of an election before it answered: all is there when the new
/// lease would have been over.
Differ Sides::restart(const Step& step) {
  if (auto differ = put_with_new_lease(step); differ || late_) return differ;
  const std::int64_t over_ns = leases_.back().scanned_ns;
  const std::int64_t killed_ns = now_ns();
  const bool as_it_is = mutant_ && mutant_->restarts_at_once;
  if (!as_it_is) (void)model_->stop(true, time(killed_ns));
  real_.restart();
  for (int client = 1; client <= clients; ++client) disconnect(client);
  if (!as_it_is) model_->restart(time(now_ns()));
  for (Lease& lease : leases_) {
    if (lease.ended) continue;
    refresh(lease, killed_ns);
    for (std::int64_t* const instant : {&lease.safe_ns, &lease.over_ns, &lease.scanned_ns}) *instant += election_ns;
  }
  sleep_until(over_ns + margin_ns);
  return look();
}

/// Every key, one after the other.
Differ Sides::look() {
  for (const char* const key : {"q", "q/a", "q/b", "q/c", "qq", "r/a"}) {
    if (auto differ = wait_out()) return differ;
    if (auto differ = request(1, {"GET", key}, nullptr); differ || late_) return differ;
  }
  return std::nullopt;
}

}  // namespace lockproof::conformance::etcd
