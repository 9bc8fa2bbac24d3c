// SPDX-License-Identifier: Apache-2.0
// Director's part that makes faults strike. Faults of messages, clocks and whole hosts that stand still need nothing
// here but what the history says anyway: when each message arrives, what each clock shows, which hosts do nothing
// meanwhile.
#include <fmt/format.h>

#include <algorithm>

#include "real/trace_replay/director.hpp"
#include "real/trace_replay/shown.hpp"

namespace lockproof::real {

using harness::Event;
using harness::HostIndex;

Event Director::strike(const Event& event) {
  ++result_.faults;
  listen(event.at);
  if (event.word == "partition") cut(event);
  if (is_client(event.host)) {
    strike_client(event);
    return event;
  }
  if (is_resource(event.host)) return event;
  StagedServer& hit = server(event.host);
  Event enacted = event;
  if (event.word == "failover") {
    promote(event);
    return enacted;
  }
  if (hit.down()) return enacted;
  hit.set_clock(event.clocks.wall_ms);
  const bool wakes = hit.stands() && (event.word == "evict" || event.word.ends_with("flush"));
  if (wakes) hit.go_on();
  strike_server(event);
  if (!hit.down() && !hit.stands()) {
    compare_effects(event, hit.take_effects(event.clocks.wall_ms), enacted);
  }
  if (wakes) hit.stop();
  return enacted;
}

void Director::strike_client(const Event& event) {
  if (event.word == "crash") client(event.host).crash();
  if (event.word == "kill-task") client(event.host).kill_worker();
  if (event.word != "retry") return;
  const auto strike = std::ranges::find_if(predicted_.events, [&](const Event& one) { return &one == &event; });
  const auto leaves = std::find_if(strike, predicted_.events.end(), [&](const Event& one) {
    return one.what == harness::What::send && one.host == event.host;
  });
  if (leaves != predicted_.events.end()) client(event.host).takes_back(*leaves);
}

void Director::strike_server(const Event& event) {
  StagedServer& hit = server(event.host);
  if (harness::stands_still(event.word)) {
    hit.stop();
    if (const auto replica = replicas_.find(event.host); replica != replicas_.end()) ++replica->second.paused;
  }
  if (event.word == "restart") hit.shut_down();
  if (event.word == "power-cut") hit.lose_power(event.at);
  if (event.word == "flush") hit.flush();
  if (event.word == "script-flush") (void)hit.ask({"SCRIPT", "FLUSH"});
  if (event.word == "client-pause") {
    throw NotReproducible(
        "what a CLIENT PAUSE keeps waiting runs when the server's cron finds that its clock has passed the end");
  }
  if (event.word == "evict" && !hit.evict(scenario_.lock)) {
    throw NotReproducible(fmt::format("{} would evict other keys as well", name(event.host)));
  }
  if (event.word == "demotion") demote(event);
  if (event.word == "clock-jump") hit.jumped(Duration(*event.value));
  if (hit.down()) unlink(event.host);
}

void Director::heal(const Event& event) {
  listen(event.at);
  if (is_client(event.host) || is_resource(event.host)) return;
  if (harness::stands_still(event.word)) {
    server(event.host).go_on();
    if (const auto replica = replicas_.find(event.host); replica != replicas_.end()) --replica->second.paused;
  }
  if (event.word == "restart" || event.word == "power-cut") bring_up(event);
}

}  // namespace lockproof::real
