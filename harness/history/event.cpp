// SPDX-License-Identifier: Apache-2.0
#include "harness/history/event.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lockproof::harness {
namespace {

constexpr std::array<std::pair<What, std::string_view>, 39> names{{
    {What::prepare, "prepare"},
    {What::seek, "seek"},
    {What::start, "start"},
    {What::attempt, "attempt"},
    {What::granted, "granted"},
    {What::busy, "busy"},
    {What::failed, "failed"},
    {What::enter, "enter"},
    {What::exit, "exit"},
    {What::release, "release"},
    {What::released, "released"},
    {What::renew, "renew"},
    {What::renewed, "renewed"},
    {What::renewal_failed, "renewal-failed"},
    {What::lost, "lost"},
    {What::gave_up, "gave-up"},
    {What::finished, "finished"},
    {What::step, "step"},
    {What::read, "read"},
    {What::draw, "draw"},
    {What::call, "call"},
    {What::answer, "answer"},
    {What::send, "send"},
    {What::execute, "execute"},
    {What::receive, "receive"},
    {What::discard, "discard"},
    {What::drop, "drop"},
    {What::time_out, "time-out"},
    {What::strike, "strike"},
    {What::heal, "heal"},
    {What::refused, "refused"},
    {What::broken, "broken"},
    {What::replicate, "replicate"},
    {What::push, "push"},
    {What::unmet, "unmet"},
    {What::end, "end"},
    {What::copy, "copy"},
    {What::died, "died"},
    {What::touch_failed, "touch-failed"},
}};

constexpr std::array<std::pair<Change, std::string_view>, 6> change_names{{
    {Change::acquired, "acquired"},
    {Change::changed, "changed"},
    {Change::renewed, "renewed"},
    {Change::released, "released"},
    {Change::expired, "expired"},
    {Change::evicted, "evicted"},
}};

}  // namespace

std::string_view name(What what) {
  const auto found = std::ranges::find(names, what, &std::pair<What, std::string_view>::first);
  return found == names.end() ? "?" : found->second;
}

std::optional<What> what_named(std::string_view name) {
  const auto found = std::ranges::find(names, name, &std::pair<What, std::string_view>::second);
  if (name.empty() || found == names.end()) return std::nullopt;
  return found->first;
}

std::string_view name(Change change) {
  const auto found = std::ranges::find(change_names, change, &std::pair<Change, std::string_view>::first);
  return found == change_names.end() ? "?" : found->second;
}

std::optional<Change> change_named(std::string_view name) {
  const auto found = std::ranges::find(change_names, name, &std::pair<Change, std::string_view>::second);
  if (found == change_names.end()) return std::nullopt;
  return found->first;
}

}  // namespace lockproof::harness
