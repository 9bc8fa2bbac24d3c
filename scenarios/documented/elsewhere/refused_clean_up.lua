-- SETNX, and a clean-up by name that a job runs whether it was done or refused. With `cleans` = 2 only its own.
lock = {
  source = "zoolutions/sidekiq-unique-jobs #590, while_executing with on_conflict: reject",
  claims = { double_grant = "without faults", owner_release = "without faults" },
  round_trips = 2,
  parameters = {
    retry = { 50, "wait between two attempts" },
    cleans = { count = 1, "1: the key, by its name; 2: the key, if it is the job's own" },
  },
}
local delete_own = script("delete-own", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

local function clean_up(name, job)
  if parameters.cleans == 2 then return call(delete_own, 1, name, job) end
  return call("DEL", name)
end

function acquire(name)
  local job = random.token()
  local won, why = call("SETNX", name, job)
  if why then return failed(why) end
  if won == 1 then return { token = job } end
  clean_up(name, job) -- the job is rejected
  return busy()
end

function release(grant)
  local deleted, why = clean_up(grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
