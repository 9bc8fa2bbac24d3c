// SPDX-License-Identifier: Apache-2.0
// AlgorithmRef: the lock of a scenario: one of the catalogue, one of a person's file, or a program of its own, which
// lives as long as somebody refers to it.
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
  [[nodiscard]] bool is_program() const { return algorithm_ && algorithm_->is_program; }
  /// The same one of the catalogue, files of the same content, or programs of the same name.
  bool operator==(const AlgorithmRef& other) const {
    if (algorithm_.get() == other.algorithm_.get()) return true;
    if (is_program() && other.is_program()) return algorithm_->name == other->name;
    return is_file() && other.is_file() && algorithm_->name == other->name && algorithm_->text == other->text;
  }

 private:
  std::shared_ptr<const Algorithm> algorithm_;
};

}  // namespace lockproof::harness
