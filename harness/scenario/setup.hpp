// SPDX-License-Identifier: Apache-2.0
// The tables of a scenario without which a lock does not work, for those who try each lock of the catalogue.
#pragma once

#include <string>

#include "algorithms/catalogue.hpp"

namespace lockproof::harness {

/// [algorithm], with the parameters that it must have.
[[nodiscard]] std::string algorithm_table(const Algorithm& algorithm);
/// [servers] and [[server]]; `of_a_majority`: how many a lock gets that asks all.
[[nodiscard]] std::string servers_tables(const Algorithm& algorithm, int of_a_majority);

}  // namespace lockproof::harness
