-- Redlock that keeps what it got between two attempts, with one value for all of them: its own keys refuse it.
lock = {
  source = "node-redlock, pull request 369, F2",
  servers = "all",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = {
    node_timeout = { 50, "how long one server may take to answer" },
    retry_most = { 200, "the longest random wait between two attempts" },
  },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

local token

function retry() return parameters.retry_most, parameters.retry_most end

local function quorum() return math.floor(#servers / 2) + 1 end

local function unlock(name, token)
  local unlocked = 0
  for _, answer in ipairs(everywhere(parameters.node_timeout, compare_and_delete, 1, name, token)) do
    if answer.reply == 1 then unlocked = unlocked + 1 end
  end
  return unlocked
end

function acquire(name, lease)
  token = token or random.token()
  local start = clock.mono()
  local locked = 0
  for _, answer in ipairs(everywhere(parameters.node_timeout, "SET", name, token, "NX", "PX", lease)) do
    if answer.reply then locked = locked + 1 end
  end
  local deadline = start + lease - lease / 100 - 2
  if locked >= quorum() and clock.mono() < deadline then return { token = token, deadline = deadline } end
  return busy()
end

function release(grant) token = nil; return unlock(grant.name, grant.token) >= quorum() end
