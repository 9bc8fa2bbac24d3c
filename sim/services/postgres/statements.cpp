// SPDX-License-Identifier: Apache-2.0
#include "sim/services/postgres/statements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "algorithms/statements.hpp"

namespace lockproof::sim::postgres {
namespace {

using harness::Change;
using Parameters = std::vector<Value>;

constexpr std::size_t before_parameters = 3;  // SQL, the text, how many there are
const char* const in_failed_transaction = "25P02";
const char* const read_only_transaction = "25006";
const char* const undefined_function = "42883";  // to us: a statement that the model does not know
const char* const committed_lease = "leases";
const char* const committed_fence = "fences";

Reply row(std::string text) { return Reply::array({Reply::bulk(Value(std::move(text)))}); }
Reply truth(bool yes) { return row(yes ? "t" : "f"); }

std::int64_t number(const Value& digits) {
  std::int64_t n = 0;
  std::from_chars(digits.bytes().data(), digits.bytes().data() + digits.bytes().size(), n);
  return n;
}

void note(const Scene& scene, Change change, const char* word, const std::string& key,
          std::optional<milliseconds> ttl = {}) {
  scene.effects.push_back({change, word, key, ttl});
}

/// What a commit does to a row, seen from outside. Whoever takes it gives it another number.
void note_commit(const Scene& scene, const std::string& name, const Lease* before, const Lease& after) {
  const bool was_held = before && before->until_ms;
  const bool was_over = was_held && *before->until_ms < scene.wall_ms;
  if (was_over) note(scene, Change::expired, "expired", name);
  if (before && before->fence == after.fence) {
    if (was_held && !was_over) note(scene, Change::released, "given", name);
    return;
  }
  note(scene, Change::acquired, "taken", name);
  note(scene, Change::renewed, "until", name, milliseconds(*after.until_ms - scene.wall_ms));
}

Command lease_for_standbys(const std::string& name, const Lease& lease) {
  const Value until = lease.until_ms ? Value(std::to_string(*lease.until_ms), Value::Mark::stamp) : Value("-infinity");
  return Command(
      {committed_lease, name, lease.owner, until, Value::number(lease.fence), Value::number(lease.by_clients)});
}

/// The rows of a transaction that are not as they were: others it has only locked.
Rows changes_of(const Scene& scene) {
  Rows changes = scene.session().changed;
  std::erase_if(changes.leases, [&](const auto& row) {
    const auto old = scene.database.rows().leases.find(row.first);
    return old != scene.database.rows().leases.end() && old->second == row.second;
  });
  return changes;
}

/// What standbys are sent of it.
std::vector<Command> for_standbys(const Rows& changed) {
  std::vector<Command> all;
  for (const auto& [name, lease] : changed.leases) all.push_back(lease_for_standbys(name, lease));
  for (const auto& [name, last] : changed.fences) {
    all.push_back(Command({committed_fence, name, Value::number(last)}));
  }
  return all;
}

void commit(const Scene& scene, bool propagates = true) {
  const std::set<std::string> freed = scene.session().until_end;
  const Rows before = scene.database.rows();
  const Rows committed = changes_of(scene);
  (void)scene.database.commit(scene.connection);
  for (const auto& [name, lease] : committed.leases) {
    const auto old = before.leases.find(name);
    note_commit(scene, name, old == before.leases.end() ? nullptr : &old->second, lease);
  }
  if (propagates) scene.propagated = for_standbys(committed);
  for (const std::string& name : freed) {
    if (!scene.session().has(name)) note(scene, Change::released, "unlocked", name);
  }
}

/// Outside a transaction a statement is one of its own.
Reply done(const Scene& scene, Reply reply) {
  if (!scene.session().in_transaction) commit(scene);
  return reply;
}

Reply begin(const Scene& scene) {
  scene.session().in_transaction = true;
  return Reply::status("BEGIN");
}

Reply roll_back(const Scene& scene) {
  const std::set<std::string> freed = scene.session().until_end;
  scene.database.roll_back(scene.connection);
  for (const std::string& name : freed) {
    if (!scene.session().has(name)) note(scene, Change::released, "unlocked", name);
  }
  return Reply::status("ROLLBACK");
}

/// A commit that a standby is to apply first leaves its rows as they are until then: others go on waiting for them.
std::optional<Reply> end_transaction(const Scene& scene) {
  Session& session = scene.session();
  if (session.failed) return roll_back(scene);
  if (session.remote_apply && !session.changed.empty()) {
    session.committing = true;
    scene.propagated = for_standbys(changes_of(scene));
    return std::nullopt;
  }
  commit(scene);
  return Reply::status("COMMIT");
}

/// Outside a transaction it says nothing about any.
Reply remote_apply(const Scene& scene) {
  if (scene.session().in_transaction) scene.session().remote_apply = true;
  return Reply::status("SET");
}

Reply try_advisory(const Scene& scene, const std::string& name) {
  if (scene.database.taken_from(scene.connection, name)) return truth(false);
  if (!scene.session().has(name)) note(scene, Change::acquired, "locked", name);
  ++scene.session().advisory[name];
  return truth(true);
}

/// Without a transaction it is free again when the statement has ended, and nothing has happened.
Reply try_advisory_xact(const Scene& scene, const std::string& name) {
  if (scene.database.taken_from(scene.connection, name)) return truth(false);
  if (!scene.session().in_transaction) return truth(true);
  if (!scene.session().has(name)) note(scene, Change::acquired, "locked", name);
  scene.session().until_end.insert(name);
  return truth(true);
}

Reply unlock_advisory(const Scene& scene, const std::string& name) {
  auto& own = scene.session().advisory;
  const auto found = own.find(name);
  if (found == own.end()) return truth(false);
  if (--found->second == 0) own.erase(found);
  if (!scene.session().has(name)) note(scene, Change::released, "unlocked", name);
  return truth(true);
}

std::optional<Reply> next_fence(const Scene& scene, const std::string& name) {
  if (scene.database.writer_of(&Rows::fences, name, scene.connection)) return std::nullopt;
  const std::int64_t* const last = scene.database.seen(&Rows::fences, name, scene.connection);
  const std::int64_t next = last ? *last + 1 : 1;
  scene.session().changed.fences[name] = next;
  return row(std::to_string(next));
}

/// The transaction keeps the row locked, as it is.
void lock_row(const Scene& scene, const std::string& name, const Lease& row) {
  if (scene.session().in_transaction) scene.session().changed.leases.insert_or_assign(name, row);
}

/// What a new row gets was worked out before its INSERT waited; what an old one gets, afterwards.
struct InsertTimes {
  std::int64_t inserted_ms, updated_ms;
  bool by_clients = false;
};

/// Takes the row if there is none, or if `free` says so of the one that there is. READ COMMITTED: a row that another
/// session has changed is waited for, and what was committed then is looked at. INSERT … ON CONFLICT DO UPDATE locks
/// the row even if it does not take it.
template <class Free>
std::optional<Reply> take(const Scene& scene, const Parameters& p, InsertTimes until, Free free) {
  const std::string& name = p[0].bytes();
  if (scene.database.writer_of(&Rows::leases, name, scene.connection)) return std::nullopt;
  const Lease* const old = scene.database.seen(&Rows::leases, name, scene.connection);
  if (old && !free(*old)) {
    lock_row(scene, name, Lease(*old));
    return Reply::nil();
  }
  const Lease taken{p[1], old ? until.updated_ms : until.inserted_ms, old ? old->fence + 1 : 1, until.by_clients};
  scene.session().changed.leases.insert_or_assign(name, taken);
  return row(std::to_string(taken.fence));
}

std::optional<Reply> take_row(const Scene& scene, const Parameters& p) {
  const std::int64_t lease_ms = number(p[2]);
  return take(scene, p, {scene.began_ms.value_or(scene.wall_ms) + lease_ms, scene.wall_ms + lease_ms},
              [&](const Lease& old) { return !old.until_ms || *old.until_ms < scene.wall_ms; });
}

std::optional<Reply> take_row_client_time(const Scene& scene, const Parameters& p) {
  const std::int64_t now_ms = number(p[2]);
  return take(scene, p, {number(p[3]), number(p[3]), true},
              [&](const Lease& old) { return !old.until_ms || *old.until_ms <= now_ms; });
}

/// An UPDATE looks at the committed row first, and does not wait if that does not match. If it has waited, it has
/// locked the row before it looks again.
std::optional<Reply> give(const Scene& scene, const std::string& name, const Value* owner,
                          std::optional<std::int64_t> until_ms) {
  const Lease* const old = scene.database.seen(&Rows::leases, name, scene.connection);
  if (!old || (owner && old->owner != *owner)) {
    if (old && scene.began_ms) lock_row(scene, name, Lease(*old));
    return Reply::nil();
  }
  if (scene.database.writer_of(&Rows::leases, name, scene.connection)) return std::nullopt;
  Lease given = *old;
  given.until_ms = until_ms;
  // A commit tells nothing of a row that stays as it is. This one was given back all the same.
  if (given == *old && !scene.session().in_transaction) note_commit(scene, name, old, given);
  scene.session().changed.leases.insert_or_assign(name, given);
  return row(std::to_string(given.fence));
}

struct Statement {
  std::string_view name;
  std::size_t parameters;
  bool writes;
  std::optional<Reply> (*run)(const Scene&, const Parameters&);
};
constexpr Statement table[] = {
    {"begin", 0, false, [](const Scene& s, const Parameters&) { return std::optional(begin(s)); }},
    {"commit", 0, false, [](const Scene& s, const Parameters&) { return end_transaction(s); }},
    {"give-row", 2, true,
     [](const Scene& s, const Parameters& p) { return give(s, p[0].bytes(), &p[1], std::nullopt); }},
    {"give-row-client-time", 2, true,
     [](const Scene& s, const Parameters& p) { return give(s, p[0].bytes(), nullptr, number(p[1])); }},
    {"holds-advisory", 1, false,
     [](const Scene& s, const Parameters& p) { return std::optional(truth(s.session().has(p[0].bytes()))); }},
    {"next-fence", 1, true, [](const Scene& s, const Parameters& p) { return next_fence(s, p[0].bytes()); }},
    {"remote-apply", 0, false, [](const Scene& s, const Parameters&) { return std::optional(remote_apply(s)); }},
    {"rollback", 0, false, [](const Scene& s, const Parameters&) { return std::optional(roll_back(s)); }},
    {"take-row", 3, true, take_row},
    {"take-row-client-time", 4, true, take_row_client_time},
    {"try-advisory", 1, false,
     [](const Scene& s, const Parameters& p) { return std::optional(try_advisory(s, p[0].bytes())); }},
    {"try-advisory-xact", 1, false,
     [](const Scene& s, const Parameters& p) { return std::optional(try_advisory_xact(s, p[0].bytes())); }},
    {"unlock-advisory", 1, false,
     [](const Scene& s, const Parameters& p) { return std::optional(unlock_advisory(s, p[0].bytes())); }},
};

/// An error ends what a transaction can do, but not the transaction.
Reply error(const Scene& scene, const char* state) {
  if (scene.session().in_transaction) scene.session().failed = true;
  return Reply::error(state);
}

}  // namespace

/// A lock in Lua may call it as it likes: the text counts.
std::string_view name_of(const Command& command) {
  if (command.args().size() < before_parameters) return {};
  const auto known = std::ranges::find(statements::all, command.args()[1].bytes(), &Script::text);
  return known == std::end(statements::all) ? std::string_view() : known->name;
}

std::optional<Reply> run(const Scene& scene, const Command& command) {
  const auto& words = command.args();
  const std::string_view name = name_of(command);
  const auto known = std::ranges::find(table, name, &Statement::name);
  const bool ends = name == "commit" || name == "rollback";
  if (scene.session().failed && !ends) return Reply::error(in_failed_transaction);
  if (known == std::end(table) || words.size() != before_parameters + known->parameters) {
    return error(scene, undefined_function);
  }
  if (known->writes && scene.read_only) return error(scene, read_only_transaction);
  const Parameters parameters(words.begin() + before_parameters, words.end());
  std::optional<Reply> reply = known->run(scene, parameters);
  if (!reply) return std::nullopt;
  return done(scene, *std::move(reply));
}

std::string describe_lack(const Command& command) {
  const std::string_view name = name_of(command);
  const auto known = std::ranges::find(table, name, &Statement::name);
  if (known == std::end(table)) {
    std::vector<std::string_view> names;
    for (const Statement& one : table) names.push_back(one.name);
    const std::string sent =
        command.script().empty() ? std::string(command.verb()) : fmt::format("the statement '{}'", command.script());
    return fmt::format(
        "sends {}, which the simulated PostgreSQL does not know; byte for byte it knows those of "
        "algorithms/postgres/statements: {}",
        sent, fmt::join(names, ", "));
  }
  const std::size_t parameters = command.args().size() - before_parameters;
  if (parameters == known->parameters) return "";
  return fmt::format("sends the statement {} with {} parameters, where it has {}", name, parameters, known->parameters);
}

Reply finish_commit(const Scene& scene) {
  commit(scene, false);
  return Reply::status("COMMIT");
}

void apply_commit(const Scene& scene, const Command& committed) {
  const auto& words = committed.args();
  Rows& rows = scene.database.rows();
  const std::string& name = words.at(1).bytes();
  if (committed.verb() == committed_fence) {
    rows.fences[name] = number(words.at(2));
    return;
  }
  Lease lease{words.at(2), std::nullopt, number(words.at(4)), number(words.at(5)) != 0};
  if (words.at(3) != Value("-infinity")) lease.until_ms = number(words.at(3));
  const auto old = rows.leases.find(name);
  note_commit(scene, name, old == rows.leases.end() ? nullptr : &old->second, lease);
  rows.leases.insert_or_assign(name, lease);
}

}  // namespace lockproof::sim::postgres
