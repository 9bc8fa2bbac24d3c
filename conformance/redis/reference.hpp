// SPDX-License-Identifier: Apache-2.0
// The page docs/reference/redis.md: command by command, what is modelled and certified.
#pragma once

#include <string>

namespace lockproof::certify {

[[nodiscard]] std::string reference_page();

}  // namespace lockproof::certify
