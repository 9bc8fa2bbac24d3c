-- A leader election by a record that has the leader's identity. Who finds its own identity in it leads already, and
-- writes the record anew: so a leader that starts again goes on at once. The identity is the host's name.
lock = {
  source = "kubernetes #22775, #58302 and #61151",
  claims = { double_grant = "without faults", bounded_takeover = "always" },
  parameters = {
    retry = { 500, "wait between two attempts" },
    host = { count = 1, "the number of the host on which this client runs" },
    identity = { count = 1, "1: the host's name; 2: with something that each process has for itself" },
  },
}

local lead = script("take-or-go-on", [[
  local leader = redis.call("get", KEYS[1])
  if leader and leader ~= ARGV[1] then return 0 end
  redis.call("set", KEYS[1], ARGV[1], "px", ARGV[2])
  return 1
]])
local resign = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

local function identity()
  local host = "host-" .. parameters.host
  return parameters.identity == 1 and host or host .. "_" .. client.name
end

function acquire(name, lease)
  local asked = clock.mono()
  local leads, why = call(lead, 1, name, identity(), lease)
  if why then return failed(why) end
  return leads == 1 and { token = identity(), deadline = asked + lease } or busy()
end

function release(grant)
  local deleted, why = call(resign, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
