-- As algorithms/redis/getset_timestamp.cpp: the lock's value is the instant at which it ends, by the client's clock.
lock = { round_trips = 3, refusal_writes = true, parameters = { retry = 20 } }

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
  if not current then return busy() end
  local theirs = clock.read(current)
  if not theirs then return failed("refused") end
  if not (theirs < now) then return busy() end

  local old, why = call("GETSET", name, stamp)
  if why then return failed(why, grant) end
  return old == current and grant or busy()
end

function release(grant)
  if grant.deadline <= clock.wall() then return skipped() end
  local deleted, why = call("DEL", grant.name)
  if why then return failed(why) end
  return deleted == 1
end
