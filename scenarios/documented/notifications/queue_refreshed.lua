-- queue_joined_once.lua, mended: each attempt says anew until when its waiter is to be counted.
lock = {
  source = "redisson #3004 and #5503, the fair lock",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  keys = { "tickets:%", "queue:%" },
  refusal_writes = true,
  parameters = {
    retry = { 200, "wait between two attempts" },
    counted = { 5000, "how long a waiter is counted as alive" },
  },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])
local try = script("try", [[
  local ticket = ARGV[3]
  local joins = ticket == "none"
  if joins then ticket = tostring(redis.call("incr", KEYS[2])) end
  redis.call("hset", KEYS[3], ticket, ARGV[4])
  local all, first = redis.call("hgetall", KEYS[3]), nil
  for i = 1, #all, 2 do
    local number = tonumber(all[i])
    if tonumber(all[i + 1]) < tonumber(ARGV[5]) then
      redis.call("hdel", KEYS[3], all[i])
    elseif not first or number < first then
      first = number
    end
  end
  if first == tonumber(ticket) and redis.call("set", KEYS[1], ARGV[1], "nx", "px", ARGV[2]) then
    redis.call("hdel", KEYS[3], ticket)
    return 0
  end
  return tonumber(ticket)
]])

local ticket

function acquire(name, lease)
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease }
  local now = clock.wall()
  local mine, why = call(try, 3, name, "tickets:" .. name, "queue:" .. name, token, lease, ticket or "none",
    clock.write(now + parameters.counted), clock.write(now))
  if why then return failed(why) end
  if mine > 0 then
    ticket = mine
    return busy()
  end
  ticket = nil
  return grant
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
