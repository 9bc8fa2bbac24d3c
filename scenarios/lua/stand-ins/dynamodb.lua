-- A stand-in for DynamoDB: items that are read consistently, and written where a condition on them is true. The lock's
-- steps are those of AWS's lock client (awslabs/amazon-dynamodb-lock-client): the item has a record version number,
-- which each heartbeat replaces; whoever sees the same one for the lease that the item names, by its own clock, takes
-- the lock.
-- The same: a condition and its write are one step; nobody reads another's clock; a holder that stops leaves the item.
-- Not the same: an item is two keys, which one script writes; a released lock is deleted, and never kept as released;
-- no sort keys, no throttling, no reads that are eventually consistent.
lock = {
  summary = "a stand-in for DynamoDB's lock client",
  source = "awslabs/amazon-dynamodb-lock-client",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  lease = 20000,
  round_trips = 2, -- GetItem, PutItem
  refusal_writes = false,
  keys = { "lease:%" },
  parameters = {
    retry = { 1000, "wait between two attempts" },
    heartbeat = { 5000, "how often the holder writes a new version" },
    remembers = { count = 2, "a holder's version is 1, the last that was confirmed; 2, also the last that it sent" },
    observed = { count = 1, "a version is seen 1, when the answer came; 2, when the question was sent" },
  },
}

-- GetItem, ConsistentRead -> { version, lease }, or { false, false }: there is none
local get_item = script("get-item", [[ return {redis.call("get", KEYS[1]), redis.call("get", KEYS[2])} ]])
-- PutItem if the version is that one, "": if there is none -> 1; 0: ConditionalCheckFailedException
local put_item = script("put-item", [[
  if (redis.call("get", KEYS[1]) or "") ~= ARGV[1] then return 0 end
  redis.call("set", KEYS[1], ARGV[2])
  redis.call("set", KEYS[2], ARGV[3])
  return 1
]])
-- UpdateItem if the version is one of two -> 1; 0: ConditionalCheckFailedException
local update_item = script("update-item", [[
  local version = redis.call("get", KEYS[1])
  if version ~= ARGV[1] and version ~= ARGV[2] then return 0 end
  redis.call("set", KEYS[1], ARGV[3])
  return 1
]])
-- DeleteItem if the version is one of two -> 1; 0: ConditionalCheckFailedException
local delete_item = script("delete-item", [[
  local version = redis.call("get", KEYS[1])
  if version ~= ARGV[1] and version ~= ARGV[2] then return 0 end
  return redis.call("del", KEYS[1])
]])

local function duration(name) return "lease:" .. name end

local seen, since, lasts -- another's version, since when it is the same, and for how long it may be
local mine, sent, lease_of_mine -- the holder's last version that was confirmed, and the last that was sent

function acquire(name, lease)
  local asked = clock.mono()
  local item, why = call(get_item, 2, name, duration(name))
  if why then return failed(why) end
  local now, version = clock.mono(), item[1] or ""
  if version ~= seen then
    seen, since, lasts = version, parameters.observed == 1 and now or asked, tonumber(item[2] or "0")
  end
  if version ~= "" and now < since + lasts then return busy() end

  local own = random.token()
  local grant = { token = own, deadline = now + lease, renewal = { period = parameters.heartbeat } }
  mine, sent, lease_of_mine = own, own, lease
  local put, why = call(put_item, 2, name, duration(name), version, own, lease)
  if why then return failed(why, grant) end
  return put == 1 and grant or busy()
end

function renew(grant)
  local now, known, own = clock.mono(), parameters.remembers == 2 and sent or mine, random.token()
  sent = own
  local updated, why = call(update_item, 1, grant.name, mine, known, own)
  if why then return failed(why) end
  if updated == 0 then return false end
  mine, grant.deadline = own, now + lease_of_mine
  return grant
end

function release(grant)
  local known = parameters.remembers == 2 and sent or mine
  local deleted, why = call(delete_item, 1, grant.name, mine, known)
  if why then return failed(why) end
  return deleted == 1
end
