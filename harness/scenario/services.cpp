// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/services.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace lockproof::harness {
namespace {

constexpr std::array rows{
    ServiceRow{.service = Service::redis, .name = "redis", .replicates = true, .persists = true},
};

}  // namespace

std::span<const ServiceRow> services() { return rows; }

const ServiceRow& row_of(Service service) {
  const auto found = std::ranges::find(rows, service, &ServiceRow::service);
  if (found == rows.end()) throw std::logic_error("a service without a row");
  return *found;
}

bool can_have(const ServiceRow& service, FaultKind kind) {
  return std::ranges::find(service.lacks, kind) == service.lacks.end();
}

}  // namespace lockproof::harness
