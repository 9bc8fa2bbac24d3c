-- Takes one permit of a counter, which the first client sets.
-- KEYS[1] the counter   ARGV[1] how many permits there are   answers 1: taken, 0: none is left
-- Source: Redisson, RedissonSemaphore, trySetPermitsAsync and tryAcquireAsync, in one script.
local free = redis.call('get', KEYS[1])
if not free then
  redis.call('set', KEYS[1], ARGV[1])
  free = ARGV[1]
end
if tonumber(free) < 1 then return 0 end
redis.call('decrby', KEYS[1], 1)
return 1
