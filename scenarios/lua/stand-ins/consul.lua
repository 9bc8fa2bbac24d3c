-- A stand-in for Consul: a session with a TTL, a key that a session acquires, a delay after a session that has ended,
-- and blocking queries. The lock's steps are those of Consul's own client in Go, api/lock.go.
-- The same: a key is one session's; a session that is not renewed ends, and its key is free; then nobody acquires it
-- for the lock-delay, but after a release at once; each acquisition has a higher index; a blocking query tells of the
-- end.
-- Not the same: a session begins and ends with its key, and ends when its TTL is over, where Consul may take twice
-- that; it has no health checks. There is one server: no reads that are stale, no change of leaders.
lock = {
  summary = "a stand-in for Consul's lock",
  source = "hashicorp/consul, api/lock.go; developer.hashicorp.com/consul/docs/automate/session",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  lease = 15000, -- the TTL of the session
  keys = { "delay:%", "index:%" },
  channels = { "changed:%" },
  parameters = {
    retry = { 5000, "wait after an attempt that the lock-delay refused" },
    lock_delay = { 15000, "how long nobody gets the key of a session that has ended" },
    counts = { count = 1, "1: the holder waits for answers only; 2: it counts its session by its own clock, too" },
    heeds = { count = 1, "1: a session that is not found is a lost lock; 2: that answer is ignored" },
  },
}

-- PUT /v1/kv/NAME?acquire=SESSION -> { 1, index }: true; { 0, for how many ms the other session lives }: false
local kv_acquire = script("kv-acquire", [[
  local left = redis.call("pttl", KEYS[1])
  if left > -2 then return {0, left} end
  if redis.call("exists", KEYS[2]) == 1 then return {0, 0} end
  redis.call("set", KEYS[1], ARGV[1], "px", ARGV[2])
  redis.call("set", KEYS[2], ARGV[1], "px", ARGV[3])
  return {1, redis.call("incr", KEYS[3])}
]])
-- PUT /v1/session/renew/SESSION -> 1; 0: 404, there is no such session
local session_renew = script("session-renew", [[
  if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call("pexpire", KEYS[1], ARGV[2])
  redis.call("pexpire", KEYS[2], ARGV[3])
  return 1
]])
-- PUT /v1/kv/NAME?release=SESSION, and the session's end -> 1: true; 0: the session does not have it
local kv_release = script("kv-release", [[
  if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call("del", KEYS[1], KEYS[2])
  redis.call("publish", KEYS[3], "released")
  return 1
]])

local function delay(name) return "delay:" .. name end
local function index(name) return "index:" .. name end
local function changed(name) return "changed:" .. name end

local ttl = 0
local watches, other_lives = false, 0 -- for how many milliseconds the session that has the key lives

function acquire(name, lease)
  ttl = lease
  local session, now = random.token(), clock.mono()
  local put, why = call(kv_acquire, 3, name, delay(name), index(name), session, ttl, ttl + parameters.lock_delay)
  if why then return failed(why, { token = session }) end
  if put[1] == 0 then
    other_lives = put[2]
    return busy()
  end
  local grant = { token = session, fence = put[2], renewal = { period = ttl / 2 } }
  if parameters.counts == 2 then grant.deadline = now + ttl end
  return grant
end

-- GET /v1/kv/NAME?index=…: answers when the key has changed: it was released, or its session has ended.
function wait(name, until_then)
  if other_lives == 0 then return false end -- the lock-delay
  if not watches then
    local _, why = subscribe(changed(name))
    watches = not why
    return true -- it may have changed before that
  end
  local ends = clock.mono() + other_lives
  message(changed(name), ends < until_then and ends or until_then)
  return true
end

function renew(grant)
  local now = clock.mono()
  local kept, why = call(session_renew, 2, grant.name, delay(grant.name), grant.token, ttl, ttl + parameters.lock_delay)
  if why then return failed(why) end
  if kept == 0 and parameters.heeds == 1 then return false end
  if parameters.counts == 2 then grant.deadline = now + ttl end
  return grant
end

function release(grant)
  local released, why = call(kv_release, 3, grant.name, delay(grant.name), changed(grant.name), grant.token)
  if why then return failed(why) end
  return released == 1
end
