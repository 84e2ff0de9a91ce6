#!/bin/sh
# The whole check of the project: build, test suite, format. Needs nothing but a Debian 12.
set -eu
cd "$(dirname "$0")/.."
sh utils/build.sh release
sh utils/check-format.sh
cmake --build build/release --target check-weft
