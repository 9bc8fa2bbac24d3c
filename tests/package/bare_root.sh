#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the archive, the Debian package and the wheel, and tries them in bare roots of Debian 12 and 13 without a
# compiler, step by step as the README says, with the seconds of each step: to have it, to see a failure, to judge a
# lock of one's own. The package runs beside a real Redis and draws pictures, too; the wheel is in a virtual
# environment. Needs root, debootstrap and a Debian mirror; skipped where one of them is missing.
# usage: bare_root.sh SOURCE [SUITE…]
set -euo pipefail
source=$1
suites=("${@:2}")
((${#suites[@]})) || suites=(bookworm trixie)
skip() { printf 'skipped: %s\n' "$1"; exit 77; }
((EUID == 0)) || skip "only root can make a root"
command -v debootstrap >/dev/null || skip "there is no debootstrap"
(cd "$source" && ./dev package && ./dev bundle && ./dev wheel)
package=$(ls -t "$source"/out/lockproof_*.deb | head -1)
archive=$(ls -t "$source"/out/lockproof-*-linux-"$(dpkg --print-architecture)".tar.gz | head -1)
wheel=$(ls -t "$source"/out/lockproof-*.whl | head -1)
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
install() { apt-get install -y -qq --no-install-recommends "$@" >/tmp/log 2>&1 || { tail -5 /tmp/log; exit 1; }; }
add() { inside "$(declare -f install); install $*"; }


step() {  # WHAT COMMANDS
  local begin=$EPOCHREALTIME
  inside "set -o pipefail; cd /tmp; PATH=/tmp/bin:/tmp/venv/bin:\$PATH; $2"
  awk -v from="$begin" -v to="$EPOCHREALTIME" -v what="$1" 'BEGIN { printf "%6.1f s  %s\n", to - from, what }'
}

# As the README's chapter on it does, in a folder of one's own.
see_and_judge() {  # EXAMPLES
  step "see a failure" 'lockproof demo >demo; grep -q "violated (outlived)" demo'
  step "judge a lock of one's own" "mkdir -p own; cd own; cp $1/my_lock.* .
    lockproof explore my_lock.toml --quiet >said && exit 1; grep -q 'violated (double-grant)' said"
}

try_archive() {
  cp "$archive" "$root/tmp/archive.tar.gz"
  step "have the archive" 'tar xzf archive.tar.gz; ln -s lockproof-*/bin .; lockproof --version'
  see_and_judge "/tmp/lockproof-*/share/doc/lockproof/docs/guide/examples"
  inside 'cd /tmp; grep -q "Left out here" demo
    ls lockproof-*/share/doc/lockproof/docs/guide/01-first-run.md lockproof-*/share/man/man1/lockproof.1 >/dev/null
    rm -r lockproof-* bin demo own'
}

try_package() {
  cp "$package" "$root/tmp/"
  inside 'apt-get update -qq'
  step "have the package, with redis-server" "$(declare -f install); install redis-server /tmp/$(basename "$package")
    lockproof --version"
  see_and_judge /usr/share/doc/lockproof/docs/guide/examples
  step "run, real, explore" 'for verb in run real explore; do
      lockproof $verb lease-outlived --quiet --out $verb >>said
    done'
  inside 'if command -v gcc g++ cc cmake; then echo "there is a compiler"; exit 1; fi'
  add python3-matplotlib fonts-dejavu-core  # numpy brings a compiler with it
  step "draw pictures" 'lockproof report run real --out pictures; ls pictures/*.png'
  inside 'rm -r /tmp/demo /tmp/own; apt-get remove -y -qq lockproof redis-server >/dev/null 2>&1'
}

try_wheel() {
  cp "$wheel" "$root/tmp/"
  cp "$source/docs/guide/examples/pytest/test_redis_py.py" "$root/tmp/"
  cp -r "$source/docs/guide/examples" "$root/tmp/examples"
  add python3-venv python3-pytest python3-redis
  step "have the wheel" "python3 -m venv --system-site-packages venv
    venv/bin/pip install -q --no-index $(basename "$wheel"); lockproof --version"
  see_and_judge /tmp/examples
  step "test redis-py's lock" 'cd examples/pytest; python3 -m pytest -q >said || { tail -20 said; exit 1; }
    tail -1 said'
}

for suite in "${suites[@]}"; do
  make_root "$suite"
  echo "== Debian $suite"
  try_archive
  try_package
  try_wheel
  cleanup
done
