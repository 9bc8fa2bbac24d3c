-- A stand-in for a Lease of Kubernetes: an object that is written only over the version that its writer has read. The
-- lock's steps are those of client-go's leader election (kubernetes/client-go, tools/leaderelection): candidates note
-- when they last saw the record change, by their own clocks, and take it when that is a lease ago; the leader writes
-- it anew every retry period, and gives up when it could not for the renew deadline, counted from the try after its
-- last success.
-- The same: no clock is compared with another; a write over another version is a conflict; a release empties the
-- record.
-- Not the same: an empty record is no record; retry periods have no jitter; there is one API server, without caches.
lock = {
  summary = "a stand-in for client-go's leader election",
  source = "kubernetes/client-go, tools/leaderelection/leaderelection.go",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  lease = 15000, -- LeaseDuration
  round_trips = 2, -- Get; Create or Update
  refusal_writes = false,
  keys = { "version:%", "lease:%", "transitions:%" },
  parameters = {
    retry = { 2000, "RetryPeriod, between two tries of a candidate" },
    renew_period = { 2000, "RetryPeriod, between two renewals of the leader" },
    renew_deadline = { 10000, "RenewDeadline" },
    lease_of = { count = 1, "whose LeaseDuration a candidate waits for: 1, that in the record; 2, its own" },
  },
}

-- Get -> { resourceVersion, LeaseDuration, holderIdentity }; the last is false where nobody holds it
local get_lease = script("get-lease", [[
  return {redis.call("get", KEYS[2]) or "0", redis.call("get", KEYS[3]) or "0", redis.call("get", KEYS[1])}
]])
-- Create, or Update by another holder, over that version -> leaseTransitions; 0: AlreadyExists or Conflict
local take_lease = script("take-lease", [[
  if (redis.call("get", KEYS[2]) or "0") ~= ARGV[1] then return 0 end
  redis.call("set", KEYS[1], ARGV[2])
  redis.call("incr", KEYS[2])
  redis.call("set", KEYS[3], ARGV[3])
  return redis.call("incr", KEYS[4])
]])
-- Update by its holder, who reads it anew after a Conflict -> 1; 0: another one holds it
local update_lease = script("update-lease", [[
  if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call("incr", KEYS[2])
  return 1
]])
-- Update with an empty holderIdentity -> 1; 0: another one holds it
local empty_lease = script("empty-lease", [[
  if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call("incr", KEYS[2])
  return redis.call("del", KEYS[1])
]])

local function version_of(name) return "version:" .. name end
local function lease_of(name) return "lease:" .. name end
local function transitions_of(name) return "transitions:" .. name end

local seen, since -- the version that was seen last, and since when

local function gives_up(now) return now + parameters.renew_period + parameters.renew_deadline end

function acquire(name, lease)
  local record, why = call(get_lease, 3, name, version_of(name), lease_of(name))
  if why then return failed(why) end
  local version, lasts, holder = record[1], tonumber(record[2]), record[3]
  local now = clock.mono()
  if version ~= seen then seen, since = version, now end
  if parameters.lease_of == 2 then lasts = lease end
  if holder and now < since + lasts then return busy() end

  local own = random.token()
  local grant = { token = own, deadline = gives_up(now), renewal = { period = parameters.renew_period } }
  local taken, why = call(take_lease, 4, name, version_of(name), lease_of(name), transitions_of(name), version, own,
                          lease)
  if why then return failed(why, grant) end
  if taken == 0 then return busy() end
  grant.fence = taken
  return grant
end

function renew(grant)
  local now = clock.mono()
  local updated, why = call(update_lease, 2, grant.name, version_of(grant.name), grant.token)
  if why then return failed(why) end
  if updated == 0 then return false end
  grant.deadline = gives_up(now)
  return grant
end

function release(grant)
  local emptied, why = call(empty_lease, 2, grant.name, version_of(grant.name), grant.token)
  if why then return failed(why) end
  return emptied == 1
end
