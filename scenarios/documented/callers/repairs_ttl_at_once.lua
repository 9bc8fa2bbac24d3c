-- repairs_ttl.lua, mended: the look and the repair are one script, which makes no lock that is not there.
lock = {
  source = "oaeproject/Hilary, pull request 793, mended",
  claims = { double_grant = "without faults", bounded_takeover = "always" },
  lease_unit = 1000, -- EXPIRE counts seconds
  round_trips = 2,
  refusal_writes = true,
  parameters = { retry = { 50, "wait between two attempts" } },
}

local repair = script("repair", [[
  if redis.call("ttl", KEYS[1]) == -1 then return redis.call("expire", KEYS[1], ARGV[1]) else return 0 end
]])

function acquire(name, lease)
  local token = random.token()
  local won, why = call("SETNX", name, token)
  if why then return failed(why) end
  if won == 1 then
    local _, why = call("EXPIRE", name, lease / 1000)
    if why then return failed(why) end
    return { token = token }
  end
  local _, why = call(repair, 1, name, lease / 1000)
  if why then return failed(why) end
  return busy()
end

function release(grant)
  local deleted, why = call("DEL", grant.name)
  if why then return failed(why) end
  return deleted == 1
end
