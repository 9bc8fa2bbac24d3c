// SPDX-License-Identifier: Apache-2.0
#include "harness/program/said.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/program/question.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::json;

constexpr std::pair<ProgramLine::Word, std::string_view> spelt[] = {
    {ProgramLine::Word::ready, "ready"},       {ProgramLine::Word::acquired, "acquired"},
    {ProgramLine::Word::busy, "busy"},         {ProgramLine::Word::touch, "touch"},
    {ProgramLine::Word::extended, "extended"}, {ProgramLine::Word::released, "released"},
    {ProgramLine::Word::lost, "lost"},         {ProgramLine::Word::failed, "failed"},
};
constexpr double number_most = 1e15;
constexpr int depth_most = 8;

/// Numbers may come with a fraction: many languages have only such.
std::optional<std::int64_t> number(const Json& line, const char* key, std::string& wrong) {
  const auto found = line.find(key);
  if (found == line.end() || found->is_null()) return std::nullopt;
  if (!found->is_number() || std::abs(found->get<double>()) > number_most) {
    wrong = fmt::format("says a '{}' that is no number", key);
    return std::nullopt;
  }
  return static_cast<std::int64_t>(std::floor(found->get<double>()));
}

std::optional<bool> flag(const Json& line, const char* key, std::string& wrong) {
  const auto found = line.find(key);
  if (found == line.end() || found->is_null()) return std::nullopt;
  if (found->is_boolean()) return found->get<bool>();
  wrong = fmt::format("says a '{}' that is neither true nor false", key);
  return std::nullopt;
}

std::string text(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json parsed(std::string_view line) {
  const Json::parser_callback_t shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= depth_most; };
  return Json::parse(line, shallow, false);
}

}  // namespace

std::string_view name(ProgramLine::Word word) {
  const auto found = std::ranges::find(spelt, word, &std::pair<ProgramLine::Word, std::string_view>::first);
  return found == std::end(spelt) ? "?" : found->second;
}

std::string shown(std::string_view text, std::size_t most) {
  std::string safe;
  for (const char c : text.substr(0, most)) {
    if (c >= ' ' && c <= '~') {
      safe += c;
    } else {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text.size() > most ? safe + "…" : safe;
}

std::string too_long(std::string_view line) {
  return fmt::format("says a line of more than {} bytes: {}", line_most, shown(line, 60));
}

ParsedLine ready_from(std::string_view line) {
  ParsedLine parsed = said_from(line);
  if (!parsed.said) return parsed;
  const ProgramLine& said = *parsed.said;
  if (said.word != ProgramLine::Word::ready) return {{}, fmt::format("says '{}' before it is ready", name(said.word))};
  if (said.protocol && *said.protocol != protocol_version) {
    return {{}, fmt::format("speaks protocol {}; this lockproof speaks {}", *said.protocol, protocol_version)};
  }
  return parsed;
}

ParsedLine said_from(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > line_most) return {{}, too_long(line)};
  const Json json = parsed(line);
  if (json.is_discarded() || !json.is_object())
    return {{}, fmt::format("says what is no JSON object: {}", shown(line))};
  const std::string word = text(json, "say");
  const auto known = std::ranges::find(spelt, word, &std::pair<ProgramLine::Word, std::string_view>::second);
  if (known == std::end(spelt)) {
    return {{}, fmt::format("says '{}', which is no word of the line protocol: {}", shown(word, 40), shown(line))};
  }
  ParsedLine result;
  ProgramLine said{.word = known->first};
  said.protocol = number(json, "protocol", result.wrong);
  said.valid_ms = number(json, "valid_ms", result.wrong);
  said.fence = number(json, "fence", result.wrong);
  if (const auto round = number(json, "round", result.wrong)) {
    said.round = static_cast<int>(std::clamp<std::int64_t>(*round, 0, std::numeric_limits<int>::max()));
  }
  said.ours = flag(json, "ours", result.wrong);
  said.renews = flag(json, "renews", result.wrong);
  said.name = text(json, "name");
  said.error = text(json, "error");
  if (result.wrong.empty()) result.said = std::move(said);
  return result;
}

}  // namespace lockproof::harness
