-- SETNX, without an end. Its holder believes in one, and leaves the key alone once that has come.
lock = {
  source = "tests/search/zones",
  parameters = { retry = { 50, "wait between two attempts" } },
}

function acquire(name, lease)
  local token, began = random.token(), clock.mono()
  local won, why = call("SETNX", name, token)
  local grant = { token = token, deadline = began + lease }
  if why then return failed(why, grant) end
  return won == 1 and grant or busy()
end

function release(grant)
  if clock.mono() >= grant.deadline then return skipped() end
  local deleted, why = call("DEL", grant.name)
  if why then return failed(why) end
  return deleted == 1
end
