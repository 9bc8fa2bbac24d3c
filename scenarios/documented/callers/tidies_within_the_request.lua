-- Who asks first puts a placeholder, and works. A request that its caller has ended sends nothing any more, and so
-- cannot take the placeholder away either; that needs a time of its own.
lock = {
  source = "redis/rueidis, rueidisaside; pull request 1010",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = {
    retry = { 500, "wait between two attempts" },
    tidies = { count = 1, "1: within the request; 2: after it, in a time of its own" },
  },
}

local unlock = script("unlock", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

function acquire(name, lease)
  local grant = { token = random.token(), deadline = clock.mono() + lease }
  local won, why = call("SET", name, grant.token, "NX", "PX", lease)
  if won then return grant end
  if not why then return busy() end
  if parameters.tidies == 2 then return failed(why, grant) end
  call(unlock, 1, name, grant.token)
  return failed(why)
end

function release(grant)
  local deleted, why = call(unlock, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
