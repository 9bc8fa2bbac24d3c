// SPDX-License-Identifier: Apache-2.0
#include "search/reduction/naming_chooser.hpp"

#include "harness/report/text/fault_text.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::sim {

std::size_t NamingChooser::first_of(std::size_t count, const NameOf& name) {
  const std::size_t chosen = inner_.first_of(count, name);
  event_ = harness::to_text(name(chosen));
  struck_ = world_->faults().size();
  return chosen;
}

std::optional<Ask> NamingChooser::ask(const AskOffer& offer) {
  const std::optional<Ask> chosen = inner_.ask(offer);
  if (chosen) {
    event_ = harness::to_text(offer.name(chosen->client));
    struck_ = world_->faults().size();
  }
  return chosen;
}

std::string NamingChooser::event() const {
  std::string text = event_;
  for (std::size_t i = struck_; i < world_->faults().size(); ++i) {
    text += "\n" + harness::fault_text_without_place(world_->faults()[i]);
  }
  return text;
}

std::vector<std::string> inside(const World& world) {
  std::vector<std::string> clients;
  for (std::size_t i = 0; i < world.scenario().clients.size(); ++i) {
    const Process& process = world.process(i);
    const bool works = !process.crashed() && !process.worker_killed();
    if (works && process.life().inside()) clients.push_back(world.scenario().clients[i].name);
  }
  return clients;
}

}  // namespace lockproof::sim
