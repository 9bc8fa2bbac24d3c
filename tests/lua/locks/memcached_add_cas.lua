-- As algorithms/memcached/add_cas.cpp.
lock = { service = "memcached", lease_unit = 1000, parameters = { retry = 50 } }

function acquire(name, lease)
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + (lease - 1000) }
  local added, why = call("add", name, token, lease / 1000)
  if why then return failed(why, grant) end
  return added == "STORED" and grant or busy()
end

function release(grant)
  local item, why = call("gets", grant.name)
  if why then return failed(why) end
  if not item or item[1] ~= grant.token then return false end
  local expired, why = call("cas", grant.name, "", -1, item[2])
  if why then return failed(why) end
  return expired == "STORED"
end
