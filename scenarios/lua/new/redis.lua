-- A lock on one Redis: SET NX PX with a token; released by compare-and-delete. Change it into yours.
-- All that it can call, and all that it can return: docs/reference/lua.md.
lock = {
  summary = "SET NX PX with a token",
  parameters = { retry = { 50, "wait between two attempts" } }, -- milliseconds; [algorithm] retry = "20ms" sets it
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
}

local unlock = script("unlock", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

-- One attempt. lease: milliseconds.
function acquire(name, lease)
  local token = random.token() -- nobody else has it: it can be compared, kept and sent
  local grant = { token = token, deadline = clock.mono() + lease } -- counted from before the request leaves
  local won, why = call("SET", name, token, "NX", "PX", lease) -- the reply, or nil and why there is none
  if why then return failed(why, grant) end -- the lock may be held all the same
  return won and grant or busy()
end

function release(grant)
  local deleted, why = call(unlock, 1, grant.name, grant.token) -- a script as the first word is EVAL
  if why then return failed(why) end
  return deleted == 1 -- false: it was not ours any more
end
