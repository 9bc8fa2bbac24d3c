-- SET NX PX with a token, re-entrant at the client: it counts how often it is inside, and asks the server for the
-- first entry and the last release only.
lock = {
  source = "note 001, on locks that are made re-entrant at the client",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = { retry = { 50, "wait between two attempts" } },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

local depth, held = 0, nil

function acquire(name, lease)
  if depth > 0 and clock.mono() < held.deadline then
    depth = depth + 1
    return { token = held.token, deadline = held.deadline }
  end
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease }
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why, grant) end
  if not won then return busy() end
  depth, held = 1, { token = token, deadline = grant.deadline }
  return grant
end

function release(grant)
  depth = depth - 1
  if depth > 0 then return true end
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
