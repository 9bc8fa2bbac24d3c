-- Redlock: a majority of independent servers, each locked as set_px_token locks one. The steps are the page's.
lock = {
  source = "redis.io, Distributed Locks, The Redlock Algorithm",
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
  local drift = lease / 100 + 2
  local token = random.token()

  local start = clock.mono()                                                                        -- 1
  local answers = everywhere(parameters.node_timeout, "SET", name, token, "NX", "PX", lease)        -- 2
  local locked, refused = 0, 0
  for _, answer in ipairs(answers) do
    if answer.reply then locked = locked + 1 elseif not answer.why then refused = refused + 1 end
  end
  local valid_until = start + lease - drift                                                         -- 4
  local now = clock.mono()
  if locked >= quorum() and now < valid_until then return { token = token, deadline = valid_until } end -- 3

  unlock(name, token)                                                                               -- 5
  if locked + refused < quorum() then return failed("no-reply") end
  return busy()
end

function release(grant) return unlock(grant.name, grant.token) >= quorum() end
