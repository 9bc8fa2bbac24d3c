// SPDX-License-Identifier: Apache-2.0
// Ledger: what a client process writes down, in memory that it shares with its supervisor. A line costs no system call,
// and once `append` has returned the record outlives its writer, however that ends. One writer; read when it has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "algorithms/port/pinned_object.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {

class Ledger : public PinnedObject {
 public:
  /// To be made before the writer is forked. Throws BadEnvironment.
  Ledger();
  ~Ledger();

  /// Throws BadEnvironment if the machine has no more memory to share.
  void append(std::string_view record);
  /// Visits all records, in order, except an incomplete last one.
  void read(const std::function<void(std::string_view record)>& visit) const;

 private:
  void next_window(std::size_t least);

  Descriptor memory_;                // windows one behind the other; a record lies within one
  char* window_ = nullptr;           // the window that is written to now
  std::size_t begins_ = 0;           // where the window begins in the file
  std::size_t length_ = 0, at_ = 0;  // of the window; where in it the next record begins
};

}  // namespace lockproof::real
