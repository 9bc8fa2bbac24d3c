-- A session that its holder renews, and a lock that may be taken again only some time after the session has ended
-- without a release: the lock's delay, in which the old holder is to learn of it.
lock = {
  source = "hashicorp/consul, sessions and lock-delay",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  keys = { "delay:%" },
  parameters = {
    retry = { 200, "wait between two attempts" },
    delay = { 3000, "how long a lock stays closed whose session has ended" },
    looks = { count = 2, "1: the holder looks at its own clock, too; 2: it only waits for an answer" },
  },
}

local take = script("take", [[
  if redis.call("exists", KEYS[1], KEYS[2]) > 0 then return 0 end
  redis.call("set", KEYS[1], ARGV[1], "px", ARGV[2])
  redis.call("set", KEYS[2], ARGV[1], "px", ARGV[3])
  return 1
]])
local keep = script("keep", [[
  if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call("pexpire", KEYS[1], ARGV[2])
  redis.call("pexpire", KEYS[2], ARGV[3])
  return 1
]])
local leave = script("drop", [[
  if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call("del", KEYS[1], KEYS[2])
  return 1
]])

local asked = 0

local function delayed(name) return "delay:" .. name end

function acquire(name, lease)
  asked = lease
  local token, now = random.token(), clock.mono()
  local won, why = call(take, 2, name, delayed(name), token, lease, lease + parameters.delay)
  if why then return failed(why) end
  if won ~= 1 then return busy() end
  local grant = { token = token, renewal = { period = lease / 3, tells_loss = false } }
  if parameters.looks == 1 then grant.deadline = now + lease end
  return grant
end

function renew(grant)
  local now = clock.mono()
  local kept, why = call(keep, 2, grant.name, delayed(grant.name), grant.token, asked, asked + parameters.delay)
  if why then return failed(why) end
  if kept ~= 1 then return false end
  if parameters.looks == 1 then grant.deadline = now + asked end
  return grant
end

function release(grant)
  local left, why = call(leave, 2, grant.name, delayed(grant.name), grant.token)
  if why then return failed(why) end
  return left == 1
end
