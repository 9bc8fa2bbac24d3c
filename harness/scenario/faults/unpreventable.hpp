// SPDX-License-Identifier: Apache-2.0
// Unpreventable: what no lock of a service can prevent, since its server itself gives up a lock that somebody holds.
// Which faults do that stands in the table of faults, FaultRow::loses, and what a service keeps in the services' rows.
#pragma once

#include <string_view>
#include <vector>

#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// Whether the fault makes the only server of the scenario give up a lock, or its lease, before its time. Where several
/// servers decide together, it is for the lock to stand what becomes of one of them.
[[nodiscard]] bool gives_up_locks(const Scenario& scenario, const Fault& fault);
/// … in each of its forms.
[[nodiscard]] bool gives_up_locks(const Scenario& scenario, const BudgetedFault& entry);

/// Whether these faults break the property whichever lock of the service is used: each of them makes the server give up
/// the lock, and the property is broken wherever two clients may hold it, or where its holder has no key.
[[nodiscard]] bool is_unpreventable(const Scenario& scenario, std::string_view property,
                                    const std::vector<Fault>& faults);

}  // namespace lockproof::harness
