#!/bin/sh
# Installs what is missing and builds Weft in build/PRESET (default: release).
set -eu
cd "$(dirname "$0")/.."
preset=${1:-release}
sh utils/install-deps.sh
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >/dev/null
cmake --build "build/$preset"
