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
  keys = { "lease:%", "transitions:%" },
  parameters = {
    retry = { 2000, "RetryPeriod, between two tries of a candidate" },
    renew_period = { 2000, "RetryPeriod, between two renewals of the leader" },
    renew_deadline = { 10000, "RenewDeadline" },
    lease_of = { count = 1, "whose LeaseDuration a candidate waits for: 1, that in the record; 2, its own" },
  },
}

-- Get -> { version, LeaseDuration }, or {}: NotFound
local get_lease = script("get-lease", [[ return {redis.call("get", KEYS[1]), redis.call("get", KEYS[2])} ]])
-- Create, where the version is "", or Update by another holder -> leaseTransitions; 0: AlreadyExists or Conflict
local take_lease = script("take-lease", [[
  if (redis.call("get", KEYS[1]) or "") ~= ARGV[1] then return 0 end
  redis.call("set", KEYS[1], ARGV[2])
  redis.call("set", KEYS[2], ARGV[3])
  return redis.call("incr", KEYS[3])
]])
-- Update by its holder, with a new renewTime -> 1; 0: Conflict
local update_lease = script("update-lease", [[
  if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call("set", KEYS[1], ARGV[2])
  return 1
]])
-- Update with an empty holderIdentity -> 1; 0: Conflict
local empty_lease = script("empty-lease", [[
  if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call("del", KEYS[1])
]])

local function duration(name) return "lease:" .. name end
local function transitions(name) return "transitions:" .. name end

local seen, since, lasts -- the record as it was seen last, since when, and its LeaseDuration
local mine -- the version that the leader has written

local function gives_up(now) return now + parameters.renew_period + parameters.renew_deadline end

function acquire(name, lease)
  local record, why = call(get_lease, 2, name, duration(name))
  if why then return failed(why) end
  local now, version = clock.mono(), record[1] or ""
  if version ~= seen then seen, since, lasts = version, now, tonumber(record[2] or "0") end
  if version ~= "" and now < since + (parameters.lease_of == 1 and lasts or lease) then return busy() end

  local own = random.token()
  local grant = { token = own, deadline = gives_up(now), renewal = { period = parameters.renew_period } }
  mine = own
  local taken, why = call(take_lease, 3, name, duration(name), transitions(name), version, own, lease)
  if why then return failed(why, grant) end
  if taken == 0 then return busy() end
  grant.fence = taken
  return grant
end

function renew(grant)
  local own, now = random.token(), clock.mono()
  local updated, why = call(update_lease, 1, grant.name, mine, own)
  if why then return failed(why) end
  if updated == 0 then return false end
  mine, grant.deadline = own, gives_up(now)
  return grant
end

function release(grant)
  local emptied, why = call(empty_lease, 1, grant.name, mine)
  if why then return failed(why) end
  return emptied == 1
end
