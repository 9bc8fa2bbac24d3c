// SPDX-License-Identifier: Apache-2.0
#include "search/automata/renamed_host.hpp"

#include <numeric>
#include <utility>

#include "search/automata/client_places.hpp"

namespace lockproof::sim {
namespace {

Permutation exchange_of(const Sites& sites, std::size_t one, std::size_t other) {
  Permutation places(sites.clients());
  std::iota(places.begin(), places.end(), 0);
  if (sites.is_client(one)) std::swap(places[one], places[other]);
  return places;
}

/// The only host of a site.
harness::HostIndex host_of(const Sites& sites, std::size_t site) {
  if (sites.is_client(site)) return static_cast<harness::HostIndex>(site);
  return static_cast<harness::HostIndex>(sites.clients()) + sites.servers_of(site).front();
}

}  // namespace

RenamedHost::RenamedHost(SharedContext& shared, Host& model, std::size_t site)
    : Host(shared), model_(model), site_(site), places_(exchange_of(shared.sites, site, shared.kinds.model_of(site))),
      own_host_(host_of(shared.sites, site)), model_host_(host_of(shared.sites, shared.kinds.model_of(site))) {
  (void)counterpart(0);
}

Id RenamedHost::counterpart(Id of_model) {
  if (of_model < own_states_.size() && own_states_[of_model] != FlatMap::none) return own_states_[of_model];
  own_states_.resize(std::max<std::size_t>(own_states_.size(), of_model + std::size_t{1}), FlatMap::none);
  const auto own = static_cast<Id>(size());
  Traits traits = model_.traits(of_model);
  for (TokenName& token : traits.names) token = moved(places_, token);
  Summary summary = model_.summary(of_model);
  summary.tokens = bits_of(traits.names);
  own_states_[of_model] = own;
  in_model_.push_back(of_model);
  add(std::move(traits), summary);
  return own;
}

std::vector<Outcome> RenamedHost::work_out(Id state, const Key128& key, const Input& input) {
  const Input asked = exchanged(input);
  const InputKey fields{asked.kind, asked.n, asked.peer, asked.slot, asked.distance, tokens_of(key)};
  const Id letter = asked.kind == Input::Kind::letter ? exchanged_letter(letter_of(key)) : letter_of(key);
  const Key128 in_model = Host::key(in_model_[state], fields, letter, rest_of(key));
  std::vector<Outcome> outcomes = model_.step(in_model_[state], in_model, asked);
  for (Outcome& outcome : outcomes) exchange(outcome);
  return outcomes;
}

Input RenamedHost::exchanged(Input input) const {
  if (input.kind == Input::Kind::struck) {
    const Budget::Offer offer{static_cast<std::size_t>(input.n), static_cast<std::size_t>(input.peer)};
    input.peer = static_cast<int>(shared_.kinds.exchanged(site_, offer).form);
    return input;
  }
  move(places_, input.letter);
  for (TokenName& token : input.drawn) token = moved(places_, token);
  std::uint64_t tokens = 0;
  for (int token = 0; token < token_names * token_clients; ++token) {
    const auto name = static_cast<TokenName>(token);
    if ((input.tokens & bit_of(name)) != 0) tokens |= bit_of(moved(places_, name));
  }
  input.tokens = tokens;
  return input;
}

void RenamedHost::exchange(Outcome& outcome) {
  const int clients = static_cast<int>(shared_.sites.clients());
  const auto exchange_server = [&](int& server) {
    if (server + clients == model_host_ || server + clients == own_host_)
      server = model_host_ + own_host_ - clients - clients - server;
  };
  const bool is_client = shared_.sites.is_client(site_);
  outcome.state = counterpart(outcome.state);
  outcome.events = exchanged_events(outcome.events);
  for (PostedMessage& posted : outcome.posted) {
    posted.flight.letter = exchanged_letter(posted.flight.letter);
    if (!is_client) exchange_server(posted.server);
    posted = numbered(posted);
  }
  for (Reset& reset : outcome.resets) exchange_server(reset.server);
  for (LinkCut& severed : outcome.severed) {
    exchange_server(severed.server);
    if (is_client) severed.client = moved(places_, severed.client);
  }
  for (ConsequenceStep& reaching : outcome.consequences) reaching.events = exchanged_events(reaching.events);
  for (Budget::Offer& offer : outcome.struck) offer = shared_.kinds.exchanged(site_, offer);
}

Id RenamedHost::exchanged_letter(Id letter) {
  const Id known = letters_.find({0, letter});
  if (known != FlatMap::none) return known;
  CanonicalMessage other = shared_.letters.at(letter);
  move(places_, other);
  const Id id = shared_.letters.add(other);
  letters_.insert({0, letter}, id);
  return id;
}

Id RenamedHost::exchanged_events(Id events) {
  const Id known = events_.find({0, events});
  if (known != FlatMap::none) return known;
  const Id id = shared_.events.rewritten(events, [&](harness::Event& event) {
    if (shared_.sites.is_client(site_)) return move(places_, event);
    for (harness::HostIndex* host : {&event.host, &event.peer}) {
      if (*host == own_host_ || *host == model_host_) *host = own_host_ + model_host_ - *host;
    }
  });
  events_.insert({0, events}, id);
  return id;
}

}  // namespace lockproof::sim
