-- SET NX PX with a token at the first server, and a look at a copy of it, which the second server has. A lock here
-- sees no replicas; so a client stands for the replication, which copies the lock's key from time to time, and is
-- late.
lock = {
  source = "redis/redis #1768; neondatabase/mcp-server-neon pull request 240",
  servers = "all",
  claims = { double_grant = "never", owner_release = "always" },
  round_trips = 2,
  refusal_writes = true,
  parameters = {
    retry = { 100, "wait between two attempts" },
    decides = { count = 1, "1: a lock that the copy does not have is free; 2: the first server decides, by SET NX" },
    role = { count = 1, "1: a client of the lock; 2: the replication, whose attempts copy the key" },
  },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

local function copy(name)
  local value, why = servers[1].call("GET", name)
  if why then return failed(why) end
  if value then
    servers[2].call("SET", name, value)
  else
    servers[2].call("DEL", name)
  end
  return busy()
end

function acquire(name, lease)
  if parameters.role == 2 then return copy(name) end
  local token, now = random.token(), clock.mono()
  local grant = { token = token, deadline = now + lease }
  if parameters.decides == 2 then
    local won, why = servers[1].call("SET", name, token, "NX", "PX", lease)
    if why then return failed(why) end
    return won and grant or busy()
  end
  local taken, why = servers[2].call("EXISTS", name)
  if why then return failed(why) end
  if taken == 1 then return busy() end
  local _, why = servers[1].call("SET", name, token, "PX", lease)
  if why then return failed(why) end
  return grant
end

function release(grant)
  local deleted, why = servers[1].call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
