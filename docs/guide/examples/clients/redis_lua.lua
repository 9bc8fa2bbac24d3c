-- SPDX-License-Identifier: Apache-2.0
-- Lua with redis-lua: a token, and a script that compares before it deletes.
-- Debian: apt-get install lua5.1 lua-redis lua-socket lua-cjson
local json, redis, socket = require "cjson", require "redis", require "socket"
local host, port = os.getenv("LOCKPROOF_SERVERS"):match("([^:,]+):(%d+)")
local name, lease = os.getenv("LOCKPROOF_LOCK"), tonumber(os.getenv("LOCKPROOF_LEASE_MS"))
local DELETE = 'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0'
local client, token, round = nil, nil, 0

local function say(word, more)
  more = more or {}
  more.say = word
  io.write(json.encode(more), "\n")
  io.flush()
end

local does = {
  acquire = function()
    client, round = client or redis.connect(host, tonumber(port)), round + 1
    token = os.getenv("LOCKPROOF_CLIENT") .. "-" .. round
    while not client:set(name, token, "NX", "PX", lease) do socket.sleep(lease / 6000) end
    say("acquired")
  end,
  touch = function() say("touch") end,
  release = function() say("released", { ours = client:eval(DELETE, 1, name, token) == 1 }) end,
  quit = function() os.exit(0) end,
}

say("ready", { protocol = 1, name = redis._VERSION })
for line in io.lines() do
  local went, why = pcall(does[json.decode(line)["do"]])
  if not went then
    client = nil -- its connection may be of no use any more
    say("failed", { error = tostring(why):sub(1, 200) })
  end
end
