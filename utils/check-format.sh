#!/bin/sh
# Says which C and C++ files clang-format 22 (the pinned version) would change, and which do not name the licence.
set -eu
cd "$(dirname "$0")/.."
git ls-files '*.cpp' '*.h' '*.hpp' '*.c' | xargs clang-format-22 --dry-run -Werror
unlicensed=$(git ls-files 'lib/*.cpp' 'tools/*.cpp' 'include/*.h' 'include/*.hpp' 'lib/*.h' 'lib/*.c' 'tools/*.h' '*.td' |
  xargs grep -L 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' || true)
if [ -n "$unlicensed" ]; then
  echo "no licence in the first lines of:" $unlicensed >&2
  exit 1
fi
echo "format: ok"
