-- ShedLock on Redis: a job that is done sooner than `at_least` leaves its lock behind until then, so that a server with
-- a later clock finds it. ShedLock's `lockAtMostFor` is the lease. It neither waits nor renews: with attempts = 1 a
-- server that finds the lock taken leaves the job out.
lock = {
  summary = "SET NX PX; released by compare-and-delete, or kept until lockAtLeastFor is over",
  source = "lukas-krecan/ShedLock, RedisLockProvider",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = {
    retry = { 50, "wait between two attempts" },
    at_least = { 0, "lockAtLeastFor, counted from before the request" },
  },
}

local delete = script("delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])
local keep = script("keep", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpireat", KEYS[1], ARGV[2]) else return 0 end
]])

local until_then -- it keeps the lock at least until then, by its wall clock

function acquire(name, lease)
  until_then = clock.wall() + parameters.at_least
  local grant = { token = random.token(), deadline = clock.mono() + lease }
  local won, why = call("SET", name, grant.token, "NX", "PX", lease)
  if why then return failed(why, grant) end
  return won and grant or busy()
end

function release(grant)
  if clock.wall() >= until_then then
    local deleted, why = call(delete, 1, grant.name, grant.token)
    if why then return failed(why) end
    return deleted == 1
  end
  local kept, why = call(keep, 1, grant.name, grant.token, clock.write(until_then))
  if why then return failed(why) end
  return kept == 1 and skipped() -- it is not given back yet
end
