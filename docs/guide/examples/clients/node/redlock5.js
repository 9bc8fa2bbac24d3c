// SPDX-License-Identifier: Apache-2.0
// redlock 5.0.0-beta.2: acquire and release.
const Redis = require('ioredis'), Redlock = require('redlock').default;
const { say, lease, name, servers, options, serve } = require('./lines.js');
const clients = servers.map(s => new Redis({ ...s, ...options }).on('error', () => {}));
const redlock = new Redlock(clients, { retryCount: -1, retryDelay: lease / 6, retryJitter: 0 });
redlock.on('error', () => {});
let lock;
const good = () => ({ valid_ms: lock.expiration - Date.now() });
serve('redlock', {
  async acquire() { lock = await redlock.acquire([name], lease); say('acquired', good()); },
  async touch() { say('touch'); },
  async extend() { lock = await lock.extend(lease); say('extended', good()); },
  async release() { await lock.release(); say('released'); },
});
