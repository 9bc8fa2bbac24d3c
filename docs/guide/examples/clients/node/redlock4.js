// SPDX-License-Identifier: Apache-2.0
// redlock 4.2.0: lock and unlock.
const Redis = require('ioredis'), Redlock = require('redlock4');
const { say, lease, name, servers, options, serve } = require('./lines.js');
const clients = servers.map(s => new Redis({ ...s, ...options }).on('error', () => {}));
const redlock = new Redlock(clients, { retryCount: -1, retryDelay: lease / 6, retryJitter: 0 });
redlock.on('clientError', () => {});
let lock;
const good = () => ({ valid_ms: lock.expiration - Date.now() });
serve('redlock4', {
  async acquire() { lock = await redlock.lock(name, lease); say('acquired', good()); },
  async touch() { say('touch'); },
  async extend() { lock = await lock.extend(lease); say('extended', good()); },
  async release() { await lock.unlock(); say('released'); },
});
