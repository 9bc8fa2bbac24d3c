-- A heartbeat writes a new version where the value is still the last version that its holder knows. One whose answer
-- is lost has written a version that its holder does not know.
lock = {
  source = "cirello-io/dynamolock #280",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = { retry = { 50, "wait between two attempts" } },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])
local heartbeat = script("heartbeat", [[
  local now = redis.call("get", KEYS[1])
  if now ~= ARGV[1] and now ~= ARGV[4] then return 0 end
  redis.call("set", KEYS[1], ARGV[2], "px", ARGV[3])
  return 1
]])

local asked = 0
local version, attempted -- the last that was confirmed, and the last that was sent

function acquire(name, lease)
  asked = lease
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease, renewal = { period = lease / 3 } }
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why, grant) end
  if not won then return busy() end
  version, attempted = token, token
  return grant
end

function renew(grant)
  local next_version, now = random.token(), clock.mono()
  local known = version
  attempted = next_version
  local kept, why = call(heartbeat, 1, grant.name, version, next_version, asked, known)
  if why then return failed(why) end
  if kept ~= 1 then return false end
  version = next_version
  grant.deadline = now + asked
  return grant
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, version)
  if why then return failed(why) end
  return deleted == 1
end
