// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "execution/judge/lines/lock_name.hpp"
#include "execution/judge/lines/span_log.hpp"
#include "harness/input_error.hpp"

namespace lockproof::execution {
namespace {

using Json = nlohmann::json;

/// The first of these that a resource has tells its worker.
constexpr const char* names_of_workers[] = {"service.instance.id", "k8s.pod.name", "host.name", "process.pid",
                                            "service.name"};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const Json& list_in(const Json& of, const char* key) {
  static const Json none = Json::array();
  const auto found = of.is_object() ? of.find(key) : of.end();
  return of.is_object() && found != of.end() && found->is_array() ? *found : none;
}

std::string text_in(const Json& of, const char* key) {
  const auto found = of.find(key);
  if (found == of.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

/// Null: it has no such attribute.
const Json* attribute_of(const Json& of, std::string_view key) {
  for (const Json& one : list_in(of, "attributes")) {
    if (one.is_object() && one.value("key", "") == key && one.contains("value")) return &one.at("value");
  }
  return nullptr;
}

std::string worker_of(const Json& resource, const std::string& path) {
  for (const char* const key : names_of_workers) {
    const Json* const value = attribute_of(resource, key);
    if (!value || !value->is_object() || value->empty()) continue;
    const Json& first = value->begin().value();
    return first.is_string() ? first.get<std::string>() : first.dump();
  }
  return std::filesystem::path(path).stem().string();
}

/// Whether it says that it has got the lock.
bool says_acquired(const Json& span) {
  return std::ranges::any_of(list_in(span, "attributes"), [](const Json& one) {
    if (!one.is_object() || !one.contains("value")) return false;
    const Json& value = one.at("value");
    return has(lower_case(one.value("key", "")), "acquired") && value.is_object() && value.contains("boolValue") &&
           value.at("boolValue") == true;
  });
}

bool has_failed(const Json& span) {
  const auto status = span.find("status");
  if (status == span.end() || !status->is_object()) return false;
  const std::string code = text_in(*status, "code");
  return code == "2" || code == "STATUS_CODE_ERROR";
}

bool is_of_lock(const std::string& name) {
  return name == "acquire" || name == "held" || name == "release" || has(name, "lock") || has(name, "mutex") ||
         has(name, "lease");
}

LineKind kind_at(const Json& span, bool begins, const LinePatterns& patterns) {
  const std::string own = text_in(span, "name"), name = lower_case(own);
  const std::string line = own + (begins ? " begins" : " ends");
  const bool fits_enters = !patterns.enters.empty() && has(line, patterns.enters);
  const bool fits_leaves = !patterns.leaves.empty() && has(line, patterns.leaves);
  if (fits_enters) return LineKind::enters;
  if (fits_leaves) return LineKind::leaves;
  if (!is_of_lock(name)) return LineKind::nothing;
  if (patterns.enters.empty() && begins && has(name, "held")) return LineKind::enters;
  if (patterns.enters.empty() && !begins && has(name, "acquire") && says_acquired(span) && !has_failed(span))
    return LineKind::enters;
  if (!has(name, "release") && !has(name, "unlock")) return LineKind::nothing;
  if (begins) return patterns.leaves.empty() ? LineKind::leaves : LineKind::nothing;
  return has_failed(span) ? LineKind::nothing : LineKind::released;
}

/// Empty: no attribute says it.
std::string lock_of_span(const Json& span) {
  for (const Json& one : list_in(span, "attributes")) {
    if (!one.is_object() || !one.contains("value") || !is_lock_field(one.value("key", ""))) continue;
    const Json& value = one.at("value");
    if (value.is_object() && value.contains("stringValue") && value.at("stringValue").is_string()) {
      return value.at("stringValue").get<std::string>();
    }
  }
  return "";
}

/// Without what it does: of an acquire and of what it has held it is the same.
std::string wording_of_span(const Json& span) {
  std::string name = lower_case(text_in(span, "name"));
  for (const std::string_view deed : {"acquired", "acquire", "held"}) {
    if (const auto at = name.find(deed); at != std::string::npos) name.erase(at, deed.size());
  }
  return name;
}

std::int64_t instant_of(const Json& span, const char* key, const std::string& path) {
  const std::string text = text_in(span, key);
  std::int64_t nanoseconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), nanoseconds);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw harness::InputError(path, 0, "a span has no " + std::string(key) + ", which is a whole number");
  }
  return nanoseconds / 1000;
}

void add_spans(const Json& document, const std::string& path, int number, const LinePatterns& patterns,
               std::vector<WorkerLog>& into) {
  for (const Json& of_resource : list_in(document, "resourceSpans")) {
    const std::string worker = worker_of(of_resource.value("resource", Json::object()), path);
    for (const Json& scope : list_in(of_resource, "scopeSpans")) {
      for (const Json& span : list_in(scope, "spans")) {
        if (!span.is_object()) continue;
        WorkerLog& log = log_of(into, worker);
        const std::string lock = lock_of_span(span), wording = wording_of_span(span);
        log.names_locks |= !lock.empty();
        for (const bool begins : {true, false}) {
          const std::int64_t at_us = instant_of(span, begins ? "startTimeUnixNano" : "endTimeUnixNano", path);
          const LineKind kind = kind_at(span, begins, patterns);
          const bool of_held = begins && kind == LineKind::enters;
          log.lines.push_back({number, at_us, 1, kind, lock, wording, of_held});
        }
      }
    }
  }
}

/// An acquire ends where the held span of the same lock begins: a worker enters once. Two spans of a kind are two
/// entries.
void drop_second_entries(std::vector<WorkerLine>& lines) {
  std::map<std::string, std::optional<bool>> entered_by_held;  // nothing: it is not inside, or both have told of it
  for (WorkerLine& line : lines) {
    if (line.kind == LineKind::nothing) continue;
    std::optional<bool>& before = entered_by_held[line.lock];
    const bool is_entry = line.kind == LineKind::enters;
    const bool is_second = is_entry && before && *before != line.of_held;
    if (is_second) line.kind = LineKind::nothing;
    before = is_entry && !is_second ? std::optional(line.of_held) : std::nullopt;
  }
}

}  // namespace

std::optional<std::vector<WorkerLog>> workers_of_spans(const std::string& path, const std::string& text,
                                                       const LinePatterns& patterns) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || text[begin] != '{') return std::nullopt;
  std::vector<WorkerLog> logs;
  try {
    if (const Json whole = Json::parse(text, nullptr, false); !whole.is_discarded()) {
      add_spans(whole, path, 0, patterns, logs);
    } else {
      int number = 0;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        ++number;
        const std::string line = text.substr(at, end - at);
        if (line.find_first_not_of(" \t\r") != std::string::npos)
          add_spans(Json::parse(line), path, number, patterns, logs);
        at = end + 1;
      }
    }
  } catch (const Json::exception&) {
    throw harness::InputError(path, 0, "this is no OTLP JSON: one document, or one on each line");
  }
  if (logs.empty()) throw harness::InputError(path, 0, "it has no resourceSpans with spans, as OTLP JSON has");
  for (WorkerLog& log : logs) {
    order_lines(log.lines);
    drop_second_entries(log.lines);
  }
  return logs;
}

}  // namespace lockproof::execution
