-- A lock on ZooKeeper: a queue of ephemeral nodes with numbers. Change it into yours.
-- All that it can call, and all that it can return: docs/reference/lua.md and lua-services.md.
lock = {
  service = "zookeeper",
  summary = "a queue of ephemeral nodes",
  lease = 10000, -- the time-out of the session
  round_trips = 3, -- CONNECT, CREATE, CHILDREN
  parameters = { retry = { 50, "wait between two attempts" } }, -- milliseconds; [algorithm] retry = "20ms" sets it
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
}

local session, timeout, good_until -- of the client; ZooKeeper keeps it over all its connections
local made, node, before -- whether its node may be there, its name, and the one in front of it

-- A request has failed: the server refuses those of a session that has ended.
local function lost(why)
  if why == "refused" then session, made, node = nil, nil, nil end
  return failed(why)
end

-- One attempt. lease: milliseconds.
function acquire(name, lease)
  local asked = clock.mono() -- before the request leaves
  if not session or not (asked < good_until) then
    local opened, why = call("CONNECT", lease) -- { session, time-out in milliseconds }
    if why then return failed(why) end
    session, timeout, made, node = opened[1], opened[2], nil, nil
    good_until = asked + timeout
  end
  local prefix = session .. "-"
  if not made then
    made = true -- perhaps even if no answer comes: so the node is looked for by the session's number in its name
    local _, why = call("CREATE", session, name .. "/" .. prefix, "ES") -- the whole name, with ten digits
    if why then return lost(why) end
  end

  asked = clock.mono()
  local names, why = call("CHILDREN", session, name) -- the names under it, without the lock's own
  if why then return lost(why) end
  good_until = asked + timeout
  node, before = nil, nil
  for _, other in ipairs(names) do
    if string.sub(other, 1, #prefix) == prefix then node = other end
  end
  if not node then
    made = nil
    return busy()
  end
  for _, other in ipairs(names) do -- in front: the greatest number below its own
    local number = string.sub(other, -10)
    if number < string.sub(node, -10) and (not before or number > string.sub(before, -10)) then before = other end
  end
  if before then
    before = name .. "/" .. before
    return busy()
  end
  return { token = name .. "/" .. node, deadline = good_until, fence = tonumber(string.sub(node, -10)),
           renewal = { period = timeout / 3, tells_loss = true } }
end

-- After a refusal. True: try again now.
function wait(name, until_then, retry_after)
  if not before then return false end
  local there, why = call("EXISTS", session, before, "W") -- 1 or 0; it leaves a watch
  if why then return false end
  local look = clock.mono() + timeout / 3 -- the session has to be kept
  if there == 1 then message(before, look < until_then and look or until_then) end
  return true
end

function renew(grant)
  local asked = clock.mono()
  local _, why = call("PING", session)
  if why == "refused" then return false end -- the session has ended
  if why then return failed(why) end
  good_until = asked + timeout
  grant.deadline = good_until
  return grant
end

function release(grant)
  local deleted, why = call("DELETE", session, grant.token) -- 1, or 0: there is no such node
  if why == "refused" then
    session, made = nil, nil
    return false
  end
  if why then return failed(why) end
  made = nil
  return deleted == 1
end
