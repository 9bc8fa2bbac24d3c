// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <numeric>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/retired.hpp"

namespace lockproof::harness {
namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> units{
    {{"us", 1}, {"ms", 1'000}, {"s", 1'000'000}, {"min", 60'000'000}, {"h", 3'600'000'000}}};

constexpr std::array<std::pair<std::string_view, Persistence>, 4> persistence{
    {{"none", Persistence::none},
     {"rdb", Persistence::rdb},
     {"aof-everysec", Persistence::aof_everysec},
     {"aof-always", Persistence::aof_always}}};
constexpr std::array<std::pair<std::string_view, Fault::Direction>, 3> ways{
    {{"both", Fault::Direction::both},
     {"to-peer", Fault::Direction::to_peer},
     {"from-peer", Fault::Direction::from_peer}}};
constexpr std::array<std::pair<std::string_view, Mode>, 2> modes{
    {{"exclusive", Mode::exclusive}, {"shared", Mode::shared}}};
constexpr std::array<std::pair<std::string_view, LockObject>, 2> lock_objects{
    {{"for-each", LockObject::for_each}, {"one", LockObject::one}}};
constexpr std::array<std::pair<std::string_view, StopOn>, 3> stop_on{
    {{"nothing", StopOn::nothing}, {"deadline", StopOn::deadline}, {"loss", StopOn::loss}}};
constexpr std::array<std::pair<std::string_view, ConnectTime>, 2> connect{
    {{"at-start", ConnectTime::at_start}, {"at-first-attempt", ConnectTime::at_first_attempt}}};
constexpr std::array<std::pair<std::string_view, OnError>, 3> on_error{
    {{"retry", OnError::retry}, {"give-up", OnError::give_up}, {"release", OnError::release}}};
constexpr std::array<std::pair<std::string_view, Work::Kind>, 6> plain_work{{{"read", Work::Kind::read},
                                                                             {"write", Work::Kind::write},
                                                                             {"acquire", Work::Kind::acquire},
                                                                             {"release", Work::Kind::release},
                                                                             {"touch", Work::Kind::touch},
                                                                             {"extend", Work::Kind::extend}}};
constexpr std::array<std::pair<std::string_view, OnTimeout>, 2> on_timeout{
    {{"reconnect", OnTimeout::reconnect}, {"discard", OnTimeout::discard}}};

constexpr std::array<std::pair<std::string_view, Fencing>, 3> fencing{
    {{"none", Fencing::none}, {"writes", Fencing::writes}, {"all", Fencing::all}}};

constexpr std::array<std::pair<std::string_view, Marker>, 2> marker{
    {{"none", Marker::none}, {"period", Marker::period}}};
constexpr std::array<std::pair<std::string_view, ProgramClock>, 2> program_clocks{
    {{"machine", ProgramClock::machine}, {"scaled", ProgramClock::scaled}}};
constexpr std::array<std::pair<std::string_view, ProgramPauses>, 2> program_pauses{
    {{"waits", ProgramPauses::waits}, {"sends", ProgramPauses::sends}}};
constexpr std::array<std::pair<std::string_view, ProgramRounds>, 2> program_rounds{
    {{"same-program", ProgramRounds::same_program}, {"fresh", ProgramRounds::fresh}}};
constexpr std::array<std::pair<std::string_view, CaseReference::Role>, 4> roles{
    {{"shows", CaseReference::Role::shows},
     {"fix", CaseReference::Role::fix},
     {"fix-fails", CaseReference::Role::fix_fails},
     {"twin", CaseReference::Role::twin}}};
constexpr std::array<std::pair<std::string_view, Contention>, 3> contentions{{{"adversarial", Contention::adversarial},
                                                                              {"anytime", Contention::anytime},
                                                                              {"as-written", Contention::as_written}}};
constexpr std::array<std::pair<std::string_view, Ties>, 2> ties{{{"all", Ties::all}, {"together", Ties::together}}};

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  while (true) {
    const std::size_t from = text.find_first_not_of(' ');
    if (from == std::string_view::npos) return found;
    const std::size_t to = std::min(text.find(' ', from), text.size());
    found.push_back(text.substr(from, to - from));
    text.remove_prefix(to);
  }
}

