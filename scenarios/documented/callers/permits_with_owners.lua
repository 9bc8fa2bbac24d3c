-- A semaphore whose permits have owners: each is a key with a token and an expiry. A release sent twice finds a permit
-- that is nobody's, or another's, and leaves it; one of a client that died frees itself.
lock = {
  source = "Redisson, RPermitExpirableSemaphore",
  claims = { double_grant = "without faults", bounded_takeover = "always" },
  keys = { "permit-1:%", "permit-2:%" },
  parameters = {
    retry = { 100, "wait between two attempts" },
    permits = { count = 2, "how many clients may be inside at once: 1 or 2" },
  },
}

local take = script("take-permit", [[
  for permit = 1, ARGV[3] do
    if redis.call("set", KEYS[permit], ARGV[1], "nx", "px", ARGV[2]) then return permit end
  end
  return 0
]])
local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

local function key(permit, name) return "permit-" .. permit .. ":" .. name end

local mine = 0 -- the permit that it has

function acquire(name, lease)
  local grant = { token = random.token(), deadline = clock.mono() + lease }
  local permit, why = call(take, 2, key(1, name), key(2, name), grant.token, lease, parameters.permits)
  if why then return failed(why) end
  if permit == 0 then return busy() end
  mine = permit
  return grant
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, key(mine, grant.name), grant.token)
  if why then return failed(why) end
  return deleted == 1
end
