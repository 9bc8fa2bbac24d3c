-- The value is the instant at which the lease ends. Who finds it past deletes the key and takes the lock with SETNX:
-- two commands after a look, so that what is deleted need not be what was seen.
lock = {
  source = "redis.io, SETNX",
  claims = { double_grant = "without faults", bounded_takeover = "always" },
  round_trips = 4,
  refusal_writes = true,
  parameters = { retry = { 50, "wait between two attempts" } },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

function acquire(name, lease)
  local now = clock.wall()
  local stamp = clock.write(now + lease)
  local grant = { token = stamp, deadline = now + lease }
  local won, why = call("SETNX", name, stamp)
  if why then return failed(why) end
  if won == 1 then return grant end
  local current, why = call("GET", name)
  if why then return failed(why) end
  if not current or not (clock.read(current) < now) then return busy() end
  call("DEL", name)
  local won, why = call("SETNX", name, stamp)
  if why then return failed(why) end
  return won == 1 and grant or busy()
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
