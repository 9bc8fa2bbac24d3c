// SPDX-License-Identifier: Apache-2.0
#include "harness/report/answers/not_in.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/report/text/headed.hpp"
#include "harness/report/text/plural.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/trace.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;
using Fate = NotInCause::Fate;

constexpr std::size_t listed_most = 8;  // causes of one fate, in text

std::string cause_text(const NotInCause& cause) {
  return fmt::format("{}{} {}, {}", cause.property, cause.kind.empty() ? "" : fmt::format(" ({})", cause.kind),
                     printable(cause.with), plural(static_cast<std::uint64_t>(cause.events), "event"));
}

std::string answer_of(const NotInReport& r) {
  if (const NotInCause* found = r.found()) {
    return fmt::format("This breaks {}, and with the same faults at the same events not {}: {}.", printable(r.a),
                       printable(r.b), cause_text(*found));
  }
  if (!r.is_whole()) return "No such schedule was found, and not everything was decided.";
  const auto apart = std::ranges::count(r.causes, Fate::not_comparable, &NotInCause::fate);
  if (r.causes.empty()) return fmt::format("Nothing breaks {}.", printable(r.a));
  return fmt::format("What breaks {} breaks {} as well{}.", printable(r.a), printable(r.b),
                     apart > 0 ? fmt::format(", but for {}", plural(static_cast<std::uint64_t>(apart), "cause")) +
                                     " that cannot be compared"
                               : "");
}

std::string section_text(const NotInReport& r, Fate fate, const std::string& head) {
  std::string text;
  std::size_t count = 0;
  for (const NotInCause& cause : r.causes) {
    if (cause.fate != fate || &cause == r.found() || ++count > listed_most) continue;
    text += fmt::format("  {}\n", cause_text(cause));
    if (!cause.why.empty()) text += fmt::format("      {}\n", printable(cause.why));
  }
  if (count > listed_most) text += fmt::format("  and {} more, in --format json\n", count - listed_most);
  return text.empty() ? "" : head + "\n" + text;
}

}  // namespace

const NotInCause* NotInReport::found() const {
  const auto first = std::ranges::find(causes, Fate::not_in_b, &NotInCause::fate);
  return first == causes.end() ? nullptr : &*first;
}

bool NotInReport::is_whole() const {
  return open.empty() && std::ranges::find(causes, Fate::open, &NotInCause::fate) == causes.end();
}

std::string_view name(Fate fate) {
  switch (fate) {
    case Fate::not_in_b: return "not-in-b";
    case Fate::in_b: return "in-b";
    case Fate::not_comparable: return "not-comparable";
    case Fate::open: return "open";
  }
  return "";
}

std::string not_in_text(const NotInReport& r, const Style& style) {
  std::string text = style.wrap(answer_of(r), 0) + "\n\n";
  if (const NotInCause* found = r.found()) text += trace(found->history, style) + "\n";
  std::string rest = section_text(r, Fate::not_in_b, "these are not in it, too");
  rest += section_text(r, Fate::in_b, "these break both");
  rest += section_text(r, Fate::not_comparable, "these cannot be compared");
  rest += section_text(r, Fate::open, "of these it was not decided whether they break the other");
  if (!r.open.empty()) rest += fmt::format("not searched whole: {}\n", fmt::join(r.open, ", "));
  rest += fmt::format(
      "{}least causes were compared, told apart by where they strike: of each the schedule with the "
      "fewest events\nasked of both: {}; {}\n",
      rest.empty() ? "" : "\n", r.bounds_of, r.scope);
  if (!r.stopped.empty()) rest += r.stopped + "\n";
  text += style.fit(rest);
  for (const std::string& file : {r.file_of_a, r.file_of_b}) {
    if (!file.empty()) text += style.command("run it: ", "lockproof run " + printable(file)) + "\n";
  }
  return text + style.command("reproduce: ", r.reproduce) + "\n";
}

std::string not_in_json(const NotInReport& r) {
  Json causes = Json::array();
  for (const NotInCause& cause : r.causes) {
    causes.push_back({{"property", cause.property},
                      {"kind", cause.kind},
                      {"with", cause.with},
                      {"events", cause.events},
                      {"fate", name(cause.fate)},
                      {"why", cause.why},
                      {"scenario_of_a", cause.scenario_of_a},
                      {"scenario_of_b", cause.scenario_of_b}});
  }
  return document({{"answer", answer_of(r)},
                   {"found", r.found() != nullptr},
                   {"whole", r.is_whole()},
                   {"a", r.a},
                   {"b", r.b},
                   {"causes", causes},
                   {"open", r.open},
                   {"bounds_of", r.bounds_of},
                   {"scope", r.scope},
                   {"stopped", r.stopped},
                   {"reproduce", r.reproduce}});
}

}  // namespace lockproof::harness
