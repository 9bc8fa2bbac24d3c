#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Unpacks what lockproof is built with, of another system, into a folder: sysroot.sh ARCHITECTURE FOLDER [SUITE]. The
# packages are of this machine's Debian, or of the older SUITE; libraries that are headers alone, and the standard
# library of the compiler, are of this machine's in either case. apt has its lists and its state beside the folder, so
# nothing is installed.
set -euo pipefail
architecture=$1 root=$2 suite=${3-}
libraries=(libc6-dev libboost-dev libhiredis-dev libpq-dev libuv1-dev liblua5.1-0-dev libjemalloc-dev)
headers=(libfmt-dev libtomlplusplus-dev nlohmann-json3-dev libcli11-dev)
[[ -e $root/complete ]] && exit 0

rm -rf "$root"
mkdir -p "$root" "$root-apt"/{lists,archives}/partial
apt=$(cd "$root-apt" && pwd)
: >"$apt/status"
fetch() {
  apt-get -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o "Dir::State=$apt" \
    -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt" -o APT::Sandbox::User= "${sources[@]}" "$@"
}
sources=()
if [[ -n $suite ]]; then
  here=$(. /etc/os-release && printf %s "$VERSION_CODENAME")
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $here" | head -n 1)
  printf 'deb [signed-by=%s] %s %s main\n' /usr/share/keyrings/debian-archive-keyring.gpg "$mirror" "$suite" \
    >"$apt/sources.list"
  (cd "$apt/archives" && apt-get download -o APT::Sandbox::User= "${headers[@]}" "libstdc++-$(gcc -dumpversion)-dev")
  sources=(-o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=-)
else
  libraries+=(libstdc++6 "${headers[@]}" libgtest-dev libgmock-dev libbenchmark-dev)
fi
fetch update
fetch install -y --no-install-recommends --download-only "${libraries[@]}"
for package in "$apt"/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
# Links that begin at the root of that system begin at this folder.
find "$root" -type l -lname '/*' -printf '%p\n' | while read -r link; do
  ln -sfn "$(cd "$root" && pwd)$(readlink "$link")" "$link"
done
rm -rf "$apt"
: >"$root/complete"
