-- As the repaired lock of algorithms/redis/token_pubsub.cpp: waiters hear of a release.
lock = { channels = { "released:%" } }

local compare_and_delete_publish = script("compare-and-delete-publish", [[
if redis.call('get', KEYS[1]) == ARGV[1] then
  redis.call('del', KEYS[1])
  redis.call('publish', KEYS[2], '0')
  return 1
else
  return 0
end
]])
local subscribed, asked = false, 0

function retry() return 0 end

local function channel(name) return "released:" .. name end

function acquire(name, lease)
  asked = lease
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease }
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why, grant) end
  return won and grant or busy()
end

function release(grant)
  local deleted, why = call(compare_and_delete_publish, 2, grant.name, channel(grant.name), grant.token)
  if why then return failed(why) end
  return deleted == 1
end

function wait(name, until_then)
  if not subscribed then
    local _, why = subscribe(channel(name))
    subscribed = not why
    return true -- a release meanwhile has sent no message here
  end
  local lease_ends = clock.mono() + asked
  if lease_ends < until_then then until_then = lease_ends end
  message(channel(name), until_then)
  return true
end
