-- A lock whose renewal writes the key anew, whoever has it.
lock = { summary = "SET NX PX with a token, renewed by SET PX", parameters = { retry = 100, lease = 10000 } }
local unlock = script("unlock", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])
function acquire(name, lease)
  local token = random.token()
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why) end
  if not won then return busy() end
  return { token = token, renewal = { period = 3000 } }
end
function renew(grant)
  local _, why = call("SET", grant.name, grant.token, "PX", parameters.lease)
  if why then return failed(why) end
  return grant
end
function release(grant)
  local deleted, why = call(unlock, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
