-- The leader's entry has a time to live, and the leader writes it anew at each tick.
lock = {
  source = "riverqueue/river #216",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  lease = 5000, -- a tick
  parameters = {
    retry = { 5000, "wait between two attempts" },
    padding = { 0, "how much longer than a tick the entry lives" },
  },
}

local extend = script("extend", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end
]])
local resign = script("resign", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

function acquire(name, tick)
  local lives = tick + parameters.padding
  local grant = { token = random.token(), deadline = clock.mono() + lives, renewal = { period = tick } }
  local won, why = call("SET", name, grant.token, "NX", "PX", lives)
  if why then return failed(why, grant) end
  return won and grant or busy()
end

function renew(grant)
  local asked, lives = clock.mono(), grant.renewal.period + parameters.padding
  local extended, why = call(extend, 1, grant.name, grant.token, lives)
  if why then return failed(why) end
  if extended == 0 then return false end
  grant.deadline = asked + lives
  return grant
end

function release(grant)
  local gone, why = call(resign, 1, grant.name, grant.token)
  if why then return failed(why) end
  return gone == 1
end
