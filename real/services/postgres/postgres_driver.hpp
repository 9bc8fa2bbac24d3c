// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "real/services/service_driver.hpp"

namespace lockproof::real {

/// `program`: the path of a postgres; empty: the one in PATH, or Debian's.
[[nodiscard]] std::unique_ptr<ServiceDriver> make_postgres_driver(const std::string& program);
/// "postgres 15.18". Throws BadEnvironment if the program is not PostgreSQL.
[[nodiscard]] std::string postgres_version(const std::string& program);

}  // namespace lockproof::real
