-- SET NX PX, whose holder believes in it until a deadline of a clock that counts suspensions.
lock = {
  source = "tests/search/zones",
  parameters = { retry = { 50, "wait between two attempts" } },
}

function acquire(name, lease)
  local token, began = random.token(), clock.boot()
  local won, why = call("SET", name, token, "NX", "PX", lease)
  local grant = { token = token, deadline = began + lease }
  if why then return failed(why, grant) end
  return won and grant or busy()
end

function release(grant)
  local deleted, why = call("DEL", grant.name)
  if why then return failed(why) end
  return deleted == 1
end
