// SPDX-License-Identifier: Apache-2.0
#include "harness/history/jsonl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "algorithms/scripts.hpp"
#include "algorithms/statements.hpp"
#include "harness/scenario/faults/fault_words.hpp"
#include "harness/version.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<HostKind, const char*> host_kinds[] = {
    {HostKind::client, "client"}, {HostKind::server, "server"}, {HostKind::resource, "resource"}};
constexpr Error errors[] = {Error::no_reply, Error::not_sent, Error::refused, Error::unsupported};

/// The greatest depth of nested replies; replies to the commands that locks send to Redis are two deep.
constexpr int depth_most = 32;

/// The library would truncate numbers that do not fit, and fractions.
template <std::integral Number>
Number whole(const Json& j) {
  const bool fits = j.is_number_unsigned()  ? std::in_range<Number>(j.get<std::uint64_t>())
                    : j.is_number_integer() ? std::in_range<Number>(j.get<std::int64_t>())
                                            : false;
  if (fits) return j.get<Number>();
  using Limits = std::numeric_limits<Number>;
  throw BadHistory(fmt::format("{} is no whole number from {} to {}", j.is_number() ? j.dump() : j.type_name(),
                               Limits::min(), Limits::max()));
}

Json value_to_json(const Value& v) {
  switch (v.mark()) {
    case Value::Mark::token: return {{"token", v.bytes()}};
    case Value::Mark::stamp: return {{"stamp", v.bytes()}};
    case Value::Mark::text: break;
  }
  return v.bytes();
}

Value value_from(const Json& j) {
  if (j.is_string()) return Value(j.get<std::string>());
  if (j.contains("token")) return Value(j.at("token").get<std::string>(), Value::Mark::token);
  return Value(j.at("stamp").get<std::string>(), Value::Mark::stamp);
}

/// A script's text is left out: its name says which file it is.
Json command_to_json(const Command& c) {
  Json words = Json::array();
  for (std::size_t i = 0; i < c.args().size(); ++i) {
    if (i == 1 && !c.script().empty()) {
      words.push_back({{"script", c.script()}});
    } else {
      words.push_back(value_to_json(c.args()[i]));
    }
  }
  return words;
}

const Script* script_named(const std::string& name) {
  const auto script = std::ranges::find(scripts::all, name, &Script::name);
  if (script != std::end(scripts::all)) return script;
  const auto statement = std::ranges::find(statements::all, name, &Script::name);
  if (statement != std::end(statements::all)) return statement;
  throw BadHistory(fmt::format("no script or statement is named '{}'", name));
}

Command command_from(const Json& j) {
  const Script* script = nullptr;
  std::vector<Value> words;
  for (const Json& word : j) {
    if (word.is_object() && word.contains("script")) {
      const auto name = word.at("script").get<std::string>();
      script = script_named(name);
      words.emplace_back(std::string(script->text));
    } else {
      words.push_back(value_from(word));
    }
  }
  return script ? Command(*script, std::move(words)) : Command(std::move(words));
}

Json reply_to_json(const Reply& r) {
  switch (r.kind()) {
    case Reply::Kind::nil: return {{"nil", true}};
    case Reply::Kind::integer: return r.integer();
    case Reply::Kind::status: return {{"status", r.value().bytes()}};
    case Reply::Kind::bulk: return {{"bulk", value_to_json(r.value())}};
    case Reply::Kind::error: return {{"error", r.value().bytes()}};
    case Reply::Kind::array: break;
  }
  Json items = Json::array();
  for (const Reply& item : r.items()) items.push_back(reply_to_json(item));
  return items;
}

Reply reply_from(const Json& j, int depth = 1) {
  if (j.is_number()) return Reply::integer(whole<std::int64_t>(j));
  if (j.is_array()) {
    if (depth > depth_most) throw BadHistory(fmt::format("a reply is more than {} arrays deep", depth_most));
    std::vector<Reply> items;
    for (const Json& item : j) items.push_back(reply_from(item, depth + 1));
    return Reply::array(std::move(items));
  }
  if (j.contains("nil")) return Reply::nil();
  if (j.contains("status")) return Reply::status(j.at("status").get<std::string>());
  if (j.contains("error")) return Reply::error(j.at("error").get<std::string>());
  return Reply::bulk(value_from(j.at("bulk")));
}

Json effect_to_json(const Effect& e) {
  Json j{{"change", std::string(name(e.change))}, {"event", e.event}, {"key", e.key}};
  if (e.ttl) j["ttl_ms"] = e.ttl->count();
  return j;
}

