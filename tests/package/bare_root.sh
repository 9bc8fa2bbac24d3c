#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Debian package and the archive, and tries both in bare roots of Debian 12 and 13 without a compiler: the
# archive as it is, the package with a real Redis and the reports. Needs root, debootstrap and a Debian mirror; skipped
# where one of them is missing. usage: bare_root.sh SOURCE [SUITE…]
set -euo pipefail
source=$1
suites=("${@:2}")
((${#suites[@]})) || suites=(bookworm trixie)
skip() { printf 'skipped: %s\n' "$1"; exit 77; }
((EUID == 0)) || skip "only root can make a root"
command -v debootstrap >/dev/null || skip "there is no debootstrap"
(cd "$source" && ./dev package && ./dev bundle)
package=$(ls -t "$source"/out/lockproof_*.deb | head -1)
archive=$(ls -t "$source"/out/lockproof-*-linux-"$(dpkg --print-architecture)".tar.gz | head -1)
sources=/etc/apt/sources.list.d/debian.sources
mirror=$(awk '/^URIs:/{print $2; exit}' "$sources" 2>/dev/null || echo http://deb.debian.org/debian)

root=
cleanup() {
  [[ -n $root ]] || return 0
  for mounted in dev/shm proc; do umount -l "$root/$mounted" 2>/dev/null || true; done
  rm -rf --one-file-system "$root"
  root=
}
trap cleanup EXIT

make_root() {  # SUITE
  root=$(mktemp -d)
  chmod 755 "$root"
  debootstrap --variant=minbase --include=ca-certificates "$1" "$root" "$mirror" >"$root.log" 2>&1 || {
    tail -3 "$root.log"
    skip "debootstrap could not make a root of $1"
  }
  rm -f "$root.log"
  cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
  cp /etc/apt/apt.conf.d/99* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"  # no service is started
  chmod +x "$root/usr/sbin/policy-rc.d"
  mkdir -p "$root/dev/shm"
  mount -t proc proc "$root/proc"
  mount -t tmpfs shm "$root/dev/shm"
}

inside() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive bash -euc "$1"
}
add() {
  inside "apt-get install -y -qq --no-install-recommends $* >/tmp/log 2>&1 || { tail -5 /tmp/log; exit 1; }"
}

try_archive() {
  cp "$archive" "$root/tmp/archive.tar.gz"
  inside 'cd /tmp; tar xzf archive.tar.gz; cd lockproof-*; ./bin/lockproof --version
    ./bin/lockproof demo >/tmp/demo; grep -q "violated (outlived)" /tmp/demo; grep "Left out here" /tmp/demo
    ./bin/lockproof explore lease-outlived --quiet | tail -1
    ls share/doc/lockproof/docs/guide/01-first-run.md share/man/man1/lockproof.1'
}

try_package() {
  cp "$package" "$root/tmp/"
  inside 'apt-get update -qq'
  add redis-server "/tmp/$(basename "$package")"
  inside 'if command -v gcc g++ cc cmake; then echo "there is a compiler"; exit 1; fi'
  inside 'cd /tmp; lockproof --version; lockproof demo | tail -1
    for verb in run real explore; do lockproof $verb lease-outlived --quiet --out $verb; done'
  add python3-matplotlib fonts-dejavu-core  # numpy brings a compiler with it
  inside 'cd /tmp; lockproof report run real --out pictures; ls pictures/*.png'
}

for suite in "${suites[@]}"; do
  make_root "$suite"
  try_archive
  try_package
  cleanup
  echo "the archive and the package work on a bare $suite"
done
