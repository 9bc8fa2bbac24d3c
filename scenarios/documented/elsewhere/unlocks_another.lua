-- An advisory lock whose number is made of database and schema, unlocked by a number that is made of the database
-- alone.
lock = {
  service = "postgres",
  source = "golang-migrate/migrate #130",
  claims = { double_grant = "without faults" },
  parameters = {
    retry = { 500, "wait between two attempts" },
    unlocks = { count = 1, "1: another number; 2: the one that was locked" },
  },
}
local try = script("try-advisory", "select pg_try_advisory_lock(hashtextextended($1, 0))\n")
local unlock = script("unlock-advisory", "select pg_advisory_unlock(hashtextextended($1, 0))\n")

function acquire(name)
  local grant = { token = "session" }
  local row, why = call(try, 1, name)
  if why then return failed(why, grant) end
  return row[1] == "t" and grant or busy()
end

function release(grant)
  local _, why = call(unlock, 1, parameters.unlocks == 2 and grant.name or grant.name .. "-without-schema")
  if why then return failed(why) end
  return true -- nobody looks at the answer
end
