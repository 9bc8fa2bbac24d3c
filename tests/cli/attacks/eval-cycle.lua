function acquire(name, lease) call("EVAL", "local t = {} t[1] = t return t", 0) return busy() end
function release(g) return true end
