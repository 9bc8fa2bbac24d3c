<?php
// SPDX-License-Identifier: Apache-2.0
// malkusch/lock's PHPRedisMutex. Debian: apt-get install php-cli php-redis php-malkusch-lock
require 'Malkusch/Lock/autoload.php';
use malkusch\lock\{exception\ExecutionOutsideLockException, exception\LockReleaseException, exception\TimeoutException,
    mutex\PHPRedisMutex};

function say($word, $more = []) { echo json_encode(['say' => $word] + $more), "\n"; }
function next_word() { $line = fgets(STDIN); return $line === false ? 'quit' : json_decode($line)->do; }
function fail($e) { say('failed', ['error' => substr(get_class($e) . ': ' . $e->getMessage(), 0, 200)]); }

[$host, $port] = explode(':', explode(',', getenv('LOCKPROOF_SERVERS'))[0]);
$timeout = max(1, (int) (getenv('LOCKPROOF_LEASE_MS') / 1000) - 1);  // its lease is a second longer
$redis = new Redis();
say('ready', ['protocol' => 1, 'name' => 'malkusch/lock PHPRedisMutex, PHP ' . PHP_VERSION]);
while (($do = next_word()) != 'quit') {
    try {
        if (!$redis->isConnected()) $redis->connect($host, (int) $port);
        (new PHPRedisMutex([$redis], getenv('LOCKPROOF_LOCK'), $timeout))->synchronized(function () {
            say('acquired');
            while (next_word() == 'touch') say('touch');
        });
        say('released', ['ours' => true]);
    } catch (TimeoutException) { say('busy');
    } catch (LockReleaseException | ExecutionOutsideLockException) { say('released', ['ours' => false]);
    } catch (Throwable $e) { fail($e); }
}
