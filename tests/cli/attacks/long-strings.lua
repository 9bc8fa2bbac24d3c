local a, b = ("a"):rep(2000000) .. "x", ("a"):rep(2000000) .. "y"
function acquire(name, lease) local n = 0 while true do if a < b then n = n + 1 end end end
function release(g) return true end
