// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/sides.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/services/redis/words.hpp"

namespace lockproof::conformance::redis {
namespace {

/// UNSUBSCRIBE from everything answers in the order of a hash table: the channels are put in order before comparing.
Reply ordered(const Step& step, const Reply& reply) {
  const bool all = step.words.size() == 1 && sim::redis::is_word(step.words[0], "UNSUBSCRIBE");
  if (!all || reply.kind() != Reply::Kind::array || reply.items()[0].kind() != Reply::Kind::array) return reply;
  std::vector<Value> channels;
  for (const Reply& one : reply.items()) channels.push_back(one.items()[1].value());
  std::ranges::sort(channels);
  std::vector<Reply> items;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const auto& old = reply.items()[i].items();
    items.push_back(Reply::array({old[0], Reply::bulk(channels[i]), old[2]}));
  }
  return Reply::array(std::move(items));
}

std::string shown(const std::vector<Reply>& messages) {
  std::string text;
  for (const Reply& message : messages) text += (text.empty() ? "" : ", ") + conformance::shown(message);
  return text.empty() ? "nothing" : text;
}

std::string shown(const std::vector<std::string>& lines) {
  return lines.empty() ? "nothing" : fmt::format("{}", fmt::join(lines, "; "));
}

/// The lines that are not among the others.
std::vector<std::string> less(std::vector<std::string> lines, const std::vector<std::string>& others) {
  std::erase_if(lines, [&](const std::string& line) { return std::ranges::find(others, line) != others.end(); });
  return lines;
}

/// The end of a run of commands over one connection: before the next one or before anything else.
std::size_t end_of_run(const Steps& steps, std::size_t begin) {
  std::size_t end = begin;
  while (end < steps.size() && end < begin + 2 && steps[end].kind != Step::Kind::command) ++end;
  if (end > begin + 1 && steps[begin].kind != Step::Kind::clock) return begin + 1;
  if (end > begin + 1 && steps[begin + 1].kind == Step::Kind::clock) return begin + 1;
  const std::size_t first = end;
  while (end < steps.size() && steps[end].kind == Step::Kind::command &&
         steps[end].connection == steps[first].connection) {
    ++end;
  }
  return end;
}

}  // namespace

void Sides::reset() {
  model.reset();
  real.reset();
}

std::optional<Mismatch> Sides::compare(std::span<const Step> run, const Outcome& simulated, const Outcome& real) {
  std::size_t reply = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (run[i].kind != Step::Kind::command) continue;
    if (reply == real.replies.size()) break;
    const Reply ours = ordered(run[i], simulated.replies[reply]), theirs = ordered(run[i], real.replies[reply]);
    ++reply;
    if (ours != theirs) {
      Outcome expected;
      expected.replies = {theirs};
      return Mismatch{i + 1, "the reply", conformance::shown(ours), conformance::shown(theirs), std::move(expected)};
    }
  }
  if (!real.timing.empty()) return Mismatch{run.size(), "when it answers", "in time", real.timing, real};
  for (std::size_t i = 0; i < connections; ++i) {
    if (simulated.messages[i] == real.messages[i]) continue;
    return Mismatch{run.size(), fmt::format("the messages to connection {}", i), shown(simulated.messages[i]),
                    shown(real.messages[i]), real};
  }
  if (simulated.effects != real.effects) {
    return Mismatch{run.size(), "the keyspace events", shown(simulated.effects), shown(real.effects), real};
  }
  if (simulated.propagated != real.propagated) {
    return Mismatch{run.size(), "what replicas get", shown(simulated.propagated), shown(real.propagated), real};
  }
  if (simulated.contents != real.contents) {
    return Mismatch{run.size(), "what is in the nodes", shown(less(simulated.contents, real.contents)),
                    shown(less(real.contents, simulated.contents)), real};
  }
  return std::nullopt;
}

std::optional<Mismatch> Sides::rerun(const Steps& steps) {
  real.recover();
  reset();
  for (std::size_t begin = 0; begin < steps.size();) {
    std::size_t end = end_of_run(steps, begin);
    Steps run(steps.begin() + static_cast<std::ptrdiff_t>(begin), steps.begin() + static_cast<std::ptrdiff_t>(end));
    Outcome simulated;
    for (const Step& step : run) model.run(step, simulated);
    while (!model.left_the_model() && model.held_until()) {
      const bool given = end < steps.size() && steps[end].kind == Step::Kind::clock;
      run.push_back(given ? steps[end++]
                          : Step{.kind = Step::Kind::clock, .clock_us = (*model.held_until() + 1) * 1000});
      run.back().answered = simulated.replies.size();
      run.back().paused = model.paused();
      model.run(run.back(), simulated);
    }
    if (model.left_the_model()) return std::nullopt;
    if (auto mismatch = compare(run, simulated, real.run(run))) {
      mismatch->steps += begin;
      return mismatch;
    }
    begin = end;
  }
  return std::nullopt;
}

}  // namespace lockproof::conformance::redis
