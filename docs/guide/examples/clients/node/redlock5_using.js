// SPDX-License-Identifier: Apache-2.0
// redlock 5.0.0-beta.2: using, which prolongs the lease by itself and aborts a signal when it cannot.
const Redis = require('ioredis'), Redlock = require('redlock').default;
const { say, lease, name, servers, options, serve } = require('./lines.js');
const clients = servers.map(s => new Redis({ ...s, ...options }).on('error', () => {}));
const settings = { retryCount: 60, retryDelay: lease / 6, retryJitter: 0, automaticExtensionThreshold: Math.floor(lease / 3) };
const redlock = new Redlock(clients, settings);
redlock.on('error', () => {});
let leave, signal;
serve('redlock', {
  async acquire({ round }) {
    await redlock.using([name], lease, async given => {
      signal = given;
      signal.addEventListener('abort', () => say('lost', { round }));
      say('acquired');
      await new Promise(go => { leave = go; });
    });
    say('released');
  },
  async touch() { say(signal.aborted ? 'lost' : 'touch'); },
  async release() { leave(); },
});
