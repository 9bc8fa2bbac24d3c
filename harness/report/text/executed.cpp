// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/executed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "harness/report/text/printable.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

std::optional<ExecutedPrograms> executed_of(const Scenario& scenario) {
  if (!scenario.program || !scenario.program->in_virtual_time.programs) return std::nullopt;
  ExecutedPrograms executed = scenario.program->in_virtual_time.programs->executed();
  executed.fresh_rounds = scenario.program->rounds == ProgramRounds::fresh;
  executed.pauses_at_sends = scenario.program->pauses == ProgramPauses::sends;
  executed.key = scenario.program->known_key;
  if (scenario.answers) executed.followed = to_text(*scenario.answers);
  return executed;
}

std::string executed_text(const ExecutedPrograms& e) {
  if (e.seeds.empty()) return "";
  std::string text = "in virtual time: " + (e.library.empty() ? "the program" : printable(e.library));
  if (!e.runtime.empty()) text += ", by " + printable(e.runtime);
  if (!e.flags.empty()) text += fmt::format(", which got {}", fmt::join(e.flags, " "));
  text += fmt::format("\n  {} steps of it were executed", e.steps);
  if (e.again > 0) text += fmt::format(", and {} again by another process, which did the same", e.again);
  text += fmt::format("; {} processes started, {} copied\n", e.started, e.copied);
  std::vector<std::string> seeds;
  for (const auto& [client, seed] : e.seeds) seeds.push_back(fmt::format("{} {}", client, seed));
  text += fmt::format("  its random numbers are those of one seed: {}\n", fmt::join(seeds, ", "));
  text += fmt::format("  {}\n", key_sentence(e.key));
  if (e.fresh_rounds) {
    text += "  each round is done by a fresh copy of it: what it keeps from one round to the next was not looked for\n";
  }
  if (e.pauses_at_sends) text += "  it could be paused behind each send, too, and not only where it waits\n";
  if (!e.followed.empty()) {
    text += fmt::format("  once its client is done, it is followed until nobody has seen it do anything for {}\n",
                        e.followed);
  }
  for (const Remark& remark : e.noticed) text += fmt::format("  noticed: the program {}\n", printable(remark.words));
  return text;
}

nlohmann::ordered_json key_json(const ProgramKey& key) {
  nlohmann::ordered_json json{{"key", key.is_known() ? key.name : ""},
                              {"key_source", std::string(name(key.source))},
                              {"key_sentence", key_sentence(key)}};
  if (!key.candidates.empty()) json["key_candidates"] = key.candidates;
  if (!key.reasons.empty()) json["reasons"] = key.reasons;
  return json;
}

ProgramKey key_from_json(const nlohmann::ordered_json& json) {
  return {.source = key_source_from(json.at("key_source").get<std::string>()).value(),
          .name = json.at("key"),
          .candidates = json.value("key_candidates", std::vector<std::string>{}),
          .reasons = json.value("reasons", std::vector<std::string>{})};
}

std::string key_text(const ProgramKey& key) { return key_json(key).dump(); }

ProgramKey key_from_text(const std::string& text) { return key_from_json(nlohmann::ordered_json::parse(text)); }

nlohmann::ordered_json executed_json(const ExecutedPrograms& e) {
  nlohmann::ordered_json json{{"library", e.library},
                              {"runtime", e.runtime},
                              {"flags", e.flags},
                              {"seeds", e.seeds},
                              {"fresh_rounds", e.fresh_rounds},
                              {"pauses_at_sends", e.pauses_at_sends},
                              {"followed_unseen_for", e.followed},
                              {"steps_executed", e.steps},
                              {"steps_executed_again", e.again},
                              {"processes_started", e.started},
                              {"processes_copied", e.copied},
                              {"noticed", nlohmann::ordered_json::array()}};
  for (const Remark& remark : e.noticed) json["noticed"].push_back(remark.words);
  json.update(key_json(e.key));
  return json;
}

}  // namespace lockproof::harness
