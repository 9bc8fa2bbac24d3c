-- SELECT … FOR UPDATE of a whole table, spoken in keys of Redis: the lock's key is there while its rows are locked,
-- and `rows:` while it has rows. Of an empty table it locks nothing, and a migration makes the first row.
lock = {
  source = "flyway/flyway #445, the table of migrations",
  claims = { double_grant = "without faults", owner_release = "always" },
  keys = { "rows:%" },
  parameters = {
    retry = { 50, "wait between two attempts" },
    locks = { count = 1, "1: the rows that are there; 2: the table, as LOCK TABLE does" },
  },
}
local lock_rows = script("lock-rows", [[
  if ARGV[2] == "1" and redis.call("exists", KEYS[2]) == 0 then return 1 end
  return redis.call("setnx", KEYS[1], ARGV[1])
]])
local commit = script("commit", [[
  redis.call("set", KEYS[2], "1")
  if redis.call("get", KEYS[1]) == ARGV[1] then redis.call("del", KEYS[1]) end
  return 1
]])

function acquire(name)
  local token = random.token()
  local locked, why = call(lock_rows, 2, name, "rows:" .. name, token, parameters.locks)
  if why then return failed(why, { token = token }) end
  return locked == 1 and { token = token } or busy()
end

function release(grant)
  local _, why = call(commit, 2, grant.name, "rows:" .. grant.name, grant.token)
  if why then return failed(why) end
  return true
end
