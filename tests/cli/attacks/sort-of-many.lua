local t = {}
for i = 1, 100000 do t[i] = i % 2 == 0 and i or -i end
function acquire(name, lease) for i = 1, 1000 do table.sort(t) end return busy() end
function release(g) return true end
