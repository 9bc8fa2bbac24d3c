-- SET NX PX with a token, and a watchdog that renews a limited number of times: a holder that hangs loses the lock in
-- the end, and so does one that really needs longer.
lock = {
  source = "redis.io, Distributed Locks, on a limit for extensions",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = {
    retry = { 50, "wait between two attempts" },
    extensions = { count = 8, "how often a holder may renew" },
  },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])
local compare_and_expire = script("compare-and-expire", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end
]])

local asked, renewed = 0, 0

function acquire(name, lease)
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease, renewal = { period = lease / 3 } }
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why, grant) end
  if not won then return busy() end
  asked, renewed = lease, 0
  return grant
end

function renew(grant)
  if renewed == parameters.extensions then return false end
  renewed = renewed + 1
  local now = clock.mono()
  local kept, why = call(compare_and_expire, 1, grant.name, grant.token, asked)
  if why then return failed(why) end
  if kept ~= 1 then return false end
  grant.deadline = now + asked
  return grant
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
