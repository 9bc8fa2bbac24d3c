-- stamp_before_the_loop.lua, mended: each attempt computes its own stamp.
lock = {
  source = "PatrickTulskie/redis-lock #12",
  claims = { double_grant = "without faults", bounded_takeover = "always" },
  round_trips = 3,
  refusal_writes = true,
  parameters = { retry = { 50, "wait between two attempts" } },
}

function acquire(name, lease)
  local now = clock.wall()
  local stamp = clock.write(now + lease)
  local won, why = call("SETNX", name, stamp)
  if why then return failed(why) end
  if won == 1 then return { token = stamp } end
  local current, why = call("GET", name)
  if why then return failed(why) end
  if not current or not (clock.read(current) < now) then return busy() end
  local old, why = call("GETSET", name, stamp)
  if why then return failed(why) end
  return old == current and { token = stamp } or busy()
end

function release(grant)
  local deleted, why = call("DEL", grant.name)
  if why then return failed(why) end
  return deleted == 1
end
