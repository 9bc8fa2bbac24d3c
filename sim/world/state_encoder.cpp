// SPDX-License-Identifier: Apache-2.0
#include "sim/world/state_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "algorithms/port/clock.hpp"

namespace lockproof::sim {

using harness::Phase;
using harness::Readings;
using harness::What;

namespace {

/// The position of a token's name in some bytes.
struct Place {
  std::size_t from, to;
  TokenName name;
};

template <class Show>
void each_token(std::string_view bytes, Show show) {
  for (std::size_t at = bytes.find('c'); at != std::string_view::npos; at = bytes.find('c', at + 1)) {
    const char* const end = bytes.data() + bytes.size();
    int client = 0, n = 0;
    const auto [dot, no_client] = std::from_chars(bytes.data() + at + 1, end, client);
    if (no_client != std::errc() || dot != bytes.data() + at + 2 || dot == end || *dot != '.') continue;
    const auto [rest, no_number] = std::from_chars(dot + 1, end, n);
    if (no_number != std::errc()) continue;
    if (client < 1 || client > token_clients || n < 1 || n > token_names) continue;
    show(Place{at, static_cast<std::size_t>(rest - bytes.data()), token_name(client - 1, n)});
  }
}

}  // namespace

std::string to_text(TokenName name) { return fmt::format("c{}.{}", name / token_names + 1, name % token_names + 1); }

std::vector<TokenName> tokens_in(std::string_view bytes) {
  std::vector<TokenName> names;
  each_token(bytes, [&](const Place& place) { names.push_back(place.name); });
  return names;
}

std::string with_names(std::string_view bytes, const std::function<TokenName(TokenName)>& rename) {
  std::string with;
  std::size_t done = 0;
  each_token(bytes, [&](const Place& place) {
    with.append(bytes, done, place.from - done);
    with += to_text(rename(place.name));
    done = place.to;
  });
  return with.append(bytes, done);
}

std::string with_plain_names(std::string_view bytes) {
  std::vector<TokenName> seen;
  return with_names(bytes, [&](TokenName name) {
    const auto found = std::ranges::find(seen, name);
    const auto place = static_cast<TokenName>(found - seen.begin());
    if (found == seen.end()) seen.push_back(name);
    return place;
  });
}

/// A variable-length number, seven bits a byte; numbers near zero, of both signs, take the fewest bytes.
void StateEncoder::number(std::int64_t n) {
  auto bits = (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
  if (bits < 0x80) return bytes_.push_back(static_cast<char>(bits));
  char bytes[10];
  std::size_t count = 0;
  for (; bits >= 0x80; bits >>= 7) bytes[count++] = static_cast<char>(bits | 0x80);
  bytes[count++] = static_cast<char>(bits);
  bytes_.append(bytes, count);
}

void StateEncoder::text(std::string_view text) {
  number(static_cast<std::int64_t>(text.size()));
  bytes_.append(text);
}

/// A token is recognised by its bytes: a script's reply has no mark.
void StateEncoder::value(const Value& value, std::int64_t wall_ms) {
  const std::string& bytes = value.bytes();
  if (drawn_) {
    if (const auto drawn = std::ranges::find(*drawn_, bytes); drawn != drawn_->end()) {
      auto found = std::ranges::find(seen_, bytes);
      if (found == seen_.end()) found = seen_.insert(found, std::string_view(*drawn));
      number(1);
      return number(found - seen_.begin());
    }
  }
  if (value.mark() == Value::Mark::stamp) {
    if (const auto i = Clock::read(value)) {
      number(2);
      return number(InstantAccess::us(*i) / 1000 - wall_ms);
    }
  }
  if (!drawn_) {
    each_token(bytes, [&](const Place& place) {
      if (std::ranges::find(names_, place.name) == names_.end()) names_.push_back(place.name);
    });
  }
  number(0);
  text(bytes);
}

void StateEncoder::command(const Command& command, std::int64_t wall_ms) {
  text(command.script());
  // "EVAL:0f0f", of a program, has but some digits of its script.
  const bool is_named = !command.script().empty() && command.script().find(':') == std::string::npos;
  number(static_cast<std::int64_t>(command.args().size()));
  for (std::size_t i = 0; i < command.args().size(); ++i) {
    if (i == 1 && is_named) continue;  // the script's text
    value(command.args()[i], wall_ms);
  }
}

void StateEncoder::reply(const Reply& reply, std::int64_t wall_ms) {
  number(static_cast<std::int64_t>(reply.kind()));
  number(reply.integer());
  value(reply.value(), wall_ms);
  number(static_cast<std::int64_t>(reply.items().size()));
  for (const Reply& item : reply.items()) this->reply(item, wall_ms);
}

void StateEncoder::result(const Result<Reply>& result, std::int64_t wall_ms) {
  number(result ? -1 : static_cast<std::int64_t>(result.error()));
  if (result) reply(*result, wall_ms);
}

void StateEncoder::instant(std::optional<Mono> i, const Readings& now) {
  if (!i) return number(1);
  const std::int64_t left = InstantAccess::us(*i) - now.mono_us;
  number(left > (std::int64_t{1} << 58) ? 3 : left * 4);
}

void StateEncoder::deadline(const Deadline& deadline, const Readings& now) {
  number(static_cast<std::int64_t>(deadline.index()));
  if (const Wall* wall = std::get_if<Wall>(&deadline)) number(InstantAccess::us(*wall) - now.wall_ms * 1000);
  if (const Mono* mono = std::get_if<Mono>(&deadline)) number(InstantAccess::us(*mono) - now.mono_us);
  if (const Boot* boot = std::get_if<Boot>(&deadline)) number(InstantAccess::us(*boot) - now.boot_us);
}

void StateEncoder::grant(const Grant& grant, const Readings& now) {
  value(grant.token, now.wall_ms);
  deadline(grant.deadline, now);
  number(grant.fence ? *grant.fence * 2 : 1);
  number(grant.renewal.has_value());
  if (!grant.renewal) return;
  duration(grant.renewal->first);
  duration(grant.renewal->period);
  number(static_cast<std::int64_t>(grant.renewal->pace));
  number(static_cast<std::int64_t>(grant.renewal->on_failure));
  number(grant.renewal->tells_loss);
}

void StateEncoder::life(const harness::Life& life, const Readings& now) {
  constexpr std::int64_t goes_on = 32;  // it is about to release, and has work to do after that
  const bool done_after = life.phase == Phase::leaving && life.work_done > 0;
  number(static_cast<std::int64_t>(life.phase) + (done_after ? goes_on : 0));
  if (life.phase == Phase::done || life.phase == Phase::gave_up) return;
  number(life.round);
  instant(life.worker_due, now);
  number(life.next_period.has_value());
  if (life.next_period) number(InstantAccess::us(*life.next_period) - now.wall_ms * 1000);
  switch (life.phase) {
    case Phase::doubting: grant(*life.doubt, now); [[fallthrough]];
    case Phase::waiting:
      duration(life.busy.retry_after);
      number(life.failed);
      [[fallthrough]];
    case Phase::trying:
    case Phase::wanting:
      number(life.attempts);
      instant(life.give_up, now);
      break;
    case Phase::preparing: number(static_cast<std::int64_t>(life.work_done)); break;
    case Phase::claiming:
    case Phase::inside:
    case Phase::leaving: break;
    case Phase::resting:
    case Phase::done:
    case Phase::gave_up: return;
  }
  number(life.depth);
  if (life.depth == 0 && life.phase != Phase::inside) {
    if (life.phase != Phase::claiming && life.phase != Phase::leaving) number(life.base ? *life.base * 2 : 1);
    return;
  }
  number(life.releases);
  grant(*life.grant, now);
  others(life, now);
  if (life.phase == Phase::leaving && !done_after) return;
  number(static_cast<std::int64_t>(life.work_done));
  number(life.base ? *life.base * 2 : 1);
  number(life.notified_of_loss);
  instant(life.watchdog_due, now);
}

void StateEncoder::others(const harness::Life& life, const Readings& now) {
  number(static_cast<std::int64_t>(life.others.size()));
  for (const harness::OtherLock& other : life.others) {
    text(other.name);
    number(other.grant.has_value());
    if (other.grant) grant(*other.grant, now);
    number(other.notified_of_loss);
    instant(other.watchdog_due, now);
    number(other.releases);
  }
}

void StateEncoder::lock(const State& state, const Readings& now) {
  for (const auto& field : state) {
    number(static_cast<std::int64_t>(field.index()));
    if (const bool* flag = std::get_if<bool>(&field)) number(*flag);
    if (const std::int64_t* n = std::get_if<std::int64_t>(&field)) number(*n);
    if (const Value* v = std::get_if<Value>(&field)) value(*v, now.wall_ms);
    if (const Wall* wall = std::get_if<Wall>(&field)) deadline(*wall, now);
    if (const Mono* mono = std::get_if<Mono>(&field)) deadline(*mono, now);
    if (const Boot* boot = std::get_if<Boot>(&field)) deadline(*boot, now);
  }
}

void StateEncoder::input(const harness::Event& event, const Readings& now) {
  number(static_cast<std::int64_t>(event.what));
  switch (event.what) {
    case What::step: return text(event.word);
    case What::read:
      number(static_cast<std::int64_t>(event.word[0]));
      return number(*event.value - (event.word == "wall"   ? now.wall_ms * 1000
                                    : event.word == "mono" ? now.mono_us
                                                           : now.boot_us));
    case What::draw:
      if (event.token) return value(*event.token, now.wall_ms);
      return number(*event.value);
    case What::answer:
      number(event.peer);
      if (event.error) return number(static_cast<std::int64_t>(*event.error));
      return reply(*event.reply, now.wall_ms);
    default: return;
  }
}

}  // namespace lockproof::sim
