#!/bin/sh
# Installs what building and testing Weft needs on Debian 12. Does nothing if it is all there.
# install-deps.sh check-all: also what check-all.sh needs.
set -eu

packages="clang-22 clang-format-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
libclang-rt-22-dev libfmt-dev libgtest-dev cmake ninja-build ccache gcc libc6-dev
libstdc++-12-dev zlib1g-dev python3 python3-numpy git valgrind libc6-dbg libicu-dev
libsentencepiece-dev libpng-dev libjpeg62-turbo-dev make pkg-config"
[ "${1:-}" != check-all ] ||
  packages="$packages clang-tidy-22 qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross debootstrap dpkg-dev file"

missing=""
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' ||
    missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "Installing:$missing"
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo"
$as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
# shellcheck disable=SC2086 # a list of names
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
