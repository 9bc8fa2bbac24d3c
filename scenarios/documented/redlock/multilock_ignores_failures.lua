-- A lock of several, where an error or a refusal of one server does not count: it is granted what it has not got.
lock = {
  source = "redisson #2172 and #624",
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

function retry() return 0, parameters.retry_most end

local function quorum() return math.floor(#servers / 2) + 1 end

local function unlock(name, token)
  local unlocked = 0
  for _, answer in ipairs(everywhere(parameters.node_timeout, compare_and_delete, 1, name, token)) do
    if answer.reply == 1 then unlocked = unlocked + 1 end
  end
  return unlocked
end

function acquire(name, lease)
  local token = random.token()
  local deadline = clock.mono() + lease
  local answered = 0
  for _, answer in ipairs(everywhere(parameters.node_timeout, "SET", name, token, "NX", "PX", lease)) do
    if not answer.why then answered = answered + 1 end -- refused, or granted
  end
  if answered >= quorum() then return { token = token, deadline = deadline } end
  unlock(name, token)
  return busy()
end

function release(grant) return unlock(grant.name, grant.token) >= quorum() end
