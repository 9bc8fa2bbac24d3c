// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/naming.hpp"

#include <algorithm>
#include <stdexcept>

#include "search/automata/rewritten.hpp"
#include "search/automata/unrepresentable.hpp"

namespace lockproof::sim {
namespace {

Value renamed(const Value& value, const Renaming& to) {
  return Value(with_names(value.bytes(), [&](TokenName name) { return to.of(name); }), value.mark());
}

void rename(CanonicalMessage& letter, const Renaming& to) {
  const auto rename = [&](const Value& value) { return renamed(value, to); };
  letter.command = rewritten(letter.command, rename);
  if (letter.reply) letter.reply = rewritten(*letter.reply, rename);
}

/// Names as they are assigned, each client's from its first one on.
class Giver {
 public:
  Giver(Renaming& to, bool& differs) : to_(to), differs_(differs) {}

  void keep(TokenName token) { give(token, token); }
  void next_of(int client, TokenName token) {
    if (to_.has(token)) return;
    int& given = given_[static_cast<std::size_t>(client)];
    while (given < token_names && taken(token_name(client, given + 1))) ++given;
    if (given == token_names) throw UnrepresentableState("more tokens of a client are in use at once");
    give(token, token_name(client, given + 1));
  }
  void last(TokenName token) {
    if (to_.has(token)) return;
    while (left_ > 0 && taken(static_cast<TokenName>(left_ - 1))) --left_;
    if (left_ == 0) throw UnrepresentableState("more tokens of a client are in use at once");
    give(token, static_cast<TokenName>(left_ - 1));
  }

 private:
  [[nodiscard]] bool taken(TokenName name) const { return (taken_ & bit_of(name)) != 0; }
  void give(TokenName token, TokenName name) {
    to_.give(token, name);
    taken_ |= bit_of(name);
    differs_ |= token != name;
  }

  Renaming& to_;
  bool& differs_;
  std::uint64_t taken_ = 0;
  std::array<int, token_clients> given_{};
  int left_ = token_names * token_clients;
};

}  // namespace

void Renaming::complete() {
  int free = 0;
  for (int token = 0; token < token_names * token_clients; ++token) {
    if (has(static_cast<TokenName>(token))) continue;
    while ((taken_ & bit_of(static_cast<TokenName>(free))) != 0) ++free;
    give(static_cast<TokenName>(token), static_cast<TokenName>(free));
  }
}

bool Naming::is_plain(const Tuple& tuple) const {
  constexpr std::uint64_t last = bit_of(token_names * token_clients - 1);
  std::uint64_t known = 0, named = 0, kept = 0;  // by clients, on their way to and from them as well, by servers
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i]->at(tuple[i]);
    if ((group.known & ~bit_of(token_name(static_cast<int>(i), 1))) != 0) return false;
    known |= group.known;
    named |= group.tokens;
  }
  for (std::size_t i = groups_.size(); i < hosts_.size(); ++i) kept |= hosts_[i]->summary(tuple[i]).tokens;
  return named == known && (kept & ~known & ~last) == 0;
}

bool Naming::differs(const Tuple& tuple, Renaming& to) const {
  bool differs = false;
  Giver giver(to, differs);
  const auto client_state = [&](std::size_t i) -> const Traits& {
    return hosts_[i]->traits(groups_[i]->parts(tuple[i])[0]);
  };
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Traits& traits = client_state(i);
    for (std::size_t n = 0; n < traits.born; ++n) giver.keep(traits.names[n]);
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    for (const TokenName token : client_state(i).names) giver.next_of(static_cast<int>(i), token);
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    for (std::size_t server = 0; server < groups_[i]->servers(); ++server) {
      const Names& on_their_way = links_.names(groups_[i]->link(tuple[i], server));
      for (const TokenName token : on_their_way) giver.next_of(static_cast<int>(i), token);
    }
  }
  for (std::size_t i = groups_.size(); i < hosts_.size(); ++i) {
    for (const TokenName token : hosts_[i]->traits(tuple[i]).names) giver.last(token);
  }
  return differs;
}

