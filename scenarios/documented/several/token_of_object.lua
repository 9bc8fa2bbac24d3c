-- The object remembers the token of what it acquired last, and a release sends that one, whatever it is to release.
lock = {
  source = "glasslion/redlock #38",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = { retry = { 500, "wait between two attempts" } },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

local object = {}

function acquire(name, lease)
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease }
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why, grant) end
  if not won then return busy() end
  object.token = token
  return grant
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, object.token)
  if why then return failed(why) end
  return deleted == 1
end
