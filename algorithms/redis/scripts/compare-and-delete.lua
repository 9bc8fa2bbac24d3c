-- Releases a lock only if it is still ours: compares the token and deletes the key, with nothing in between.
-- KEYS[1] the lock   ARGV[1] our token   answers 1: released, 0: somebody else's, or gone
-- Source: redis.io, "Distributed Locks with Redis"; notes 000, 001 and 004.
if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('del', KEYS[1])
else
  return 0
end
