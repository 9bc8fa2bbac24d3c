-- SETNX, GET and then a script in place of GETSET: it writes only where the value is still the one that was read. A
-- loser changes nothing.
lock = {
  source = "ServiceStack.Redis, pull request 215",
  claims = { double_grant = "without faults", owner_release = "without faults", bounded_takeover = "always" },
  round_trips = 3,
  parameters = { retry = { 20, "wait between two attempts" } },
}

local compare_and_set = script("compare-and-set", [[
  if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call("set", KEYS[1], ARGV[2])
  return 1
]])
local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

function acquire(name, lease)
  local now = clock.wall()
  local expires = now + lease
  local stamp = clock.write(expires)
  local grant = { token = stamp, deadline = expires }
  local won, why = call("SETNX", name, stamp)
  if why then return failed(why, grant) end
  if won == 1 then return grant end

  local current, why = call("GET", name)
  if why then return failed(why) end
  if not current or not (clock.read(current) < now) then return busy() end
  local set, why = call(compare_and_set, 1, name, current, stamp)
  if why then return failed(why, grant) end
  return set == 1 and grant or busy()
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
