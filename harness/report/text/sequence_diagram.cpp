// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/sequence_diagram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/report/text/printable.hpp"
#include "harness/report/text/told_events.hpp"

namespace lockproof::harness {
namespace {

/// Mermaid ends a statement at ; and reads # as the begin of an entity. Its texts are HTML, and $$ is mathematics.
std::string escaped(std::string_view text) {
  constexpr std::string_view special = "#;<>&\"`$%{}\\";
  std::string all;
  for (const char c : printable(text)) {
    all += special.find(c) != std::string_view::npos ? fmt::format("#{};", static_cast<int>(c)) : std::string(1, c);
  }
  return all;
}

/// Mermaid takes %%{ … }%% for its settings, wherever it stands.
std::string in_comment(std::string_view text) {
  std::string all = printable(text);
  for (std::size_t at = 0; (at = all.find("%%", at)) != std::string::npos;) all.replace(at, 2, "#37;#37;");
  return all;
}

/// In lines, since Mermaid lets a long note run out of the picture.
std::string wrapped(std::string_view text) {
  constexpr std::size_t note_columns = 44;
  std::string all;
  std::size_t begin = 0;
  while (text.size() - begin > note_columns) {
    const std::size_t space = text.find(' ', begin + note_columns);
    if (space == std::string_view::npos) break;
    all += escaped(text.substr(begin, space - begin)) + "<br/>";
    begin = space + 1;
  }
  return all + escaped(text.substr(begin));
}

class Diagram {
 public:
  Diagram(const History& history, const std::vector<check::ComparedFinding>& properties) : history_(history) {
    for (const check::ComparedFinding& compared : properties) {
      const check::Finding& finding = compared.finding;
      if (finding.verdict == check::Verdict::violated && !finding.events.empty()) violations_.push_back(&finding);
    }
    const auto shown_at = [](const check::Finding* finding) { return finding->events.back(); };
    std::ranges::stable_sort(violations_, {}, shown_at);
    std::ranges::reverse(violations_);
    for (const Event& e : history.events) {
      if (e.what == What::execute) executed_.emplace(e.peer, e.host, e.message);
      if (e.what == What::send) sent_[{e.host, e.peer, e.message}] = &e;
    }
  }

  std::string draw(std::string_view origin) {
    all_ = fmt::format("sequenceDiagram\n  %% {}\n", in_comment(origin));
    for (std::size_t i = 0; i < history_.header.hosts.size(); ++i) {
      add("participant {} as {}", id(static_cast<HostIndex>(i)), escaped(history_.header.hosts[i].name));
    }
    for (const ToldEvent& told : told_events(history_)) {
      while (!violations_.empty() && violations_.back()->events.back() < told.position) draw_violation();
      const Event& event = history_.events[told.position];
      const std::string said = told.effects.empty() ? told.text : told.text + "   " + told.effects;
      told.folds ? draw_note(event, said) : draw_event(event, said);
    }
    while (!violations_.empty()) draw_violation();
    return all_;
  }

 private:
  using Call = std::tuple<HostIndex, HostIndex, int>;  // client, server, number

  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    all_ += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  /// Names of hosts may be words of the language.
  std::string id(HostIndex host) const {
    constexpr std::string_view letters = "csr";
    const HostKind kind = history_.host_kind(host);
    const auto before = history_.header.hosts.begin() + host + 1;
    const auto number =
        std::count_if(history_.header.hosts.begin(), before, [&](const Host& h) { return h.kind == kind; });
    return fmt::format("{}{}", letters[static_cast<std::size_t>(kind)], number);
  }

  void draw_event(const Event& e, const std::string& told) {
    switch (e.what) {
      case What::send:
        if (!ends(e)) draw_arrow(e, e.host, "-)", e.peer, text(*e.command) + ", in flight at the end");
        break;
      case What::execute:
        if (e.message == 0) return draw_note(e, told);
        draw_arrow(e, e.peer, "->>", e.host, text(*e.command));
        break;
      case What::receive: draw_arrow(e, e.peer, "-->>", e.host, text(*e.reply)); break;
      case What::discard: draw_arrow(e, e.peer, "-->>", e.host, text(*e.reply) + ", too late"); break;
      case What::refused: draw_arrow(e, e.host, "-x", e.peer, command_of(e) + ", refused"); break;
      case What::drop:
        if (e.word == "request") return draw_arrow(e, client_of(e), "-x", server_of(e), command_of(e) + ", lost");
        draw_arrow(e, server_of(e), "--x", client_of(e), "the reply to " + command_of(e) + ", lost");
        break;
      case What::replicate: draw_arrow(e, e.peer, "-)", e.host, text(*e.command)); break;
      case What::enter:
        add("activate {}", id(e.host));
        inside_.insert(e.host);
        draw_note(e, told);
        break;
      case What::end: break;
      default:
        if (!ends_work(e) || e.what == What::strike || e.word != "finished") draw_note(e, told);
        if (ends_work(e) && inside_.erase(e.host) > 0) add("deactivate {}", id(e.host));
    }
  }

  void draw_arrow(const Event& e, HostIndex from, std::string_view arrow, HostIndex to, const std::string& said) {
    add("{}{}{}: {} {}", id(from), arrow, id(to), check::seconds_text(e.at), escaped(said));
  }

  void draw_note(const Event& e, const std::string& said) {
    add("Note over {}: {} {}", id(e.host), check::seconds_text(e.at), escaped(said));
  }

  /// Over the hosts of the first and the last of its events.
  void draw_violation() {
    const check::Finding& finding = *violations_.back();
    violations_.pop_back();
    const HostIndex first = history_.events[finding.events.front()].host;
    const HostIndex last = history_.events[finding.events.back()].host;
    if (last == no_host) return;
    const std::string over = first == last || first == no_host ? id(last) : id(first) + "," + id(last);
    const std::string kind = finding.kind.empty() ? "" : " (" + finding.kind + ")";
    add("Note over {}: ✗ {}{} violated:<br/>{}", over, finding.property, kind, wrapped(finding.what));
  }

  [[nodiscard]] bool is_client(HostIndex host) const { return history_.host_kind(host) == HostKind::client; }
  [[nodiscard]] HostIndex client_of(const Event& e) const { return is_client(e.host) ? e.host : e.peer; }
  [[nodiscard]] HostIndex server_of(const Event& e) const { return is_client(e.host) ? e.peer : e.host; }

  std::string command_of(const Event& e) const {
    const auto sent = sent_.find({client_of(e), server_of(e), e.message});
    return sent == sent_.end() ? "a command" : text(*sent->second->command);
  }

  /// Whether a later event tells what became of the command.
  bool ends(const Event& send) const {
    if (executed_.contains({send.host, send.peer, send.message})) return true;
    const auto tells = [&](const Event& e) {
      const bool is_lost = e.what == What::refused || (e.what == What::drop && e.word == "request");
      return is_lost && client_of(e) == send.host && server_of(e) == send.peer && e.message == send.message;
    };
    return std::ranges::any_of(history_.events, tells);
  }

  const History& history_;
  std::vector<const check::Finding*> violations_;  // the first is at the end
  std::set<Call> executed_;
  std::map<Call, const Event*> sent_;
  std::set<HostIndex> inside_;
  std::string all_;
};

}  // namespace

std::string sequence_diagram(const History& history, const std::vector<check::ComparedFinding>& properties,
                             std::string_view origin) {
  return Diagram(history, properties).draw(origin);
}

}  // namespace lockproof::harness
