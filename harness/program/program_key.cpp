// SPDX-License-Identifier: Apache-2.0
#include "harness/program/program_key.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/program/said.hpp"

namespace lockproof::harness {
namespace {

constexpr std::size_t names_most = 6;

/// "'a', 'b' and 3 more"
std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> first;
  for (const std::string& name : names) {
    if (first.size() < names_most) first.push_back(fmt::format("'{}'", shown(name)));
  }
  std::string text = fmt::format("{}", fmt::join(first, ", "));
  if (names.size() > first.size()) text += fmt::format(" and {} more", names.size() - first.size());
  return text;
}

}  // namespace

std::string_view name(KeySource source) {
  switch (source) {
    case KeySource::unasked: return "unasked";
    case KeySource::written: return "written";
    case KeySource::contention: return "contention";
    case KeySource::only_key: return "only-key";
    case KeySource::no_key: return "no-key";
    case KeySource::ambiguous: return "ambiguous";
    case KeySource::unmatched: return "unmatched";
    case KeySource::no_grant: return "no-grant";
  }
  return "?";
}

std::optional<KeySource> key_source_from(std::string_view text) {
  for (auto source = KeySource::unasked; name(source) != "?"; source = static_cast<KeySource>(int(source) + 1)) {
    if (name(source) == text) return source;
  }
  return std::nullopt;
}

std::string key_sentence(const ProgramKey& key) {
  switch (key.source) {
    case KeySource::unasked: return "the lock is looked for by its name";
    case KeySource::written: return fmt::format("the lock is the key '{}', by [algorithm] key", shown(key.name));
    case KeySource::contention:
      return fmt::format(
          "the lock is the key '{}': in a run without faults another client asked for it while its "
          "holder was inside",
          shown(key.name));
    case KeySource::only_key:
      return fmt::format(
          "the lock is the key '{}': in a run without faults no other key was made for it, and nobody "
          "asked for it while its holder was inside",
          shown(key.name));
    case KeySource::no_key:
      return "the lock is no key of a server: in a run without faults other clients asked for the lock, and for no key "
             "that its holder had made. It is judged by who is inside and by the resource, and not by what servers do "
             "to keys";
    case KeySource::ambiguous:
      return fmt::format(
          "the lock is one of the keys {}, and a run without faults does not tell which. Name it, as in "
          "key = \"{}\" under [algorithm]",
          listed(key.candidates), key.candidates.empty() ? "" : shown(key.candidates.front()));
    case KeySource::unmatched:
      return fmt::format("[algorithm] key = \"{}\" fits no key that was made in a run without faults. {}",
                         shown(key.name),
                         key.candidates.empty() ? "None was made" : "These were made: " + listed(key.candidates));
    case KeySource::no_grant:
      return fmt::format("nobody got the lock in a run without any fault{}{}", key.reasons.empty() ? "" : ": ",
                         fmt::join(key.reasons, "; "));
  }
  return "";
}

bool fits(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  name.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (std::size_t skipped = 0; skipped <= name.size(); ++skipped) {
    if (fits(name.substr(skipped), pattern)) return true;
  }
  return false;
}

}  // namespace lockproof::harness
