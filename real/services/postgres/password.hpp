// SPDX-License-Identifier: Apache-2.0
// The password of the PostgreSQL servers that lockproof starts: one that nobody else on this machine knows. Without it,
// whoever reaches 127.0.0.1 could run commands as the server's user, by COPY … FROM PROGRAM.
#pragma once

#include <string>

namespace lockproof::real {

/// Drawn once; processes that share files (SharedFiles) or were forked from this one have the same. Throws
/// BadEnvironment.
[[nodiscard]] const std::string& postgres_password();
/// Writes a file that only this user can read.
void write_secret(const std::string& path, const std::string& text);

}  // namespace lockproof::real
