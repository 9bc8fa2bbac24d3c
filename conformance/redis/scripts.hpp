// SPDX-License-Identifier: Apache-2.0
// The scripts that the comparison runs: those of the locks, and small ones that each try a rule. They read only the
// keys that they are given, and the numbers that they store depend only on their arguments.
#pragma once

namespace lockproof::conformance::redis {

inline constexpr const char* scripts[] = {
    // what a command answers, and what its error does
    "return redis.call(unpack(ARGV))",
    "return redis.pcall(unpack(ARGV))",
    "local r = redis.call(unpack(ARGV)); return type(r)",
    "local r = redis.pcall(unpack(ARGV)); if type(r) == 'table' and r.err then return {'error', r.err} end; return r",
    "local fine, r = pcall(redis.call, unpack(ARGV)); return {tostring(fine), r}",
    "redis.call('set', KEYS[1], 'before'); redis.call(unpack(ARGV)); redis.call('set', KEYS[1], 'after')",
    "local r = {}; r[1] = redis.pcall(unpack(ARGV)); r[2] = redis.pcall(unpack(ARGV)); return r",
    "\n\nreturn redis.call(\n unpack(ARGV))",
    "local function f() return redis.call(unpack(ARGV)) end\nlocal r = f()\nreturn r",
    "return {redis.pcall('pttl', KEYS[1]), redis.pcall(unpack(ARGV)), redis.pcall('pttl', KEYS[1])}",
    // the locks
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end",
    "if redis.call('exists', KEYS[1]) == 0 then redis.call('hincrby', KEYS[1], 'f', 1) "
    "redis.call('pexpire', KEYS[1], 100) return nil end "
    "if redis.call('hexists', KEYS[1], 'f') == 1 then redis.call('hincrby', KEYS[1], 'f', 1) "
    "redis.call('pexpire', KEYS[1], 100) return nil end return redis.call('pttl', KEYS[1])",
    "if redis.call('hexists', KEYS[1], 'f') == 0 then return nil end "
    "local counter = redis.call('hincrby', KEYS[1], 'f', -1) "
    "if counter > 0 then redis.call('pexpire', KEYS[1], 100) return 0 "
    "else redis.call('del', KEYS[1]) redis.call('publish', 'x', 'free') return 1 end",
    "if redis.call('set', KEYS[1], 'x', 'NX', 'PX', 100) then return redis.call('incr', KEYS[2]) end return nil",
    // values
    "return 3.99",
    "return -3.99",
    "return 1e300",
    "return {1, 2.5, 'x', true, false, {3, nil, 4}, {ok = 'fine'}, {err = 'MY wrong'}}",
    "return {ok = 'a\\r\\nb'}",
    "return {err = 'a\\r\\nb\\r\\n'}",
    "return {err = 5}",
    "return nil",
    "return {}",
    "return function() end",
    "return #KEYS .. ',' .. #ARGV",
    "return redis.status_reply('GOOD')",
    "return redis.error_reply('BAD thing')",
    "return redis.error_reply('-BAD thing')",
    "return redis.status_reply(1)",
    "return redis.sha1hex('x')",
    "return {KEYS[1], ARGV[1], ARGV[2]}",
    "return redis.call('set', KEYS[1], 1.5)",
    "return redis.call('set', KEYS[1], 10 / 3)",
    "return redis.call('incrby', KEYS[1], 2)",
    "return tonumber('12') + 1",
    "return tostring(redis.call('get', KEYS[1]))",
    // errors
    "error('plain')",
    "error('without a place', 0)",
    "error({err = 'MY table'})",
    "error()",
    "error(true)",
    "return nosuch",
    "leftover = 1",
    "redis.extra = 1",
    "string.extra = 1",
    "return redis.nosuch()",
    "return KEYS[1] .. nil",
    "local x = nil\nlocal y = 1\nreturn x.y",
    "return redis.call()",
    "return redis.call({})",
    "return redis.call('get', true)",
    "return string.rep()",
    "return redis.sha1hex()",
    "return dofile('x')",
    "this is no script",
    "return (",
};

}  // namespace lockproof::conformance::redis
