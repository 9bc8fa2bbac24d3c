-- A lease that its leader renews. A candidate that does not hear from the lock's server ends: the leader, because it
-- may be leader no more, and who waits, because its session is gone. It is there again only if somebody starts it.
lock = {
  source = "mesos/chronos #513; aphyr.com, Jepsen: Chronos",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = {
    retry = { 500, "wait between two attempts" },
    started_anew = { 600000, "how long until somebody starts a candidate that has ended" },
  },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])
local compare_and_expire = script("compare-and-expire", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end
]])

local asked, there_again = 0, nil

local function ends() there_again = clock.mono() + parameters.started_anew end

function acquire(name, lease)
  if there_again and clock.mono() < there_again then return busy() end
  there_again, asked = nil, lease
  local token, now = random.token(), clock.mono()
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then
    ends()
    return failed(why)
  end
  return won and { token = token, deadline = now + lease, renewal = { period = lease / 3 } } or busy()
end

function renew(grant)
  local now = clock.mono()
  local kept, why = call(compare_and_expire, 1, grant.name, grant.token, asked)
  if why then
    ends()
    return false
  end
  if kept ~= 1 then return false end
  grant.deadline = now + asked
  return grant
end

function release(grant)
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
