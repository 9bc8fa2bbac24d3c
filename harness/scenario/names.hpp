// SPDX-License-Identifier: Apache-2.0
// Names: how durations, moments, events and choices are written in scenarios, and read back. One spelling everywhere:
// scenario files, traces and messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// "1500us", "10ms", "2.5s", "1min", "1h", with a sign if `sign`; exact to the microsecond.
[[nodiscard]] std::optional<Duration> duration_from(std::string_view text, bool sign = false);
/// The two texts of "lo..hi"; nothing: it is no range. The first one may be empty.
[[nodiscard]] std::optional<std::pair<std::string_view, std::string_view>> bounds_of_range(std::string_view text);
[[nodiscard]] std::string range_text(Duration least, Duration most);
/// In the largest unit that keeps it whole: "10s", "1500us".
[[nodiscard]] std::string to_text(Duration d);

/// What every client does whatever the commands of its lock are, as the verb of an EventPlace: acquire, release, renew,
/// enter, exit.
[[nodiscard]] bool is_act(std::string_view verb);
/// "free", "own", "held", "orphan"; empty where it is not said.
[[nodiscard]] std::string_view name(EventPlace::LockState state);
/// "client-1 before DEL #2 round 1", "client-1 before SET free #1", "redis-1 after SET of client-1", "client-1 enters".
[[nodiscard]] std::optional<EventPlace> when_from(std::string_view text);
[[nodiscard]] std::string to_text(const EventPlace& when);

/// "client-1 -> redis-1 SETNX #1 round 1", "client-1 worker", "client-1 time-out redis-1 GET", "fault #1".
[[nodiscard]] std::optional<EventName> event_name_from(std::string_view text);
[[nodiscard]] std::string to_text(const EventName& name);

/// "hold 3s", "read", "write", "acquire", "release"; of a program also "touch", "extend".
[[nodiscard]] std::optional<Work> work_from(std::string_view text);
[[nodiscard]] std::string to_text(const Work& work);

template <class E>
using Choices = std::span<const std::pair<std::string_view, E>>;
[[nodiscard]] Choices<FaultKind> fault_kinds();
[[nodiscard]] Choices<Mode> mode_choices();
[[nodiscard]] Choices<LockObject> lock_object_choices();
[[nodiscard]] Choices<StopOn> stop_on_choices();
[[nodiscard]] Choices<ConnectTime> connect_choices();
[[nodiscard]] Choices<OnError> on_error_choices();
[[nodiscard]] Choices<OnTimeout> on_timeout_choices();
[[nodiscard]] Choices<Persistence> persistence_choices();
[[nodiscard]] Choices<Fault::Direction> direction_choices();
[[nodiscard]] Choices<Fencing> fencing_choices();
[[nodiscard]] Choices<Marker> marker_choices();
[[nodiscard]] Choices<CaseReference::Role> role_choices();
[[nodiscard]] Choices<Contention> contention_choices();
[[nodiscard]] Choices<Ties> ties_choices();
[[nodiscard]] Choices<ProgramClock> program_clock_choices();
[[nodiscard]] Choices<ProgramPauses> program_pauses_choices();
[[nodiscard]] Choices<ProgramRounds> program_rounds_choices();
/// "+1%", "-0.5%", exact to a billionth; at most 100 % slower or faster.
[[nodiscard]] std::optional<std::int64_t> rate_ppb_from(std::string_view text);
[[nodiscard]] std::string_view name(FaultKind kind);

/// The choice that looks most like `wrong`; nothing if none does.
[[nodiscard]] std::optional<std::string> nearest(std::string_view wrong, const std::vector<std::string>& choices);
/// "; did you mean 'x'?" or "; one of: a, b, c"; of a retired word whose new name is among the choices,
/// "; 'a' is now called 'b'".
[[nodiscard]] std::string suggestion(std::string_view wrong, const std::vector<std::string>& choices);

/// A basic string of TOML, with its quotes.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace lockproof::harness
