-- forgets_any_token.lua, mended: a release forgets the token that it has sent, and no other.
lock = {
  source = "redis/redis-py #4258",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = { retry = { 50, "wait between two attempts" } },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

local object = {}

function acquire(name, lease)
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease }
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why, grant) end
  if not won then return busy() end
  object.token = token
  return grant
end

function release(grant)
  if not object.token then return skipped() end  -- "cannot release an unlocked lock"
  local sent = object.token
  local deleted, why = call(compare_and_delete, 1, grant.name, sent)
  if why then return failed(why) end
  if object.token == sent then object.token = nil end
  return deleted == 1
end
