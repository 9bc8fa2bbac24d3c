-- SET NX PX with a token, where the lease in seconds is sent as milliseconds: 30 s become 30 ms.
lock = {
  source = "FoundatioFx/Foundatio.Redis #73",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  lease_unit = 1000,
  parameters = { retry = { 50, "wait between two attempts" } },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

function acquire(name, lease)
  local token = random.token()
  local won, why = call("SET", name, token, "NX", "PX", lease / 1000)
  if why then return failed(why) end
  return won and { token = token } or busy()
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