Effect effect_from(const Json& j) {
  const auto word = j.at("change").get<std::string>();
  const std::optional<Change> change = change_named(word);
  if (!change) throw BadHistory(fmt::format("no change of a key is named '{}'", word));
  Effect e{*change, j.at("event").get<std::string>(), j.at("key").get<std::string>(), std::nullopt};
  if (j.contains("ttl_ms")) e.ttl = milliseconds(whole<std::int64_t>(j.at("ttl_ms")));
  return e;
}

std::string host_name(const Header& header, HostIndex i) { return header.hosts.at(static_cast<std::size_t>(i)).name; }

HostIndex host_from(const Header& header, const Json& j) {
  const auto name = j.get<std::string>();
  const auto found = std::ranges::find(header.hosts, name, &Host::name);
  if (found == header.hosts.end()) throw BadHistory(fmt::format("no host is named '{}'", name));
  return static_cast<HostIndex>(found - header.hosts.begin());
}

Json to_json(const Event& e, const Header& header) {
  Json j{{"what", std::string(name(e.what))}};
  if (e.host != no_host) j["host"] = host_name(header, e.host);
  j["at"] = e.at.count();
  if (e.host != no_host) {
    j["wall"] = e.clocks.wall_ms;
    j["mono"] = e.clocks.mono_us;
    j["boot"] = e.clocks.boot_us;
  }
  if (e.round) j["round"] = e.round;
  if (e.attempt) j["attempt"] = e.attempt;
  if (e.peer != no_host) j["peer"] = host_name(header, e.peer);
  if (e.message) j["message"] = e.message;
  if (e.fault) j["fault"] = e.fault;
  if (e.command) j["command"] = command_to_json(*e.command);
  if (e.reply) j["reply"] = reply_to_json(*e.reply);
  if (e.error) j["error"] = std::string(name(*e.error));
  for (const Effect& effect : e.effects) j["effects"].push_back(effect_to_json(effect));
  if (e.token) j["token"] = value_to_json(*e.token);
  if (e.fence) j["fence"] = *e.fence;
  if (e.left) j["left"] = {{"us", e.left->time.count()}, {"clock", e.left->clock}};
  if (e.value) j["value"] = *e.value;
  if (e.others) j["others"] = *e.others;
  if (!e.word.empty()) j["word"] = e.word;
  if (!e.lock.empty()) j["lock"] = e.lock;
  return j;
}

template <class T>
void take(const Json& j, const char* key, T& into) {
  const auto found = j.find(key);
  if (found == j.end()) return;
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    into = whole<T>(*found);
  } else {
    into = found->get<T>();
  }
}

Event event_from_json(const Json& j, const Header& header) {
  const auto word = j.at("what").get<std::string>();
  const std::optional<What> what = what_named(word);
  if (!what) throw BadHistory(fmt::format("no event is named '{}'", word));
  Event e{.what = *what};
  e.at = Duration(whole<std::int64_t>(j.at("at")));
  if (j.contains("host")) e.host = host_from(header, j.at("host"));
  take(j, "wall", e.clocks.wall_ms);
  take(j, "mono", e.clocks.mono_us);
  take(j, "boot", e.clocks.boot_us);
  take(j, "round", e.round);
  take(j, "attempt", e.attempt);
  if (j.contains("peer")) e.peer = host_from(header, j.at("peer"));
  take(j, "message", e.message);
  take(j, "fault", e.fault);
  if (j.contains("command")) e.command = command_from(j.at("command"));
  if (j.contains("reply")) e.reply = reply_from(j.at("reply"));
  if (j.contains("error")) {
    const auto text = j.at("error").get<std::string>();
    const auto found = std::ranges::find_if(errors, [&](Error known) { return name(known) == text; });
    if (found == std::end(errors)) throw BadHistory(fmt::format("no error is named '{}'", text));
    e.error = *found;
  }
  if (j.contains("effects")) {
    for (const Json& effect : j.at("effects")) e.effects.push_back(effect_from(effect));
  }
  if (j.contains("token")) e.token = value_from(j.at("token"));
  if (j.contains("fence")) e.fence = whole<std::int64_t>(j.at("fence"));
  if (j.contains("left")) {
    e.left =
        TimeLeft{Duration(whole<std::int64_t>(j.at("left").at("us"))), j.at("left").at("clock").get<std::string>()};
  }
  if (j.contains("value")) e.value = whole<std::int64_t>(j.at("value"));
  if (j.contains("others")) e.others = whole<int>(j.at("others"));
  take(j, "word", e.word);
  take(j, "lock", e.lock);
  return e;
}

