// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/parse_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "harness/input_error.hpp"
#include "harness/scenario/file/parse_program.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::harness {
namespace {

Work work_of(Fields& fields, const Node& item, std::string_view key, std::string_view steps) {
  const std::string& word = fields.text(item, key);
  const auto work = work_from(word);
  if (!work) fields.fail(item, key, fmt::format("has '{}'; its steps are \"hold 3s\", {}", word, steps));
  return *work;
}

/// The work of one client, step by step.
class WorkReader {
 public:
  WorkReader(Fields& fields, bool of_program, const std::string& own, Plan& plan)
      : fields_(fields), of_program_(of_program), own_(own), plan_(plan) {
    has_read_ = std::ranges::find(plan.before, Work::Kind::read, &Work::kind) != plan.before.end();
  }

  void read(const Node& item) {
    Work work =
        work_of(fields_, item, "work",
                of_program_ ? "\"touch\" and \"extend\""
                            : "\"read\", \"write\", \"acquire\" and \"release\", these two also with the name of "
                              "another lock");
    check_work(fields_, item, work, of_program_);
    if (work.lock == own_) work.lock.clear();
    has_read_ |= work.kind == Work::Kind::read;
    if (work.kind == Work::Kind::write && !has_read_) {
      fields_.fail(item, "work", "writes before it reads: a write is based on the version read last");
    }
    if (work.kind == Work::Kind::acquire) acquire(item, work);
    if (work.kind == Work::Kind::release) release(item, work);
    plan_.work.push_back(std::move(work));
  }
  void finish(const Node& node) {
    if (held_.empty()) return;
    const std::string& last = held_.back();
    fields_.fail(node, "work",
                 last.empty() ? "acquires once more without a \"release\" after it"
                              : fmt::format("acquires {} without a \"release {}\" after it", last, last));
  }

 private:
  void require_own(const Node& item) {
    if (is_out_)
      fields_.fail(item, "work", "comes after the release of the lock itself: then only hold, read and write are left");
  }
  void acquire(const Node& item, const Work& work) {
    require_own(item);
    const bool has_it = !work.lock.empty() && std::ranges::find(held_, work.lock) != held_.end();
    if (has_it) fields_.fail(item, "work", fmt::format("acquires {}, which it has already", work.lock));
    held_.push_back(work.lock);
  }
  void release(const Node& item, const Work& work) {
    require_own(item);
    if (held_.empty() && work.lock.empty()) {
      is_out_ = true;
      return;
    }
    if (held_.empty() || held_.back() != work.lock) {
      const auto said = [&](const std::string& name) { return name.empty() ? own_ : name; };
      fields_.fail(item, "work",
                   fmt::format("releases {} {}: what is acquired last is released first", said(work.lock),
                               held_.empty() ? "which it has not acquired" : "before " + said(held_.back())));
    }
    held_.pop_back();
  }

  Fields& fields_;
  const bool of_program_;
  const std::string& own_;
  Plan& plan_;
  bool has_read_ = false, is_out_ = false;
  std::vector<std::string> held_;  // besides the lock of the round; empty: that one once more
};

void read_before(Fields& fields, bool of_program, Plan& plan) {
  const Node* node = fields.find("before");
  if (!node) return;
  if (of_program) fields.fail(*node, "before", "has no part in a program, which has its own work");
  plan.before.clear();
  for (const Node& item : fields.list(*node, "before")) {
    const Work work = work_of(fields, item, "before", "\"read\"");
    if (work.kind != Work::Kind::hold && work.kind != Work::Kind::read) {
      fields.fail(item, "before",
                  fmt::format("has '{}', which needs the lock; before it are only hold and read", to_text(work)));
    }
    plan.before.push_back(work);
  }
}

}  // namespace

void read_locks(Fields& fields, bool of_program, const std::string& scenario_lock, Plan& plan) {
  if (const Node* node = fields.find("lock")) {
    plan.lock = fields.text(*node, "lock");
    if (of_program) fields.fail(*node, "lock", "is for locks of the catalogue and in Lua: a program knows one name");
    if (plan.lock == scenario_lock) plan.lock.clear();
  }
  if (const Node* node = fields.find("mode"); node && std::holds_alternative<List>(node->value)) {
    plan.modes.clear();
    if (of_program) fields.fail(*node, "mode", "is a list by round, which a program is not told; write one mode");
    for (const Node& item : fields.list(*node, "mode")) {
      plan.modes.push_back(fields.choice(item, "mode", mode_choices()));
    }
    if (plan.modes.empty()) fields.fail(*node, "mode", "is empty; write one mode for each round");
    if (plan.modes.size() > 1 && plan.rounds == rounds_for_ever) {
      fields.fail(*node, "mode", "is a list by round, but the rounds are for ever, and are not counted");
    }
    while (plan.modes.size() > 1 && plan.modes.back() == plan.modes[plan.modes.size() - 2]) plan.modes.pop_back();
  } else {
    fields.read("mode", plan.modes.front(), mode_choices());
    if (node) plan.modes.resize(1);
  }
  fields.read("lock_object", plan.lock_object, lock_object_choices());
}

void read_work(Fields& fields, bool of_program, const std::string& scenario_lock, Plan& plan) {
  read_before(fields, of_program, plan);
  const Node* node = fields.find("work");
  if (!node) return;
  plan.work.clear();
  WorkReader reader(fields, of_program, plan.lock.empty() ? scenario_lock : plan.lock, plan);
  for (const Node& item : fields.list(*node, "work")) reader.read(item);
  reader.finish(*node);
}

void check_locks(const std::string& file, const Scenario& s) {
  const auto fail = [&](const std::string& why) { throw InputError(file, 0, why); };
  for (const ClientSpec& client : s.clients) {
    const bool acquires =
        std::ranges::find(client.plan.work, Work::Kind::acquire, &Work::kind) != client.plan.work.end();
    if (acquires && client.plan.attempt_timeout)
      fail(
          fmt::format("{} acquires within its work and has an attempt_timeout: whether that ends its renewals, too, "
                      "is not said",
                      client.name));
    const bool itself = std::ranges::find(client.plan.work, s.lock_of(client), &Work::lock) != client.plan.work.end();
    if (itself)
      fail(fmt::format("{} acquires {} within its work, which is the lock of its rounds", client.name,
                       s.lock_of(client)));
  }
  if (!s.has_several_locks()) return;
  if (s.shares_processes()) fail("takes locks of several names, and has tasks of one process, which take one lock");
  if (s.period) fail("takes locks of several names and has a period: a period is the work of one lock");
  if (s.fencing != Fencing::none) {
    fail("takes locks of several names and checks fencing tokens: whose tokens the resource checks is not said");
  }
  const Service service = s.algorithm->service;
  if (service == Service::zookeeper || service == Service::etcd || service == Service::chubby) {
    fail(fmt::format("takes locks of several names on {}, which are followed on Redis, memcached and PostgreSQL",
                     row_of(service).name));
  }
  for (const Fault& fault : s.faults) {
    const bool by_lock = fault.when && fault.when->state != EventPlace::LockState::any;
    if (by_lock)
      throw InputError(file, fault.line, "is placed by whose the lock is, and there are locks of several names");
  }
}

}  // namespace lockproof::harness
