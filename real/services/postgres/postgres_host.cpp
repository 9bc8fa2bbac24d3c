// SPDX-License-Identifier: Apache-2.0
#include "real/services/postgres/postgres_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "algorithms/statements.hpp"
#include "real/client/host_ports.hpp"
#include "real/errors.hpp"
#include "real/services/postgres/password.hpp"
#include "real/services/postgres/wire.hpp"

namespace lockproof::real {
namespace {

constexpr std::int64_t start_look_ns = 2'000'000;
constexpr std::int64_t clock_apart_s = 30ll * 86'400;  // scenarios begin years before today
constexpr std::int64_t quiet_ns = 20'000'000;

/// Whether it is taken, in whatever way.
const char* const is_taken =
    "select exists (select from pg_locks where locktype = 'advisory' and granted and objsubid = 1"
    " and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0))"
    " or exists (select from leases where name = $1 and until >= clock_timestamp())";

bool is_true(const std::optional<Reply>& reply) {
  return reply && reply->kind() == Reply::Kind::array && reply->items()[0].value() == Value("t");
}

}  // namespace

PostgresHost::PostgresHost(const harness::ServerSpec& spec, Janitor& janitor, std::int64_t speedup,
                           const ServerProgram& program, int primary, std::vector<std::string> settings)
    : RestartableHost(spec, WorldTime(0, speedup), start_look_ns), clock_(epoch_us + spec.clock.wall.count(), speedup),
      cluster_(program, fmt::format("{}/{}", janitor.folder(), spec.name), janitor, std::move(settings)),
      standby_(primary != 0) {
  standby_ ? cluster_.copy_from(primary) : cluster_.initialize();
  port_ = free_port();
  spawn();
}

void PostgresHost::spawn() { process_ = cluster_.start(port_, clock_); }

/// The answer must be our own server's: another program may have taken the port first.
bool PostgresHost::is_up() {
  if (!control_.connect(port_)) return false;
  const auto folder = control_.ask("show data_directory");
  return folder && folder->kind() == Reply::Kind::array && folder->items()[0].value() == Value(cluster_.data());
}

void PostgresHost::await_ready() {
  if (std::exchange(ready_, true)) return;
  await_up_or_move([this] { port_ = free_port(); });
  require_our_clock();
  if (standby_) return;
  for (const Script& table : {statements::create_leases, statements::create_fences}) {
    const auto made = control_.ask(std::string(table.text));
    if (!made || made->is_error()) throw BadEnvironment(fmt::format("{} does not make its tables", spec().name));
  }
}

/// By the machine's clock its rows would end at other times than the scenario says, and nothing else would show it.
void PostgresHost::require_our_clock() {
  const auto shown = control_.ask("select extract(epoch from clock_timestamp())::bigint");
  const bool read = shown && shown->kind() == Reply::Kind::array;
  const std::int64_t shown_s = read ? std::atoll(shown->items()[0].value().bytes().c_str()) : 0;
  if (std::abs(shown_s - clock_.shows_us() / 1'000'000) < clock_apart_s) return;
  throw BadEnvironment(fmt::format(
      "{} does not go by lockproof's clock: is postgres linked statically, or does a script start it?", spec().name));
}

void PostgresHost::start(WorldTime time, bool /*loses_power*/) {
  time_ = time;
  clock_.start(time.start_ns(), epoch_us + spec().clock.wall.count(), time.speedup());
}

harness::Readings PostgresHost::clocks(Duration at, Duration stood) {
  const std::int64_t shows_us = clock_.shows_us(time_.machine_at(at));
  const auto later = std::ranges::find_if(drifts_, [&](const Drift& drift) { return drift.from > at; });
  const Drift& drift = later == drifts_.begin() ? *later : *std::prev(later);
  return readings(at, Duration(shows_us - epoch_us) - at, spec().clock.mono + drift.at(at), stood);
}

void PostgresHost::set_rate(Duration now, std::int64_t ppb) {
  clock_.set_rate(ppb);
  drifts_.push_back(drifts_.back().with_rate(now, ppb));
}

void PostgresHost::kill() {
  control_.close();
  RestartableHost::kill();
}

bool PostgresHost::shows(const std::string& key) { return is_true(control_.ask(is_taken, {key})); }

/// What has been sent to it is run and answered while the proxy goes on for a moment.
bool PostgresHost::finish() {
  if (down()) return true;
  if (!control_.ask("select 1")) return false;
  (void)turn_until([] { return false; }, quiet_ns);
  return true;
}

Observation PostgresHost::observed(int port) const {
  Observation one{.at = std::max(time_.now(), Duration{}), .port = port};
  one.wall_ms = clock_.shows_us() / 1000;
  return one;
}

/// A connection begins with a message that is no statement.
void PostgresHost::answered(const Proxy::Message& message, std::string_view reply) {
  if (message.command.args().empty()) return;
  Observation one = observed(message.port);
  one.command = message.command;
  one.reply = reply_in(reply);
  observed_.push_back(std::move(one));
}

void PostgresHost::ended(int port) {
  Observation one = observed(port);
  one.ended = true;
  observed_.push_back(std::move(one));
}

void PostgresHost::replicate_from(int port) {
  primary_port_ = port;
  if (port == 0) {
    static_cast<void>(control_.ask("select pg_promote(wait => false)"));
    return;
  }
  static_cast<void>(
      control_.ask(fmt::format("alter system set primary_conninfo = "
                               "'host=127.0.0.1 port={} user=postgres password={} sslmode=disable'",
                               port, postgres_password())));
  static_cast<void>(control_.ask("select pg_reload_conf()"));
}

bool PostgresHost::in_step() {
  return is_true(control_.ask("select exists (select from pg_stat_wal_receiver where status = 'streaming')"));
}

std::vector<Execution> PostgresHost::executions() {
  std::vector<Execution> all;
  for (ObservedChange& change : changes_of(observed_)) {
    Execution execution{.at = change.observed.at, .port = change.observed.port};
    if (change.observed.ended) {
      execution.act = "disconnect";
      execution.effects = std::move(change.effects);
      if (!execution.effects.empty()) all.push_back(std::move(execution));
      continue;
    }
    // A connection is answered in the order in which it asked.
    execution.effects_of = [effects = std::move(change.effects)](const Command&) { return effects; };
    all.push_back(std::move(execution));
  }
  return all;
}

}  // namespace lockproof::real
