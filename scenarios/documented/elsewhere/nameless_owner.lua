-- The lock is made first, and its owner's name is written into it afterwards. What does who finds no name there?
lock = {
  source = "fujibee/agmsg #1071",
  claims = {},
  round_trips = 3,
  parameters = {
    retry = { 500, "wait between two attempts" },
    nameless = { count = 1, "a lock without a name is 1: a dead one's, 2: held" },
  },
}

local unlock = script("unlock", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

function acquire(name, lease)
  local grant = { token = random.token() }
  local made, why = call("SET", name, "", "NX")
  if why then return failed(why) end
  if not made then
    local owner, why = call("GET", name)
    if why then return failed(why) end
    if owner ~= "" or parameters.nameless == 2 then return busy() end
  end
  local _, why = call("SET", name, grant.token)
  if why then return failed(why, grant) end
  return grant
end

function release(grant)
  local deleted, why = call(unlock, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
