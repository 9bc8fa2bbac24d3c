// SPDX-License-Identifier: Apache-2.0
// What the commands do: the functions in the table of commands.cpp, by kind.
#pragma once

#include "algorithms/port/command.hpp"
#include "sim/services/redis/scene.hpp"

namespace lockproof::sim::redis::verbs {

// string_verbs.cpp (t_string.c)
Reply get(Scene& scene, const Words& words);
Reply mget(Scene& scene, const Words& words);
Reply set(Scene& scene, const Words& words);
Reply setnx(Scene& scene, const Words& words);
Reply setex(Scene& scene, const Words& words);
Reply psetex(Scene& scene, const Words& words);
Reply getset(Scene& scene, const Words& words);
Reply getdel(Scene& scene, const Words& words);
Reply strlen(Scene& scene, const Words& words);
Reply incr(Scene& scene, const Words& words);
Reply decr(Scene& scene, const Words& words);
Reply incrby(Scene& scene, const Words& words);
Reply decrby(Scene& scene, const Words& words);

// key_verbs.cpp (db.c, expire.c)
Reply del(Scene& scene, const Words& words);
Reply exists(Scene& scene, const Words& words);
Reply type(Scene& scene, const Words& words);
Reply expire(Scene& scene, const Words& words);
Reply pexpire(Scene& scene, const Words& words);
Reply expireat(Scene& scene, const Words& words);
Reply pexpireat(Scene& scene, const Words& words);
Reply persist(Scene& scene, const Words& words);
Reply ttl(Scene& scene, const Words& words);
Reply pttl(Scene& scene, const Words& words);
Reply expiretime(Scene& scene, const Words& words);
Reply pexpiretime(Scene& scene, const Words& words);
Reply dbsize(Scene& scene, const Words& words);
Reply flush(Scene& scene, const Words& words);

// hash_verbs.cpp (t_hash.c)
Reply hset(Scene& scene, const Words& words);
Reply hmset(Scene& scene, const Words& words);
Reply hsetnx(Scene& scene, const Words& words);
Reply hget(Scene& scene, const Words& words);
Reply hexists(Scene& scene, const Words& words);
Reply hdel(Scene& scene, const Words& words);
Reply hincrby(Scene& scene, const Words& words);
Reply hgetall(Scene& scene, const Words& words);
Reply hlen(Scene& scene, const Words& words);

// session_verbs.cpp (multi.c, pubsub.c, server.c)
Reply ping(Scene& scene, const Words& words);
Reply echo(Scene& scene, const Words& words);
Reply time(Scene& scene, const Words& words);
Reply info(Scene& scene, const Words& words);
Reply hello(Scene& scene, const Words& words);
Reply client_setname(Scene& scene, const Words& words);
Reply select(Scene& scene, const Words& words);
Reply reset(Scene& scene, const Words& words);
Reply multi(Scene& scene, const Words& words);
Reply exec(Scene& scene, const Words& words);
Reply discard(Scene& scene, const Words& words);
Reply watch(Scene& scene, const Words& words);
Reply unwatch(Scene& scene, const Words& words);
Reply publish(Scene& scene, const Words& words);
Reply subscribe(Scene& scene, const Words& words);
Reply unsubscribe(Scene& scene, const Words& words);
Reply pubsub_numsub(Scene& scene, const Words& words);

// wait_verbs.cpp (replication.c, networking.c)
Reply wait(Scene& scene, const Words& words);
Reply client_pause(Scene& scene, const Words& words);
Reply client_unpause(Scene& scene, const Words& words);

// script_verbs.cpp (eval.c)
Reply eval(Scene& scene, const Words& words);
Reply evalsha(Scene& scene, const Words& words);
Reply script_load(Scene& scene, const Words& words);
Reply script_exists(Scene& scene, const Words& words);
Reply script_flush(Scene& scene, const Words& words);

}  // namespace lockproof::sim::redis::verbs
