# SPDX-License-Identifier: Apache-2.0
# Perl with Redis.pm: a token, and a script that compares before it deletes. Debian: apt-get install libredis-perl
use strict;
use warnings;
use JSON::PP;
use Redis;
use Time::HiRes 'sleep';
$| = 1;
my ($server) = split /,/, $ENV{LOCKPROOF_SERVERS};
my ($name, $lease) = @ENV{qw(LOCKPROOF_LOCK LOCKPROOF_LEASE_MS)};
my $delete = 'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0';
my ($redis, $token, $round) = (undef, '', 0);
sub answer { my ($word, %more) = @_; print encode_json({ say => $word, %more }), "\n" }

answer('ready', protocol => 1, name => "Redis.pm $Redis::VERSION");
while (my $line = <STDIN>) {
  my $do = decode_json($line)->{do};
  last if $do eq 'quit';
  eval {
    if ($do eq 'acquire') {
      $redis //= Redis->new(server => $server, reconnect => 2);
      $token = "$ENV{LOCKPROOF_CLIENT}-" . ++$round;
      sleep $lease / 6000 until $redis->set($name, $token, 'NX', 'PX', $lease);
      answer('acquired');
    } elsif ($do eq 'touch') {
      answer('touch');
    } elsif ($do eq 'release') {
      answer('released', ours => $redis->eval($delete, 1, $name, $token) ? JSON::PP::true : JSON::PP::false);
    }
    1;
  } or answer('failed', error => substr($@, 0, 200));
}
