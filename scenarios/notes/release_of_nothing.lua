-- SET NX PX with a token, released as note 004 prints it: jedis.get(key).equals(id). Where the key is gone GET
-- answers nothing, and equals of nothing raises an exception, which leaves the cleaning-up.
lock = {
  source = "note 004, the release by comparison",
  claims = { double_grant = "without faults", bounded_takeover = "always" },
  round_trips = 1,
  parameters = { retry = { 50, "wait between two attempts" } },
}

function acquire(name, lease)
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease }
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why, grant) end
  return won and grant or busy()
end

function release(grant)
  local holder, why = call("GET", grant.name)
  if why then return failed(why) end
  if not holder then return failed("refused") end -- the exception
  if holder ~= grant.token then return false end
  local deleted, why = call("DEL", grant.name)
  if why then return failed(why) end
  return deleted == 1
end
