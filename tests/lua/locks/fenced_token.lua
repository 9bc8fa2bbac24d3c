-- As algorithms/redis/fenced_token.cpp.
lock = { keys = { "%:fence" }, parameters = { retry = 50 } }

local fenced_acquire = script("fenced-acquire", [[
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return redis.call('incr', KEYS[2])
end
return nil
]])
local compare_and_delete = script("compare-and-delete", [[
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end
]])

function acquire(name, lease)
  local grant = { token = random.token(), deadline = clock.mono() + lease }
  local number, why = call(fenced_acquire, 2, name, name .. ":fence", grant.token, lease)
  if why then return failed(why, grant) end
  if not number then return busy() end
  grant.fence = number
  return grant
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
