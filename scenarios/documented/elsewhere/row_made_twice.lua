-- A table with one row, which is locked or not, spoken in keys of Redis: `rows:` counts the rows, and the lock's key
-- is there while they are locked. Who finds no row makes one, and who locks another number of rows than one has not
-- locked.
lock = {
  source = "knex/knex #3538, the table of migration locks",
  claims = { double_grant = "without faults", owner_release = "always" },
  round_trips = 3,
  keys = { "rows:%" },
  parameters = {
    retry = { 200, "wait between two attempts" },
    inserts = { count = 1, "1: a row, having seen none; 2: a row with a key of its own, which is made once" },
  },
}
local lock_rows = script("lock-rows", [[
  if redis.call("get", KEYS[2]) ~= "1" then return 0 end
  return redis.call("setnx", KEYS[1], ARGV[1])
]])
local unlock_rows = script("unlock-rows", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

local function insert(rows)
  if parameters.inserts == 2 then return call("SETNX", rows, 1) end
  return call("INCR", rows)
end

function acquire(name)
  local rows, why = call("GET", "rows:" .. name)
  if why then return failed(why) end
  if not rows then
    local _, why = insert("rows:" .. name)
    if why then return failed(why) end
  end
  local token = random.token()
  local locked, why = call(lock_rows, 2, name, "rows:" .. name, token)
  if why then return failed(why) end
  return locked == 1 and { token = token } or busy()
end

function release(grant)
  local unlocked, why = call(unlock_rows, 1, grant.name, grant.token)
  if why then return failed(why) end
  return unlocked == 1
end
