// SPDX-License-Identifier: Apache-2.0
// What docs/reference/lua-services.md says that each service answers: a lock asks it all before it is granted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/input_error.hpp"
#include "harness/lua/lua_algorithm.hpp"
#include "harness/scenario/file/parse.hpp"
#include "sim/run.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::services_test {
namespace {

/// Of a client that runs these lines to take the lock; empty: nothing is wrong with any of them.
std::string complaint(const char* service, const std::string& lines) {
  const std::string lua = fmt::format(R"(lock = {{ service = "{}", round_trips = 50 }}
local function is(word, reply)
  if type(reply) == "table" then
    local items = {{}}
    for i, item in ipairs(reply) do items[i] = tostring(item) end
    reply = table.concat(items, " ")
  end
  if tostring(reply) ~= word then error(word .. " is " .. tostring(reply)) end
end
function acquire(name, lease)
{}
  return {{ token = "mine" }}
end
function release(grant) return skipped() end
)",
                                      service, lines);
  try {
    const harness::Scenario scenario =
        harness::parse_scenario("lock.toml", "[algorithm]\nname = \"set-px-token\"\n[workload]\nclients = 1\n",
                                lua::load_algorithm("mine.lua", lua));
    const harness::History history = sim::run(scenario, 1);
    return std::ranges::count(history.events, harness::What::enter, &harness::Event::what) == 1 ? "" : "nobody got in";
  } catch (const harness::InputError& e) {
    return e.what();
  }
}

struct Page {
  const char* service;
  const char* lines;
};
class LuaServices : public testing::TestWithParam<Page> {};

TEST_P(LuaServices, AnswerAsTheirPageSays) { EXPECT_EQ(complaint(GetParam().service, GetParam().lines), ""); }

