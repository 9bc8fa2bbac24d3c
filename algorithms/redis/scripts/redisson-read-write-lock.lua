-- Takes the lock in a mode, or joins it: a hash of the mode, and of each owner with its depth. Readers join readers,
-- and the lock lives as long as the longest of their leases.
-- KEYS[1] the lock   ARGV[1] lease in milliseconds   ARGV[2] the owner   ARGV[3] read or write
-- Answers nil: taken; else the milliseconds until it frees itself.
-- Source: Redisson, RedissonReadLock and RedissonWriteLock, tryLockInnerAsync, with the mend of redisson 2144.
local mode = redis.call('hget', KEYS[1], 'mode')
local joins = mode == 'read' and ARGV[3] == 'read'
if mode and not joins and redis.call('hexists', KEYS[1], ARGV[2]) == 0 then
  return redis.call('pttl', KEYS[1])
end
local left = redis.call('pttl', KEYS[1])
if not mode then redis.call('hset', KEYS[1], 'mode', ARGV[3]) end
redis.call('hincrby', KEYS[1], ARGV[2], 1)
redis.call('pexpire', KEYS[1], math.max(left, tonumber(ARGV[1])))
return nil
