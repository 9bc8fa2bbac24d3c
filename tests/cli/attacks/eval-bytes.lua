s = script("bytes", "local f = loadstring('\\27Lua') return f == nil and 1 or 0")
function acquire(name, lease) if call(s, 0) == 1 then return busy() end return failed("no-reply") end
function release(g) return true end
