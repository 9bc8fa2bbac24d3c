# SPDX-License-Identifier: Apache-2.0
# Ruby with redis-rb: a token, and a script that compares before it deletes. Debian: apt-get install ruby-redis
require "json"
require "redis"
require "securerandom"
host, port = ENV["LOCKPROOF_SERVERS"].split(",").first.split(":")
name, lease = ENV["LOCKPROOF_LOCK"], ENV["LOCKPROOF_LEASE_MS"].to_i
redis = Redis.new(host: host, port: port.to_i)
DELETE = 'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0'
def say(word, **more) = puts({ say: word, **more }.to_json)
$stdout.sync = true
say "ready", protocol: 1, name: "redis-rb #{Redis::VERSION}"
token = nil
$stdin.each_line do |line|
  case JSON.parse(line)["do"]
  when "acquire"
    token = SecureRandom.hex(8)
    sleep lease / 6000.0 until redis.set(name, token, nx: true, px: lease)
    say "acquired"
  when "touch" then say "touch"
  when "release" then say "released", ours: redis.eval(DELETE, [name], [token]) == 1
  when "quit" then break
  end
rescue Redis::BaseError => e
  say "failed", error: "#{e.class}: #{e.message}"[0, 200]
end
