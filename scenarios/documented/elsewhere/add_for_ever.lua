-- cache.add without a time, which the task's holder deletes. With `expires` = 2 it has the time of the lease.
lock = {
  service = "memcached",
  source = "PolicyStat/jobtastic #66, the lock of its cache",
  claims = { double_grant = "without faults" },
  lease_unit = 1000,
  parameters = {
    retry = { 500, "wait between two attempts" },
    expires = { count = 1, "1: never; 2: with the lease" },
  },
}

function acquire(name, lease)
  local stored, why = call("add", name, "task", parameters.expires == 2 and lease / 1000 or 0)
  if why then return failed(why) end
  return stored == "STORED" and { token = "task" } or busy()
end

function release(grant)
  local deleted, why = call("delete", grant.name)
  if why then return failed(why) end
  return deleted == "DELETED"
end
