#!/bin/sh
# The whole check of the project: build, test suite, format. Needs nothing but a Debian 12.
set -eu
cd "$(dirname "$0")/.."
sh utils/build.sh check
sh utils/check-format.sh
cmake --build build/check --target check-weft
