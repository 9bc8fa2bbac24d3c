// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "conformance/redis/coverage.hpp"
#include "conformance/redis/mutants.hpp"
#include "sim/services/redis/commands.hpp"

namespace lockproof::conformance::redis {
namespace {

/// For each command: what is modelled besides its plain effect, and what replicas are sent.
struct Note {
  std::string_view verb;
  const char* modelled;
  const char* replicas;
};

constexpr const char* verbatim = "as it came";
constexpr const char* stamped = "`PEXPIREAT` with the stamp, options kept; `DEL` if it deleted";
constexpr const char* nothing = "";

constexpr Note notes[] = {
    {"CLIENT PAUSE", "`WRITE` `ALL`; postpones commands and keeps what has expired until the clock has passed its end",
     nothing},
    {"CLIENT SETNAME", "refuses what is no name, and forgets it", nothing},
    {"CLIENT UNPAUSE", "ends a pause; during one of `ALL` it is postponed itself", nothing},
    {"DBSIZE", "counts expired keys that no command has accessed since", nothing},
    {"DECR", "", verbatim},
    {"DECRBY", "", verbatim},
    {"DEL", "", verbatim},
    {"DISCARD", "", nothing},
    {"ECHO", "", nothing},
    {"EVAL", "see [Scripts](#scripts)", "each command that the script ran, by itself"},
    {"EVALSHA", "`NOSCRIPT` for what this node has not seen", "likewise"},
    {"EXEC", "`EXECABORT`; nil where a watched key changed or has expired", "each command by itself"},
    {"EXISTS", "", nothing},
    {"EXPIRE", "`NX` `XX` `GT` `LT`; a time that is not in the future deletes", stamped},
    {"EXPIREAT", "likewise", stamped},
    {"EXPIRETIME", "rounds to the nearest second", nothing},
    {"FLUSHALL", "`SYNC` `ASYNC`, which are the same here", verbatim},
    {"FLUSHDB", "likewise; there is one database", verbatim},
    {"GET", "", nothing},
    {"GETDEL", "", "`DEL`"},
    {"GETSET", "", "`SET`"},
    {"HDEL", "the last field takes the key with it", verbatim},
    {"HELLO", "`AUTH` as a server without a password has it, `SETNAME`; compared with version 2", nothing},
    {"HEXISTS", "", nothing},
    {"HGET", "", nothing},
    {"HGETALL", "in the order in which the fields came, as small hashes have it", nothing},
    {"HINCRBY", "", verbatim},
    {"HLEN", "", nothing},
    {"HMSET", "as `HSET`; answers `OK`", verbatim},
    {"HSET", "one or more fields", verbatim},
    {"HSETNX", "", verbatim},
    {"INCR", "", verbatim},
    {"INCRBY", "", verbatim},
    {"INFO", "the lines that follow from the model: version, mode, whether it loads, role; all sections by name",
     nothing},
    {"MGET", "nil for a key of another type", nothing},
    {"MULTI", "does not nest", nothing},
    {"PERSIST", "", verbatim},
    {"PEXPIRE", "as `EXPIRE`", stamped},
    {"PEXPIREAT", "as `EXPIRE`", stamped},
    {"PEXPIRETIME", "", nothing},
    {"PING", "two forms, and two more on a connection that subscribed", nothing},
    {"PSETEX", "", "`SET` with `PXAT`"},
    {"PTTL", "", nothing},
    {"PUBLISH", "", verbatim},
    {"PUBSUB NUMSUB", "by the exact name of each channel", nothing},
    {"RESET", "ends transaction, watches and subscriptions", nothing},
    {"SCRIPT EXISTS", "", nothing},
    {"SCRIPT FLUSH", "`SYNC` `ASYNC`, which are the same here", nothing},
    {"SCRIPT LOAD", "the cache is the node's: neither persistent nor replicated", nothing},
    {"SELECT", "there is one database, number 0", nothing},
    {"SET", "`NX` `XX` `GET` `EX` `PX` `EXAT` `PXAT` `KEEPTTL`", "with `PXAT`, without `GET`"},
    {"SETEX", "", "`SET` with `PXAT`"},
    {"SETNX", "", verbatim},
    {"STRLEN", "", nothing},
    {"SUBSCRIBE", "", nothing},
    {"TIME", "to the millisecond; what scripts make of it is not compared", nothing},
    {"TTL", "rounds to the nearest second", nothing},
    {"TYPE", "strings and hashes", nothing},
    {"UNLINK", "the same as `DEL`", verbatim},
    {"UNSUBSCRIBE", "from all: in an order that Redis leaves to its hash table, and the comparison does not compare",
     nothing},
    {"UNWATCH", "", nothing},
    {"WAIT", "answers at once inside a transaction, or if 0 replicas are wanted; see [Waiting](#waiting)", nothing},
    {"WATCH", "a key that had expired before may be deleted without being changed", nothing},
};

constexpr const char* head = R"(# A Redis node, command by command

Made by `lockproof-conformance --reference`.

The simulated node follows Redis 7.0.15. `lockproof-conformance` sends the same random commands to it and to a real
`redis-server`, whose clock it freezes and steps to just before, on and just after the moments at which keys expire.
Half of the commands go to one node, the others to [several](#several-nodes). These must agree, to the letter:

- every reply, error texts included;
- every message to a subscriber, and their order;
- every keyspace event (`set`, `expire`, `expired`, `del`, …), and their order;
- every command that a replica is sent, and their order;
- of several nodes, all keys of a node, their values and their stamps, after each step that changes it.

Commands come over four connections to each node in runs, with wrong types, wrong numbers of words, odd numbers and
times to live at the ends of their range; connections are closed and made anew. All of it is drawn from `--seed`. The
first difference is cut down to as few steps as still show it and printed as a test. What was tried, and how often, is
printed at the end. A test looks that each of these is:


@TRIED@
## Several nodes

Four nodes, one of each persistence, are masters without replicas at first. These steps are drawn between the commands,
on both sides one at a time:

| step | what it is |
|---|---|
| becomes a replica | `REPLICAOF` a master; it keeps its keys and refuses writes from then on |
| copy | its master makes a copy of everything, and will send it what it runs from then on |
| gets the copy | and nothing of what it had stays |
| gets commands | so many of those that its master has sent; the others are still on their way |
| becomes a master | `REPLICAOF NO ONE`, at any time: what is on its way is lost |
| takes its master's place | the same, and the other replicas of that one follow it: they ask it for a copy |
| restart | an orderly end, as with `SHUTDOWN`, and a start with what its persistence kept |
| power cut | `SIGKILL`, and a start; of `aof-everysec` the log is cut off where it ended a second ago |
| evict | a server that is short of memory deletes a key: one that is alone, or the only one with a time to live |
| clocks | of all nodes ahead together, or of one node in any direction |
| `min-replicas-to-write` | 0, 1 or 2; no replica is ever late |

Not done there: `WAIT`, `CLIENT PAUSE`, a replica of a replica.

## Commands

Each of these is modelled and compared. Each is refused where its number of words is wrong, where a key holds another
type, on a connection that subscribed, and, if it writes, by a replica with `READONLY`. Any other command is answered as
unknown.

| command | words | scripts | writes | modelled | replicas are sent |
|---|---|---|---|---|---|
)";

constexpr const char* scripts = R"(
## Scripts

The script's own text runs in Lua 5.1, as in Redis. Compared: what `redis.call` and `redis.pcall` answer and raise, how
values become replies and arguments, which commands a script may not call, Redis's own `pcall`, `redis.error_reply`,
`redis.status_reply`, `redis.sha1hex`, globals that cannot be changed, and error texts with the script's SHA-1 and line.

Not there: `cjson`, `cmsgpack`, `bit`, `struct`, `os`, `redis.log`, `redis.setresp`, `redis.replicate_commands`,
`redis.breakpoint`, flags after `#!lua`, `EVAL_RO`, functions, and `math.random`, because chance is the Chooser's alone.
A script that shows the address of a table (`tostring({})`) is not deterministic, there or here.

## What is expired, and when

A key whose time has come is deleted by the next command that looks at it: active expiry is off on the real server, and
no client could tell. Replicas hide such a key and wait for the master's `DEL`.

## Waiting

`WAIT` keeps its connection's next commands waiting until so many replicas have acknowledged, or until the clock has
passed its time; `CLIENT PAUSE` postpones commands until the clock has passed its end. Both are compared with the clock
moved while commands wait, `WAIT` also at its very last millisecond. The real server has one replica there, which never
acknowledges anything; `WAIT` with replicas that do is tested in the simulated world only.

`min-replicas-to-write` refuses writes with `NOREPLICAS`, in scripts and transactions too. Compared: it is set to 0, 1
and 2 with one replica that is never late.

## Left out

- Other types than strings and hashes; hashes of more than 128 fields or with a value longer than 64 bytes, which Redis
  keeps in another order.
- `SUBSCRIBE` and `UNSUBSCRIBE` inside a transaction: for several channels the real server breaks the protocol there.
  `PSUBSCRIBE`. RESP3: only [programs in virtual time](../semantics/programs.md#its-messages) are answered in it.
- Commands that answer with something of the server's own or that wait: `TIME`, `KEYS`, `SCAN`, most lines of
  `INFO`, the other subcommands of `CLIENT`, `QUIT`.
- `CLIENT PAUSE` inside a transaction: if a command behind it there sets a key that has expired, Redis 7.0.15 asserts
  and ends. A `WAIT` or a pause without an end.
- Of several nodes: a copy that ends halfway, and a replica that goes on where it was. Each copies everything.

## One wrong rule at a time

`lockproof-conformance --mutant NAME` makes one rule of the simulated node wrong. Tests show that each is noticed.

| name | the rule that it breaks |
|---|---|
)";

std::string tried_table() {
  std::string table = "| tried | one node | several |\n|---|---|---|\n";
  for (const CoverageItem& tried : to_be_tried()) {
    table += fmt::format("| {} | {} | {} |\n", tried.name, tried.one ? "yes" : "", tried.several ? "yes" : "");
  }
  return table;
}

}  // namespace

std::string reference_page() {
  std::string page = head;
  const std::string_view mark = "@TRIED@\n";
  page.replace(page.find(mark), mark.size(), tried_table() + "\n");
  for (const sim::redis::CommandRule& rule : sim::redis::command_table()) {
    const auto note = std::ranges::find(notes, rule.verb, &Note::verb);
    const bool known = note != std::end(notes);
    page += fmt::format("| `{}` | {}{} | {} | {} | {} | {} |\n", rule.verb, rule.arity < 0 ? "at least " : "",
                        std::abs(rule.arity), rule.in_scripts ? "yes" : "no", rule.writes ? "yes" : "no",
                        known ? note->modelled : "?", known ? note->replicas : "?");
  }
  page += scripts;
  for (const Mutant& mutant : mutants()) page += fmt::format("| `{}` | {} |\n", mutant.name, mutant.rule);
  return page;
}

}  // namespace lockproof::conformance::redis
