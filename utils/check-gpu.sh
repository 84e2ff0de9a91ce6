#!/bin/sh
# Compiles all golden models to PTX for every kind of GPU, and has ptxas assemble it where it is installed: see check_gpu.py.
set -eu
cd "$(dirname "$0")/.."
exec python3 utils/check_gpu.py build/release "$@"
