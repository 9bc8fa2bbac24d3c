#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian package in a bare Debian 12 without a compiler, and runs, explores, runs for real and reports
# there. Needs root, debootstrap and a Debian mirror; skipped where one of them is missing. usage: bare_root.sh SOURCE
set -euo pipefail
source=$1
skip() { printf 'skipped: %s\n' "$1"; exit 77; }
((EUID == 0)) || skip "only root can make a root"
command -v debootstrap >/dev/null || skip "there is no debootstrap"
(cd "$source" && ./dev package)
package=$(ls -t "$source"/out/lockproof_*.deb | head -1)

root=$(mktemp -d)
chmod 755 "$root"
cleanup() {
  for mounted in dev/shm proc; do umount -l "$root/$mounted" 2>/dev/null || true; done
  rm -rf --one-file-system "$root"
}
trap cleanup EXIT
sources=/etc/apt/sources.list.d/debian.sources
mirror=$(awk '/^URIs:/{print $2; exit}' "$sources" 2>/dev/null || echo http://deb.debian.org/debian)
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror" >"$root.log" 2>&1 || {
  tail -3 "$root.log"
  skip "debootstrap could not make a root"
}
rm -f "$root.log"
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
cp /etc/apt/apt.conf.d/99* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"  # no service is started
chmod +x "$root/usr/sbin/policy-rc.d"
mkdir -p "$root/dev/shm"
mount -t proc proc "$root/proc"
mount -t tmpfs shm "$root/dev/shm"
cp "$package" "$root/tmp/"
inside() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive bash -euc "$1"
}
add() {
  inside "apt-get install -y -qq --no-install-recommends $* >/tmp/log 2>&1 || { tail -5 /tmp/log; exit 1; }"
}
inside 'apt-get update -qq'
add redis-server "/tmp/$(basename "$package")"
inside 'if command -v gcc g++ cc cmake; then echo "there is a compiler"; exit 1; fi'
inside 'cd /tmp; s=/usr/share/lockproof/scenarios/documented/leases/lease-outlived.toml
  lockproof --version
  for verb in run real explore; do lockproof $verb $s --no-trace --out $verb; done'
add python3-matplotlib fonts-dejavu-core  # numpy brings a compiler with it
inside 'cd /tmp; lockproof report run real --out pictures; ls pictures/*.png'
echo "the package works on a bare Debian"
