// SPDX-License-Identifier: Apache-2.0
// Retired words: what keys of scenarios, kinds of faults, properties, engines, options and commands were called before.
// A retired word is an error, which names the new one; for one version, a file may still say a word that `is_read`, and
// it is read as the new one. tests/style/words.py reads the table and refuses the old names in the code.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lockproof::harness {

struct RetiredWord {
  std::string_view old, now;
  bool is_read = false;  // in files of the version before
};

[[nodiscard]] std::span<const RetiredWord> retired_words();
/// Empty if the word is not retired.
[[nodiscard]] std::string_view new_name_of(std::string_view old);
/// The word as it is written now: the new name of a word that `is_read`, else the word itself.
[[nodiscard]] std::string_view current_word(std::string_view word);
/// A sentence on the first word in quotation marks that `is_read`, for whoever wrote the text; empty if it has none.
[[nodiscard]] std::string hint_on_old_words(std::string_view text);

}  // namespace lockproof::harness
