// SPDX-License-Identifier: Apache-2.0
#include "conformance/zookeeper/mutants.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace lockproof::conformance::zookeeper {
namespace {

using sim::NodeAnswer;
using sim::Request;
using sim::zookeeper::Server;

bool is(const Request& request, std::string_view verb) { return request.command.verb() == verb; }
NodeAnswer plain(Server& server, const Request& request) { return server.execute(request); }
NodeAnswer instead(Server& server, const Request& request, std::vector<Value> words) {
  return server.execute({request.connection, Command(std::move(words)), request.at, request.client});
}

NodeAnswer says_yes_to(Server& server, const Request& request, std::string_view verb) {
  NodeAnswer done = plain(server, request);
  if (is(request, verb) && !done.reply.is_error()) done.reply = Reply::integer(1);
  return done;
}
NodeAnswer deletes_what_is_not_there(Server& server, const Request& request) {
  return says_yes_to(server, request, "DELETE");
}
NodeAnswer sees_what_is_not_there(Server& server, const Request& request) {
  return says_yes_to(server, request, "EXISTS");
}

NodeAnswer leaves_no_watch(Server& server, const Request& request) {
  if (!is(request, "EXISTS")) return plain(server, request);
  return instead(server, request, {request.command.args()[0], request.command.args()[1], request.command.args()[2]});
}

NodeAnswer watches_without_being_asked(Server& server, const Request& request) {
  if (!is(request, "EXISTS")) return plain(server, request);
  auto words = request.command.args();
  if (words.size() < 4) words.emplace_back("W");
  return instead(server, request, std::move(words));
}

NodeAnswer tells_nobody(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  done.pushes.clear();
  return done;
}

NodeAnswer tells_twice(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  const auto pushes = done.pushes;
  done.pushes.insert(done.pushes.end(), pushes.begin(), pushes.end());
  return done;
}

NodeAnswer grants_what_is_asked(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (!is(request, "CONNECT")) return done;
  const Reply asked = Reply::integer(std::stoll(request.command.args()[1].bytes()));
  done.reply = Reply::array({done.reply.items()[0], asked});
  return done;
}

/// As if it counted the nodes that are there.
NodeAnswer counts_anew(Server& server, const Request& request) {
  const auto nodes = static_cast<std::int64_t>(server.tree().nodes().size());
  const std::int64_t made = server.tree().made();
  const auto& words = request.command.args();
  NodeAnswer done = plain(server, request);
  if (!is(request, "CREATE") || words.size() < 4 || words[3] != Value("ES") || made == nodes) return done;
  if (done.reply.kind() != Reply::Kind::bulk) return done;
  std::string name = done.reply.value().bytes();
  name.back() = static_cast<char>('0' + nodes % 10);
  done.reply = Reply::bulk(Value(std::move(name)));
  return done;
}

NodeAnswer makes_it_twice(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (is(request, "CREATE") && done.reply.is_nil()) done.reply = Reply::bulk(request.command.args()[2]);
  return done;
}

NodeAnswer needs_no_parent(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (is(request, "CREATE") && done.reply.is_error()) done.reply = Reply::bulk(request.command.args()[2]);
  return done;
}

NodeAnswer lists_by_whole_name(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (!is(request, "CHILDREN") || done.reply.kind() != Reply::Kind::array) return done;
  std::vector<Reply> whole;
  for (const Reply& name : done.reply.items()) {
    whole.push_back(Reply::bulk(Value(request.command.args()[2].bytes() + "/" + name.value().bytes())));
  }
  done.reply = Reply::array(std::move(whole));
  return done;
}

NodeAnswer closes_nothing(Server& server, const Request& request) {
  if (!is(request, "CLOSE")) return plain(server, request);
  return instead(server, request, {"PING", request.command.args()[1]});
}

NodeAnswer keeps_connections(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (!is(request, "CLOSE")) done.closes.clear();
  return done;
}

NodeAnswer keeps_the_connection(Server& server, const Request& request) {
  NodeAnswer done = plain(server, request);
  if (is(request, "CLOSE")) done.closes.clear();
  return done;
}

/// It looks like a request that has not come.
NodeAnswer ping_keeps_nothing(Server& server, const Request& request) {
  if (!is(request, "PING")) return plain(server, request);
  sim::ServerTime never = request.at;
  never.mono_us = 0;
  return server.execute({request.connection, request.command, never, request.client});
}

constexpr std::array wrong_rules{
    Mutant{"deletes-what-is-not-there", "a deletion says whether there was such a node", deletes_what_is_not_there},
    Mutant{"sees-what-is-not-there", "EXISTS says whether there is such a node", sees_what_is_not_there},
    Mutant{"leaves-no-watch", "EXISTS leaves a watch", leaves_no_watch},
    Mutant{"watches-without-being-asked", "EXISTS leaves a watch only if it is asked to", watches_without_being_asked},
    Mutant{"tells-nobody", "whoever watches a node is told of its change", tells_nobody},
    Mutant{"tells-twice", "a watch tells once", tells_twice},
    Mutant{"tells-nobody-of-the-end", "the end of a session is told to those who watch its nodes", plain, false, 0,
           true},
    Mutant{"grants-what-is-asked", "a time-out is between two ticks and twenty", grants_what_is_asked},
    Mutant{"counts-anew", "a node's number is that of the nodes that were made before", counts_anew},
    Mutant{"makes-it-twice", "a node of one name is not made twice", makes_it_twice},
    Mutant{"needs-no-parent", "no node is made under one that is not there", needs_no_parent},
    Mutant{"lists-by-whole-name", "children are listed without their parent's name", lists_by_whole_name},
    Mutant{"closes-nothing", "a session that is closed ends at once", closes_nothing},
    Mutant{"ping-keeps-nothing", "a ping keeps its session", ping_keeps_nothing},
    Mutant{"keeps-connections", "a session that goes on elsewhere ends the connection before", keeps_connections},
    Mutant{"keeps-the-connection", "a connection ends with its session", keeps_the_connection},
    Mutant{"keeps-watches", "a watch goes with its connection", plain, true},
    Mutant{"ends-later", "a session ends at the first tick after its time-out", plain, false, 1},
    Mutant{"ends-sooner", "a session ends at no tick before its time-out is over", plain, false, -1},
};

}  // namespace

std::span<const Mutant> mutants() { return wrong_rules; }

}  // namespace lockproof::conformance::zookeeper
