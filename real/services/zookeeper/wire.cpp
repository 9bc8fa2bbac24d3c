// SPDX-License-Identifier: Apache-2.0
#include "real/services/zookeeper/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "real/services/zookeeper/jute.hpp"

namespace lockproof::real {
namespace {

constexpr std::size_t length_bytes = 4, password_bytes = 16;
constexpr std::size_t longest_message = 1 << 20;  // jute.maxbuffer
constexpr std::int32_t number_of_news = -1, number_of_ping = -2, any_version = -1;
constexpr std::int32_t all_permissions = 31, ephemeral = 1, ephemeral_and_numbered = 3;

struct Kind {
  std::int32_t code;
  const char* verb;
};
constexpr Kind kinds[] = {{1, "CREATE"}, {2, "DELETE"}, {3, "EXISTS"}, {8, "CHILDREN"},
                          {9, "SYNC"},   {11, "PING"},  {-11, "CLOSE"}};

constexpr std::int32_t no_node = -101, node_exists = -110;
struct Refusal {
  std::int32_t code;
  const char* name;
};
constexpr Refusal refusals[] = {
    {-6, "UNIMPLEMENTED"}, {-8, "BADARGUMENTS"},     {no_node, "NONODE"},   {-108, "NOCHILDRENFOREPHEMERALS"},
    {-111, "NOTEMPTY"},    {-112, "SESSIONEXPIRED"}, {-118, "SESSIONMOVED"}};

std::string on_wire(const Value& name) { return "/" + name.bytes(); }
std::string off_wire(const std::string& path) { return path.starts_with('/') ? path.substr(1) : path; }

std::string_view body_of(std::string_view message) { return message.substr(std::min(length_bytes, message.size())); }

Reply refused(std::int32_t error) {
  const auto found = std::ranges::find(refusals, error, &Refusal::code);
  return Reply::error(found == std::end(refusals) ? fmt::format("ERROR {}", error) : found->name);
}

Reply no_reply_at_all() { return Reply::error("what came is no reply"); }

}  // namespace

std::string handshake(milliseconds timeout, const SessionKey& session) {
  JuteWriter body;
  body.number(0).long_number(0);  // the protocol's version; no change is known that the server must have
  body.number(static_cast<std::int32_t>(timeout.count())).long_number(session.id);
  body.text(session.password.empty() ? std::string(password_bytes, '\0') : session.password);
  return body.truth(false).message();  // not a server that only reads
}

std::optional<Welcome> welcome_in(std::string_view message) {
  JuteReader body(body_of(message));
  body.number();
  Welcome welcome;
  welcome.timeout = milliseconds(body.number());
  welcome.session.id = body.long_number();
  welcome.session.password = body.text();
  if (!body.complete()) return std::nullopt;
  return welcome;
}

std::string request_of(const Command& command, std::int32_t number) {
  const auto& words = command.args();
  const auto kind = std::ranges::find(kinds, command.verb(), &Kind::verb);
  if (kind == std::end(kinds)) return {};
  const bool pings = command.verb() == "PING";
  JuteWriter body;
  body.number(pings ? number_of_ping : number).number(kind->code);
  if (pings || command.verb() == "CLOSE") return body.message();
  if (words.size() < 3) return {};
  body.text(on_wire(words[2]));
  const bool has_more = words.size() > 3;
  if (command.verb() == "CREATE") {
    body.text("").number(1).number(all_permissions).text("world").text("anyone");
    body.number(has_more && words[3] == Value("ES") ? ephemeral_and_numbered : ephemeral);
  } else if (command.verb() == "DELETE") {
    body.number(any_version);
  } else if (command.verb() != "SYNC") {
    body.truth(command.verb() == "EXISTS" && has_more);
  }
  return body.message();
}

std::optional<ReplyHead> head_of(std::string_view message) {
  JuteReader body(body_of(message));
  ReplyHead head{};
  head.number = body.number();
  head.transaction = body.long_number();
  head.error = body.number();
  if (!body.complete()) return std::nullopt;
  return head;
}

/// The server lists names in no order.
Reply reply_in(std::string_view verb, std::string_view message) {
  const auto head = head_of(message);
  if (!head) return no_reply_at_all();
  const bool asks_whether = verb == "DELETE" || verb == "EXISTS";
  if (head->error == no_node && asks_whether) return Reply::integer(0);
  if (head->error == node_exists && verb == "CREATE") return Reply::nil();
  if (head->error != 0) return refused(head->error);
  if (verb != "CREATE" && verb != "CHILDREN") return Reply::integer(1);
  JuteReader body(body_of(message));
  body.number(), body.long_number(), body.number();
  if (verb == "CREATE") {
    const std::string path = body.text();
    return body.complete() ? Reply::bulk(off_wire(path)) : no_reply_at_all();
  }
  std::vector<std::string> names = body.texts();
  if (!body.complete()) return no_reply_at_all();
  std::ranges::sort(names);
  std::vector<Reply> items;
  for (std::string& name : names) items.push_back(Reply::bulk(std::move(name)));
  return Reply::array(std::move(items));
}

std::optional<std::string> told_in(std::string_view message) {
  const auto head = head_of(message);
  if (!head || head->number != number_of_news) return std::nullopt;
  JuteReader body(body_of(message));
  body.number(), body.long_number(), body.number();
  body.number(), body.number();  // what happened to the node, and how the session is
  const std::string path = body.text();
  if (!body.complete()) return std::nullopt;
  return off_wire(path);
}

/// A length that no message has is taken for the end of it all, which is then never complete.
std::size_t ZooKeeperFraming::size(std::string_view bytes) const {
  JuteReader reader(bytes);
  const std::int32_t length = reader.number();
  if (!reader.complete() || length < 0 || static_cast<std::size_t>(length) > longest_message) return 0;
  const std::size_t whole = length_bytes + static_cast<std::size_t>(length);
  return bytes.size() < whole ? 0 : whole;
}

/// A handshake begins with the protocol's version, 0, which is no request's number.
Command ZooKeeperFraming::request(std::string_view bytes) const {
  JuteReader body(body_of(bytes));
  std::vector<Value> words;
  const std::int32_t number = body.number();
  if (number == 0) {
    body.long_number();
    const std::int32_t timeout_ms = body.number();
    if (body.long_number() == 0 && body.complete()) words = {"CONNECT", Value(milliseconds(timeout_ms))};
    return Command(std::move(words));
  }
  const auto kind = std::ranges::find(kinds, body.number(), &Kind::code);
  if (kind == std::end(kinds) || !body.complete()) return Command(std::move(words));
  words.emplace_back(kind->verb);
  const std::string path = body.text();
  if (body.complete()) words.emplace_back(off_wire(path));
  return Command(std::move(words));
}

}  // namespace lockproof::real
