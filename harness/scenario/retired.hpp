// SPDX-License-Identifier: Apache-2.0
// Retired words: what keys of scenarios, kinds of faults, properties, engines, options and commands were called before.
// A retired word is an error, which names the new one. Some are still read for one version, as the new ones: a word in
// files, or a form of the command line. tests/style/words.py reads the table and refuses the old names in the code.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lockproof::harness {

enum class StillRead : std::uint8_t { no, in_files, as_command };

/// A form `as_command` is a verb, the options that make it the old one, or both: "real FILE --soak TIME". Capitals
/// stand for any words, and those behind a verb for its files.
struct RetiredWord {
  std::string_view old, now;
  StillRead read = StillRead::no;
};

[[nodiscard]] std::span<const RetiredWord> retired_words();
/// Empty if the word is not retired.
[[nodiscard]] std::string_view new_name_of(std::string_view old);
/// The word as it is written now: the new name of a word that is still read in files, else the word itself.
[[nodiscard]] std::string_view current_word(std::string_view word);
/// A sentence on the first word in quotation marks that is still read in files; empty if the text has none.
[[nodiscard]] std::string hint_on_old_words(std::string_view text);

}  // namespace lockproof::harness
