#!/bin/sh
# check-packages.sh BUILD   (as root) makes the Debian packages of a build folder, installs them in a new Debian 12 with
# nothing else in it, and goes a user's ways there (test/Install/Inputs/use.sh). DEBIAN_MIRROR: where packages come from.
set -eu
cd "$(dirname "$0")/.."
build=$1
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
work=$(mktemp -d /tmp/weft-packages.XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root

cpack --config "$build/CPackConfig.cmake" -B "$work/packages" >/dev/null
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$work/log" || {
  cat "$work/log" >&2
  exit 1
}
echo "deb $mirror-security bookworm-security main" >>"$root/etc/apt/sources.list"
[ ! -f /etc/apt/apt.conf ] || cp /etc/apt/apt.conf "$root/etc/apt"
mkdir "$root/try"
cp "$work"/packages/*.deb "$root/try"
cp -r docs/examples test/Golden/gpt2-lm test/Install/Inputs/app test/Install/Inputs/use.sh "$root/try"

cat >"$root/try/run.sh" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
quietly() { "$@" >/try/log 2>&1 || { cat /try/log >&2; exit 1; }; }
quietly apt-get update
quietly apt-get install -y --no-install-recommends /try/libweft-dev_*.deb
quietly apt-get install -y --no-install-recommends /try/weft_*.deb
# What weftc links with has come along; CMake is the user's.
cd /tmp
weftc /try/examples/c/tiny.weft --random-weights -o tiny.so
weft-run tiny.so | grep 'entry scores'
quietly apt-get install -y --no-install-recommends cmake make ninja-build pkg-config g++ python3-numpy
export PYTHON=/usr/bin/python3 PYTHONDONTWRITEBYTECODE=1
sh /try/use.sh /try/examples /try/gpt2-lm /try/app /try/c Ninja C
sh /try/use.sh /try/examples /try/gpt2-lm /try/app /try/c++ 'Unix Makefiles' CXX
quietly apt-get remove -y weft libweft-dev
[ -z "$(find /usr -name '*weft*')" ] || { find /usr -name '*weft*' >&2; exit 1; }
END
# /proc is there for the commands alone.
unshare --mount sh -c 'mount -t proc proc "$1/proc" && exec chroot "$1" sh /try/run.sh' sh "$root"
