// SPDX-License-Identifier: Apache-2.0
#include "conformance/postgres/generator.hpp"

#include <iterator>
#include <string_view>

#include "algorithms/postgres/requests.hpp"

namespace lockproof::conformance::postgres {
namespace {

namespace sql = lockproof::postgres;

constexpr const char* locks[] = {"a", "b"};
constexpr const char* owners[] = {"one", "two", "three"};
constexpr std::int64_t leases_ms[] = {1, 2, 5, 50};
constexpr std::int64_t steps_ms[] = {1, 1, 2, 3, 6, 60};
constexpr std::int64_t skews_ms[] = {-2, -1, 0, 0, 1, 2, 60};
/// Those that never wait come first.
constexpr std::string_view names[] = {"try",      "try",        "unlock",     "holds",       "try-xact",
                                      "begin",    "commit",     "rollback",   "take-row",    "take-row",
                                      "give-row", "next-fence", "next-fence", "take-client", "give-client"};
constexpr std::size_t that_never_wait = 8;

}  // namespace

Command Generator::statement(bool quiet, std::int64_t wall_ms) {
  const std::string_view name = names[random_.below(quiet ? that_never_wait : std::size(names))];
  const Name lock(one_of(locks));
  const Token owner(one_of(owners));
  if (name == "try") return sql::try_advisory(lock).command;
  if (name == "unlock") return sql::unlock_advisory(lock).command;
  if (name == "holds") return sql::holds_advisory(lock).command;
  if (name == "try-xact") return sql::try_advisory_xact(lock).command;
  if (name == "begin") return sql::begin().command;
  if (name == "commit") return sql::commit().command;
  if (name == "rollback") return sql::rollback().command;
  if (name == "take-row") return sql::take_row(lock, owner, milliseconds(one_of(leases_ms))).command;
  if (name == "give-row") return sql::give_row(lock, owner).command;
  if (name == "next-fence") return sql::next_fence(lock).command;
  const std::int64_t now_ms = wall_ms + one_of(skews_ms);
  if (name == "give-client") return sql::give_row_client_time(lock, Value::number(now_ms)).command;
  return sql::take_row_client_time(lock, owner, Value::number(now_ms), Value::number(now_ms + one_of(leases_ms)))
      .command;
}

Step Generator::next(const std::set<int>& waiting, std::int64_t wall_ms) {
  if (chance(15)) return {.ms = one_of(steps_ms)};
  int connection = 0;
  do {
    connection = 1 + static_cast<int>(random_.below(connections));
  } while (waiting.contains(connection));
  if (chance(2)) return {.kind = Step::Kind::end, .connection = connection};
  return {.kind = Step::Kind::statement, .connection = connection, .command = statement(!waiting.empty(), wall_ms)};
}

}  // namespace lockproof::conformance::postgres
