// SPDX-License-Identifier: Apache-2.0
// The tables of a scenario without which a lock does not work, for those who try each lock of the catalogue.
#pragma once

#include <string>

#include "algorithms/catalogue.hpp"

namespace lockproof::harness {

/// [algorithm], with the parameters that it must have. `folder`: where the file with it will be; empty: here.
[[nodiscard]] std::string algorithm_table(const Algorithm& algorithm, const std::string& folder = "");
/// The path of a lock's own file from a folder; empty: from here.
[[nodiscard]] std::string file_seen_from(const std::string& folder, const Algorithm& algorithm);
/// The same for any path.
[[nodiscard]] std::string path_seen_from(const std::string& folder, const std::string& path);
/// [servers] and [[server]]; `of_a_majority`: how many a lock gets that asks all.
[[nodiscard]] std::string servers_tables(const Algorithm& algorithm, int of_a_majority);

}  // namespace lockproof::harness
