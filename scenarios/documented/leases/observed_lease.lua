-- The lease of a leader election: a record that its holder writes anew again and again. Nobody reads a time in it:
-- who sees it unchanged for a whole lease, by its own clock, takes it. The holder gives up when it could not write
-- for the time that is called its deadline.
lock = {
  source = "kubernetes/client-go, leaderelection",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  round_trips = 2,
  parameters = {
    retry = { 500, "wait between two attempts" },
    renew_deadline = { 10000, "how long the holder goes on without a renewal" },
  },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])
local swap = script("compare-and-swap", [[
  if (redis.call("get", KEYS[1]) or "") ~= ARGV[1] then return 0 end
  redis.call("set", KEYS[1], ARGV[2])
  return 1
]])

local seen, since -- the record as it was seen last, and since when
local mine

function acquire(name, lease)
  local record, why = call("GET", name)
  if why then return failed(why) end
  record = record or ""
  local now = clock.mono()
  if record ~= seen then seen, since = record, now end
  if record ~= "" and now < since + lease then return busy() end

  local token = random.token()
  local swapped, why = call(swap, 1, name, record, token)
  if why then return failed(why) end
  if swapped ~= 1 then return busy() end
  mine = token
  return { token = token, deadline = now + parameters.renew_deadline, renewal = { period = 4000 } }
end

function renew(grant)
  local token, now = random.token(), clock.mono()
  local swapped, why = call(swap, 1, grant.name, mine, token)
  if why then return failed(why) end
  if swapped ~= 1 then return false end
  mine = token
  grant.deadline = now + parameters.renew_deadline
  return grant
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, mine)
  if why then return failed(why) end
  return deleted == 1
end
