// SPDX-License-Identifier: Apache-2.0
#include "execution/review/read_review.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "harness/scenario/file/document.hpp"
#include "harness/scenario/file/fields.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_algorithm.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::execution {
namespace {

using harness::Concern;
using harness::Fields;
using harness::Node;

constexpr std::int64_t competitors_max = 64, servers_max = 15, attempts_max = 1000;

constexpr std::array<std::pair<std::string_view, Concern>, 4> concerns{{{"two at once", Concern::two_at_once},
                                                                        {"twice per period", Concern::runs_twice},
                                                                        {"stuck", Concern::stuck},
                                                                        {"lost update", Concern::data_lost}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> yes_or_no{{{"yes", true}, {"no", false}}};

void read_positive(Fields& fields, std::string_view key, std::optional<Duration>& into) {
  const Node* node = fields.find(key);
  if (!node) return;
  into = fields.duration(*node, key);
  if (*into <= Duration{}) fields.fail(*node, key, "must be more than 0; leave it out if it cannot happen");
}

void read_service(Fields& top, const std::string& file, Review& r) {
  const Node* node = top.find("service");
  if (!node) return;
  Fields fields(file, *node, "[service]");
  std::vector<std::pair<std::string_view, Service>> names;
  for (const harness::ServiceRow& row : harness::services()) names.emplace_back(row.name, row.service);
  fields.read("name", r.service, harness::Choices<Service>(names));
  fields.read("masters", r.masters, 1, servers_max);
  fields.read("replicas", r.replicas, 0, servers_max);
  fields.read("persistence", r.persistence, harness::persistence_choices());
  read_positive(fields, "down_after", r.down_after);
  fields.read("evicts", r.evicts, harness::Choices<bool>(yes_or_no));
  const harness::ServiceRow& row = harness::row_of(r.service);
  if (r.replicas > 0 && !row.replicates) {
    fields.fail(fields.need("replicas"), "replicas", fmt::format("is more than 0, and {} has none", row.name));
  }
  if (fields.find("persistence") && !row.persists) {
    fields.fail(fields.need("persistence"), "persistence",
                fmt::format("is given, and {} always keeps {}", row.name, row.outlives ? "all on disk" : "nothing"));
  }
  if (r.down_after && r.replicas == 0) {
    fields.fail(fields.need("down_after"), "down_after", "is a Sentinel's, which needs replicas = 1 or more");
  }
  if (r.masters > 1 && r.replicas > 0) {
    fields.fail(fields.need("masters"), "masters",
                "and replicas are both given; a review is of one master with replicas, or of servers by themselves");
  }
  fields.done();
}

void read_lease(Fields& fields, Review& r) {
  const Node* node = fields.find("lease");
  if (!node) return;
  const auto* word = std::get_if<std::string>(&node->value);
  if (word && *word == "?") return;
  read_positive(fields, "lease", r.lease);
  if (*r.lease % milliseconds(1) != Duration{}) fields.fail(*node, "lease", "must be whole milliseconds, or \"?\"");
}

void read_job(Fields& top, const std::string& file, Review& r) {
  const Node& node = top.need("job");
  Fields fields(file, node, "[job]");
  static_cast<void>(fields.need("servers"));
  fields.read("servers", r.competitors, 2, competitors_max);
  read_positive(fields, "period", r.period);
  fields.read("start", r.start);
  static_cast<void>(fields.need("work"));
  fields.read("work", r.work);
  if (r.work.least <= Duration{}) fields.fail(fields.need("work"), "work", "must be more than 0");
  if (r.start.least % milliseconds(1) != Duration{} || r.start.most % milliseconds(1) != Duration{}) {
    fields.fail(fields.need("start"), "start", "must be whole milliseconds");
  }
  if (r.period && (*r.period % milliseconds(1) != Duration{} || *r.period <= r.start.most)) {
    fields.fail(fields.need("period"), "period", "must be whole milliseconds, and longer than 'start'");
  }
  fields.read("attempts", r.attempts, 1, attempts_max);
  read_lease(fields, r);
  if (const Node* list = fields.find("must_not")) {
    r.must_not.clear();
    for (const Node& item : fields.list(*list, "must_not")) {
      r.must_not.insert(fields.choice(item, "must_not", harness::Choices<Concern>(concerns)));
    }
    if (r.must_not.empty()) fields.fail(*list, "must_not", "is empty; then any lock will do");
    if (r.must_not.contains(Concern::runs_twice) && !r.period) {
      fields.fail(*list, "must_not", "has \"twice per period\", and no period is given");
    }
  }
  if (!r.period) r.must_not.erase(Concern::runs_twice);
  fields.done();
}

void read_trouble(Fields& top, const std::string& file, Review& r) {
  const Node* node = top.find("trouble");
  if (!node) return;
  Fields fields(file, *node, "[trouble]");
  read_positive(fields, "pause", r.pause);
  read_positive(fields, "clock_jump", r.clock_jump);
  if (r.clock_jump && *r.clock_jump % milliseconds(1) != Duration{}) {
    fields.fail(fields.need("clock_jump"), "clock_jump", "must be whole milliseconds");
  }
  if (const Node* rate = fields.find("clock_rate")) {
    const auto ppb = harness::rate_ppb_from(fields.text(*rate, "clock_rate"));
    if (!ppb || *ppb <= 0) fields.fail(*rate, "clock_rate", "is no rate: write \"+0.1%\" for a tenth of a per cent");
    r.clock_rate_ppb = *ppb;
  }
  read_positive(fields, "network", r.network);
  std::optional<Duration> outage;
  read_positive(fields, "outage", outage);
  r.outage = outage.value_or(r.outage);
  fields.read("failovers", r.failovers, harness::Choices<bool>(yes_or_no));
  fields.read("crashes", r.crashes, harness::Choices<bool>(yes_or_no));
  fields.done();
}

void read_locks(Fields& top, const std::string& file, Review& r) {
  for (const Algorithm& one : catalogue()) r.locks.emplace_back(&one);
  if (const Node* list = top.find("locks")) {
    r.locks.clear();
    for (const Node& item : top.list(*list, "locks")) {
      const std::string& word = top.text(item, "locks");
      const std::string path = harness::is_lock_file(word)
                                   ? (std::filesystem::path(file).parent_path() / word).lexically_normal().string()
                                   : word;
      std::vector<std::string> names;
      for (const Algorithm& one : catalogue()) names.emplace_back(one.name);
      if (!harness::is_lock_file(word)) top.must_be(item, "locks", "lock", word, names);
      r.locks.push_back(harness::algorithm_from(path));
    }
    if (r.locks.empty()) top.fail(*list, "locks", "is empty; leave it out for all of the catalogue");
  }
  const Node* list = top.find("own");
  if (!list) return;
  for (const Node& item : top.list(*list, "own")) {
    const std::string& word = top.text(item, "own");
    if (!harness::is_lock_file(word)) top.fail(item, "own", fmt::format("has '{}'; a lock's file ends in .lua", word));
    const auto path = (std::filesystem::path(file).parent_path() / word).lexically_normal().string();
    if (!std::filesystem::exists(path)) top.fail(item, "own", fmt::format("has '{}', and there is no {}", word, path));
    r.own.push_back(harness::load_lock(path));
    r.locks.push_back(r.own.back());
  }
}

}  // namespace

Review parse_review(const std::string& file, std::string_view text) {
  const Node document = harness::parse_toml(file, text);
  Review r;
  r.file = file;
  r.name = std::filesystem::path(file).stem().string();
  Fields top(file, document, "the review");
  top.read("title", r.title);
  read_service(top, file, r);
  read_job(top, file, r);
  read_trouble(top, file, r);
  read_locks(top, file, r);
  top.done();
  return r;
}

bool is_review(const std::string& file) {
  try {
    const Node document = harness::parse_toml(file, harness::text_of(file));
    return std::ranges::any_of(std::get<harness::Table>(document.value),
                               [](const harness::Entry& entry) { return entry.key == "job"; });
  } catch (const harness::InputError&) {
    return false;  // whoever reads it says what is wrong
  }
}

Review load_review(const std::string& file) { return parse_review(file, harness::text_of(file)); }

}  // namespace lockproof::execution
