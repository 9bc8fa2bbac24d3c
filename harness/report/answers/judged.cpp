// SPDX-License-Identifier: Apache-2.0
#include "harness/report/answers/judged.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/report/text/headed.hpp"
#include "harness/report/text/plural.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;

std::string instant_text(Duration at) { return fmt::format("{:.3f} s", static_cast<double>(at.count()) / 1e6); }

std::string clock_text(const std::pair<Duration, Duration>& ahead) {
  const auto ms = [](Duration d) { return static_cast<double>(d.count()) / 1e3; };
  return fmt::format("its clock is {:+.1f} to {:+.1f} ms from the server's", ms(ahead.first), ms(ahead.second));
}

std::string client_text(const JudgedClient& client) {
  std::string text = fmt::format("  {}  {}", client.name,
                                 client.worker.empty() ? "no log is known to be its" : printable(client.worker));
  if (!client.connection.empty()) text += fmt::format(", {}", printable(client.connection));
  if (client.ahead) text += ", " + clock_text(*client.ahead);
  return text + fmt::format("; got the lock {} time{}\n", client.grants, client.grants == 1 ? "" : "s");
}

std::string property_text(const JudgedProperty& one, bool has_doubts) {
  if (one.violated == Certainty::none) {
    return fmt::format("  {:<18}  {}\n", one.name, has_doubts ? "cannot be told" : "no violation");
  }
  return fmt::format("  {:<18}  {}\n      {}\n", one.name,
                     one.violated == Certainty::certain ? "violated" : "possibly violated", one.what);
}

std::string gap_text(const JudgedGap& gap, const JudgedReport& report) {
  if (!gap.silent) {
    return fmt::format(
        "  {} was heard of from {} on, and worked on when its lease had ended at {}: its work took longer, or nothing "
        "renewed the lease.\n",
        gap.client, instant_text(gap.from), instant_text(gap.lease_end));
  }
  if (!gap.to) {
    return fmt::format(
        "  {} was silent from {} to the end of the logs; its lease ended at {}: a crash, a cut of its connection, or a "
        "pause that went on.\n",
        gap.client, instant_text(gap.from), instant_text(gap.lease_end));
  }
  std::string text = fmt::format(
      "  {} was silent from {} to {} ({}), and its lease ended at {}, {} before. It went on, so it had not crashed: a "
      "pause, a cut of its connection, or longer work.",
      gap.client, instant_text(gap.from), instant_text(*gap.to), instant_text(*gap.to - gap.from),
      instant_text(gap.lease_end), instant_text(*gap.to - gap.lease_end));
  if (report.usual_work) text += fmt::format(" Its kind of work takes {} elsewhere.", instant_text(*report.usual_work));
  return text + "\n";
}

std::string nearest_text(const JudgedReport& report) {
  if (report.nearest.empty()) return "No lock of the catalogue sends such commands.\n";
  const bool close = report.shared * 2 > report.sorts;
  std::string text = fmt::format("Nearest lock of the catalogue: {}", fmt::join(report.nearest, " or "));
  text += fmt::format(" ({} of {} sorts of commands agree{})\n", report.shared, report.sorts,
                      close ? "" : ": a poor fit, so no scenario is made");
  if (report.nearest.size() > 1) text += "Their commands do not tell them apart; the scenario has the first.\n";
  return text;
}

std::string reproduction_text(const Reproduction& made) {
  if (!made.shows_it) {
    return fmt::format(
        "No scenario with {} and this gap as a pause, as longer work or as a cut shows the same: the cause is "
        "another.\n",
        made.lock);
  }
  return fmt::format("A scenario with {} and this gap as {} shows the same: {}.\n{}", made.lock, made.cause, made.what,
                     made.file.empty() ? "--out DIR writes it.\n" : "");
}

}  // namespace

std::string_view name(Certainty certainty) {
  switch (certainty) {
    case Certainty::none: return "none";
    case Certainty::possible: return "possible";
    case Certainty::certain: return "certain";
  }
  return "";
}

