-- The lock of Celery's cookbook: cache.add, and cache.delete in the block that ends each try, while there is time left.
lock = {
  service = "memcached",
  source = "celery/celery #3930 and #4344, the task cookbook",
  claims = { double_grant = "without faults", owner_release = "without faults", bounded_takeover = "always" },
  lease_unit = 1000,
  round_trips = 2,
  parameters = {
    retry = { 1000, "wait between two attempts" },
    deletes = { count = 1, "1: whoever tried; 2: who has the lock" },
  },
}

function acquire(name, lease)
  local timeout_at = clock.mono() + lease - 3000
  local stored, why = call("add", name, "worker", lease / 1000)
  if why then return failed(why) end
  if stored == "STORED" then return { token = "worker", deadline = timeout_at } end
  if parameters.deletes == 1 and clock.mono() < timeout_at then call("delete", name) end
  return busy()
end

function release(grant)
  if clock.mono() >= grant.deadline then return skipped() end
  local deleted, why = call("delete", grant.name)
  if why then return failed(why) end
  return deleted == "DELETED"
end