Json parse_line(std::string_view line) {
  try {
    return Json::parse(line);
  } catch (const Json::parse_error& e) {
    throw BadHistory(fmt::format("this is no JSON, from its byte {} on", e.byte));
  }
}

Header header_from(const Json& j) {
  if (!j.contains("lockproof_history")) throw BadHistory("this is no lockproof history");
  const int version = whole<int>(j.at("lockproof_history"));
  if (version != history_version) {
    throw BadHistory(fmt::format("history version {}, but this program reads version {}", version, history_version));
  }
  Header h;
  take(j, "world", h.world);
  take(j, "scenario", h.scenario);
  take(j, "scenario_file", h.scenario_file);
  take(j, "scenario_text", h.scenario_text);
  take(j, "seed", h.seed);
  take(j, "speedup", h.speedup);
  if (j.contains("late_us")) h.late_us = whole<std::int64_t>(j.at("late_us"));
  take(j, "node_stamps", h.node_stamps);
  take(j, "sees_servers", h.sees_servers);
  take(j, "permits", h.permits);
  for (const Json& host : j.at("hosts")) {
    const auto word = host.at("kind").get<std::string>();
    const auto kind = std::ranges::find_if(host_kinds, [&](const auto& known) { return word == known.second; });
    if (kind == std::end(host_kinds)) throw BadHistory(fmt::format("no kind of host is named '{}'", word));
    h.hosts.push_back({host.at("name").get<std::string>(), kind->first});
  }
  return h;
}

Json to_json(const Header& h) {
  Json hosts = Json::array();
  for (const Host& host : h.hosts) {
    const auto kind = std::ranges::find_if(host_kinds, [&](const auto& known) { return host.kind == known.first; });
    hosts.push_back({{"name", host.name}, {"kind", kind->second}});
  }
  Json j{{"lockproof_history", history_version},
         {"lockproof", program_version},
         {"world", h.world},
         {"scenario", h.scenario},
         {"scenario_file", h.scenario_file},
         {"scenario_text", h.scenario_text},
         {"seed", h.seed},
         {"speedup", h.speedup}};
  if (h.late_us) j["late_us"] = *h.late_us;
  j["node_stamps"] = h.node_stamps;
  if (!h.sees_servers) j["sees_servers"] = false;
  if (h.permits != 1) j["permits"] = h.permits;
  j["hosts"] = hosts;
  return j;
}

Json to_json(const FaultRow& row) {
  Json j{{"action", name(row.action)}, {"mark", row.words.mark}};
  if (!row.words.meanwhile.empty()) j["meanwhile"] = row.words.meanwhile;
  if (row.clocks != FaultRow::Clocks::none) j["clocks"] = name(row.clocks);
  return j;
}

std::string dumped(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string to_line(const Header& header) { return dumped(to_json(header)); }

std::string words_of_faults() {
  Json all = Json::object();
  for (const FaultRow& row : fault_table()) all[std::string(row.name)] = to_json(row);
  return dumped(all);
}

std::string to_line(const Event& event, const Header& header) { return dumped(to_json(event, header)); }

std::string to_jsonl(const History& history) {
  Json header = to_json(history.header);
  for (const Event& event : history.events) {
    if (event.what != What::strike) continue;
    if (const FaultRow* const row = row_named(event.word)) header["faults"][event.word] = to_json(*row);
  }
  std::string text = dumped(header) + "\n";
  for (const Event& event : history.events) text += to_line(event, history.header) + "\n";
  return text;
}

Event event_from(std::string_view line, const Header& header) {
  try {
    return event_from_json(parse_line(line), header);
  } catch (const Json::exception& e) {
    const std::string_view what = e.what();  // "[json.exception.out_of_range.403] key 'at' not found"
    throw BadHistory(std::string(what.substr(what.find("] ") == std::string_view::npos ? 0 : what.find("] ") + 2)));
  }
}

History from_jsonl(std::string_view text) {
  History history;
  int line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    try {
      if (line_number == 1) {
        history.header = header_from(parse_line(line));
      } else {
        history.events.push_back(event_from(line, history.header));
      }
    } catch (const std::exception& e) {
      throw BadHistory(fmt::format("line {}: {}", line_number, e.what()));
    }
  }
  if (line_number == 0) throw BadHistory("the file is empty");
  return history;
}

}  // namespace lockproof::harness
