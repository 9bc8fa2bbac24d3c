-- As algorithms/redis/set_px_token_wait.cpp: a grant that a replica has, too.
lock = {
  servers = "one with replica",
  round_trips = 2,
  refusal_writes = true,
  parameters = { wait = 1000, replicas = { count = 1 }, retry = 50 },
}

local compare_and_delete = script("compare-and-delete", [[
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end
]])

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end

function acquire(name, lease)
  local token = random.token()
  local grant = { name = name, token = token, deadline = clock.mono() + lease }
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why, grant) end
  if not won then return busy() end
  local copies, why = call("WAIT", parameters.replicas, parameters.wait)
  if why then return failed(why, grant) end
  if copies >= parameters.replicas then return grant end
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why, grant) end
  return busy()
end
