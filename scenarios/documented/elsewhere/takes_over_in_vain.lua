-- A row with an owner and a time, spoken in keys of Redis: the lock's key is the row, and `valid:` is there until its
-- time is over. A transaction whose INSERT failed does nothing more, so a look at the row and a takeover in it are in
-- vain.
lock = {
  source = "cap-js-community/event-queue #525",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  round_trips = 2,
  keys = { "valid:%" },
  parameters = {
    retry = { 500, "wait between two attempts" },
    takes = { count = 1, "1: in the transaction that has failed; 2: behind a savepoint" },
  },
}
local insert = script("insert", [[
  if redis.call("setnx", KEYS[1], ARGV[1]) == 0 then return 0 end
  redis.call("set", KEYS[2], "1", "px", ARGV[2])
  return 1
]])
local take_over = script("take-over", [[
  if redis.call("exists", KEYS[2]) == 1 then return 0 end
  redis.call("set", KEYS[1], ARGV[1])
  redis.call("set", KEYS[2], "1", "px", ARGV[2])
  return 1
]])
local delete_own = script("delete-own", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1], KEYS[2]) else return 0 end
]])

function acquire(name, lease)
  local token, now = random.token(), clock.mono()
  local grant = { token = token, deadline = now + lease }
  local taken, why = call(insert, 2, name, "valid:" .. name, token, lease)
  if taken == 0 and parameters.takes == 2 then
    taken, why = call(take_over, 2, name, "valid:" .. name, token, lease)
  end
  if why then return failed(why, grant) end
  return taken == 1 and grant or busy()
end

function release(grant)
  local deleted, why = call(delete_own, 2, grant.name, "valid:" .. grant.name, grant.token)
  if why then return failed(why) end
  return deleted > 0
end
