// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "real/services/service_driver.hpp"
#include "real/services/zookeeper/zookeeper_program.hpp"

namespace lockproof::real {

/// `jar`: the path of another build's zookeeper.jar; empty: Debian's.
[[nodiscard]] std::unique_ptr<ServiceDriver> make_zookeeper_driver(const std::string& jar);

}  // namespace lockproof::real
