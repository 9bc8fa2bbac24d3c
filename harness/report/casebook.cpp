// SPDX-License-Identifier: Apache-2.0
#include "harness/report/casebook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "harness/scenario/file/parse_twin.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::harness {
namespace {

template <class Entry>
Entry* entry_of(std::vector<Entry>& entries, const std::string& id) {
  const auto found = std::ranges::find_if(entries, [&](const Entry& entry) { return entry.of->id == id; });
  return found == entries.end() ? nullptr : &*found;
}

template <class Entry>
std::string not_listed(const Scenario& scenario, const std::string& id, const std::vector<Entry>& entries,
                       const char* what) {
  std::vector<std::string> ids;
  for (const Entry& entry : entries) ids.push_back(entry.of->id);
  const auto near = nearest(id, ids);
  return fmt::format("{}: [case] names the {} '{}', which {} does not list{}", scenario.file, what, id, cases_file,
                     near ? fmt::format("; did you mean '{}'?", *near) : "");
}

void add(CaseEntry& entry, const Scenario& scenario) {
  switch (scenario.documented->role) {
    case CaseReference::Role::shows: return entry.shows.push_back(&scenario);
    case CaseReference::Role::fix: return entry.fixes.push_back(&scenario);
    case CaseReference::Role::fix_fails: return entry.failing_fixes.push_back(&scenario);
    case CaseReference::Role::twin: return entry.twins.push_back(&scenario);
  }
}

/// A fix that is called as the twin of a scenario that shows the failure is its twin, too: where no fault is the cause.
void add_twins(CaseEntry& entry) {
  for (const Scenario* fix : entry.fixes) {
    const auto its = [&](const Scenario* one) { return twin_file(one->file) == fix->file; };
    if (std::ranges::any_of(entry.shows, its)) entry.twins.push_back(fix);
  }
}

std::string lacking(const CaseEntry& entry) {
  const bool has_fix = !entry.fixes.empty() || !entry.failing_fixes.empty();
  const bool any = entry.shown() || has_fix;
  if (!entry.of->missing.empty()) return any ? "is said to be missing, and scenarios are about it" : "";
  if (!entry.shown()) return "no scenario shows it, and nothing says why";
  if (entry.twins.empty()) return "no twin";
  if (has_fix) return entry.of->no_fix.empty() ? "" : "is said to have no fix, and a scenario has one";
  return entry.of->no_fix.empty() ? "no fix, and nothing says why" : "";
}

std::string lacking(const ClaimEntry& entry) {
  if (!entry.of->missing.empty()) return entry.shown() ? "is said to be missing, and scenarios decide it" : "";
  return entry.shown() ? "" : "no scenario decides it, and nothing says why";
}

}  // namespace

bool Casebook::complete() const {
  const auto lacks = [](const auto& entry) { return !entry.lacks.empty(); };
  return unknown.empty() && std::ranges::none_of(cases, lacks) && std::ranges::none_of(claims, lacks);
}

Casebook casebook(const CaseList& list, const std::vector<Scenario>& scenarios) {
  Casebook book;
  for (const DocumentedCase& one : list.cases) book.cases.emplace_back().of = &one;
  for (const NotesClaim& one : list.claims) book.claims.emplace_back().of = &one;
  for (const Scenario& scenario : scenarios) {
    if (!scenario.documented) continue;
    for (const std::string& id : scenario.documented->cases) {
      if (CaseEntry* entry = entry_of(book.cases, id)) {
        add(*entry, scenario);
      } else {
        book.unknown.push_back(not_listed(scenario, id, book.cases, "case"));
      }
    }
    for (const std::string& id : scenario.documented->claims) {
      if (ClaimEntry* entry = entry_of(book.claims, id)) {
        entry->decided_by.push_back(&scenario);
      } else {
        book.unknown.push_back(not_listed(scenario, id, book.claims, "claim"));
      }
    }
  }
  for (CaseEntry& entry : book.cases) {
    add_twins(entry);
    entry.lacks = lacking(entry);
  }
  for (ClaimEntry& entry : book.claims) entry.lacks = lacking(entry);
  return book;
}

std::vector<CaseEntry> cases_about(const Casebook& book, std::string_view word) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  const auto same = [&](char one, char other) { return lower(one) == lower(other); };
  const auto mentions = [&](std::string_view text) {
    return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
  };
  const auto published = [&](const Publication& one) {
    return mentions(one.repo) || mentions(one.url) || mentions(one.note);
  };
  const auto shows = [&](const Scenario* scenario) {
    return mentions(scenario->file) || mentions(scenario->title) || mentions(scenario->algorithm->name) ||
           mentions(row_of(scenario->algorithm->service).name) ||
           std::ranges::any_of(scenario->faults, [&](const Fault& fault) { return mentions(name(fault.kind)); });
  };
  std::vector<CaseEntry> found;
  for (const CaseEntry& entry : book.cases) {
    const DocumentedCase& of = *entry.of;
    const bool said = mentions(of.id) || mentions(of.group) || mentions(of.title) || mentions(of.happened) ||
                      mentions(of.fix) || std::ranges::any_of(of.sources, published);
    if (said || std::ranges::any_of(entry.shows, shows)) found.push_back(entry);
  }
  return found;
}

std::string role_name(CaseReference::Role role) {
  const auto choices = role_choices();
  return std::string(
      std::ranges::find(choices, role, &std::pair<std::string_view, CaseReference::Role>::second)->first);
}

std::vector<Publication> sources_of(const CaseEntry& entry) {
  std::vector<Publication> sources = entry.of->sources;
  for (const Scenario* scenario : entry.shows) {
    for (const Publication& source : scenario->documented->sources) {
      if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
    }
  }
  return sources;
}

std::string name_below(const std::string& folder, const std::string& file) {
  return std::filesystem::path(file).lexically_relative(folder).generic_string();
}

std::string to_text(const Publication& source) {
  std::string text = source.repo.empty() ? source.url : source.repo;
  if (source.issue) text += fmt::format(" #{}", *source.issue);
  if (text.empty()) return source.note;
  if (!source.note.empty()) text += fmt::format(" ({})", source.note);
  return text;
}

std::string address(const Publication& source) {
  if (source.repo.empty()) return source.url;
  if (!source.url.empty()) return source.url;
  const std::string repo = "https://github.com/" + source.repo;
  return source.issue ? fmt::format("{}/issues/{}", repo, *source.issue) : repo;
}

}  // namespace lockproof::harness
