-- An advisory lock of PostgreSQL that a session has, as algorithms/postgres/advisory.cpp. Statements are sent as they
-- stand here, and the simulator knows them by their text: those of algorithms/postgres/statements.
lock = { service = "postgres", claims = { double_grant = "without faults" }, parameters = { retry = 50 } }

local try = script("try-advisory", "select pg_try_advisory_lock(hashtextextended($1, 0))\n")
local unlock = script("unlock-advisory", "select pg_advisory_unlock(hashtextextended($1, 0))\n")

function acquire(name)
  local grant = { token = "session" }
  local row, why = call(try, 1, name)
  if why then return failed(why, grant) end
  return row[1] == "t" and grant or busy()
end

function release(grant)
  local row, why = call(unlock, 1, grant.name)
  if why then return failed(why) end
  return row[1] == "t"
end
