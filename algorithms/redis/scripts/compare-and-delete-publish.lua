-- Releases a lock only if it is still ours, and tells whoever waits for it, with nothing in between.
-- KEYS[1] the lock   KEYS[2] the channel   ARGV[1] our token   answers 1: released, 0: somebody else's, or gone
-- Source: miintto/redis-lock-py.
if redis.call('get', KEYS[1]) == ARGV[1] then
  redis.call('del', KEYS[1])
  redis.call('publish', KEYS[2], '0')
  return 1
else
  return 0
end
