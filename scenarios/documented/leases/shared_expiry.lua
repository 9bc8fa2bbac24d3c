-- Redisson's read-write lock: a hash of its mode and of those who have it, and one expiry for all of them. Before the
-- mend a reader that joined gave that expiry its own lease, however long another reader had asked for.
lock = {
  source = "redisson #2144",
  claims = { double_grant = "without faults", bounded_takeover = "always" },
  parameters = {
    retry = { 100, "wait between two attempts" },
    expiry = { count = 1, "1: the lease of the reader that came last; 2: the longest of all" },
  },
}

local enter = script("enter", [[
  local mode = redis.call("hget", KEYS[1], "mode")
  if mode and not (mode == "shared" and ARGV[3] == "shared") then return 0 end
  redis.call("hset", KEYS[1], "mode", ARGV[3])
  redis.call("hset", KEYS[1], ARGV[2], 1)
  local left = redis.call("pttl", KEYS[1])
  if ARGV[4] == "1" or left < tonumber(ARGV[1]) then redis.call("pexpire", KEYS[1], ARGV[1]) end
  return 1
]])
local leave = script("leave", [[
  if redis.call("hdel", KEYS[1], ARGV[1]) == 0 then return 0 end
  if redis.call("hlen", KEYS[1]) == 1 then redis.call("del", KEYS[1]) end
  return 1
]])

function acquire(name, lease)
  local grant = { token = random.token(), deadline = clock.mono() + lease }
  local entered, why = call(enter, 1, name, lease, grant.token, client.mode, parameters.expiry)
  if why then return failed(why, grant) end
  return entered == 1 and grant or busy()
end

function release(grant)
  local left, why = call(leave, 1, grant.name, grant.token)
  if why then return failed(why) end
  return left == 1
end
