// SPDX-License-Identifier: Apache-2.0
#include "execution/bench/bench_scenarios.hpp"

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/setup.hpp"

namespace lockproof::execution {

namespace {

using namespace std::chrono_literals;
using harness::to_text;

constexpr int watched_leases_simulated = 30, watched_leases_real = 3;  // then a lock counts as never freed

constexpr Duration rivals_apart = 13ms;

/// A run of many clients that wake each other has as many events in half the time as a history may have.
Duration simulated_window(int clients) { return clients > 16 ? 5s : 10s; }

/// Real time is dear: long enough for a few hundred acquisitions, with many clients for some waits of each.
Duration real_window(int clients) { return 300ms + clients * 30ms; }

std::string head(const harness::BenchSetup& setup, const BenchSubject& subject, std::string_view what) {
  const Algorithm& lock = subject.algorithm;
  return fmt::format("title = \"{} with {} clients: {}\"\n\n{}\n{}\n[network]\nlatency = [\"{}\", \"{}\"]\n\n",
                     lock.name, subject.clients, what, harness::algorithm_table(lock, subject.folder),
                     harness::servers_tables(lock, setup.redlock_servers), to_text(setup.latency.least),
                     to_text(setup.latency.most));
}

}  // namespace

harness::BenchSetup bench_setup() {
  return {.hold = 2ms,
          .think_time = 2ms,
          .lease = 1s,
          .latency = {100us, 400us},
          .redlock_servers = 5,
          .clients = {2, 8, 32},
          .runs = 3};
}

std::string load_scenario_text(const harness::BenchSetup& setup, const BenchSubject& subject) {
  const int clients = subject.clients;
  const Duration window = subject.world == WorldKind::simulated ? simulated_window(clients) : real_window(clients);
  return head(setup, subject, "how fast it is") +
         fmt::format(
             "[workload]\nclients = {}\nrounds = 1000000\nlease = \"{}\"\nacquire_timeout = \"1h\"\nthink_time = "
             "\"{}\"\n"
             "work = [\"hold {}\"]\n\n"
             "[run]\nhorizon = \"{}\"\ngrid = \"10us\"\n\n[real]\nspeedup = 1\n",
             clients, to_text(setup.lease), to_text(setup.think_time), to_text(setup.hold), to_text(window));
}

std::string crash_scenario_text(const harness::BenchSetup& setup, const BenchSubject& subject) {
  const int clients = subject.clients;
  const int leases = subject.world == WorldKind::simulated ? watched_leases_simulated : watched_leases_real;
  std::string text =
      head(setup, subject, "a holder crashes") +
      fmt::format("[workload]\nclients = {}\nlease = \"{}\"\nacquire_timeout = \"1h\"\nwork = [\"hold {}\"]\n\n",
                  clients, to_text(setup.lease), to_text(setup.hold));
  for (int rival = 2; rival <= clients; ++rival) {  // not in step with each other, nor with the lease
    text += fmt::format("[[client]]\nname = \"client-{}\"\nstart = \"{}\"\n\n", rival,
                        to_text(setup.lease / 4 + rivals_apart * (rival - 1)));
  }
  text += "[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\n\n";
  return text + fmt::format("[run]\nhorizon = \"{}\"\ngrid = \"10us\"\n\n[real]\nspeedup = 1\n",
                            to_text(setup.lease * leases));
}

}  // namespace lockproof::execution
