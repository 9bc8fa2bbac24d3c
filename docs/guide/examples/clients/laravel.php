<?php
// SPDX-License-Identifier: Apache-2.0
// Laravel's RedisLock. Debian: apt-get install php-cli php-redis php-illuminate-cache php-illuminate-redis
require 'Illuminate/Cache/autoload.php';
require 'Illuminate/Redis/autoload.php';

function say($word, $more = []) { echo json_encode(['say' => $word] + $more), "\n"; }

[$host, $port] = explode(':', explode(',', getenv('LOCKPROOF_SERVERS'))[0]);
$lease = (int) ceil(getenv('LOCKPROOF_LEASE_MS') / 1000);  // it knows whole seconds only
$redis = $lock = null;
say('ready', ['protocol' => 1, 'name' => 'illuminate/cache RedisLock, PHP ' . PHP_VERSION]);
while (($line = fgets(STDIN)) !== false) {
    $do = json_decode($line)->do;
    try {
        if ($do == 'acquire') {
            $servers = ['default' => ['host' => $host, 'port' => (int) $port, 'database' => 0]];
            $redis ??= (new Illuminate\Redis\RedisManager(null, 'phpredis', $servers))->connection();
            $lock = new Illuminate\Cache\RedisLock($redis, getenv('LOCKPROOF_LOCK'), $lease);
            $lock->betweenBlockedAttemptsSleepFor($lease * 1000 / 6)->block(60);
            say('acquired');
        } elseif ($do == 'touch') say('touch');
        elseif ($do == 'release') say('released', ['ours' => $lock->release()]);
        elseif ($do == 'quit') break;
    } catch (Throwable $e) { say('failed', ['error' => substr(get_class($e) . ': ' . $e->getMessage(), 0, 200)]); }
}
