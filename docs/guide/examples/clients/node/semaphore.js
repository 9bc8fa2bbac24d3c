// SPDX-License-Identifier: Apache-2.0
// redis-semaphore 5.8.0: a Mutex, which prolongs its lease by itself and calls onLockLost when it cannot.
const Redis = require('ioredis'), { Mutex } = require('redis-semaphore');
const { say, lease, name, servers, options, serve } = require('./lines.js');
const redis = new Redis({ ...servers[0], ...options }).on('error', () => {});
let lost, mutex;
serve('redis-semaphore', {
  async acquire({ round }) {
    lost = false;
    const onLockLost = () => { lost = true; say('lost', { round }); };
    mutex = new Mutex(redis, name, { lockTimeout: lease, acquireTimeout: 1e6, retryInterval: lease / 6, onLockLost });
    await mutex.acquire();
    say('acquired');
  },
  async touch() { say(lost ? 'lost' : 'touch'); },
  async release() { await mutex.release(); say('released'); },
});
