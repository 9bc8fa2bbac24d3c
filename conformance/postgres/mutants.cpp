// SPDX-License-Identifier: Apache-2.0
#include "conformance/postgres/mutants.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "algorithms/postgres/requests.hpp"

namespace lockproof::conformance::postgres {
namespace {

using sim::NodeAnswer;
using sim::Request;
using sim::postgres::Node;
namespace sql = lockproof::postgres;

constexpr std::size_t first = 3;  // parameter, behind SQL, the text and how many there are

bool is(const Request& request, std::string_view statement) { return request.command.script() == statement; }
const Value& parameter(const Request& request, std::size_t i) { return request.command.args()[first + i]; }

NodeAnswer plain(Node& node, const Request& request) { return node.execute(request); }
NodeAnswer instead(Node& node, const Request& request, const Command& command) {
  return node.execute({request.connection, command, request.at});
}
NodeAnswer later(Node& node, const Request& request, std::int64_t ms) {
  sim::ServerTime at = request.at;
  at.wall_ms += ms;
  return node.execute({request.connection, request.command, at});
}
Reply truth(const char* word) { return Reply::array({Reply::bulk(word)}); }

bool in_transaction(Node& node, const Request& request) {
  const auto session = node.database().sessions().find(request.connection);
  return session != node.database().sessions().end() && session->second.in_transaction;
}

bool has(Node& node, const Request& request) {
  const auto session = node.database().sessions().find(request.connection);
  return session != node.database().sessions().end() &&
         session->second.advisory.contains(parameter(request, 0).bytes());
}

NodeAnswer unlock_says_yes(Node& node, const Request& request) {
  NodeAnswer done = plain(node, request);
  if (is(request, "unlock-advisory") && !done.reply.is_error()) done.reply = truth("t");
  return done;
}

NodeAnswer is_not_counted(Node& node, const Request& request) {
  if (is(request, "try-advisory") && has(node, request)) return {truth("t")};
  return plain(node, request);
}

NodeAnswer excludes_its_own_session(Node& node, const Request& request) {
  if (is(request, "try-advisory") && has(node, request)) return {truth("f")};
  return plain(node, request);
}

NodeAnswer excludes_nobody(Node& node, const Request& request) {
  NodeAnswer done = plain(node, request);
  if (is(request, "try-advisory") && !done.reply.is_error()) done.reply = truth("t");
  return done;
}

NodeAnswer outlives_its_transaction(Node& node, const Request& request) {
  if (!is(request, "try-advisory-xact") || !in_transaction(node, request)) return plain(node, request);
  return instead(node, request, sql::try_advisory(parameter(request, 0)).command);
}

NodeAnswer needs_no_transaction(Node& node, const Request& request) {
  if (!is(request, "try-advisory-xact") || in_transaction(node, request)) return plain(node, request);
  return instead(node, request, sql::try_advisory(parameter(request, 0)).command);
}

NodeAnswer holds_only_what_the_session_has(Node& node, const Request& request) {
  NodeAnswer done = plain(node, request);
  if (is(request, "holds-advisory") && !done.reply.is_error() && !has(node, request)) done.reply = truth("f");
  return done;
}

NodeAnswer is_free_in_its_last_millisecond(Node& node, const Request& request) {
  return is(request, "take-row") ? later(node, request, 1) : plain(node, request);
}

NodeAnswer rolls_back_nothing(Node& node, const Request& request) {
  if (!is(request, "rollback")) return plain(node, request);
  NodeAnswer done = instead(node, request, sql::commit().command);
  done.reply = Reply::status("ROLLBACK");
  return done;
}

NodeAnswer commits_nothing(Node& node, const Request& request) {
  if (!is(request, "commit")) return plain(node, request);
  NodeAnswer done = instead(node, request, sql::rollback().command);
  done.reply = Reply::status("COMMIT");
  return done;
}

NodeAnswer waits_for_nobody(Node& node, const Request& request) {
  NodeAnswer done = plain(node, request);
  if (done.waits) return {Reply::nil()};
  return done;
}

NodeAnswer gives_anybodys(Node& node, const Request& request) {
  if (!is(request, "give-row")) return plain(node, request);
  const auto& rows = node.database().rows().leases;
  const auto row = rows.find(parameter(request, 0).bytes());
  if (row == rows.end()) return plain(node, request);
  return instead(node, request, sql::give_row(parameter(request, 0), row->second.owner).command);
}

NodeAnswer client_time_needs_more(Node& node, const Request& request) {
  if (!is(request, "take-row-client-time")) return plain(node, request);
  const Value earlier = Value::number(std::stoll(parameter(request, 2).bytes()) - 1);
  return instead(
      node, request,
      sql::take_row_client_time(parameter(request, 0), parameter(request, 1), earlier, parameter(request, 3)).command);
}

NodeAnswer numbers_stand_still(Node& node, const Request& request) {
  NodeAnswer done = plain(node, request);
  const bool number = is(request, "next-fence") && done.reply.kind() == Reply::Kind::array;
  if (number) done.reply = truth("1");
  return done;
}

constexpr std::array all{
    Mutant{"unlock-says-yes", "an unlock says whether the session had the lock", unlock_says_yes},
    Mutant{"is-not-counted", "a session's lock is free when it was unlocked as often as it was locked", is_not_counted},
    Mutant{"excludes-its-own-session", "a session gets a lock that it has", excludes_its_own_session},
    Mutant{"excludes-nobody", "no other session gets a lock that one has", excludes_nobody},
    Mutant{"outlives-its-transaction", "a transaction's lock ends with it", outlives_its_transaction},
    Mutant{"needs-no-transaction", "without a transaction its lock ends with the statement", needs_no_transaction},
    Mutant{"holds-only-what-the-session-has", "pg_locks has a transaction's locks, too",
           holds_only_what_the_session_has},
    Mutant{"forgets-ends", "the end of a connection frees what it has", plain, true},
    Mutant{"is-free-in-its-last-millisecond", "a row is free when its time is over, and no sooner",
           is_free_in_its_last_millisecond},
    Mutant{"rolls-back-nothing", "what is rolled back has not been", rolls_back_nothing},
    Mutant{"commits-nothing", "what is committed is there for all", commits_nothing},
    Mutant{"waits-for-nobody", "a row that another transaction has changed is waited for", waits_for_nobody},
    Mutant{"gives-anybodys", "a row is given back by its owner only", gives_anybodys},
    Mutant{"client-time-needs-more", "by the client's time a row is free at the very instant that it names",
           client_time_needs_more},
    Mutant{"numbers-stand-still", "numbers grow", numbers_stand_still},
};

}  // namespace

std::span<const Mutant> mutants() { return all; }

}  // namespace lockproof::conformance::postgres
