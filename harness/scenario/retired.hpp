// SPDX-License-Identifier: Apache-2.0
// Retired words: what keys of scenarios, kinds of faults, properties, engines, options and commands were called before.
// None is an alias: a retired word is an error, which names the new one. tests/style/words.py reads the table and
// refuses the old names in the code.
#pragma once

#include <span>
#include <string_view>

namespace lockproof::harness {

struct RetiredWord {
  std::string_view old, now;
};

[[nodiscard]] std::span<const RetiredWord> retired_words();
/// Empty if the word is not retired.
[[nodiscard]] std::string_view new_name_of(std::string_view old);

}  // namespace lockproof::harness
