// SPDX-License-Identifier: Apache-2.0
// InputError: something that a person wrote is wrong. One message: where, what, and what would be right.
#pragma once

#include <stdexcept>
#include <string>

namespace lockproof::harness {

class InputError : public std::runtime_error {
 public:
  /// `line` 0: the file as a whole.
  InputError(const std::string& file, int line, const std::string& what)
      : std::runtime_error((line > 0 ? file + ":" + std::to_string(line) : file) + ": " + what) {}
  /// The same error again, from another process.
  explicit InputError(const std::string& whole_message) : std::runtime_error(whole_message) {}
};

}  // namespace lockproof::harness
