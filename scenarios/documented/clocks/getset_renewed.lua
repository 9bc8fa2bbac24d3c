-- The lock of note 000, scheme two, with the renewal that the note suggests for long tasks: the holder writes a new
-- stamp. A stamp does not say whose it is, so it writes it over whoever holds the lock by now.
lock = {
  source = "note 000, problem 3",
  claims = { double_grant = "without faults", owner_release = "without faults", bounded_takeover = "always" },
  round_trips = 3,
  refusal_writes = true,
  parameters = { retry = { 50, "wait between two attempts" } },
}

local asked = 0

function acquire(name, lease)
  asked = lease
  local now = clock.wall()
  local expires = now + lease
  local stamp = clock.write(expires)
  local grant = { token = stamp, renewal = { period = lease / 3 } }
  local won, why = call("SETNX", name, stamp)
  if why then return failed(why) end
  if won == 1 then return grant end
  local current, why = call("GET", name)
  if why then return failed(why) end
  if not current or not (clock.read(current) < now) then return busy() end
  local old, why = call("GETSET", name, stamp)
  if why then return failed(why) end
  return old == current and grant or busy()
end

function renew(grant)
  local _, why = call("SET", grant.name, clock.write(clock.wall() + asked))
  if why then return failed(why) end
  return grant
end

function release(grant)
  local deleted, why = call("DEL", grant.name)
  if why then return failed(why) end
  return deleted == 1
end
