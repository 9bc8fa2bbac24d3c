#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# redis-cli in a shell: a token, and a script that compares before it deletes. Debian: apt-get install redis-tools
server=${LOCKPROOF_SERVERS%%,*}
ask() { redis-cli -h "${server%:*}" -p "${server#*:}" --raw "$@"; }
delete='if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0'
pause=$(printf '0.%03d' $((LOCKPROOF_LEASE_MS / 6)))
echo '{"say":"ready","protocol":1,"name":"redis-cli"}'
while read -r line; do
  case $line in
    *acquire*)
      token=$LOCKPROOF_CLIENT-$RANDOM
      until [ "$(ask set "$LOCKPROOF_LOCK" "$token" nx px "$LOCKPROOF_LEASE_MS")" = OK ]; do sleep "$pause"; done
      echo '{"say":"acquired"}' ;;
    *touch*) echo '{"say":"touch"}' ;;
    *release*) ask eval "$delete" 1 "$LOCKPROOF_LOCK" "$token" >/dev/null && echo '{"say":"released"}' ;;
    *quit*) exit ;;
  esac
done
