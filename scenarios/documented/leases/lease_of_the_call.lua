-- lease_of_the_object.lua, mended: each call has its own lease.
lock = {
  source = "redisson #4818",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = {
    retry = { 50, "wait between two attempts" },
    first_lease = { 60000, "the lease that another caller gave, the first time that the object was used" },
  },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

function acquire(name, lease)
  local lease_of_next = lease
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease_of_next }
  local won, why = call("SET", name, token, "NX", "PX", lease_of_next)
  if why then return failed(why, grant) end
  return won and grant or busy()
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
