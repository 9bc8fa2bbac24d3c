// SPDX-License-Identifier: Apache-2.0
#include "conformance/memcached/mutants.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace lockproof::conformance::memcached {
namespace {

using sim::ServerTime;
using sim::memcached::Node;
using Words = std::vector<Value>;

constexpr std::int64_t second_us = 1'000'000;
constexpr std::size_t ttl_of_store = 3, ttl_of_touch = 2;

Reply with(Node& node, Words words, const ServerTime& at) { return plain(node, Command(std::move(words)), at); }

bool is(const Command& command, std::string_view verb, std::size_t words) {
  return command.verb() == verb && command.args().size() == words;
}

/// Whether the item is there; null: it is not, by the model's own rules.
const sim::memcached::Item* item(Node& node, const Command& command, const ServerTime& at) {
  const Value& key = command.args()[1];
  if (plain(node, Command({"gets", key}), at).is_nil()) return nullptr;
  return &node.items().all().find(key.bytes())->second;
}

/// The same words with another time to live, if they have one that is positive.
Words with_ttl(const Command& command, std::int64_t more_s) {
  Words words = command.args();
  const bool stores = command.verb() == "add" || command.verb() == "set" || command.verb() == "cas";
  const std::size_t at = stores ? ttl_of_store : ttl_of_touch;
  if ((!stores && command.verb() != "touch") || words.size() <= at) return words;
  const std::string& ttl = words[at].bytes();
  const bool positive = !ttl.empty() && ttl != "0" && ttl.find_first_not_of("0123456789") == std::string::npos;
  if (positive && ttl.size() < 3) words[at] = Value::number(std::stoll(ttl) + more_s);
  return words;
}

Reply lives_a_second_longer(Node& node, const Command& command, const ServerTime& at) {
  return with(node, with_ttl(command, 1), at);
}

Reply lives_a_second_less(Node& node, const Command& command, const ServerTime& at) {
  Words words = with_ttl(command, -1);
  const bool stores = words.size() > ttl_of_store && command.args()[0] != Value("touch");
  const std::size_t place = stores ? ttl_of_store : ttl_of_touch;
  const bool became_nothing =
      words.size() > place && words[place] == Value("0") && command.args()[place] != words[place];
  if (became_nothing) words[place] = "-1";
  return with(node, std::move(words), at);
}

Reply negative_is_for_ever(Node& node, const Command& command, const ServerTime& at) {
  Words words = command.args();
  for (Value& word : words) {
    if (word == Value("-1")) word = "0";
  }
  return with(node, std::move(words), at);
}

Reply add_overwrites(Node& node, const Command& command, const ServerTime& at) {
  Words words = command.args();
  if (is(command, "add", 4)) words[0] = "set";
  return with(node, std::move(words), at);
}

Reply add_keeps_what_has_expired(Node& node, const Command& command, const ServerTime& at) {
  if (!is(command, "add", 4)) return plain(node, command, at);
  const auto found = node.items().all().find(command.args()[1].bytes());
  const bool there = found != node.items().all().end();
  return there ? Reply::status("NOT_STORED") : plain(node, command, at);
}

Reply cas_does_not_compare(Node& node, const Command& command, const ServerTime& at) {
  if (!is(command, "cas", 5)) return plain(node, command, at);
  const auto* const found = item(node, command, at);
  if (!found) return Reply::status("NOT_FOUND");
  Words words = command.args();
  words[4] = Value::number(found->unique);
  return with(node, std::move(words), at);
}

Reply touch_changes_the_number(Node& node, const Command& command, const ServerTime& at) {
  if (!is(command, "touch", 3)) return plain(node, command, at);
  const auto* const found = item(node, command, at);
  if (!found) return Reply::status("NOT_FOUND");
  (void)with(node, {"set", command.args()[1], found->value, command.args()[2]}, at);
  return Reply::status("TOUCHED");
}

Reply incr_drops_the_time(Node& node, const Command& command, const ServerTime& at) {
  const Reply reply = plain(node, command, at);
  if (is(command, "incr", 3) && !reply.is_error()) (void)with(node, {"touch", command.args()[1], "0"}, at);
  return reply;
}

Reply incr_keeps_the_number(Node& node, const Command& command, const ServerTime& at) {
  const Reply reply = plain(node, command, at);
  if (!is(command, "gets", 2) || reply.is_nil() || reply.is_error()) return reply;
  const bool counted = reply.items()[0].value().bytes().find_first_not_of("0123456789 ") == std::string::npos;
  return counted ? Reply::array(
                       {reply.items()[0], Reply::integer(std::max<std::int64_t>(1, reply.items()[1].integer() - 1))})
                 : reply;
}

Reply delete_says_yes(Node& node, const Command& command, const ServerTime& at) {
  const Reply reply = plain(node, command, at);
  return is(command, "delete", 2) && !reply.is_error() ? Reply::status("DELETED") : reply;
}

Reply a_date_is_a_time_to_live(Node& node, const Command& command, const ServerTime& at) {
  Words words = command.args();
  if (words.size() > ttl_of_store && words[ttl_of_store].bytes().size() > 6) words[ttl_of_store] = "2592000";
  return with(node, std::move(words), at);
}

Reply ticks_late(Node& node, const Command& command, const ServerTime& at) {
  const bool looks = command.verb() == "gets";
  return plain(node, command, {at.wall_ms, at.mono_us - (looks ? second_us : 0), at.now});
}

constexpr std::array all{
    Mutant{"lives-a-second-longer", "an item of e seconds is over at the e-th tick", lives_a_second_longer},
    Mutant{"lives-a-second-less", "an item of e seconds is over at the e-th tick, and no sooner", lives_a_second_less},
    Mutant{"ticks-late", "at its tick an item is over", ticks_late},
    Mutant{"negative-is-for-ever", "a negative time is over at once", negative_is_for_ever},
    Mutant{"date-is-a-time-to-live", "more than 30 days is a date", a_date_is_a_time_to_live},
    Mutant{"add-overwrites", "add stores only what is not there", add_overwrites},
    Mutant{"add-keeps-what-has-expired", "add stores where an item has expired", add_keeps_what_has_expired},
    Mutant{"cas-does-not-compare", "cas stores only over what is unchanged", cas_does_not_compare},
    Mutant{"touch-changes-the-number", "touch leaves an item's number", touch_changes_the_number},
    Mutant{"incr-drops-the-time", "incr leaves an item's time", incr_drops_the_time},
    Mutant{"incr-keeps-the-number", "incr changes an item's number", incr_keeps_the_number},
    Mutant{"delete-says-yes", "delete says whether there was an item", delete_says_yes},
};

}  // namespace

std::span<const Mutant> mutants() { return all; }

Reply plain(Node& node, const Command& command, const ServerTime& at) { return node.execute({1, command, at}).reply; }

}  // namespace lockproof::conformance::memcached
