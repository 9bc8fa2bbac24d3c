-- SET NX EX with a token, but released in two steps: GET and a comparison here, then DEL. What happens in between?
lock = {
  source = "redis/redis-py #1031",
  claims = { double_grant = "without faults", owner_release = "without faults", bounded_takeover = "always" },
  lease_unit = 1000, -- EX counts seconds
  parameters = { retry = { 50, "wait between two attempts" } },
}

function acquire(name, lease)
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease }
  local won, why = call("SET", name, token, "NX", "EX", lease / 1000)
  if why then return failed(why, grant) end
  return won and grant or busy()
end

function release(grant)
  local holder, why = call("GET", grant.name)
  if why then return failed(why) end
  if holder ~= grant.token then return false end
  local deleted, why = call("DEL", grant.name)
  if why then return failed(why) end
  return deleted == 1
end
