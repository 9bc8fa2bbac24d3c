// SPDX-License-Identifier: Apache-2.0
#include "real/services/etcd/wire.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "real/services/etcd/http.hpp"

namespace lockproof::real {
namespace {

using Json = nlohmann::json;
using Words = std::vector<Value>;

constexpr std::string_view base64_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view gateway_ok = "200", no_such_lease = "etcdserver: requested lease not found";

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    const std::size_t count = std::min<std::size_t>(bytes.size() - at, 3);
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i) text += i <= count ? base64_letters[three >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

/// It ends at the first letter that is none of them.
std::string from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t held = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t value = base64_letters.find(c);
    if (value == std::string_view::npos) break;
    held = held << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xff);
  }
  return bytes;
}

std::int64_t decimal(std::string_view digits) {
  std::int64_t n = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return n;
}

/// What stands under these names, one inside the other; null: it is left out, or it is none.
const Json& json_at(const Json& in, std::initializer_list<const char*> names) {
  static const Json none;
  const Json* found = &in;
  for (const char* const name : names) {
    if (!found->is_object() || !found->contains(name)) return none;
    found = &(*found)[name];
  }
  return *found;
}
const Json& front_of(const Json& list) {
  static const Json none;
  return list.is_array() && !list.empty() ? list.front() : none;
}
std::string json_text(const Json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }
std::int64_t json_number(const Json& value) { return decimal(json_text(value)); }
bool json_true(const Json& value) { return value.is_boolean() && value.get<bool>(); }

/// What an answer or a watch tells; streams have it one level deeper.
Json content_of(std::string_view message) {
  const Json whole = Json::parse(http_body(message), nullptr, false);
  const Json& streamed = json_at(whole, {"result"});
  return streamed.is_null() ? whole : streamed;
}

/// The first key behind all that begin so.
std::string end_of(std::string prefix) {
  if (!prefix.empty()) ++prefix.back();
  return prefix;
}
Json one_of(const std::string& prefix, const char* order) {
  return {{"key", to_base64(prefix)},
          {"range_end", to_base64(end_of(prefix))},
          {"sort_target", "CREATE"},
          {"sort_order", order},
          {"limit", "1"}};
}
Json created_at(const std::string& key, const std::string& revision) {
  return Json::array({{{"key", to_base64(key)}, {"target", "CREATE"}, {"create_revision", revision}}});
}

using ReplyWriter = Json (*)(const Words& words);
struct GatewayKind {
  const char* verb;
  std::size_t words;
  const char* path;
  ReplyWriter written;
};

Json lease_grant(const Words& w) { return {{"TTL", w[1].bytes()}}; }
Json with_lease(const Words& w) { return {{"ID", w[1].bytes()}}; }
Json with_key(const Words& w) { return {{"key", to_base64(w[1].bytes())}}; }
Json last_before(const Words& w) {
  Json range = one_of(w[1].bytes(), "DESCEND");
  range["max_create_revision"] = std::to_string(decimal(w[2].bytes()) - 1);
  return range;
}
Json put_if_absent(const Words& w) {
  const Json put = {{"request_put", {{"key", to_base64(w[1].bytes())}, {"lease", w[2].bytes()}}}};
  const Json get = {{"request_range", with_key(w)}};
  const Json come_first = {{"request_range", one_of(w[3].bytes(), "ASCEND")}};
  return {{"compare", created_at(w[1].bytes(), "0")},
          {"success", Json::array({put, come_first})},
          {"failure", Json::array({get, come_first})}};
}
Json delete_if(const Words& w) {
  return {{"compare", created_at(w[1].bytes(), w[2].bytes())},
          {"success", Json::array({{{"request_delete_range", with_key(w)}}})}};
}
Json watch_from(const Words& w) {
  return {{"create_request",
           {{"key", to_base64(w[1].bytes())},
            {"start_revision", std::to_string(decimal(w[2].bytes()) + 1)},
            {"filters", Json::array({"NOPUT"})}}}};
}

constexpr std::array gateway_kinds{
    GatewayKind{"LEASE-GRANT", 2, "/v3/lease/grant", lease_grant},
    GatewayKind{"LEASE-KEEPALIVE", 2, "/v3/lease/keepalive", with_lease},
    GatewayKind{"LEASE-REVOKE", 2, "/v3/lease/revoke", with_lease},
    GatewayKind{"LAST-BEFORE", 3, "/v3/kv/range", last_before},
    GatewayKind{"GET", 2, "/v3/kv/range", with_key},
    GatewayKind{"DELETE", 2, "/v3/kv/deleterange", with_key},
    GatewayKind{"PUT-IF-ABSENT", 4, "/v3/kv/txn", put_if_absent},
    GatewayKind{"DELETE-IF", 3, "/v3/kv/txn", delete_if},
    GatewayKind{"WATCH", 3, "/v3/watch", watch_from},
};

Reply answer_to_range(const Json& answer, const Json& keys) {
  const Json& key = front_of(keys);
  if (key.is_null()) return Reply::nil();
  return Reply::array({Reply::bulk(from_base64(json_text(json_at(key, {"key"})))),
                       Reply::integer(json_number(json_at(key, {"create_revision"}))),
                       Reply::integer(json_number(json_at(answer, {"header", "revision"})))});
}

