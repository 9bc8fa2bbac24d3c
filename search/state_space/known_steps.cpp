// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/known_steps.hpp"

#include <algorithm>

namespace lockproof::sim {
namespace {

void set(Glance& glance, bool is, Glance::Flag flag) {
  if (is) glance.flags = static_cast<std::uint16_t>(glance.flags | flag);
}

}  // namespace

KnownSteps::KnownSteps(Product& product)
    : hosts(product.host_count_), notes(product.monitor_states_),
      rows(notes, product.shared_.events, product.shared_.sites), p_(product) {}

Glance KnownSteps::of_group(const Group& group, std::size_t client) {
  Glance glance{.due = group.due, .tokens = group.tokens, .known = group.known};
  glance.requests = group.requests;
  glance.replies = group.replies != 0;
  set(glance, group.locals > 0 || group.requests != 0 || group.replies != 0, Glance::acts);
  set(glance, group.locals > 0, Glance::has_locals);
  set(glance, group.plans, Glance::plans);
  set(glance, group.may_undo, Glance::may_undo);
  set(glance, group.inside, Glance::inside);
  set(glance, group.entitled, Glance::entitled);
  set(glance, group.interested, Glance::interested);
  set(glance, group.over || group.wants, Glance::rests);
  set(glance, group.wants, Glance::wants);
  set(glance, group.idle != 0, Glance::idle_wire);
  set(glance, (group.known & ~bit_of(token_name(static_cast<int>(client), 1))) != 0, Glance::other_names);
  return glance;
}

Glance KnownSteps::of_site(const Host::Glance& site) {
  Glance glance{.due = site.due, .tokens = site.tokens};
  set(glance, site.due == Duration{} && site.locals > 0, Glance::own);
  set(glance, site.holds, Glance::holds);
  return glance;
}

void KnownSteps::look() {
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    while (hosts[i].size() < p_.groups_[i]->size()) hosts[i].add(of_group(p_.groups_[i]->at(hosts[i].size()), i));
  }
  for (std::size_t i = p_.clients_; i < hosts.size(); ++i) {
    while (hosts[i].size() < p_.hosts_[i]->size()) hosts[i].add(of_site(p_.hosts_[i]->glance(hosts[i].size())));
  }
}

std::uint32_t KnownSteps::add_span(Duration of) {
  spans_.insert(static_cast<std::uint32_t>(of.count()), static_cast<std::uint32_t>(of.count() >> 32), span_count_);
  return span_count_++;
}

std::uint64_t KnownSteps::bytes() const {
  std::uint64_t bytes = notes.bytes() + rows.bytes();
  for (const Glances& one : hosts) bytes += one.bytes();
  return bytes;
}

}  // namespace lockproof::sim