namespace {

std::string targets_text(const std::vector<TokenName>& names, const Renaming& to) {
  std::string text;
  for (const TokenName name : names) text.push_back(static_cast<char>(to.of(name)));
  return text;
}

bool touches(const std::vector<TokenName>& names, const Renaming& to) {
  return std::ranges::any_of(names, [&](TokenName name) { return to.of(name) != name; });
}

}  // namespace

Id Naming::known_targets(const Names& names, const Renaming& to) const {
  const auto known = targets_.find(targets_text(names, to));
  return known == targets_.end() ? same : known->second;
}

Id Naming::targets(const Names& names, const Renaming& to) {
  return targets_.try_emplace(targets_text(names, to), static_cast<Id>(targets_.size())).first->second;
}

Id Naming::known_group(std::size_t client, Id group, const Renaming& to) const {
  const Names& names = groups_[client]->names(group);
  if (!touches(names, to)) return group;
  const Id targets = known_targets(names, to);
  return targets == same ? FlatMap::none : of_groups_.find(key(client, targets, group));
}

Id Naming::known_server(std::size_t host, Id state, const Renaming& to) const {
  const Names& names = hosts_[host]->traits(state).names;
  if (!touches(names, to)) return state;
  const Id targets = known_targets(names, to);
  return targets == same ? FlatMap::none : of_hosts_.find(key(host, targets, state));
}

Id Naming::group(std::size_t client, Id group, Renaming to) {
  to.complete();
  Groups& groups = *groups_[client];
  const Key128 at = key(client, targets(groups.names(group), to), group);
  std::vector<Id> parts(groups.parts(group), groups.parts(group) + 1 + groups.servers());
  parts[0] = host_state(client, parts[0], to);
  for (std::size_t i = 1; i < parts.size(); ++i) parts[i] = link(parts[i], to);
  const Id image = groups.add(parts.data());
  of_groups_.insert(at, image);
  return image;
}

Id Naming::server(std::size_t host, Id state, Renaming to) {
  to.complete();
  return host_state(host, state, to);
}

/// The inputs that have led to it lead, with other names, to the same with other names. What names no token is the
/// same.
Id Naming::host_state(std::size_t host, Id state, const Renaming& to) {
  std::vector<std::pair<Id, Key128>> path;  // from states of which it is not known
  Id image = state;
  for (; touches(hosts_[host]->traits(state).names, to); state = hosts_[host]->parent_of(state)) {
    const Key128 at = key(host, targets(hosts_[host]->traits(state).names, to), state);
    image = of_hosts_.find(at);
    if (image != FlatMap::none) break;
    path.emplace_back(state, at);
    if (state == 0) throw std::logic_error("a lock lost the token that it was created with");
  }
  if (image == FlatMap::none) image = state;
  for (auto next = path.rbegin(); next != path.rend(); ++next) {
    image = hosts_[host]->after(image, input(hosts_[host]->input_of(next->first), to));
    Names expected = hosts_[host]->traits(next->first).names;
    for (TokenName& name : expected) name = to.of(name);
    if (hosts_[host]->traits(image).names != expected) throw std::logic_error("a token was more than a name");
    of_hosts_.insert(next->second, image);
  }
  return image;
}

Input Naming::input(Input input, const Renaming& to) {
  rename(input.letter, to);
  for (TokenName& name : input.drawn) name = to.of(name);
  return input;
}

Id Naming::link(Id link, const Renaming& to) {
  const Names& names = links_.names(link);
  if (!touches(names, to)) return link;
  const Key128 at = key(0, targets(names, to), link);
  const Id known = of_links_.find(at);
  if (known != FlatMap::none) return known;
  Link other = links_.at(link);
  for (Wire& wire : other.wires) {
    for (Lane* lane : {&wire.requests, &wire.replies}) {
      for (Flight& flight : lane->flights) {
        CanonicalMessage letter = shared_.letters.at(flight.letter);
        rename(letter, to);
        flight.letter = shared_.letters.add(letter);
      }
    }
  }
  const Id image = links_.add(std::move(other));
  of_links_.insert(at, image);
  return image;
}

}  // namespace lockproof::sim
