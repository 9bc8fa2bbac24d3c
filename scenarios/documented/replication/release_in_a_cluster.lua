-- Redisson's release as a cluster sees it: a script with two keys, the lock's and the channel's. While their slot
-- moves from one node to another the keys are on both sides, and a script that names both is refused with TRYAGAIN.
-- There is no cluster here: a third key stands for the moving slot, and the script itself looks for it.
lock = {
  source = "redisson #612; redis.io, Redis cluster specification, Multiple keys operations",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  keys = { "slot-moves:%" },
  parameters = {
    retry = { 200, "wait between two attempts" },
    named = { count = 2, "how many keys the release names: 2, or 1, which is served while the slot moves" },
    role = { count = 1, "1: a client of the lock; 2: the operator, who moves the slot" },
    takes = { 6000, "how long a slot moves" },
  },
}

local of_two_keys = script("release-two-keys", [[
  if redis.call("exists", KEYS[3]) == 1 then return "TRYAGAIN" end
  if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call("del", KEYS[1])
  redis.call("publish", KEYS[2], "free")
  return 1
]])
local of_one_key = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

function acquire(name, lease)
  if parameters.role == 2 then
    call("SET", "slot-moves:" .. name, "moves", "PX", parameters.takes)
    return busy()
  end
  local token, now = random.token(), clock.mono()
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why) end
  return won and { token = token, deadline = now + lease } or busy()
end

function release(grant)
  local released, why
  if parameters.named == 2 then
    released, why = call(of_two_keys, 3, grant.name, "free:" .. grant.name, "slot-moves:" .. grant.name, grant.token)
  else
    released, why = call(of_one_key, 1, grant.name, grant.token)
  end
  if why then return failed(why) end
  if released == "TRYAGAIN" then return failed("refused") end
  return released == 1
end