constexpr Page pages[] = {
    {"memcached", R"(is("STORED", call("add", name, "x", 10))
  is("NOT_STORED", call("add", name, "x", 10))
  local item = call("gets", name)
  is("x", item[1])
  is("number", type(item[2]))
  is("STORED", call("cas", name, "y", 10, item[2]))
  is("EXISTS", call("cas", name, "z", 10, item[2]))
  is("TOUCHED", call("touch", name, 20))
  is("DELETED", call("delete", name))
  is("NOT_FOUND", call("delete", name))
  is("NOT_FOUND", call("cas", name, "z", 10, item[2]))
  is("NOT_FOUND", call("touch", name, 20))
  is("NOT_FOUND", call("incr", name, 1))
  is("nil", call("gets", name))
  is("STORED", call("set", "count", "7", 0))
  is("string", type(call("incr", "count", 1)))
  is("OK", call("flush_all")))"},
    {"postgres", R"(is("BEGIN", call(script("begin", "begin\n"), 0))
  local try = script("try-advisory", "select pg_try_advisory_lock(hashtextextended($1, 0))\n")
  is("t", call(try, 1, name))
  is("COMMIT", call(script("commit", "commit\n"), 0)))"},
    {"zookeeper", R"(local session = call("CONNECT", 10000)
  is("10000", session[2])
  session = session[1]
  is("1", call("PING", session))
  is(name .. "/a", call("CREATE", session, name .. "/a", "E"))
  is("nil", call("CREATE", session, name .. "/a", "E"))
  is(name .. "/c-0000000001", call("CREATE", session, name .. "/c-", "ES"))
  is("a c-0000000001", call("CHILDREN", session, name))
  is("1", call("EXISTS", session, name .. "/a", "W"))
  is("0", call("EXISTS", session, name .. "/b"))
  is("1", call("DELETE", session, name .. "/a"))
  is("true", message(name .. "/a", clock.mono() + 1000))
  is("0", call("DELETE", session, name .. "/a"))
  is("1", call("SYNC", session, name))
  is("1", call("CLOSE", session))
  local _, why = call("PING", session)
  is("no-reply", why))"},
    {"etcd", R"(local lease = call("LEASE-GRANT", 10)
  is("10", lease[2])
  lease = lease[1]
  is("10", call("LEASE-KEEPALIVE", lease))
  is("0", call("LEASE-KEEPALIVE", lease + 1))
  local put = call("PUT-IF-ABSENT", name .. "/a", lease, name .. "/")
  is("1", put[1])
  is("true", put[2] == put[3] and put[2] == put[4])
  local again = call("PUT-IF-ABSENT", name .. "/a", 0, name .. "/")
  is("0", again[1])
  is("true", again[2] == put[2])
  local _, why = call("PUT-IF-ABSENT", name .. "/b", lease + 1, name .. "/")
  is("refused", why)
  is("1", call("PUT-IF-ABSENT", name .. "/b", 0, name .. "/")[1])
  local b = call("GET", name .. "/b")
  is(name .. "/b", b[1])
  is("nil", call("GET", name .. "/c"))
  is(name .. "/a", call("LAST-BEFORE", name .. "/", b[2])[1])
  is("nil", call("LAST-BEFORE", name .. "/", put[2]))
  is("0", call("DELETE-IF", name .. "/b", put[2]))
  is("1", call("WATCH", name .. "/b", b[3]))
  is("1", call("DELETE-IF", name .. "/b", b[2]))
  is("true", message(name .. "/b", clock.mono() + 1000))
  is("1", call("DELETE", name .. "/a"))
  is("0", call("DELETE", name .. "/a"))
  is("1", call("LEASE-REVOKE", lease)))"},
    {"chubby", R"(local made = call("CREATESESSION", 12000)
  is("12000", made[2])
  local session = made[1]
  is("nil", call("GETSEQUENCER", session, name))
  is("1", call("TRYACQUIRE", session, name, 1000))
  is("lock exclusive 1", call("GETSEQUENCER", session, name))
  local kept = everywhere(20000, "KEEPALIVE", session)[1]
  is("2", #kept.reply)
  is("1", call("RELEASE", session, name))
  is("0", call("RELEASE", session, name)))"},
};
INSTANTIATE_TEST_SUITE_P(Each, LuaServices, testing::ValuesIn(pages),
                         [](const auto& page) { return std::string(page.param.service); });

TEST(LuaServices, ARequestThatAModelLacksIsNamed) {
  const auto sends = [](const char* service, const char* request) {
    return complaint(service, fmt::format("  call({})", request));
  };
  EXPECT_EQ(sends("etcd", "\"PUT\", name, 1"),
            "mine.lua: sends PUT, which the simulated etcd does not know; it knows LEASE-GRANT, LEASE-KEEPALIVE, "
            "LEASE-REVOKE, GET, DELETE, DELETE-IF, LAST-BEFORE, WATCH, PUT-IF-ABSENT");
  EXPECT_EQ(sends("zookeeper", "\"CREATE\", 1, name"),
            "mine.lua: sends CREATE with 3 words to ZooKeeper, where it has 4, its own among them");
  EXPECT_EQ(sends("zookeeper", "\"EXISTS\", 1"),
            "mine.lua: sends EXISTS with 2 words to ZooKeeper, where it has 3 or 4, its own among them");
  EXPECT_NE(sends("memcached", "\"append\", name, \"x\"").find("sends append, which the simulated memcached does not"),
            std::string::npos);
  EXPECT_NE(sends("chubby", "\"ACQUIRE\", 1, name").find("it knows CREATESESSION, KEEPALIVE, TRYACQUIRE"),
            std::string::npos);
  EXPECT_NE(
      sends("postgres", "script(\"mine\", \"select 1\"), 0").find("sends the statement 'mine', which the simulated"),
      std::string::npos);
  EXPECT_NE(
      sends("postgres", "script(\"begin\", \"begin\\n\"), 1, name").find("begin with 1 parameters, where it has 0"),
      std::string::npos);
}

}  // namespace
}  // namespace lockproof::services_test
