// SPDX-License-Identifier: Apache-2.0
// redis-lock 1.0.0. It asks for a client of the package redis 4: those of version 5 and later it refuses.
const { createClient } = require('redis');
const { LOCKPROOF_SERVERS, LOCKPROOF_LOCK, LOCKPROOF_LEASE_MS } = process.env;
const [host, port] = LOCKPROOF_SERVERS.split(',')[0].split(':'), lease = +LOCKPROOF_LEASE_MS;
const say = (word, more = {}) => console.log(JSON.stringify({ say: word, ...more }));
const redis = createClient({ socket: { host, port: +port } }).on('error', () => {});
const lock = require('redis-lock')(redis, lease / 6);
let unlock;
const answers = {
  async acquire() {
    if (!redis.isOpen) await redis.connect();
    unlock = await lock(LOCKPROOF_LOCK, lease);
    say('acquired');
  },
  async touch() { say('touch'); },
  async release() { const count = await unlock(); say('released', { ours: count === 1 }); },
  quit() { process.exit(0); },
};
const lines = require('readline').createInterface({ input: process.stdin }).on('close', () => process.exit(0));
lines.on('line', async line => {
  try { await answers[JSON.parse(line).do](); } catch (e) { say('failed', { error: String(e).slice(0, 200) }); }
});
say('ready', { protocol: 1, name: `redis-lock ${require('redis-lock/package.json').version}` });
