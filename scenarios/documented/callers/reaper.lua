-- A lock without an expiry, and a heartbeat beside it. Who is refused looks for the heartbeat, and deletes the lock
-- of whom it takes for dead.
lock = {
  source = "mhenrixon/sidekiq-unique-jobs, the reaper",
  claims = { double_grant = "without faults", bounded_takeover = "always" },
  round_trips = 2,
  refusal_writes = true,
  keys = { "alive:%" },
  parameters = { retry = { 500, "wait between two attempts" } },
}

local heartbeat = 0

function acquire(name, lease)
  heartbeat = lease
  local token = random.token()
  local won, why = call("SETNX", name, token)
  if why then return failed(why) end
  if won == 1 then
    local _, why = call("SET", "alive:" .. name, token, "PX", heartbeat)
    if why then return failed(why) end
    return { token = token, renewal = { period = lease / 4 } }
  end
  local alive, why = call("EXISTS", "alive:" .. name)
  if why then return failed(why) end
  if alive == 0 then call("DEL", name) end
  return busy()
end

function renew(grant)
  local _, why = call("SET", "alive:" .. grant.name, grant.token, "PX", heartbeat)
  if why then return failed(why) end
  return grant
end

function release(grant)
  local deleted, why = call("DEL", grant.name)
  if why then return failed(why) end
  return deleted == 1
end
