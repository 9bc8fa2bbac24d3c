// SPDX-License-Identifier: Apache-2.0
// LastEnd: ends this process, with a sentence, when what it does takes longer than it can, whatever it waits for. The
// processes that it has started end with it, by the janitor.
#pragma once

#include <cstdint>

#include "algorithms/port/pinned_object.hpp"

namespace lockproof::real {

class LastEnd final : public PinnedObject {
 public:
  /// There is one at a time. A process that is forked meanwhile has none.
  explicit LastEnd(std::int64_t after_ns);
  ~LastEnd();
};

}  // namespace lockproof::real
