-- A lock whose holder renews without a rest.
lock = { summary = "SET NX PX with a token, renewed every millisecond", parameters = { retry = 100 } }
local unlock = script("unlock", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])
function acquire(name, lease)
  local token = random.token()
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why) end
  if not won then return busy() end
  return { token = token, renewal = { period = 1 } }
end
function renew(grant)
  local _, why = call("PEXPIRE", grant.name, 300)  -- the lease of the scenario
  if why then return failed(why) end
  return grant
end
function release(grant)
  local deleted, why = call(unlock, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
