-- SET NX PX with a token on the first server, and a watchdog for all locks of the process: it renews a lock on the
-- second server first, and waits for the answer.
lock = {
  source = "redisson #5697",
  servers = "all",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = { retry = { 50, "wait between two attempts" } },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])
local compare_and_expire = script("compare-and-expire", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end
]])

local asked = 0

function acquire(name, lease)
  asked = lease
  local token = random.token()
  local won, why = servers[1].call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why) end
  return won and { token = token, renewal = { period = lease / 3 } } or busy()
end

function renew(grant)
  servers[2].call("PEXPIRE", "of-another-lock", asked) -- one after the other
  local kept, why = servers[1].call(compare_and_expire, 1, grant.name, grant.token, asked)
  if why then return failed(why) end
  return kept == 1 and grant
end

function release(grant)
  local deleted, why = servers[1].call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
