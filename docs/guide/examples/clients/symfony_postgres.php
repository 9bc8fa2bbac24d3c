<?php
// SPDX-License-Identifier: Apache-2.0
// symfony/lock's PostgreSqlStore, an advisory lock. Debian: apt-get install php-cli php-pgsql php-symfony-lock
require 'Symfony/Component/Lock/autoload.php';
use Symfony\Component\Lock\{LockFactory, Store\PostgreSqlStore};

function say($word, $more = []) { echo json_encode(['say' => $word] + $more), "\n"; }

$database = 'pgsql:host=' . getenv('PGHOST') . ';port=' . getenv('PGPORT') . ';dbname=' . getenv('PGDATABASE');
$locks = new LockFactory(new PostgreSqlStore($database, ['db_username' => getenv('PGUSER')]));
$lock = null;
say('ready', ['protocol' => 1, 'name' => 'symfony/lock PostgreSqlStore, PHP ' . PHP_VERSION]);
while (($line = fgets(STDIN)) !== false) {
    $do = json_decode($line)->do;
    try {
        if ($do == 'acquire') {
            $lock = $locks->createLock(getenv('LOCKPROOF_LOCK'), null, false);
            $lock->acquire(true);
            say('acquired');
        } elseif ($do == 'touch') say('touch');
        elseif ($do == 'release') { $lock->release(); say('released'); }
        elseif ($do == 'quit') break;
    } catch (Throwable $e) { say('failed', ['error' => substr(get_class($e) . ': ' . $e->getMessage(), 0, 200)]); }
}
