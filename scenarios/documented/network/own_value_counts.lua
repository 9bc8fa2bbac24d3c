-- SET NX PX with a token, as a script that also takes the lock for granted where it has this very token already: the
-- same command twice is answered the same twice.
lock = {
  source = "bsm/redislock, obtain.lua",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = { retry = { 50, "wait between two attempts" } },
}

local obtain = script("obtain", [[
  if redis.call("set", KEYS[1], ARGV[1], "nx", "px", ARGV[2]) then return 1 end
  if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call("pexpire", KEYS[1], ARGV[2])
  return 1
]])
local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

function acquire(name, lease)
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease }
  local won, why = call(obtain, 1, name, token, lease)
  if why then return failed(why, grant) end
  return won == 1 and grant or busy()
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
