-- Leaves the lock once; the last time it is deleted and whoever waits is told.
-- KEYS[1] the lock   KEYS[2] the channel   ARGV[1] the message   ARGV[2] lease in milliseconds   ARGV[3] the owner
-- Answers nil: not ours, 0: still held, 1: released.
-- Source: note 002, section 2.2.2 (RedissonLock.unlockInnerAsync).
if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then
  return nil
end
local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1)
if counter > 0 then
  redis.call('pexpire', KEYS[1], ARGV[2])
  return 0
else
  redis.call('del', KEYS[1])
  redis.call('publish', KEYS[2], ARGV[1])
  return 1
end
