-- SET NX PX; released by DEL.
function acquire(name, lease)
  local won, why = call("SET", name, "locked", "NX", "PX", lease)
  if why then return failed(why) end
  if not won then return busy() end
  return { token = "locked", deadline = clock.mono() + lease }
end

function release(grant)
  local deleted, why = call("DEL", grant.name)
  if why then return failed(why) end
  return deleted == 1
end
