-- Leaves the lock once; the last owner deletes it.
-- KEYS[1] the lock   ARGV[1] the owner
-- Answers nil: not ours, 0: others have it, or this owner once more, 1: free.
-- Source: Redisson, RedissonReadLock and RedissonWriteLock, unlockInnerAsync.
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return nil end
if redis.call('hincrby', KEYS[1], ARGV[1], -1) > 0 then return 0 end
redis.call('hdel', KEYS[1], ARGV[1])
if redis.call('hlen', KEYS[1]) > 1 then return 0 end
redis.call('del', KEYS[1])
return 1
