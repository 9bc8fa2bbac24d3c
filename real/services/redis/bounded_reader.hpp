// SPDX-License-Identifier: Apache-2.0
// Bounds on what a server may answer: one that answers without end, or announces more than there is memory for, is cut
// off. Answers to locks' commands have some hundred bytes; the longest is INFO's, with some thousand.
#pragma once

#include <cstddef>

struct redisReader;

namespace lockproof::real {

inline constexpr std::size_t answer_most = std::size_t{1} << 20;  // bytes of one reply
inline constexpr int items_most = 1024;                           // of one array

/// Arrays that announce more items are refused before memory is allocated for them.
void bound(redisReader& reader);
/// Whether the part that has come is larger than a reply may be. `read`: bytes since the last whole one.
[[nodiscard]] bool is_too_large(const redisReader& reader, std::size_t read);

}  // namespace lockproof::real
