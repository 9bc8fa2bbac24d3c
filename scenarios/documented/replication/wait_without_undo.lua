-- SET NX PX with a token, and WAIT for a replica. Where none acknowledges, the caller is told of a failure, and the
-- key stays.
lock = {
  source = "redisson #4706",
  servers = "one with replica",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  round_trips = 2,
  refusal_writes = true,
  parameters = { retry = { 50, "wait between two attempts" }, wait = { 1000, "how long a replica may take" } },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

function acquire(name, lease)
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease }
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why, grant) end
  if not won then return busy() end
  local copies, why = call("WAIT", 1, parameters.wait)
  if why then return failed(why, grant) end
  return copies >= 1 and grant or busy()
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
