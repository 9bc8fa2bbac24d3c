-- one_entry.lua, mended: an owner whose lock is gone leaves the entry, and the renewal goes on for the others.
lock = {
  source = "note 002, renewExpiration() and getFirstThreadId(); redisson #3712",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = { retry = { 50, "wait between two attempts" } },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])
local compare_and_expire = script("compare-and-expire", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end
]])

local owners, asked = {}, 0

function acquire(name, lease)
  asked = lease
  local token = random.token()
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why) end
  if not won then return busy() end
  table.insert(owners, token)
  return { token = token, renewal = { period = lease / 3 } }
end

function renew(grant)
  local kept, why = call(compare_and_expire, 1, grant.name, owners[#owners], asked)
  if why then return failed(why) end
  return kept == 1 and grant
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, table.remove(owners, 1))
  if why then return failed(why) end
  return deleted == 1
end
