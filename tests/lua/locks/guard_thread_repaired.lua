-- As algorithms/redis/guard_thread_repaired.cpp: a watchdog renews a third of the lease.
lock = { parameters = { retry = 50 } }

local compare_and_delete = script("compare-and-delete", [[
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end
]])
local compare_and_expire = script("compare-and-expire", [[
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end
]])
local kept = 30000 -- the lease of the grant that is renewed

function acquire(name, lease)
  kept = lease
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease, renewal = { period = math.floor(lease / 3) } }
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why, grant) end
  return won and grant or busy()
end

function renew(grant)
  local asked = clock.mono()
  local renewed, why = call(compare_and_expire, 1, grant.name, grant.token, kept)
  if why then return failed(why) end
  if renewed ~= 1 then return false end
  grant.deadline = asked + kept
  return grant
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
