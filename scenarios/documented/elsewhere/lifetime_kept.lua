-- SET NX PX with a token. The lock's object keeps the earliest end of all its rounds; with `resets` = 2 a round begins
-- anew.
lock = {
  source = "symfony/symfony #38541, a lock object that is used again",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = {
    retry = { 100, "wait between two attempts" },
    resets = { count = 1, "1: nothing; 2: each attempt forgets the last round's end" },
  },
}
local delete_own = script("delete-own", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])

local expires

function acquire(name, lease)
  if parameters.resets == 2 then expires = nil end
  local ends = clock.mono() + lease
  if not expires or ends < expires then expires = ends end
  local token = random.token()
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why) end
  if not won then return busy() end
  if clock.mono() >= expires then return failed("refused") end -- it is thrown, and the key stays
  return { token = token, deadline = expires }
end

function release(grant)
  local deleted, why = call(delete_own, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
