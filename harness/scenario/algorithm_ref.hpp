// SPDX-License-Identifier: Apache-2.0
// AlgorithmRef: the lock of a scenario: one of the catalogue, or one of a person's file, which lives as long as
// somebody refers to it.
#pragma once

#include <memory>
#include <utility>

#include "algorithms/catalogue.hpp"

namespace lockproof::harness {

class AlgorithmRef {
 public:
  AlgorithmRef(const Algorithm* of_the_catalogue = nullptr) : algorithm_(std::shared_ptr<void>(), of_the_catalogue) {}
  AlgorithmRef(std::shared_ptr<const Algorithm> of_a_file) : algorithm_(std::move(of_a_file)) {}

  const Algorithm* operator->() const { return algorithm_.get(); }
  const Algorithm& operator*() const { return *algorithm_; }
  explicit operator bool() const { return algorithm_ != nullptr; }
  [[nodiscard]] bool is_file() const { return algorithm_ && !algorithm_->file.empty(); }
  /// The same one of the catalogue, or files of the same content.
  bool operator==(const AlgorithmRef& other) const {
    if (algorithm_.get() == other.algorithm_.get()) return true;
    return is_file() && other.is_file() && algorithm_->name == other->name && algorithm_->text == other->text;
  }

 private:
  std::shared_ptr<const Algorithm> algorithm_;
};

}  // namespace lockproof::harness
