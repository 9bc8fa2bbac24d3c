// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "real/services/service_driver.hpp"

namespace lockproof::real {

/// `program`: the path of a memcached; empty: the one in PATH.
[[nodiscard]] std::unique_ptr<ServiceDriver> make_memcached_driver(const std::string& program);
/// "memcached 1.6.18". Throws BadEnvironment if the program is not memcached.
[[nodiscard]] std::string memcached_version(const std::string& program);

}  // namespace lockproof::real
