-- stamp_rounded.lua, mended: the client compares the text that it sent.
lock = {
  source = "redis/redis-py, pull requests 371 and 384",
  claims = { double_grant = "without faults", owner_release = "without faults", bounded_takeover = "always" },
  round_trips = 3,
  parameters = { retry = { 50, "wait between two attempts" } },
}

local compare_and_set = script("compare-and-set", [[
  if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call("set", KEYS[1], ARGV[2])
  return 1
]])

function acquire(name, lease)
  local now = clock.wall()
  local stamp = clock.write(now + lease)
  local grant = { token = stamp, deadline = now + lease }
  local won, why = call("SETNX", name, stamp)
  if why then return failed(why) end
  if won ~= 1 then
    local current, why = call("GET", name)
    if why then return failed(why) end
    if not current or not (clock.read(current) < now) then return busy() end
    local set, why = call(compare_and_set, 1, name, current, stamp)
    if why then return failed(why) end
    if set ~= 1 then return busy() end
  end
  grant.token = stamp
  return grant
end

function release(grant)
  local current, why = call("GET", grant.name)
  if why then return failed(why) end
  if current ~= grant.token then return false end -- somebody else's by now
  local deleted, why = call("DEL", grant.name)
  if why then return failed(why) end
  return deleted == 1
end
