// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "real/services/etcd/etcd_program.hpp"
#include "real/services/service_driver.hpp"

namespace lockproof::real {

/// `program`: the path of another build of etcd; empty: the one in PATH.
[[nodiscard]] std::unique_ptr<ServiceDriver> make_etcd_driver(const std::string& program);

}  // namespace lockproof::real
