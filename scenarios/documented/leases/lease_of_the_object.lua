-- The lease stands in the lock's object. Who gives one changes it for whoever calls next without giving one.
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
local lease_of_next = 0

function acquire(name, lease)
  if lease_of_next == 0 then lease_of_next = parameters.first_lease end -- who called first asked for so long
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
