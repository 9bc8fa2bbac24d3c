// SPDX-License-Identifier: Apache-2.0
#include "search/core/test_coverage.hpp"

namespace lockproof::sim {

void TestCoverage::add(const TestCoverage& more) {
  acquired |= more.acquired;
  contended |= more.contended;
  struck.insert(more.struck.begin(), more.struck.end());
  of_budget.insert(more.of_budget.begin(), more.of_budget.end());
  rounds.add(more.rounds);
}

void TestCoverage::write(CheckpointOut& out) const {
  for (const bool b : {acquired, contended}) out.number(b);
  out.number(struck.size());
  for (const int fault : struck) out.number(static_cast<std::uint64_t>(fault));
  out.number(of_budget.size());
  for (const auto& [entry, form] : of_budget) {
    out.number(entry);
    out.number(form);
  }
  out.number(rounds.fenced);
  for (const auto* list : {&rounds.begun, &rounds.granted}) {
    out.number(list->size());
    for (const auto& [client, number] : *list) {
      out.number(static_cast<std::uint64_t>(client));
      out.number(static_cast<std::uint64_t>(number));
    }
  }
}

void TestCoverage::read(CheckpointIn& in) {
  for (bool* b : {&acquired, &contended}) *b = in.number() != 0;
  for (std::uint64_t left = in.number(); left > 0; --left) struck.insert(in.small());
  for (std::uint64_t left = in.number(); left > 0; --left) {
    const std::uint64_t entry = in.number();
    of_budget.insert({entry, in.number()});
  }
  rounds.fenced = in.number() != 0;
  for (auto* list : {&rounds.begun, &rounds.granted}) {
    for (std::uint64_t left = in.number(); left > 0; --left) {
      const int client = in.small();
      list->insert({client, in.small()});
    }
  }
}

}  // namespace lockproof::sim
