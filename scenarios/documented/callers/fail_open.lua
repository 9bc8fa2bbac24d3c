-- SET NX PX with a token; when the lock's server does not answer, the caller goes on without the lock.
lock = {
  source = "simstudioai/sim, pull request 6864",
  claims = { double_grant = "never", owner_release = "always", bounded_takeover = "always" },
  parameters = { retry = { 50, "wait between two attempts" } },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

function acquire(name, lease)
  local token = random.token()
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return { token = token } end -- better twice than not at all
  return won and { token = token, deadline = clock.mono() + lease } or busy()
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
