-- Takes the lock and draws a fencing token in one step: the counter outlives the lock, so tokens only grow.
-- KEYS[1] the lock   KEYS[2] the counter   ARGV[1] our token   ARGV[2] lease in milliseconds
-- Answers the fencing token, or nil: somebody else has the lock.
-- Source: Kleppmann, "How to do distributed locking", 2016.
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return redis.call('incr', KEYS[2])
end
return nil
