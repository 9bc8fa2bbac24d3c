s = script("large", "return string.rep('x', 2e9)")
function acquire(name, lease) call(s, 0) return busy() end
function release(g) return true end
