-- etcd's mutex, spoken in keys of Redis: a key with a lease, which is made if there is none, and the revision at
-- which it was made; compare and set are one script, as they are one transaction there. A session keeps the lease
-- alive.
lock = {
  source = "etcd-io/etcd, client/v3/concurrency",
  claims = { double_grant = "without faults", owner_release = "always" },
  keys = { "revision:%" },
  parameters = {
    retry = { 100, "wait between two attempts" },
    context = { 3600000, "how long a session keeps its lease alive: the deadline of its context" },
    keeps_alive = { count = 2, "1: the lease is not renewed; 2: a session renews it" },
    role = { count = 1, "1: a client of the lock; 2: its attempts stand for elections of a leader" },
    ttl = { 6000, "the lease to which a new leader sets it" },
    checkpoints = { count = 1, "1: a new leader starts every lease anew; 2: it knows what is left of them" },
  },
}

local take = script("create-if-absent", [[
  if redis.call("exists", KEYS[1]) == 1 then return 0 end
  local revision = redis.call("incr", KEYS[2])
  redis.call("set", KEYS[1], revision, "px", ARGV[1])
  return revision
]])
local keep = script("keep-alive", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end
]])
local leave = script("delete-own", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

local asked, kept_until = 0, nil

local function elect(name)
  if parameters.checkpoints == 1 then call("PEXPIRE", name, parameters.ttl) end
  return busy()
end

function acquire(name, lease)
  if parameters.role == 2 then return elect(name) end
  asked, kept_until = lease, clock.mono() + parameters.context
  local now = clock.mono()
  local revision, why = call(take, 2, name, "revision:" .. name, lease)
  if why then return failed(why) end
  if revision == 0 then return busy() end
  local grant = { token = tostring(revision), fence = revision, deadline = now + lease }
  if parameters.keeps_alive == 2 then grant.renewal = { period = lease / 3 } end
  return grant
end

function renew(grant)
  local now = clock.mono()
  if now >= kept_until then return false end
  local kept, why = call(keep, 1, grant.name, grant.token, asked)
  if why then return failed(why) end
  if kept ~= 1 then return false end
  grant.deadline = now + asked
  return grant
end

function release(grant)
  local deleted, why = call(leave, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
