// SPDX-License-Identifier: Apache-2.0
#include "conformance/postgres/real_side.hpp"

#include <fmt/format.h>

#include "algorithms/statements.hpp"
#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/services/server_start.hpp"

namespace lockproof::conformance::postgres {
namespace {

constexpr std::int64_t gone_ns_max = 60'000'000'000;
constexpr int answer_ms = 10'000;
constexpr int wait_ms = 25;  // one that is not answered by then waits

[[noreturn]] void fail(const std::string& what) {
  throw real::BadEnvironment(fmt::format("postgres does not answer: {}", what));
}

std::size_t place(int connection) { return static_cast<std::size_t>(connection - 1); }

}  // namespace

RealSide::RealSide(const std::string& program)
    : clock_(real::epoch_us, 0), cluster_(real::postgres_program(program), janitor_.folder() + "/postgres", janitor_),
      port_(real::free_port()) {
  cluster_.initialize();
  process_ = cluster_.start(port_, clock_);
  real::await_up({.name = "postgres",
                  .folder = cluster_.folder(),
                  .is_up = [this] { return operator_.connect(port_); },
                  .is_alive = [this] { return process_->alive(); }});
  for (const Script& table : {statements::create_leases, statements::create_fences}) (void)ask(std::string(table.text));
  for (int connection = 1; connection <= connections; ++connection) connect(connection);
}

Reply RealSide::ask(const std::string& text) {
  const auto reply = operator_.ask(text);
  if (!reply) fail(text);
  if (reply->is_error()) fail(fmt::format("{}: {}", text, reply->value().bytes()));
  return *reply;
}

void RealSide::connect(int connection) {
  real::PqControl& link = links_[place(connection)];
  if (!link.connect(port_)) fail("it takes no connection");
  const auto backend = link.ask("select pg_backend_pid()");
  if (!backend || backend->kind() != Reply::Kind::array) fail("the number of a backend");
  backends_[place(connection)] = backend->items()[0].value().bytes();
}

void RealSide::let_go(int connection) {
  for (const char* const text : {"rollback", "select pg_advisory_unlock_all()"}) {
    if (!links_[place(connection)].ask(text)) fail(text);
  }
}

void RealSide::reset(const std::set<int>& waiting) {
  for (int connection = 1; connection <= connections; ++connection) {
    if (!waiting.contains(connection)) let_go(connection);
  }
  for (const int connection : waiting) (void)answer(connection);
  for (const int connection : waiting) let_go(connection);
  (void)ask("delete from leases");
  (void)ask("delete from fences");
}

void RealSide::show(std::int64_t wall_ms) { clock_.start(real::machine_ns(), wall_ms * 1000, 0); }

std::optional<Reply> RealSide::run(int connection, const Command& command, bool waits) {
  real::PqControl& link = links_[place(connection)];
  if (!link.send(command)) fail("a command cannot be sent");
  auto reply = link.answer(waits ? wait_ms : answer_ms);
  if (!reply && !waits) return std::nullopt;
  return reply;
}

Reply RealSide::answer(int connection) {
  auto reply = links_[place(connection)].answer(answer_ms);
  return reply ? *reply : Reply::error("no answer");
}

void RealSide::end(int connection) {
  links_[place(connection)].close();
  const std::string there = fmt::format("select from pg_stat_activity where pid = {}", backends_[place(connection)]);
  const std::int64_t give_up = real::machine_ns() + gone_ns_max;
  while (!ask(there).is_nil()) {
    if (real::machine_ns() > give_up) fail("a backend does not end");
    real::nap();
  }
  connect(connection);
}

}  // namespace lockproof::conformance::postgres
