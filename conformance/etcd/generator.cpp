// SPDX-License-Identifier: Apache-2.0
#include "conformance/etcd/generator.hpp"

namespace lockproof::conformance::etcd {
namespace {

constexpr const char* key_names[] = {"q/a", "q/b", "q/c", "q", "qq", "r/a"};
constexpr const char* key_prefixes[] = {"q/", "q/", "q/", "q", "r/", "s/"};
constexpr const char* request_verbs[] = {
    "PUT-IF-ABSENT", "PUT-IF-ABSENT", "PUT-IF-ABSENT",   "PUT-IF-ABSENT", "GET",
    "DELETE",        "DELETE-IF",     "LAST-BEFORE",     "LAST-BEFORE",   "LEASE-GRANT",
    "LEASE-GRANT",   "LEASE-REVOKE",  "LEASE-KEEPALIVE", "WATCH",         "WATCH"};
/// The server grants two seconds at least.
constexpr int short_times[] = {1, 2, 2, 3}, long_times[] = {300, 600, 900};
constexpr Step::Kind kinds_at_an_end[] = {Step::Kind::knock, Step::Kind::sustain, Step::Kind::outlive};
constexpr int revisions_back_most = 4, shown_back_most = 3;

}  // namespace

Step Generator::restart(int client) {
  return {.kind = Step::Kind::restart,
          .client = client,
          .name = one_of(key_names),
          .prefix = one_of(key_prefixes),
          .lease = 1 + static_cast<int>(random_.below(leases)),
          .seconds = one_of(short_times)};
}

Step Generator::next() {
  Step step{.client = 1 + static_cast<int>(random_.below(clients))};
  if (chance(25)) return {.kind = Step::Kind::reconnect, .client = step.client};
  if (short_leases_ && chance(4)) return restart(step.client);
  if (short_leases_ && chance(10)) return {.kind = Step::Kind::stand};
  step.verb = one_of(request_verbs);
  step.lease = 1 + static_cast<int>(random_.below(leases));
  if (short_leases_ && chance(40)) {
    step.kind = one_of(kinds_at_an_end);
    step.verb.clear();
    if (step.kind == Step::Kind::outlive) step.name = one_of(key_names), step.prefix = one_of(key_prefixes);
  } else if (step.verb == "WATCH") {
    step = {.kind = Step::Kind::watch, .client = step.client, .back = static_cast<int>(random_.below(shown_back_most))};
  } else if (step.verb == "LEASE-GRANT") {
    step.seconds = short_leases_ && chance(500) ? one_of(short_times) : one_of(long_times);
  } else if (!step.verb.starts_with("LEASE-")) {
    step.name = step.verb == "LAST-BEFORE" ? one_of(key_prefixes) : one_of(key_names);
    if (step.verb != "PUT-IF-ABSENT" || chance(300)) step.lease = 0;
    if (step.verb == "PUT-IF-ABSENT") step.prefix = one_of(key_prefixes);
    const bool asks_for_revision = step.verb == "DELETE-IF" || step.verb == "LAST-BEFORE";
    if (asks_for_revision) step.back = static_cast<int>(random_.below(revisions_back_most)) - 1;
  }
  return step;
}

}  // namespace lockproof::conformance::etcd
