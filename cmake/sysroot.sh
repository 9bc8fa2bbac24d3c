#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Unpacks what lockproof is built with, of another architecture, into a folder: sysroot.sh ARCHITECTURE FOLDER. The
# packages are of this machine's Debian. apt has its lists and its state beside the folder, so nothing is installed.
set -euo pipefail
architecture=$1 root=$2
packages=(libc6-dev libstdc++6 libfmt-dev libtomlplusplus-dev nlohmann-json3-dev libcli11-dev libboost-dev
  libhiredis-dev libpq-dev libuv1-dev liblua5.1-0-dev libgtest-dev libgmock-dev libbenchmark-dev libjemalloc-dev)
[[ -e $root/complete ]] && exit 0

rm -rf "$root"
mkdir -p "$root" "$root-apt"/{lists,archives}/partial
apt=$(cd "$root-apt" && pwd)
: >"$apt/status"
fetch() {
  apt-get -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o "Dir::State=$apt" \
    -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt" -o APT::Sandbox::User= "$@"
}
fetch update
fetch install -y --no-install-recommends --download-only "${packages[@]}"
for package in "$apt"/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
# Links that begin at the root of that system begin at this folder.
find "$root" -type l -lname '/*' -printf '%p\n' | while read -r link; do
  ln -sfn "$(cd "$root" && pwd)$(readlink "$link")" "$link"
done
rm -rf "$apt"
: >"$root/complete"
