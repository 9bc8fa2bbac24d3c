// SPDX-License-Identifier: Apache-2.0
// What nearly every file of the simulator includes.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"
