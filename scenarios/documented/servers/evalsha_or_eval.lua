-- evalsha_only.lua, mended: where the server does not know the script, it is sent whole.
lock = {
  source = "Redisson's changelog, 3.48.0",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  round_trips = 2,
  parameters = { retry = { 50, "wait between two attempts" } },
}

local text = [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]]
local hash

function acquire(name, lease)
  if not hash then
    local loaded, why = call("SCRIPT", "LOAD", text)
    if why then return failed(why) end
    hash = loaded
  end
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease }
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why, grant) end
  return won and grant or busy()
end

function release(grant)
  local deleted, why = call("EVALSHA", hash, 1, grant.name, grant.token)
  if why == "refused" then deleted, why = call("EVAL", text, 1, grant.name, grant.token) end
  if why then return failed(why) end
  return deleted == 1
end
