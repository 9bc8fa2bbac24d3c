// SPDX-License-Identifier: Apache-2.0
// CannotJudge: what was asked is right, and lockproof cannot answer it: the program does what virtual time cannot do,
// or nothing shows what it does to its servers. So the answer is unknown.
#pragma once

#include <stdexcept>
#include <string>

namespace lockproof::harness {

class CannotJudge : public std::runtime_error {
 public:
  /// `kind`: one word, for machines.
  CannotJudge(std::string kind, const std::string& what) : std::runtime_error(what), kind_(std::move(kind)) {}
  [[nodiscard]] const std::string& kind() const { return kind_; }

 private:
  std::string kind_;
};

}  // namespace lockproof::harness
