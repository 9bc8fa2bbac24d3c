// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/retired.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lockproof::harness {
namespace {

constexpr std::array retired{
    // keys of scenarios
    RetiredWord{"patience", "acquire_timeout"},
    RetiredWord{"rest", "think_time"},
    RetiredWord{"obeys", "stop_on"},
    RetiredWord{"told", "notified"},
    RetiredWord{"scale", "speedup"},
    RetiredWord{"way", "direction"},
    RetiredWord{"progress", "liveness"},  // of [expect]; that of [judge] is a bound, and stays
    // kinds of faults, properties
    RetiredWord{"drop", "half-open"},
    RetiredWord{"not-vacuous", "exercised"},
    // verdicts
    RetiredWord{"not-found", "no-violation", StillRead::in_files},
    // engines
    RetiredWord{"interned", "stateful"},
    RetiredWord{"replay", "reexecution"},
    // commands and options
    RetiredWord{"--progress", "--liveness"},
    RetiredWord{"real FILE --trace", "replay FILE", StillRead::as_command},
    RetiredWord{"check PATH --trace", "replay PATH", StillRead::as_command},
    RetiredWord{"real FILE --sweep --pairs", "sweep FILE --max-faults 2", StillRead::as_command},
    RetiredWord{"real FILE --sweep", "sweep FILE", StillRead::as_command},
    RetiredWord{"sweep FILE --faults break", "sweep FILE --faults break-connection", StillRead::as_command},
    RetiredWord{"sweep FILE --faults expire", "sweep FILE --faults clock-jump", StillRead::as_command},
    RetiredWord{"real FILE --soak TIME", "soak FILE --time TIME", StillRead::as_command},
    RetiredWord{"--jobs N", "--workers N", StillRead::as_command},
    RetiredWord{"--no-trace", "--quiet", StillRead::as_command},
    RetiredWord{"--first", "--find first", StillRead::as_command},
    RetiredWord{"--all-causes", "--find causes", StillRead::as_command},
    RetiredWord{"--strategy pct --depth N", "--strategy pct:N", StillRead::as_command},
    RetiredWord{"explore FILE --dot GRAPH", "explore FILE --format dot > GRAPH", StillRead::as_command},
    RetiredWord{"--redis-server PATH", "--server redis=PATH", StillRead::as_command},
    RetiredWord{"--memcached-server PATH", "--server memcached=PATH", StillRead::as_command},
    RetiredWord{"--postgres-server PATH", "--server postgres=PATH", StillRead::as_command},
    RetiredWord{"--zookeeper-server PATH", "--server zookeeper=PATH", StillRead::as_command},
    RetiredWord{"--etcd-server PATH", "--server etcd=PATH", StillRead::as_command},
};

}  // namespace

std::span<const RetiredWord> retired_words() { return retired; }

std::string_view new_name_of(std::string_view old) {
  const auto found = std::ranges::find(retired, old, &RetiredWord::old);
  return found == retired.end() ? std::string_view() : found->now;
}

std::string_view current_word(std::string_view word) {
  const auto found = std::ranges::find(retired, word, &RetiredWord::old);
  return found != retired.end() && found->read == StillRead::in_files ? found->now : word;
}

std::string hint_on_old_words(std::string_view text) {
  for (const auto& [old, now, read] : retired) {
    if (read != StillRead::in_files || text.find(fmt::format("\"{}\"", old)) == std::string_view::npos) continue;
    return fmt::format("'{}' is now called '{}'; this version still reads the old word, the next one will not", old,
                       now);
  }
  return "";
}

}  // namespace lockproof::harness
