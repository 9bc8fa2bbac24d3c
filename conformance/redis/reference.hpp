// SPDX-License-Identifier: Apache-2.0
// The page docs/reference/redis.md: command by command, what is modelled and compared.
#pragma once

#include <string>

namespace lockproof::conformance::redis {

[[nodiscard]] std::string reference_page();

}  // namespace lockproof::conformance::redis