Certainty JudgedReport::worst() const {
  Certainty most = Certainty::none;
  for (const JudgedProperty& one : properties) most = std::max(most, one.violated);
  return most;
}

std::string judged_text(const JudgedReport& r) {
  const bool has_server = !r.key.empty();
  std::string text =
      !has_server ? fmt::format("{} in {}, {}; no log of the server\n1 s is {}; all times are the workers' own.\n\n",
                                plural(r.clients.size(), "worker"), instant_text(r.length),
                                r.grants == 1 ? "1 entry" : fmt::format("{} entries", r.grants), r.begin)
                  : fmt::format("{}: {} commands in {}, {} grants{}\n1 s is {}; all times are the server's.\n\n",
                                printable(r.key), r.commands, instant_text(r.length), r.grants,
                                r.lease ? fmt::format(", a lease of {}", to_text(*r.lease)) : ", no lease", r.begin);
  for (const JudgedClient& client : r.clients) text += client_text(client);
  for (std::size_t i = 0; i < r.locks.size() && r.locks.size() > 1; ++i) {
    text += fmt::format("  lock-{}  {}\n", i + 1, printable(r.locks[i]));
  }
  text += "\n";
  for (const JudgedProperty& one : r.properties) text += property_text(one, r.has_doubts);
  if (r.worst() == Certainty::certain) {
    text += fmt::format("  Certain, if no worker's clock is further than {} from {} (--clocks).\n", to_text(r.clocks),
                        has_server ? "the server's" : "the true time, and no line of their logs is missing");
  }
  if (!r.gaps.empty()) text += "\nGaps\n";
  for (const JudgedGap& gap : r.gaps) text += gap_text(gap, r);
  if (!r.remarks.empty()) text += "\nWhat the logs do not tell\n";
  for (const std::string& one : r.remarks) text += "  " + printable(one) + "\n";
  if (has_server) text += "\n" + nearest_text(r);
  return text + (r.reproduction ? reproduction_text(*r.reproduction) : "");
}

std::string judged_json(const JudgedReport& r) {
  Json clients = Json::array(), properties = Json::array(), gaps = Json::array();
  for (const JudgedClient& one : r.clients) {
    Json client{{"name", one.name}, {"worker_known", !one.worker.empty()}, {"grants", one.grants}};
    if (one.ahead) client["clock_ahead_us"] = {one.ahead->first.count(), one.ahead->second.count()};
    clients.push_back(client);
  }
  for (const JudgedProperty& one : r.properties) {
    properties.push_back({{"property", one.name}, {"violated", std::string(name(one.violated))}, {"what", one.what}});
  }
  for (const JudgedGap& one : r.gaps) {
    gaps.push_back({{"client", one.client},
                    {"from_us", one.from.count()},
                    {"lease_end_us", one.lease_end.count()},
                    {"to_us", one.to ? Json(one.to->count()) : Json(nullptr)},
                    {"silent", one.silent}});
  }
  Json reproduction = nullptr;
  if (r.reproduction) {
    reproduction = {{"lock", r.reproduction->lock},
                    {"cause", r.reproduction->cause},
                    {"shows_it", r.reproduction->shows_it},
                    {"what", r.reproduction->what}};
  }
  return document(Json{{"violated", std::string(name(r.worst()))},
                       {"has_doubts", r.has_doubts},
                       {"commands", r.commands},
                       {"grants", r.grants},
                       {"locks", r.locks.size()},
                       {"lease_us", r.lease ? Json(r.lease->count()) : Json(nullptr)},
                       {"clocks_us", r.clocks.count()},
                       {"clients", clients},
                       {"properties", properties},
                       {"gaps", gaps},
                       {"not_told", r.anonymous_remarks},
                       {"nearest", r.nearest},
                       {"sorts_shared", r.shared},
                       {"sorts", r.sorts},
                       {"reproduction", reproduction}});
}

}  // namespace lockproof::harness
