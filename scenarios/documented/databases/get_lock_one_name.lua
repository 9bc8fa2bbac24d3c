-- MySQL's GET_LOCK, as far as an advisory lock of a session of PostgreSQL is the same: it belongs to a connection. A
-- server before MySQL 5.7.5 lets a connection have one name: taking another one releases it, which here the client
-- says.
lock = {
  source = "MySQL 5.6, GET_LOCK()",
  service = "postgres",
  claims = { double_grant = "never" },
  round_trips = 2,
  parameters = {
    retry = { 50, "wait between two attempts" },
    names = { count = 1, "how many names a connection can have: 1 before MySQL 5.7.5, 2 for any number since" },
  },
}

local try = script("try-advisory", "select pg_try_advisory_lock(hashtextextended($1, 0))\n")
local unlock = script("unlock-advisory", "select pg_advisory_unlock(hashtextextended($1, 0))\n")

local taken = {} -- the names that this connection asked for and has not released, the last one last

-- The first lock of a client is the scenario's, and one that it acquires within its work has another name.
function acquire(name)
  local wanted = #taken == 0 and name or "another-" .. name
  if parameters.names == 1 and #taken > 0 then
    local _, why = call(unlock, 1, taken[#taken])
    if why then return failed(why) end
  end
  local row, why = call(try, 1, wanted)
  if why then return failed(why) end
  if row[1] ~= "t" then return busy() end
  table.insert(taken, wanted)
  return { token = "session" }
end

function release()
  local row, why = call(unlock, 1, taken[#taken])
  if why then return failed(why) end
  table.remove(taken)
  return row[1] == "t"
end