Reply answer_to_put(const Json& answer) {
  const bool done = json_true(json_at(answer, {"succeeded"}));
  const Json& parts = json_at(answer, {"responses"});
  if (!parts.is_array() || parts.size() != 2) return Reply::error("what came is no answer to a transaction");
  const auto created = [](const Json& range) {
    return json_number(json_at(front_of(json_at(range, {"response_range", "kvs"})), {"create_revision"}));
  };
  const std::int64_t now = json_number(json_at(answer, {"header", "revision"}));
  return Reply::array({Reply::integer(done), Reply::integer(done ? now : created(parts[0])),
                       Reply::integer(created(parts[1])), Reply::integer(now)});
}

bool begins_a_watch(std::string_view chunk) { return chunk.find("\"created\":true") != std::string_view::npos; }

}  // namespace

std::size_t EtcdCodec::size(std::string_view bytes) const { return http_size(bytes, begins_a_watch); }

bool EtcdCodec::is_news(std::string_view bytes) const { return is_http_chunk(bytes); }

std::string EtcdCodec::encode(const Command& command) const {
  const auto kind = std::ranges::find(gateway_kinds, command.verb(), &GatewayKind::verb);
  if (kind == gateway_kinds.end() || command.args().size() != kind->words) return {};
  return http_post(kind->path, kind->written(command.args()).dump());
}

Command EtcdCodec::request(std::string_view bytes) const {
  const Json body = Json::parse(http_body(bytes), nullptr, false);
  const auto is_it = [&](const GatewayKind& kind) {
    if (http_target(bytes) != kind.path) return false;
    const std::string_view verb = kind.verb;
    if (verb == "LAST-BEFORE") return !json_at(body, {"max_create_revision"}).is_null();
    if (verb == "PUT-IF-ABSENT") return !json_at(body, {"failure"}).is_null();
    return true;
  };
  const auto kind = std::ranges::find_if(gateway_kinds, is_it);
  if (kind == gateway_kinds.end()) return Command(std::vector<Value>{});
  std::vector<Value> words{kind->verb};
  const Json& compared = front_of(json_at(body, {"compare"}));
  const Json& watched = json_at(body, {"create_request"});
  for (const Json* const in : {&body, &compared, &watched}) {
    if (const Json& key = json_at(*in, {"key"}); !key.is_null()) words.emplace_back(from_base64(json_text(key)));
  }
  for (const char* const name : {"ID", "TTL"}) {
    if (const Json& n = json_at(body, {name}); !n.is_null()) words.emplace_back(json_text(n));
  }
  return Command(std::move(words));
}

Reply EtcdCodec::reply(const Command& to, std::string_view bytes) const {
  const Json answer = content_of(bytes);
  if (!answer.is_object()) return Reply::error("what came is no answer");
  if (http_target(bytes) != gateway_ok || answer.contains("error")) {
    const std::string why = json_text(json_at(answer, {"error"}));
    return Reply::error(why == no_such_lease ? "NOLEASE" : why);
  }
  const std::string_view verb = to.verb();
  if (verb == "LEASE-GRANT") {
    return Reply::array(
        {Reply::integer(json_number(json_at(answer, {"ID"}))), Reply::integer(json_number(json_at(answer, {"TTL"})))});
  }
  if (verb == "LEASE-KEEPALIVE") return Reply::integer(json_number(json_at(answer, {"TTL"})));
  if (verb == "GET" || verb == "LAST-BEFORE") return answer_to_range(answer, json_at(answer, {"kvs"}));
  if (verb == "PUT-IF-ABSENT") return answer_to_put(answer);
  if (verb == "DELETE") return Reply::integer(json_number(json_at(answer, {"deleted"})));
  if (verb == "DELETE-IF") return Reply::integer(json_true(json_at(answer, {"succeeded"})));
  return Reply::integer(1);
}

std::int64_t revision_in(std::string_view answer) {
  return json_number(json_at(content_of(answer), {"header", "revision"}));
}

std::vector<KeyChange> changes_in(std::string_view news) {
  std::vector<KeyChange> changes;
  const Json told = content_of(news);
  const Json& events = json_at(told, {"events"});
  if (!events.is_array()) return changes;
  for (const Json& event : events) {
    changes.push_back(
        {from_base64(json_text(json_at(event, {"kv", "key"}))), json_text(json_at(event, {"type"})) == "DELETE",
         json_number(json_at(event, {"kv", "mod_revision"})), json_number(json_at(event, {"kv", "lease"}))});
  }
  return changes;
}

/// The key of one zero byte, to the end of all: etcd's form of "every key".
std::string watch_of_all_keys(std::int64_t from) {
  const std::string zero = to_base64(std::string_view("\0", 1));
  const Json body = {
      {"create_request", {{"key", zero}, {"range_end", zero}, {"start_revision", std::to_string(from)}}}};
  return http_post("/v3/watch", body.dump());
}

}  // namespace lockproof::real
