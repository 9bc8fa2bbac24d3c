-- A stand-in for MySQL's named locks: a name is one session's, and a session is a connection.
-- The same: GET_LOCK of a name that the session has takes it once more; only that session releases it; it ends with
-- the connection, and no transaction changes it. Before MySQL 5.7.5 a session has one name, and the next one releases
-- it.
-- Not the same: GET_LOCK waits in the server for as long as it is told, and here a client asks again; names have any
-- length and case; a deadlock is not found; RELEASE_LOCK says 0 where MySQL says NULL, for a name that nobody has.
lock = {
  summary = "a stand-in for MySQL's GET_LOCK",
  source = "dev.mysql.com/doc/refman/8.0/en/locking-functions.html",
  service = "postgres",
  claims = { double_grant = "without faults" },
  round_trips = 2,
  parameters = {
    retry = { 50, "wait between two attempts" },
    names = { count = 2, "how many names a session can have: 1 before MySQL 5.7.5, 2 for any number since" },
  },
}

local try = script("try-advisory", "select pg_try_advisory_lock(hashtextextended($1, 0))\n")
local unlock = script("unlock-advisory", "select pg_advisory_unlock(hashtextextended($1, 0))\n")

-- The value of a row's only column: 1 or 0. Or nil and why.
local function number(row, why)
  if why then return nil, why end
  return row[1] == "t" and 1 or 0
end

local taken = {} -- the names that were asked for and not released, the last one last

-- SELECT RELEASE_LOCK(name) -> 1; 0: another session has it, or nobody
local function release_lock(name) return number(call(unlock, 1, name)) end
-- SELECT GET_LOCK(name, 0) -> 1; 0: another session has it
local function get_lock(name)
  if parameters.names == 1 and #taken > 0 and taken[#taken] ~= name then
    local _, why = release_lock(taken[#taken])
    if why then return nil, why end
  end
  return number(call(try, 1, name))
end

-- The first lock of a client is the scenario's, and one that it acquires within its work has another name.
function acquire(name)
  local wanted = #taken == 0 and name or "another-" .. name
  local got, why = get_lock(wanted)
  if why then return failed(why, { token = "session" }) end
  if got == 0 then return busy() end
  table.insert(taken, wanted)
  return { token = "session" }
end

function release(grant)
  local released, why = release_lock(taken[#taken] or grant.name)
  if why then return failed(why) end
  table.remove(taken)
  return released == 1
end
