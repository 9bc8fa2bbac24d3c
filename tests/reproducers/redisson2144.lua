-- Readers share a hash; each of them sets its expiry to the reader's own lease, 1: whatever was left; 2: if that is
-- longer. Who asks for a lease of `passing` is a second reader that dies as soon as it has the lock: its
-- attempt stands for that, and is answered with busy. client-1 reads, client-3 writes.
lock = {
  summary = "a read-write lock; a reader sets the expiry for all",
  source = "redisson/redisson #2144",
  claims = { double_grant = "without faults" },
  refusal_writes = true,
  parameters = { retry = 100, passing = { 1000, "the lease of the second reader" },
    writer = { 8000, "that of the writer" },
    expiry = { count = 1, "1: pexpire; 2: the longer one" } },
}
local read = script("read-lock", [[
  if redis.call("hexists", KEYS[1], "writer") == 1 then return 0 end
  redis.call("hset", KEYS[1], ARGV[1], "reader")
  if ARGV[3] == "2" and redis.call("pttl", KEYS[1]) > tonumber(ARGV[2]) then return 1 end
  redis.call("pexpire", KEYS[1], ARGV[2])
  return 1
]])
local write = script("write-lock", [[
  if redis.call("exists", KEYS[1]) == 1 then return 0 end
  redis.call("hset", KEYS[1], "writer", ARGV[1])
  redis.call("pexpire", KEYS[1], ARGV[2])
  return 1
]])
local leave = script("leave", [[
  if redis.call("hexists", KEYS[1], ARGV[1]) == 0 then return 0 end
  redis.call("hdel", KEYS[1], ARGV[1])
  return 1
]])
function acquire(name, lease)
  local id, now, got, why = random.token(), clock.mono()
  if lease == parameters.writer then got, why = call(write, 1, name, id, lease)
  else got, why = call(read, 1, name, id, lease, parameters.expiry) end
  if why then return failed(why) end
  if got == 0 or lease == parameters.passing then return busy() end
  return { token = lease == parameters.writer and "writer" or id, deadline = now + lease }
end
function release(grant)
  local gone, why = call(leave, 1, grant.name, grant.token)
  if why then return failed(why) end
  return gone == 1
end
