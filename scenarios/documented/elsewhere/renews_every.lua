-- A job's lock: SET NX PX with a token, renewed every `renews`, whatever the lease is. Its worker reads no clock.
lock = {
  source = "OptimalBits/bull #2671, lockDuration and lockRenewTime",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = {
    retry = { 100, "wait between two attempts" },
    renews = { 15000, "the time between two renewals" },
  },
}
local delete_own = script("delete-own", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])
local extend_own = script("extend-own", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end
]])

local asked = 0

function acquire(name, lease)
  asked = lease
  local token = random.token()
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why) end
  return won and { token = token, renewal = { period = parameters.renews } } or busy()
end

function renew(grant)
  local kept, why = call(extend_own, 1, grant.name, grant.token, asked)
  if why then return failed(why) end
  return kept == 1 and grant
end

function release(grant)
  local deleted, why = call(delete_own, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
