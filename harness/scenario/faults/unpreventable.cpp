// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/faults/unpreventable.hpp"

#include <algorithm>

#include "algorithms/expiry.hpp"
#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::harness {
namespace {

/// Whether what the server has granted is still there after such an outage.
bool is_kept(const ServiceRow& service, const ServerSpec& server, FaultKind outage) {
  if (service.outlives || server.persistence == Persistence::aof_always) return true;
  return outage == FaultKind::restart && server.persistence != Persistence::none;
}

/// Where nothing but the lock stands between two holders and the violation, or the lock is gone before its word
/// arrives.
bool follows_from_its_loss(const Scenario& scenario, std::string_view property) {
  if (property == "resource-safety") return scenario.fencing == Fencing::none;
  if (property == "once-per-period") return scenario.marker == Marker::none;
  return property == "mutual-exclusion" || (property == "grant-is-valid" && scenario.program);
}

}  // namespace

bool gives_up_locks(const Scenario& scenario, const Fault& fault) {
  const auto is_master = [](const ServerSpec& server) { return server.replica_of.empty(); };
  const auto server = std::ranges::find(scenario.servers, fault.target, &ServerSpec::name);
  if (server == scenario.servers.end() || !is_master(*server)) return false;
  if (scenario.ensemble || std::ranges::count_if(scenario.servers, is_master) > 1) return false;
  const ServiceRow& service = row_of(scenario.algorithm->service);
  switch (row_of(fault.kind).loses) {
    case FaultRow::StateLoss::nothing: return false;
    case FaultRow::StateLoss::keys: return true;
    case FaultRow::StateLoss::what_is_not_kept: return !is_kept(service, *server, fault.kind);
    case FaultRow::StateLoss::leases:
      return fault.by > Duration{} && service.lease_clock == "wall" && expiry_of(*scenario.algorithm) != Expiry::none;
  }
  return false;
}

bool gives_up_locks(const Scenario& scenario, const BudgetedFault& entry) {
  return !entry.forms.empty() &&
         std::ranges::all_of(entry.forms, [&](const Fault& form) { return gives_up_locks(scenario, form); });
}

bool is_unpreventable(const Scenario& scenario, std::string_view property, const std::vector<Fault>& faults) {
  return follows_from_its_loss(scenario, property) && !faults.empty() &&
         std::ranges::all_of(faults, [&](const Fault& fault) { return gives_up_locks(scenario, fault); });
}

}  // namespace lockproof::harness
