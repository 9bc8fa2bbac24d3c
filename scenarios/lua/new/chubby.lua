-- A lock of a Chubby cell, in exclusive mode. Chubby is simulated only. Change it into yours.
-- All that it can call, and all that it can return: docs/reference/lua.md and lua-services.md.
lock = {
  service = "chubby",
  summary = "an exclusive lock of a session",
  lease = 12000, -- of the session
  round_trips = 4, -- KEEPALIVE, CREATESESSION, TRYACQUIRE, GETSEQUENCER
  parameters = {
    retry = { 1000, "wait between two attempts" }, -- milliseconds; [algorithm] retry = "20ms" sets it
    lock_delay = { 60000, "how long nobody gets it after a session that ended without a release" },
  },
  claims = { double_grant = "without faults", owner_release = "always" },
}

local session, lasts, ends -- of the client: its number, its lease, and until when that runs by the client's clock

-- True, or nil and why. The master answers when little is left of the lease, and not before.
local function keep_alive()
  local asked = clock.mono() -- before the request leaves
  local answer = everywhere(lasts, "KEEPALIVE", session)[1] -- reply: { milliseconds held back, the new lease }
  if answer.why == "refused" then session = nil end
  if answer.why then return nil, answer.why end
  ends = asked + answer.reply[1] + answer.reply[2]
  return true
end

-- One attempt. lease: milliseconds.
function acquire(name, lease)
  if session and ends < clock.mono() + lasts / 4 then
    local _, why = keep_alive()
    if why and session then return failed(why) end
  end
  if not session then
    local asked = clock.mono()
    local made, why = call("CREATESESSION", lease) -- { session, lease in milliseconds }
    if why then return failed(why) end
    session, lasts = made[1], made[2]
    ends = asked + lasts
  end
  local won, why = call("TRYACQUIRE", session, name, parameters.lock_delay) -- 1 or 0
  if why == "refused" then session = nil end
  if why then return failed(why) end
  if won == 0 then return busy() end
  local shown, why = call("GETSEQUENCER", session, name) -- { lock, mode, generation }, or nil
  if why == "refused" then session = nil end
  if why then return failed(why) end
  if not shown then return busy() end
  return { token = "session " .. session, deadline = ends, fence = shown[3],
           renewal = { first = 0, period = lasts / 12, pace = "fixed-delay", tells_loss = true } }
end

function renew(grant)
  local _, why = keep_alive()
  if not session then return false end
  if why then return failed(why) end
  grant.deadline = ends
  return grant
end

function release(grant)
  if not session then return false end
  local released, why = call("RELEASE", session, grant.name) -- 1 or 0
  if why == "refused" then
    session = nil
    return false
  end
  if why then return failed(why) end
  return released == 1
end
