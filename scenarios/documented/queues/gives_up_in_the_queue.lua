-- A queue of ephemeral nodes. Who has waited for as long as it would gives up: its node stays, or goes with it.
lock = {
  service = "zookeeper",
  source = "micro-fan/aiozk, pull request 34",
  claims = {},
  lease = 10000, -- the time-out of the session
  round_trips = 3, -- CONNECT, CREATE, CHILDREN
  parameters = {
    retry = { 50, "wait between two attempts" },
    tidies = { count = 1, "1: who gives up leaves its node; 2: deletes it" },
  },
}

local session, node, before, gives_up

local function lost(why)
  if why == "refused" then session, node = nil, nil end -- the session has ended
  return failed(why)
end

function acquire(name, lease)
  if gives_up then -- the last attempt, after which its client wants the lock no longer
    gives_up = nil
    return busy()
  end
  if not session then
    local opened, why = call("CONNECT", lease)
    if why then return failed(why) end
    session = opened[1]
  end
  if not node then
    local made, why = call("CREATE", session, name .. "/n-", "ES")
    if why then return lost(why) end
    node = string.sub(made, -12)
  end
  local names, why = call("CHILDREN", session, name)
  if why then return lost(why) end
  before = nil
  for _, other in ipairs(names) do
    if other < node and (not before or other > before) then before = other end
  end
  if before then return busy() end
  return { token = node }
end

function wait(name, until_then)
  if not before or not session then return false end
  local there = call("EXISTS", session, name .. "/" .. before, "W")
  if there == 1 then message(name .. "/" .. before, until_then) end
  if clock.mono() >= until_then and parameters.tidies == 2 then
    call("DELETE", session, name .. "/" .. node)
    node, gives_up = nil, true
  end
  return true
end

function release(grant)
  local deleted, why = call("DELETE", session, grant.name .. "/" .. grant.token)
  if why then return lost(why) end
  node = nil
  return deleted == 1
end
