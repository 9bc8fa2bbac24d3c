// SPDX-License-Identifier: Apache-2.0
#include "harness/report/pull_request/pull_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/check/verdict_text.hpp"
#include "harness/report/text/headed.hpp"
#include "harness/report/text/printable.hpp"

namespace lockproof::harness {
namespace {

using check::Agreement;
using check::ComparedFinding;

/// Text that is only text in Markdown, in a cell too: each mark that could begin something has a backslash.
std::string marked(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_{}[]<>()#!|~$&@").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// Code between backticks, which end where as many follow as it began with.
std::string code(std::string_view text) {
  const std::string shown = printable(text);
  std::string fence = "`";
  while (shown.find(fence) != std::string::npos) fence += '`';
  std::string out = fmt::format("{0}{1}{2}{1}{0}", fence, fence.size() > 1 ? " " : "", shown);
  for (std::size_t at = 0; (at = out.find('|', at)) != std::string::npos; at += 2) out.insert(at, "\\");
  return out;
}

std::string missed_text(const ComparedFinding& c) {
  return fmt::format("{} {}, expected {}", c.finding.property, text_of(c.finding), check::text_of(c.expected));
}

/// What of a run is not as expected.
std::vector<const ComparedFinding*> missed(const RunReport& report) {
  std::vector<const ComparedFinding*> all;
  for (const ComparedFinding& c : report.properties) {
    if (c.met == Agreement::no || c.met == Agreement::unknown) all.push_back(&c);
  }
  return all;
}

/// "mutual-exclusion violated (outlived)", of all that was found broken.
std::string broken_text(const RunReport& report) {
  std::vector<std::string> parts;
  for (const ComparedFinding& c : report.properties) {
    if (c.finding.verdict == check::Verdict::violated) parts.push_back(c.finding.property + " " + text_of(c.finding));
    if (c.finding.verdict == check::Verdict::unknown && c.finding.judged)
      parts.push_back(c.finding.property + " unknown");
  }
  return parts.empty() ? "nothing broken" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string sign(Agreement met) {
  switch (met) {
    case Agreement::yes: return "✅";
    case Agreement::no: return "❌";
    case Agreement::unknown: return "❔";
    case Agreement::unstated: return "➖";
  }
  return "";
}

std::string details(const RunReport& report) {
  std::string text =
      fmt::format("\n### {} {}, {}\n\n", sign(overall(report.properties)), code(report.file), report.world);
  for (const ComparedFinding* const c : missed(report)) {
    text += fmt::format("- **{}**{}\n", marked(missed_text(*c)),
                        c->finding.what.empty() ? "" : ": " + marked(c->finding.what));
  }
  if (!report.happened.empty()) text += fmt::format("\n{}\n", marked(report.happened));
  return text + fmt::format("\nReproduce: {}\n", code(report.reproduce));
}

std::string table(const std::vector<RunReport>& runs) {
  std::string text = "| | scenario | where | found |\n|---|---|---|---|\n";
  for (const RunReport& report : runs) {
    text += fmt::format("| {} | {} | {} | {} |\n", sign(overall(report.properties)), code(report.file), report.world,
                        marked(broken_text(report)));
  }
  return text;
}

std::string changes(const BaselineReport& baseline) {
  std::string text = fmt::format("\n### Since {}: {}\n", code(baseline.file), baseline.counts());
  if (!baseline.changes.empty()) text += "\n| | scenario | where | now | before |\n|---|---|---|---|---|\n";
  for (const BaselineChange& one : baseline.changes) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", name(one.kind), code(one.file), one.world,
                        one.property.empty() ? "" : marked(one.property + " " + one.now), marked(one.before));
  }
  for (const std::string& world : baseline.left_out)
    text += fmt::format("\nNot compared: {} runs, of which this check has none.\n", world);
  return text;
}

/// As GitHub reads it: in the data of a command, and in its properties besides.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

std::string annotation(std::string_view level, const FileLine& place, const std::string& title,
                       const std::string& text) {
  return fmt::format("::{} file={},line={},title={}::{}\n", level, escaped(printable(place.file), true), place.line,
                     escaped(printable(title), true), escaped(printable_lines(text), false));
}

FileLine place_of(const PullRequest& r, const std::string& file, const std::string& world,
                  const std::string& property) {
  const auto written = r.written.find(file);
  return written == r.written.end() ? FileLine{file, 1} : place_of(written->second, world, property);
}

}  // namespace

std::string summary_markdown(const PullRequest& r) {
  const auto met = [&](Agreement one) {
    return std::ranges::count_if(r.runs, [&](const RunReport& report) { return overall(report.properties) == one; });
  };
  std::string text = fmt::format("## lockproof: {} of {} runs as expected\n", met(Agreement::yes), r.runs.size());
  if (met(Agreement::unstated) > 0)
    text += fmt::format("\n{} not compared: `[expect]` says nothing of them.\n", met(Agreement::unstated));
  for (const UnreadableFile& one : r.unreadable) text += fmt::format("\n- ❌ {}\n", marked(one.why));
  for (const RunReport& report : r.runs) {
    if (!missed(report).empty()) text += details(report);
  }
  if (r.baseline) text += changes(*r.baseline);
  if (!r.more.empty()) text += "\n```text\n" + printable_lines(r.more) + "```\n";
  if (r.runs.size() < 2) return text + "\n" + table(r.runs);
  return text + "\n<details><summary>All runs</summary>\n\n" + table(r.runs) + "\n</details>\n";
}

std::string check_json(const PullRequest& r) {
  using Json = nlohmann::ordered_json;
  if (!r.baseline) return verdicts_json(r.runs, r.unreadable);
  Json changes = Json::array();
  for (const BaselineChange& one : r.baseline->changes) {
    Json change{{"change", std::string(name(one.kind))}, {"file", one.file}, {"world", one.world}};
    if (!one.property.empty()) change.update({{"property", one.property}, {"before", one.before}, {"now", one.now}});
    changes.push_back(std::move(change));
  }
  Json whole = Json::parse(verdicts_json(r.runs, r.unreadable));
  whole["baseline"] = {{"file", r.baseline->file},
                       {"differs", r.baseline->differs()},
                       {"changes", changes},
                       {"not_compared", r.baseline->left_out}};
  return document(whole);
}

std::string github_annotations(const PullRequest& r) {
  std::string text;
  for (const UnreadableFile& one : r.unreadable)
    text += annotation("error", place_in(one.why, one.file), "lockproof: no scenario", one.why);
  for (const RunReport& report : r.runs) {
    for (const ComparedFinding* const c : missed(report)) {
      const std::string why = c->finding.what.empty() ? "" : ": " + c->finding.what;
      text += annotation(c->met == Agreement::no ? "error" : "warning",
                         place_of(r, report.file, report.world, c->finding.property),
                         fmt::format("lockproof: {}, {}", report.scenario, report.world),
                         fmt::format("{}{}\nReproduce: {}", missed_text(*c), why, report.reproduce));
    }
  }
  if (!r.baseline) return text;
  for (const BaselineChange& one : r.baseline->changes) {
    if (one.kind != BaselineChange::Kind::changed) continue;
    text += annotation("warning", place_of(r, one.file, one.world, one.property),
                       fmt::format("lockproof: changed, {}", one.world),
                       fmt::format("{}: {}, before {}", one.property, one.now, one.before));
  }
  return text;
}

}  // namespace lockproof::harness
