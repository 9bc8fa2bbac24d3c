-- Renews the lease if the owner still holds the lock.
-- KEYS[1] the lock   ARGV[1] lease in milliseconds   ARGV[2] the owner   answers 1: renewed, 0: lost
-- Source: note 002, section 2.4 (RedissonBaseLock.renewExpirationAsync).
if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
  redis.call('pexpire', KEYS[1], ARGV[1])
  return 1
end
return 0
