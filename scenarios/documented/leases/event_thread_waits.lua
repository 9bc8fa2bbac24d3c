-- A recipe whose acquire holds its object's monitor for as long as it tries, and a session whose end is told by one
-- event thread, which takes that monitor to wake who waits. The keep-alive of the session is that thread.
lock = {
  source = "apache/curator #1015 (CURATOR-495) and pull request 297",
  claims = { double_grant = "without faults", owner_release = "always", bounded_takeover = "always" },
  parameters = {
    retry = { 500, "wait between two attempts" },
    threads = {
      count = 1, "1: the event thread takes the monitor; 2: another thread does, and the event thread goes on",
    },
  },
}

local compare_and_delete = script("compare-and-delete", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
]])
local compare_and_expire = script("compare-and-expire", [[
  if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end
]])

local asked, monitor, waits = 0, false, false -- whether a recipe has the monitor, whether the event thread waits for it
local holds, held = 0, nil

function acquire(name, lease)
  if holds > 0 then -- a second recipe of the same process, over the same session
    monitor = true
    local there, why = call("EXISTS", name)
    if why or there == 0 then return busy() end -- tries again, and keeps the monitor, until an event says what to do
    monitor, holds = false, holds + 1
    return held
  end
  asked = lease
  local token, now = random.token(), clock.mono()
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why) end
  if not won then return busy() end
  holds, held = 1, { token = token, renewal = { period = lease / 3 } }
  return held
end

function renew(grant)
  if waits and monitor then return failed("not-sent") end
  local kept, why = call(compare_and_expire, 1, grant.name, grant.token, asked)
  if why then return failed(why) end
  if kept == 1 then return grant end
  if monitor and parameters.threads == 1 then
    waits = true
    return failed("not-sent")
  end
  return false
end

function release(grant)
  holds = holds - 1
  if holds > 0 then return true end
  local deleted, why = call(compare_and_delete, 1, grant.name, grant.token)
  if why then return failed(why) end
  return deleted == 1
end
