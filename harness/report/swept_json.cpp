// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "harness/report/swept.hpp"
#include "harness/report/text/executed.hpp"
#include "harness/report/text/headed.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;
using Strike = SweptReport::Strike;
using Group = SweptReport::Group;

Strike strike_from(const Json& j) {
  Strike strike{.fault = j.at("fault"),
                .place = j.at("place"),
                .event = j.at("event"),
                .second = j.value("second", ""),
                .runs = j.at("runs"),
                .struck = j.at("struck"),
                .late = j.at("late"),
                .found = {},
                .sentences = {}};
  for (const Json& one : j.at("violated")) {
    const SweptViolation violation{one.at("property"), one.at("kind")};
    strike.found[violation] = one.at("runs");
    strike.sentences[violation] = one.at("what");
  }
  return strike;
}

}  // namespace

std::string swept_json(const SweptReport& r) {
  Json strikes = Json::array(), groups = Json::array();
  for (const Strike& s : r.strikes) {
    Json found = Json::array();
    for (const auto& [violation, times] : s.found) {
      found.push_back({{"property", violation.property},
                       {"kind", violation.kind},
                       {"runs", times},
                       {"what", s.sentences.at(violation)}});
    }
    Json one{{"fault", s.fault}, {"place", s.place}, {"event", s.event}};
    if (!s.second.empty()) one["second"] = s.second;
    one.update({{"runs", s.runs}, {"struck", s.struck}, {"late", s.late}, {"violated", found}});
    strikes.push_back(std::move(one));
  }
  for (const Group& g : r.groups) {
    Json one{{"property", g.way.property}, {"kind", g.way.kind}, {"fault", g.fault}, {"events", g.events}};
    if (!g.second.empty()) one["second"] = g.second;
    one.update({{"found", g.found}, {"runs", g.runs}, {"what", g.sentence}, {"file", g.file}});
    groups.push_back(std::move(one));
  }
  Json all{{"scenario", r.scenario},
           {"title", r.title},
           {"file", r.file},
           {"algorithm", r.algorithm},
           {"program", r.program},
           {"lock", key_json(r.key)},
           {"references", r.references},
           {"events", r.events},
           {"not_in_every", r.not_in_every},
           {"kinds", r.kinds},
           {"strikes", strikes},
           {"violations", groups},
           {"runs", r.runs},
           {"left_out", r.left_out},
           {"followed", r.followed},
           {"jobs", r.jobs}};
  if (r.traced)
    all["digest"] = r.digest;
  else
    all["seconds"] = r.seconds;
  all["reproduce"] = r.reproduce;
  return document(all);
}

SweptReport swept_from_json(const std::string& text) {
  const Json j = Json::parse(text);
  SweptReport r;
  r.scenario = j.at("scenario");
  r.title = j.at("title");
  r.file = j.at("file");
  r.algorithm = j.at("algorithm");
  r.program = j.at("program");
  r.key = key_from_json(j.at("lock"));
  r.references = j.at("references");
  r.events = j.at("events").get<std::vector<std::string>>();
  r.not_in_every = j.at("not_in_every").get<std::vector<std::string>>();
  r.kinds = j.at("kinds").get<std::vector<std::string>>();
  for (const Json& strike : j.at("strikes")) r.strikes.push_back(strike_from(strike));
  r.runs = j.at("runs");
  r.left_out = j.at("left_out");
  r.followed = j.at("followed");
  r.jobs = j.at("jobs");
  r.traced = j.contains("digest");
  if (r.traced)
    r.digest = j.at("digest");
  else
    r.seconds = j.at("seconds");
  r.reproduce = j.at("reproduce");
  group(r);
  return r;
}

}  // namespace lockproof::harness
