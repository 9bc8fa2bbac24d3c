-- Redlock on a majority of servers. A release that finds its keys on no majority of them is an error, as if the
-- servers had not answered; the worker takes it for fatal, ends, and is started anew some time later.
lock = {
  source = "mike-marcacci/node-redlock #131 and pull request 362",
  servers = "all",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = {
    retry = { 200, "wait between two attempts" },
    node_timeout = { 50, "how long one server may take to answer" },
    starts_anew = { 20000, "how long until a worker that has ended is there again" },
    tells = { count = 1, "1: what has expired is an error; 2: it is told apart from servers that do not answer" },
  },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

local there_again -- when the worker is there again that a release has ended

local function quorum() return math.floor(#servers / 2) + 1 end

local function unlock(name, token)
  local removed, answered = 0, 0
  for _, answer in ipairs(everywhere(parameters.node_timeout, compare_and_delete, 1, name, token)) do
    if answer.reply then answered = answered + 1 end
    if answer.reply == 1 then removed = removed + 1 end
  end
  return removed, answered
end

function acquire(name, lease)
  if there_again and clock.mono() < there_again then return busy() end
  there_again = nil
  local token, start, locked = random.token(), clock.mono(), 0
  for _, answer in ipairs(everywhere(parameters.node_timeout, "SET", name, token, "NX", "PX", lease)) do
    if answer.reply then locked = locked + 1 end
  end
  local deadline = start + lease - (lease / 100 + 2)
  if locked >= quorum() and clock.mono() < deadline then return { token = token, deadline = deadline } end
  unlock(name, token)
  return busy()
end

function release(grant)
  local removed, answered = unlock(grant.name, grant.token)
  if removed >= quorum() then return true end
  if parameters.tells == 2 and answered >= quorum() then return false end
  there_again = clock.mono() + parameters.starts_anew
  return failed("no-reply")
end
