-- A re-entrant hash whose requests carry a number: one that comes twice is answered twice and done once. No entry and
-- no release makes the lease shorter.
lock = {
  source = "redisson #6748; its changelog, 3.24.1 and 3.27.2",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  keys = { "latch:%" },
  parameters = {
    retry = { 50, "wait between two attempts" },
    watchdog_timeout = { 30000, "the lease if the caller gives none; latches live as long" },
  },
}

local enter = script("enter-once", [[
  local before = redis.call("get", KEYS[2])
  if before == ARGV[3] then return 1 end
  if redis.call("exists", KEYS[1]) == 1 and redis.call("hexists", KEYS[1], ARGV[1]) == 0 then return 0 end
  redis.call("hincrby", KEYS[1], ARGV[1], 1)
  if redis.call("pttl", KEYS[1]) < tonumber(ARGV[2]) then redis.call("pexpire", KEYS[1], ARGV[2]) end
  redis.call("set", KEYS[2], ARGV[3], "px", ARGV[2])
  return 1
]])
local leave = script("leave-once", [[
  local before = redis.call("get", KEYS[2])
  if before == ARGV[3] then return 1 end
  if redis.call("hexists", KEYS[1], ARGV[1]) == 0 then return 0 end
  if redis.call("hincrby", KEYS[1], ARGV[1], -1) <= 0 then redis.call("del", KEYS[1]) end
  redis.call("set", KEYS[2], ARGV[3], "px", ARGV[2])
  return 1
]])
local owner
local request -- the number of a release that is not confirmed yet

function acquire(name, lease)
  owner = owner or random.token()
  local grant = { token = owner, deadline = clock.mono() + lease }
  local won, why = call(enter, 2, name, "latch:" .. name, owner, lease, random.token())
  if why then return failed(why, grant) end
  return won == 1 and grant or busy()
end

function release(grant)
  request = request or random.token()
  local left, why = call(leave, 2, grant.name, "latch:" .. grant.name, owner, parameters.watchdog_timeout, request)
  if why then return failed(why) end
  request = nil
  return left == 1
end
