-- Takes the lock, or enters it once more: a hash of owner and depth.
-- KEYS[1] the lock   ARGV[1] lease in milliseconds   ARGV[2] the owner
-- Answers nil: taken; else the milliseconds until it frees itself.
-- Source: note 002, section 2.2.1 (RedissonLock.tryLockInnerAsync).
if redis.call('exists', KEYS[1]) == 0 then
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
return redis.call('pttl', KEYS[1])
