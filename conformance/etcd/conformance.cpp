// SPDX-License-Identifier: Apache-2.0
#include "conformance/etcd/conformance.hpp"

#include <fmt/format.h>

#include "conformance/core/comparison.hpp"
#include "conformance/etcd/generator.hpp"
#include "conformance/etcd/sides.hpp"

namespace lockproof::conformance::etcd {
namespace {

std::string kind_of(const std::string& verb, const Reply& reply) {
  switch (reply.kind()) {
    case Reply::Kind::array:
      if (verb == "LEASE-GRANT") return "a lease";
      return verb == "PUT-IF-ABSENT" ? reply.items()[0].is_integer(1) ? "done" : "there is one" : "a key";
    case Reply::Kind::integer:
      return verb == "LEASE-KEEPALIVE" && !reply.is_integer(0) ? "its time" : fmt::format("{}", reply.integer());
    case Reply::Kind::nil: return "none";
    default: return reply.value().bytes();
  }
}

class EtcdComparison final : public StepwiseComparison<Step> {
 public:
  explicit EtcdComparison(const Options& options)
      : StepwiseComparison({.sequence_steps = 100, .depends_on_time = true}),
        sides_(mutant_named(mutants(), options.mutant), options.program), generator_(options.seed) {}

  void begin() override {
    reset();
    generator_.begin();
  }
  [[nodiscard]] OptionalMismatch finish() override { return sides_.rest(); }
  [[nodiscard]] bool late() override { return sides_.late(); }
  void add_totals(Report& report) const override {
    Counts& counts = report.tables[counted];
    counts["leases that ended"] = sides_.ended();
    counts["leases that were kept alive at their end"] = sides_.sustained();
    counts["ms that a lease outlived its time, at most"] = static_cast<std::uint64_t>(sides_.outlived().count());
    counts["times that a watch told"] = sides_.told();
  }
  [[nodiscard]] std::string text_of(const Steps& steps) const override { return shown(steps); }

 protected:
  void reset() override { sides_.reset(); }
  [[nodiscard]] Step draw(std::size_t /*place*/) override { return generator_.next(); }
  [[nodiscard]] OptionalMismatch run(const Step& step) override { return sides_.run(step); }
  void count(const Step& step, Report& report) override {
    Counts& counts = report.tables[counted];
    counts["keep-alives of a lease that was over"] += step.kind == Step::Kind::knock;
    counts["restarts"] += step.kind == Step::Kind::restart;
    counts["reconnections"] += step.kind == Step::Kind::reconnect;
    const std::optional<Reply>& reply = sides_.last_reply();
    if (!reply || (step.kind != Step::Kind::request && step.kind != Step::Kind::watch)) return;
    const std::string verb = step.kind == Step::Kind::watch ? "WATCH" : step.verb;
    ++report.commands;
    ++report.tables[answered][fmt::format("{}: {}", verb, kind_of(verb, *reply))];
  }

 private:
  Sides sides_;
  Generator generator_;
};

std::string revision(const Step& step) {
  if (step.back < 0) return fmt::format("the revision behind the present one");
  return fmt::format("the revision {} before the present one", step.back);
}

std::string shown_request(const Step& step) {
  std::string text = step.verb;
  if (!step.name.empty()) text += " " + step.name;
  if (step.verb == "LEASE-GRANT") text += fmt::format(" of {} s, lease {}", step.seconds, step.lease);
  if (step.verb == "LEASE-REVOKE" || step.verb == "LEASE-KEEPALIVE") text += fmt::format(" lease {}", step.lease);
  if (step.verb == "PUT-IF-ABSENT") text += fmt::format(" lease {}, first of {}", step.lease, step.prefix);
  if (step.verb == "LAST-BEFORE" || step.verb == "DELETE-IF") text += " " + revision(step);
  return text;
}

}  // namespace

std::string shown(const Steps& steps) {
  std::string text;
  for (const Step& step : steps) {
    switch (step.kind) {
      case Step::Kind::watch:
        text += fmt::format("client {}: WATCH what was shown {} before the last\n", step.client, step.back);
        break;
      case Step::Kind::reconnect: text += fmt::format("client {}: other connections\n", step.client); break;
      case Step::Kind::stand: text += "nothing for most of a short lease\n"; break;
      case Step::Kind::knock:
        text += fmt::format("LEASE-KEEPALIVE lease {} when it has just run out\n", step.lease);
        break;
      case Step::Kind::outlive:
        text += fmt::format("client {}: puts {} with lease {}, first of {}, and watches it until the lease has ended\n",
                            step.client, step.name, step.lease, step.prefix);
        break;
      case Step::Kind::sustain:
        text += fmt::format("LEASE-KEEPALIVE lease {} twice, when it is about to run out\n", step.lease);
        break;
      case Step::Kind::restart:
        text += fmt::format(
            "client {}: puts {} with lease {}, a new one of {} s, then the server is killed and starts again\n",
            step.client, step.name, step.lease, step.seconds);
        break;
      case Step::Kind::request: text += fmt::format("client {}: {}\n", step.client, shown_request(step));
    }
  }
  return text;
}

Report compare(const Options& options) {
  EtcdComparison comparison(options);
  return conformance::compare(comparison, options, real::etcd_version(options.program));
}

std::vector<MutantName> mutant_names() { return names_of(mutants()); }

}  // namespace lockproof::conformance::etcd
