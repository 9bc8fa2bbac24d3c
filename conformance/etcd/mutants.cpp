// SPDX-License-Identifier: Apache-2.0
#include "conformance/etcd/mutants.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace lockproof::conformance::etcd {
namespace {

using sim::NodeAnswer;
using sim::Request;
using sim::etcd::Server;

bool is(const Request& request, std::string_view verb) { return request.command.verb() == verb; }
NodeAnswer plain(Server& server, const Request& request) { return server.execute(request); }
NodeAnswer instead(Server& server, const Request& request, std::vector<Value> words) {
  return server.execute({request.connection, Command(std::move(words)), request.at, request.client});
}
/// The answer with another number in this place of its list.
NodeAnswer with_number(NodeAnswer done, std::size_t place, std::int64_t number) {
  if (done.reply.kind() != Reply::Kind::array) return done;
  std::vector<Reply> items = done.reply.items();
  items.at(place) = Reply::integer(number);
  done.reply = Reply::array(std::move(items));
  return done;
}

NodeAnswer grants_what_is_asked(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (!is(request, "LEASE-GRANT")) return done;
  return with_number(std::move(done), 1, std::stoll(request.command.args()[1].bytes()));
}
NodeAnswer keeps_nothing_alive(Server& server, const Request& request) {
  if (!is(request, "LEASE-KEEPALIVE")) return plain(server, request);
  const auto& leases = server.keyspace().leases();
  const auto lease = leases.find(std::stoll(request.command.args()[1].bytes()));
  NodeAnswer done{Reply::integer(lease == leases.end() ? 0 : lease->second.ttl_s)};
  return done;
}
NodeAnswer refuses_to_keep_none(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (is(request, "LEASE-KEEPALIVE") && done.reply.is_integer(0)) done.reply = Reply::error("NOLEASE");
  return done;
}
NodeAnswer revokes_nothing(Server& server, const Request& request) {
  if (!is(request, "LEASE-REVOKE")) return plain(server, request);
  return NodeAnswer{Reply::integer(1)};
}
/// As if each key were deleted by itself.
NodeAnswer revokes_one_by_one(Server& server, const Request& request) {
  if (!is(request, "LEASE-REVOKE")) return plain(server, request);
  const std::string lease = request.command.args()[1].bytes();
  const auto keys = server.keyspace().keys();
  for (const auto& [name, key] : keys) {
    if (std::to_string(key.lease) == lease) (void)instead(server, request, {"DELETE", Value(name)});
  }
  return plain(server, request);
}
NodeAnswer takes_any_lease(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (!is(request, "PUT-IF-ABSENT") || !done.reply.is_error()) return done;
  const auto& words = request.command.args();
  return instead(server, request, {words[0], words[1], "0", words[3]});
}
NodeAnswer puts_over(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  return is(request, "PUT-IF-ABSENT") ? with_number(std::move(done), 0, 1) : done;
}
NodeAnswer comes_first_itself(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (!is(request, "PUT-IF-ABSENT") || done.reply.is_error()) return done;
  return with_number(done, 2, done.reply.items()[1].integer());
}
NodeAnswer counts_looks(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (!is(request, "GET") || done.reply.kind() != Reply::Kind::array) return done;
  return with_number(done, 2, done.reply.items()[2].integer() + 1);
}
NodeAnswer deletes_what_is_not_there(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (is(request, "DELETE")) done.reply = Reply::integer(1);
  return done;
}
NodeAnswer deletes_any(Server& server, const Request& request) {
  if (!is(request, "DELETE-IF")) return plain(server, request);
  return instead(server, request, {"DELETE", request.command.args()[1]});
}
/// The key that was created at the revision itself, too.
NodeAnswer is_before_itself(Server& server, const Request& request) {
  if (!is(request, "LAST-BEFORE")) return plain(server, request);
  const auto& words = request.command.args();
  return instead(server, request, {words[0], words[1], Value::number(std::stoll(words[2].bytes()) + 1)});
}
NodeAnswer finds_the_first(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (!is(request, "LAST-BEFORE") || done.reply.is_nil()) return done;
  const auto first = server.keyspace().first(request.command.args()[1].bytes());
  return with_number(std::move(done), 1, first->second.created);
}
NodeAnswer tells_nobody(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  done.pushes.clear();
  return done;
}
NodeAnswer forgets_the_past(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (is(request, "WATCH")) done.pushes.clear();
  return done;
}
NodeAnswer tells_of_what_was(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  const Reply told = Reply::array({Reply::bulk("event"), Reply::bulk(request.command.args()[1])});
  if (is(request, "WATCH") && done.pushes.empty()) done.pushes.push_back({request.connection, told});
  return done;
}

constexpr std::array wrong_rules{
    Mutant{"grants-what-is-asked", "a lease is of two seconds at least", grants_what_is_asked},
    Mutant{"keeps-nothing-alive", "a lease that is kept alive has its whole time again", keeps_nothing_alive},
    Mutant{"refuses-to-keep-none", "a keep-alive of no lease is no error", refuses_to_keep_none},
    Mutant{"revokes-nothing", "a lease that is revoked takes its keys with it", revokes_nothing},
    Mutant{"revokes-one-by-one", "all keys of a lease go in one change", revokes_one_by_one},
    Mutant{"takes-any-lease", "no key is put with a lease that there is not", takes_any_lease},
    Mutant{"puts-over", "a key that is there is not put again", puts_over},
    Mutant{"comes-first-itself", "a put answers which key under the prefix was created first", comes_first_itself},
    Mutant{"counts-looks", "what changes nothing has no revision", counts_looks},
    Mutant{"deletes-what-is-not-there", "a deletion says whether there was such a key", deletes_what_is_not_there},
    Mutant{"deletes-any", "a transaction deletes a key only if it was created at that revision", deletes_any},
    Mutant{"is-before-itself", "before a revision is what was created earlier", is_before_itself},
    Mutant{"finds-the-first", "of the keys before a revision the last is found", finds_the_first},
    Mutant{"tells-nobody", "whoever watches a key is told that it is deleted", tells_nobody},
    Mutant{"forgets-the-past", "a watch tells what has happened since its revision", forgets_the_past},
    Mutant{"tells-of-what-was", "a watch tells nothing of a key that is still there", tells_of_what_was},
    Mutant{"tells-nobody-of-the-end", "the end of a lease is told to those who watch its keys", plain, false, {}, true},
    Mutant{"forgets-ends", "a watch goes with its connection", plain, true},
    Mutant{"ends-later", "a lease ends half a second after its time", plain, false, milliseconds(1500)},
    Mutant{"ends-sooner", "a lease does not end before its time", plain, false, milliseconds(-1500)},
    Mutant{"restarts-at-once", "a restart gives each lease its whole time again", plain, false, {}, false, true},
};

}  // namespace

std::span<const Mutant> mutants() { return wrong_rules; }

}  // namespace lockproof::conformance::etcd
