// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/known_steps.hpp"

#include <algorithm>

namespace lockproof::sim {
namespace {

void set(Summary& summary, bool is, Summary::Flag flag) {
  if (is) summary.flags = static_cast<std::uint16_t>(summary.flags | flag);
}

}  // namespace

KnownSteps::KnownSteps(Product& product)
    : hosts(product.host_count_), notes(product.monitor_states_),
      rows(notes, product.shared_.events, product.shared_.sites), p_(product) {}

Summary KnownSteps::of_group(const Group& group, std::size_t client) {
  Summary summary{.due = group.due, .tokens = group.tokens, .known = group.known};
  summary.requests = group.requests;
  summary.replies = group.replies != 0;
  set(summary, group.locals > 0 || group.requests != 0 || group.replies != 0, Summary::acts);
  set(summary, group.locals > 0, Summary::has_locals);
  set(summary, group.plans, Summary::plans);
  set(summary, group.may_undo, Summary::may_undo);
  set(summary, group.inside, Summary::inside);
  set(summary, group.entitled, Summary::entitled);
  set(summary, group.interested, Summary::interested);
  set(summary, group.over || group.wants, Summary::rests);
  set(summary, group.wants, Summary::wants);
  set(summary, group.idle != 0, Summary::idle_wire);
  set(summary, (group.known & ~bit_of(token_name(static_cast<int>(client), 1))) != 0, Summary::other_names);
  return summary;
}

Summary KnownSteps::of_site(const Host::Summary& site) {
  Summary summary{.due = site.due, .tokens = site.tokens};
  set(summary, site.due == Duration{} && site.locals > 0, Summary::own);
  set(summary, site.holds, Summary::holds);
  return summary;
}

void KnownSteps::look() {
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    while (hosts[i].size() < p_.groups_[i]->size()) hosts[i].add(of_group(p_.groups_[i]->at(hosts[i].size()), i));
  }
  for (std::size_t i = p_.clients_; i < hosts.size(); ++i) {
    while (hosts[i].size() < p_.hosts_[i]->size()) hosts[i].add(of_site(p_.hosts_[i]->summary(hosts[i].size())));
  }
}

std::uint32_t KnownSteps::add_span(Duration of) {
  spans_.insert(static_cast<std::uint32_t>(of.count()), static_cast<std::uint32_t>(of.count() >> 32), span_count_);
  return span_count_++;
}

std::uint64_t KnownSteps::bytes() const {
  std::uint64_t bytes = notes.bytes() + rows.bytes();
  for (const Summaries& one : hosts) bytes += one.bytes();
  return bytes;
}

}  // namespace lockproof::sim