std::optional<int> number(std::string_view text, int least) {
  int n = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (failed != std::errc() || end != text.data() + text.size() || n < least) return std::nullopt;
  return n;
}

constexpr std::int64_t parts_most = INT64_MAX / 1000;

/// "2.5" of a unit. Nothing if it is no number, too large, or finer than a part of the unit.
std::optional<std::int64_t> decimal(std::string_view number, std::int64_t unit) {
  const std::size_t point = std::min(number.find('.'), number.size());
  if (number.empty() || point == 0 || point + 1 == number.size()) return std::nullopt;  // "", ".5", "5."
  if (number.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  std::int64_t parts = 0;
  for (const char c : number.substr(0, point)) {
    parts = parts * 10 + (c - '0') * unit;
    if (parts > parts_most) return std::nullopt;
  }
  std::int64_t place = unit;
  for (const char c : number.substr(std::min(point + 1, number.size()))) {
    if (c == '.' || place % 10 != 0) return std::nullopt;  // two points, or too fine
    place /= 10;
    parts += (c - '0') * place;
  }
  return parts <= parts_most ? std::optional(parts) : std::nullopt;
}

/// Takes "#n" and "round n" off the end. False if there is something there that makes no sense, such as another "#n":
/// no command has such a name.
bool take_position(std::vector<std::string_view>& w, int& occurrence, int& round) {
  if (w.size() >= 3 && w[w.size() - 2] == "round") {
    const auto n = number(w.back(), 0);
    if (!n) return false;
    round = *n;
    w.resize(w.size() - 2);
  }
  if (w.size() >= 2 && w.back().starts_with('#')) {
    const auto n = number(w.back().substr(1), 1);
    if (!n) return false;
    occurrence = *n;
    w.pop_back();
  }
  return w.empty() || !(w.back() == "round" || w.back().starts_with('#'));
}

constexpr std::array<std::pair<std::string_view, EventPlace::LockState>, 4> lock_states{
    {{"free", EventPlace::LockState::free},
     {"own", EventPlace::LockState::own},
     {"held", EventPlace::LockState::held},
     {"orphan", EventPlace::LockState::orphan}}};

std::optional<EventPlace::LockState> lock_state_from(std::string_view word) {
  const auto found = std::ranges::find(lock_states, word, &std::pair<std::string_view, EventPlace::LockState>::first);
  return found == lock_states.end() ? std::nullopt : std::optional(found->second);
}

/// What happens to a host at a time that it, or who watches it, has set.
constexpr std::string_view timers[] = {"worker",   "watchdog", "news",    "program",
                                       "unblocks", "replaced", "demoted", "elects"};

/// What happens to a message, between the two hosts.
using Link = std::pair<std::string_view, EventName::Kind>;
constexpr Link links[] = {Link("->", EventName::Kind::message), Link("serves", EventName::Kind::serve),
                          Link("time-out", EventName::Kind::time_out), Link("resends", EventName::Kind::resend)};

std::string position(int occurrence, int round) {
  return (occurrence == 1 ? "" : fmt::format(" #{}", occurrence)) + (round == 1 ? "" : fmt::format(" round {}", round));
}

}  // namespace

std::optional<std::pair<std::string_view, std::string_view>> bounds_of_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  return std::pair(text.substr(0, dots), text.substr(dots + 2));
}

std::string range_text(Duration least, Duration most) { return fmt::format("{}..{}", to_text(least), to_text(most)); }

