// SPDX-License-Identifier: Apache-2.0
#include "execution/fuzz/fuzz_space.hpp"

#include "search/core/contention.hpp"

namespace lockproof::execution {

void FuzzSpace::apply_bounds() {
  fuzzed = scenario;
  if (!bounds) return;
  fuzzed = sim::bounded(scenario, *bounds, alone);
  if (bounds->contention != harness::Contention::as_written) fuzzed = sim::asking_sooner(fuzzed);
  fuzzed.horizon = scenario.horizon;  // a run ends
  order.budget = &*bounds;
}

}  // namespace lockproof::execution
