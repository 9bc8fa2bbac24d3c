// SPDX-License-Identifier: Apache-2.0
// ProgramKey: which key on its servers a program's lock is, and how that is known. A library names its keys as it
// likes, and makes others besides the lock, so the key is learned from a run without faults (learned_key.hpp), in
// virtual time and on real servers by one rule.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lockproof::harness {

enum class KeySource : std::uint8_t {
  unasked,     // no run without faults was made: the key has the lock's name
  written,     // [algorithm] key
  contention,  // another client asked for it while the client that had made it was inside
  only_key,    // nobody asked for the lock while another client was inside, and no other key was made for it
  no_key,      // other clients asked for the lock, and for no key that its holder had made
  ambiguous,   // one of the candidates: nothing tells them apart
  unmatched,   // [algorithm] key fits none of the candidates, which are all keys that were made
  no_grant,    // nobody got the lock, for these reasons
};
/// "contention": for machines.
[[nodiscard]] std::string_view name(KeySource source);
[[nodiscard]] std::optional<KeySource> key_source_from(std::string_view name);

struct ProgramKey {
  KeySource source = KeySource::unasked;
  std::string name{};  // on the servers; empty: as the scenario names the lock, or it is not known
  std::vector<std::string> candidates{};
  std::vector<std::string> reasons{};
  /// Whether the servers' changes of the key can be judged.
  [[nodiscard]] bool is_known() const { return source <= KeySource::only_key; }
  /// Whether the scenario or the program has to be changed before the key, or anything, can be judged.
  [[nodiscard]] bool is_undecided() const { return source >= KeySource::ambiguous; }
  /// It is no part of what a scenario says.
  bool operator==(const ProgramKey&) const { return true; }
};

/// Nobody gets the lock without any fault, so a search for faults would find nothing that they cause.
class NoGrantError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One sentence without a full stop: which key is judged, or why none is.
[[nodiscard]] std::string key_sentence(const ProgramKey& key);

/// Whether a name fits a pattern, in which * stands for any number of characters.
[[nodiscard]] bool fits(std::string_view name, std::string_view pattern);

}  // namespace lockproof::harness
