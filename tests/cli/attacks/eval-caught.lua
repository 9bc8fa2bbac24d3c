s = script("caught", "while true do pcall(function() while true do end end) end")
function acquire(name, lease) call(s, 0) return busy() end
function release(g) return true end
