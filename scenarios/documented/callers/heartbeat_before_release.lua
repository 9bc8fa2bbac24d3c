-- heartbeat_beside_release.lua, mended: a release waits until no heartbeat is on its way, and then knows the version.
-- client-2 is the heartbeat.
lock = {
  source = "cirello-io/pglock #175",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = { retry = { 50, "wait between two attempts" } },
}

local raise = script("raise", [[
  if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call("set", KEYS[1], ARGV[2], "px", ARGV[3])
  return 1
]])
local delete = script("delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

local held = {}

local function beat(name)
  if not held.version then return end
  local version = random.token()
  held.beats = true
  if call(raise, 1, name, held.version, version, held.lease) == 1 then held.version = version end
  held.beats = nil
end

function acquire(name, lease)
  if client.name == "client-2" then
    beat(name)
    return busy()
  end
  local version = random.token()
  local grant = { token = version, deadline = clock.mono() + lease }
  local won, why = call("SET", name, version, "NX", "PX", lease)
  if why then return failed(why, grant) end
  if not won then return busy() end
  held.version, held.lease = version, lease
  return grant
end

function release(grant)
  while held.beats do message("heartbeat", clock.mono() + 10) end
  local version = held.version
  held.version = nil
  local deleted, why = call(delete, 1, grant.name, version)
  if why then return failed(why) end
  return deleted == 1
end
