-- A lock on one PostgreSQL: an advisory lock of the session. Change it into yours.
-- All that it can call, and all that it can return: docs/reference/lua.md and lua-services.md.
lock = {
  service = "postgres",
  summary = "an advisory lock of the session",
  parameters = { retry = { 50, "wait between two attempts" } }, -- milliseconds; [algorithm] retry = "20ms" sets it
  claims = { double_grant = "without faults" },
}

-- A statement is sent as it stands here. The simulator knows those of algorithms/postgres/statements by their text.
local try = script("try-advisory", "select pg_try_advisory_lock(hashtextextended($1, 0))\n")
local unlock = script("unlock-advisory", "select pg_advisory_unlock(hashtextextended($1, 0))\n")

-- One attempt. An advisory lock has no lease: it is free when it is unlocked, or when its connection has ended.
function acquire(name, lease)
  local grant = { token = "session" }
  local row, why = call(try, 1, name) -- the first row, or nil; after it, why there is none
  if why then return failed(why, grant) end -- the lock may be held all the same
  return row[1] == "t" and grant or busy()
end

function release(grant)
  local row, why = call(unlock, 1, grant.name)
  if why then return failed(why) end
  return row[1] == "t" -- "f": this connection's session did not have it
end
