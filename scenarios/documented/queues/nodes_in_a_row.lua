-- ZooKeeper's lock, spoken in keys of Redis: a node for each client that wants it, numbered in the order of their
-- coming, each a key that lives as long as its client's session. Whoever has the lowest number has the lock; a waiter
-- watches the node before its own. Here it looks for that node again and again, where ZooKeeper would tell it.
lock = {
  source = "note 001; zookeeper.apache.org, Recipes, Locks",
  claims = { double_grant = "without faults", owner_release = "always" },
  round_trips = 3,
  refusal_writes = true,
  keys = { "count:%", "node-1:%", "node-2:%", "node-3:%", "node-4:%", "node-5:%", "node-6:%" },
  parameters = {
    retry = { 100, "how often a waiter looks" },
    looks = {
      count = 2, "2: who finds the watched node gone looks at all nodes again; 1: it takes the lock for its own",
    },
  },
}

local nodes = 6 -- so many may ever be made in a run

local create = script("create", [[
  local number = redis.call("incr", KEYS[#KEYS])
  redis.call("set", KEYS[number], "node", "px", ARGV[1])
  return number
]])
local exists = script("watch", [[
  redis.call("pexpire", KEYS[1], ARGV[1])
  return redis.call("exists", KEYS[2])
]])
local keep = script("keep", 'return redis.call("pexpire", KEYS[1], ARGV[1])')
local lower = script("children", [[
  if redis.call("exists", KEYS[tonumber(ARGV[1])]) == 0 then return -1 end
  for number = tonumber(ARGV[1]) - 1, 1, -1 do
    if redis.call("exists", KEYS[number]) == 1 then return number end
  end
  return 0
]])

local session, mine, watched = 0, nil, nil

local function node(name, number) return "node-" .. number .. ":" .. name end

-- The names of all nodes, and then what else a script is given.
local function all(name, ...)
  local list = {}
  for number = 1, nodes do list[number] = node(name, number) end
  for _, more in ipairs({ ... }) do table.insert(list, more) end
  return unpack(list)
end

local function granted()
  watched = nil
  return { token = "node", renewal = { period = session / 3 } }
end

function acquire(name, lease)
  session = lease
  if not mine then
    local number, why = call(create, nodes + 1, all(name, "count:" .. name, lease))
    if why then return failed(why) end
    mine, watched = number, nil
  end
  if watched then
    local there, why = call(exists, 2, node(name, mine), node(name, watched), session)
    if why then return failed(why) end
    if there == 1 then return busy() end
    if parameters.looks == 1 then return granted() end
  end
  local before, why = call(lower, nodes, all(name, mine))
  if why then return failed(why) end
  if before == 0 then return granted() end
  if before < 0 then mine, before = nil, nil end -- its own session is over, and its node gone
  watched = before
  return busy()
end

function renew(grant)
  local kept, why = call(keep, 1, node(grant.name, mine), session)
  if why then return failed(why) end
  return kept == 1 and grant
end

function release(grant)
  local deleted, why = call("DEL", node(grant.name, mine))
  if why then return failed(why) end
  mine = nil
  return deleted == 1
end
