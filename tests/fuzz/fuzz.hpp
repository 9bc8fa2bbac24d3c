// SPDX-License-Identifier: Apache-2.0
// What the targets and the program that replays their corpus have in common: libFuzzer's entry.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
