-- Renews a lock only if it is still ours: compares the token and sets what is left, with nothing in between.
-- KEYS[1] the lock   ARGV[1] our token   ARGV[2] milliseconds from now   answers 1: renewed, 0: lost
if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('pexpire', KEYS[1], ARGV[2])
else
  return 0
end
