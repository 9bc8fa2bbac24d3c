// SPDX-License-Identifier: Apache-2.0
#include "harness/history/event.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lockproof::harness {
namespace {

constexpr std::array<std::pair<What, std::string_view>, 35> names{{
    {What::start, "start"},         {What::attempt, "attempt"},
    {What::granted, "granted"},     {What::busy, "busy"},
    {What::failed, "failed"},       {What::enter, "enter"},
    {What::exit, "exit"},           {What::release, "release"},
    {What::released, "released"},   {What::renew, "renew"},
    {What::renewed, "renewed"},     {What::renewal_failed, "renewal-failed"},
    {What::lost, "lost"},           {What::gave_up, "gave-up"},
    {What::finished, "finished"},   {What::step, "step"},
    {What::read, "read"},           {What::draw, "draw"},
    {What::call, "call"},           {What::answer, "answer"},
    {What::send, "send"},           {What::execute, "execute"},
    {What::receive, "receive"},     {What::discard, "discard"},
    {What::drop, "drop"},           {What::time_out, "time-out"},
    {What::strike, "strike"},       {What::heal, "heal"},
    {What::refused, "refused"},     {What::broken, "broken"},
    {What::replicate, "replicate"}, {What::push, "push"},
    {What::unmet, "unmet"},         {What::end, "end"},
    {What::copy, "copy"},
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

}  // namespace lockproof::harness