std::optional<Duration> duration_from(std::string_view text, bool sign) {
  bool negative = false;
  if (sign && !text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const std::size_t digits_end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto unit =
      std::ranges::find(units, text.substr(digits_end), &std::pair<std::string_view, std::int64_t>::first);
  if (digits_end == 0 || unit == units.end()) return std::nullopt;

  const auto us = decimal(text.substr(0, digits_end), unit->second);
  if (!us) return std::nullopt;
  return Duration(negative ? -*us : *us);
}

std::optional<std::int64_t> rate_ppb_from(std::string_view text) {
  constexpr std::int64_t percent = 10'000'000;
  if (text.size() < 2 || !text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') text.remove_prefix(1);
  const auto ppb = decimal(text, percent);
  if (!ppb || *ppb > 100 * percent) return std::nullopt;
  return negative ? -*ppb : *ppb;
}

std::string to_text(Duration d) {
  if (d.count() == 0) return "0s";
  for (auto unit = units.begin() + 2; unit >= units.begin(); --unit) {
    if (d.count() % unit->second == 0) return fmt::format("{}{}", d.count() / unit->second, unit->first);
    if (unit == units.begin()) break;
  }
  return fmt::format("{}us", d.count());
}

bool is_act(std::string_view verb) {
  constexpr std::string_view acts[] = {"acquire", "release", "renew", "enter", "exit"};
  return std::ranges::find(acts, verb) != std::end(acts);
}

std::string_view name(EventPlace::LockState state) {
  const auto found = std::ranges::find(lock_states, state, &std::pair<std::string_view, EventPlace::LockState>::second);
  return found == lock_states.end() ? "" : found->first;
}

std::optional<EventPlace> when_from(std::string_view text) {
  auto w = words(text);
  EventPlace when;
  if (!take_position(w, when.occurrence, when.round) || w.size() < 2) return std::nullopt;
  when.actor = w[0];
  if (w[1] == "enters" || w[1] == "exits" || w[1] == "touches") {
    when.moment = w[1] == "enters"  ? EventPlace::Moment::enters
                  : w[1] == "exits" ? EventPlace::Moment::exits
                                    : EventPlace::Moment::touches;
    return w.size() == 2 ? std::optional(when) : std::nullopt;
  }
  if ((w[1] != "before" && w[1] != "after") || w.size() < 3) return std::nullopt;
  when.moment = w[1] == "before" ? EventPlace::Moment::before : EventPlace::Moment::after;
  when.verb = w[2];
  if (w.size() > 3) {
    if (const auto state = lock_state_from(w[3])) {
      when.state = *state;
      w.erase(w.begin() + 3);
    }
  }
  if (w.size() == 3) return when;
  if (w.size() != 5 || (w[3] != "of" && w[3] != "to")) return std::nullopt;
  (w[3] == "of" ? when.client : when.server) = w[4];
  return when;
}

std::string to_text(const EventPlace& when) {
  const char* const moments[] = {"before", "after", "enters", "exits", "touches"};
  std::string text = fmt::format("{} {}", when.actor, moments[static_cast<std::size_t>(when.moment)]);
  if (!when.verb.empty()) text += " " + when.verb;
  if (when.state != EventPlace::LockState::any) text += fmt::format(" {}", name(when.state));
  if (!when.client.empty()) text += " of " + when.client;
  if (!when.server.empty()) text += " to " + when.server;
  return text + position(when.occurrence, when.round);
}

std::optional<EventName> event_name_from(std::string_view text) {
  using Kind = EventName::Kind;
  auto w = words(text);
  EventName name;
  if (!take_position(w, name.occurrence, name.round) || w.empty()) return std::nullopt;
  if (w.size() == 1 && (w[0] == "fault" || w[0] == "heal")) {
    name.kind = w[0] == "fault" ? Kind::fault : Kind::heal;
    return name;
  }
  name.actor = w[0];
  if (w.size() == 2 && std::ranges::find(timers, w[1]) != std::end(timers)) {
    name.kind = Kind::timer;
    name.verb = w[1];
  } else if (w.size() == 2 && w[1] == "asks") {
    name.kind = Kind::ask;
  } else if (w.size() == 2 && w[1] == "jitter") {
    name.kind = Kind::jitter;
  } else if (const auto link = std::ranges::find(links, w.size() == 4 ? w[1] : "", &Link::first);
             link != std::end(links)) {
    name.kind = link->second;
    name.peer = w[2];
    name.verb = w[3];
  } else {
    return std::nullopt;
  }
  return name;
}

std::string to_text(const EventName& name) {
  using Kind = EventName::Kind;
  std::string text;
  switch (name.kind) {
    case Kind::message:
    case Kind::serve:
    case Kind::time_out:
    case Kind::resend: {
      const auto link = std::ranges::find(links, name.kind, &Link::second);
      text = fmt::format("{} {} {} {}", name.actor, link->first, name.peer, name.verb);
      break;
    }
    case Kind::timer: text = fmt::format("{} {}", name.actor, name.verb); break;
    case Kind::jitter: text = fmt::format("{} jitter", name.actor); break;
    case Kind::ask: text = fmt::format("{} asks", name.actor); break;
    case Kind::fault: text = "fault"; break;
    case Kind::heal: text = "heal"; break;
  }
  return text + position(name.occurrence, name.round);
}

std::optional<Work> work_from(std::string_view text) {
  const auto w = words(text);
  for (const auto& [name, kind] : plain_work) {
    if (w.size() == 1 && w[0] == name) return Work{kind, {}};
    const bool takes_name = kind == Work::Kind::acquire || kind == Work::Kind::release;
    if (w.size() == 2 && w[0] == name && takes_name) return Work{kind, {}, std::string(w[1])};
  }
  if (text == "hold for ever") return Work{Work::Kind::hold, for_ever};
  if (w.size() != 2 || w[0] != "hold") return std::nullopt;
  const auto lasts = duration_from(w[1]);
  return lasts ? std::optional(Work{Work::Kind::hold, *lasts}) : std::nullopt;
}

std::string to_text(const Work& work) {
  const auto plain = std::ranges::find(plain_work, work.kind, &std::pair<std::string_view, Work::Kind>::second);
  if (plain != plain_work.end()) return std::string(plain->first) + (work.lock.empty() ? "" : " " + work.lock);
  return work.lasts == for_ever ? "hold for ever" : "hold " + to_text(work.lasts);
}

Choices<FaultKind> fault_kinds() {
  static const auto kinds = [] {
    std::vector<std::pair<std::string_view, FaultKind>> all;
    for (const FaultRow& row : fault_table()) all.emplace_back(row.name, row.kind);
    return all;
  }();
  return kinds;
}
Choices<Mode> mode_choices() { return modes; }
Choices<LockObject> lock_object_choices() { return lock_objects; }
Choices<StopOn> stop_on_choices() { return stop_on; }
Choices<ConnectTime> connect_choices() { return connect; }
Choices<OnError> on_error_choices() { return on_error; }
Choices<OnTimeout> on_timeout_choices() { return on_timeout; }
Choices<Persistence> persistence_choices() { return persistence; }
Choices<Fault::Direction> direction_choices() { return ways; }
Choices<Fencing> fencing_choices() { return fencing; }
Choices<Marker> marker_choices() { return marker; }
Choices<CaseReference::Role> role_choices() { return roles; }
Choices<Contention> contention_choices() { return contentions; }
Choices<Ties> ties_choices() { return ties; }
Choices<ProgramClock> program_clock_choices() { return program_clocks; }
Choices<ProgramPauses> program_pauses_choices() { return program_pauses; }

Choices<ProgramRounds> program_rounds_choices() { return program_rounds; }
std::string_view name(FaultKind kind) { return row_of(kind).name; }

std::optional<std::string> nearest(std::string_view wrong, const std::vector<std::string>& choices) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, wrong.size() / 3) + 1;
  for (const std::string& choice : choices) {
    // Levenshtein's distance, row by row.
    std::vector<std::size_t> row(choice.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= wrong.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i);
      for (std::size_t j = 1; j <= choice.size(); ++j) {
        const std::size_t replaced = diagonal + (wrong[i - 1] != choice[j - 1]);
        diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
      }
    }
    if (row.back() < best_distance) best_distance = row.back(), best = choice;
  }
  return best;
}

std::string suggestion(std::string_view wrong, const std::vector<std::string>& choices) {
  const std::string_view now = new_name_of(wrong);
  if (!now.empty() && std::ranges::find(choices, now) != choices.end()) {
    return fmt::format("; '{}' is now called '{}'", wrong, now);
  }
  if (const auto near = nearest(wrong, choices)) return fmt::format("; did you mean '{}'?", *near);
  std::vector<std::string> once;  // keys that were looked up twice are there twice
  for (const std::string& choice : choices) {
    if (std::ranges::find(once, choice) == once.end()) once.push_back(choice);
  }
  return once.empty() ? "" : fmt::format("; one of: {}", fmt::join(once, ", "));
}

std::string in_quotes(std::string_view text) {
  std::string q = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      q += '\\';
      q += c;
    } else if (c == '\n') {
      q += "\\n";
    } else if (c == '\t') {
      q += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      q += fmt::format("\\u{:04X}", byte);
    } else {
      q += c;
    }
  }
  return q + "\"";
}

}  // namespace lockproof::harness
