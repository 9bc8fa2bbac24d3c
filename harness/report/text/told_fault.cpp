// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/told_fault.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "harness/report/text/fault_text.hpp"
#include "harness/scenario/faults/fault_words.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::harness {
namespace {

/// "its SET", "client-2's SET".
std::string command_of(const EventPlace& when) {
  const std::string whose = when.client.empty() ? "a client" : when.client;
  return fmt::format("{}'s {}", whose, when.verb);
}

std::string instant_of(const EventPlace& when) {
  const bool by_client = when.client.empty() && when.actor.starts_with("client-");
  switch (when.moment) {
    case EventPlace::Moment::enters: return "as it enters";
    case EventPlace::Moment::exits: return "as it leaves";
    case EventPlace::Moment::touches: return "as it turns to the resource";
    case EventPlace::Moment::before:
      if (when.verb == "acquire") return "before it asks for the lock";
      if (when.verb == "release") return "before it releases the lock";
      if (when.verb == "renew") return "before it renews its lease";
      if (when.verb == "enter") return "with the lock in hand, before it enters";
      if (when.verb == "exit") return "with its work done, before it leaves";
      return by_client ? fmt::format("before its {} leaves", when.verb)
                       : fmt::format("before it runs {}", command_of(when));
    case EventPlace::Moment::after:
      return by_client ? fmt::format("before it sees the answer to its {}", when.verb)
                       : fmt::format("after it has run {}", command_of(when));
  }
  return "";
}

/// Where the named host is the one that is struck, "it" will do; else its name is said.
std::string place_of(const Fault& fault) {
  if (fault.at) return *fault.at == Duration{} ? " from the start" : " at " + in_seconds(*fault.at);
  if (!fault.when) return "";
  std::string instant = instant_of(*fault.when);
  if (fault.when->actor != fault.target) {
    if (const auto it = instant.find("it "); it != std::string::npos && (it == 0 || instant[it - 1] == ' ')) {
      instant.replace(it, 2, fault.when->actor);
    }
  }
  const std::string again = fault.when->occurrence > 1 ? fmt::format(" (number {})", fault.when->occurrence) : "";
  if (fault.delay == Duration{}) return " " + instant + again;
  if (fault.delay <= milliseconds(1)) return " just " + instant + again;
  if (instant.starts_with("as ")) instant.replace(0, 2, "after");
  if (!instant.starts_with("after ")) instant = "after the moment " + instant;
  return fmt::format(" {} {}{}", in_seconds(fault.delay), instant, again);
}

std::string what_happens(const Fault& fault) {
  Amounts amounts{{"by", fault.by < Duration{} ? to_text(-fault.by) : in_seconds(fault.by)},
                  {"way", fault.by < Duration{} ? "back" : "forward"},
                  {"rate", percent_text(fault.rate_ppb)},
                  {"part", fault.reply ? "answer" : "request"},
                  {"connection", fault.same_connection ? "the same" : "a new"}};
  if (fault.lasts != Duration{}) amounts["time"] = in_seconds(fault.lasts);
  if (!fault.peer.empty()) amounts["peer"] = fault.peer;
  if (!fault.session.empty()) amounts["session"] = fault.session;
  if (fault.old_serves) amounts["serves"] = "";
  return fill(row_of(fault.kind).words.sentence, amounts);
}

}  // namespace

std::string told(const Fault& fault) {
  std::string text = fmt::format("{} {}{}", fault.target, what_happens(fault), place_of(fault));
  if (text.ends_with(",")) text.pop_back();
  return text;
}

std::string told(const std::vector<Fault>& faults) {
  if (faults.empty()) return "without any fault";
  std::string text;
  for (const Fault& fault : faults) text += (text.empty() ? "" : ", and ") + told(fault);
  return text;
}

std::string in_seconds(Duration d) {
  constexpr std::int64_t second = 1'000'000, millisecond = 1000;
  const bool short_one = d.count() > -second && d.count() < second;
  const std::int64_t unit = short_one ? millisecond : second;
  const std::int64_t size = d < Duration{} ? -d.count() : d.count();
  std::string text = fmt::format("{}{}", d < Duration{} ? "-" : "", size / unit);
  if (size % unit != 0) {
    text += fmt::format(".{:0{}}", size % unit, short_one ? 3 : 6);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + (short_one ? " ms" : " s");
}

std::string label(const Fault& fault) {
  std::string text(name(fault.kind));
  if (fault.lasts != Duration{}) text += " " + in_seconds(fault.lasts);
  if (fault.by != Duration{}) text += " " + in_seconds(fault.by);
  if (fault.rate_ppb != 0) text += fmt::format(" {}%", percent_text(fault.rate_ppb));
  return text;
}

}  // namespace lockproof::harness
