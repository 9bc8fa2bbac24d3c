-- A lock on one memcached: add with a token; given back by gets and cas. Change it into yours.
-- All that it can call, and all that it can return: docs/reference/lua.md and lua-services.md.
lock = {
  service = "memcached",
  summary = "add with a token",
  lease_unit = 1000, -- memcached counts whole seconds
  parameters = { retry = { 50, "wait between two attempts" } }, -- milliseconds; [algorithm] retry = "20ms" sets it
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
}

-- One attempt. lease: milliseconds.
function acquire(name, lease)
  local seconds = math.floor(lease / 1000)
  local token = random.token() -- nobody else has it: it can be compared, kept and sent
  -- Counted from before the request leaves, and without the second by which memcached may shorten it.
  local grant = { token = token, deadline = clock.mono() + (seconds - 1) * 1000 }
  local answer, why = call("add", name, token, seconds) -- the reply, or nil and why there is none
  if why then return failed(why, grant) end -- the lock may be held all the same
  return answer == "STORED" and grant or busy()
end

-- There is no delete that compares. A time to live of -1 ends the item, if nobody has changed it since gets.
function release(grant)
  local item, why = call("gets", grant.name) -- { value, unique }, or nil
  if why then return failed(why) end
  if not item or item[1] ~= grant.token then return false end -- it was not ours any more
  local answer, why = call("cas", grant.name, "", -1, item[2])
  if why then return failed(why) end
  return answer == "STORED"
end
