-- A lock on one etcd: a key with a lease for everybody; who made the first one has it. Change it into yours.
-- All that it can call, and all that it can return: docs/reference/lua.md and lua-services.md.
lock = {
  service = "etcd",
  summary = "a queue of keys with leases",
  lease = 10000,
  lease_unit = 1000, -- etcd counts whole seconds
  round_trips = 4, -- LEASE-KEEPALIVE, LEASE-GRANT, PUT-IF-ABSENT or LAST-BEFORE, GET
  parameters = { retry = { 50, "wait between two attempts" } }, -- milliseconds; [algorithm] retry = "20ms" sets it
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
}

local lease_id, ttl, good_until -- of the client
local created, before, seen -- the revision of its own key; the key in front of it, and the revision of that answer

local function lost(why) -- the server's refusal means that the lease has ended
  if why == "refused" then lease_id, created = nil, nil end
  return failed(why)
end

-- True, or nil and why.
local function keep_alive()
  local asked = clock.mono() -- before the request leaves
  local left, why = call("LEASE-KEEPALIVE", lease_id) -- seconds; 0: there is no such lease
  if why then return nil, why end
  if left == 0 then return nil, "refused" end
  good_until = asked + left * 1000
  return true
end

local function grant_of(name)
  return { token = name .. "/" .. lease_id, deadline = good_until, fence = created,
           renewal = { period = ttl * 1000 / 3, tells_loss = true } }
end

-- One attempt. lease: milliseconds.
function acquire(name, lease)
  if lease_id then
    local _, why = keep_alive()
    if why == "no-reply" or why == "not-sent" then return failed(why) end
    if why then lease_id, created = nil, nil end
  end
  if not lease_id then
    local asked = clock.mono()
    local opened, why = call("LEASE-GRANT", math.ceil(lease / 1000)) -- { id, seconds }
    if why then return failed(why) end
    lease_id, ttl = opened[1], opened[2]
    good_until = asked + ttl * 1000
  end
  local key = name .. "/" .. lease_id
  if not created then
    -- { 1 if it was made, its revision, the lowest one under the prefix, the revision of the answer }
    local put, why = call("PUT-IF-ABSENT", key, lease_id, name .. "/")
    if why then return lost(why) end
    created = put[2]
    if put[3] == created then return grant_of(name) end
  end

  local last, why = call("LAST-BEFORE", name .. "/", created) -- { key, its revision, that of the answer }, or nil
  if why then return lost(why) end
  before, seen = last and last[1], last and last[3]
  if before then return busy() end
  local own, why = call("GET", key) -- its lease may have ended while it waited
  if why then return lost(why) end
  if not own then return lost("refused") end
  return grant_of(name)
end

-- After a refusal. True: try again now.
function wait(name, until_then, retry_after)
  if not before then return false end
  local _, why = call("WATCH", before, seen) -- tells of the key's deletion since that revision
  if why then return false end
  local keep = clock.mono() + ttl * 1000 / 3 -- the lease has to be kept
  message(before, keep < until_then and keep or until_then)
  return true
end

function renew(grant)
  local _, why = keep_alive()
  if why == "refused" then return false end
  if why then return failed(why) end
  grant.deadline = good_until
  return grant
end

function release(grant)
  created = nil
  local deleted, why = call("DELETE", grant.token) -- 1, or 0: there was no such key
  if why then return failed(why) end
  return deleted == 1
end
