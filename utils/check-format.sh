#!/bin/sh
# Says which C and C++ files clang-format 22 (the pinned version) would change.
set -eu
cd "$(dirname "$0")/.."
git ls-files '*.cpp' '*.h' '*.c' | xargs clang-format-22 --dry-run -Werror
echo "format: ok"
