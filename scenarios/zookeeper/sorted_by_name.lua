-- A queue of nodes with the session's number in front of the node's own. In front is what sorts before: by the whole
-- name, or by the node's number.
lock = {
  service = "zookeeper",
  source = "apache/zookeeper #413, ZOOKEEPER-2931, the WriteLock recipe",
  claims = { double_grant = "without faults", owner_release = "always" },
  round_trips = 3,
  parameters = {
    retry = { 200, "wait between two attempts" },
    sorts = { count = 1, "1: by the whole name; 2: by the number at its end" },
  },
}
local session, node

local function place(other) return parameters.sorts == 1 and other or string.sub(other, -10) end

function acquire(name, lease)
  if not session then
    local opened, why = call("CONNECT", lease)
    if why then return failed(why) end
    session = opened[1]
  end
  if not node then
    local made, why = call("CREATE", session, name .. "/" .. session .. "-", "ES")
    if why then return failed(why) end
    node = string.sub(made, #name + 2)
  end
  local names, why = call("CHILDREN", session, name)
  if why then return failed(why) end
  for _, other in ipairs(names) do
    if place(other) < place(node) then return busy() end
  end
  return { token = name .. "/" .. node }
end

function release(grant)
  local deleted, why = call("DELETE", session, grant.token)
  if why then return failed(why) end
  node = nil
  return deleted == 1
end
