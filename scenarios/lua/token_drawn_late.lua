-- A lock with a fencing token: SET NX PX, and then INCR for the token. The two are not one step.
lock = {
  summary = "SET NX PX, then INCR for a fencing token",
  source = "simple-redis-mutex 3.0.0, which takes its token so",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  round_trips = 2,
  parameters = { retry = { 100, "wait between two attempts" },
    steps = { count = 2, "2: the token is drawn after the lock; 1: both in one script" } },
}
local unlock = script("unlock", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])
local lock_and_draw = script("lock-and-draw", [[
  if redis.call("set", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return redis.call("incr", KEYS[2]) else return 0 end
]])
function acquire(name, lease)
  local token, counter = random.token(), name .. ":token"
  if parameters.steps == 1 then
    local drawn, why = call(lock_and_draw, 2, name, counter, token, lease)
    if why then return failed(why, { token = token }) end
    if drawn == 0 then return busy() end
    return { token = token, fence = drawn }
  end
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why, { token = token }) end
  if not won then return busy() end
  local drawn, unknown = call("INCR", counter)
  if unknown then return failed(unknown, { token = token }) end
  return { token = token, fence = drawn }
end
function release(grant)
  local deleted, why = call(unlock, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
