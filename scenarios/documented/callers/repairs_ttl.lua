-- SETNX, then EXPIRE; and a waiter that finds a lock without an expiry repairs it: its holder must have died between
-- the two. The look and the repair are two commands, and in between the holder may have released the lock.
lock = {
  source = "oaeproject/Hilary, pull request 793",
  claims = { double_grant = "without faults", bounded_takeover = "always" },
  lease_unit = 1000, -- EXPIRE counts seconds
  round_trips = 2,
  refusal_writes = true,
  parameters = { retry = { 50, "wait between two attempts" } },
}

function acquire(name, lease)
  local token = random.token()
  local won, why = call("SETNX", name, token)
  if why then return failed(why) end
  if won == 1 then
    local _, why = call("EXPIRE", name, lease / 1000)
    if why then return failed(why) end
    return { token = token }
  end
  local left, why = call("TTL", name)
  if why then return failed(why) end
  if left < 0 then call("SETEX", name, lease / 1000, "repaired") end
  return busy()
end

function release(grant)
  local deleted, why = call("DEL", grant.name)
  if why then return failed(why) end
  return deleted == 1
end
