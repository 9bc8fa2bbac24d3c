// SPDX-License-Identifier: Apache-2.0
// Sides: the simulated etcd and the real one of a comparison, with the same clients. Both count by the machine's clock,
// and how long a lease outlives its time depends on when a server looks. So nothing is asked while a lease may have
// ended on one side only: a comparison waits until it has on both.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/core/comparison.hpp"
#include "conformance/etcd/mutants.hpp"
#include "conformance/etcd/real_side.hpp"
#include "conformance/etcd/steps.hpp"
#include "sim/services/etcd/server.hpp"

namespace lockproof::conformance::etcd {

using Differ = std::optional<Mismatch>;

class Sides : public PinnedObject {
 public:
  Sides(const Mutant* mutant, const std::string& program) : mutant_(mutant), real_(program) {}

  void reset();
  [[nodiscard]] Differ run(const Step& step);
  /// What watches have told to anybody so far. To be called when a sequence is over.
  [[nodiscard]] Differ rest();

  /// Whether a request took so long that a lease may have ended meanwhile: nothing that follows can be compared.
  [[nodiscard]] bool late() const { return late_; }
  /// Nothing: the last step was no request.
  [[nodiscard]] const std::optional<Reply>& last_reply() const { return last_; }
  [[nodiscard]] std::uint64_t told() const { return told_; }
  [[nodiscard]] std::uint64_t ended() const { return ended_; }
  [[nodiscard]] std::uint64_t sustained() const { return sustained_; }
  /// The longest that a real lease has outlived its time.
  [[nodiscard]] milliseconds outlived() const { return milliseconds(outlived_ns_ / 1'000'000); }

 private:
  struct Lease {
    std::int64_t real, simulated;
    std::int64_t ttl_ns;
    std::int64_t safe_ns, over_ns;  // the real one lives until then, and is over at the latest then
    std::int64_t scanned_ns;        // the simulated one has ended by then
    bool ended = false;
  };
  struct KeyVersion {
    std::string key;
    std::int64_t revision;
  };
  struct Client {
    int connection = 0;  // the simulated one
    std::vector<std::string> to_be_told{}, was_told{};
  };

  [[nodiscard]] Differ request(int client, std::vector<Value> words, Lease* lease);
  [[nodiscard]] Differ watch(int client, std::size_t back);
  [[nodiscard]] Differ knock(int place);
  [[nodiscard]] Differ sustain(int place);
  [[nodiscard]] Differ outlive(const Step& step);
  [[nodiscard]] Differ restart(const Step& step);
  [[nodiscard]] Differ put_with_new_lease(const Step& step);
  [[nodiscard]] Differ look();
  [[nodiscard]] Differ wait_out();
  [[nodiscard]] Differ await_end(Lease& lease);
  [[nodiscard]] Differ compare_told(bool all);
  [[nodiscard]] Reply simulate(int client, const Command& command);
  [[nodiscard]] Reply as_simulated(const Command& command, const Reply& real);
  [[nodiscard]] Command as_real(const Command& command) const;
  void refresh(Lease& lease, std::int64_t left_ns);
  void keep(const Command& command, const Reply& real, const Reply& simulated, std::int64_t left_ns, Lease* lease);
  void act();
  void push(const std::vector<sim::Push>& pushes);
  void disconnect(int client);
  [[nodiscard]] Lease* lease_at(int place);
  [[nodiscard]] std::int64_t now_ns() const;
  void sleep_until(std::int64_t ns) const;
  [[nodiscard]] sim::ServerTime time(std::int64_t ns) const { return {ns / 1'000'000, ns / 1000, {}}; }

  const Mutant* const mutant_;
  RealSide real_;
  std::unique_ptr<sim::etcd::Server> model_;
  std::array<Client, clients> clients_;
  std::vector<Lease> leases_;  // all of this sequence
  std::array<std::optional<std::size_t>, leases> places_;
  int asked_place_ = 0;  // of the lease that is asked for
  std::vector<KeyVersion> shown_;
  std::int64_t ahead_ = 0;  // how far the real server's revisions are ahead of the simulated ones
  std::int64_t began_ns_ = 0;
  int connections_ = 0;
  bool late_ = false;
  std::optional<Reply> last_{};
  std::uint64_t told_ = 0, ended_ = 0, sustained_ = 0;
  std::int64_t outlived_ns_ = 0;
};

}  // namespace lockproof::conformance::etcd
